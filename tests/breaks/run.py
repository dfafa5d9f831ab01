#!/usr/bin/env python3
"""Applies deliberate breaks to copies of the tree, one at a time, and reports which test notices
each.

  tests/breaks/run.py [PATTERN|NUMBER...]     breaks of which file or rule has PATTERN, or by their
                                              number; all by default
  tests/breaks/run.py --check                 only whether what each row replaces is there, just
                                              once

The breaks are the rows of tests/breaks/*.txt (grammar: core.txt). Each copy, build/breaks/tree*,
has a build folder of its own, of a flavour that compiles fast and is linked with the leak
sanitizer, so that what is not freed is noticed, too. A break's tests are those that
tests/covers.txt has for its file, in that order; the first that fails ends it. The status is 1
unless every break is noticed. COPIES=N works on N copies at a time, as many as there are processors
by default. TIMES=FILE: the runner's line for each test is added to it. Tests have the scale that
they have in make test, except for CYCLOPS_TEST_SCALE.
"""
import contextlib
import glob
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.abspath(__file__)) + "/../.."
sys.path.insert(0, TOP + "/make")
import covers  # noqa: E402

BUILD = "build/breaks"  # in a copy
GOOD = "build/breaks/good"  # the unbroken contents


class Break:
    def __init__(self, number, where, fields):
        self.number, self.where = number, where
        self.file, self.old, self.new, self.rule = fields

    def wanted(self, words):
        return not words or any(word == str(self.number) if word.isdigit() else word in self.file
            + " " + self.rule for word in words)

    def applied(self, text):
        """The text with the break in it; None if the replaced text does not occur exactly once."""
        pattern = r"\n[\t ]*".join(re.escape(part) for part in self.old.split("@/"))
        if len(re.findall(pattern, text)) != 1:
            return None
        return re.sub(pattern, lambda _: self.new.replace("@/", "\n"), text)


def read_breaks():
    rows = []
    for name in sorted(glob.glob("tests/breaks/*.txt")):
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if not line or line.startswith("#"):
                    continue
                fields = [field.strip() for field in line.split("@@")]
                if len(fields) != 4 or not fields[1]:
                    sys.exit(f"{name}:{number}: not FILE @@ OLD @@ NEW @@ RULE")
                rows.append(Break(len(rows) + 1, f"{name}:{number}", fields))
    return rows


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", **options)


def session(leader):
    """{process: processor seconds of it and of its children that have ended} of all in this
    session."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if name.isdigit() and int(fields[3]) == leader:
            found[int(name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


def seconds_of(leader):
    return sum(session(leader).values())


def sync(*arguments):
    subprocess.run(["rsync", "-a", "--delete", *arguments], check=True)


class Tree:
    """A copy of the tree, unbroken between two breaks."""

    passing = {}  # test -> whether it passes unbroken; of all copies
    lock = threading.Lock()

    def __init__(self, path, table, targets, jobs):
        self.path, self.table, self.targets, self.jobs = path, table, targets, jobs
        self.environment = {"CYCLOPS_TEST_SCALE": "full"}
        self.environment |= {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS",
            "MAKELEVEL", "CI", "WERROR")}

    def make(self, wanted):
        return run(["make", f"-j{self.jobs}", "-s", "--no-print-directory", "WERROR=-Werror",
            f"BUILD={BUILD}", *sorted(wanted)],
                   cwd=self.path, env=self.environment)

    def passes(self, test):
        # of processor time: an endless test has failed
        limit = max(60, int(5 * self.table.seconds.get(test, 0)))
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(["tests/run.sh", BUILD, test], cwd=self.path,
                env=self.environment, stdout=said, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                           (limit, limit + 5)))
            while True:
                try:
                    process.wait(2)
                    break
                except subprocess.TimeoutExpired:
                    # Each of a script's programs may use the script's whole time, so the sum is
                    # limited, too.
                    if seconds_of(process.pid) > 2 * limit:
                        for pid in session(process.pid):
                            with contextlib.suppress(ProcessLookupError):
                                os.kill(pid, signal.SIGKILL)
            said.seek(0)
            lines = said.read().splitlines()
        if os.environ.get("TIMES"):
            with open(os.environ["TIMES"], "a", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines if re.match("ok |FAILED ", line)))
        return process.returncode == 0

    def restore(self, path):
        shutil.copy2(path, f"{self.path}/{path}")
        sync(GOOD + "/", f"{self.path}/{BUILD}/")
        if path.startswith(("demos/", "tests/")):
            sync("build/demos", "build/tests", f"{self.path}/build/")

    def good(self, test):
        """Whether the test passes in the tree as it is, tested once."""
        with self.lock:
            known = self.passing.get(test)
        if known is None:
            known = self.make(self.targets.of(test)).returncode == 0 and self.passes(test)
            with self.lock:
                self.passing[test] = known
        return known

    def tried(self, row):
        """The result of a break: (whether it was noticed, the text to print)."""
        with open(row.file, encoding="utf-8") as file:
            broken = row.applied(file.read())
        if broken is None:
            return False, "NO LONGER APPLIES"
        start = time.time()
        tests = [test for test, _ in self.table.tests(row.file)]
        try:
            with open(f"{self.path}/{row.file}", "w", encoding="utf-8") as file:
                file.write(broken)
            by = None
            for test in tests:
                if not os.path.exists(covers.source_of(test) or ""):
                    continue
                made = self.make(self.targets.of(test, row.file.startswith(("demos/", "tests/"))))
                if made.returncode != 0:
                    return False, "DOES NOT COMPILE\n" + "\n".join(made.stdout.splitlines()[:12])
                if not self.passes(test):
                    by = test
                    break
        finally:
            self.restore(row.file)
        seconds = time.time() - start
        if by and not self.good(by):
            return False, f"UNKNOWN: {by} fails without it, too"
        return (True, f"noticed by {by}, {seconds:.0f} s") if by else (False,
            f"UNNOTICED, {seconds:.0f} s ({' '.join(tests)})")


def prepare(rows, table):
    """Two copies or more, built, and the files to restore."""
    count = max(1, min(int(os.environ.get("COPIES", os.cpu_count() or 1)), len(rows)))
    targets = covers.Targets(BUILD)
    trees = [Tree(f"build/breaks/tree{i + 1}", table, targets, 1) for i in range(count)]
    needed = set()
    for row in rows:
        for test, _ in table.tests(row.file):
            needed |= targets.of(test)
    guests = sorted(path for path in needed if not path.startswith(BUILD))
    if guests:
        subprocess.run(["make", "-s", *guests], check=True)
    for i, tree in enumerate(trees):
        os.makedirs(tree.path + "/build/release", exist_ok=True)
        sync("--exclude=/build", "--exclude=/.git", "./", tree.path + "/")
        sync("build/demos", "build/tests", *glob.glob("build/debian"), "build/cyclops",
            tree.path + "/build/")
        sync("build/cyclops", tree.path + "/build/release/")
        if i:
            sync(GOOD + "/", f"{tree.path}/{BUILD}/")
            continue
        if os.path.isdir(GOOD):  # an interrupted run may have left broken objects
            sync(GOOD + "/", f"{tree.path}/{BUILD}/")
        tree.jobs = os.cpu_count() or 1
        made = tree.make(needed)
        tree.jobs = 1
        if made.returncode != 0:
            sys.exit(made.stdout)
        sync(f"{tree.path}/{BUILD}/", GOOD + "/")
    return trees


def check():
    status = 0
    for row in read_breaks():
        with open(row.file, encoding="utf-8") as file:
            if row.applied(file.read()) is None:
                print(f"{row.where}: what it replaces is not in {row.file} just once")
                status = 1
    return status


def main(words):
    os.chdir(TOP)
    if words == ["--check"]:
        return check()
    rows = [row for row in read_breaks() if row.wanted(words)]
    if not rows:
        sys.exit("there is no such break")
    start, table = time.time(), covers.Table()
    trees = prepare(rows, table)
    print(f"{len(rows)} breaks, {len(trees)} copies, ready after {time.time() - start:.0f} s",
        flush=True)
    work, noticed, lock = queue.SimpleQueue(), [], threading.Lock()
    for row in rows:
        work.put(row)

    def worker(tree):
        while True:
            try:
                row = work.get_nowait()
            except queue.Empty:
                return
            good, text = tree.tried(row)
            with lock:
                if good:
                    noticed.append(row)
                print(f"{row.number:3} {row.file}: {text}\n    {row.rule}", flush=True)

    threads = [threading.Thread(target=worker, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(noticed)} of {len(rows)} breaks noticed, {(time.time() - start) / 60:.1f} minutes")
    return 0 if len(noticed) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
