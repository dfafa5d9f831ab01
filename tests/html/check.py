"""check.py PAGE KONATA STATS FROM TO: what a page of `export html` holds, against a trace and
statistics of the same cycles."""
import json
import re
import sys

page, konata, stats, first, last = sys.argv[1:4] + [int(x) for x in sys.argv[4:6]]
data = json.loads(re.search(r'id="data">\n(.*?)</script>', open(page).read(), re.S)[1])
FETCH, DISPATCH, ISSUE, MEMORY, DONE, END = 8, 10, 12, 13, 14, 15
bad = []

# Konata's format, from its description: I id seq thread; L id kind text; S id lane stage; R id
# number kind (0: retired, 1: flushed).
cycle, trace, of = 0, {}, {}
for line in open(konata).read().split("\n")[1:]:
    word = line.split("\t")
    if word[0] == "C=":
        cycle = int(word[1])
    elif word[0] == "C":
        cycle += int(word[1])
    elif word[0] == "I":
        of[word[1]] = int(word[2])
        trace[int(word[2])] = {}
    elif word[0] == "S":
        trace[of[word[1]]].setdefault(word[3], cycle)
    elif word[0] == "R":
        trace[of[word[1]]]["end"] = "squashed" if word[3] == "1" else "committed"

rows = {row[0]: row for row in data["rows"]}
if len(rows) != len(data["rows"]) or list(rows) != sorted(rows):
    bad.append("rows are not once each, by number")
for seq, seen in trace.items():  # instructions fetched in the region
    if seq not in rows:
        bad.append(f"#{seq} is missing")
        continue
    row = rows[seq]
    for letter, at in (("F", FETCH), ("D", DISPATCH), ("X", ISSUE), ("M", MEMORY), ("W", DONE)):
        told = None if row[at] is None else row[at] + first
        if told is not None and told < first:  # the trace begins in the middle of it
            continue
        if letter in seen and told != seen[letter]:
            bad.append(f"#{seq}: {letter} in cycle {told}, the trace has {seen[letter]}")
        if letter not in seen and told is not None and row[3] == "committed" and letter != "M":
            bad.append(f"#{seq}: {letter} in cycle {told}, the trace has none")
    if "end" in seen and row[3] not in (seen["end"], "dropped" if seen["end"] == "squashed"
            else "acted"):
        bad.append(f"#{seq}: {row[3]}, the trace has {seen['end']}")
for seq, row in rows.items():
    if row[FETCH] >= 0 and seq not in trace:
        bad.append(f"#{seq} is not in the trace")
    if any(at is not None and at >= last - first for at in row[8:]):
        bad.append(f"#{seq} knows of cycles behind the region")
    # Letters stand at the stamps' cycles.
    text = "".join(letter * int(n) for letter, n in re.findall(r"([^0-9])([0-9]+)", row[2]))
    start = max(row[FETCH], 0)
    for letter, at in (("D", DISPATCH), ("C", END)):
        if row[3] == "committed" and row[at] is not None and row[at] >= start and not data[
                "textbook"] and text[row[at] - start] != letter:
            bad.append(f"#{seq}: no {letter} in cycle {row[at] + first}: {row[2]}")

# The stack, added up.
sums = dict.fromkeys(data["cpi"], 0)
charged = data["charged"]
for i in range(0, len(charged), 3):
    sums[data["cpi"][charged[i + 1]]] += charged[i + 2]
for name, value in json.loads(re.search(r"{.*}", open(stats).read(), re.S)[0]).items():
    if name.startswith("cpi.") and sums.get(name[4:]) != value:
        bad.append(f"{name}: {sums.get(name[4:])}, statistics say {value}")
if sum(sums.values()) != (last - first) * data["width"]:
    bad.append(f"{sum(sums.values())} slots in {last - first} cycles")

print("\n".join(bad[:20]))
sys.exit(bool(bad) or not trace)
