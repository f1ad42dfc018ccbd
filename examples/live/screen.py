#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""A terminal's screen, as `tmux capture-pane -e` prints it, as a page."""

import html
import re
import sys

COLORS = {31: "#ff7b72", 32: "#1fbf92", 33: "#e69f00", 34: "#3d9be0", 35: "#e09cc4", 39: ""}
ON = {1: "font-weight:bold", 2: "opacity:.75", 4: "text-decoration:underline",
      7: "background:#d8dee9;color:#17171a"}
OFF = {22: (1, 2), 24: (4,), 27: (7,)}


def main():
    on, color, out = set(), "", []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", sys.stdin.read().rstrip("\n")):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not codes:
            # Reverse video shows a colour as its ground.
            style = [ON[code] for code in sorted(on)]
            if color and 7 not in on:
                style.append("color:" + color)
            out.append(f'<span style="{";".join(style)}">{html.escape(piece)}</span>')
            continue
        for code in map(int, filter(None, (codes[1] or "0").split(";"))):
            if code == 0:
                on, color = set(), ""
            elif code in ON:
                on.add(code)
            elif code in OFF:
                on -= set(OFF[code])
            else:
                color = COLORS.get(code, color)
    print('<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0;background:#17171a}'
          "pre{margin:12px;color:#f0f0f2;font:14px/1.25 'DejaVu Sans Mono',monospace}</style>"
          f"<pre>{''.join(out)}</pre>")


main()
