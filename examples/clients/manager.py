#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A small resource manager: fake tasks on the slots that `allot serve` grants.

    allot serve examples/first/plan.json --socket /tmp/allot.sock &
    examples/clients/manager.py --socket /tmp/allot.sock --leaf /science --leaf /students

Work arrives at random for every leaf, and is demanded. A grant starts a task a slot. Tasks end by
themselves; those of a reclaim get its grace to end in, and are killed at its deadline. Where the
service says which tasks go, these go; else the youngest do, after slots on which nothing runs.

A manager that is started again takes over what its predecessor left: `--file` keeps tasks, and the
number of the last decision that was carried out.
"""

import argparse
import json
import os
import random
import sys
import time

import allot


class Manager:
    def __init__(self, service, leaves, random_seed, length, say):
        self.service, self.leaves, self.say = service, leaves, say
        self.random, self.length = random.Random(random_seed), length
        self.waiting = dict.fromkeys(leaves, 0)  # tasks that want a slot
        self.idle = dict.fromkeys(leaves, 0)  # slots that were granted and run nothing
        self.tasks = {}  # id -> {"consumer", "ends"}
        self.reclaims = []  # those whose tasks have yet to end
        self.number = self.done = 0  # tasks begun; decisions carried out
        self.counts = {"started": 0, "ended": 0, "killed": 0, "returned": 0}

    # ---- What is wanted -----------------------------------------------------------------------

    def arrive(self):
        leaf = self.random.choice(self.leaves)
        self.waiting[leaf] += self.random.randint(1, 4)
        self.demand(leaf)

    def demand(self, leaf):
        """Sends the demand, a level: running and waiting tasks."""
        running = sum(task["consumer"] == leaf for task in self.tasks.values())
        self.service.send("demand", consumer=leaf, slots=running + self.waiting[leaf])

    # ---- What is decided ----------------------------------------------------------------------

    def carry_out(self, decision):
        for grant in decision.get("grants", []):
            if grant["consumer"] not in self.idle:
                continue  # another manager's
            self.idle[grant["consumer"]] += grant["slots"]
            self.start(grant["consumer"])
        for reclaim in decision.get("reclaims", []):
            if reclaim["consumer"] in self.idle:
                self.reclaim(reclaim)
        self.done = decision["seq"]

    def start(self, leaf):
        while self.idle[leaf] > 0 and self.waiting[leaf] > 0:
            self.number += 1
            name = f"task-{os.getpid()}-{self.number}"
            self.service.send("start", id=name, consumer=leaf)
            self.tasks[name] = {
                "consumer": leaf,
                "ends": time.time() + self.random.uniform(0.2, 1.0) * self.length,
            }
            self.idle[leaf] -= 1
            self.waiting[leaf] -= 1
            self.counts["started"] += 1

    def reclaim(self, reclaim):
        leaf, slots = reclaim["consumer"], reclaim["slots"]
        names = reclaim.get("tasks") or []
        free = min(self.idle[leaf], slots - len(names))  # what nothing uses goes first
        if free > 0:
            if names:
                self.service.send("release", consumer=leaf, slots=free)
            else:
                self.service.send("returned", reclaim=reclaim["id"], slots=free)
            self.idle[leaf] -= free
            self.counts["returned"] += free
        if not names:
            taken = {name for it in self.reclaims for name in it["names"]}
            mine = [
                name
                for name, task in self.tasks.items()
                if task["consumer"] == leaf and name not in taken
            ]
            names = mine[::-1][: slots - free]
        self.reclaims.append(
            {
                "id": reclaim["id"],
                "named": bool(reclaim.get("tasks")),
                "names": set(names),
                "deadline": reclaim.get("deadline") or time.time(),
            }
        )

    # ---- What happens -------------------------------------------------------------------------

    def end(self, name, how):
        task = self.tasks.pop(name)
        leaf = task["consumer"]
        owed = next((it for it in self.reclaims if name in it["names"]), None)
        if owed is not None and not owed["named"]:
            # The service does not know that this task was meant: the slot stays, and goes back.
            self.service.send("finish", id=name, keep=True)
            self.service.send("returned", reclaim=owed["id"], slots=1)
        else:
            self.service.send("finish", id=name)
        if owed is not None:
            owed["names"].discard(name)
        if how == "killed":
            self.waiting[leaf] += 1  # it begins anew
        self.counts[how] += 1
        self.demand(leaf)

    def step(self):
        now = time.time()
        for name in [name for name, task in self.tasks.items() if task["ends"] <= now]:
            self.end(name, "ended")
        for reclaim in self.reclaims:
            if reclaim["deadline"] <= now:
                for name in sorted(reclaim["names"] & self.tasks.keys()):
                    self.end(name, "killed")
        self.reclaims = [it for it in self.reclaims if it["names"]]

    def run(self, seconds, every, what="", count=0):
        end, next_arrival = time.time() + seconds, 0.0
        decisions = self.service.subscribe(since=self.done + 1)
        while self.counts[what] < count if what else time.time() < end:
            decision = decisions.poll(0.02)
            if decision is not None:
                self.carry_out(decision)
                self.say(decision)
            if time.time() >= next_arrival:
                self.arrive()
                next_arrival = time.time() + every
            self.step()
        decisions.close()

    # ---- What outlives this process -----------------------------------------------------------

    def keep(self, path):
        kept = {"done": self.done, "tasks": self.tasks, "idle": self.idle, "waiting": self.waiting}
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(path + ".part", path)

    def take_over(self, path):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            self.done, self.tasks = kept["done"], kept["tasks"]
            self.idle.update(kept["idle"])
            self.waiting.update(kept["waiting"])


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    words.add_argument("--socket", required=True, help="/a/path or host:port")
    words.add_argument("--token-file", help="of TCP")
    words.add_argument("--leaf", action="append", required=True, help="a leaf that gets work")
    words.add_argument("--seconds", type=float, default=10.0)
    words.add_argument("--until", default="", metavar="COUNT=N",
                       help="in place of --seconds: until started=N, ended=N, killed=N or returned=N")
    words.add_argument("--every", type=float, default=0.1, help="seconds between arrivals")
    words.add_argument("--length", type=float, default=2.0, help="of the longest task, in seconds")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--file", help="what is kept for the next one")
    words.add_argument("--quiet", action="store_true")
    chosen = words.parse_args()

    def say(decision):
        if not chosen.quiet:
            print(json.dumps(decision), flush=True)

    token = None
    if chosen.token_file:
        with open(chosen.token_file, encoding="utf-8") as file:
            token = file.readline().strip()
    with allot.Service(chosen.socket, token) as service:
        manager = Manager(service, chosen.leaf, chosen.seed, chosen.length, say)
        if chosen.file:
            manager.take_over(chosen.file)
        what, _, count = chosen.until.partition("=")
        manager.run(chosen.seconds, chosen.every, what, int(count or 0))
        if chosen.file:
            manager.keep(chosen.file)
        print(json.dumps(manager.counts), file=sys.stderr)


if __name__ == "__main__":
    main()
