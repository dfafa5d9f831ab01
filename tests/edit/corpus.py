"""The table of tests/edit/corpus.sh.

    corpus.py CYCLOPS FOLDER

FOLDER/jobs has lines of a group, a program, a file for standard input and arguments, separated by
tabs. Shares of executed instructions are those of the first three million, by the oracle, means
over programs.
"""
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

INSTS, KINDS = "3M", ("bb", "path", "cct", "cct+path")


FILES = "build/workloads/files"


def functions(program):
    text = subprocess.run(["riscv64-linux-gnu-nm", program], capture_output=True, text=True,
        check=True).stdout
    return len({line.split()[0] for line in text.splitlines() if re.match(r"\S+ [tTwWi] ", line)
        and not line.split()[2].startswith((".L", "$"))})


def left_alone(cyclops, folder, kind, program, stdin, args):
    """{ REASON: { FUNCTION: percent of the executed instructions } }; None: it can't be instrumented."""
    report = os.path.abspath(f"{folder}/untouched.json")
    if os.path.exists(report):
        os.remove(report)
    # Workloads run where their files are.
    where = FILES if stdin.startswith("build/workloads/") else "."
    with open(os.path.join(where, stdin), "rb") as f:
        done = subprocess.run([cyclops, "run", "--functional", "--max-insts", INSTS, "--instrument",
            kind, "-o", "oracle.enable=true", "--report", f"untouched={report}", program, *args],
            stdin=f, cwd=where, capture_output=True, timeout=600)
    if not os.path.exists(report):
        print(f"{program}, {kind}: {done.stderr.decode(errors='replace').strip()}", file=sys.stderr)
        return None
    found = defaultdict(dict)
    for row in json.load(open(report))["rows"]:
        if row["what"] == "left alone":
            found[row["why"]][f"{row['function']} {row['was']}"] = row["share"] or 0
    return found


def main(cyclops, folder):
    cyclops = os.path.abspath(cyclops)
    groups = defaultdict(lambda: defaultdict(list))
    for line in open(f"{folder}/jobs"):
        group, name, stdin, *args = [cell for cell in line.rstrip("\n").split("\t") if cell]
        program = os.path.abspath(f"{folder}/{name}" if os.path.exists(f"{folder}/{name}")
            else name)
        n = functions(program)
        for kind in KINDS:
            found = left_alone(cyclops, folder, kind, program, stdin, args)
            if found is not None:
                groups[group][kind].append((n, found))
    print("| programs | kind | functions left alone | executed there | most in a program | reasons: functions, executed, such as |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for group, kinds in groups.items():
        for kind, runs in kinds.items():
            left = sum(len(f) for _, found in runs for f in found.values())
            shares = [sum(sum(f.values()) for f in found.values()) for _, found in runs]
            reasons = defaultdict(lambda: [0, 0, {}])
            for _, found in runs:
                for why, names in found.items():
                    reasons[why][0] += len(names)
                    reasons[why][1] += sum(names.values())
                    for name, share in names.items():
                        short = name.split()[0]
                        reasons[why][2][short] = reasons[why][2].get(short, 0) + share
            words = [f"{why}: {r[0]}, {r[1] / len(runs):.3f} %, `{max(r[2], key=lambda f: (r[2][f], f))}`"
                for why, r in sorted(reasons.items())]
            print(f"| {group} ({len(runs)}) | {kind} | {left} of {sum(n for n, _ in runs):,} "
                f"({100 * left / max(sum(n for n, _ in runs), 1):.2f} %) | {sum(shares) / len(runs):.3f} % | "
                f"{max(shares):.2f} % | {'; '.join(words)} |")


main(*sys.argv[1:])
