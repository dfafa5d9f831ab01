"""check.py FILE.json EXPRESSION: whether it holds of what `cyclops compare --json` wrote, with the
words below."""
import csv
import json
import math
import sys

d = json.load(open(sys.argv[1]))
machines = d["machines"]["rows"]
program = d["program"]


def name(letter):
    return next(m["machine"] for m in machines if m["key"] == letter)


def column(letter):
    """The statistics of one machine, by name."""
    return {row["name"]: row[name(letter)] for row in d["statistics"]["rows"]
        if row[name(letter)] != ""}


def alone(letter):
    return json.load(open(letter + ".json"))


def close(a, b):
    return a == b or (isinstance(a, float) or isinstance(b, float)) and abs(a - b) <= 1e-9 * max(
        abs(a), abs(b))


def same_statistics(letter):
    here, there = column(letter), alone(letter)
    return here.keys() == there.keys() and all(close(here[k], there[k]) for k in there)


def slots(letter):
    return sum(v for k, v in column(letter).items() if k.startswith("cpi."))


def stack_is_exact(letter):
    """All slots of all cycles, each once: the cycles times the machine's width."""
    width, rest = divmod(slots(letter), column(letter)["sim.cycles"])
    return rest == 0 and 1 <= width <= 16


def cpi_adds_up(letter):
    rows = {row["cause"]: row[name(letter)] for row in d["cpi"]["rows"]}
    total = rows.pop("total")
    causes = {k[4:].replace("_", " ") for k in column(letter) if k.startswith("cpi.")}
    width = slots(letter) // column(letter)["sim.cycles"]
    each = all(close(v, column(letter)["cpi." + k.replace(" ", "_")] / width / insts(letter)) for k,
        v in rows.items() if v != "")
    return each and {k for k in rows if k in causes} == causes and abs(
        sum(rows.values()) - total) < 1e-6 and \
        abs(total - alone(letter)["sim.cpi"]) < 1e-6


def slots_add_up(letter):
    """Each row's percentage of all dispatch slots, whose sum is a multiple of the cycles."""
    rows = {row["cause"]: row[name(letter)] for row in d["slots"]["rows"]}
    counts = {k[6:].replace("_", " "): v for k, v in column(letter).items()
        if k.startswith("slots.")}
    width, rest = divmod(sum(counts.values()), column(letter)["sim.cycles"])
    total = rows.pop("total")
    return rest == 0 and 1 <= width <= 16 and abs(
        total - 100) < 1e-6 and rows.keys() == counts.keys() and len(rows) > 40 and \
        all(close(v, 100 * counts[k] / sum(counts.values()))
            or abs(v - 100 * counts[k] / sum(counts.values())) < 1e-9 for k, v in rows.items())


def slot_page(path):
    """The page's slot stack: each row that has at least a percent on some machine, and no other row;
    the sum of the other rows; exact numbers."""
    text = open(path, encoding="utf-8").read()
    lines = text[text.index("Slot stack"):].splitlines()[2:]
    numbers = {}
    for line in lines:
        words = [w for w in line.split() if w.endswith("%")]
        numbers[line[:line.index(words[0])].strip()] = [float(w[:-1]) for w in words]
    rows = {row["cause"]: [row[m["machine"]] for m in machines] for row in d["slots"]["rows"]}
    shown = {k: v for k, v in rows.items() if max(v) >= 1}
    others = [sum(v[i] for k, v in rows.items() if k not in shown) for i in range(len(machines))]
    want = dict(shown, others=others) if max(others) >= 0.05 or min(others) <= -0.05 else shown
    return len(shown) > 5 and numbers.keys() == want.keys() and numbers["total"] == [100.0] * len(
        machines) and \
        all(abs(a - b) <= 0.0501 for k in want for a, b in zip(numbers[k], want[k]))


def bars(path):
    """Each bar's length relative to the longest, to the nearest eighth of a cell; at least one for values above 0."""
    text = open(path, encoding="utf-8").read()
    lines = text[text.index("CPI stack"):text.index("Slot stack")].splitlines()
    rows = {row["cause"]: row for row in d["cpi"]["rows"] if row["cause"] != "total"}
    shown = []
    for line in lines:
        cause = next((c for c in rows if line.startswith(c + " ")), None)
        if cause:
            words = line[len(cause):].split()
            for m in machines:
                number = float(words.pop(0))
                bar = words.pop(0) if words and words[0][0] in "█▏▎▍▌▋▊▉" else ""
                value = rows[cause][m["machine"]]
                shown.append((value, sum(8 if c == "█" else 1 + "▏▎▍▌▋▊▉".index(c) for c in bar)))
                assert abs(number - value) < 0.00051, (cause, number, value)
    largest, longest = max(shown)
    return len(shown) > 10 and longest % 8 == 0 and \
        all(eighths == max(math.floor(value / largest * longest + 0.5), value >= 0.0005) for value,
            eighths in shown)


def insts(letter):
    return column(letter)["sim.insts"]


def main_figures(letter):
    m = next(m for m in machines if m["key"] == letter)
    return (m["cycles"], m["insts"]) == (alone(letter)["sim.cycles"],
        alone(letter)["sim.insts"]) and \
        close(m["ipc"], round(alone(letter)["sim.ipc"], 12)) or abs(
            m["ipc"] - alone(letter)["sim.ipc"]) < 1e-9


def values(row):
    return [row[m["machine"]] for m in machines if row[m["machine"]] != ""]


def weight(row):
    """As in the help: the largest difference from the first, relative, in which tiny counts weigh
    little."""
    first, tiny = values(row)[0], 1.0
    if all(isinstance(v, int) for v in values(row)) and row["unit"] not in DERIVED and row[
            "name"] not in ("slots.retired", "slots.in_flight"):
        tiny = insts("A") / 1000 + 1
    elif row["unit"] == "ratio":
        tiny = 0.02
    elif row["name"].startswith("sim."):
        tiny = 0.05
    return max(abs(v - first) / (max(abs(v), abs(first)) + tiny) for v in values(row))


DERIVED = {"ratio", "entries", "instructions/cycle", "cycles/instruction", "per 1000 instructions"}


def ordered():
    weights = [weight(row) for row in d["statistics"]["rows"]]
    return len(weights) > 60 and weights[0] > 0.5 and weights[-1] == 0 and \
        all(a >= b - 1e-9 for a, b in zip(weights, weights[1:]))


def changes_are_largest():
    for row in d["statistics"]["rows"]:
        first = values(row)[0]
        if first and abs(row["change"]) / 100 * abs(first) > max(abs(v - first)
                for v in values(row)) * (1 + 1e-6):
            return False
    return True


def same_csv(path):
    rows = list(csv.DictReader(open(path)))
    mine = d["statistics"]["rows"]
    return len(rows) == len(mine) and all(
        a["name"] == b["name"] and all(str(b[m["machine"]]) == a[m["machine"]]
            or close(float(a[m["machine"]]), float(b[m["machine"]]))
                                       for m in machines) for a, b in zip(rows, mine))


def sys_program(base):
    return program if program.endswith("/" + base) else None


sys.exit(0 if eval(sys.argv[2]) else 1)
