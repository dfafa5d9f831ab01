"""Calls by stream: each thread, coroutine and handler of streams.c has its own contexts, exactly,
in views, reports and exports, with timing and without, for any slice; so it has in trees that the
program builds itself if they are atomic, and counters of all kinds count each call, with profile
flags too."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests"]
from checks import check_fault, finish

TOP = os.getcwd()
CYCLOPS = os.path.join(TOP, os.environ.get("CYCLOPS", "build/cyclops"))
GUEST = TOP + "/build/tests/threads/streams"
SCALE = os.environ.get("CYCLOPS_TEST_SCALE", "full")
SLICES = {"small": [1000], "full": [1000, 1777, 5000, 100000]}.get(SCALE,
    [1000, 1300, 1777, 2500, 5000, 10007, 30000, 100000])
TIMES, ROUNDS = 300, 40

# Calls of the last by those before it, of a stream's root.
WANT = {
    ("(thread 2)", "work_a", "by_a", "leaf"): TIMES,
    ("(thread 3)", "work_b", "by_b", "leaf"): TIMES,
    ("(thread 3)", "work_b", "by_b", "by_a", "leaf"): TIMES,
    ("(thread 4)", "coroutines", "by_a", "leaf"): 1,
    ("(thread 4, coroutine)", "ping", "leaf"): ROUNDS,
    ("(thread 4, coroutine)", "pong", "by_b", "leaf"): ROUNDS,
    ("(thread 4, coroutine)", "pong", "by_b", "by_a", "leaf"): ROUNDS,
    ("(thread 4, coroutine)", "hand_a", "by_a", "leaf"): ROUNDS,
    ("(thread 4, coroutine)", "hand_b", "leaf"): ROUNDS,
    ("(thread 1, coroutine)", "hand_a", "by_a", "leaf"): ROUNDS,
    ("(thread 1, coroutine)", "hand_b", "leaf"): 2 * ROUNDS,
    ("(thread 1, coroutine)", "hand_c", "by_b", "leaf"): ROUNDS,
    ("(thread 1, coroutine)", "hand_c", "by_b", "by_a", "leaf"): ROUNDS,
    ("main", "signalled", "leaf"): ROUNDS,
    ("main", "jumped", "by_b", "leaf"): ROUNDS,
    ("main", "jumped", "by_b", "by_a", "leaf"): ROUNDS,
    ("(thread 1, SIGUSR1)", "by_b", "leaf"): ROUNDS,
    ("(thread 1, SIGUSR1)", "by_b", "by_a", "leaf"): ROUNDS,
    ("(thread 1, SIGUSR2)", "by_a", "leaf"): ROUNDS,
}
LEAVES = sum(WANT.values())
MINE = {"main", "work_a", "work_b", "by_a", "by_b", "coroutines", "ping", "pong", "signalled",
    "jumped", "hand_a", "hand_b", "hand_c", "leaf"}


def run(*options):
    r = subprocess.run([CYCLOPS, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=120, cwd=DIR)
    if r.returncode != 0:
        return r.stderr.decode(errors="replace")[:400] or f"status {r.returncode}"
    return None


def shorten(stack):
    """Filters names from the root on: the last stream's mark, and the program's own functions after it."""
    short = []
    for name in stack:
        mark = re.match(r"\([^)]*\)", name)
        if mark:
            short = [mark.group()]
            name = name[mark.end():].strip()
        if name in MINE:
            short.append(name)
    return tuple(short)


def merged(counts):
    """Without numbers of threads."""
    out = {}
    for stack, n in counts.items():
        mark = stack[0]
        if mark.startswith("("):
            kind = mark.strip("()").split(", ")[1:]
            mark = f"({kind[0] if kind else 'thread'})"
        out[(mark, *stack[1:])] = out.get((mark, *stack[1:]), 0) + n
    return out


def differences(have, want):
    return "; ".join(f"{k}: {have.get(k)}, expected {want.get(k)}"
        for k in sorted(set(have) | set(want)) if have.get(k) != want.get(k))[:600]


def from_report(path):
    stack, counts = [], {}
    for row in json.load(open(path))["rows"]:
        depth = int(row["depth"])
        stack[depth:] = [row["context"].strip()]
        if stack[depth] == "leaf":
            key = shorten(stack)
            counts[key] = counts.get(key, 0) + int(row["calls"])
    return counts


def from_folded(path):
    counts = {}
    for line in open(path):
        names, n = line.rstrip("\n").rsplit(" ", 1)
        if names.endswith(";leaf"):
            key = shorten(names.split(";"))
            counts[key] = counts.get(key, 0) + int(n)
    return counts


ORACLE = ["-o", "oracle.enable=true", "-o", "oracle.contexts=true"]
with tempfile.TemporaryDirectory() as DIR:
    for length in SLICES:
        options = [*ORACLE, "-o", f"os.slice={length}"]
        for mode in [["--functional"], [], ["--config", "wide6"]]:
            wrong = run("run", *mode, *options, "--report", "oracle contexts=c.json", GUEST)
            have = {} if wrong else from_report(DIR + "/c.json")
            check_fault(f"contexts {mode} {length}", wrong or differences(have, WANT))
    wrong = run("--batch", *ORACLE, "-o", "os.slice=1500", "-e", "continue",
        "-e", "export folded apart.txt oracle by calls threads",
        "-e", "export folded merged.txt oracle by calls",
        "-e", "export folded third.txt oracle by calls thread 3",
        "-e", "export callgrind all.callgrind oracle by calls threads",
        "-e", "view cct threads", "-e", "goto 60000", "-e", "reverse-step 20000",
        "-e", "continue", "-e", "export folded again.txt oracle by calls threads", GUEST)
    check_fault("exports", wrong)
    if not wrong:
        check_fault("threads apart", differences(from_folded(DIR + "/apart.txt"), WANT))
        check_fault("after going back", differences(from_folded(DIR + "/again.txt"), WANT))
        check_fault("threads merged", differences(from_folded(DIR + "/merged.txt"), merged(WANT)))
        check_fault("one thread", differences(from_folded(DIR + "/third.txt"),
            {k: n for k, n in WANT.items() if k[0] == "(thread 3)"}))
    # A checkpoint in the middle, whose stacks are checked when it is read.
    options = [*ORACLE, "-o", "os.slice=1500"]
    subprocess.run([CYCLOPS, "run", *options, "--save-to", "half", "--max-cycles", "70000", GUEST],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=DIR)
    wrong = run("run", *options, "--restore", "half", "--report", "oracle contexts=c.json", GUEST)
    check_fault("from a checkpoint", wrong or differences(from_report(DIR + "/c.json"), WANT))
    # Trees of each kind in the program's memory, and one that it writes at exit.
    small = SCALE == "small"
    for kind in ["cct,atomic"] if small else ["cct,atomic", "cct+hw,atomic", "cct+path,atomic",
            "cct=1,on,atomic", "cct,atomic,--merge-sites"]:
        for length in SLICES:
            options = ["-o", f"os.slice={length}", "--instrument",
                kind.removesuffix(",--merge-sites"), *re.findall("--.*", kind)]
            flags = ["-o", "xprof.enable=true"] if "=1" in kind else []
            for name in ["apart.txt", "merged.txt", "third.txt"]:
                os.remove(f"{DIR}/{name}")
            wrong = run("--batch", *flags, *options, "-e", "continue",
                "-e", "export folded apart.txt program by calls threads",
                "-e", "export folded merged.txt program by calls",
                "-e", "export folded third.txt by calls thread 3", GUEST)
            what = f"{kind} {length}"
            check_fault(what, wrong)
            if not wrong:
                check_fault(f"{what} threads", differences(from_folded(DIR + "/apart.txt"), WANT))
                check_fault(f"{what} merged",
                    differences(from_folded(DIR + "/merged.txt"), merged(WANT)))
                check_fault(f"{what} one", differences(from_folded(DIR + "/third.txt"),
                    {k: n for k, n in WANT.items() if k[0] == "(thread 3)"}))
    # The whole tree is readable in any cycle, also during changes.
    places = range(20011, 250000, 23003 if small else 7919)
    looks = [w for at in places for w in ("-e", f"goto {at}", "-e", "view cct program threads")]
    wrong = run("--batch", "-o", "os.slice=1000", "--instrument", "cct,atomic", *looks, GUEST)
    check_fault("in any cycle", wrong)
    # A file, made by the executable alone: numbers of threads are the host's.
    wrong = run("instrument", "--kind", "cct,atomic", "--cct", "t.cct", "-o", "new", GUEST) or run(
        "run", "--rw", "-o", "os.slice=1000", DIR + "/new") or run(
        "--batch", "-e", "export folded file.txt of t.cct by calls threads", DIR + "/new")
    check_fault("a file", wrong or differences(from_folded(DIR + "/file.txt"), WANT))
    # Counters: the most often executed block, edge, path and arc of leaf.
    for kind, report in [("bb", "counters"), ("edge", "counters"), ("path", "hot-paths"),
            ("path+hw", "hot-paths"), ("callgraph", "callgraph")]:
        for mode in [["--functional"], ["-o", "xprof.enable=true"]] if SCALE != "small" else [[]]:
            for flags in ["", "=1,on"] if kind in ("bb", "path") else [""]:
                what = f"{kind}{flags},atomic"
                wrong = run("run", *mode, "-o", "os.slice=1000", "--instrument", what,
                    "--report", f"{report}=r.json", GUEST)
                if not wrong:
                    rows = json.load(open(DIR + "/r.json"))["rows"]
                    place = {"counters": "place", "hot-paths": "function",
                        "callgraph": "callee"}[report]
                    leaf = [r for r in rows
                        if re.fullmatch(r"leaf(\+0x[0-9a-f]+)?", str(r.get(place, "")))]
                    n = [int(r["count" if "count" in r else "calls"]) for r in leaf]
                    total = max(n, default=0) if kind == "bb" else sum(n)
                    wrong = total != LEAVES and f"{total} of leaf, expected {LEAVES}"
                check_fault(f"{what} {mode}", wrong)
    # A thread's own cycles: switches and others' turns add little.
    cost = []
    for options in [["-o", "os.slice=100000000"], ["-o", "os.slice=1500", "-o", "os.switch=2000"]]:
        wrong = run("run", *options, "--instrument", "path+hw,atomic", "--report",
            "hot-paths=r.json", GUEST)
        check_fault(f"path+hw {options}", wrong)
        rows = [] if wrong else json.load(open(DIR + "/r.json"))["rows"]
        cost.append(sum(int(r["metric0"]) for r in rows if r["function"] in MINE))
    check_fault("cycles of paths", cost[0] * 1.1 < cost[1] and
        f"{cost[1]} with switches, {cost[0]} without")
    check_fault("cycles are counted", cost[0] < 1000 and "none")
finish()
