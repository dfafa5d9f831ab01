#!/usr/bin/env python3
"""Random mutants: draws them, builds all in one copy of the tree, reports which the tests notice.

  tests/mutants/run.py [again]      a campaign: N mutants (100) of ROOM, files or folders (all
                                    rooms), drawn with SEED (1). A stopped campaign continues where
                                    it was; `again` retries unnoticed mutants
  tests/mutants/run.py table        the table of all campaigns in build/mutants, for README.md here
  tests/mutants/run.py expressed    rows of tests/breaks that a mutant does as well

All mutants of a campaign are compiled at once, each guarded by a switch that a file turns on
(switch.c), so that a mutant costs no compiler. The tests are those that tests/covers.txt has for
the mutant's file, quickest first, until one fails. Each runs once with no mutant, to measure its
time and coverage; a mutant that none executes is `not executed`. A test that takes five times its
time has failed, and a script ends at its first failure (ENOUGH=1). Tests run in namespaces of their
own, where nothing that a mutant does to files or processes lasts (enclose.sh).

JOBS=N tests at a time, as many as there are processors by default; NICE=N, 19; LEAST=SECONDS of
processor time that each test may take, 10; LIMIT=SECONDS leaves out tests that take more. Results
are in build/mutants/NAME-SEED-N/results: number, verdict, test, file, function, line, old, new. The
classes that people gave to survivors are in classes.txt.
"""
import concurrent.futures
import fcntl
import glob
import importlib.util
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("MUTANTS_TOP") or os.path.abspath(HERE + "/../..")
sys.path[:0] = [HERE + "/../../make", HERE]
import covers  # noqa: E402
import draw  # noqa: E402

BUILD = "build/release"
TREE = "build/mutants/tree"
ENDS = (".c", ".inc", ".h")
TOO_MANY = 14  # objects to compile anew for a file; headers that all include would cost hours
LEAST = float(os.environ.get("LEAST") or 10)  # seconds of processor time that any test may take
LIMIT = float(os.environ.get("LIMIT") or 1000)  # of a usable test
IDLE = 60  # seconds without work: such a test waits for ever
MEMORY = 6 << 30  # bytes of all processes of a test

print_lock = threading.Lock()


def say(text):
    with print_lock:
        print(text, flush=True)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", **options)


def environment():
    return {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL",
        "CI", "WERROR", "ROOM", "N", "SEED", "JOBS")} | {"ENOUGH": "1"}


def flags_of_build():
    with open(f"{BUILD}/flags", encoding="utf-8") as file:
        return [word for word in file.read().split() if re.match("-(I|D|std=)", word)]


def users():
    """{file: [the sources whose objects include it]} of our own files."""
    found = {}
    for path in glob.glob(f"{BUILD}/**/*.d", recursive=True):
        with open(path, encoding="utf-8") as file:
            words = file.read().replace("\\\n", " ").split("\n")[0].split()[1:]
        for word in words[1:]:
            if not word.startswith("/"):
                found.setdefault(os.path.normpath(word), []).append(os.path.normpath(words[0]))
    return found


def candidates(rooms, table, included):
    """{file: the source that it is compiled in} of what lies in these rooms and has tests."""
    listed = covers.lines_of(["git", "ls-files", "-co", "--exclude-standard"]) \
        if os.path.exists(".git") else [os.path.normpath(os.path.join(folder, name))
            for folder, _, names in os.walk(".") for name in names]
    found = {}
    for path in sorted(listed):
        if not path.endswith(ENDS) or not covers.SOURCE.match(path) or not os.path.exists(path):
            continue
        if not any(path == room or path.startswith(room.rstrip("/") + "/") for room in rooms):
            continue
        units = [path] if path.endswith(".c") else sorted(included.get(path, []))
        library = [unit for unit in units if covers.SOURCE.match(unit)]
        if library and len(units) <= TOO_MANY and table.tests(path):
            found[path] = library[0]
    return found


def lines_of_code(path):
    with open(path, encoding="utf-8") as file:
        return sum(1 for line in file if line.startswith("\t"))


def drawn(rooms, n, seed):
    """[n mutants]: files by their lines of code, places and texts evenly."""
    table, chance = covers.Table(), random.Random(seed)
    files = candidates(rooms, table, users())
    if not files:
        sys.exit(f"{' '.join(rooms)}: no sources there that are built and have tests")
    flags, sources, found = flags_of_build(), {}, []
    names = sorted(files)
    weights = [lines_of_code(path) for path in names]
    for _ in range(50 * n):
        if len(found) == n:
            break
        path = chance.choices(names, weights)[0]
        if path not in sources:
            sources[path] = draw.Source(path, files[path], flags)
            chance.shuffle(sources[path].places)
        places = sources[path].places
        if places:
            found.append(chance.choice(places.pop()))
    found.sort(key=lambda m: (m.file, m.start, m.end, m.new))
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    return found


def sync(*arguments):
    subprocess.run(["rsync", "-a", *arguments], check=True)


class Copy:
    """The tree with all mutants in it, compiled."""

    def __init__(self, mutants, jobs):
        self.mutants, self.jobs, self.table = mutants, jobs, covers.Table()
        self.targets = covers.Targets(BUILD)
        self.unusable = set()

    def make(self, *goals):
        return run(["make", "-k", "-O", f"-j{self.jobs}", "-s",
            "--no-print-directory", f"BUILD={BUILD}", *sorted(goals)], cwd=TREE,
                   env=environment())

    def tests_of(self, path):
        return [test for test, _ in self.table.tests(path) if covers.source_of(test)
            and self.table.seconds.get(test, 0) <= LIMIT]

    def needed(self):
        tests = {test for m in self.mutants for test in self.tests_of(m.file)}
        return set().union(*(self.targets.of(test) for test in tests)), sorted(tests)

    def sync_tree(self):
        os.makedirs(TREE + "/build", exist_ok=True)
        switched = [os.path.relpath(path, TREE) for path in glob.glob(TREE + "/**/*",
            recursive=True) if path.endswith(ENDS) and draw.SWITCH in self.text(path)]
        sync("--delete", "--exclude=/build", "--exclude=/.git", "./", TREE + "/")
        for folder in glob.glob("build/*"):
            if os.path.basename(folder) in ("demos", "tests", "debian", "cyclops"):
                sync("--delete", folder, TREE + "/build/")
        if not os.path.exists(f"{TREE}/{BUILD}"):
            sync("--exclude=test-logs*", BUILD, f"{TREE}/build/")
        for path in switched:
            if os.path.exists(f"{TREE}/{path}"):
                os.utime(f"{TREE}/{path}")

    @staticmethod
    def text(path):
        with open(path, encoding="latin-1", newline="") as file:
            return file.read()

    def build(self):
        self.sync_tree()
        goals, _ = self.needed()
        while True:
            by_file = {}
            for m in self.mutants:
                if m.number not in self.unusable:
                    by_file.setdefault(m.file, []).append(m)
            for path in {m.file for m in self.mutants}:
                text = self.text(path)
                text = draw.switched(text, by_file[path]) if path in by_file else text
                if self.text(f"{TREE}/{path}") != text:
                    with open(f"{TREE}/{path}", "w", encoding="latin-1", newline="") as file:
                        file.write(text)
            text = f"#define MUTANTS {len(self.mutants)}\n#define OUT " \
                f'"{os.path.abspath(TREE)}/build/mutant"\n' + self.text(f"{HERE}/switch.c")
            place = f"{TREE}/core/base/mutant_switch.c"
            if not os.path.exists(place) or self.text(place) != text:
                with open(place, "w", encoding="latin-1") as file:
                    file.write(text)
            made = self.make(*goals)
            if made.returncode == 0:
                return
            bad, kind = set(), ""
            for path, line, text in re.findall(r"^([\w./-]+):(\d+):\d+: (.*)", made.stdout, re.M):
                if not text.startswith("note:"): # of the last output
                    kind = text
                for m in by_file.get(os.path.normpath(path), []):
                    if kind.startswith("error") \
                            and m.line <= int(line) <= m.line + m.old.count("\n"):
                        bad.add(m.number)
            if not bad:
                sys.exit("\n".join(line for line in made.stdout.splitlines() if "warning" not in line
                    and re.search("error|undefined|No rule", line)) or made.stdout[-4000:])
            self.unusable |= bad
            say(f"{len(bad)} mutants don't compile and are left out")


class Outcome:
    def __init__(self, passed, why, seconds):
        self.passed, self.why, self.seconds = passed, why, seconds


def space_of(process):
    """{process: (its seconds and those of its children that have ended, its bytes)} of all in the
    namespace of this process's child."""
    found = {}
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
            child = file.read().split()[0]
        space = os.readlink(f"/proc/{child}/ns/pid")
    except (OSError, IndexError):
        return found
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/ns/pid") != space:
                continue
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = (sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"),
            int(fields[21]) * os.sysconf("SC_PAGESIZE"))
    return found


def enclosed(out, command, limit):
    """Runs a command in the copy; an Outcome."""
    namespaces = ["unshare", "--pid", "--mount", "--ipc", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        namespaces[1:1] = ["--user", "--map-root-user"]
    log = open(f"{out}/log", "w+b")
    process = subprocess.Popen([*namespaces, "bash", f"{HERE}/enclose.sh",
        os.path.abspath(out), os.path.abspath(TREE), *command], stdout=log,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=TREE,
                               env=environment(), start_new_session=True)
    why, done, progress, pause = "", 0.0, time.time(), 0.02
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            log.close()
            return Outcome(process.returncode == 0, why or f"status {process.returncode}",
                usage.ru_utime + usage.ru_stime)
        time.sleep(pause)
        pause = min(pause * 1.3, 1)
        if pause < 1 or why:
            continue
        inside = space_of(process.pid).values()
        work = sum(seconds for seconds, _ in inside)
        if work > done + 0.05:
            done, progress = work, time.time()
        if work > limit:
            why = f"over {limit:.0f} s"
        elif time.time() > progress + IDLE:
            why = f"waits for {IDLE} s"
        elif sum(size for _, size in inside) > MEMORY:
            why = "takes too much memory"
        if why:
            process.send_signal(signal.SIGKILL)


class Campaign:
    def __init__(self, rooms, n, seed):
        self.rooms, self.n, self.seed = rooms, n, seed
        name = "-".join(room.replace("/", "_") for room in rooms) or "all"
        self.path = f"build/mutants/{name[:60]}-{seed}-{n}"
        self.jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
        self.verdicts, self.base, self.lock = {}, {}, threading.Lock()

    def draw(self):
        """Its mutants; those drawn before, if the campaign was begun before."""
        path = self.path + "/drawn"
        if not os.path.exists(path):
            self.mutants = drawn(self.rooms, self.n, self.seed)
            os.makedirs(self.path, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                json.dump([vars(m) for m in self.mutants], file)
            return
        with open(path, encoding="utf-8") as file:
            self.mutants = [draw.Mutant(**fields) for fields in json.load(file)]
        for m in self.mutants:
            if not os.path.exists(m.file) or Copy.text(m.file)[m.start:m.end] != m.old:
                sys.exit(f"{self.path}: {m.file} has changed since it was begun; take another "
                    f"SEED, or remove it")

    def read(self, again):
        path = self.path + "/results"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    fields = fields_of(line)
                    self.verdicts[int(fields[0])] = fields[1:3]
        if again:
            self.verdicts = {n: v for n, v in self.verdicts.items() if v[0] == "noticed"}
            self.write()

    def write(self):
        by_number = {m.number: m for m in self.mutants}
        with open(self.path + "/results.new", "w", encoding="utf-8") as file:
            for number, (verdict, test) in sorted(self.verdicts.items()):
                m = by_number[number]
                file.write("\t".join([str(number), verdict, test, m.file, m.function, str(m.line),
                    draw.flat(m.old), m.new]) + "\n")
        os.replace(self.path + "/results.new", self.path + "/results")

    def note(self, mutant, verdict, test=""):
        with self.lock:
            self.verdicts[mutant.number] = [verdict, test]
            self.write()
        say(f"{mutant.number:4} {verdict}{' by ' + test if test else ''}: {mutant}")

    def run_test(self, test, limit, **files):
        """Runs a test with these files in its OUT: (an Outcome, that folder)."""
        out = f"build/mutants/out/{threading.get_ident()}"
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        for name, content in files.items():
            with open(f"{out}/{name}", "wb") as file:
                file.write(content)
        return enclosed(out, ["tests/run.sh", BUILD, test], limit), out

    def measure(self, test):
        """Runs a test with no mutant: (seconds, what it executes), or None if it fails."""
        outcome, out = self.run_test(test, 600, reached=bytes(len(self.mutants) + 1))
        if not outcome.passed:
            with open(out + "/log", encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
            say(f"{test} fails without a mutant, and is left out: {outcome.why}\n  "
                + "\n  ".join(lines[:8]))
            return None
        with open(out + "/reached", "rb") as file:
            reached = {n for n, byte in enumerate(file.read()) if byte}
        return outcome.seconds, reached

    def base_of(self, test):
        """measure()'s result, computed once."""
        with self.lock:
            known = self.base.get(test)
            if not known:
                mine = self.base[test] = concurrent.futures.Future()
        if not known:
            mine.set_result(self.measure(test))
        return self.base[test].result()

    def try_mutant(self, copy, mutant):
        if mutant.number in copy.unusable:
            return self.note(mutant, "unusable")
        executed = False
        tests = sorted(copy.tests_of(mutant.file), key=lambda test: copy.table.seconds.get(test, 0))
        for test in tests:
            seconds, reached = self.base_of(test) or (0, ())
            if mutant.number not in reached:
                continue
            executed = True
            outcome, _ = self.run_test(test, max(LEAST, 5 * seconds),
                mutant=str(mutant.number).encode())
            if not outcome.passed:
                return self.note(mutant, "noticed", test)
        return self.note(mutant, "survived" if executed else "not executed")

    def run(self, again):
        start = time.time()
        os.makedirs("build/mutants", exist_ok=True)
        self.hold = open("build/mutants/lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("another campaign is at work in build/mutants")
        self.draw()
        self.read(again)
        copy = Copy(self.mutants, self.jobs)
        copy.build()
        todo = [m for m in self.mutants if m.number not in self.verdicts]
        random.Random(self.seed).shuffle(todo)  # what a stopped campaign has tried is a sample
        say(f"{self.path}: {len(self.mutants)} mutants, {len(todo)} to try, built in "
            f"{time.time() - start:.0f} s")
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for future in [pool.submit(self.try_mutant, copy, m) for m in todo]:
                future.result()
        counts = {}
        for verdict, _ in self.verdicts.values():
            counts[verdict] = counts.get(verdict, 0) + 1
        counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        say(f"{len(self.mutants)} mutants: {counts}; {(time.time() - start) / 60:.1f} minutes, "
            f"{(used.ru_utime + used.ru_stime) / 60:.1f} of processor time")
        for m in self.mutants:
            if self.verdicts[m.number][0] in ("survived", "not executed"):
                print(f"  {self.verdicts[m.number][0]}: {m}")
        return 0


def fields_of(line):
    return line.rstrip("\n").split("\t")


class Classes:
    """Classes of survivors, by hand: rows FILE FUNCTION @@ OLD @@ NEW @@ CLASS @@ REASON."""

    NAMES = ("equivalent", "speed", "not worth it", "gap")
    SAME = ("equivalent", "speed")  # the same behaviour: no test can fail

    def __init__(self):
        self.rows = {}
        with open(HERE + "/classes.txt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                parts = [part.strip() for part in line.split("@@")]
                if len(parts) != 5 or parts[3] not in self.NAMES or not parts[4]:
                    sys.exit(f"classes.txt:{number}: expected FILE FUNCTION @@ OLD @@ NEW @@ "
                        f"{'|'.join(self.NAMES)} @@ REASON")
                self.rows[parts[0], parts[1], parts[2]] = parts[3]

    def of(self, file, function, old, new):
        return self.rows.get((f"{file} {function}", old, new), "not read")


COLUMNS = ("drawn", "built", "noticed", "survived", *Classes.NAMES, "not read")


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "core" else parts[0]


def table():
    """Prints the table, and writes it into the page beside this."""
    classes, rooms = Classes(), {}
    for path in sorted(glob.glob("build/mutants/*/results")):
        with open(path, encoding="utf-8") as file:
            for line in file:
                _, verdict, _, name, function, _, old, new = fields_of(line)
                found = {"drawn"}
                if verdict != "unusable":
                    found.add("built")
                if verdict == "noticed":
                    found.add("noticed")
                if verdict in ("survived", "not executed"):
                    found |= {"survived", classes.of(name, function, old, new)}
                for room in (room_of(name), "all"):
                    counts = rooms.setdefault(room, dict.fromkeys(COLUMNS, 0))
                    for column in found:
                        counts[column] += 1
    lines = ["| Room | " + " | ".join(c.capitalize() for c in COLUMNS) + " | Survival |",
        "| --- " + "| ---: " * (len(COLUMNS) + 1) + "|"]
    for room, counts in sorted(rooms.items(), key=lambda of: (of[0] == "all", of[0])):
        same = sum(counts[name] for name in Classes.SAME)
        lines.append(f"| {room} | " + " | ".join(str(counts[c]) for c in COLUMNS)
            + f" | {100 * (counts['survived'] - same) / max(counts['built'] - same, 1):.0f} % |")
    print("\n".join(lines))
    page = HERE + "/README.md"
    with open(page, encoding="utf-8") as file:
        text = file.read()
    block = "<!-- table -->\n" + "\n".join(lines) + "\n<!-- end -->"
    with open(page, "w", encoding="utf-8") as file:
        file.write(re.sub(r"<!-- table -->.*<!-- end -->", lambda _: block, text, flags=re.S))
    return 0


def normal(text):
    """Without what a typist may write in two ways."""
    text = "".join(draw.COMMENT.sub(" ", text).split())
    text = re.sub(r"\((\d+)([+-])1\)", lambda m: str(int(m[1]) + int(m[2] + "1")), text)
    return re.sub(r"([;{}]);+", r"\1", text)


def expressed():
    """Prints the rows of tests/breaks that a mutant of their file does as well."""
    spec = importlib.util.spec_from_file_location("breaks", "tests/breaks/run.py")
    breaks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(breaks)
    rows = breaks.read_breaks()
    files = candidates(covers.ROOMS, covers.Table(), users())
    flags, sources, count = flags_of_build(), {}, 0
    for row in rows:
        if row.file not in files:
            continue
        if row.file not in sources:
            sources[row.file] = draw.Source(row.file, files[row.file], flags)
        source = sources[row.file]
        broken = row.applied(source.text)
        if broken is None:
            continue
        broken = normal(broken)
        for mutant in itertools.chain(*source.places):
            if normal(mutant.applied(source.text)) == broken:
                print(f"{row.where}: {row.rule}\n    {mutant}")
                count += 1
                break
    print(f"{count} of {len(rows)} rows")
    return 0


def main(words):
    os.chdir(TOP)
    if words == ["table"]:
        return table()
    if words == ["expressed"]:
        return expressed()
    os.nice(max(0, int(os.environ.get("NICE") or 19) - os.nice(0)))
    if words in ([], ["again"]):
        rooms = (os.environ.get("ROOM") or " ".join(covers.ROOMS)).split()
        return Campaign(rooms, int(os.environ.get("N") or 100),
            int(os.environ.get("SEED") or 1)).run(bool(words))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
