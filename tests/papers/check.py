#!/usr/bin/env python3
# The arithmetic of the tables of demos/papers/vaswani2003, done again from the records of the runs.
#
#   check.py RECORDS overheads FILE KIND TABLE    a table's overheads, accuracies and averages
#   check.py RECORDS framework FILE               table II
#   check.py RECORDS accesses FILE KIND TABLE STATISTIC
#   check.py RECORDS laws                         what holds between runs, whatever the machine
#
# and of demos/papers/sastry2001:
#
#   check.py RECORDS samplers FILE.csv            figure 4 against theory, at every length
#   check.py RECORDS streams                      what holds of all compressors that see one stream
#   check.py RECORDS figure7 FILE PROGRAM         its table
#   check.py RECORDS figure10 FILE
#   check.py RECORDS recorded FILE                what was recorded without timing is the stream of
#                                                 the runs
#
# and of demos/papers/zilles2001:
#
#   check.py RECORDS profiles                     what holds of all runs
#   check.py RECORDS results FILE ERROR.csv OVERHEAD.csv    its tables and CSV
#   check.py RECORDS seeds FILE                   the table of seeds
#   check.py RECORDS resample ERROR.csv OVERHEAD.csv    they are the records', and masks were
#                                                       forgotten as often as the turns prescribe
#   check.py RECORDS points FILE.csv PROGRAM      they are the record's, and lie where a point can
#
# and of demos/papers/ammons1997:
#
#   check.py RECORDS modes                        what holds of all runs
#   check.py RECORDS costs FILE                   table 1
#   check.py RECORDS hot FILE FILE                tables 4 and 5
#
# and of demos/papers/burrows2000:
#
#   check.py RECORDS sampling FILE.csv            every run's handler costs its parameters' cycles;
#                                                 table 2(b)
import csv
import math
import re
import sys

from records import *
from check_counts import *


def accuracy(program, run, full):
    a, b = records[program][run].get("profile", {}), records[program][full]["profile"]
    sum_a, sum_b = sum(a.values()), sum(b.values())
    if not sum_a:
        return 0
    return (1 - sum(abs(a.get(k, 0) / sum_a - b.get(k, 0) / sum_b) for k in a.keys()
        | b.keys()) / 2) * 100


def compare(file, expected):
    rows = rows_of(file)
    for program, want in expected.items():
        for i, value in enumerate(want):
            near(rows[program][i], value, f"{file}: {program}, column {i + 1}")
    for i in range(len(next(iter(expected.values())))):
        mean = sum(want[i] for want in expected.values()) / len(expected)
        near(rows["average"][i], mean, f"{file}: average of column {i + 1}")


def overheads(file, kind, table):
    suffix = "-table" if table == "1" else ""
    with_accuracy = not (kind == "blocks" and suffix)
    expected = {}
    for program in records:
        row = []
        for percent in PERCENTS:
            row.append(overhead(program, f"{kind}-{percent}{suffix}"))
            if with_accuracy and 0 < percent < 100:
                row.append(accuracy(program, f"{kind}-{percent}{suffix}", f"{kind}-100{suffix}"))
        expected[program] = row
    compare(file, expected)


def framework(file):
    expected = {}
    for program in records:
        insts = stat(program, "plain", "sim.insts")
        executed = 3 * sum(records[program]["calls-100-table"]["profile"].values())
        expected[program] = [executed, executed / insts * 1000, overhead(program, "control"),
            overhead(program, "loops")]
    rows = rows_of(file)
    for program, want in expected.items():
        for got, value in zip(rows[program], want):
            near(got, value, f"{file}: {program}")


def accesses(file, kind, table, statistic):
    suffix = "-table" if table == "1" else ""
    compare(file, {p: [stat(p, f"{kind}-{n}{suffix}", statistic) / stat(p, "plain", statistic)
        for n in PERCENTS] for p in records})


def laws():
    for p, runs in records.items():
        law(len(runs) == 27, f"{p}: {len(runs)} runs")
        law(len({r["output"] for r in runs.values()}) == 1, f"{p}: outputs differ")
        plain = stat(p, "plain", "sim.insts")
        calls = sum(runs["calls-100-table"]["profile"].values())
        for control in ("control", "loops", "blocks-0", "blocks-0-table", "calls-0-table"):
            # A pushpf and a poppf for each call of a hot method; no profile instruction commits.
            # (Not to the last: what copies and compares bytes takes other ways where data lie
            # elsewhere.)
            law(abs(stat(p, control, "sim.insts") - plain - 2 * calls) < plain / 100,
                f"{p} {control}: instructions")
            law(stat(p, control, "xprof.dispatched") == 0, f"{p} {control}: dispatched")
        law(stat(p, "control", "xprof.control") >= calls, f"{p}: a resetpf for each call")
        for kind in ("calls-%d-table", "blocks-%d", "blocks-%d-table"):
            counts = [sum(runs[kind % n].get("profile", {}).values()) for n in PERCENTS]
            law(counts[0] == 0 and counts == sorted(counts) and counts[4] > 0,
                f"{p} {kind}: counts {counts}")
            done = [stat(p, kind % n, "xprof.dispatched") for n in PERCENTS]
            law(done == sorted(done), f"{p} {kind}: dispatched {done}")
            for n in PERCENTS[:4]:
                for name, count in runs[kind % n].get("profile", {}).items():
                    law(count <= runs[kind % 100]["profile"][name], f"{p} {kind % n}: {name}")
        # Methods that are entered all the time, or that have flags in loops, are profiled for the
        # length of the windows. These count cycles, and a block takes more of them when it is
        # profiled.
        on, off = (stat(p, f"blocks-{n}-table", "sim.cycles") for n in (100, 0))
        for n in PERCENTS:
            share = sum(runs[f"calls-{n}-table"].get("profile", {}).values()) / calls * 100
            law(p != "chess" or abs(share - n) < 8,
                f"{p}: {share:.1f} % of the calls are counted, not {n} %")
            blocks = sum(runs["blocks-100"]["profile"].values())
            share = sum(runs[f"blocks-{n}-table"].get("profile", {}).values()) / blocks * 100
            want = 100 * n * off / (n * off + (100 - n) * on)
            law(abs(share - want) < 8,
                f"{p}: {share:.1f} % of the blocks are counted, not {want:.1f} %")
        # Prediction changes profiles only at windows' edges; always on and always off are exact.
        law(runs["blocks-100"]["profile"] == runs["blocks-100-table"]["profile"],
            f"{p}: profiles at 100 %")
        law(runs["blocks-100"]["exact"] == 100 == runs["blocks-100-table"]["exact"],
            f"{p}: the oracle disagrees")
        law(stat(p, "blocks-0", "xprof.skips") == 0 < stat(p, "blocks-0-table", "xprof.skips"),
            f"{p}: skips")
        # Fetch's strategies change no profile either; the prediction bit, which is set by what is
        # fetched before, follows no call that is dropped.
        for other in ("flag", "ignored-update"):
            law(runs[f"calls-100-table-{other}"]["profile"] == runs["calls-100-table"]["profile"],
                f"{p}: {other}: profiles at 100 %")
            law(stat(p, f"calls-25-table-{other}", "xprof.misfetches") > 0,
                f"{p}: {other}: mis-fetches")
        law(stat(p, "calls-25-table", "xprof.misfetches") == 0, f"{p}: mis-fetches")
        # Each block that is entered is a load and a store.
        law(stat(p, "blocks-100", "l1d.accesses") > stat(p, "blocks-0", "l1d.accesses"),
            f"{p}: L1D accesses")
        law(stat(p, "blocks-0-table", "l1i.accesses") < stat(p, "blocks-0", "l1i.accesses"),
            f"{p}: L1I accesses")
        law(stat(p, "blocks-0-table", "sim.cycles") < stat(p, "blocks-0", "sim.cycles"),
            f"{p}: cycles at 0 %")
        law(stat(p, "calls-100-table", "sim.cycles") > stat(p, "calls-0-table", "sim.cycles"),
            f"{p}: calls")


# One tuple in ten is sampled, p is 30 % of them, and there are four strata. Variances of the
# estimate, from counting: of independent choices binomial, of every tenth in random order
# hypergeometric; half of CR's comes from its intervals, if each message counts its own.
def samplers(file):
    rate, part, strata = 10, 0.3, 4
    impure = (1 - part) / strata / ((1 - part) / strata + part)
    factor = {"R": 1, "H[R]": 1, "P": 1 - part, "CR": 1 - part, "H[P]": impure, "H[CR]": impure,
              "CR, sum of counts": 2 * (1 - part), "H[CR], sum of counts": 2 * impure}
    rows = list(csv.DictReader(open(file)))
    law(len(rows) >= 5 and set(rows[0]) == {"length", *factor}, f"{file}: {rows[0].keys()}")
    for name, f in factor.items():
        ratios = []
        for row in rows:
            t = part * float(row["length"])
            ratios.append(float(row[name]) / (100 * math.sqrt(2 / math.pi * (rate - 1) * f / t)))
            law(0.85 < ratios[-1] < 1.15,
                f"{name}, {row['length']} tuples: {ratios[-1]:.2f} times the error in theory")
        mean = sum(ratios) / len(ratios)
        law(0.94 < mean < 1.06, f"{name}: {mean:.3f} times the error in theory")


def places(record):
    return [str(i + 1) for i in range(len(record["events"]))]


def streams():
    for program, kinds in records.items():
        law(set(kinds) == {"loads", "edges"}, f"{program}: {set(kinds)}")
        for kind, r in kinds.items():
            at = places(r)
            law(r["events"][at[-1]] == r["wanted"],
                f"{program} {kind}: {r['events'][at[-1]]} events of {r['wanted']}")
            for a, b in zip(at, at[1:]):
                law(r["events"][a] < r["events"][b] and r["cycles"][a] < r["cycles"][b],
                    f"{program} {kind}: place {b}")
            law(r["selected"] > 0 and r["weight"] <= r["wanted"] and r["tuples"] >= r["selected"],
                f"{program} {kind}: what is selected")
            law(r["insts"] >= r["wanted"], f"{program} {kind}: fewer instructions than events")
            strata(program, kind, r, at)
            for name, by in r["by"].items():
                counts = [by["messages"][i] for i in at if i in by["messages"]]
                law(len(counts) >= 3 and counts == sorted(counts) and counts[-1] > 0,
                    f"{program} {kind} {name}: messages {counts}")
                law(all(e is False or 0 <= e <= 100 for e in by["error"].values()),
                    f"{program} {kind} {name}: errors")
        by = kinds["loads"]["by"]
        last = places(kinds["loads"])[-1]
        for name in ("R256", "H[P256]2048", "T 2-bit"):
            # It loses nothing, and keeps sixteen tuples at most, whose counters hold 255.
            law(by[name + " A16"]["messages"][last] < by[name]["messages"][last],
                f"{program}: A16 behind {name}")
        sent = {e: by[f"T ways=2 tag=2 evict={e} replace=8"]["messages"][last]
            for e in (8, 32, 128)}
        law(sent[8] > sent[32] > sent[128] > 0, f"{program}: ShouldEvict and messages: {sent}")
        law(by["T 2-bit"]["messages"][last] == sent[32], f"{program}: T is not T with evict=32")


# Samplers send one message in 256; strata keep their counters' contents.
def strata(program, kind, r, at):
    by = r["by"]
    for i in at:
        whole = r["events"][i] // 256
        if "P256" in by:
            law(by["P256"]["messages"][i] == whole,
                f"{program}: P256 sent {by['P256']['messages'][i]} of {whole}")
        held = r["events"][i] - 256 * by["H[P256]2048"]["messages"][i]
        law(0 <= held <= 2048 * 255, f"{program} {kind}: strata hold {held} tuples")
        spread = abs(by["R256"]["messages"][i] - r["events"][i] / 256)
        law(spread <= 5 * math.sqrt(r["events"][i] / 256),
            f"{program} {kind}: R256 is {spread} messages off")


def model(record, name):
    last = places(record)[-1]
    return 3000 * record["by"][name]["messages"][last] / record["cycles"][last]


def figure7(file, program):
    record, rows = records[program]["loads"], rows_of(file)
    last = places(record)[-1]
    for name in ("R256", "P256", "H[P256]2048", "H[P512]2048", "T 2-bit"):
        by = record["by"][name]
        for got, want in zip(rows[name], (by["bits"], by["error"][last], model(record, name),
                by["messages"][last])):
            near(got, want, f"{file}: {name}")


def figure10(file):
    rows = rows_of(file)
    for program, kinds in records.items():
        want = []
        for name in ("R256", "H[P256]2048", "T 2-bit"):
            before, after = model(kinds["loads"], name), model(kinds["loads"], name + " A16")
            want += [before, after, before / after]
        for got, value in zip(rows[program], want):
            near(got, value, f"{file}: {program}")


def recorded(file):
    rows = rows_of(file)
    for program, kinds in records.items():
        last = places(kinds["loads"])[-1]
        for column, name in ((3, "P256"), (6, "H[P256]2048")):
            near(rows[program][column], kinds["loads"]["by"][name]["error"][last],
                f"{file}: {program}, {name}")


globals()[sys.argv[2]](*sys.argv[3:])
