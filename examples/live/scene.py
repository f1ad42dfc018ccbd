#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Work that comes and goes, for a service that runs examples/live/plan.json.

    scene.py ADDRESS SECONDS

Every consumer's demand rises and falls at a pace of its own, so that owners lend and want back.
Whatever is ordered back is returned a few seconds later.
"""

import math
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clients"))
import allot  # noqa: E402

# Consumer, demand in the middle, how far it swings, seconds of a swing, where it begins.
WORK = [("/physics/lattice", 90, 60, 47, 0.0), ("/physics/detector", 50, 50, 31, 1.5),
        ("/physics/theory", 45, 30, 23, 3.0), ("/biology/genome", 80, 80, 61, 4.0),
        ("/biology/protein", 40, 30, 29, 0.7), ("/risk/desk", 70, 50, 37, 2.2),
        ("/risk/nightly", 90, 90, 53, 5.0), ("/climate", 90, 70, 43, 1.0),
        ("/students", 80, 40, 19, 2.0)]
RETURN = 2.5  # seconds that a reclaimed slot takes


def main():
    address, seconds = sys.argv[1], float(sys.argv[2])
    begin, due = time.time(), []
    with allot.Service(address, os.environ.get("ALLOT_TOKEN")) as service:
        decisions = service.subscribe(since=1)
        held, asked, next_look = {}, {}, 0.0
        while time.time() < begin + seconds:
            decision = decisions.poll(0.1)
            for grant in (decision or {}).get("grants", []):
                held[grant["consumer"]] = held.get(grant["consumer"], 0) + grant["slots"]
            for reclaim in (decision or {}).get("reclaims", []):
                due.append((time.time() + RETURN, reclaim))
            for it in [it for it in due if it[0] <= time.time()]:
                due.remove(it)
                held[it[1]["consumer"]] -= it[1]["slots"]
                service.send("returned", reclaim=it[1]["id"], slots=it[1]["slots"])
            if time.time() < next_look:
                continue
            next_look = time.time() + 0.5
            for path, middle, swing, pace, start in WORK:
                turn = math.sin(start + 2 * math.pi * (time.time() - begin) / pace)
                wanted = round(middle + swing * turn)
                if asked.get(path) != wanted:
                    asked[path] = wanted
                    service.send("demand", consumer=path, slots=wanted)
                # Releases slots of finished work, except those in flight.
                going = sum(it[1]["slots"] for it in due if it[1]["consumer"] == path)
                spare = held.get(path, 0) - going - wanted
                if spare > 0:
                    held[path] -= spare
                    service.send("release", consumer=path, slots=spare)


main()
