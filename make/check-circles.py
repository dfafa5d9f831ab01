#!/usr/bin/env python3
"""Units that include each other in a circle, within each folder of the tree: none but those listed.

A unit is a .c file with the header of its name; NAME_priv.h and NAME_fields.h are NAME's own, too.
With "matrix" as its argument it prints how many units of which room include which room.
"""
import collections
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from graph import circles

FOLDERS = ["core", "loader", "hwviews", "scripting", "ui"]
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')

# Circles that are tolerated, each by its units, with an empty line between. A circle that was cut
# leaves the list.
ALLOWED = """
"""


def unit_of(path):
    stem, _, end = path.rpartition(".")
    return re.sub("_(priv|fields)$", "", stem) if end in ("c", "h") else path


def includes(folder):
    """Of each unit which others of its folder it includes, and where."""
    found = collections.defaultdict(dict)
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", folder], text=True)
    for name in names.split("\n"):
        if not name.endswith((".c", ".h", ".inc")):
            continue
        try:
            file = open(name, encoding="utf-8")
        except FileNotFoundError:
            continue  # removed, and not committed yet
        unit = unit_of(name)
        found[unit]
        with file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                if match and match[1].startswith(folder + "/") and unit_of(match[1]) != unit:
                    found[unit].setdefault(unit_of(match[1]), f"{name}:{number}")
    return found


def matrix(folder, graph):
    rooms = collections.Counter()
    for unit, others in graph.items():
        for other in others:
            a, b = (u.split("/")[1] if u.count("/") > 1 else "." for u in (unit, other))
            rooms[a, b] += 1
    names = sorted({a for pair in rooms for a in pair})
    print(f"{folder}: rows include columns")
    print(" " * 12 + "".join(f"{n[:9]:>10}" for n in names))
    for a in names:
        print(f"{a:12}" + "".join(f"{rooms[a, b] or '':>10}" for b in names))


def main():
    allowed = [set(circle.split()) for circle in ALLOWED.split("\n\n")]
    bad = False
    for folder in FOLDERS:
        graph = includes(folder)
        found = circles(graph)
        if sys.argv[1:] == ["matrix"]:
            matrix(folder, graph)
            print(f"{folder}: {len(graph)} units, circles of {[len(c) for c in found] or 'none'}\n")
            continue
        for circle in found:
            if any(set(circle) <= known for known in allowed):
                continue
            bad = True
            print(f"{folder}: {len(circle)} units include each other in a circle: put a struct that "
                  "two of them need into a header of its own, or move a function to where it is "
                  "called:")
            for unit in circle:
                for other in graph[unit]:
                    if other in circle:
                        print(f"  {graph[unit][other]}: {unit} -> {other}")
    sys.exit(bad)


main()
