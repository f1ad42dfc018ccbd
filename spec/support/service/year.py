#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A service that runs for a year, in accelerated time: does it stay within its bounds?

    year.py run ALLOT FOLDER [--days N] [--rate EVENTS/S] [--keep BOUNDS] [--samples N] [...]
    year.py draw CURVE PICTURE.svg

`run` starts the real service with a clock that this program sets (year_clock.c), sends events in
batches, and after each batch sets the clock to when the next one is due at that rate. The timers
of the loop stay real, so deletion of old rows and snapshots compete with more events a second than
in a year of real time. To play a year of 100 events/s whole would take days; played at a share of
that rate with the same share of the size bound, the store is filled and emptied just as often.

Every event is acknowledged. Tasks and sessions have new ids all the time, keys are new, plan and
policy change every day, a subscriber reads on, connections come and go, /metrics is asked. At the
end the service is killed and started once more, and replay must agree. FOLDER/curve.jsonl has a
line a sample; the last line of the output is a summary, as JSON. `draw` makes the picture, with
gnuplot.
"""

import argparse
import json
import mmap
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

from chaos_world import World, last_decision

HERE = os.path.dirname(os.path.abspath(__file__))
POLICY = HERE + "/../../../policies/hybrid.lua"
DAY, BEGIN = 86400, 1767225600  # 1 January 2026
MIB = 1 << 20


# ---- The clock ----------------------------------------------------------------------------------


class Clock:
    """The service's time, set here."""

    def __init__(self, folder):
        self.path, self.library = folder + "/clock", folder + "/year_clock.so"
        with open(self.path, "wb") as file:
            file.write(bytes(8))
        with open(self.path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 8)
        self.set(BEGIN)
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", self.library,
                        HERE + "/year_clock.c"], check=True)

    def set(self, now):
        self.now = now
        self.bytes[:] = struct.pack("=q", int(now))

    def environment(self):
        return {"LD_PRELOAD": self.library, "CLOCK_FILE": self.path}


# ---- Events -------------------------------------------------------------------------------------


def plan_of(slots):
    """Branches with leaves: those of the first have tasks, those of the second sessions, too."""
    branches = [
        {"name": f"b{i}", "children": [{"name": f"l{k}", "owned": 2} for k in range(20)]}
        for i in range(10)
    ]
    return {"version": 1, "slots": slots, "policy": "ours.lua", "consumers": branches}


class Events:
    """Lines for the service, the same ones for the same seed. Ids and keys are always new."""

    def __init__(self, seed):
        self.random, self.number = random.Random(seed), 0
        self.tasks, self.sessions = [], []

    def line(self, method, **params):
        self.number += 1
        if self.number % 4 == 0:
            params["key"] = f"k{self.number}"
        return json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                           "params": params}, separators=(",", ":"))

    def one(self):
        kind, leaf = self.random.random(), self.random.randrange(20)
        if kind < 0.12 and len(self.tasks) < 60:
            name = f"task-{self.number}"
            self.tasks.append(name)
            return self.line("start", id=name, consumer=f"/b0/l{leaf}", adopt=True)
        if kind < 0.24 and self.tasks:
            name = self.tasks.pop(self.random.randrange(len(self.tasks)))
            return self.line("finish", id=name, done=True)
        if kind < 0.28 and len(self.sessions) < 30:
            name = f"session-{self.number}"
            self.sessions.append(name)
            return self.line("session", id=name, consumer=f"/b1/l{leaf}")
        if kind < 0.32 and self.sessions:
            return self.line("session_end", id=self.sessions.pop(0))
        path = f"/b{2 + self.random.randrange(8)}/l{leaf}"
        if kind < 0.75:
            return self.line("demand", consumer=path, slots=self.random.randint(0, 6))
        return self.line("allocated", consumer=path, slots=0)

    def batch(self, lines, count):
        lines += [self.one() for _ in range(count - len(lines))]
        return ("\n".join(lines) + "\n").encode(), len(lines)


class Peer:
    """A connection that sends many lines and reads as many answers."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(120)
        self.socket.connect(path)

    def send(self, lines, count):
        self.socket.sendall(lines)
        answers = b""
        while answers.count(b"\n") < count:
            part = self.socket.recv(1 << 20)
            assert part, "the service closed the connection"
            answers += part
        return [line for line in answers.split(b"\n") if b'"error"' in line]


class Reader(threading.Thread):
    """A subscriber: lists what is to be given back, beside tasks, which end by themselves."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.peer, self.decisions, self.reclaims = Peer(path), 0, []
        self.peer.socket.settimeout(None)
        self.start()

    def run(self):
        self.peer.socket.sendall(b'{"jsonrpc":"2.0","id":0,"method":"subscribe"}\n')
        for line in self.peer.socket.makefile("rb"):
            told = json.loads(line)
            if told.get("method") == "decision":
                self.decisions += 1
                self.reclaims += [it for it in told["params"]["reclaims"] if not it.get("tasks")]

    def returned(self, events):
        """The events by which that comes back."""
        due, self.reclaims = self.reclaims, []
        return [events.line("returned", reclaim=it["id"], slots=it["slots"]) for it in due]


# ---- The year -----------------------------------------------------------------------------------


def size_of(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


class Year:
    def __init__(self, options):
        self.options, self.folder = options, os.path.abspath(options.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.clock = Clock(self.folder)
        self.world = World(options.allot, self.folder, store=options.store)
        self.world.environment.update(self.clock.environment())
        checked = self.world.environment["ASAN_OPTIONS"]
        self.world.environment["ASAN_OPTIONS"] = checked + ":verify_asan_link_order=0"
        self.events, self.refused, self.days = Events(options.seed), 0, 0
        self.curve = open(self.folder + "/curve.jsonl", "w", encoding="utf-8")
        self.samples, self.began = [], time.monotonic()

    def write_plan(self):
        """Another plan and another policy, never seen before."""
        with open(POLICY, encoding="utf-8") as file:
            text = file.read()
        with open(self.folder + "/ours.lua", "w", encoding="utf-8") as file:
            file.write(f"{text}-- {self.days}\n")
        with open(self.world.plan, "w", encoding="utf-8") as file:
            json.dump(plan_of(400 + self.days % 7), file)

    def start(self):
        self.world.start("--keep", self.options.keep, "--snapshot", str(self.options.snapshot),
                         "--http", "127.0.0.1:0", "--no-watch", "--log-level", "info",
                         "--debounce", str(self.options.debounce))
        port = re.findall(r"live view.* port=(\d+)", self.world.tail())[-1]
        self.metrics = f"http://127.0.0.1:{port}/metrics"

    def call(self, method, **params):
        with self.world.service() as service:
            return service.call(method, **params)

    # What is measured.

    def rows(self):
        tables = ("events", "cycles", "snapshots", "plans", "policies", "versions")
        if self.options.store:
            return {}
        return {it: self.world.rows(f"SELECT count(*) FROM {it}")[0][0] for it in tables}

    def sample(self):
        pid, status = self.world.child.pid, self.call("status")
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            stat = file.read().rpartition(")")[2].split()
        store = status["store"]
        it = {
            "day": round((self.clock.now - BEGIN) / DAY, 3),
            "event": status["event"],
            "memory": self.world.memory(),
            "file": size_of(self.world.store) or store["bytes"],
            "log": size_of(self.world.store + "-wal"),
            "files": len(os.listdir(f"/proc/{pid}/fd")),
            "cpu": (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"),
            "seconds": round(time.monotonic() - self.began, 2),
            "slowest": store["slowest_us"],
            "unused": store["unused_bytes"],
            **self.rows(),
        }
        self.samples.append(it)
        self.curve.write(json.dumps(it) + "\n")
        self.curve.flush()

    # What happens.

    def day(self):
        """A new plan and policy, twenty connections, and a look at /metrics."""
        self.days += 1
        self.write_plan()
        self.call("reload")
        for _ in range(20):
            Peer(self.world.socket).send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', 1)
        urllib.request.urlopen(self.metrics, timeout=60).read()

    def run(self):
        options = self.options
        self.write_plan()
        self.start()
        peer, reader = Peer(self.world.socket), Reader(self.world.socket)
        end, look = BEGIN + options.days * DAY, BEGIN
        while self.clock.now < end:
            lines, sent = self.events.batch(reader.returned(self.events), options.batch)
            self.refused += len(peer.send(lines, sent))
            self.clock.set(self.clock.now + sent / options.rate)
            if self.clock.now - BEGIN >= (self.days + 1) * DAY:
                self.day()
            if self.clock.now >= look:
                self.sample()
                look += options.days * DAY / options.samples
        self.sample()
        assert reader.is_alive() and reader.decisions > 0, "the subscriber was cut off"
        return self.finish()

    def finish(self):
        """Killed and started again, the service goes on where it was, and replay agrees."""
        before = last_decision(self.world)
        self.world.kill()
        self.start()
        after = self.call("status")["decision"]
        assert after >= before, f"decision {before} is lost: {after}"
        self.world.stop()
        return self.summary(self.world.replay()["cycles"])

    def summary(self, replayed):
        """The second half of the year must not differ from the first, warmed up."""
        last = self.samples[-1]
        early = self.samples[len(self.samples) // 4: len(self.samples) // 2]
        late = self.samples[len(self.samples) // 2:]
        def most(of, samples):
            return max(it[of] for it in samples)
        return {
            "days": last["day"], "events": last["event"], "refused": self.refused,
            "replayed": replayed, "seconds": last["seconds"], "cpu": last["cpu"],
            "most": {of: [most(of, early), most(of, late)]
                     for of in ("memory", "file", "log", "files", "events", "cycles", "plans",
                                "policies", "versions", "snapshots") if of in last},
        }


# ---- The picture --------------------------------------------------------------------------------

PANELS = [
    ("memory, MiB", [("memory", "resident memory of the service", MIB)]),
    ("files, MiB", [("file", "file of the store", MIB), ("log", "log of SQLite beside it", MIB)]),
    ("open files", [("files", "open files", 1)]),
    ("CPU, us per event", [("each", "processor time of an event and its share of cycles", 1)]),
]
COLORS = ["#332288", "#cc6677"]


def draw(curve, picture):
    """Four curves over the days, by gnuplot. Values of CPU are between one sample and the next."""
    with open(curve, encoding="utf-8") as file:
        samples = [json.loads(line) for line in file]
    for before, it in zip(samples, samples[1:]):
        if it["event"] > before["event"]:
            it["each"] = (it["cpu"] - before["cpu"]) * 1e6 / (it["event"] - before["event"])
    samples = [it for it in samples if it.get("each", 0) > 0]
    out = ["set terminal svg size 760,640 noenhanced font 'sans-serif,12' background '#ffffff'",
           f"set output '{picture}'",
           f"set multiplot layout {len(PANELS)},1 margins 0.09,0.97,0.09,0.97 spacing 0.05",
           f"set xrange [0:{samples[-1]['day']}]", "set border 3 lc rgb '#444444'",
           "set xtics nomirror out scale 0.6", "set ytics nomirror out scale 0.6",
           "set key bottom right reverse Left samplen 2"]
    for panel, (title, lines) in enumerate(PANELS):
        most = max(it[of] / unit for it in samples for of, _, unit in lines)
        out.append(f"set ylabel '{title}' offset 1,0\nset yrange [0:{most * 1.15:.6g}]")
        if panel == len(PANELS) - 1:
            out.append("set xlabel 'days'")
        for i, (of, _, unit) in enumerate(lines):
            rows = "\n".join(f"{it['day']} {it[of] / unit:.6g}" for it in samples)
            out.append(f"$data_{panel}_{i} << END\n{rows}\nEND")
        out.append("plot " + ", ".join(
            f"$data_{panel}_{i} with lines lw 1.2 lc rgb '{COLORS[i]}' title '{name}'"
            for i, (_, name, _) in enumerate(lines)))
    subprocess.run(["gnuplot"], input="\n".join(out) + "\nunset multiplot\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run")
    run.add_argument("allot")
    run.add_argument("folder")
    run.add_argument("--days", type=float, default=365)
    run.add_argument("--rate", type=float, default=0.4)
    run.add_argument("--keep", default="7d,8M")
    run.add_argument("--store", default=None)
    run.add_argument("--snapshot", type=int, default=200000)
    run.add_argument("--debounce", type=int, default=10)
    run.add_argument("--batch", type=int, default=200)
    run.add_argument("--samples", type=int, default=400)
    run.add_argument("--seed", type=int, default=1)
    picture = verbs.add_parser("draw")
    picture.add_argument("curve")
    picture.add_argument("picture")
    options = parser.parse_args()
    if options.verb == "draw":
        draw(options.curve, options.picture)
    else:
        print(json.dumps(Year(options).run()))


if __name__ == "__main__":
    main()
