# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A load on a running service: clients that send events at a rate, and count and time answers.

    load.py plan FILE BRANCHES LEAVES        writes a plan of so many branches with so many leaves
    load.py run SOCKET PLAN --rate N --seconds N --clients N

Prints one JSON object: events acknowledged, errors, percentiles of event to answer and of event to
decision in milliseconds, and the service's memory over time (with --pid).
"""

import argparse
import json
import random
import selectors
import socket
import sys
import time


def write_plan(path, branches, leaves):
    rows = [{"name": f"b{b}", "children": [{"name": f"l{i}", "owned": 10} for i in range(leaves)]}
            for b in range(branches)]
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"version": 1, "slots": branches * leaves * 10, "policy": "hybrid",
                   "consumers": rows}, out)


def paths_of(path):
    with open(path, encoding="utf-8") as text:
        plan = json.load(text)
    return [f"/{b['name']}/{leaf['name']}" for b in plan["consumers"] for leaf in b["children"]]


def percentiles(values):
    values.sort()
    def at(share):
        return round(values[min(len(values) - 1, int(len(values) * share))] * 1000, 2)
    return {"p50": at(.5), "p90": at(.9), "p99": at(.99), "max": at(1)} if values else {}


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.setblocking(False)
        self.out = b""
        self.tail = b""
        self.sent = []  # (when, how many), not answered yet
        self.answered = 0  # of the first

    def flush(self):
        if self.out:
            try:
                done = self.socket.send(self.out)
                self.out = self.out[done:]
            except BlockingIOError:
                pass

    def lines(self):
        try:
            data = self.socket.recv(1 << 20)
        except BlockingIOError:
            return []
        if not data:
            raise EOFError("the service closed the connection")
        whole, _, tail = (self.tail + data).rpartition(b"\n")
        self.tail = tail
        return whole.split(b"\n") if whole else []


def memory(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as text:
        return int(text.read().split()[1]) * 4096 // 1048576


class Load:
    def __init__(self, options):
        self.options = options
        self.paths = paths_of(options.plan)
        self.clients = [Client(options.socket) for _ in range(options.clients)]
        self.watcher = Client(options.socket)
        self.watcher.socket.send(b'{"jsonrpc":"2.0","id":0,"method":"subscribe"}\n')
        self.random = random.Random(options.seed)
        self.acked = self.errors = self.decisions = self.seq = 0
        self.answers, self.deciding, self.waiting, self.sizes = [], [], [], []

    def events(self, count):
        parts = []
        for _ in range(count):
            path = self.paths[self.random.randrange(len(self.paths))]
            if self.random.random() < .5:
                method, slots = "demand", self.random.randrange(1, 10)
            else:
                method, slots = "allocated", 0
            parts.append(f'{{"jsonrpc":"2.0","id":1,"method":"{method}",'
                         f'"params":{{"consumer":"{path}","slots":{slots}}}}}\n')
        return "".join(parts).encode()

    def send(self, client, count, now):
        client.out += self.events(count)
        client.sent.append([now, count])
        client.flush()

    def heard(self, client, now):
        lines = client.lines()
        for line in lines:
            if b'"error"' in line:
                self.errors += 1
                continue
            self.acked += 1
        left = len(lines)
        while left > 0 and client.sent:
            part = min(left, client.sent[0][1])
            client.sent[0][1] -= part
            left -= part
            if client.sent[0][1] == 0:
                when, _ = client.sent.pop(0)
                self.answers.append(now - when)
                seq = lines[len(lines) - left - 1].rpartition(b'"seq": ')[2].rstrip(b"}\r\n")
                if seq.isdigit():
                    self.waiting.append((int(seq), when))

    def decided(self, now):
        for line in self.watcher.lines():
            if b'"method": "missed"' in line:
                self.errors += 1
            if b'"method": "decision"' not in line:
                continue
            self.decisions += 1
            event = int(line.partition(b'"event": ')[2].partition(b",")[0])
            late = []
            for seq, when in self.waiting:
                if seq <= event:
                    self.deciding.append(now - when)
                else:
                    late.append((seq, when))
            self.waiting = late

    def run(self):
        selector = selectors.DefaultSelector()
        for client in self.clients + [self.watcher]:
            selector.register(client.socket, selectors.EVENT_READ, client)
        begin = time.monotonic()
        sent, until, look = 0, begin + self.options.seconds, begin
        while True:
            now = time.monotonic()
            due = int((min(now, until) - begin) * self.options.rate) - sent
            share = due // len(self.clients)
            if share > 0:
                for client in self.clients:
                    self.send(client, share, now)
                sent += share * len(self.clients)
            if now > until and (all(not c.sent for c in self.clients) or now > until + 10):
                break
            for client in self.clients:
                client.flush()
            for key, _ in selector.select(.002):
                now = time.monotonic()
                if key.data is self.watcher:
                    self.decided(now)
                else:
                    self.heard(key.data, now)
            if self.options.pid and now >= look:
                self.sizes.append(memory(self.options.pid))
                look += max(1, self.options.seconds / 10)
        return {"sent": sent, "acked": self.acked, "errors": self.errors,
                "per_second": round(self.acked / (time.monotonic() - begin)),
                "decisions": self.decisions, "answer_ms": percentiles(self.answers),
                "decision_ms": percentiles(self.deciding), "memory_mb": self.sizes}


def main():
    if sys.argv[1] == "plan":
        write_plan(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("socket")
    parser.add_argument("plan")
    parser.add_argument("--rate", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pid", type=int, default=0)
    print(json.dumps(Load(parser.parse_args()).run()))


main()
