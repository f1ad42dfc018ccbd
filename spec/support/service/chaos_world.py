# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A service in a folder, clients that load and watch it, and what must hold afterwards: what was
acknowledged is on disk, once; decisions are told once, in order, as they stand there.

It is meant for the first process of a PID namespace, so that whatever it starts ends with it.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "examples", "clients"))
import allot  # noqa: E402

LEAVES = [f"/b{i}/l{k}" for i in range(10) for k in range(20)]


class World:
    """A folder with a plan, and the service that runs there."""

    def __init__(self, command, folder, policy="hybrid", store=None, **environment):
        self.command, self.folder = command, folder
        self.plan, self.socket = folder + "/plan.json", folder + "/sock"
        self.store = store or self.plan + ".db"
        self.log = open(folder + "/log", "ab")
        self.environment = {**os.environ, **environment}
        self.environment.pop("LD_PRELOAD", None)
        # A sanitized service keeps what it freed, the more the busier it is: no memory in use.
        checked = [self.environment.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]
        self.environment["ASAN_OPTIONS"] = ":".join(filter(None, checked))
        self.child = None
        with open(self.plan, "w", encoding="utf-8") as file:
            json.dump(plan_of(policy), file)

    def spawn(self, *words):
        self.child = subprocess.Popen(
            [self.command, "serve", self.plan, "--socket", self.socket, "--store", self.store]
            + list(words),
            stdout=self.log, stderr=self.log, env=self.environment,
        )

    def start(self, *words):
        self.spawn(*words)
        end = time.monotonic() + 60
        while True:
            assert self.child.poll() is None, "the service ended: " + self.tail()
            try:
                with self.service(patience=0.0) as service:
                    return service.call("ping")
            except OSError:
                assert time.monotonic() < end, "the service does not listen: " + self.tail()
                time.sleep(0.01)

    def tail(self):
        self.log.flush()
        with open(self.folder + "/log", encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        assert self.child.wait() == -signal.SIGKILL, "the service ended before: " + self.tail()

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(60) == 0, self.tail()

    def service(self, **more):
        service = allot.Service(self.socket, timeout=more.pop("timeout", 20.0), **more)
        service.most_pause = 0.1
        return service

    def memory(self):
        """Bytes in use."""
        with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def rows(self, sql):
        connection = sqlite3.connect(self.store)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def is_up(self):
        assert self.child.poll() is None, "the service ended: " + self.tail()
        with self.service() as service:
            service.call("ping")

    def replay(self):
        """Everything comes out as it was recorded."""
        done = subprocess.run(
            [self.command, "replay", self.store, "--plan", self.plan, "--format", "json"],
            capture_output=True, text=True, env=self.environment, check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(done.stdout)


def plan_of(policy):
    branches = [
        {"name": f"b{i}", "children": [{"name": f"l{k}", "owned": 2} for k in range(20)]}
        for i in range(10)
    ]
    return {"version": 1, "slots": 400, "policy": policy, "consumers": branches}


class Load(threading.Thread):
    """Demands and gives back at random, each with a key, until it is told to end."""

    def __init__(self, world, seed, pause=0.0):
        super().__init__(daemon=True)
        self.world, self.random, self.seed = world, random.Random(seed), seed
        self.acknowledged, self.failure, self.over = {}, None, threading.Event()
        self.times = []  # of acknowledgements
        self.pause = pause

    def run(self):
        try:
            with self.world.service(timeout=60.0, patience=60.0) as service:
                while not self.over.is_set():
                    key = f"{self.seed}-{len(self.acknowledged)}"
                    leaf, slots = self.random.choice(LEAVES), self.random.randint(0, 6)
                    if self.random.random() < 0.2:  # it is idle, so that others can have it
                        told = service.send("allocated", consumer=leaf, slots=0, key=key)
                    else:
                        told = service.send("demand", consumer=leaf, slots=slots, key=key)
                    self.acknowledged[key] = told["seq"]
                    self.times.append(time.monotonic())
                    time.sleep(self.pause)
        except BaseException as failure:  # told by `end`
            self.failure = failure

    def end(self):
        self.over.set()
        self.join(90)
        assert not self.is_alive(), "a client waits for ever"
        if self.failure is not None:
            raise self.failure


class Watch(threading.Thread):
    """A subscriber that goes on from what it had."""

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world, self.told, self.failure = world, [], None
        self.names = set()  # of the stores and epochs that told
        self.over = threading.Event()

    def run(self):
        try:
            decisions = self.world.service(patience=60.0).subscribe(since=1)
            while not self.over.is_set():
                decision = decisions.poll(0.1)
                if decision is not None:
                    self.told.append(decision)
                    self.names.add(decisions.name)
        except BaseException as failure:
            self.failure = failure

    def end(self, until):
        """Waits for that decision to be told."""
        limit = time.monotonic() + 60
        while self.failure is None and (not self.told or self.told[-1]["seq"] < until):
            assert time.monotonic() < limit, "decisions are missing"
            time.sleep(0.05)
        self.over.set()
        self.join(90)
        if self.failure is not None:
            raise self.failure


def acknowledged(loads):
    return sum(len(load.acknowledged) for load in loads)


def moved(loads, count):
    """Waits until so many more events are acknowledged, and none of the clients has failed."""
    wanted, limit = acknowledged(loads) + count, time.monotonic() + 60
    while acknowledged(loads) < wanted and not any(load.failure for load in loads):
        assert time.monotonic() < limit, "nothing is acknowledged any more"
        time.sleep(0.002)


def rows(world, sql):
    return world.rows(sql)


def check_events(world, loads):
    """What was acknowledged is on disk, once, with the number that was told; nothing is skipped."""
    events = rows(world, "SELECT seq, idem FROM events ORDER BY seq")
    assert [seq for seq, _ in events] == list(range(1, len(events) + 1)), "events are skipped"
    by_key = {key: seq for seq, key in events if key is not None}
    assert len(by_key) == sum(key is not None for _, key in events), "a key is there twice"
    for load in loads:
        for key, seq in load.acknowledged.items():
            assert by_key.get(key) == seq, f"event {key} was {seq}, and is {by_key.get(key)}"
    return len(events)


def check_decisions(world, watch):
    """Decisions were told once, in order, none left out, as they stand on disk."""
    told = watch.told
    assert [it["seq"] for it in told] == list(range(1, len(told) + 1)), "decisions are skipped"
    stored = rows(
        world, "SELECT seq, decision FROM cycles WHERE decision IS NOT NULL ORDER BY seq"
    )
    assert [seq for seq, _ in stored] == list(range(1, len(stored) + 1)), "decisions are repeated"
    for it, (_, text) in zip(told, stored):
        assert it == json.loads(text), f"decision {it['seq']} was told otherwise"
    return len(stored)


def last_decision(world):
    with world.service() as service:
        service.call("cycle")
        return service.call("status")["decision"]
