# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A client of `allot serve` that needs only the standard library.

    import allot

    with allot.Service("/run/allot/allot.sock") as service:
        service.send("demand", consumer="/physics", slots=40)
        for decision in service.subscribe(since=1):
            print(decision["seq"], decision["grants"], decision["reclaims"])

A message is a line of JSON-RPC 2.0. `call` asks once and tells what came; `send` is for events: it
gives each a key, so that it may ask again over a new connection and is still entered once.
`subscribe` goes on where it was when the connection breaks, and fetches what it missed. Where the
service went back behind what was told (its store was restored from a copy, or is another), it
raises `Restored` once: whoever carried those decisions out compares what there is with the books.

Of several services with one store one leads. `Service` knows all their addresses, asks the next one
when one is gone or stands by, and goes on where it was.
"""

import json
import os
import socket
import sys
import time
import uuid


class Error(Exception):
    """The service's error; `code` is JSON-RPC's number, `data` has details, if known."""

    def __init__(self, error):
        super().__init__(error.get("message", "no message"))
        self.code = error.get("code")
        self.data = error.get("data") or {}


class Standby(ConnectionError):
    """Another service leads. E-standby: nothing was entered here; E-lost: that is not known."""


class Restored(Exception):
    """The store no longer has decisions that were received; `told` is subscribe's answer."""

    def __init__(self, told, last):
        super().__init__(f"the store goes on from decision {told['began']}, {last} had been told")
        self.told = told


class Connection:
    """Lines out, lines in."""

    def __init__(self, address, token=None, timeout=30.0):
        if "/" in address or ":" not in address:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(address)
        else:
            host, _, port = address.rpartition(":")
            where = (host.strip("[]") or "127.0.0.1", int(port))
            self.socket = socket.create_connection(where, timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.timeout, self.buffer, self.number = timeout, bytearray(), 0
        self.told = []  # notifications that came before an answer
        if token is not None:
            self.ask("auth", {"token": token})
        name = os.path.basename(sys.argv[0])[:64]  # in the service's log; needs no answer
        if name.isascii() and name.isprintable() and name:
            self.write({"jsonrpc": "2.0", "method": "hello", "params": {"name": name}})

    def close(self):
        self.socket.close()

    def write(self, message):
        self.socket.settimeout(self.timeout)
        self.socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def read(self, timeout):
        """The next message; None: none came in that time."""
        end = time.monotonic() + timeout
        searched = 0
        while True:
            at = self.buffer.find(b"\n", searched)
            if at >= 0:
                line = bytes(self.buffer[:at])
                del self.buffer[: at + 1]
                return json.loads(line)
            searched = len(self.buffer)
            left = end - time.monotonic()
            if left < 0:
                return None
            self.socket.settimeout(max(left, 0.001))
            try:
                piece = self.socket.recv(65536)
            except (socket.timeout, BlockingIOError):
                continue
            if not piece:
                raise ConnectionError("the service closed the connection")
            self.buffer += piece

    def answer(self):
        """The next message that is not a notification."""
        while True:
            message = self.read(self.timeout)
            if message is None:
                raise TimeoutError("the service does not answer")
            if isinstance(message, dict) and "method" in message:
                self.told.append(message)
                continue
            return message

    def request(self, method, params):
        self.number += 1
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def ask(self, method, params):
        self.write(self.request(method, params))
        return result_of(self.answer())


def result_of(answer):
    if "error" in answer:
        error = Error(answer["error"])
        raise Standby(error) if error.data.get("code") in ("E-standby", "E-lost") else error
    return answer["result"]


class Service:
    """A service at "/a/socket" or "host:port", or the leader of several, with commas between their
    addresses; None: at ALLOT_SOCKET."""

    def __init__(self, address=None, token=None, timeout=30.0, patience=60.0):
        self.addresses = (address or os.environ["ALLOT_SOCKET"]).split(",")
        self.most_pause = 2.0 if len(self.addresses) == 1 else 0.2
        self.token, self.timeout, self.patience = token, timeout, patience
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def connect(self):
        if self.connection is None:
            self.connection = self.open()
        return self.connection

    def open(self):
        return Connection(self.addresses[0], self.token, self.timeout)

    def turn(self):
        """The next connection is to the next address: this one is gone, silent, or stands by."""
        self.close()
        self.addresses.append(self.addresses.pop(0))

    def call(self, method, **params):
        """Asks once. If the connection breaks, the service may have done what was asked, or not."""
        try:
            return self.connect().ask(method, params)
        except (OSError, ValueError):
            self.turn()
            raise

    def send(self, method, **params):
        """Enters an event once, however often the connection breaks meanwhile."""
        params.setdefault("key", uuid.uuid4().hex)
        return self.insist(lambda: self.call(method, **params))

    def insist(self, ask):
        end, pause = time.monotonic() + self.patience, 0.05
        while True:
            try:
                return ask()
            except OSError:  # a refused connection, a broken one, silence, a service that stands by
                if time.monotonic() > end:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, self.most_pause)

    def batch(self, calls):
        """Asks [(method, params), ...] in one line; each one's result, or its Error."""
        calls = list(calls)
        if not calls:
            return []
        try:
            connection = self.connect()
            asked = [connection.request(method, params) for method, params in calls]
            connection.write(asked)
            answers = connection.answer()
        except (OSError, ValueError):
            self.turn()
            raise
        if isinstance(answers, dict):  # the batch itself is wrong
            raise Error(answers["error"])
        by_id = {answer["id"]: answer for answer in answers}
        return [
            Error(it["error"]) if "error" in it else it["result"]
            for it in (by_id[one["id"]] for one in asked)
        ]

    def subscribe(self, since=None):
        """Decisions from that number on; None: from now on."""
        return Subscription(self, since)


class Subscription:
    """Decisions in their order, each once; over a connection of its own."""

    def __init__(self, service, since=None):
        self.service, self.next_seq = service, since
        self.connection, self.waiting = None, []
        self.name = None  # of the store, and since when it has been this one's
        service.insist(self.connect)

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            decision = self.poll(3600.0)
            if decision is not None:
                return decision

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def connect(self):
        self.close()
        service = self.service
        connection, beyond = None, False
        try:
            connection = service.open()
            params = {} if self.next_seq is None else {"from": self.next_seq}
            try:
                told = connection.ask("subscribe", params)
            except Error as error:  # what was heard is beyond all that the store has
                beyond = self.name is not None and error.data.get("code") == "E-range"
                if not beyond:
                    raise
                told = connection.ask("subscribe", {})
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, OSError):
                service.turn()
            raise
        name, known = (told["store"], told["epoch"]), self.name
        self.name = name
        if known and (beyond or self.is_behind(name, known, told)):
            last, self.next_seq = self.next_seq - 1, told["newest"] + 1
            self.waiting.clear()
            connection.close()
            raise Restored(told, last)
        self.connection = connection
        if self.next_seq is None:
            self.next_seq = told["next"]

    def is_behind(self, name, known, told):
        """Whether the store lacks decisions that were received: a newer epoch begins where the last
        one ended, and never before."""
        return name[0] != known[0] or (name != known and told["began"] < self.next_seq - 1)

    def poll(self, timeout):
        """The next decision, or None when none came in that time."""
        end = time.monotonic() + timeout
        while True:
            if self.waiting:
                decision = self.waiting.pop(0)
            else:
                try:
                    message = self.message(max(end - time.monotonic(), 0.0))
                except OSError:
                    self.service.insist(self.connect)
                    continue
                if message is None:
                    return None
                if message.get("method") == "missed":
                    self.fetch(message["params"])
                    continue
                decision = message["params"]
            if decision["seq"] < self.next_seq:
                continue  # told twice over two connections
            self.next_seq = decision["seq"] + 1
            return decision

    def message(self, timeout):
        if self.connection is None:
            raise ConnectionError("not connected")
        told = self.connection.told
        return told.pop(0) if told else self.connection.read(timeout)

    def fetch(self, missed):
        """Fetches from the store the decisions that a slow subscriber missed."""
        first = missed["from"]
        while first <= missed["to"]:
            found = self.service.insist(
                lambda: self.service.call("decisions", **{"from": first, "to": missed["to"]})
            )
            if not found:
                break
            self.waiting += found
            first = found[-1]["seq"] + 1
