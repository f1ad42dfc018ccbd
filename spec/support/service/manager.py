# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A service manager that is none: starts a service as systemd does, and tells what it heard.

    manager.py SOCKET COMMAND...

SOCKET is a path, or "@name". The service is reloaded once it is ready, then stopped.
"""

import os
import signal
import socket
import subprocess
import sys


def main():
    address, command = sys.argv[1], sys.argv[2:]
    ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ear.bind("\0" + address[1:] if address[0] == "@" else address)
    ear.settimeout(60)
    environment = dict(os.environ, NOTIFY_SOCKET=address, WATCHDOG_USEC="200000")
    child = subprocess.Popen(command, env=environment)
    heard, reloaded, stopped = [], False, False
    while True:
        try:
            text = ear.recv(4096).decode()
        except (socket.timeout, BlockingIOError):
            break
        lines = text.split("\n")
        heard.append(text)
        print(lines, flush=True)
        if "READY=1" in lines and not reloaded:
            child.send_signal(signal.SIGHUP)
            reloaded = True
        beats = sum("WATCHDOG=1" in one for one in heard)
        if not stopped and beats >= 5 and sum("READY=1" in one for one in heard) >= 2:
            child.send_signal(signal.SIGTERM)
            stopped = True
        if stopped and "STOPPING=1" in lines:
            break
    status = child.wait(60)
    print("ended", status)


if __name__ == "__main__":
    main()
