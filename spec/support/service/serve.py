# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Real services and real clients: each scenario prints what it found as one JSON object.

    serve.py COMMAND SCENARIO

With it goes what services said, for spec/support/house/diagnostics.lua. Only processes that are started
here are ended, by the handles that starting gave.
"""

import contextlib
import json
import os
import random
import resource
import select
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

COMMAND = sys.argv[1]
PLAN = {"version": 1, "slots": 60, "policy": "hybrid",
        "consumers": [{"name": name, "owned": 20} for name in "abc"]}


class Service:
    all = []  # none outlives its scenario, whatever fails

    def __init__(self, folder, *options):
        self.folder = folder
        self.plan = os.path.join(folder, "p.json")
        self.path = os.path.join(folder, "p.sock")
        if not os.path.exists(self.plan):
            with open(self.plan, "w", encoding="utf-8") as out:
                json.dump(PLAN, out)
        self.log = open(os.path.join(folder, "log"), "ab")
        self.process = subprocess.Popen(
            [COMMAND, "serve", self.plan, "--socket", self.path, "--debounce", "1", *options],
            stderr=self.log, env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})
        Service.all.append(self)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError):
                Client(self.path).close()
                return
            time.sleep(.005)
        raise RuntimeError("the service did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(60)
        self.log.close()
        return code

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as text:
            return int(text.read().split()[1]) * 4096


class Client:
    refusals = set()

    def __init__(self, path, family=socket.AF_UNIX):
        self.socket = socket.socket(family)
        self.socket.connect(path)
        self.socket.settimeout(60)
        self.tail = b""
        self.number = 0

    def close(self):
        self.socket.close()

    def send(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        return self.number

    def line(self):
        while b"\n" not in self.tail:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.tail += data
        line, _, self.tail = self.tail.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            Client.refusals.add(line.decode())
        return answer

    def call(self, method, **params):
        number = self.send(method, **params)
        while True:
            answer = self.line()
            if answer is None or answer.get("id") == number:
                return answer

    def rest(self):
        """Lines that come until the other end closes."""
        lines = []
        with contextlib.suppress(ConnectionError):
            while (line := self.line()) is not None:
                lines.append(line)
        return lines

    def told(self, newest):
        """Numbers of the decisions that come, up to one of them."""
        seqs = [0]
        while seqs[-1] < newest:
            line = self.line()
            if line.get("method") == "decision":
                seqs.append(line["params"]["seq"])
        return seqs[1:]

    def told_before_answer(self):
        """Numbers of the decisions that come before the answer to a ping."""
        number, seqs = self.send("ping"), []
        while (line := self.line()).get("id") != number:
            seqs.append(line["params"]["seq"])
        return seqs


def load(folder, chance, most):
    """Events, more than are acknowledged, and a kill in the middle: what was acknowledged and told
    until then."""
    service = Service(folder)
    client, watcher = Client(service.path), Client(service.path)
    watcher.call("subscribe", **{"from": 1})
    sent, lines = {}, []

    def say():
        params = {"consumer": "/" + chance.choice("abc"), "slots": chance.randrange(0, 60)}
        method = chance.choice(["demand", "demand", "release"])
        sent[client.send(method, **params)] = (method, params)
    for _ in range(20):
        say()
    while len(lines) < most:
        lines.append(client.line())
        say()
    heard = [watcher.line()]
    service.kill()
    acked = {line["result"]["seq"]: sent[line["id"]]
             for line in lines + client.rest() if "result" in line}
    told = {line["params"]["seq"]: line["params"]
            for line in heard + watcher.rest() if line.get("method") == "decision"}
    return acked, told


def scenario_kill(folder):
    chance = random.Random(int(os.environ.get("ALLOT_SEED", "1")))
    acked, told, twice = {}, {}, 0
    rounds = int(os.environ.get("ALLOT_KILLS", "12"))
    for _ in range(rounds):
        more, heard = load(folder, chance, chance.randrange(10, 200))
        twice += len(acked.keys() & more.keys())
        acked.update(more)
        twice += sum(1 for seq in heard if seq in told and told[seq] != heard[seq])
        told.update(heard)
    service = Service(folder)
    client = Client(service.path)
    status = client.call("status")["result"]
    full = client.call("cycle", full=True)["result"]["full"]["groups"]["default"]
    service.stop()
    store = sqlite3.connect(os.path.join(folder, "p.json.db"))
    kept = {seq: (method, json.loads(params)) for seq, method, params in
            store.execute("SELECT seq, method, params FROM events")}
    numbers = [row[0] for row in store.execute(
        "SELECT seq FROM cycles WHERE decision IS NOT NULL ORDER BY cycle")]
    stored = {seq: json.loads(text) for seq, text in
              store.execute("SELECT seq, decision FROM cycles WHERE decision IS NOT NULL")}
    snapshot = store.execute("SELECT max(event) FROM snapshots").fetchone()[0] or 0
    return {"acked": len(acked), "told": len(told), "twice": twice,
            "lost": sum(1 for seq, event in acked.items() if kept.get(seq) != event),
            "changed": sum(1 for seq in told if stored.get(seq) != told[seq]),
            "in_order": numbers == list(range(1, len(numbers) + 1)),
            "events": status["event"] >= max(acked), "snapshot": snapshot <= status["event"],
            "slots_once": sum(row["allocated"] for row in full["consumers"]) <= 60}


def scenario_garbage(folder):
    service = Service(folder)
    chance = random.Random(7)
    whole = b'{"jsonrpc":"2.0","id":1,"method":"demand","params":{"consumer":"/a","slots":1}}\n'
    answers = 0
    for _ in range(100):
        line = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        client = Client(service.path)
        client.socket.sendall(bytes(line))
        client.socket.shutdown(socket.SHUT_WR)
        answers += len(client.rest()) > 0 or b"\n" not in line
        client.close()
    client = Client(service.path)
    with contextlib.suppress(OSError):
        for _ in range(48):
            client.socket.sendall(b"x" * 65536)
    long_line = client.rest()
    other = Client(service.path)
    result = {"answers": answers, "long": long_line[0]["error"]["code"],
              "closed": len(long_line) == 1, "alive": "result" in other.call("ping"),
              "ready": other.call("demand", consumer="/a", slots=2)["result"]["seq"] > 0}
    result["exit"] = service.stop()
    return result


def scenario_stalled(folder):
    service = Service(folder)
    busy = Client(service.path)
    before = service.memory()
    request = b'{"jsonrpc":"2.0","id":1,"method":"status"}\n' * 400
    stalled = []
    for _ in range(60):
        client = Client(service.path)
        client.send("subscribe")
        client.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                client.socket.send(request)
        stalled.append(client)
        busy.call("ping")
    for i in range(50):
        busy.call("demand", consumer="/a", slots=i % 30)
    grown = service.memory() - before
    return {"per_client": grown // 60, "exit": service.stop()}


def scenario_resume(folder):
    service = Service(folder)
    client = Client(service.path)
    for slots in (5, 10, 15, 20):
        client.call("demand", consumer="/a", slots=slots)
        client.call("cycle")
    service.kill()
    service = Service(folder)
    client = Client(service.path)
    first = client.call("demand", consumer="/a", slots=20, key="once")["result"]["seq"]
    again = client.call("demand", consumer="/a", slots=20, key="once")["result"]["seq"]
    client.call("subscribe", **{"from": 2})
    old = client.told(4)
    client.call("release", consumer="/a", slots=1)
    new = client.told(5) + client.told_before_answer()
    pages = [row["seq"] for row in client.call("decisions", **{"from": 1, "most": 2})["result"]]
    service.kill()
    service = Service(folder)
    client = Client(service.path)
    later = client.call("demand", consumer="/a", slots=20, key="once")["result"]["seq"]
    return {"old": old, "new": new, "pages": pages, "same": first == again == later,
            "exit": service.stop()}


def scenario_slow(folder):
    service = Service(folder, "--debounce", "1000")
    slow, busy = Client(service.path), Client(service.path)
    slow.send("subscribe")
    for _ in range(1200):
        busy.send("allocated", consumer="/a", slots=0)
        busy.send("demand", consumer="/a", slots=5)
        newest = busy.call("cycle")["result"]["decision"]
    seqs = slow.told(newest)
    return {"all": seqs == list(range(1, newest + 1)), "many": newest >= 1200,
            "exit": service.stop()}


def scenario_compacted(folder):
    """Decisions that are in the store no more are asked for: it says so, and goes on."""
    service = Service(folder)
    client = Client(service.path)
    for slots in (5, 10, 15):
        client.call("demand", consumer="/a", slots=slots)
        newest = client.call("cycle")["result"]["decision"]
    service.stop()
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "p.json.db"))) as store:
        store.execute("DELETE FROM cycles")
        store.commit()
    service = Service(folder)
    reader, client = Client(service.path), Client(service.path)
    told = reader.call("subscribe", **{"from": 1})["result"]
    missed = reader.line()
    acked = [client.call("demand", consumer="/a", slots=slots)["result"]["seq"]
             for slots in (20, 25, 30)]
    client.call("cycle")
    later = reader.line()
    return {"newest": newest == told["newest"], "missed": missed["params"] if missed else None,
            "acked": len(acked), "later": later["params"]["seq"] - newest if later else None,
            "exit": service.stop()}


def heard(readers, until):
    """Reads all readers' lines until a writer's answer is there: how many came, and the answer."""
    count, poller = 0, select.poll()
    by_fd = {one.socket.fileno(): one for one in [*readers, until]}
    for number in by_fd:
        poller.register(number, select.POLLIN)
    while True:
        for number, _ in poller.poll(60000) or [(0, 0)]:
            if number == 0:
                raise RuntimeError("nobody is answered")
            one = by_fd[number]
            one.tail += one.socket.recv(1 << 20)
            if one is until and b"\n" in one.tail:
                return count, one.line()
            if one is not until:
                *lines, one.tail = one.tail.split(b"\n")
                count += len(lines)


def scenario_readers(folder):
    """Readers that ask without end, and somebody who says something: how many answers readers get
    before each acknowledgement, of all that they ask for."""
    with open(os.path.join(folder, "p.json"), "w", encoding="utf-8") as out:
        more = [{"name": f"n{i}", "owned": 1} for i in range(10000)]
        json.dump({**PLAN, "slots": 20060, "consumers": PLAN["consumers"] + more}, out)
    service = Service(folder, "--interval", "0", "--store", ":memory:")
    client = Client(service.path)
    for slots in range(60):
        client.send("demand", consumer="/a", slots=slots % 2 * 20)
        client.send("release", consumer="/a", slots=20)
        client.call("cycle")
    result = {}
    for method, params, many in (("decisions", {"from": 1, "most": 1000}, 150),
                                 ("explain", {"path": "/a"}, 100)):
        readers = [Client(service.path) for _ in range(24)]
        line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        before = []
        for one in readers:
            one.socket.setblocking(False)
            one.rest = (json.dumps(line).encode() + b"\n") * many
        for one in readers:
            with contextlib.suppress(BlockingIOError):
                one.socket.send(one.rest)
        for i in range(6):
            client.send("demand", consumer="/b", slots=i)
            before.append(heard(readers, client)[0])
        result[method] = {"all": len(readers) * many, "before": sum(before)}
        for one in readers:
            one.close()
    result["exit"] = service.stop()
    return result


def free_port():
    """A port that nobody has, and that no connection is given."""
    while True:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", random.randrange(10000, 32000)))
            return probe.getsockname()[1]


def is_open(tcp):
    """Whether the other end has not closed it."""
    with contextlib.suppress(BlockingIOError):
        tcp.setblocking(False)
        return tcp.recv(1) != b""
    return True


def with_token(folder, word="sesame-sesame-sesame"):
    """Writes a token's file: options to serve with, and where."""
    token, port = os.path.join(folder, "token"), free_port()
    with open(token, "w", encoding="ascii") as out:
        out.write(word + "\n")
    return port, ("--tcp", f"127.0.0.1:{port}", "--token-file", token)


def scenario_strangers(folder):
    """More connections than there are places, which say nothing; and clients of one's own."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    port, options = with_token(folder)
    service = Service(folder, *options)
    strangers, own = [], []
    for i in range(1500):
        strangers.append(socket.create_connection(("127.0.0.1", port), 60))
        if i % 300 == 0:
            own.append(Client(("127.0.0.1", port), socket.AF_INET))
            own[-1].call("auth", token="sesame-sesame-sesame")
    for one in [Client(("127.0.0.1", port), socket.AF_INET), Client(service.path)]:
        one.call("auth", token="sesame-sesame-sesame")
        own.append(one)
    waiting = sum(map(is_open, strangers))
    own_port = own[0].socket.getsockname()[1]
    with open("/proc/net/tcp", encoding="ascii") as table:
        timers = [row.split()[5] for row in table
                  if row.split()[1].endswith(f":{port:04X}") and row.split()[2].endswith(
                      f":{own_port:04X}")]
    return {"own": sum("result" in one.call("status") for one in own), "waiting": waiting,
            "keepalive": timers[0][:2] if timers else None, "exit": service.stop()}


def scenario_tokens(folder):
    """Wrong tokens, and a token that changes while it is served."""
    port, options = with_token(folder)
    service = Service(folder, *options)

    def says(word):
        client = Client(("127.0.0.1", port), socket.AF_INET)
        return "result" in client.call("auth", token=word)
    local = Client(service.path)
    wrong = [says("sesame-sesame-sesamX") for _ in range(30)]
    result = {"right": says("sesame-sesame-sesame"), "wrong": sum(wrong),
              "counted": local.call("status")["result"]["since_start"]["wrong_tokens"]}
    for word in ("short", "another-token-of-more"):
        with open(options[3], "w", encoding="ascii") as out:
            out.write(word + "\n")
        result[word] = [says("sesame-sesame-sesame"), says(word)]
    beyond = local.call("subscribe", **{"from": 9})["error"]
    result["beyond"] = [beyond["data"]["code"], beyond["message"]]
    result["next"] = local.call("subscribe", **{"from": 1})["result"]["next"]
    result["exit"] = service.stop()
    with open(os.path.join(folder, "log"), encoding="utf-8") as log:
        text = log.read()
    result["told"] = text.count("somebody said a wrong token from=127.0.0.1 times=1")
    result["lines"] = text.count("wrong token")
    result["stays"] = text.count("those before stay")
    result["secret"] = "sesame" in text or "another-token" in text
    return result


def as_user(path, uid, groups):
    """What a user of these groups is answered at a socket."""
    come, go = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(groups)
            os.setgid(uid)
            os.setuid(uid)
            client = Client(path)
            with contextlib.suppress(BrokenPipeError):
                client.send("ping")
            answer = client.line()
            text = "in" if "result" in answer else answer["error"]["message"]
        except BaseException as error:
            text = type(error).__name__
        os.write(go, text.encode())
        os._exit(0)
    os.close(go)
    os.waitpid(child, 0)
    with os.fdopen(come) as text:
        return text.read()


def scenario_users(folder):
    """Other users at the socket, by the list and by its group; None: only root can try."""
    if os.geteuid() != 0:
        return {"tried": None}
    os.chmod(folder, 0o711)
    result = {"tried": True}
    for name, options in (("list", ("--allow", "4242")), ("group", ("--socket-group", "5151")),
                          ("both", ("--allow", "4242", "--socket-group", "5151")),
                          ("mode", ("--socket-mode", "0666")), ("none", ())):
        service = Service(folder, *options)
        found = os.stat(service.path)
        result[name] = [oct(found.st_mode & 0o777), found.st_gid, as_user(service.path, 4242, []),
                        as_user(service.path, 4343, [5151]), as_user(service.path, 4343, []),
                        as_user(service.path, 0, [])]
        service.stop()
    return result


def scenario_token(folder):
    port, options = with_token(folder)
    service = Service(folder, *options)

    def connect():
        return Client(("127.0.0.1", port), socket.AF_INET)
    stranger, thief, friend = connect(), connect(), connect()
    result = {"stranger": stranger.call("demand", consumer="/a", slots=1)["error"]["code"],
              "open": "result" in stranger.call("ping"),
              "thief": thief.call("auth", token="sesame")["error"]["code"],
              "thief_closed": thief.line() is None,
              "friend": "result" in friend.call("auth", token="sesame-sesame-sesame"),
              "event": friend.call("demand", consumer="/a", slots=1)["result"]["seq"],
              "mode": oct(os.stat(service.path).st_mode & 0o777),
              "store_mode": oct(os.stat(os.path.join(folder, "p.json.db")).st_mode & 0o777)}
    result["exit"] = service.stop()
    result["socket_gone"] = not os.path.exists(service.path)
    return result


def said(folder):
    """What services logged and refused."""
    texts = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("log"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as log:
                texts.append(log.read())
    return "\n".join([*texts, *sorted(Client.refusals)])


def main():
    folder = tempfile.mkdtemp(prefix="allot-serve-")
    try:
        found = globals()["scenario_" + sys.argv[2]](folder)
        print(json.dumps({"found": found, "said": said(folder)}))
    finally:
        for service in Service.all:
            service.kill()
        shutil.rmtree(folder, ignore_errors=True)


main()
