#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Two services with one store in PostgreSQL, under conditions that are hostile but not sudden: a
network that is cut or slow, a server that stands still, has a full disk or is replaced by its
standby, clocks that differ. One scenario, among four clients with keys and a subscriber.

    hostile.py SCENARIO ALLOT FOLDER PGBIN [full]

As chaos_leaders.py, whose promises hold here too.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

from chaos_leaders import (
    NOBODY, SOCKET, Database, Leaders, begin, finish, refuses, role_of)
from chaos_world import acknowledged, allot, moved


class Setting:
    def __init__(self, command, folder, binaries, full):
        self.command, self.folder, self.binaries, self.full = command, folder, binaries, full

    def leaders(self, *words, **more):
        database = Database(self.folder, self.binaries, *words)
        database.start()
        return Leaders(self.command, self.folder, database, **more)


def pair(leaders):
    """The one that leads, and the other."""
    leader = leaders.leader()
    return leader, next(it for it in leaders.worlds if it is not leader)


def until(what, test, seconds=60):
    limit = time.monotonic() + seconds
    while not (found := test()):
        assert time.monotonic() < limit, what
        time.sleep(0.02)
    return found


def status_of(world):
    with world.service() as service:
        return service.call("status")


def epoch_of(leaders):
    return leaders.rows("SELECT epoch FROM lead")[0][0]


def demand(key):
    return {"consumer": "/b0/l0", "slots": 3, "key": key}


# ---- The network --------------------------------------------------------------------------------


def leader_cut(setting):
    """What it took meanwhile it neither acknowledges nor passes on; whoever waits is told E-lost."""
    leaders = setting.leaders(lease=2000)
    loads, watch = begin(leaders)
    for seconds in (0, 12) if setting.full else (0,):
        old, new = pair(leaders)
        old.network.set("hold")
        peer = allot.Connection(old.socket, timeout=60.0)
        keys = [f"cut-{seconds}-{i}" for i in range(3)]
        peer.write(peer.request("demand", demand(keys[0])))
        peer.write([peer.request("demand", demand(key)) for key in keys[1:]])
        until("nobody takes the lead", lambda: role_of(new) == "leading")  # noqa: B023
        moved(loads, 20)
        refused, status = refuses(old), status_of(old)
        assert not status["healthy"] and status["store"]["error"], status
        time.sleep(seconds)
        old.network.set("pass")
        one, several = peer.answer(), peer.answer()
        told = [it["error"]["data"]["code"] for it in [one, *several]]
        assert told == ["E-lost"] * 3, (one, several)
        assert [it["id"] for it in [one, *several]] == [1, 2, 3], (one, several)
        until("it does not stand by", lambda: role_of(old) == "following")  # noqa: B023
        assert not leaders.rows("SELECT seq FROM events WHERE idem LIKE 'cut-%s-%%'" % seconds)
        with leaders.service() as service:
            for key in keys:
                service.send("demand", **demand(key))
    return {"refused": refused, **finish(leaders, loads, watch)}


def follower_cut(setting):
    """The leader goes on; when that one ends, nobody leads until the network is whole again."""
    leaders = setting.leaders(lease=2000)
    loads, watch = begin(leaders)
    leader, follower = pair(leaders)
    epoch = epoch_of(leaders)
    follower.network.set("hold")
    moved(loads, 100)
    time.sleep(12 if setting.full else 1)
    assert epoch_of(leaders) == epoch
    leader.kill()
    before = acknowledged(loads)
    time.sleep(1.5)
    assert acknowledged(loads) <= before + len(loads)  # on their way to the clients
    follower.network.set("pass")
    moved(loads, 20)
    leaders.revive()
    return finish(leaders, loads, watch)


def slow(setting):
    """50 ms there and back, a server that stands still for less than a lease, and for more."""
    leaders = setting.leaders(lease=2000)
    loads, watch = begin(leaders)
    epoch = epoch_of(leaders)
    for world in leaders.worlds:
        world.network.set("slow")
    moved(loads, 200 if setting.full else 40)
    for world in leaders.worlds:
        world.network.set("pass")
    for seconds in (0.5, 5, 12) if setting.full else (0.5, 2.5):
        frozen = leaders.database.processes()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        if seconds == 0.5:
            assert role_of(leaders.worlds[0]) != "away" and role_of(leaders.worlds[1]) != "away"
        for pid in frozen:
            with contextlib.suppress(ProcessLookupError):  # the server may end one of its own
                os.kill(pid, signal.SIGCONT)
        moved(loads, 40)
        assert seconds > 2 or epoch_of(leaders) == epoch, "a slow leader was replaced"
    return finish(leaders, loads, watch)


# ---- The server ---------------------------------------------------------------------------------


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def disk_full(setting, *words):
    """The folder `disk` is small; the leader says so, stays, and goes on when there is room."""
    leaders = setting.leaders(*words, lease=2000)
    database = leaders.database
    loads, watch = begin(leaders)
    filler = setting.folder + "/disk/filler"
    fill(filler)


    def trouble_of():
        if words[0] == "--wal-segsize=1":  # what it has of the log is used up soon
            try:
                database.ask("SELECT pg_switch_wal()")
            except subprocess.CalledProcessError:
                pass
        told = [status_of(world)["store"].get("error") for world in leaders.worlds]
        return next(filter(None, told), None)

    trouble = until("that the disk is full is not noticed", trouble_of)
    time.sleep(0.5)
    before = acknowledged(loads)
    time.sleep(1.0)
    during = acknowledged(loads) - before
    os.unlink(filler)
    if not database.is_up():
        database.start()
    moved(loads, 60)
    for world in leaders.worlds:
        until("trouble stays", lambda: status_of(world)["store"].get("error") is None)  # noqa: B023
    assert during == 0, f"{during} events were acknowledged while the disk was full"
    return {"trouble": trouble, **finish(leaders, loads, watch)}


def data_full(setting):
    """Of rows: their log is elsewhere."""
    os.symlink("disk", setting.folder + "/pg")
    return disk_full(setting, "--waldir=" + setting.folder + "/wal")


def log_full(setting):
    """Of the log: the server ends."""
    return disk_full(setting, "--wal-segsize=1", "--waldir=" + setting.folder + "/disk/wal")


# ---- Clocks -------------------------------------------------------------------------------------

CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long ahead(void) { const char *by = getenv("CLOCK_AHEAD"); return by ? atol(by) : 0; }
int clock_gettime(clockid_t id, struct timespec *out)
{
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(id, out);
    if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        out->tv_sec += ahead();
    return status;
}
int gettimeofday(struct timeval *out, void *zone)
{
    struct timespec now;
    (void)zone;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return status;
}
time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
"""


def clocks(setting):
    """One service's clock is a minute ahead: the lease is on the server's, so nobody is replaced;
    whoever takes over decides at times that do not go back."""
    source, shim = setting.folder + "/clock.c", setting.folder + "/clock.so"
    with open(source, "w", encoding="utf-8") as file:
        file.write(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    leaders = setting.leaders(lease=2000)
    ahead = leaders.worlds[0]
    ahead.environment.update(LD_PRELOAD=shim, CLOCK_AHEAD="60")
    ahead.environment["ASAN_OPTIONS"] += ":verify_asan_link_order=0"
    loads, watch = begin(leaders)
    jump = ping(ahead) - int(time.time())
    for _ in range(8 if setting.full else 2):
        epoch = epoch_of(leaders)
        time.sleep(2.0)
        assert epoch_of(leaders) == epoch, "a clock took the lead"
        moved(loads, 20)
        leaders.leader().kill()
        moved(loads, 20)
        leaders.revive()
    told = finish(leaders, loads, watch)
    times = [at for (at,) in leaders.rows("SELECT at FROM cycles ORDER BY cycle")]
    assert times == sorted(times), "time went back"
    return {"ahead": jump, **told}


def ping(world):
    with world.service() as service:
        return service.call("ping")["now"]


# ---- A standby of the server --------------------------------------------------------------------


class Standby(Database):
    def __init__(self, folder, primary):
        self.primary = primary
        super().__init__(folder, primary.binaries, name="standby")

    def make(self, words, fsync):
        self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "-d",
                 f"host={self.primary.folder} user=allot dbname=postgres")
        self.configure(unix_socket_directories=self.folder)

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")


def replicated(setting):
    """The store's server and a standby; the service knows both."""
    primary = Database(setting.folder, setting.binaries, fsync="on")
    primary.start()
    standby = Standby(setting.folder, primary)
    standby.start()
    leaders = Leaders(setting.command, setting.folder, primary, lease=2000,
                      url=f"{primary.url},{standby.folder}")
    return leaders, standby


def promoted(setting):
    """The standby is synchronous: it has all that was acknowledged, also when somebody cancels a
    commit that waits for it."""
    leaders, standby = replicated(setting)
    primary = leaders.database
    primary.configure(synchronous_standby_names="*")
    primary.run("pg_ctl", "-D", primary.data, "reload")
    loads, watch = begin(leaders)
    moved(loads, 40)
    standby.kill(False)
    waits = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    until("no commit waits", lambda: primary.rows("SELECT pid" + waits))
    time.sleep(0.1)
    before = acknowledged(loads)
    primary.ask("SELECT pg_cancel_backend(pid)" + waits)
    time.sleep(0.5)
    assert acknowledged(loads) == before, "a commit that one machine alone has is acknowledged"
    standby.start()
    moved(loads, 40)
    primary.kill(True)
    standby.promote()
    leaders.database = standby
    return finish(leaders, loads, watch)


def followed(standby):
    """What it has; nothing while it does not take questions yet."""
    try:
        return standby.rows("SELECT event FROM lead")
    except subprocess.CalledProcessError:
        return []


def went_back(setting):
    """The standby lacks what was acknowledged: the leader says so and ends."""
    leaders, standby = replicated(setting)
    loads, _ = begin(leaders)
    leader, follower = pair(leaders)
    until("the standby does not follow", lambda: followed(standby) > [(0,)])
    standby.kill(False)
    follower.stop()
    moved(loads, 100)
    last = max(it for load in loads for it in load.acknowledged.values())
    leaders.database.kill(True)
    standby.start()
    standby.promote()
    status = leader.child.wait(60)
    kept = standby.rows("SELECT event FROM lead")[0][0]
    assert kept < last, (kept, last)
    return {"status": status, "log": leader.tail(), "kept": kept, "acknowledged": last}


SCENARIOS = {it.__name__: it for it in (
    leader_cut, follower_cut, slow, data_full, log_full, clocks, promoted, went_back)}


def main(scenario, command, folder, binaries, full=""):
    os.chmod(folder, 0o755)
    for name in ("wal", "disk"):
        if scenario.endswith("_full"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
            os.chown(f"{folder}/{name}", NOBODY, NOBODY)
    setting = Setting(os.path.abspath(command), folder, binaries, full != "")
    return SCENARIOS[scenario](setting)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
