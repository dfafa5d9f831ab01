"""paths.py RIGHT PATHS DETAIL: sessions of one program. RIGHT showed `view cfg FUNCTION --json` as
the oracle counts, PATHS `view paths FUNCTION by insts 0% --json` of one of them at least, DETAIL
`view paths FUNCTION N --json`. Paths account for every instruction that was executed in a function,
and a path's labels sum up to its number."""
import json
import re
import sys


def grids(name):
    text, at, found = open(name, errors="replace").read(), 0, []
    while (at := text.find('{"view": "', at)) >= 0:
        grid, at = json.JSONDecoder().raw_decode(text, at)
        found.append(grid)
    return found


executed = {}
for grid in grids(sys.argv[1]):
    name = grid["title"].split(" of ")[1]
    blocks = [r for r, before in zip(grid["rows"], [{"block": None}] + grid["rows"])
        if r["block"] != before["block"]]
    executed[name] = sum(r["count"] * int(re.match(r"(\d+) inst", r["code"])[1]) for r in blocks)
    # An end of a block in a row of its own counts as one of its instructions.

compared = 0
shown = {}
for grid in grids(sys.argv[2]):
    rows = grid["rows"]
    if not rows:
        continue
    name = rows[0]["function"]
    paths = [r for r in rows[1:] if isinstance(r["number"], int)]
    shown[name] = {r["number"]: r for r in paths}
    if rows[0]["insts"] != executed[name]:
        sys.exit(f"{name}: {rows[0]['insts']} instructions on paths, and not {executed[name]}")
    for key in ("times", "insts"):
        if sum(r[key] for r in paths) != rows[0][key]:
            sys.exit(f"{name}: {key} of its paths do not add up")
    if len({r["blocks"] for r in paths}) < len(paths) / 2 or any(r["class"] != "hot"
            for r in paths):
        sys.exit(f"{name}: from 0% on all paths are hot, and most have blocks of their own")
    if any(a["insts"] < b["insts"] for a, b in zip(paths, paths[1:])):
        sys.exit(f"{name}: not in their order")
    compared += len(paths)
if compared < 30:
    sys.exit(f"only {compared} paths")

decoded = 0
for grid in grids(sys.argv[3]):
    number, name = re.match(r"Path (\d+) of (\S+)", grid["title"]).groups()
    number = int(number)
    total, blocks = 0, []
    for r in grid["rows"]:
        if isinstance(r["block"], int):
            blocks.append(r["block"])
        label = re.match(r"(?:r = |r \+= |count r)([+-]?\d+)", r["label"] or "")
        if label:
            total += int(label[1])
            # Ball and Larus' labels are never negative, so the rest can be decoded from the top.
            if r["left"] < 0 or (r["label"].startswith("r +=") and int(label[1]) < 0):
                sys.exit(f"{name}, path {number}: {r['label']}, and {r['left']} left")
            if total != r["sum"] or r["sum"] + r["left"] != number:
                sys.exit(f"{name}, path {number}: r is {r['sum']}, and not {total}")
    if total != number:
        sys.exit(f"{name}: path {number} sums up to {total}")
    if number in shown[name]:
        listed = [int(b) for b in shown[name][number]["blocks"].split() if b.isdigit()]
        if listed != blocks:
            sys.exit(f"{name}: path {number} leads over {blocks}, and not {listed}")
        decoded += 1
if decoded < 3:
    sys.exit(f"only {decoded} paths decoded")
