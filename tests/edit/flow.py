"""flow.py RIGHT OTHER...: what sessions printed that showed `view cfg FUNCTION --json` of the same
functions in the same order. Their graphs say the same: blocks, edges, and every count that both
know. Fails if one is wrong, or if one has few counts."""
import json
import sys


def graphs(name):
    text, at, found = open(name, errors="replace").read(), 0, []
    while (at := text.find('{"view": "cfg"', at)) >= 0:
        grid, at = json.JSONDecoder().raw_decode(text, at)
        found.append(graph(grid["rows"], grid["title"].split(" of ")[1])
            + ("left alone" in grid["summary"],))
    return found


def graph(rows, name):
    blocks, edges, at = {}, {}, None
    for row in rows:
        if row["block"] != at:
            at = row["block"]
            blocks[at] = row["count"]
        else:
            edges[at] = (row["to"], row["count"], row["else"])
    return name, blocks, edges


def compare(name, got, want, what):
    if not isinstance(got, int):
        return 0
    if got != want:
        sys.exit(f"{name}: {what} {got} times, and not {want}")
    return 1


def check(file, right, other):
    name, right_blocks, right_edges, _ = right
    other_name, blocks, edges, left = other
    name = f"{file}: {name}"
    if other_name != right[0] or list(blocks) != list(right_blocks) or list(edges) != list(
            right_edges):
        sys.exit(f"{name}: another graph")
    if max(right_blocks.values()) < 2:
        sys.exit(f"{name}: was not executed")
    compared = sum(compare(name, n, right_blocks[k], f"block {k} was entered") for k,
        n in blocks.items())
    for k, (to, taken, other) in edges.items():
        want_to, want_taken, want_other = right_edges[k]
        if to != want_to:
            sys.exit(f"{name}: block {k} leads to {to}, and not to {want_to}")
        compared += compare(name, taken, want_taken, f"block {k}'s branch was taken")
        compared += compare(name, other, want_other, f"block {k}'s branch was not taken")
    if compared < len(blocks) and not left:
        sys.exit(f"{name}: only {compared} counts")
    return left


rights = graphs(sys.argv[1])
if len(rights) < 3:
    sys.exit("nothing to compare with")
for file in sys.argv[2:]:
    others = graphs(file)
    if len(others) != len(rights):
        sys.exit(f"{file}: {len(others)} graphs, and not {len(rights)}")
    if sum(check(file, right, other) for right, other in zip(rights, others)) > 1:
        sys.exit(f"{file}: more than one function was left alone")
