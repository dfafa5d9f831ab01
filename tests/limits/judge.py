"""The judge of `view slots`: random loops (random_loops.py) run on some machines, each cause that the stack
names is taken away, and the cycles saved are compared with those charged.

  judge.py --cyclops PROGRAM [--seeds FIRST LAST] [--presets NAME,...] [--rotate] [--worst N] [--save FILE | --load FILE]
           [--need PERCENT] FOLDER

--rotate: each seed runs on one of the machines only. --save and --load: the measurements, as JSON. --need: fails if
fewer answers hold. FOLDER: for the programs.

A single cause is a remedy of hwviews/why/what_if.def: of each row of the stack the first with the fewest rows. An answer
holds if the cause of the first row that the page names, or of the next if it says that the first is at its least, saves
most, or no more than a tenth less; and no claim of a cause is more than its saving and a tenth of all cycles, but for
what the page then shows in its place. Differences of less than a hundredth of all cycles are none.

The judge is judged first: an answer made of the savings themselves must always hold, and one whose first row has been
exchanged with that which saves least must not where that matters."""
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
    """Rows of each remedy, and for each row its single cause."""
    with open("hwviews/why/what_if.def", encoding="utf-8") as f:
        text = f.read().split("*/", 1)[1]
    rows = {name: r.split() for name, r in re.findall(r'^REMEDY\("([^"]*)", "([^"]*)"', text, re.M)}
    cause = {}
    for name, of in rows.items():
        for row in of:
            if row not in cause or len(of) < len(rows[cause[row]]):
                cause[row] = name
    return rows, cause


def compile_loop(folder, seed):
    source, out = f"{folder}/loop{seed}.c", f"{folder}/loop{seed}"
    with open(source, "w", encoding="utf-8") as f:
        f.write(random_loops.program(seed, f"{folder}/data"))
    subprocess.run(["riscv64-linux-gnu-gcc", "-O2", "-g", "-ffreestanding", "-fno-tree-loop-distribute-patterns",
                    "-nostdlib", "-static", "-w", "-o", out, source], check=True)
    return out


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
    return {a["command"]: a["view"] for a in answers if a["view"]}


def measure(cyclops, folder, seed, preset):
    """The stack's rows and each cause's saving, in cycles."""
    part = f"{FROM} {TO}"
    views = ask(cyclops, ["-c", preset, "--ff", str(WARMED), "--warmup"], f"{folder}/loop{seed}",
                [f"goto {TO}", f"view slots {part}", f"what-if {part}", "view what-if all"])
    stack = views[f"view slots {part}"]
    slots = {r["cause"].strip().replace(" ", "_"): r["cycles"] for r in stack["rows"] if r["cause"].startswith("  ")}
    first = re.match("most is lost to ([a-z0-9 ]*), [0-9.]*%(, at its least(, then to ([a-z0-9 ]*),)?)?", stack["summary"])
    row = first and (first[4] if first[2] else first[1])
    what_if = views["view what-if all"]["rows"]
    unchanged = next(r for r in what_if if r["settings"].startswith("nothing"))["cycles"]
    with open(f"{folder}/loop{seed}.c", encoding="utf-8") as f:
        kinds = f.readline().strip("/* \n")
    return {"preset": preset, "seed": seed, "kinds": kinds, "cycles": unchanged, "row": row and row.replace(" ", "_"),
            "slots": {name: cycles for name, cycles in slots.items() if name not in ("retired", "in_flight")},
            "saved": {r["cause"]: r["saved"] for r in what_if if r["cycles"] is not None},
            "next": {r["cause"]: [r["next"], r["grew"]] for r in what_if if r["next"]},
            "least": [r["cause"] for r in what_if if r["settings"].startswith("nothing")],
            "refused": {r["cause"]: r["settings"] for r in what_if if r["cycles"] is None}}


class Verdict:
    """An answer's worth: the claim of each cause, and the cause of the first row."""

    def __init__(self, run, claims, first, row=None):
        self.run, self.claims, self.first, self.row = run, claims, first, row
        saved, cycles = run["saved"], run["cycles"]
        self.best = max(claims, key=saved.get)
        gap = saved[self.best] - (saved[first] if first else 0)
        self.ranked = gap <= max(TENTH * saved[self.best], NOTHING * cycles)
        self.apart = {n: (claims[n] - saved[n]) / cycles for n in claims}
        self.worst = max(claims, key=lambda n: abs(self.apart[n]))
        self.near = abs(self.apart[self.worst]) <= TENTH
        # what stands in a cause's place when it is taken away, as what-if shows it
        self.told = all(a <= TENTH or (n in run["next"] and a * cycles - run["next"][n][1] <= TENTH * cycles)
                        for n, a in self.apart.items())


def causes_of(run, cause):
    return [n for n in dict.fromkeys(cause.values()) if n in run["saved"] and n not in run["least"]]


def judge_stack(run, rows, cause):
    claims = {n: sum(run["slots"].get(row, 0) for row in rows[n]) for n in causes_of(run, cause)}
    return Verdict(run, claims, cause.get(run["row"]), run["row"])


def judge_judge(runs, cause):
    """Errors of the judge itself."""
    wrong = []
    for run in runs:
        where = f"{run['preset']}, seed {run['seed']}"
        saved = {n: run["saved"][n] for n in causes_of(run, cause)}
        most, least = max(saved, key=saved.get), min(saved, key=saved.get)
        perfect = Verdict(run, saved, most)
        damaged = Verdict(run, {**saved, most: saved[least], least: saved[most]}, least)
        if not (perfect.ranked and perfect.near and perfect.told):
            wrong.append(f"{where}: a perfect answer does not hold")
        if saved[most] - saved[least] > 1.5 * TENTH * run["cycles"] and (damaged.ranked or damaged.near):
            wrong.append(f"{where}: a damaged answer holds")
    return wrong


def print_table(verdicts, presets):
    print(f"{'machine':10} {'runs':>5} {'first row holds':>16} {'claims hold':>12} {'or are told':>12} {'both':>6}")
    for preset in (*presets, "all"):
        of = [v for v in verdicts if preset in ("all", v.run["preset"])]
        share = [f"{100 * sum(map(f, of)) / max(len(of), 1):.1f}%"
                 for f in (lambda v: v.ranked, lambda v: v.near, lambda v: v.told, lambda v: v.ranked and v.told)]
        print(f"{preset:10} {len(of):5} {share[0]:>16} {share[1]:>12} {share[2]:>12} {share[3]:>6}")


def print_worst(verdicts, n):
    print("first rows that do not hold:")
    for v in [v for v in verdicts if not v.ranked][:n]:
        cycles = v.run["cycles"]
        print(f"  {v.run['preset']}, {v.run['kinds']}: {v.row} has {100 * v.run['slots'].get(v.row, 0) / cycles:.1f}% and saves "
              f"{100 * v.run['saved'][v.first] / cycles:.1f}% ({v.first}); {v.best} saves "
              f"{100 * v.run['saved'][v.best] / cycles:.1f}% and has {100 * v.claims[v.best] / cycles:.1f}%")
    print("claims furthest from savings:")
    for v in sorted(verdicts, key=lambda v: -abs(v.apart[v.worst]))[:n]:
        after = v.run["next"].get(v.worst)
        print(f"  {v.run['preset']}, {v.run['kinds']}: {v.worst}: {100 * v.claims[v.worst] / v.run['cycles']:.1f}% claimed, "
              f"{100 * v.run['saved'][v.worst] / v.run['cycles']:.1f}% saved"
              + (f", then {after[0]} has {100 * after[1] / v.run['cycles']:.1f}% more" if after else ""))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cyclops", default="build/cyclops")
    p.add_argument("--seeds", type=int, nargs=2, default=(1, 12))
    p.add_argument("--presets", default=",".join(PRESETS))
    p.add_argument("--rotate", action="store_true")
    p.add_argument("--worst", type=int, default=0)
    p.add_argument("--save")
    p.add_argument("--load")
    p.add_argument("--need", type=float, default=0)
    p.add_argument("folder")
    a = p.parse_args()
    presets = a.presets.split(",")
    rows, cause = read_remedies()
    if a.load:
        with open(a.load, encoding="utf-8") as f:
            runs = json.load(f)
    else:
        seeds = range(a.seeds[0], a.seeds[1] + 1)
        random_loops.write_data(f"{a.folder}/data")
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(lambda seed: compile_loop(a.folder, seed), seeds))
            runs = list(pool.map(lambda of: measure(a.cyclops, a.folder, *of),
                                 [(s, c) for i, c in enumerate(presets) for s in seeds
                                  if not a.rotate or s % len(presets) == i]))
    if a.save:
        with open(a.save, "w", encoding="utf-8") as f:
            json.dump(runs, f)
    wrong = judge_judge(runs, cause)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    verdicts = [judge_stack(run, rows, cause) for run in runs]
    print_table(verdicts, presets)
    if a.worst:
        print_worst(verdicts, a.worst)
    held = 100 * sum(v.ranked and v.told for v in verdicts) / len(verdicts)
    sys.exit(bool(wrong) or held < a.need)


if __name__ == "__main__":
    main()
