#!/usr/bin/env python3
"""lines.py FOLDER: breakpoints on lines as gdb has them and as cyclops has, and how many differ.

One difference is known: of a line whose only beginning goes on with the line before it, gdb 13 has
no place, and takes a later line."""
import re
import sys

folder = sys.argv[1]
several = known = 0
wrong = []


def places(name):
    with open(f"{folder}/{name}", encoding="utf-8") as text:
        # Linkers know what a function of a template returns.
        return [re.sub(r"\.(constprop|isra|part|cold)\.\d+|\w+ (?=geo::)", "", line).rstrip("\n")
            for line in text]


for number, (theirs, ours) in enumerate(zip(places("lines-theirs"), places("lines-ours")), 1):
    several += " | " in theirs
    lines = [{int(p.rsplit(" ", 1)[1]) for p in told.split(" | ") if p} for told in (theirs, ours)]
    if theirs == ours:
        continue
    if lines[1] == {number} and lines[0] and min(lines[0]) > number:
        known += 1
    else:
        wrong.append(f"line {number}: gdb has it at {theirs or '-'}, cyclops at {ours or '-'}")
print("\n".join(wrong))
print(f"{number} lines, {several} of several places, {known} known, {len(wrong)} differences")
