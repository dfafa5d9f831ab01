# The records of a paper's runs (demos/papers/kept.lua), for check.py: RECORDS is its first word.
import pathlib
import re
import sys

PERCENTS = [0, 10, 25, 50, 100]


def load(path):
    """A record: nested tables of Lua with keys and numbers or texts."""
    root, stack = {}, []
    for line in path.read_text().splitlines():
        line = line.strip()
        if m := re.fullmatch(r'(?:return|\[(.*)\] =) \{', line):
            table = root if m[1] is None else stack[-1].setdefault(m[1].strip('"'), {})
            stack.append(table)
        elif line in ("}", "},"):
            stack.pop()
        elif m := re.fullmatch(r'\[(.*?)\] = (.*),', line):
            value = m[2]
            if value in ("true", "false"):
                stack[-1][m[1].strip('"')] = value == "true"
            elif value.startswith('"'):
                stack[-1][m[1].strip('"')] = value.strip('"')
            else:
                stack[-1][m[1].strip('"')] = float.fromhex(value) if "0x" in value else float(value)
        else:
            raise SystemExit(f"{path}: '{line}'")
    assert not stack and root, path
    return root


folder = pathlib.Path(sys.argv[1])
records = {}
for path in folder.glob("*.lua"):
    program, run = path.stem.removeprefix("small-").split("-", 1)
    records.setdefault(program, {})[run] = load(path)


def stat(program, run, name):
    return records[program][run]["stats"][name]


def rows_of(file):
    """Rows by their first cell, of the first table that has them, as numbers; bold ones too."""
    rows = {}
    for line in open(file):
        if line.startswith("| ") and not line.startswith("| ---"):
            name, *cells = [cell.strip(" *") for cell in line.strip().strip("|").split("|")]
            rows.setdefault(name, [float(cell.replace(",", "")) if re.fullmatch(r"-?[\d,.]+", cell)
                else None for cell in cells])
    return rows


def near(got, want, what):
    # Rounded when printed.
    if got is None or abs(got - want) > 0.00501:
        raise SystemExit(f"{what}: the table says {got}, the records {want}")


def overhead(program, run):
    return (stat(program, run, "sim.cycles") / stat(program, "plain", "sim.cycles") - 1) * 100


def law(holds, text):
    if not holds:
        raise SystemExit(text)
