#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""What happens to a service in the world: one scenario, with real processes, in a folder.

    chaos.py SCENARIO ALLOT FOLDER [ROUNDS]

It is meant to be run as the first process of a PID namespace, so that whatever it starts ends with
it. It prints what it counted, as JSON; a promise that is broken is an AssertionError.
"""

import glob
import hashlib
import json
import os
import random
import resource
import socket
import sys
import time

from chaos_world import (
    Load, Watch, World, acknowledged, check_decisions, check_events, last_decision, moved, rows)

# ---- Scenarios ----------------------------------------------------------------------------------


def kill(world, rounds):
    """kill -9 in a loop, under load, and a new store every so often."""
    every, total = min(250, rounds), {"kills": rounds, "stores": 0}
    for first in range(0, rounds, every):
        for path in glob.glob(world.store + "*"):
            os.unlink(path)
        for name, count in kill_in_store(world, min(every, rounds - first), first).items():
            total[name] = total.get(name, 0) + count
        total["stores"] += 1
    return total


def kill_in_store(world, rounds, seed):
    """Half of the services live until they acknowledged something, and a little longer; half end at
    any moment from their start on, some before they listen or while they read the store."""
    chance, silent = random.Random(seed), 0
    world.start()
    loads, watch = [Load(world, seed) for seed in range(4)], Watch(world)
    for thread in [*loads, watch]:
        thread.start()
    for _ in range(rounds):
        before = acknowledged(loads)
        if chance.random() < 0.5:
            moved(loads, 1)
        time.sleep(chance.uniform(0.0, 0.15))
        world.kill()
        silent += acknowledged(loads) == before
        world.spawn("--snapshot", "100")
    moved(loads, 20)
    for load in loads:
        load.end()
    watch.end(last_decision(world))
    world.stop()
    return {
        "silent": silent,
        "acknowledged": acknowledged(loads),
        "events": check_events(world, loads),
        "decisions": check_decisions(world, watch),
        "replayed": world.replay()["cycles"],
    }


def trouble(world, fail, mend):
    """The store cannot be written for a while: what it says, and that nothing is lost."""
    world.start()
    load, watch = Load(world, 1), Watch(world)
    load.start()
    watch.start()
    moved([load], 20)
    fail()
    said, limit = None, time.monotonic() + 60
    while said is None:
        assert time.monotonic() < limit, "that the store fails is not noticed"
        time.sleep(0.2)
        with world.service() as service:
            said = service.call("status")["store"].get("error")
    before = len(load.acknowledged)
    time.sleep(1.0)
    during = len(load.acknowledged) - before
    world.is_up()
    mend()
    moved([load], 20)
    load.end()
    with world.service() as service:
        assert service.call("status")["store"].get("error") is None
    watch.end(last_decision(world))
    world.stop()
    assert during == 0, f"{during} events were acknowledged while the store failed"
    return {
        "trouble": said,
        "events": check_events(world, [load]),
        "decisions": check_decisions(world, watch),
        "replayed": world.replay()["cycles"],
    }


def disk_full(world, _):
    """The store's folder, a small tmpfs, is full for a while."""
    filler = os.path.dirname(world.store) + "/filler"

    def fill():
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    return trouble(world, fill, lambda: os.unlink(filler))


def disk_fails(world, _):
    """The store's files may not grow for a while, as on a disk with errors."""
    def limit(size):
        resource.prlimit(world.child.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return trouble(world, lambda: limit(4096), lambda: limit(resource.RLIM_INFINITY))


def deaf(world, count):
    """Clients that subscribe, ask without end, and read nothing."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    world.start()
    load = Load(world, 1)
    load.start()
    moved([load], 20)
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
        moved([load], 20)
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
                peer.settimeout(60)
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
        peer.settimeout(60)
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
    last = hashlib.sha256((GOOD % (rounds, 1 + rounds % 2)).encode()).hexdigest()
    limit = time.monotonic() + 60
    while rows(world, "SELECT policy FROM cycles ORDER BY cycle DESC LIMIT 1") != [(last,)]:
        assert time.monotonic() < limit, "the last policy never decides"
        time.sleep(0.1)
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
    scenarios = {"kill": kill, "disk_full": disk_full, "disk_fails": disk_fails, "deaf": deaf,
                 "garbage": garbage, "torn": torn}
    print(json.dumps(scenarios[scenario](world, count)))


if __name__ == "__main__":
    main()
