#!/usr/bin/env python3
"""Growth of each command's and key's cost: host instructions of a session with 1, 2 and 4 times as
much of something, with bounds from growth.txt.

    growth.py rows                              each command and key has a row, and the page has
                                                their table (make lint)
    growth.py write                             writes that table into docs/growth.md
    growth.py [OPTIONS] CYCLOPS FOLDER WORK...  measures; WORK: functions, symbols, ...

WORK `all` is all of them at once, for rows that grow with none.

callgrind writes a part of its counts before each row: at a line `echo` of the script, or where the
screen waits for the next key.
"""
import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import textwrap

import program

HERE = pathlib.Path(__file__).parent
PAGE = pathlib.Path("docs/growth.md")
BEGIN, END = "<!-- tests/growth/growth.py write -->\n", "<!-- end -->\n"
# The least of each; the program takes frames, threads and maps as arguments.
WORK = {"functions": 200, "symbols": 1000, "cycles": 4000, "stops": 40, "threads": 6, "maps": 40,
        "frames": 10}
# A cost that stays the same grows by a tenth, a logarithm by two fifths, for four times the work.
# If the cost is linear, the second step is twice the first.
SAME, LOG, LINEAR = 1.1, 1.4, 2.5
NOISE = 300000
KINDS = ("log", "linear")


class Row:
    """A line of growth.txt: what is run or pressed, what comes after it uncounted, and the works
    with which its cost grows."""

    def __init__(self, line):
        what, _, grows = line.partition(" :: ")
        self.what, _, self.after = what.strip().partition(" ~ ")
        self.key = self.what.startswith("key ")
        self.grows = {}
        for part in filter(None, (p.strip() for p in grows.split(";"))):
            kind, *works = part.replace(",", " ").split()
            if kind not in KINDS or not works or not set(works) <= set(WORK):
                sys.exit(f"growth.txt: {line}: expected :: log WORK, WORK; linear WORK")
            self.grows.update({work: kind for work in works})

    def holds(self, work, few, some, most):
        """True if it costs so much with 1, 2, 4 times the work."""
        kind = self.grows.get(work)
        if kind == "linear":
            return most - some <= LINEAR * max(some - few, 0) + NOISE + few * (SAME - 1)
        return max(some, most) <= (LOG if kind else SAME) * few + NOISE


def lines():
    return [line for line in (HERE / "growth.txt").read_text().splitlines()
            if line and not line.startswith("#")]


def table():
    """Tables of the page: each command and key with its growth; a list of those without."""
    made = ["| command or key | linear in | logarithmic in |", "| --- | --- | --- |"]
    same = {False: [], True: []}
    for row in (Row(line) for line in lines() if not line.startswith("- ")):
        what = row.what.removeprefix("key ").replace("FOLDER/", "").replace("{round}", "")
        code = "`%s`" % what.replace("|", "\\|")
        if not row.grows:
            if code not in same[row.key]:
                same[row.key].append(code)
            continue
        kinds = (", ".join(w for w in WORK if row.grows.get(w) == kind) for kind in ("linear", "log"))
        made.append("| " + " | ".join(("key " * row.key + code, *kinds)) + " |")
    return "\n".join(made) + "".join(
        "\n\n" + textwrap.fill(f"{what} that cost the same whatever there is: {', '.join(names)}.",
                               100, break_on_hyphens=False, break_long_words=False)
        for what, names in (("Commands", same[False]), ("Keys", same[True]))) + "\n"


def page_with(made):
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return before + BEGIN + "\n" + made + "\n" + END + rest.partition(END)[2]


def check_rows():
    """Each command and key has a row, or a reason; the page has the table."""
    words = [line.removeprefix("- ").split() for line in lines()]
    have = {re.match(r"[\w-]+", word[0])[0] for word in words}
    keys = {word[1] for word in words if word[0] == "key"}
    wrong = []
    for name in re.findall(r"^COMMAND\((\w+)\)", pathlib.Path("ui/cmd/commands.def").read_text(),
                           re.M):
        if name.replace("_", "-") not in have:
            wrong.append(f"the command {name.replace('_', '-')}")
    for key in re.findall(r'^KEY\("([^"]+)"', pathlib.Path("ui/screen/keys.def").read_text(), re.M):
        if key not in keys:
            wrong.append(f"the key {key}")
    if PAGE.read_text() != page_with(table()):
        print(f"{PAGE}: its table is not that of growth.txt: tests/growth/growth.py write")
        return True
    for what in wrong:
        print(f"tests/growth/growth.txt: expected a row of {what}: how its cost grows")
    return bool(wrong)


class Session:
    """A program with so much of each work, and callgrind's parts."""

    def __init__(self, args, name, sizes):
        self.folder, self.sizes = args.folder / name, sizes
        self.folder.mkdir(exist_ok=True)
        for left in self.folder.glob("parts*"):
            left.unlink()
        self.command = [args.cyclops, "--no-init", "-o", "cop.enable=true", "-o", "oracle.enable=true",
                        "-o", "oracle.contexts=true"]
        self.program = [str(program.build(args.folder, sizes["functions"], sizes["symbols"]))]
        self.still = (self.folder / "still.so").resolve()
        self.program += [str(sizes[work]) for work in ("frames", "threads", "maps")]

    def begin(self):
        """Lines that bring the session to the rows' common beginning."""
        return ["break loop", "continue", "delete", "mark here", f"step {self.sizes['cycles']}",
                "tbreak half", "continue", "lua place = m.cycle"] + \
            [f"break f{i}" for i in range(10, 10 + self.sizes["stops"] // 2)] + \
            [f"watch spare[{20 * i}]" for i in range(self.sizes["stops"] // 2)]

    def lines(self, text, count):
        text = text.replace("FOLDER", str(self.folder)).replace("{round}", str(count))
        return text.split(" ; ") if text else []

    def callgrind(self, function):
        return ["valgrind", "--tool=callgrind", f"--dump-before={function}", "--vgdb=no",
                f"--callgrind-out-file={self.folder}/parts"]

    def parts(self):
        """Host instructions of each part written so far, in order."""
        found = sorted(self.folder.glob("parts.*"), key=lambda f: int(f.suffix[1:]))
        return [int(re.search(r"^totals: (\d+)", f.read_text(), re.M)[1]) for f in found]

    def commands(self, rows):
        """Each row's second iteration counts; the first builds what is built once."""
        script = self.folder / "growth.cyc"
        (self.folder / "empty.cyc").touch()
        text = self.begin()
        for count in (False, True):
            for i, row in enumerate(rows):
                text += ["lua m:go(place)"] + ([f"echo row {i}"] if count else [])
                text += self.lines(row.what, 1 + count)
                text += [f"echo row {i} ends"] if count else []
                text += self.lines(row.after, 1 + count)
        script.write_text("\n".join(text) + "\n")
        done = subprocess.run(
            self.callgrind("cmd_echo_exec") + self.command + ["--batch", "-x", str(script)] +
            self.program, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        counted = self.parts()
        if len(counted) != 2 * len(rows):
            sys.exit(f"{len(counted) // 2} of {len(rows)} rows came: {done.stderr[-600:]}")
        return counted[1::2]

    def keys(self, rows):
        script = self.folder / "growth.cyc"
        script.write_text("\n".join(self.begin() + ["break half", "set ui.start reset"]) + "\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.still, HERE / "still.c"],
                       check=True)
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", ESCDELAY="1",
                              LD_PRELOAD=str(self.still))
            command = self.callgrind("term_wait") + self.command + ["-x", str(script)]
            os.execvp(command[0], command + self.program)
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.settle(pid, fd, 0)
        costs = []
        for count in (False, True):
            for row in rows:
                before = len(self.parts())
                self.press(pid, fd, row.what[4:].strip())
                if count:
                    costs.append(sum(self.parts()[before:]))
                for key in row.after.split():
                    self.press(pid, fd, key)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(fd)
        return costs

    def press(self, pid, fd, key):
        names = {"Space": " ", "Tab": "\t", "S-Tab": "\x1b[Z", "Enter": "\r", "Esc": "\x1b",
                 "Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD",
                 "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Home": "\x1bOH", "End": "\x1bOF",
                 "F1": "\x1bOP"}
        before = len(list(self.folder.glob("parts.*")))
        text = names.get(key) or (chr(ord(key[2]) & 31) if key.startswith("C-") else key)
        os.write(fd, text.encode())
        self.settle(pid, fd, before)

    def settle(self, pid, fd, before):
        """Waits until the screen has waited again, and still waits."""
        still = 0
        while still < 3:
            if select.select([fd], [], [], 0.02)[0]:
                os.read(fd, 1 << 16)
                still = 0
                continue
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "Z":
                sys.exit("the screen has ended")
            waits = state == "S" and (still or len(list(self.folder.glob("parts.*"))) > before)
            still = still + 1 if waits else 0


def measure(args, rows, works):
    """Sessions of all works and times side by side. The numbers of costs that hold, and do not."""
    good, bad = 0, 0
    jobs = concurrent.futures.ThreadPoolExecutor(args.jobs or os.cpu_count())
    kinds = [("commands", [row for row in rows if not row.key]),
             ("keys", [row for row in rows if row.key])]

    def costs(name, sizes):
        for what, of in kinds:
            if of:
                session = Session(args, f"{name}-{what}", sizes)
                yield jobs.submit(getattr(session, what), of)

    def sizes(work, times):
        return {w: n * (times if work in (w, "all") else 1) for w, n in WORK.items()}

    few = list(costs("few", WORK)) if works else []
    more = {work: [list(costs(f"{work}-{times}", sizes(work, times))) for times in (2, 4)]
            for work in works}
    for work, (some, most) in more.items():
        counts = zip(*(sum((job.result() for job in of), []) for of in (few, some, most)))
        for row, counted in zip(kinds[0][1] + kinds[1][1], counts):
            numbers = ", ".join(f"{n:,}" for n in counted)
            holds = row.holds(work, *counted)
            good, bad = good + holds, bad + (not holds)
            if args.table:
                print(f"{work:9} {row.what:34} {numbers:40} {row.grows.get(work, '')}"
                      f"{'' if holds else ' <'}", flush=True)
            elif not holds:
                what = "all works" if work == "all" else f"{WORK[work]:,} {work}"
                print(f"FAIL: {row.what}: {numbers} host instructions with 1, 2, 4 times {what}, "
                      f"expected {row.grows.get(work, 'the same')}")
    return good, bad


def main():
    if sys.argv[1:] == ["rows"]:
        return check_rows()
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page_with(table()))
        return False
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", choices=("commands", "keys"))
    parser.add_argument("--match", default="", help="rows with this regular expression")
    parser.add_argument("--growing", action="store_true", help="of works alone: rows that grow")
    parser.add_argument("cyclops")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("work", nargs="+", choices=[*WORK, "all"])
    args = parser.parse_args()
    rows = [Row(line) for line in lines() if not line.startswith("- ")]
    rows = [row for row in rows if re.search(args.match, row.what) and
            (not args.only or row.key == (args.only == "keys"))]
    alone = [work for work in args.work if work != "all"]
    counts = [measure(args, [row for row in rows if row.grows or not args.growing], alone)]
    if "all" in args.work:
        counts.append(measure(args, [row for row in rows if not row.grows], ["all"]))
    good, bad = map(sum, zip(*counts))
    print(f"{good} passed, {bad} failed")
    return bad > 0


sys.exit(main())
