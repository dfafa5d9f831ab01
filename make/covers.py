#!/usr/bin/env python3
"""Which tests cover which file: reads tests/covers.txt, whose grammar is at its top.

  make/covers.py why FILE...       the tests of each file, and why
  make/covers.py check BUILD builds what the tests of the changed files need, runs them, prints how
                                   long it took.
                                   SINCE=REV: what has changed since; LIMIT=SECONDS of processor
                                   time, 90 by default
  make/covers.py needs BUILD FILE  what make has to build for the tests that FILE names, one a line
  make/covers.py lint              the table: every source has a test, every test exists, no row is
                                   of no use
"""
import glob
import os
import re
import subprocess
import sys
import time

TABLE = "tests/covers.txt"
ROOMS = ("core", "loader", "hwviews", "scripting", "ui")
SOURCE = re.compile(r"^(%s)/.*\.(c|h|def|inc|lua)$" % "|".join(ROOMS))
FILE_LIMIT = 30  # seconds of processor time for one file


def lines_of(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
        check=True).stdout.splitlines()


class Row:
    def __init__(self, number, patterns, tests):
        self.number = number
        self.patterns = [(p, re.compile(re.escape(p).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
            + "$")) for p in patterns]
        self.tests = tests
        self.used = set()


class Table:
    """The rows in their order, and the seconds of processor time that tests take."""

    def __init__(self):
        self.rows, self.seconds = [], {}
        with open(TABLE, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.split("#")[0].strip()
                if "=" in line:
                    test, seconds = line.split("=")
                    self.seconds[test.strip()] = float(seconds)
                elif line:
                    patterns, colon, tests = line.partition(" : ")
                    if not colon:
                        sys.exit(f"{TABLE}:{number}: neither FILES : TESTS nor TEST = SECONDS")
                    self.rows.append(Row(number, patterns.split(), tests.split()))

    def cost(self, tests):
        return sum(self.seconds.get(test, 0) for test in tests)

    def row(self, path):
        for row in self.rows:
            for pattern, regex in row.patterns:
                if regex.match(path):
                    row.used.add(pattern)
                    return row
        return None

    def tests(self, path):
        """[(test, why)], the strongest first. A header counts as the source beside it."""
        if path.endswith(".h") and os.path.exists(path[:-2] + ".c"):
            path = path[:-2] + ".c"
        found = []
        test = test_of(path)
        if test:
            return [(test, "it is that test")]
        name = "test_" + os.path.splitext(os.path.basename(path))[0]
        if path.split("/")[0] in map(room_of_unit, unit_source(name)):
            found.append((name, f"named after {path}"))
        row = self.row(path)
        if row:
            found += [(t, f"{TABLE}:{row.number}") for t in row.tests if t != name or not found]
        return found


def test_of(path):
    """The test whose own source this is."""
    match = re.fullmatch(r"tests/(?:unit/\w+|(\w+))/(\w+)\.(?:c|sh|lua)", path)
    if not match:
        return None
    area, name = match.groups()
    test = f"{area}/{name}" if area else name
    return test if source_of(test) == path else None


def unit_source(name):
    """[the source of that unit test], in whichever room it lies."""
    return glob.glob(f"tests/unit/*/{name}.c")


def room_of_unit(path):
    """The room of a unit test: its folder is a room, or a part of one."""
    folder = path.split("/")[2]
    return "hwviews" if folder == "cells" else folder if folder in ROOMS else "core"


def source_of(test):
    """Where a test lies, or None: the names that tests/run.sh takes."""
    area, slash, name = test.partition(":")[0].rpartition("/")
    candidates = [f"tests/{area}/{name}.sh", f"tests/{area}/{name}.c",
        f"tests/{area}/{name}.lua"] if slash else unit_source(name)
    for path in candidates:
        if not os.path.exists(path):
            continue
        if path.endswith(".sh") and area not in ("bench", "fuzz") and os.access(path, os.X_OK):
            return path
        if not path.endswith(".sh") and name.startswith("test_") and ":" not in test:
            return path
    return None


class Targets:
    """The targets that tests need: of all that `make test` builds, those that a test mentions."""

    def __init__(self, build):
        self.build = build
        self.programs = []
        for goal in ("test-programs", "demos"):
            listing = subprocess.run(["make", "-pnq", f"BUILD={build}", goal],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in listing.stdout.splitlines():
                if line.startswith(goal + ": "):
                    self.programs += line.split()[1:]

    def of(self, test, all_guests=False):
        source = source_of(test)
        if source.startswith("tests/unit/") or (source.endswith(".c")):
            wanted = {f"{self.build}/{source[:-2]}"}
        else:
            wanted = {f"{self.build}/cyclops"}
            text = open(source, encoding="utf-8").read()
            prefixes = re.findall(r"BUILD[^\s\"]*?/(tests/[\w/]+)", text)
            prefixes += [f"tests/{area}/test_" for area in re.findall(r"^run_cmocka (\w+)", text,
                re.M)]
            for prefix in prefixes:
                wanted |= {p for p in self.programs if p.startswith(f"{self.build}/{prefix}")}
        guests = {p for p in self.programs if p.startswith("build/")
            and not p.startswith(self.build + "/")}
        if "debian" not in open(source, encoding="utf-8").read():
            guests = {p for p in guests if not p.startswith("build/debian/")}
        return wanted | {p for p in guests if all_guests or not os.path.exists(p)}


def changed_files():
    since = os.environ.get("SINCE")
    if since:
        files = lines_of(["git", "diff", "--name-only", since])
    else:
        files = [line[3:].split(" -> ")[-1].strip('"')
            for line in lines_of(["git", "status", "--porcelain", "-uall"])]
        if not files:
            files = lines_of(["git", "diff", "--name-only", "HEAD~1", "HEAD"])
    return sorted(
        set(files)), "since " + since if since else "since the last commit" if files else ""


def chosen(table, files, limit):
    """The tests of all files that fit into the limit, each file's strongest first; and the others."""
    lists = [[test for test, _ in table.tests(path)] for path in files]
    wanted, left, spent = [], [], 0
    for place in range(max(map(len, lists), default=0)):
        for tests in lists:
            if place < len(tests) and tests[place] not in wanted and tests[place] not in left:
                cost = table.seconds.get(tests[place], 0)
                if wanted and spent + cost > limit:
                    left.append(tests[place])
                else:
                    wanted.append(tests[place])
                    spent += cost
    return wanted, left


def check(build):
    table, start = Table(), time.time()
    files, _ = changed_files()
    wanted, left = chosen(table, files, float(os.environ.get("LIMIT", 90)))
    bare = [path for path in files if not table.tests(path)]
    print(f"{len(files)} files changed: {' '.join(files[:8])}{' ...' if len(files) > 8 else ''}")
    status = 0
    if wanted:
        print(f"their tests: {' '.join(wanted)}", flush=True)
        targets, needed = Targets(build), set()
        for test in wanted:
            needed |= targets.of(test, any(path.startswith(("demos/", "tests/")) for path in files))
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS",
            "MAKELEVEL")}
        jobs = f"-j{os.cpu_count()}"
        status = subprocess.run(["make", jobs, "-s", "--no-print-directory", f"BUILD={build}",
            *sorted(needed)], env=environment).returncode
        built = time.time()
        if status == 0:
            status = subprocess.run(["tests/run.sh", build, *wanted], env=environment).returncode
            print(f"built in {built - start:.0f} s, tested in {time.time() - built:.0f} s")
    if left:
        print(f"left out, for they take longer (LIMIT=SECONDS): {' '.join(left)}")
    if bare:
        print(f"no test covers {' '.join(bare)}")
    return status


def why(files):
    table = Table()
    for path in files:
        tests = table.tests(path)
        print(f"{path}: {table.cost([t for t, _ in tests]):.0f} s of processor time" if tests
            else f"{path}: no test covers it")
        for test, reason in tests:
            seconds = table.seconds.get(test)
            print(f"  {test:<32} {'' if seconds is None else f'{seconds:5.1f} s'}  {reason}")
    return 0


def lint():
    table, bad = Table(), []
    for path in lines_of(["git", "ls-files", "-co", "--exclude-standard"]):
        tests = [t for t, _ in table.tests(path)]
        if SOURCE.match(path) and os.path.exists(path):
            if not tests:
                bad.append(f"{path}: no row of {TABLE} has a test for it")
            elif table.cost(tests) > FILE_LIMIT:
                bad.append(
                    f"{path}: its tests take {table.cost(tests):.0f} s of processor time, more "
                    f"than {FILE_LIMIT}")
    for path in glob.glob("tests/unit/*.[ch]"):
        bad.append(f"{path}: unit tests lie in rooms, tests/unit/*/")
    for row in table.rows:
        for pattern, _ in row.patterns:
            if pattern not in row.used:
                bad.append(
                    f"{TABLE}:{row.number}: {pattern}: there is no such file, or a row "
                    f"before has it")
        for test in row.tests:
            if not source_of(test):
                bad.append(f"{TABLE}:{row.number}: {test}: there is no such test")
            elif test not in table.seconds:
                bad.append(f"{TABLE}:{row.number}: {test}: no row says how long it takes")
    named = {test for row in table.rows for test in row.tests}
    for test in table.seconds:
        if not source_of(test) or (test not in named and "/" in test):
            bad.append(f"{TABLE}: {test} = ...: no row names it")
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return 1 if bad else 0


def needs(build, path):
    targets, needed = Targets(build), set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            test = line.split("#")[0].strip()
            if test and not source_of(test):
                print(f"{path}: there is no test {test}", file=sys.stderr)
                return 1
            if test:
                needed |= targets.of(test)
    print("\n".join(sorted(needed)))
    return 0


def main(arguments):
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/..")
    if len(arguments) > 1 and arguments[0] == "why":
        return why(arguments[1:])
    if len(arguments) == 2 and arguments[0] == "check":
        return check(arguments[1])
    if len(arguments) == 3 and arguments[0] == "needs":
        return needs(*arguments[1:])
    if arguments == ["lint"]:
        return lint()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
