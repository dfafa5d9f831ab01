"""The judge of `view slots`: random loops (random_loops.py) run on some machines, each cause that
the stack names is taken away, and the cycles saved are compared with those charged.

  judge.py --cyclops PROGRAM [--seeds FIRST LAST | --loops FILE[:NAME,...]] [--presets NAME,...]
           [--rotate] [--worst N] [--save FILE | --load FILE] [--need PERCENT] FOLDER
  judge.py --places ...

--loops: loops written by hand (loops.c) in place of random ones. --rotate: each loop runs on one of
the machines only. --save, --load: measurements, as JSON. --need: fails if fewer first rows hold, or
fewer claims are told. FOLDER: for the programs.

A row's cause is the first remedy of hwviews/why/what_if.def that has it, and its rows are added up.
The page's first row, or the next if no parameter shortens that, holds if its cause saves most of
all remedies, or no more than a tenth less. A claim is near if it is no more than a tenth of all
cycles from its saving, above or below; it is told if it is, but for the cycle that is left of a
latency, and the rows that, as the page then shows, hide it or are hidden by it. `slow`, and the
page after `what-if`, name a remedy with its saving: that must be the one that saves most. Less than
a hundredth of all cycles is no difference.

--places: instead, the cause that `view spent` names for each run's first place is the first that
`view slots` of that line names, or, if no parameter shortens that, the next.

The judge is judged first: an answer made of the savings themselves must always hold; one in which
the causes that save most and least are exchanged must not, where these differ."""
import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import random_loops

PRESETS = ("default", "wide6", "inorder2", "classic5")
FROM, TO = 10000, 30000   # cycles
WARMED = 300000           # instructions without timing before them
TENTH, NOTHING = 0.1, 0.01


def read_remedies():
    """Rows of each remedy, for each row its cause, and latencies that remedies set to 1."""
    with open("hwviews/why/what_if.def", encoding="utf-8") as f:
        text = f.read().split("*/", 1)[1]
    rows = {name: r.split() for name, r in re.findall(r'^REMEDY\("([^"]*)", "([^"]*)"', text, re.M)}
    cause = {}
    for name, of in rows.items():
        for row in of:
            cause.setdefault(row, name)
    ones = {name: re.findall(r"\b(lat\.[a-z]+|(?:l1d|l2|lsq)\.[a-z_]*latency)=1\b", settings)
            for name, settings in re.findall(r'^REMEDY\("([^"]*)", .*"([^"]*)"\)', text, re.M)}
    return rows, cause, {n: ones[n] for n in set(cause.values()) if ones[n]}


def compile_loop(folder, loop, by_hand):
    """A random loop by its seed, or one of the file `by_hand` by its name."""
    source, out = by_hand or f"{folder}/loop{loop}.c", f"{folder}/loop{loop}"
    if not by_hand:
        with open(source, "w", encoding="utf-8") as f:
            f.write(random_loops.program(loop, f"{folder}/data"))
    subprocess.run(["riscv64-linux-gnu-gcc", "-O2", "-g", "-ffreestanding", "-fno-tree-loop-distribute-patterns",
                    "-nostdlib", "-static", "-w", f"-DLOOP=loops_{loop}", "-o", out, source], check=True)


def names_in(file):
    with open(file, encoding="utf-8") as f:
        return re.findall(r"^/\* loop (\w+)", f.read(), re.M)


def ask(cyclops, options, program, commands):
    """The views that a session prints, by command."""
    out = subprocess.run([cyclops, "inspect", "-n", *options, "--json", *(w for c in commands for w in ("-e", c)), program],
                         capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    answers = [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]
    for answer in answers:
        if not answer["ok"]:
            sys.exit(f"{program} {' '.join(options)}: {answer['command']}: {answer['error']}")
    if len(answers) < len(commands):
        sys.exit(f"{program} {' '.join(options)}: {out.stderr}")
    return {a["command"]: a["view"] or a["value"] or a["text"] for a in answers}


def left_part(latencies, cycles):
    """The part of a latency that its remedy leaves: a cycle at least, of each in a row or of any."""
    if "lsq.agen_latency" in latencies:
        return len(latencies) / sum(cycles[n] for n in latencies)
    return 1 / min(cycles[n] for n in latencies)


def measure(cyclops, folder, latencies, seed, preset):
    """The stack's rows and each cause's saving, in cycles."""
    part = f"{FROM} {TO}"
    names = sorted(set(sum(latencies.values(), [])))
    views = ask(cyclops, ["-c", preset, "--ff", str(WARMED), "--warmup"], f"{folder}/loop{seed}",
                [*(f"print {n}" for n in names), f"goto {TO}", f"view slots {part}", f"slow {part}",
                 f"view slots all {part}", "view what-if all"])
    cycles = {c.split()[1]: int(v) for c, v in views.items() if c.startswith("print")}
    stack = views[f"view slots {part}"]
    slots = {r["cause"].strip().replace(" ", "_"): r["cycles"] for r in stack["rows"] if r["cause"].startswith("  ")}
    share = r" [0-9.]*%(?: \([^)]*\))?"
    first = re.match(f"most is lost to ([a-z0-9 ]*),{share}(, which no parameter shortens(?:; then to ([a-z0-9 ]*),{share})?)?", stack["summary"])
    row = first and (first[3] if first[2] else first[1])
    named = re.match("with(?:out| unlimited) (.*?) [0-9.]*% fewer", views[f"view slots all {part}"]["summary"])
    helps = re.match(r"what would help: with(?:out| unlimited) (.*?) \(", views[f"slow {part}"][1])
    what_if = views["view what-if all"]["rows"]
    unchanged = next(r for r in what_if if r["settings"].startswith("nothing"))["cycles"]
    kinds = str(seed)
    if isinstance(seed, int):
        with open(f"{folder}/loop{seed}.c", encoding="utf-8") as f:
            kinds = f.readline().strip("/* \n")
    return {"preset": preset, "seed": seed, "kinds": kinds, "cycles": unchanged, "row": row and row.replace(" ", "_"),
            "slots": {name: cycles for name, cycles in slots.items() if name not in ("retired", "in_flight")},
            "saved": {r["cause"]: r["saved"] for r in what_if if r["cycles"] is not None},
            "page": named and named[1], "slow": helps and helps[1],
            "next": {r["cause"]: [r["next"], r["grew"]] for r in what_if if r["next"]},
            "also": {r["cause"]: [r["also"], r["shrank"]] for r in what_if if r["also"]},
            "left": {n: left_part(of, cycles) for n, of in latencies.items()},
            "least": [r["cause"] for r in what_if if r["settings"].startswith("nothing")],
            "refused": {r["cause"]: r["settings"] for r in what_if if r["cycles"] is None}}


def place_errors(cyclops, folder, seed, preset):
    """Differences between the first place's cause in words and the first row of its slots."""
    options = ["-c", preset, "--ff", str(WARMED), "--warmup"]
    part, program = f"{FROM} {TO}", f"{folder}/loop{seed}"
    rows = ask(cyclops, options, program, [f"goto {TO}", f"view hot {part}", "view spent"])["view spent"]["rows"]
    place, cause = rows[0]["place"].split(", ")[-1], rows[0]["cause"]
    if cause.startswith("commits"):
        return []
    views = ask(cyclops, options, program, [f"goto {TO}", f"view slots of {place} {part}", f"help {cause}"])
    row, then = re.match("most is lost to ([a-z0-9 ]*),(?:.*, which no parameter shortens; then to ([a-z0-9 ]*),)?",
                         views[f"view slots of {place} {part}"]["summary"]).groups()
    known = re.search(r"slots\.\*: ([a-z0-9_ ]*);", " ".join(views[f"help {cause}"]))[1].split()
    return [] if {(r or "").replace(" ", "_") for r in (row, then)} & set(known) else [f"{preset}, {seed}: {place} {cause} ({known}), but most is lost to {row}"]


class Verdict:
    """An answer's worth: the claim of each cause, and the cause of the first row."""

    def __init__(self, run, claims, first, row=None):
        self.run, self.claims, self.first, self.row = run, claims, first, row
        saved, cycles = run["saved"], run["cycles"]
        self.best = max((n for n in saved if n not in run["least"]), key=saved.get)
        self.ranked = self.saves_most(first)
        self.apart = {n: (claims[n] - saved[n]) / cycles for n in claims}
        self.worst = max(claims, key=lambda n: abs(self.apart[n]))
        self.first_near = not first or abs(self.apart[first]) <= TENTH
        self.near = abs(self.apart[self.worst]) <= TENTH
        untold = [n for n in claims if not self.is_told(n)]
        self.told = not untold
        self.untold = max(untold, key=lambda n: abs(self.apart[n]), default=None)
        self.measured = all(run[n] in saved and self.saves_most(run[n]) if saved[self.best] > 2 * NOTHING * cycles
                            else True for n in ("page", "slow"))

    def saves_most(self, cause):
        saved = self.run["saved"]
        gap = saved[self.best] - (saved[cause] if cause else 0)
        return gap <= max(TENTH * saved[self.best], NOTHING * self.run["cycles"])

    def is_told(self, cause):
        """A claim is its saving, but for what is left of a latency and what the page shows. A near
        claim needs no more."""
        if abs(self.apart[cause]) <= TENTH:
            return True
        run, claim = self.run, self.claims[cause]
        shown = run["saved"][cause] + run["next"].get(cause, ("", 0))[1] - run["also"].get(cause, ("", 0))[1]
        least = claim * (1 - run["left"].get(cause, 0) * (claim > 0))
        return least - TENTH * run["cycles"] <= shown <= claim + TENTH * run["cycles"]


def causes_of(run, cause):
    return [n for n in dict.fromkeys(cause.values())
            if n in run["saved"] and n not in run["least"]]


def judge_stack(run, rows, cause):
    claims = {n: sum(run["slots"].get(row, 0) for row in rows[n]) for n in causes_of(run, cause)}
    first = cause.get(run["row"])
    return Verdict(run, claims, first if first in claims else None, run["row"])


def judge_judge(runs, cause):
    """Errors of the judge itself."""
    wrong = []
    for run in runs:
        where = f"{run['preset']}, seed {run['seed']}"
        alone = {**run, "next": {}, "also": {}}
        saved = {n: s for n, s in run["saved"].items() if n not in run["least"]}
        most, least = max(saved, key=saved.get), min(saved, key=saved.get)
        perfect = Verdict(alone, saved, most)
        damaged = Verdict(alone, {**saved, most: saved[least], least: saved[most]}, least)
        if not (perfect.ranked and perfect.near and perfect.told):
            wrong.append(f"{where}: a perfect answer does not hold")
        differ = saved[most] - saved[least] > 1.5 * TENTH * run["cycles"]
        if differ and (damaged.ranked or damaged.near or damaged.told):
            wrong.append(f"{where}: a damaged answer holds")
    return wrong


def percent(part, whole):
    return f"{100 * part / max(whole, 1):.1f}%"


def print_table(verdicts, presets):
    columns = {"first row holds": lambda v: v.ranked, "its claim near": lambda v: v.first_near,
               "all are near": lambda v: v.near, "explained": lambda v: v.told,
               "row, explained": lambda v: v.ranked and v.told,
               "slow, what-if": lambda v: v.measured,
               "these, explained": lambda v: v.measured and v.told}
    print(f"{'machine':10} {'runs':>5}", *(f"{name:>16}" for name in columns))
    for preset in (*presets, "all"):
        of = [v for v in verdicts if preset in ("all", v.run["preset"])]
        print(f"{preset:10} {len(of):5}",
              *(f"{percent(sum(map(holds, of)), len(of)):>16}" for holds in columns.values()))


def print_worst(verdicts, n):
    print("first rows that do not hold:")
    for v in [v for v in verdicts if not v.ranked][:n]:
        run, cycles = v.run, v.run["cycles"]
        print(f"  {run['preset']}, {run['kinds']}: {v.row} has",
              percent(run["slots"].get(v.row, 0), cycles), "and saves",
              percent(run["saved"].get(v.first, 0), cycles), f"({v.first}); {v.best} saves",
              percent(run["saved"][v.best], cycles), "and has",
              percent(v.claims.get(v.best, 0), cycles))
    print("claims furthest from savings, of those that are not told:")
    for v in sorted((v for v in verdicts if not v.told), key=lambda v: -abs(v.apart[v.untold]))[:n]:
        run, cycles, cause = v.run, v.run["cycles"], v.untold
        then, grew = run["next"].get(cause, (None, 0))
        also, shrank = run["also"].get(cause, (None, 0))
        print(f"  {run['preset']}, {run['kinds']}: {cause}:", percent(v.claims[cause], cycles),
              "claimed,", percent(run["saved"][cause], cycles), "saved",
              f"; then {then} has {percent(grew, cycles)} more" if then else "",
              f"; {also} has {percent(shrank, cycles)} less" if also else "")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cyclops", default="build/cyclops")
    p.add_argument("--seeds", type=int, nargs=2, default=(1, 12))
    p.add_argument("--loops")
    p.add_argument("--presets", default=",".join(PRESETS))
    p.add_argument("--rotate", action="store_true")
    p.add_argument("--worst", type=int, default=0)
    p.add_argument("--save")
    p.add_argument("--load")
    p.add_argument("--need", type=float, default=0)
    p.add_argument("--places", action="store_true")
    p.add_argument("folder")
    a = p.parse_args()
    presets = a.presets.split(",")
    rows, cause, latencies = read_remedies()
    if a.load:
        with open(a.load, encoding="utf-8") as f:
            runs = json.load(f)
    else:
        file, _, names = (a.loops or "").partition(":")
        loops = range(a.seeds[0], a.seeds[1] + 1)
        if file:
            loops = names.split(",") if names else names_in(file)
        random_loops.write_data(f"{a.folder}/data")
        runs = [(loop, preset) for i, preset in enumerate(presets) for n, loop in enumerate(loops)
                if not a.rotate or (n if file else loop) % len(presets) == i]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(lambda loop: compile_loop(a.folder, loop, file), loops))
            if a.places:
                errors = sum(pool.map(lambda of: place_errors(a.cyclops, a.folder, *of), runs), [])
                sys.exit("\n".join(errors) or None)
            runs = list(pool.map(lambda of: measure(a.cyclops, a.folder, latencies, *of), runs))
    if a.save:
        with open(a.save, "w", encoding="utf-8") as f:
            json.dump(runs, f)
    wrong = judge_judge(runs, cause)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    verdicts = [judge_stack(run, rows, cause) for run in runs]
    print_table(verdicts, presets)
    if a.worst:
        print_worst(verdicts, a.worst)
    held, ranked, measured = (100 * sum(map(holds, verdicts)) / len(verdicts)
                              for holds in (lambda v: v.measured and v.told, lambda v: v.ranked,
                                            lambda v: v.measured))
    sys.exit(bool(wrong) or min(held, ranked) < a.need or measured < 100)


if __name__ == "__main__":
    main()
