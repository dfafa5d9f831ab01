#!/usr/bin/env python3
"""Lines of the program's C sources, of its unit tests and of pages (Markdown) end at 100 columns, a tab being 8 wide.

Guests' sources are left alone, for tours and tests name their lines. Exempt are tables and
blocks of pages, and lines with a word, a link or a piece of code of half a line or more.
"""
import re
import subprocess
import sys

LIMIT = 100


def is_long(line):
    words = re.sub(r"`[^`]*`|!?\[[^]]*\]\([^)]*\)", lambda m: "x" * len(m[0]), line).split()
    return len(line.expandtabs(8)) > LIMIT and max(map(len, words)) < LIMIT / 2


def too_long(name):
    page, block = name.endswith(".md"), False
    with open(name, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if page and line.lstrip().startswith("```"):
                block = not block
            exempt = page and (block or line.lstrip().startswith(("|", "#", ">")))
            if is_long(line) and not exempt:
                yield number


def main():
    rooms = ["core", "loader", "hwviews", "scripting", "ui", "tests/unit"]
    patterns = [f"{room}/*.{end}" for room in rooms for end in ("c", "h", "inc")] + ["*.md"]
    names = subprocess.check_output(["git", "ls-files"] + patterns, text=True).split("\n")
    found = [f"{name}:{number}" for name in names if name for number in too_long(name)]
    for place in found:
        print(f"{place}: longer than 100 columns")
    sys.exit(bool(found))


main()
