# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A live view and a socket under those who flood them or stop reading; one JSON object comes of it.

    flood.py SCENARIO PID HTTP-PORT SOCKET [COUNT]

PID is the service's, whose memory, processor time and open files are looked at.
"""
import contextlib
import importlib.util
import json
import os
import resource
import socket
import struct
import sys
import time

SPEC = importlib.util.spec_from_file_location(
    "browser", os.path.join(os.path.dirname(os.path.abspath(__file__)), "browser.py"))
browser = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(browser)

PID, PORT, PATH = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def memory():
    with open(f"/proc/{PID}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(PATH)
        self.file = self.socket.makefile("rb")

    def call(self, method, **params):
        line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(line).encode() + b"\n")
        return json.loads(self.file.readline())["result"]


def asleep(count):
    """How many of so many looks, 20 ms apart, find its main thread waiting for something."""
    found = 0
    for _ in range(count):
        with open(f"/proc/{PID}/stat", encoding="ascii") as file:
            found += file.read().rsplit(")", 1)[1].split()[0] == "S"
        time.sleep(.02)
    return found


def get(path):
    """The status of an answer over HTTP, or 0."""
    with contextlib.suppress(OSError, ValueError), socket.create_connection(
            ("127.0.0.1", PORT), 5) as tcp:
        tcp.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return int(tcp.makefile("rb").readline().split()[1])
    return 0


def move(client, count):
    """So many decisions: a grant each."""
    for _ in range(count):
        client.call("demand", consumer="/biology", slots=10)
        client.call("cycle")
        client.call("demand", consumer="/biology", slots=0)
        client.call("release", consumer="/biology", slots=10)


def scenario_stops_reading(count):
    """A viewer says what it looks at and reads nothing; then it reads all that there is."""
    client = Client()
    viewers = []
    for _ in range(8):
        viewer = browser.Socket(PORT, "/events")
        viewer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        viewer.send(json.dumps({"watch": ["/", "/physics"]}))
        viewers.append(viewer)
    first = json.loads(viewers[0].receive())
    move(client, 20)
    before = memory()
    move(client, count)
    grown = memory() - before
    newest = client.call("status")["decision"]
    told, missed, state = set(), 0, {}
    viewers[0].socket.settimeout(60)
    with contextlib.suppress(OSError):
        while state.get("seq") != newest:
            state = json.loads(viewers[0].receive())
            told.update(each["seq"] for each in state["told"])
            missed += state.get("missed", 0)
    behind = first["seq"]
    return {"grown": grown, "seq": state.get("seq"), "newest": newest,
            "told": len(told), "missed": missed, "wanted": newest - behind, "well": get("/healthz")}


def frame(opcode, body):
    head = struct.pack("!BB", 0x80 | opcode, 0x80 | len(body)) if len(body) < 126 else \
        struct.pack("!BBH", 0x80 | opcode, 0xFE, len(body))
    return head + b"\0\0\0\0" + body


def scenario_floods(count):
    """Viewers that talk as fast as they can and read nothing."""
    client = Client()
    pieces = [frame(1, json.dumps({"watch": ["/", ["/physics", 0, 2]]}).encode()),
              frame(9, b"ping"), frame(1, b"nonsense"), frame(1, b'{"watch": "all"}'),
              frame(1, json.dumps({"watch": ["/"] * 127}).encode()), frame(10, b"")]
    viewers = [browser.Socket(PORT, "/events") for _ in range(8)]
    before, answers, sent = memory(), 0, 0
    for viewer in viewers:
        viewer.socket.setblocking(False)
    for _ in range(count):
        for viewer in viewers:
            with contextlib.suppress(OSError):
                sent += viewer.socket.send(b"".join(pieces) * 50)
        answers += client.call("demand", consumer="/biology", slots=sent % 50)["seq"] > 0
    grown = memory() - before
    for viewer in viewers:
        viewer.socket.close()
    return {"grown": grown, "answers": answers, "sent": sent, "well": get("/healthz")}


def scenario_greedy(count):
    """Clients that ask for all decisions, again and again, and read no answer."""
    client = Client()
    move(client, 400)
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "decisions", "params": {"from": 1, "most": 1000}}\n'
    before = memory()
    greedy = []
    for _ in range(8):
        each = Client()
        each.socket.setblocking(False)
        with contextlib.suppress(OSError):
            each.socket.send(line * count)
        greedy.append(each)
    until = time.monotonic() + 2
    while time.monotonic() < until:
        client.call("ping")
        time.sleep(.01)
    grown = memory() - before
    each = greedy[0]
    each.socket.settimeout(60)
    answers = [json.loads(each.file.readline())["result"] for _ in range(count)]
    return {"grown": grown, "answers": len(answers), "same": all(it == answers[0] for it in answers),
            "long": len(answers[0])}


def scenario_reloads(count):
    """A client that asks for reloads without end, and reads no answer until it has asked all."""
    client = Client()
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "reload"}\n'
    before = memory()
    client.socket.sendall(line * count)
    grown = memory() - before
    answers = [json.loads(client.file.readline()) for _ in range(count)]
    return {"grown": grown, "answers": sum(it["result"]["result"] == "unchanged" for it in answers)}


def scenario_half_open(count):
    """Connections whose requests never end: who asks whether it is well is answered meanwhile."""
    late = []
    for i in range(count):
        late.append(socket.create_connection(("127.0.0.1", PORT), 60))
        late[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: loc" if i % 2 else b"")
    with socket.create_connection(("127.0.0.1", PORT), 60) as tcp:
        tcp.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        well = int(tcp.makefile("rb").readline().split()[1])
    waiting = 0
    for one in late:
        one.setblocking(False)
        try:
            waiting += one.recv(1) != b""
        except BlockingIOError:
            waiting += 1
        except ConnectionError:
            pass
    return {"well": well, "waiting": waiting}


def scenario_pipelines(count):
    """A client that asks much at once and reads all, while nothing else happens."""
    client = Client()
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "status"}\n'
    client.socket.sendall(line * count)
    return {"answers": sum(b'"result"' in client.file.readline() for _ in range(count))}


def scenario_out_of_files(count):
    """More connections than files may be open, on the socket and on the view."""
    clients, viewers, served = [], [], 0
    for _ in range(count):
        with contextlib.suppress(OSError):
            each = socket.socket(socket.AF_UNIX)
            each.settimeout(.2)
            each.connect(PATH)
            clients.append(each)
        with contextlib.suppress(OSError):
            viewers.append(socket.create_connection(("127.0.0.1", PORT), .2))
    for each in clients:
        with contextlib.suppress(OSError):
            each.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            served += b'"result"' in each.recv(4096)
    idle = asleep(100)
    for each in clients + viewers:
        each.close()
    until = time.monotonic() + 60
    while get("/healthz") != 200 and time.monotonic() < until:
        time.sleep(.1)
    return {"asleep": idle, "served": served, "came": len(clients), "well": get("/healthz"), "decides": Client().call("cycle")["cycle"] > 0}


def scenario_starved(count):
    """The same where the system itself refuses: no file can be opened any more."""
    before = resource.prlimit(PID, resource.RLIMIT_NOFILE)
    least = len(os.listdir(f"/proc/{PID}/fd")) + 4
    resource.prlimit(PID, resource.RLIMIT_NOFILE, (least, before[1]))
    return scenario_out_of_files(count)


print(json.dumps(globals()["scenario_" + sys.argv[1]](int(sys.argv[5]))))
