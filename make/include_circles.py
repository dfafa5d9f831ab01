#!/usr/bin/env python3
"""include_circles.py ROOM...: sources of a room that include each other in a circle.

A source and its header are one unit. Prints the includes of each circle; fails if there is one.
"""
import re
import subprocess
import sys


def unit_of(name):
    return re.sub(r"\.(c|h|inc)$", "", name)


def includes_of(room):
    """{unit: {unit that it includes: where}}"""
    found = {}
    command = ["git", "ls-files", "-co", "--exclude-standard", room]
    for name in subprocess.check_output(command, text=True).split("\n"):
        if not name.endswith((".c", ".h", ".inc")):
            continue
        into = found.setdefault(unit_of(name), {})
        with open(name, encoding="utf-8") as file:
            text = file.read()
            for header in re.findall(rf'^#include "({room}/[^"]+\.(?:h|inc))"', text, re.M):
                if unit_of(header) != unit_of(name):
                    into[unit_of(header)] = f"{name} includes {header}"
    return found


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for unit in graph.get(todo.pop(), ()):
            if unit not in seen:
                seen.add(unit)
                todo.append(unit)
    return seen


def main():
    bad = False
    for room in sys.argv[1:]:
        graph = includes_of(room)
        behind = {unit: reached(graph, unit) for unit in graph}
        for unit in sorted(graph):
            for other, where in sorted(graph[unit].items()):
                if unit in behind.get(other, ()):
                    print(f"{where}, from which includes lead back to {unit}")
                    bad = True
    sys.exit(bad)


main()
