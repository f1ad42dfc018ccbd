#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""What happens to a service in the world: one scenario, with real processes, in a folder.

    chaos.py SCENARIO ALLOT FOLDER [ROUNDS]

It is meant to be run as the first process of a PID namespace, so that whatever it starts ends with
it. It prints what it counted, as JSON; a promise that is broken is an AssertionError.
"""

import json
import os
import random
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "examples", "clients"))
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
        self.child = None
        with open(self.plan, "w", encoding="utf-8") as file:
            json.dump(plan_of(policy), file)

    def start(self, *words):
        self.child = subprocess.Popen(
            [self.command, "serve", self.plan, "--socket", self.socket, "--store", self.store]
            + list(words),
            stdout=self.log, stderr=self.log, env=self.environment,
        )
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
        self.child.wait()

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(60) == 0, self.tail()

    def service(self, **more):
        return allot.Service(self.socket, timeout=more.pop("timeout", 20.0), **more)

    def memory(self):
        """Bytes in use."""
        with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

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
    """Demands at random, each with a key, until it is told to end."""

    def __init__(self, world, seed):
        super().__init__(daemon=True)
        self.world, self.random, self.seed = world, random.Random(seed), seed
        self.acknowledged, self.failure, self.over = {}, None, threading.Event()

    def run(self):
        try:
            with self.world.service(timeout=5.0, patience=60.0) as service:
                while not self.over.is_set():
                    key = f"{self.seed}-{len(self.acknowledged)}"
                    leaf, slots = self.random.choice(LEAVES), self.random.randint(0, 6)
                    told = service.send("demand", consumer=leaf, slots=slots, key=key)
                    self.acknowledged[key] = told["seq"]
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
        self.over = threading.Event()

    def run(self):
        try:
            decisions = self.world.service(patience=60.0).subscribe(since=1)
            while not self.over.is_set():
                decision = decisions.poll(0.1)
                if decision is not None:
                    self.told.append(decision)
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


def rows(world, sql):
    connection = sqlite3.connect(world.store)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


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


# ---- Scenarios ----------------------------------------------------------------------------------


def kill(world, rounds):
    """kill -9 in a loop, under load."""
    chance = random.Random(7)
    world.start()
    loads, watch = [Load(world, seed) for seed in range(4)], Watch(world)
    for thread in [*loads, watch]:
        thread.start()
    for _ in range(rounds):
        time.sleep(chance.uniform(0.01, 0.12))
        world.kill()
        world.start()
    time.sleep(0.2)
    for load in loads:
        load.end()
    watch.end(last_decision(world))
    world.stop()
    return {
        "kills": rounds,
        "acknowledged": sum(len(load.acknowledged) for load in loads),
        "events": check_events(world, loads),
        "decisions": check_decisions(world, watch),
        "replayed": world.replay()["cycles"],
    }


def disk_full(world, _):
    """The store's folder, a small tmpfs, is full for a while."""
    filler = os.path.dirname(world.store) + "/filler"
    world.start()
    load, watch = Load(world, 1), Watch(world)
    load.start()
    watch.start()
    time.sleep(0.5)
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    before, limit, trouble = -1, time.monotonic() + 60, None
    while trouble is None:
        assert time.monotonic() < limit, "a full disk is not noticed"
        time.sleep(0.3)
        with world.service() as service:
            trouble = service.call("status")["store"].get("error")
    before = len(load.acknowledged)
    time.sleep(1.0)
    during = len(load.acknowledged) - before
    world.is_up()
    os.unlink(filler)
    limit = time.monotonic() + 60
    while len(load.acknowledged) < before + during + 20:
        assert time.monotonic() < limit, "the service does not recover"
        time.sleep(0.1)
    load.end()
    with world.service() as service:
        assert service.call("status")["store"].get("error") is None
    watch.end(last_decision(world))
    world.stop()
    assert during == 0, f"{during} events were acknowledged while the disk was full"
    return {
        "trouble": trouble,
        "events": check_events(world, [load]),
        "decisions": check_decisions(world, watch),
        "replayed": world.replay()["cycles"],
    }


def deaf(world, count):
    """Clients that subscribe, ask without end, and read nothing."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    world.start()
    load = Load(world, 1)
    load.start()
    time.sleep(0.5)
    before, peers = world.memory(), []
    ask = b'{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"from":1}}\n'
    ask += b'{"jsonrpc":"2.0","id":2,"method":"status"}\n' * 2000
    for _ in range(count):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(world.socket)
        peer.setblocking(False)
        peers.append(peer)
    for _ in range(5):
        for peer in peers:
            try:
                peer.send(ask)
            except BlockingIOError:
                pass
        done, began = len(load.acknowledged), time.monotonic()
        while len(load.acknowledged) < done + 20:
            assert time.monotonic() < began + 20, "who reads is not served"
            time.sleep(0.01)
    grown = world.memory() - before
    for peer in peers:
        peer.close()
    load.end()
    world.is_up()
    world.stop()
    check_events(world, [load])
    return {"clients": count, "grown": grown, "acknowledged": len(load.acknowledged)}


GARBAGE = [
    b"\n", b"{}\n", b"[]\n", b"nonsense\n", b"\xff\xfe\x00\x80\n", b'{"jsonrpc":"2.0"}\n',
    b'{"jsonrpc":"1.0","id":1,"method":"status"}\n', b'[1,2,{"a":[]}]\n', b'"\\ud800"\n',
    b'{"jsonrpc":"2.0","id":1,"method":"demand","params":{"consumer":"/nobody","slots":1}}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"demand","params":{"consumer":7,"slots":"x"}}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"demand","params":[1e999,-0,1e-400]}\n',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', b"[" * 100000 + b"\n", b'{"a":' * 50000 + b"\n",
    b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 500000 + b'"}\n', b"\x00" * 1000 + b"\n",
    b"[" + b",".join([b"1"] * 20000) + b"]\n",
]


def garbage(world, rounds):
    """What is no request; and a line of a gigabyte."""
    chance = random.Random(3)
    world.start()
    load = Load(world, 1)
    load.start()
    errors = 0
    for _ in range(rounds):
        for text in [*GARBAGE, chance.randbytes(chance.randint(1, 60000)) + b"\n"]:
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(20)
                peer.connect(world.socket)
                try:
                    peer.sendall(text)
                    peer.shutdown(socket.SHUT_WR)
                    while piece := peer.recv(65536):
                        errors += piece.count(b'"error"')
                except (BrokenPipeError, ConnectionResetError):
                    pass
    before = world.memory()
    sent, answer = gigabyte(world)
    grown = world.memory() - before
    world.is_up()
    load.end()
    world.stop()
    check_events(world, [load])
    return {"errors": errors, "sent": sent, "answer": answer.decode(), "grown": grown,
            "acknowledged": len(load.acknowledged)}


def gigabyte(world):
    """Sends as much as is taken; how much that was, and what was answered."""
    piece, sent, answer = b"x" * (1 << 20), 0, b""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(20)
        peer.connect(world.socket)
        try:
            while sent < 1 << 30:
                sent += peer.send(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            while part := peer.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
    return sent, answer


GOOD = """return policy {
  name = "torn%d",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = %d },
  },
}
"""


def torn(world, rounds):
    """A policy that is written in pieces, beside which the last good one decides."""
    path, chance = world.folder + "/torn.lua", random.Random(5)
    with open(path, "w", encoding="utf-8") as file:
        file.write(GOOD % (0, 1))
    world.start()
    load, watch = Load(world, 1), Watch(world)
    load.start()
    watch.start()
    for i in range(1, rounds + 1):
        text = GOOD % (i, 1 + i % 2)
        cut = chance.randint(1, len(text) - 1)
        with open(path, "w", encoding="utf-8", buffering=1) as file:
            file.write(text[:cut])
            file.flush()
            time.sleep(chance.uniform(0.0, 0.4))
            file.write(text[cut:])
        time.sleep(chance.uniform(0.0, 0.2))
    time.sleep(1.5)
    load.end()
    watch.end(last_decision(world))
    world.is_up()
    world.stop()
    policies = rows(world, "SELECT count(DISTINCT policy) FROM cycles")[0][0]
    return {
        "rounds": rounds,
        "policies": policies,
        "events": check_events(world, [load]),
        "decisions": check_decisions(world, watch),
        "last": rows(world, "SELECT policy FROM cycles ORDER BY cycle DESC LIMIT 1")[0][0],
        "text": GOOD % (rounds, 1 + rounds % 2),
    }


def main():
    scenario, command, folder = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    command = os.path.abspath(command)
    store = folder + "/disk/store.db" if scenario == "disk_full" else None
    world = World(command, folder, "torn.lua" if scenario == "torn" else "hybrid", store)
    scenarios = {"kill": kill, "disk_full": disk_full, "deaf": deaf, "garbage": garbage,
                 "torn": torn}
    print(json.dumps(scenarios[scenario](world, count)))


if __name__ == "__main__":
    main()
