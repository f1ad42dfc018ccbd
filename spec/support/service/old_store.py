#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A store as a service of an earlier version leaves it.

    old_store.py make KIND FOLDER        a store from old_KIND.sql, with its plan and policies
    old_store.py tell KIND ALLOT         makes that SQL, on standard output

KIND: leaves, queues. ALLOT is a program of that version (1dd0557 had the first one): it is told what
a service may hear for a bit more than a minute, in which a window begins, and is killed twice. Left
out is what later versions decide otherwise: tasks larger than what is taken, idle slots that are
taken, loans, and (P-25) suspended jobs that could resume before others whose turn comes first.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

SHARE = """return policy {
  name = "share",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  },
  round = "rank",
  distribute = order { "rank" },
  reclaim = fill { order = order { desc "rank" }, by = "over", up_to = "over" },
  victims = preemption.victims,
  options = preemption.options {},
}
"""
PREEMPT = """return policy {
  name = "preempt",
  dispatch = order { desc "priority", "submitted" },
  preempts = relation { higher "priority", preemptive_or_preemptable },
  victims = order { "queue_order", "load", "host", "queue_priority", desc "started" },
  guards = { max_job_preempt, no_preempt_run_time },
}
"""


def plan_of_leaves(switch):
    """A window begins at that time of UTC, and ends an hour later."""
    begins, ends = (time.strftime("%H:%M", time.gmtime(it)) for it in (switch, switch + 3600))
    return {
        "version": 1, "policy": "share.lua", "timezone": "UTC", "options": {"claim_delay": 1},
        "hosts": {"h1": {"slots": 6}, "h2": {"slots": 6}, "h3": {"slots": 4}},
        "consumers": [
            {"name": "desk", "owned": 6, "grace": 2, "rank": 1},
            {"name": "lab", "rank": 2, "children": [
                {"name": "x", "owned": 3, "grace": 1}, {"name": "y", "owned": 3}]},
            {"name": "night", "owned": 4, "rank": 3, "grace": 1},
        ],
        "windows": [{"from": begins, "to": ends,
                     "consumers": {"/desk": {"owned": 9}, "/night": {"owned": 1}}}],
    }


def plan_of_queues():
    return {
        "version": 1, "policy": "preempt.lua",
        "hosts": {"h1": {"slots": 4}, "h2": {"slots": 4}}, "resources": {"lic": 3},
        "queues": [
            {"name": "low", "priority": 10, "preemptable": True, "max_job_preempt": 2},
            {"name": "mid", "priority": 20, "ujob_limit": 3},
            {"name": "high", "priority": 50, "preemptive": True},
        ],
    }


def put_policies(folder):
    for name, text in ("share.lua", SHARE), ("preempt.lua", PREEMPT):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


class Service:
    """The program in a folder, and one connection to it."""

    def __init__(self, command, folder, plan):
        self.folder, self.number = folder, 0
        self.log = open(folder + "/log", "ab")
        with open(folder + "/plan.json", "w", encoding="utf-8") as file:
            json.dump(plan, file)
        put_policies(folder)
        self.words = [command, "serve", folder + "/plan.json", "--socket", folder + "/sock",
                      "--interval", "600", "--debounce", "60000", "--snapshot", "16"]
        self.start()

    def start(self):
        self.child = subprocess.Popen(self.words, stdout=self.log, stderr=self.log)
        for _ in range(500):
            self.peer = socket.socket(socket.AF_UNIX)
            try:
                self.peer.connect(self.folder + "/sock")
                break
            except OSError:
                time.sleep(0.02)
        self.lines = self.peer.makefile("r")

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def call(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.peer.sendall((json.dumps(request) + "\n").encode())
        answer = json.loads(self.lines.readline())
        assert "error" not in answer, (method, params, answer)
        return answer["result"]

    def cycle(self):
        """The document of a decision, which is made now, a second after the last one at least."""
        time.sleep(1.1)
        return self.call("cycle", full=True)["full"]

    def leave(self, decision):
        """What a decision takes goes: tasks end, jobs that were killed are pending again."""
        for reclaim in decision["reclaims"]:
            for task in reclaim.get("tasks", []):
                self.call("finish", id=task)


def start_tasks(service, leaf, names, **more):
    for name in names:
        service.call("start", id=name, consumer=leaf, **more)


def play_leaves(service, switch):
    call = service.call
    call("demand", consumer="/night", slots=16, key="first")
    service.cycle()
    call("session", id="s1", consumer="/night", priority=3)
    call("session", id="s2", consumer="/night", priority=1, created=1699990000)
    for host, slots in ("h1", 6), ("h2", 6), ("h3", 4):
        names = [f"n{host[1]}{i}" for i in range(slots)]
        start_tasks(service, "/night", names, host=host, session="s1" if host == "h2" else "s2")
    service.cycle()
    call("demand", consumer="/desk", slots=5)
    service.cycle()
    time.sleep(2)
    service.leave(service.cycle())
    service.cycle()
    start_tasks(service, "/desk", ["d1", "d2", "d3"], tags=["gold", "x"])
    call("demand", consumer="/lab/x", slots=2)
    call("demand", consumer="/lab/y", slots=4)
    time.sleep(1.2)
    service.leave(service.cycle())
    service.kill()
    service.start()
    time.sleep(1.2)
    service.leave(service.cycle())
    service.cycle()
    call("host", name="h3", slots=4, closed="drain", load=0.5)
    call("session_end", id="s1")
    service.cycle()
    call("host", name="h4", slots=4)
    call("demand", consumer="/desk", slots=9)
    time.sleep(max(0, switch + 1 - time.time()))  # the window holds
    service.cycle()
    time.sleep(2)
    service.leave(service.cycle())
    call("slots", slots=18)
    service.cycle()
    call("finish", id="d1")
    call("release", consumer="/desk", slots=1)
    service.cycle()


def play_queues(service, _switch):
    """Low jobs have two slots each: which of two suspended ones has its turn first decides nothing."""
    call = service.call
    for i in range(6):
        call("submit", id=f"l{i}", queue="low", slots=2, user=f"u{i % 2}", submitted=1000 + i)
    service.cycle()
    call("stop", id="l0")
    service.cycle()
    call("cont", id="l0")
    service.cycle()
    call("submit", id="m0", queue="mid", slots=2, resources={"lic": 2}, key="m0")
    call("submit", id="h0", queue="high", slots=4, user="ann", priority=4)
    service.cycle()
    call("submit", id="h1", queue="high", slots=2)
    service.cycle()
    service.kill()
    service.start()
    call("finish", id="h0")
    service.cycle()
    call("host", name="h2", slots=4, closed="drain")
    call("submit", id="m1", queue="mid", slots=1, user="u1")
    service.cycle()
    call("withdraw", id="l5")
    call("host", name="h2", slots=6, closed=False)
    service.cycle()
    for i in range(3):
        call("submit", id=f"m{i + 2}", queue="mid", slots=2, submitted=2000 - i)
        service.cycle()
    call("finish", id="h1")
    service.cycle()
    call("finish", id="m0")
    service.cycle()


def dump(path):
    """All rows; texts that are BLOBs as texts."""
    store = sqlite3.connect(path)
    print(f"PRAGMA user_version = {store.execute('PRAGMA user_version').fetchone()[0]};")
    for (sql,) in store.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        print(sql + ";")
    quote = lambda it: "'" + it.replace("'", "''") + "'"  # noqa: E731
    for (table,) in list(store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
        for row in store.execute(f"SELECT * FROM {table}"):
            words = ["NULL" if it is None else
                     f"CAST({quote(it.decode())} AS BLOB)" if isinstance(it, bytes) else
                     quote(it) if isinstance(it, str) else str(it) for it in row]
            print(f"INSERT INTO {table} VALUES({', '.join(words)});")


def tell(kind, command):
    switch = (int(time.time()) // 60 + 1) * 60
    switch += 60 if switch - time.time() < 20 else 0
    plan, play = {"leaves": (plan_of_leaves(switch), play_leaves),
                  "queues": (plan_of_queues(), play_queues)}[kind]
    with tempfile.TemporaryDirectory() as folder:
        service = Service(os.path.abspath(command), folder, plan)
        try:
            play(service, switch)
        finally:
            service.kill()
        dump(folder + "/plan.json.db")


def make(kind, folder):
    put_policies(folder)
    store = sqlite3.connect(folder + "/plan.json.db")
    with open(os.path.join(os.path.dirname(__file__), f"old_{kind}.sql"), encoding="utf-8") as file:
        store.executescript(file.read())
    (text,) = store.execute("SELECT text FROM plans").fetchone()
    with open(folder + "/plan.json", "wb") as file:
        file.write(text)
    store.commit()


if __name__ == "__main__":
    {"make": make, "tell": tell}[sys.argv[1]](*sys.argv[2:])
