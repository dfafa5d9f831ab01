#!/usr/bin/env python3
"""Checks screens for faults that no terminal size may cause.

    tests/tty/sizes.py FOLDER

Each file of the folder is a screen, COLUMNSxROWS-PROGRAM-LAYOUT. Prints a line for each number that
is cut ("3,000,0…" reads as a number, and is none), each sign or reason without its end, each title
that is, and each blank rectangle of more than a third of the screen; then their number."""
import re
import sys
from pathlib import Path

# Also in the middle: 0x25…25. `f(p, 0,…` is a line of source: no number begins with "0,".
CUT_NUMBER = re.compile(r"(?<![\w.…])(?!0,…)[-+#]?(0x[0-9a-f]*[0-9a-f]|[0-9][0-9,.]*)…")
# A sign without its number, a number without its meaning, and a queue without "full"; `(line +…` is
# source.
CUT_END = re.compile(r"(?<![\w)\]])[ (][-+]…|(?<!\w )\b[0-9]+: ?…|"
    r"(reorder buffer|(load/store|issue) queue|write buffer) ?…")
TITLE = re.compile(r"(?:^|[├┤┬┼┴])─ ([^─│]*?) ─")


def largest_blank(lines, columns):
    """Area of the largest rectangle of blanks, and its upper line."""
    height, best, where = [0] * columns, 0, 0
    for y, line in enumerate(lines):
        line = line.ljust(columns)
        height = [h + 1 if c == " " else 0 for h, c in zip(height, line)]
        stack = []
        for x, h in enumerate(height + [0]):
            start = x
            while stack and stack[-1][1] >= h:
                start, tall = stack.pop()
                if tall * (x - start) > best:
                    best, where = tall * (x - start), y - tall + 1
            stack.append((start, h))
    return best, where


def faults(name, lines):
    columns, rows = map(int, name.split("-")[0].split("x"))
    if not any(lines):
        yield "nothing is shown"
    for line in lines:
        for cut in CUT_NUMBER.finditer(line):
            yield f"a number is cut: {line[max(0, cut.start() - 12):cut.end() + 4].strip()}"
        for cut in CUT_END.finditer(line):
            yield f"an end is cut: {line[max(0, cut.start() - 12):cut.end() + 4].strip()}"
        for title in TITLE.findall(line):
            if not re.search(r"[A-Za-z]{2}", title) or title.rstrip().endswith("…"):
                yield f"a title without its noun: {title}"
    area, y = largest_blank(lines, columns)
    if 3 * area > columns * rows:
        yield f"{100 * area // (columns * rows)} % of the screen are blank, from line {y + 1} on"


def main():
    screens = sorted(Path(sys.argv[1]).iterdir())
    found = 0
    for screen in screens:
        for fault in faults(screen.name, screen.read_text().splitlines()):
            print(f"{screen.name}: {fault}")
            found += 1
    print(f"{len(screens)} screens, {found} faults")


main()
