#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A network between a service and its database that can be cut: passes what comes over one Unix
socket on to another.

    relay.py LISTEN TARGET

Each line of standard input says how: "pass"; "hold", in neither direction, until it passes again;
"deaf", questions alone; "reset", connections end at once; "slow", each piece 50 ms late. Bytes that
were held are late then, not lost, as with a network that repeats them. A line is answered by one.
"""

import asyncio
import os
import sys


class Relay:
    def __init__(self, target):
        self.target, self.mode, self.writers = target, "pass", set()
        self.changed = asyncio.Condition()

    async def change(self, mode):
        async with self.changed:
            self.mode = mode
            self.changed.notify_all()
        if mode == "reset":
            for writer in list(self.writers):
                writer.transport.abort()

    async def may_pass(self, asks):
        async with self.changed:
            await self.changed.wait_for(
                lambda: self.mode != "hold" and (asks or self.mode != "deaf"))
        if self.mode == "slow":
            await asyncio.sleep(0.05)

    async def pump(self, reader, writer, asks):
        try:
            while piece := await reader.read(1 << 18):
                await self.may_pass(asks)
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        await self.may_pass(asks)  # an end travels as bytes do
        writer.close()

    async def serve(self, reader, writer):
        other = None
        try:
            await self.may_pass(True)
            if self.mode != "reset":
                back, other = await asyncio.open_unix_connection(self.target)
                self.writers |= {writer, other}
                await asyncio.gather(self.pump(reader, other, True), self.pump(back, writer, False))
        except OSError:
            pass
        self.writers -= {writer, other}
        writer.close()

    async def run(self, path):
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await asyncio.start_unix_server(self.serve, path)
        os.chmod(path, 0o777)
        print("pass", flush=True)
        while line := await reader.readline():
            await self.change(line.decode().strip())
            print(self.mode, flush=True)


async def main(path, target):
    await Relay(target).run(path)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
