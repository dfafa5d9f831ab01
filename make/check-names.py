#!/usr/bin/env python3
"""Names of static functions: of two words at least, and each in one file of the tree only, so that
grep, `break` and a backtrace name one place. Prints every name that breaks this rule, and fails.

Guests' sources are left alone: their names are what tests and tours show.
"""
import collections
import re
import subprocess
import sys

ROOMS = ("core", "loader", "hwviews", "scripting", "ui")
OURS = r'#include "(core|loader|hwviews|scripting|ui|tests)/'
DEFINITION = re.compile(r"^(?:static\s[^;={}()#\"]*?\b(\w+)\s*\(|TEST(?:_WITH)?\((\w+))", re.M)
POINTERS = {"bool", "void", "int"}  # static bool (*name)(...)


def listed(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.split()


def without_attributes(text):
    """The text with __attribute__((...)) blanked: a function's name comes after it."""
    return re.sub(r"__attribute__\(\([^()]*(?:\([^()]*\))?[^()]*\)\)",
        lambda match: " " * len(match.group()), text)


def main():
    files = listed("git", "ls-files", *(f"{room}/*.{end}" for room in ROOMS
        for end in ("c", "h", "inc")))
    files += listed("git", "grep", "-lE", OURS, "--", "tests/*.c", "tests/*.h", "tests/*.inc")
    places = collections.defaultdict(dict)
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = without_attributes(file.read())
        for match in DEFINITION.finditer(text):
            name = match.group(1) or match.group(2)
            if name not in POINTERS:
                places[name].setdefault(path, text.count("\n", 0, match.start()) + 1)
    bad = 0
    for name, where in sorted(places.items()):
        one_word = "_" not in name and name != "main"
        if not one_word and len(where) == 1:
            continue
        bad += 1
        print(f"{', '.join(f'{path}:{line}' for path, line in sorted(where.items()))}: {name}(): "
            + ("expected its unit's name before it" if one_word else "expected a name in one file"))
    sys.exit(bad > 0)


main()
