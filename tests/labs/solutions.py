#!/usr/bin/env python3
"""Every lab: its solution gets all points (CYCLOPS_TEST_SCALE=long: under 30 seeds), what a
student begins with gets little, ten typical wrong answers lose what they should, without being told
what would be right, and what was written down or read somewhere (cheats.py) is worth nothing.

    tests/labs/solutions.py CYCLOPS [LAB...]

tests/labs/wrong/LAB.txt has a line for each: ROW :: OLD :: NEW, where OLD, which is in the
solution, becomes NEW, and the row of that name loses points. \\n and \\t are what they are in C.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cheats

HERE = pathlib.Path("tests/labs")
# What is written down is right under the first of them.
SEEDS = (1, 2)
passed = failed = 0


def check(what, ok):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAIL: {what}")


def unescaped(text):
    return text.replace("\\n", "\n").replace("\\t", "\t")


def grade(cyclops, lab, files, out, *options):
    done = subprocess.run([cyclops, "lab", "grade", *options, f"./{lab}", "-o", out, *files],
        capture_output=True, text=True)
    check(f"{lab}: grading: {done.stderr}", done.returncode == 0)
    with open(f"{out}/grades.csv", newline="") as f:
        return {pathlib.Path(row["file"]).stem: row for row in csv.DictReader(f)}


def beside_answers(row):
    """What a hand-in got for its task."""
    return int(row["points"]) - sum(int(points) for what, points in row.items()
        if what.startswith("answer "))


def try_cheats(cyclops, lab, suffix, text, folder):
    known, found = [], list(cheats.cheats(lab.name, text))
    check(f"{lab.name}: what is written down, and what reads: {len(found)}", len(found) == 2)
    for i, (name, content, most, right) in enumerate(found):
        file = folder / f"cheat{i}{suffix}"
        file.write_text(content)
        known.append(str(file))
    for seed in SEEDS:
        rows = grade(cyclops, lab, known, str(folder / f"cheats{seed}"), "--seed", str(seed))
        for i, (name, content, most, right) in enumerate(found):
            got = rows[f"cheat{i}"]
            if seed == 1 and right:
                check(f"{lab.name}: {name} is not right under seed 1: {got}",
                      beside_answers(got) > 0)
            else:
                check(f"{lab.name}: {name} gets more than {most} under seed {seed}: {got}",
                      beside_answers(got) <= most)
            page = (folder / f"cheats{seed}" / f"cheat{i}.md").read_text()
            told = set(re.findall(r"status \d+|reached", page))
            check(f"{lab.name}: {name} learned something: {page}", told <= {"status 77"})


def try_attacks(cyclops, lab, begun, folder):
    files = []
    for i, attack in enumerate(cheats.ATTACKS_LUA):
        files.append(folder / f"attack{i}.lua")
        files[-1].write_text(attack + "\n" + begun)
    files.append(folder / "begun.lua")
    files[-1].write_text(begun)
    out = folder / "attacks"
    rows = grade(cyclops, lab, [str(f) for f in files], str(out), "--seed", "2")
    for i, attack in enumerate(cheats.ATTACKS_LUA):
        got, page = rows[f"attack{i}"], (out / f"attack{i}.md").read_text()
        check(f"{lab.name}: {attack}: it gets points: {got}", got["points"] == "0")
        check(f"{lab.name}: {attack}: a row of its own: {page}",
              not re.search(r"^\| *forged", page, re.M))
        check(f"{lab.name}: {attack}: a column of its own", got.keys() == rows["begun"].keys())


def try_lab(cyclops, lab, folder):
    header = (lab / "lab.cyc").read_text()
    points = int(re.search(r"^# points: (\d+)", header, re.M)[1])
    begun = lab / re.search(r"^# hand-in: (\S+)", header, re.M)[1]
    solution = HERE / "solutions" / (lab.name + begun.suffix)
    text = solution.read_text()
    rights = dict(re.findall(r"^[#;/-]+ answer (\w+) (.*)$", text, re.M))
    files, wrong = [], []
    for name, content in (("solution", text), ("begun", begun.read_text())):
        files.append(folder / (name + begun.suffix))
        files[-1].write_text(content)
    for line in (HERE / "wrong" / (lab.name + ".txt")).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        row, old, new = (unescaped(part) for part in line.split(" :: "))
        check(f"{lab.name}: '{old}' is not in the solution", old in text)
        files.append(folder / f"wrong{len(wrong)}{begun.suffix}")
        files[-1].write_text(text.replace(old, new, 1))
        wrong.append((row, line))
    check(f"{lab.name}: ten wrong answers, not {len(wrong)}", len(wrong) >= 10)
    rows = grade(cyclops, lab, [str(f) for f in files], str(folder / "pages"), "--seed", "2")
    best = rows["solution"]
    check(f"{lab.name}: the solution: {best}", int(best["points"]) == points and not best["note"])
    check(f"{lab.name}: what one begins with: {rows['begun']['points']} of {points}",
          int(rows["begun"]["points"]) * 10 < points * 6)
    for i, (row, line) in enumerate(wrong):
        got = rows[f"wrong{i}"]
        check(f"{lab.name}: '{row}' loses nothing: {line}: {got}", row in got
            and int(got[row]) < int(best[row]))
        page = (folder / "pages" / f"wrong{i}.md").read_text()
        name = row.removeprefix("answer ")
        told = [said for said in page.splitlines()
            if said.startswith(f"| {row} ")] if name in rights else []
        check(f"{lab.name}: says what would be right: {told}",
              not any(re.search(rf"(?<![\w.]){re.escape(rights[name])}(?![\w.])",
                  said.split("|")[3]) for said in told))


    for seed in range(3, 33) if os.environ.get("CYCLOPS_TEST_SCALE") == "long" else ():
        best = grade(cyclops, lab, [str(files[0])], str(folder / "more"), "--seed", str(seed))
        check(f"{lab.name}: seed {seed}: {best}", int(best["solution"]["points"]) == points)
    try_cheats(cyclops, lab, begun.suffix, text, folder)
    if begun.suffix == ".lua":
        try_attacks(cyclops, lab, begun.read_text(), folder)


cyclops, names = sys.argv[1], sys.argv[2:]
for lab in sorted(pathlib.Path("demos/labs").glob("[0-9]*")):
    if not names or lab.name in names:
        with tempfile.TemporaryDirectory() as folder:
            try_lab(cyclops, lab, pathlib.Path(folder))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
