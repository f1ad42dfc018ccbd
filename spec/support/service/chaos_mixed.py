#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""kill -9 while everything happens: tasks, sessions, hosts, reclaims, jobs, loans, plans; and in the
middle of calls of `sync`, by which a manager tells the whole of what is its own.

    chaos_mixed.py KIND ALLOT FOLDER ROUNDS [SEED]

KIND: leaves, loans, queues. All is recomputed byte by byte, from the first event and from snapshots
in the middle.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time

import chaos_world as chaos
from chaos_world import allot

LEAVES = ["/a/x", "/a/y", "/b", "/c/x", "/c/y", "/d"]


def plan_of(kind, turn):
    """The plan as it is after so many edits."""
    if kind == "queues":
        return {
            "version": 1, "policy": "preemption",
            "hosts": {f"h{i}": {"slots": 4} for i in range(4)},
            "queues": [
                {"name": "low", "priority": 1 + turn, "preemptable": True},
                {"name": "mid", "priority": 20, "preemptive": ["low"], "preemptable": True},
                {"name": "high", "priority": 50, "preemptive": True, "ujob_limit": 3 + turn % 3},
            ],
        }
    extra = {"lend": True, "borrow": True} if kind == "loans" else {}
    leaf = lambda name, owned: {"name": name, "owned": owned, "grace": 1, **extra}  # noqa: E731
    return {
        "version": 1, "slots": 40, "policy": "ownership" if kind == "loans" else "hybrid",
        "options": {"claim_delay": 1} if kind == "leaves" else {},
        "hosts": {f"h{i}": {"slots": 10} for i in range(4)},
        "consumers": [
            {"name": "a", "children": [leaf("x", 4 + turn % 3), leaf("y", 6)]},
            leaf("b", 10 - turn % 3),
            {"name": "c", "children": [leaf("x", 5), leaf("y", 5)]},
            leaf("d", 10), leaf("m", 2),
        ],
    }


class Mixed(chaos.Load):
    """Events of all kinds; those that are refused are right to be."""

    def __init__(self, world, seed, kind, watch):
        super().__init__(world, seed)
        self.kind, self.watch, self.refused = kind, watch, 0

    def leaf_event(self):
        """What may happen to leaves; ids are from a few, so that much is refused."""
        pick, leaf = self.random.choice, self.random.choice(LEAVES)
        task, session = f"t{self.random.randrange(40)}", f"s{self.random.randrange(6)}"
        one = self.random.randrange(12)
        if one < 3:
            return "demand", {"consumer": leaf, "slots": self.random.randrange(16)}
        if one < 6:
            params = {"id": task, "consumer": leaf, "host": f"h{self.random.randrange(5)}"}
            if self.random.random() < 0.3:
                params["session"] = session
            if self.random.random() < 0.2:
                params["slot"] = pick("12")
            return "start", params
        if one < 8:
            return "finish", {"id": task, "keep": self.random.random() < 0.3}
        if one == 8:
            return "release", {"consumer": leaf, "slots": 1}
        if one == 9:
            ended = self.random.random() < 0.4
            params = {"id": session} if ended else {"id": session, "consumer": leaf}
            return "session_end" if ended else "session", params
        if one == 10:
            return pick([
                ("host", {"name": f"h{self.random.randrange(5)}", "slots": 8,
                          "closed": pick([False, "drain", "reclaim"])}),
                ("host_gone", {"name": "h4"}), ("slots", {"slots": pick([30, 40])}),
            ])
        return "returned", {"reclaim": self.reclaim(), "slots": 1}

    def reclaim(self):
        ids = [it.get("id") for decision in self.watch.told[-5:] for it in decision["reclaims"]]
        return self.random.choice([it for it in ids if it] or ["r1.0"])

    def job_event(self):
        job, one = f"j{self.random.randrange(60)}", self.random.randrange(10)
        if one < 5:
            return "submit", {"id": job, "queue": self.random.choice(["low", "mid", "high"]),
                              "slots": self.random.randint(1, 5), "user": "u%d" % (one % 2)}
        if one < 8:
            return "finish", {"id": job}
        if one == 8:
            return self.random.choice(["stop", "cont", "withdraw"]), {"id": job}
        host = {"name": f"h{self.random.randrange(5)}"}
        if self.random.random() < 0.2:
            return "host_gone", host
        closed = self.random.choice([False, False, "drain", "reclaim"])
        return "host", {**host, "closed": closed, "slots": self.random.choice([2, 4, 4, 6])}

    def run(self):
        try:
            with self.world.service(timeout=60.0, patience=60.0) as service:
                count = 0
                while not self.over.is_set():
                    method, params = (
                        self.job_event() if self.kind == "queues" else self.leaf_event())
                    key = f"{self.seed}-{count}"
                    count += 1
                    try:
                        told = service.send(method, key=key, **params)
                        self.acknowledged[key] = told["seq"]
                    except allot.Error as error:
                        assert error.code != -32603, (method, params, error)
                        self.refused += 1
        except BaseException as failure:
            self.failure = failure


class Manager(chaos.Load):
    """Tells the whole truth of a source, again and again, a call with a key until it is answered;
    then the books have that: no less, no more."""

    def __init__(self, world, seed, kind):
        super().__init__(world, seed)
        self.kind, self.things, self.asks, self.calls = kind, {}, threading.Event(), 0

    def change(self):
        """What there is when it is told again: most of it is as before, some in other sizes."""
        pick = self.random.random
        for name in list(self.things):
            if pick() < 0.2:
                del self.things[name]
            elif pick() < 0.2:
                self.things[name]["priority"] = self.random.randint(1, 9)
        for _ in range(self.random.randint(0, 40)):
            name = f"m{self.random.randrange(300)}"
            if self.kind == "queues":
                self.things[name] = {"id": name, "queue": "low", "slots": 5}  # more than a host has
            else:
                self.things[name] = {"id": name, "consumer": "/m", "priority": 1}

    def params(self):
        if self.kind == "queues":
            return {"jobs": list(self.things.values())}
        tasks = [{"id": f"m{i}", "consumer": "/m", "slots": 1 + i % 2, "started": 1000 + i}
                 for i in range(self.random.randint(0, 6))]
        return {"sessions": list(self.things.values()), "tasks": tasks,
                "consumers": {"/m": {"demand": self.random.randint(0, 20)}}}

    def check(self, service, params):
        for name, rows in params.items():
            if name == "consumers":
                continue
            found, after = {}, None
            while True:
                page = service.insist(lambda: service.call(
                    name, limit=1000, **({"after": after} if after else {})))  # noqa: B023
                found.update((it["id"], it) for it in page[name] if it.get("source") == "manager")
                after = page.get("next")
                if not after:
                    break
            assert set(found) == {it["id"] for it in rows}, (name, sorted(found), rows)
            for it in rows:
                for key in "slots", "priority", "consumer", "queue":
                    assert found[it["id"]].get(key, 1) == it.get(key, 1), (found[it["id"]], it)

    def run(self):
        try:
            with self.world.service(timeout=60.0, patience=60.0) as service:
                while not self.over.is_set():
                    self.change()
                    key, params = f"truth-{self.calls}", self.params()
                    self.asks.set()
                    told = service.send("sync", key=key, source="manager", brief=True, **params)
                    self.asks.clear()
                    assert told["dropped"] == [], told["dropped"]
                    self.calls += 1
                    self.check(service, params)
        except BaseException as failure:
            self.failure = failure


def check_truths(world, manager):
    """Of each call there is one row with its key, behind its other events, and the calls are there
    in their order; the last one may have come to the disk and not been answered."""
    told = chaos.rows(
        world, "SELECT idem FROM events WHERE method = 'keep_sync' AND idem IS NOT NULL ORDER BY seq")
    names = [key for (key,) in told]
    assert names == [f"truth-{i}" for i in range(len(names))], names
    assert manager.calls <= len(names) <= manager.calls + 1, (manager.calls, len(names))


def kill(world, loads, manager, chance, in_call):
    """Behind some events; and, if so, while a call of `sync` waits for its answer."""
    chaos.moved(loads, chance.randint(15, 120))
    caught, limit = False, time.monotonic() + 60
    while in_call and not caught and manager.failure is None and time.monotonic() < limit:
        manager.asks.wait(1)
        time.sleep(chance.random() * 0.015)
        caught = manager.asks.is_set()
    world.kill()
    return caught


def edit(world, kind, turn):
    with open(world.plan + ".new", "w", encoding="utf-8") as file:
        json.dump(plan_of(kind, turn), file)
    os.replace(world.plan + ".new", world.plan)


def replay_from(world, first):
    """From the newest snapshot before that decision; how many cycles came out."""
    done = subprocess.run(
        [world.command, "replay", world.store, "--plan", world.plan, "--from", str(first),
         "--format", "json"],
        capture_output=True, text=True, env=world.environment, check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout)["cycles"]


def mixed(world, kind, rounds, seed):
    chance = random.Random(seed)
    world.start("--snapshot", "60")
    watch = chaos.Watch(world)
    loads = [Mixed(world, seed * 10 + i, kind, watch) for i in range(3)]
    manager, in_calls = Manager(world, seed, kind), 0
    for thread in [*loads, manager, watch]:
        thread.start()
    for turn in range(1, rounds + 1):
        if turn % 3 == 0:
            edit(world, kind, turn // 3)
        in_calls += kill(world, loads, manager, chance, turn % 2 == 0)
        world.start("--snapshot", str(chance.choice([1, 7, 60, 400])))
    chaos.moved(loads, 60)
    for load in [*loads, manager]:
        load.end()
    watch.end(chaos.last_decision(world))
    world.stop()
    decisions = chaos.check_decisions(world, watch)
    check_truths(world, manager)
    told = {
        "kills": rounds,
        "kills_in_calls": in_calls,
        "truths": manager.calls,
        "acknowledged": chaos.acknowledged(loads),
        "refused": sum(load.refused for load in loads),
        "events": chaos.check_events(world, loads),
        "decisions": decisions,
        "reclaims": sum(len(it["reclaims"]) for it in watch.told),
        "plans": chaos.rows(world, "SELECT count(DISTINCT plan) FROM cycles")[0][0],
        "replayed": world.replay()["cycles"],
    }
    for _ in range(3):
        replay_from(world, chance.randint(1, decisions))
    return told


def main():
    kind, command, folder = sys.argv[1:4]
    rounds, seed = int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1
    world = chaos.World(os.path.abspath(command), folder)
    edit(world, kind, 0)
    print(json.dumps(mixed(world, kind, rounds, seed)))


if __name__ == "__main__":
    main()
