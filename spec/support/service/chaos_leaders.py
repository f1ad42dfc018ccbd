#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Two services with one store in PostgreSQL, whose leader is killed or stopped, whose database is
killed, or both, among four clients with keys and a subscriber.

    chaos_leaders.py ALLOT FOLDER PGBIN ROUNDS

It is meant to be run as the first process of a PID namespace, so that whatever it starts ends with
it. It prints what it counted, as JSON; a promise that is broken is an AssertionError.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from chaos_world import Load, Watch, World, check_decisions, check_events, last_decision, moved

LEASE = 3000
NOBODY = 65534  # initdb refuses root


class Database:
    """A server in a folder, on a socket."""

    def __init__(self, folder, binaries):
        self.folder, self.binaries = folder + "/pg", binaries
        self.data = self.folder + "/data"
        self.url = "postgresql:///postgres?user=allot&host=" + self.folder
        os.mkdir(self.folder)
        os.chmod(folder, 0o755)
        self.user = None
        if os.geteuid() == 0:
            self.user = NOBODY
            shutil.chown(self.folder, NOBODY, NOBODY)
        self.run("initdb", "-D", self.data, "-N", "-A", "trust", "-U", "allot", "-E", "UTF8",
                 "--locale=C.UTF-8")
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"listen_addresses = ''\nfsync = off\n"
                       f"unix_socket_directories = '{self.folder}'\n")

    def run(self, program, *words):
        return subprocess.run([f"{self.binaries}/{program}", *words], cwd="/", user=self.user,
                              group=self.user, extra_groups=[] if self.user else None,
                              capture_output=True, text=True, check=True).stdout

    def start(self):
        """One that was killed leaves processes for a moment, which keep its memory."""
        limit = time.monotonic() + 60
        while True:
            try:
                self.run("pg_ctl", "-D", self.data, "-l", self.folder + "/log", "-w", "start")
                return
            except subprocess.CalledProcessError:
                assert time.monotonic() < limit, "PostgreSQL does not start"
                time.sleep(0.05)

    def kill(self, hard):
        """Its first process alone, or all at once."""
        if not hard:
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
            return
        with open(self.data + "/postmaster.pid", encoding="utf-8") as file:
            pid = int(file.readline())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)  # to the namespace's first process, it is a child

    def rows(self, sql):
        out = self.run("psql", "-qAtX", "-h", self.folder, "-U", "allot", "-d", "postgres", "-c",
                       "SET search_path = allot", "-c",
                       f"SELECT coalesce(json_agg(row_to_json(q)), '[]') FROM ({sql}) AS q")
        return [tuple(row.values()) for row in json.loads(out)]


class Leaders:
    """As a World: both services."""

    def __init__(self, command, folder, database):
        self.database = database
        self.worlds = []
        for name in "ab":
            os.mkdir(f"{folder}/{name}")
            self.worlds.append(World(command, f"{folder}/{name}", store=database.url))
        self.addresses = ",".join(world.socket for world in self.worlds)

    def service(self, **more):
        """With little patience for one that says nothing: it may be stopped."""
        service = self.worlds[0].service(timeout=1.0, patience=more.get("patience", 60.0))
        service.addresses, service.most_pause = self.addresses.split(","), 0.1
        return service

    def rows(self, sql):
        return self.database.rows(sql)

    def start(self, world):
        world.start("--lease", str(LEASE), "--keep", "100000000")

    def leader(self):
        limit = time.monotonic() + 60
        while True:
            for world in self.worlds:
                try:
                    with world.service(timeout=5.0) as service:
                        if service.call("status")["role"] == "leading":
                            return world
                except OSError:
                    pass
            assert time.monotonic() < limit, "nobody leads: " + self.worlds[0].tail()
            time.sleep(0.01)

    def revive(self):
        """Starts what ended, and waits until one leads and the other has read what it wrote."""
        for world in self.worlds:
            if world.child is None or world.child.poll() is not None:
                self.start(world)
        limit = time.monotonic() + 60
        while sorted(map(role_of, self.worlds)) != ["following", "leading"]:
            assert time.monotonic() < limit, "nobody stands by: " + self.worlds[0].tail()
            time.sleep(0.02)


def role_of(world):
    try:
        with world.service(timeout=5.0) as service:
            status = service.call("status")
            return status["role"] if status.get("behind", 0) < 1000 else "behind"
    except OSError:
        return "away"


def harm(leaders, kind, chance):
    """Does it; when it was done."""
    database, leader = leaders.database, leaders.leader()
    hard = chance.random() < 0.5
    at = time.monotonic()
    if kind in ("kill", "both"):
        leader.kill()
    if kind in ("database", "both"):
        database.kill(hard)
        at = time.monotonic()
        database.start()
    if kind == "stop":
        leader.child.send_signal(signal.SIGSTOP)
    return at, leader


def times_of(loads, epochs, harms):
    """Seconds until the next leader acknowledged something, by kind of harm."""
    acks = sorted(it for load in loads for it in load.times)
    found = {}
    for kind, at, epoch in harms:
        first = next((when for when, seq in acks if when > at and epochs[seq] > epoch), None)
        if first is not None:
            found.setdefault(kind, []).append(round(first - at, 3))
    return {
        kind: {"times": len(all_), "median": sorted(all_)[len(all_) // 2], "worst": max(all_)}
        for kind, all_ in found.items()
    }


def main(command, folder, binaries, rounds):
    chance = random.Random(11)
    leaders = Leaders(command, folder, Database(folder, binaries))
    leaders.database.start()
    leaders.revive()
    loads, watch = [Load(leaders, seed) for seed in range(4)], Watch(leaders)
    for thread in [*loads, watch]:
        thread.start()
    harms = []
    for i in range(rounds):
        moved(loads, chance.randint(2, 60))
        kind = ("kill", "kill", "database", "both", "kill", "stop")[i % 6]
        epoch = leaders.rows("SELECT epoch FROM lead")[0][0]
        at, leader = harm(leaders, kind, chance)
        harms.append((kind, at, epoch))
        moved(loads, 5)
        if kind == "stop":
            leader.child.send_signal(signal.SIGCONT)
        leaders.revive()
    moved(loads, 60)
    for load in loads:
        load.end()
    watch.end(last_decision(leaders.leader()))
    for world in leaders.worlds:
        world.stop()
    events, decisions = check_events(leaders, loads), check_decisions(leaders, watch)
    epochs = dict(leaders.rows("SELECT seq, epoch FROM events"))
    order = [epochs[seq] for seq in sorted(epochs)]
    assert order == sorted(order), "a former leader wrote"
    return {
        "harms": rounds,
        "acknowledged": sum(len(load.acknowledged) for load in loads),
        "events": events,
        "decisions": decisions,
        "terms": leaders.rows("SELECT count(*) FROM terms")[0][0],
        "replayed": leaders.worlds[0].replay()["cycles"],
        "without_leader": times_of(loads, epochs, harms),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
