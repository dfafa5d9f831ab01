#!/usr/bin/env python3
"""Lines of our sources and of pages (Markdown) end at 100 columns, a tab being 8 wide.

Guests' sources are left alone, for tours and tests name their lines; so are tables of core/ (.def),
whose rows are lines. Exempt are tables and blocks of pages, usage lines (`--- m:run(...)`), texts
over several lines, and lines with a word, a link, a piece of code or a text of half a line or more.
"""
import os
import re
import subprocess
import sys

LIMIT = 100
ROOMS = ["core", "loader", "hwviews", "scripting", "ui", "tests/unit"]
SOURCES = [f"{room}/*.{end}" for room in ROOMS for end in ("c", "h", "inc")]
SCRIPTS = ["*.lua", "*.sh", "*.py", "ui/*.def", "ui/help/pages/*.txt", "*.md"]

# Texts over several lines: their contents are foreign text, or output.
TEXTS = {
    "lua": r"\[(=*)\[.*?\]\1\]",
    "py": r'\S[^\n"]*""".*?"""',
    "sh": r"(?<!\S)#[^\n]*|\"(?:\\.|[^\"\\])*\"|'[^']*'|<<-?\s*['\"\\]?([A-Za-z_]\w*)[^\n]*\n.*?\n\s*\1\n",
}


def widest(line, quotes):
    """How long the longest piece is that can't be broken."""
    pieces = r"`[^`]*`|!?\[[^]]*\]\([^)]*\)"
    if quotes:
        pieces += r"""|\[\[.*?\]\]|"(?:\\.|[^"\\])*"|'[^']*'"""
    return max(map(len, re.sub(pieces, lambda m: "x" * len(m[0]), line).split()))


def in_texts(end, text):
    """Numbers of the lines that a text over several lines touches."""
    lines = set()
    for match in re.finditer(TEXTS[end], text, re.S) if end in TEXTS else ():
        first, last = (text.count("\n", 0, at) + 1 for at in match.span())
        if first < last:
            lines |= set(range(first, last + 1))
    return lines


def too_long(name):
    end = name.rpartition(".")[2]
    block = False
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    exempt = in_texts(end, text)
    for number, line in enumerate(text.split("\n"), 1):
        if end == "md" and line.lstrip().startswith("```"):
            block = not block
        if end == "md" and (block or line.lstrip().startswith(("|", "#", ">"))):
            continue
        if end == "lua" and re.match(r"\s*--- |\s*--    ", line):
            continue
        if len(line.expandtabs(8)) <= LIMIT or number in exempt:
            continue
        if widest(line, end in ("lua", "py", "sh", "def")) < LIMIT / 2:
            yield number


def main():
    names = subprocess.check_output(["git", "ls-files"] + SOURCES + SCRIPTS, text=True).split("\n")
    found = []
    for name in filter(os.path.exists, names):
        found += [f"{name}:{number}" for number in too_long(name)]
    for place in found:
        print(f"{place}: longer than 100 columns")
    sys.exit(bool(found))


main()
