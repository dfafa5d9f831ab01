"""what_if.py [--lines|--costs] FILE...: answers of `view what-if --json`. In each the slot stack's
claims must agree with what is saved. Prints what differs and how far all are apart. --lines: the
cause is that memory, or the bus, brings lines, which a larger buffer or more registers would not
change. --costs: no remedy makes the machine slower, but by an anomaly of the order in which
instructions issue, and then the answer says so. In all of them, no configuration is refused, and
causes have words, not names of statistics."""
import json
import sys

WITHIN = 0.1  # of all cycles of the stretch
ANOMALY = 0.03  # as above: the most that a remedy may cost

lines, costs = (sys.argv[1:2] == [option] for option in ("--lines", "--costs"))
worst, wrong = (0, "", ""), 0
for name in sys.argv[2 if lines or costs else 1:]:
    with open(name, encoding="utf-8") as f:
        rows = json.load(f)["rows"]
    base = rows[0]["cycles"] + rows[0]["saved"]
    told = 0
    for row in rows:
        if "expected" in row["settings"] or "_" in (row["next"] or "") + (row["also"] or ""):
            wrong += 1
            print(f"{name}: {row['cause']}: {row['settings']}; {row['next']}, {row['also']}")
        if costs and row["saved"] is not None:
            told += row["saved"] > base / 20
            cost = -row["saved"] / base
            worst = max(worst, (cost, name, row["cause"]))
            if cost > ANOMALY or (cost >= 0.001) != (row["bar"] == "would cost"):
                wrong += 1
                print(f"{name}: {row['cause']}: costs {-row['saved']} of {base}: {row['bar']}")
        if costs or row["claim"] is None or row["saved"] is None or row["settings"].startswith(
                "nothing"):
            continue
        apart = abs(row["claim"] - row["saved"]) / base
        told += row["claim"] > base / 20
        worst = max(worst, (apart, name, row["cause"]))
        if lines and row["cause"] in ("write buffer", "miss registers", "write ports"):
            if row["claim"] > WITHIN * base:
                wrong += 1
                print(f"{name}: {row['claim']} of {base} cycles are the {row['cause']}'s")
        elif lines and row["cause"] == ("the bus" if name.endswith("-16") else "memory's latency"):
            if row["claim"] < base / 4 or row["saved"] < base / 4:
                wrong += 1
                print(f"{name}: {row['cause']}: {row['claim']} charged, {row['saved']} saved")
        elif not lines and apart > WITHIN:
            wrong += 1
            print(f"{name}: {row['cause']}: the stack says {row['claim']}, {row['saved']} of "
                f"{base} were saved")
    if not told:
        wrong += 1
        print(f"{name}: the stack names no cause of a twentieth")
print(f"worst: {100 * worst[0]:.1f} % of the cycles ({worst[1]}, {worst[2]})")
sys.exit(wrong != 0)
