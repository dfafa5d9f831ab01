"""twin.py A B FILE...: answers of `view gap ... all --json`. In each the rows add up to the total,
and the total is the cycles that machines A and B took."""
import json
import sys

a, b = int(sys.argv[1]), int(sys.argv[2])
for name in sys.argv[3:]:
    text = open(name).read()
    rows = json.loads(text[text.index('{"view": "gap"'):])["rows"]
    total = rows.pop()
    sums = {column: sum(row[column] for row in rows) for column in ("gap", "cycles_a", "cycles_b",
        "executed")}
    wrong = [row["place"] for row in rows if row["gap"] != row["cycles_b"] - row["cycles_a"]]
    order = [abs(row["gap"]) for row in rows]
    if (wrong or len(rows) < 3 or order != sorted(order, reverse=True) or any(total[c] != n for c,
        n in sums.items())
            or (total["cycles_a"], total["cycles_b"], total["gap"]) != (a, b, b - a)):
        sys.exit(f"{name}: {wrong} {sums} {total}, not {a} and {b}")
