"""classes.py ALL SOME: what sessions printed that showed `view paths 0% by METRIC --json` and `view
paths 2% by METRIC --json` at the same place. Hot paths are those with two percent of the metric,
dense ones those with more of it per instruction than all have."""
import json
import sys


def rows(name):
    text = open(name, errors="replace").read()
    grid, _ = json.JSONDecoder().raw_decode(text, text.index('{"view": "paths"'))
    paths = [r for r in grid["rows"] if isinstance(r["number"], int)]
    return paths, [r for r in grid["rows"] if not isinstance(r["number"], int)
        and r["class"] in (None, "▶")], grid["summary"]


paths, functions, _ = rows(sys.argv[1])
total = sum(r["metric0"] for r in paths)
insts = sum(r["insts"] for r in paths)
if total != sum(r["metric0"] for r in functions) or total < 1000:
    sys.exit(
        f"functions have {sum(r['metric0'] for r in functions)} of the metric, their paths {total}")
want = {}
for r in paths:
    if r["metric0"] >= 0.02 * total:
        want[r["function"],
            r["number"]] = "dense" if r["metric0"] / r["insts"] > total / insts else "sparse"
some, _, summary = rows(sys.argv[2])
got = {(r["function"], r["number"]): r["class"] for r in some}
if got != want:
    sys.exit(f"{sorted(got.items())} should be {sorted(want.items())}")
if set(want.values()) != {"dense", "sparse"}:
    sys.exit("not both kinds are there")
dense = sum(c == "dense" for c in want.values())
if f"{len(want)} hot from 2% on, {dense} of them dense" not in summary:
    sys.exit(f"the summary says {summary}")
