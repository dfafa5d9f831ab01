"""Reads a Chrome trace, and holds it to the description of its format, to itself, to the Konata
trace of the same cycles and to the machine's statistics.

usage: traces.py FILE.json COUNTS [STATISTICS.json | FILE.json COUNTS...]

COUNTS is what konata.awk prints. With the statistics the trace must be of a whole run; without,
there may be more traces. Says what is wrong first, if anything."""
import json
import re
import sys


def must(holds, what, event):
    if not holds:
        sys.exit(f"{what}: {event}")


def is_number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def is_count(v):
    return isinstance(v, int) and not isinstance(v, bool) and v >= 0


def is_text(v):
    return isinstance(v, str) and v != ""


# The Trace Event Format's required members of each phase, with their types; OTHERS are optional.
EVERY = {"ph": is_text, "name": is_text, "pid": is_count}
PHASES = {
    "X": {**EVERY, "tid": is_count, "ts": is_number, "dur": is_number},
    "s": {**EVERY, "tid": is_count, "ts": is_number, "cat": is_text,
        "id": lambda v: is_count(v) or is_text(v)},
    "C": {**EVERY, "ts": is_number, "args": lambda v: isinstance(v, dict) and v and all(
        is_number(n) for n in v.values())},
    "M": {**EVERY, "args": lambda v: isinstance(v, dict) and len(v) == 1},
}
PHASES["f"] = PHASES["t"] = PHASES["s"]
OTHERS = {"cat": is_text, "args": lambda v: isinstance(v, dict), "tid": is_count,
    "bp": lambda v: v == "e", "cname": is_text, "ts": is_number}
METADATA = {"process_name": ("name", is_text), "thread_name": ("name", is_text),
    "process_labels": ("labels", is_text), "process_sort_index": ("sort_index", is_number),
    "thread_sort_index": ("sort_index", is_number)}
WHOLE = {"traceEvents": lambda v: isinstance(v, list), "displayTimeUnit": lambda v: v in ("ms", "ns"),
    "otherData": lambda v: isinstance(v, dict)}


def check_form(event):
    must(isinstance(event, dict) and event.get("ph") in PHASES, "no event of a known phase", event)
    form = PHASES[event["ph"]]
    for name, right in form.items():
        must(name in event and right(event[name]), "lacks " + name + ", or it is wrong", event)
    for name, v in event.items():
        must(name in form or (name in OTHERS and OTHERS[name](v)), name + " is no member", event)
    if event["ph"] == "M":
        must(event["name"] in METADATA, "no metadata", event)
        name, right = METADATA[event["name"]]
        must(right(event["args"].get(name)), "metadata without " + name, event)


def form_of(path):
    """The file's events, each as the format has it."""
    whole = json.load(open(path))
    must("traceEvents" in whole, "no trace", whole)
    for name, v in whole.items():
        must(name in WHOLE and WHOLE[name](v), "what is this member", name)
    for event in whole["traceEvents"]:
        check_form(event)
    return whole["traceEvents"]


def read(path):
    """Slices of instructions by lane, each with its stages."""
    lanes, arrows, whole = {}, {}, None
    for event in form_of(path):
        if event["ph"] == "X":
            must(event["dur"] > 0, "ends before it begins", event)
            if "cat" in event:
                whole = dict(event, end=event["ts"] + event["dur"], stages=[])
                lanes.setdefault(event["tid"], []).append(whole)
            else:
                must(event["tid"] == whole["tid"], "a stage in another lane", event)
                whole["stages"].append(event)
        elif event["ph"] in "sf":
            must(event["ph"] not in arrows.setdefault(event["id"], {}), "two ends of one arrow",
                event)
            arrows[event["id"]][event["ph"]] = event
        elif event["ph"] == "C":
            must(all(n >= 0 for n in event["args"].values()), "fewer than no entries", event)
    return lanes, arrows


def check_slice(whole):
    """Stages fill it from its fetch to its end, without a gap."""
    at = whole["ts"]
    for stage in whole["stages"]:
        must(stage["ts"] == at, "a gap before a stage", stage)
        at += stage["dur"]
    must(at == whole["end"], "stages and instruction end apart", whole)


def check_lane(lane):
    lane.sort(key=lambda whole: whole["ts"])
    for one, next_one in zip(lane, lane[1:]):
        must(next_one["ts"] >= one["end"], "two in one lane", next_one)


def check_arrow(arrow):
    must(set(arrow) == {"s", "f"}, "half an arrow", arrow)
    must(arrow["s"]["ts"] <= arrow["f"]["ts"], "an arrow back in time", arrow)


def main(path, counts, statistics=None):
    lanes, arrows = read(path)
    slices = [whole for lane in lanes.values() for whole in lane]
    for whole in slices:
        check_slice(whole)
    for lane in lanes.values():
        check_lane(lane)
    for arrow in arrows.values():
        check_arrow(arrow)
    committed = sum(whole["cat"] == "committed" for whole in slices)
    squashed = len(slices) - committed
    must(len({whole["args"]["seq"] for whole in slices}) == len(slices), "an instruction twice",
        path)
    found = re.match(r"(\d+) instructions, (\d+) retired, (\d+) flushed", open(counts).read())
    must(found and (committed, squashed) == (int(found[2]), int(found[3])),
        "Konata's trace counts others", (committed, squashed))
    if statistics:
        stats = json.load(open(statistics))
        must(committed == stats["sim.insts"], "committed, but not counted", committed)
        must(int(found[1]) == stats["fetch.insts"], "fetched, but not counted", found[1])
        must(max(whole["end"] for whole in slices) <= stats["sim.cycles"] + 1, "behind the end",
            path)
    print(f"{committed} committed, {squashed} squashed, {len(arrows)} arrows")


files = sys.argv[1:]
if len(files) == 3:
    main(*files)
for pair in zip(files[::2], files[1::2]) if len(files) != 3 else []:
    main(*pair)
