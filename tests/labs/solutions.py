#!/usr/bin/env python3
"""Every lab: its solution gets all points (CYCLOPS_TEST_SCALE=long: under 30 seeds), what a
student begins with gets little, ten typical wrong answers lose what they should, without the
correct answer in the output, and hard-coded answers, answers read from files and tricks (cheats.py)
get nothing. All are graded with seed 2, and what was written down with the seed for which it was,
too.

    tests/labs/solutions.py CYCLOPS [LAB...]

tests/labs/five/LAB.txt has hand-ins with the points that a lecturer would give for the task: KIND
POINTS BASE :: OLD :: NEW ..., where BASE is the solution or what a student begins with (begun). An
excellent one, which is the solution, a good, a mediocre and a misled one differ as theirs do. A
cheating one, cheating POINTS NAME, is that of cheats.py, and gets no more than the misled one.
TEACHING.md has these points as a table.

tests/labs/wrong/LAB.txt has a line for each: ROW :: OLD :: NEW, where OLD, which is in the
solution, becomes NEW, and the row of that name loses points: `none` if it is as good a solution.
\\n and \\t are what they are in C.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests"]
import cheats
from checks import check, finish

HERE = pathlib.Path("tests/labs")


def unescaped(text):
    return text.replace("\\n", "\n").replace("\\t", "\t")


def grade(cyclops, lab, files, out, *options):
    # Elapsed seconds, more on a busy computer.
    done = subprocess.run([cyclops, "lab", "grade", "--seconds", "900", *options, f"./{lab}", "-o",
        out, *files], capture_output=True, text=True)
    check(f"{lab}: grading: {done.stderr}", done.returncode == 0)
    with open(f"{out}/grades.csv", newline="") as f:
        return {pathlib.Path(row["file"]).stem: row for row in csv.DictReader(f)}


def beside_answers(row):
    """A hand-in's points for its task."""
    return int(row["points"]) - sum(int(points) for what, points in row.items()
        if what.startswith("answer "))


class Lab:
    """A lab with hand-ins to be graded, by their names. Their results and pages come from grade()."""

    def __init__(self, folder, lab):
        header = (lab / "lab.cyc").read_text()
        self.lab, self.name, self.folder = lab, lab.name, folder
        self.points = int(re.search(r"^# points: (\d+)", header, re.M)[1])
        self.begun = lab / re.search(r"^# hand-in: (\S+)", header, re.M)[1]
        self.text = (HERE / "solutions" / (lab.name + self.begun.suffix)).read_text()
        self.files = {}

    def add(self, name, text):
        self.files[name] = self.folder / (name + self.begun.suffix)
        self.files[name].write_text(text)

    def grade(self, seed, *names):
        self.out = self.folder / f"pages{seed}"
        self.rows = grade(cyclops, self.lab, [str(self.files[name]) for name in names or self.files],
            str(self.out), "--seed", str(seed))

    def page(self, name):
        return (self.out / (name + ".md")).read_text()

    def check(self, what, ok):
        check(f"{self.name}: {what}", ok)


def add_wrong(lab):
    """Puts wrong answers to several questions into one hand-in. Returns (HAND-IN, ROW, LINE)."""
    texts, wrong = [], []
    for line in (HERE / "wrong" / (lab.name + ".txt")).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        row, old, new = (unescaped(part) for part in line.split(" :: "))
        lab.check(f"'{old}' is not in the solution", old in lab.text)
        hand_in = next((i for i in range(len(texts)) if row.startswith("answer ") and
            (i, row) not in [entry[:2] for entry in wrong] and all(entry[1].startswith("answer ")
                for entry in wrong if entry[0] == i)), len(texts))
        texts[hand_in:hand_in + 1] = [(texts[hand_in:] or [lab.text])[0].replace(old, new, 1)]
        wrong.append((hand_in, row, line))
    for i, text in enumerate(texts):
        lab.add(f"wrong{i}", text)
    lab.check(f"ten wrong answers, not {len(wrong)}", len(wrong) >= 10)
    return wrong


def check_wrong(lab, wrong):
    rights = dict(re.findall(r"^[#;/-]+ answer (\w+) (.*)$", lab.text, re.M))
    for i, row, line in wrong:
        got = lab.rows[f"wrong{i}"]
        if row == "none":
            lab.check(f"loses points: {line}: {got}", got["points"] == got["of"])
            continue
        lab.check(f"'{row}' loses nothing: {line}: {got}", row in got
            and int(got[row]) < int(lab.rows["solution"][row]))
        name = row.removeprefix("answer ")
        told = [said for said in lab.page(f"wrong{i}").splitlines()
            if said.startswith(f"| {row} ")] if name in rights else []
        lab.check(f"prints the expected answer: {told}",
              not any(re.search(rf"(?<![\w.]){re.escape(rights[name])}(?![\w.])",
                  said.split("|")[3]) for said in told))


def add_five(lab):
    given = []
    for line in (HERE / "five" / (lab.name + ".txt")).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        head, *parts = line.split(" :: ")
        kind, points, base = head.split(" ", 2)
        if kind == "cheating":
            given.append((kind, int(points), base))
            continue
        text = lab.text if base == "solution" else lab.begun.read_text()
        for old, new in zip(parts[::2], parts[1::2]):
            lab.check(f"{kind}: '{old}' is not there", unescaped(old) in text)
            text = text.replace(unescaped(old), unescaped(new), 1)
        lab.add(kind, text)
        given.append((kind, int(points), kind))
    lab.check(f"kinds: {given}",
        [kind for kind, _, _ in given] == ["good", "mediocre", "misled", "cheating"])
    return given


def check_five(lab, given, cheats_known):
    names = {what: name for name, what, _, _ in cheats_known}
    best = last = beside_answers(lab.rows["solution"])
    last += 1
    for kind, points, name in given:
        got = beside_answers(lab.rows[names[name] if kind == "cheating" else name])
        lab.check(f"{kind}: {got}, a lecturer would give {points}: {lab.rows}",
            abs(got - points) <= 1)
        lab.check(f"{kind}: {got} is too near to {last}",
            got <= last - (0 if kind == "cheating" else 2))
        last = got
    row = " | ".join(str(points) for points in [best] + [points for _, points, _ in given])
    lab.check(f"TEACHING.md lacks | {lab.name[:2]} ... | {row} |", re.search(
        rf"^\| {int(lab.name[:2])} [^|]*\| {re.escape(row)} \|$",
        pathlib.Path("TEACHING.md").read_text(), re.M))


def check_cheats(lab, known, seed):
    for name, what, most, right in known:
        got = lab.rows.get(name)
        if seed == 1 and right:
            lab.check(f"{what} is not right under seed 1: {got}", beside_answers(got) > 0)
        elif got:
            lab.check(f"{what} gets more than {most} under seed {seed}: {got}",
                beside_answers(got) <= most)
            told = set(re.findall(r"status \d+|reached|off by -|off by \d{4,}", lab.page(name)))
            lab.check(f"{what} learned something, or is absurd: {lab.page(name)}",
                told <= {"status 77"})


def check_attacks(lab):
    lab.check(f"a column of its own: {lab.rows['begun'].keys()}",
        not any("forged" in column for column in lab.rows["begun"]))
    for i, attack in enumerate(cheats.ATTACKS_LUA):
        got = lab.rows[f"attack{i}"]
        lab.check(f"{attack}: it gets points: {got}", got["points"] == "0")
        lab.check(f"{attack}: a row of its own",
              not re.search(r"^\| *forged", lab.page(f"attack{i}"), re.M))


def try_lab(lab):
    lab.add("solution", lab.text)
    lab.add("begun", lab.begun.read_text())
    wrong, given, known = add_wrong(lab), add_five(lab), []
    # Without the answers to questions, which take longest.
    questions = "|".join({row[7:] for _, row, _ in wrong if row.startswith("answer ")})
    text = re.sub(rf"( answer ({questions})) .*", r"\1 ?", lab.text)
    for i, (what, content, most, right) in enumerate(cheats.cheats(lab.name, text)):
        known.append((f"cheat{i}", what, most, right))
        lab.add(f"cheat{i}", content)
    lab.check(f"what is written down, what reads, and what evades: {len(known)}", len(known) >= 4)
    if lab.begun.suffix == ".lua":
        for i, attack in enumerate(cheats.ATTACKS_LUA):
            lab.add(f"attack{i}", attack + "\n" + lab.begun.read_text())
    lab.grade(2)
    best, begun = lab.rows["solution"], lab.rows["begun"]
    lab.check(f"the solution: {best}", int(best["points"]) == lab.points and not best["note"])
    lab.check(f"what one begins with: {begun}", begun["points"] == "0")
    check_wrong(lab, wrong)
    check_five(lab, given, known)
    check_cheats(lab, known, 2)
    if lab.begun.suffix == ".lua":
        check_attacks(lab)
    rights = [name for name, _, _, right in known if right]
    if rights:
        lab.grade(1, *rights)
        check_cheats(lab, known, 1)
    for seed in range(3, 33) if os.environ.get("CYCLOPS_TEST_SCALE") == "long" else ():
        lab.grade(seed, "solution")
        lab.check(f"seed {seed}: {lab.rows}", int(lab.rows["solution"]["points"]) == lab.points)


cyclops, names = sys.argv[1], sys.argv[2:]
for lab in sorted(pathlib.Path("demos/labs").glob("[0-9]*")):
    if not names or lab.name in names:
        with tempfile.TemporaryDirectory() as folder:
            try_lab(Lab(pathlib.Path(folder), lab))
finish()
