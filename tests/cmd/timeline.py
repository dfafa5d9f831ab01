"""timeline.py bins FILE: prints `stats FROM TO --json`, a line for each row of a `view timeline
--json`. timeline.py equal FILE STATS...: each row of FILE is what the machine counted there, which
the answers of these commands, one behind the other in the files STATS, say; rows lie behind each
other without a gap.
timeline.py same FILE FILE...: all have the same rows but for where the present is."""
import json
import sys

COUNTS = ["sim.insts", "bpred.mispredicts", "l1i.misses", "l1d.misses", "l2.misses", "itlb.misses",
    "dtlb.misses"]


def read(name):
    with open(name, encoding="utf-8") as f:
        text = f.read()
    decoder, answers, at = json.JSONDecoder(), [], 0
    while (at := text.find("{", at)) >= 0:
        answer, end = decoder.raw_decode(text, at)
        answers.append(answer)
        at = end
    return answers


def rows_of(name):
    return read(name)[-1]["rows"]


def equal(name, others):
    rows, wrong = rows_of(name), 0
    stats = [s for other in others for s in read(other)]
    if len(rows) < 4 or len(stats) != len(rows):
        return f"{len(rows)} rows, {len(stats)} statistics"
    for i, (row, counted) in enumerate(zip(rows, stats)):
        if i and row["from"] != rows[i - 1]["to"]:
            return f"row {i} begins at {row['from']}, the one before ends at {rows[i - 1]['to']}"
        cycles = row["to"] - row["from"]
        causes = [v for k, v in counted.items() if k.startswith("cpi.")]
        # Rows of devices that this machine lacks are 0.
        stack = [v for v in row["causes"] if v]
        said = [cycles, row["counts"], stack, round(row["ipc"], 6), round(row["l1d"], 4),
            round(row["mispredicts"], 4)]
        per = 1000 / counted["sim.insts"] if counted["sim.insts"] else 0
        right = [counted["sim.cycles"], [counted[c] for c in COUNTS], [v for v in causes if v],
            round(counted["sim.ipc"], 6),
                 round(per * counted["l1d.misses"], 4), round(per * counted["bpred.mispredicts"],
                     4)]
        if said != right:
            wrong += 1
            print(f"row {row['from']} to {row['to']}: {said}, not {right}")
    return f"{wrong} of {len(rows)} rows" if wrong else ""


def same(names):
    def plain(name):
        return [{k: v for k, v in row.items() if k not in ("mark", "role", "changed")}
            for row in rows_of(name)]
    first = plain(names[0])
    if len(first) < 4:
        return f"{names[0]}: {len(first)} rows"
    return "".join(f"{name} is another than {names[0]}\n" for name in names[1:]
        if plain(name) != first)


what = sys.argv[1]
if what == "bins":
    for r in rows_of(sys.argv[2]):
        print(f"stats {r['from']} {r['to']} --json")
    sys.exit(0)
said = equal(sys.argv[2], sys.argv[3:]) if what == "equal" else same(sys.argv[2:])
print(said or "ok")
sys.exit(bool(said))
