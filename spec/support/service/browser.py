# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Drives a headless Chromium by steps, with Python's standard library alone.

    python3 browser.py [WIDTH HEIGHT] < steps.jsonl

A step is a line: {"goto": URL}, {"wait": EXPRESSION} until it is true, {"eval": EXPRESSION}, {"keys": ["Tab", "ArrowDown", ...]}, {"type": TEXT}, {"click": SELECTOR},
{"media": {"prefers-color-scheme": "dark"}}, {"shot": FILE}, {"run": [COMMAND...]}. Each answers with a
line of JSON: {"value": ...}, or {"error": ...}, which ends it. {"console": [...]} is the last: what
the page complained of.
"""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37,
        "ArrowRight": 39, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33}


class Socket:
    """As much of a WebSocket as DevTools need: masked texts out, texts in."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                             "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = (struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else
                struct.pack("!BBH", 0x81, 0xFE, size) if size < 65536 else
                struct.pack("!BBQ", 0x81, 0xFF, size))
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(head + mask + body)

    def receive(self):
        whole = b""
        while True:
            first, second = self.file.read(2)
            size = second & 0x7F
            if size == 126:
                size, = struct.unpack("!H", self.file.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.file.read(8))
            whole += self.file.read(size)
            if first & 0x80:
                return whole.decode()


class Page:
    def __init__(self, folder, width, height):
        program = next(filter(None, map(shutil.which, NAMES)))
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--hide-scrollbars", f"--window-size={width},{height}", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.console = 0, []
        self.socket = Socket(*self.port(folder))
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each for each in targets if each["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget",
                                 {"targetId": target, "flatten": True})["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            self.call(part + ".enable")
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    session = None

    def port(self, folder):
        file = os.path.join(folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(file):
                lines = open(file).read().split("\n")
                if len(lines) == 2:
                    return int(lines[0]), lines[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("the browser does not start")

    def call(self, method, params=None):
        self.number += 1
        text = {"id": self.number, "method": method, "params": params or {}}
        if self.session:
            text["sessionId"] = self.session
        self.socket.send(json.dumps(text))
        while True:
            answer = json.loads(self.socket.receive())
            self.hear(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def hear(self, event):
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.console.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True,
                                                "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait(self, expression):
        end = time.time() + 60
        while time.time() < end:
            # An element by value would be an empty object.
            value = self.evaluate(f"(it => it instanceof Node || it)({expression})")
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError(f"never true: {expression}; the page says: "
                           + (self.evaluate("document.body.innerText") or "")[:2000])

    def key(self, name):
        event = {"key": name, "code": name, "windowsVirtualKeyCode": KEYS.get(name, 0)}
        if name == "Enter":
            event["text"] = "\r"
        elif len(name) == 1:
            event["text"] = name
        self.call("Input.dispatchKeyEvent", dict(event, type="keyDown"))
        self.call("Input.dispatchKeyEvent", dict(event, type="keyUp"))

    def click(self, selector):
        x, y = self.evaluate("(() => { const box = document.querySelector(%s)"
                             ".getBoundingClientRect(); return [box.x + box.width / 2, "
                             "box.y + box.height / 2]; })()" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left",
                                                   "clickCount": 1})

    def step(self, step):
        if "goto" in step:
            self.call("Page.navigate", {"url": step["goto"]})
        elif "wait" in step:
            return self.wait(step["wait"])
        elif "eval" in step:
            return self.evaluate(step["eval"])
        elif "keys" in step:
            for name in step["keys"]:
                self.key(name)
        elif "type" in step:
            self.call("Input.insertText", {"text": step["type"]})
        elif "click" in step:
            self.click(step["click"])
        elif "media" in step:
            self.call("Emulation.setEmulatedMedia", {"features": [
                {"name": name, "value": value} for name, value in step["media"].items()]})
        elif "shot" in step:
            image = self.call("Page.captureScreenshot", {"format": "png"})["data"]
            with open(step["shot"], "wb") as file:
                file.write(base64.b64decode(image))
        elif "run" in step:
            subprocess.run(step["run"], check=True, stdout=subprocess.DEVNULL)
        else:
            raise RuntimeError("no such step: " + json.dumps(step))
        return None


def main():
    width, height = map(int, sys.argv[1:3] if len(sys.argv) > 2 else (1280, 900))
    folder, page = tempfile.mkdtemp(), None
    try:
        page = Page(folder, width, height)
        for line in sys.stdin:
            if line.strip():
                print(json.dumps({"value": page.step(json.loads(line))}), flush=True)
        print(json.dumps({"console": page.console}))
    except (RuntimeError, OSError, ValueError) as error:
        print(json.dumps({"error": str(error)}))
    finally:
        if page:
            page.process.terminate()
            page.process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
