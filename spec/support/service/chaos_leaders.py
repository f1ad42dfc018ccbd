#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Two services with one store in PostgreSQL, among four clients with keys and a subscriber. The
leader is killed, stopped, or cut off from its database; the database is killed; or both.

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

from chaos_world import (
    HERE, Load, Watch, World, acknowledged, check_decisions, check_events, last_decision, moved)

LEASE = 3000
KILLS = ("kill", "database", "both")
KINDS = ("kill", "database", "stop", "kill", "both", "kill", "hold", "database", "kill", "both",
         "deaf", "kill") + ("kill", "both", "kill", "database") * 3
NOBODY = 65534  # initdb refuses root
SOCKET = "/.s.PGSQL.5432"


class Database:
    """A server in a folder, on a socket."""

    def __init__(self, folder, binaries, *words, name="pg", fsync="off"):
        self.folder, self.binaries = f"{folder}/{name}", binaries
        self.data = self.folder + "/data"
        self.url = self.url_in(self.folder)
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(folder, 0o755)
        self.user, self.restarts = None, []
        if os.geteuid() == 0:
            self.user = NOBODY
            shutil.chown(self.folder, NOBODY, NOBODY)
        self.make(words, fsync)

    def make(self, words, fsync):
        self.run("initdb", "-D", self.data, "-N", "-A", "trust", "-U", "allot", "-E", "UTF8",
                 "--locale=C.UTF-8", *words)
        self.configure(listen_addresses="", fsync=fsync, unix_socket_directories=self.folder)

    def configure(self, **settings):
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            for name, value in settings.items():
                file.write(f"{name} = '{value}'\n")

    @staticmethod
    def url_in(folder):
        return "postgresql:///postgres?user=allot&host=" + folder

    def run(self, program, *words):
        return subprocess.run([f"{self.binaries}/{program}", *words], cwd="/", user=self.user,
                              group=self.user, extra_groups=[] if self.user else None,
                              capture_output=True, text=True, check=True).stdout

    def start(self):
        """One that was killed leaves processes for a moment, which keep its memory."""
        begun = time.monotonic()
        while True:
            try:
                self.run("pg_ctl", "-D", self.data, "-l", self.folder + "/log", "-w", "start")
                self.restarts.append(time.monotonic() - begun)
                return
            except subprocess.CalledProcessError:
                assert time.monotonic() < begun + 60, "PostgreSQL does not start"
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

    def processes(self):
        """The server's first one, and its children."""
        with open(self.data + "/postmaster.pid", encoding="utf-8") as file:
            first = int(file.readline())
        with open(f"/proc/{first}/task/{first}/children", encoding="utf-8") as file:
            return [first, *map(int, file.read().split())]

    def is_up(self):
        try:
            return self.run("pg_ctl", "-D", self.data, "status") != ""
        except subprocess.CalledProcessError:
            return False

    def ask(self, sql):
        return self.run("psql", "-qAtX", "-h", self.folder, "-U", "allot", "-d", "postgres", "-c",
                        "SET search_path = allot", "-c", sql)

    def rows(self, sql):
        out = self.ask(f"SELECT coalesce(json_agg(row_to_json(q)), '[]') FROM ({sql}) AS q")
        return [tuple(row.values()) for row in json.loads(out)]


class Network:
    """What a service reaches its database by."""

    def __init__(self, folder, database):
        self.url = database.url_in(folder)
        self.child = subprocess.Popen(
            [sys.executable, "-B", HERE + "/relay.py", folder + SOCKET, database.folder + SOCKET],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()

    def set(self, mode):
        self.child.stdin.write(mode + "\n")
        self.child.stdin.flush()
        self.child.stdout.readline()


class Leaders:
    """As a World: both services."""

    def __init__(self, command, folder, database, lease=LEASE, url=None):
        self.database, self.lease = database, lease
        self.worlds = []
        for name in "ab":
            os.mkdir(f"{folder}/{name}")
            network = url is None and Network(f"{folder}/{name}", database)
            self.worlds.append(World(command, f"{folder}/{name}", store=url or network.url))
            self.worlds[-1].network = network
        self.addresses = ",".join(world.socket for world in self.worlds)

    def service(self, **more):
        """With little patience for one that says nothing: it may be stopped."""
        service = self.worlds[0].service(timeout=1.0, patience=more.get("patience", 60.0))
        service.addresses, service.most_pause = self.addresses.split(","), 0.1
        return service

    def rows(self, sql):
        return self.database.rows(sql)

    def start(self, world):
        world.start("--lease", str(self.lease), "--keep", "100000000", "--snapshot", "2000")

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
    if kind in ("hold", "deaf"):
        leader.network.set(kind)
    return at, leader


def heal(kind, leader):
    """It was replaced, so it says nothing about the cluster: neither before nor afterwards."""
    if kind in ("hold", "deaf"):
        refuses(leader)
        leader.network.set("pass")
    if kind == "stop":
        leader.child.send_signal(signal.SIGCONT)
    if kind in ("hold", "deaf", "stop"):
        refuses(leader)


def refuses(leader):
    """Why: E-standby, or a connection that ends."""
    try:
        with leader.service(timeout=20.0) as service:
            told = service.call("state")
    except OSError as why:
        return str(why)
    raise AssertionError(f"a leader that was replaced says what there is: {told}")


def longest_pause(acks, at, until):
    """The longest time in which nothing was acknowledged."""
    within = [at] + [when for when in acks if at < when < until]
    return max(b - a for a, b in zip(within, within[1:]))


def figures(all_):
    all_ = sorted(all_)
    return {"times": len(all_), "median": round(all_[len(all_) // 2], 3), "worst": round(all_[-1], 3)}


def pauses(loads, harms):
    acks = sorted(when for load in loads for when in load.times)
    return {
        it: figures(longest_pause(acks, at, until) for kind, at, until in harms if kind == it)
        for it in sorted({kind for kind, _, _ in harms})
    }


def begin(leaders):
    """With four clients and a subscriber."""
    leaders.revive()
    loads, watch = [Load(leaders, seed, 0.01) for seed in range(4)], Watch(leaders)
    for thread in [*loads, watch]:
        thread.start()
    moved(loads, 20)
    return loads, watch


def finish(leaders, loads, watch):
    """What was counted, when all that must hold does."""
    moved(loads, 60)
    for load in loads:
        load.end()
    watch.end(last_decision(leaders.leader()))
    for world in leaders.worlds:
        if world.child.poll() is None:
            world.stop()
    events, decisions = check_events(leaders, loads), check_decisions(leaders, watch)
    epochs = dict(leaders.rows("SELECT seq, epoch FROM events"))
    order = [epochs[seq] for seq in sorted(epochs)]
    assert order == sorted(order), "a former leader wrote"
    return {
        "acknowledged": acknowledged(loads),
        "events": events,
        "decisions": decisions,
        "terms": leaders.rows("SELECT count(*) FROM terms")[0][0],
        # Leaders that acknowledged something to each client, and that told the subscriber.
        "followed": min(len({epochs[seq] for seq in it.acknowledged.values()}) for it in loads),
        "resumed": len(watch.names),
        "replayed": leaders.worlds[0].replay()["cycles"],
    }


def main(command, folder, binaries, rounds):
    chance = random.Random(11)
    leaders = Leaders(command, folder, Database(folder, binaries))
    leaders.database.start()
    loads, watch = begin(leaders)
    harms = []
    for i in range(rounds):
        moved(loads, chance.randint(2, 60))
        kind = KINDS[i % len(KINDS)]
        at, leader = harm(leaders, kind, chance)
        moved(loads, 20)
        harms.append((kind, at, time.monotonic()))
        heal(kind, leader)
        leaders.revive()
    return {
        **finish(leaders, loads, watch),
        "kills": sum(kind in KILLS for kind, _, _ in harms),
        "harms": rounds,
        "nothing_acknowledged": pauses(loads, harms),
        "restart": figures(leaders.database.restarts),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
