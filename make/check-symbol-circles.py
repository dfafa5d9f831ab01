#!/usr/bin/env python3
"""Circles of objects that use each other's symbols, and references against the order of rooms.

An object uses another one if nm shows a symbol as undefined in the first and as defined in the
second. No more than SMALL objects may form a circle (a strongly connected component), and no object
of core/ may use one of a later step (make/check-includes.sh).

usage: check-symbol-circles.py OBJECTS            check; OBJECTS is a folder such as build/release
       check-symbol-circles.py OBJECTS show       print each circle, however small, by room, and the
                                                  references against the order
       check-symbol-circles.py OBJECTS edges OBJECT|ROOM...
                                                  print the references among the objects of each
                                                  circle that these take part in, with symbols
"""
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from graph import circles

SMALL = 8
FOLDERS = ["core", "loader", "hwviews", "scripting", "ui"]
ORDER = "make/check-includes.sh"


def room_of(unit):
    return unit.rpartition("/")[0]


def steps():
    """Each room of core/, or beginning of a path in it, with its step: the order of includes."""
    with open(ORDER, encoding="utf-8") as file:
        lines = re.search(r"^steps='\n(.*?)'", file.read(), re.S | re.M)[1].splitlines()
    return {word: number for number, line in enumerate(lines) for word in line.split()}


STEPS = steps()


def rank_of(unit):
    folder, _, rest = unit.partition("/")
    if folder != "core":
        return FOLDERS.index(folder), 0
    # An object is on the step of its header.
    fits = [word for word in STEPS if f"{rest}.h".startswith(word if "/" in word else word + "/")]
    return FOLDERS.index(folder), STEPS[max(fits, key=len)]


def sources():
    """Without those of another kind of host, which a native build leaves out."""
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", *(f"{f}/*.c" for f in FOLDERS)], text=True)
    return [name[:-2] for name in names.split("\n")
            if name and os.path.exists(name) and not name.startswith("core/host/web/")]


def references(folder):
    """The units that each unit uses, each with the symbols' names."""
    units = sources()
    missing = [unit for unit in units if not os.path.exists(f"{folder}/{unit}.o")]
    if missing:
        sys.exit(f"{folder}/{missing[0]}.o: expected an object of each source file: run `make`")
    text = subprocess.check_output(
        ["nm", "-A", "-P", "-g", *(f"{folder}/{unit}.o" for unit in units)], text=True)
    defined, wanted = {}, []
    for line in text.splitlines():
        path, symbol, kind = re.match(r"(.*)\.o: (\S+) (\S)", line).groups()
        unit = path[len(folder) + 1:]
        if kind in "Uw":
            wanted.append((unit, symbol))
        else:
            defined[symbol] = unit
    graph = {unit: collections.defaultdict(list) for unit in units}
    for unit, symbol in wanted:
        other = defined.get(symbol, unit)
        if other != unit:
            graph[unit][other].append(symbol)
    return graph


def show(graph, found, upward):
    print(f"{len(graph)} objects; circles: {len(found)}, of {sum(map(len, found))} objects, "
          f"{len([c for c in found if len(c) > SMALL])} of them larger than {SMALL}")
    for circle in found:
        rooms = collections.Counter(room_of(unit) for unit in circle)
        print(f"\n{len(circle)} objects: "
              + ", ".join(f"{room} {n}" for room, n in rooms.most_common()))
        if len(circle) <= SMALL:
            print("  " + " ".join(circle))
            continue
        # The largest circle without an object shows how much it holds together.
        for unit in circle:
            rest = {a: [b for b in graph[a] if b in circle and b != unit]
                    for a in circle if a != unit}
            left = max((len(c) for c in circles(rest)), default=0)
            users = sum(unit in graph[other] for other in circle)
            uses = sum(other in circle for other in graph[unit])
            print(f"  {unit}: used by {users}, uses {uses}, without it {left}")
    rooms = collections.Counter((room_of(a), room_of(b)) for a, b in upward)
    print(f"\nreferences against the order of rooms: {len(upward)}")
    for (a, b), n in rooms.most_common():
        print(f"  {a} -> {b}: {n}")


def edges(graph, found, names):
    for circle in found:
        if not any(unit in names or room_of(unit) in names for unit in circle):
            continue
        print(f"{len(circle)} objects:")
        for unit in circle:
            for other in graph[unit]:
                if other in circle:
                    print(f"  {unit} -> {other}: {' '.join(graph[unit][other])}")


def check(graph, found, upward):
    large = [circle for circle in found if len(circle) > SMALL]
    for circle in large:
        for unit in circle:
            print(f"{unit}.c: takes part in a circle of {len(circle)} objects that use each other's "
                  f"symbols; expected at most {SMALL}: move a function to where its callees are, "
                  "or hand down what is called upwards")
            for other in graph[unit]:
                if other in circle:
                    print(f"  -> {other}: {' '.join(graph[unit][other])}")
    for a, b in upward:
        print(f"{a}.c: uses {b}.c, of a later room: {' '.join(graph[a][b])}")
    return bool(large or upward)


def main():
    if len(sys.argv) < 2 or (sys.argv[2:] and sys.argv[2] not in ("show", "edges")):
        sys.exit(__doc__)
    graph = references(sys.argv[1])
    found = circles(graph)
    upward = [(a, b) for a in graph for b in graph[a] if rank_of(b) > rank_of(a)]
    if sys.argv[2:3] == ["show"]:
        show(graph, found, upward)
    elif sys.argv[2:3] == ["edges"]:
        edges(graph, found, sys.argv[3:])
    else:
        sys.exit(check(graph, found, upward))


main()
