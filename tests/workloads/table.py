"""Whether each program of demos/workloads/workloads.txt has what building and running it needs.

  tests/workloads/table.py TABLE
"""
import re
import sys

KEYS = {"stands", "package", "folder", "sources", "flags", "libs", "arguments", "input", "needs"}
programs = {}
with open(sys.argv[1], encoding="utf-8") as table:
    for line in table:
        row = re.fullmatch(r"\t(\w+) +(\S.*)\n", line)
        if row:
            assert row[1] in KEYS, f"no such key: {line}"
            list(programs.values())[-1][row[1]] = row[2]
        elif re.fullmatch(r"[a-z][a-z0-9_]*\n", line):
            assert line.strip() not in programs, f"twice: {line}"
            programs[line.strip()] = {}
        else:
            assert line == "\n" or line.startswith("#"), f"neither a name nor a row: {line}"
for name, rows in programs.items():
    missing = {"stands", "package", "sources", "input"} - set(rows) - ({"input"}
        if "arguments" in rows else set())
    assert not missing, f"{name} has no {' '.join(missing)}"
    assert rows.get("needs", name) in programs, f"{name} needs {rows['needs']}, which is none"
    assert re.fullmatch(r"\S+ \d\S*",
        rows["package"]), f"{name}: a package and its version are needed, not {rows['package']}"
