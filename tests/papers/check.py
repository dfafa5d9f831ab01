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
#                                                       forgotten as often as the turns say
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
#   check.py RECORDS sampling FILE.csv            every run's handler costs what the parameters say;
#                                                 table 2(b)
import csv
import math
import pathlib
import re
import sys

PERCENTS = [0, 10, 25, 50, 100]


def load(path):
    """A record: nested tables of Lua with keys and numbers or texts."""
    root, stack = {}, []
    for line in path.read_text().splitlines():
        line = line.strip()
        if m := re.fullmatch(r'(?:return|\[(.*)\] =) \{', line):
            table = root if m[1] is None else stack[-1].setdefault(m[1].strip('"'), {})
            stack.append(table)
        elif line in ("}", "},"):
            stack.pop()
        elif m := re.fullmatch(r'\[(.*?)\] = (.*),', line):
            value = m[2]
            if value in ("true", "false"):
                stack[-1][m[1].strip('"')] = value == "true"
            elif value.startswith('"'):
                stack[-1][m[1].strip('"')] = value.strip('"')
            else:
                stack[-1][m[1].strip('"')] = float.fromhex(value) if "0x" in value else float(value)
        else:
            raise SystemExit(f"{path}: '{line}'")
    assert not stack and root, path
    return root


folder = pathlib.Path(sys.argv[1])
records = {}
for path in folder.glob("*.lua"):
    program, run = path.stem.removeprefix("small-").split("-", 1)
    records.setdefault(program, {})[run] = load(path)


def stat(program, run, name):
    return records[program][run]["stats"][name]


def rows_of(file):
    """Rows by their first cell, as numbers; what is printed **so** too."""
    rows = {}
    for line in open(file):
        if line.startswith("| ") and not line.startswith("| ---"):
            name, *cells = [cell.strip(" *") for cell in line.strip().strip("|").split("|")]
            rows[name] = [float(cell.replace(",", "")) if re.fullmatch(r"-?[\d,.]+", cell) else None
                for cell in cells]
    return rows


def near(got, want, what):
    # Rounded when printed.
    if got is None or abs(got - want) > 0.00501:
        raise SystemExit(f"{what}: the table says {got}, the records {want}")


def overhead(program, run):
    return (stat(program, run, "sim.cycles") / stat(program, "plain", "sim.cycles") - 1) * 100


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


def law(holds, text):
    if not holds:
        raise SystemExit(text)


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
        # Methods that are entered all the time, or that have flags in loops, are profiled for as
        # long as the windows say. These count cycles, and a block takes more of them when it is
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
        # Prediction changes no profile but where a window's edge falls; always on and always off
        # are exact.
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
            # It loses nothing, and holds back sixteen tuples at most, whose counters hold 255.
            law(by[name + " A16"]["messages"][last] < by[name]["messages"][last],
                f"{program}: A16 behind {name}")
        sent = {e: by[f"T ways=2 tag=2 evict={e} replace=8"]["messages"][last]
            for e in (8, 32, 128)}
        law(sent[8] > sent[32] > sent[128] > 0, f"{program}: ShouldEvict and messages: {sent}")
        law(by["T 2-bit"]["messages"][last] == sent[32], f"{program}: T is not T with evict=32")


# Samplers send one message in 256, strata hold back what their counters have.
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


def profiles():
    for program, runs in records.items():
        plain, estimation, phases = runs["plain"], runs.pop("estimation"), runs.pop("phases", None)
        law(len(runs) == 18, f"{program}: {set(runs)}")
        law(estimation["cycles"] > 10 * runs["value"]["pairs"],
            f"{program}: {runs['value']['pairs']} pairs are estimated in "
            f"{estimation['cycles']} cycles")
        loads, at = plain["loads"], [str(i + 1) for i in range(len(plain["insts"]))]
        last = at[-1]
        law(loads["most"] <= loads["static"] <= loads["distinct"] <= loads["dynamic"] < plain[
            "insts"][last], f"{program}: {loads}")
        for name, r in runs.items():
            if "seed" in name or "resample" in name: # one place, the end
                law(r["insts"] == {"1": plain["insts"][last]},
                    f"{program} {name}: places {r['insts']}")
                law(len(r["error"]) == 1
                    and ("seed" not in name or r["stats"] != runs["value"]["stats"]),
                    f"{program} {name}: other random numbers change nothing")
                profiled(f"{program} {name}", r, {"cycles": {"1": plain["cycles"][last]}}, ["1"])
                continue
            law(r["insts"] == plain["insts"], f"{program} {name}: places {r['insts']}")
            for a, b in zip(at, at[1:]):
                law(r["cycles"][a] < r["cycles"][b], f"{program} {name}: cycles at place {b}")
            if name != "plain":
                profiled(f"{program} {name}", r, plain, at)
        law((phases is not None) == (runs["value"]["parts"]["wrong"] > 0.75) or program == "lisp",
            f"{program}: phases")
        if phases:
            law(phases["8"]["so_far"] == phases["8"]["whole"] == runs["value"]["error"][last],
                f"{program}: at its end a run is the whole run")
        wide = runs["sample-61-wide"]["stats"]
        law(wide["cop.lost"] == wide["cop.dropped"] == 0,
            f"{program}: records find no room behind a wide bus")
        law(runs["sample-61"]["stats"]["cop.dropped"] + runs["sample-61"]["stats"]["cop.lost"] > 0,
            f"{program}: all find room")
        records_of = {n: runs[f"sample-{n}"]["stats"]["cop.records"] for n in (61, 251, 1021)}
        law(len(set(records_of.values())) == 1,
            f"{program}: simple sampling sees every load at each rate: {records_of}")
        # All but those in flight, and those of the last cycle's commits.
        law(abs(records_of[61] - loads["dynamic"]) < 100,
            f"{program}: {records_of[61]} records of {loads['dynamic']} loads")
        interrupts = [runs[f"sample-{n}"]["interrupts"][last] for n in (61, 251, 1021)]
        law(interrupts == sorted(interrupts, reverse=True) and interrupts[0] > 0,
            f"{program}: interrupts by rate {interrupts}")
        law(runs["value-half"]["counts"]["slots_in_array"] * 2 == 256 == runs["value-double"][
            "counts"]["slots_in_array"] / 2, f"{program}: slots")
        for divided, of in (("value-clock-2", 2), ("value-clock-4", 4)):
            s = runs[divided]["stats"]
            law(s["cop.clocks"] * of <= runs[divided]["cycles"][last] + of,
                f"{program} {divided}: {s['cop.clocks']} clocks")


def profiled(what, r, plain, at):
    last, s = at[-1], r["stats"]
    law(all(0 <= r["error"][i] <= 100 for i in at), f"{what}: errors")
    for kind in ("interrupts", "clocks", "samples", "firmware"):
        law([r[kind][i] for i in at] == sorted(r[kind][i] for i in at),
            f"{what}: {kind} don't grow")
    # A profile changes when the co-processor worked on samples and at no other time.
    for a, b in zip(at, at[1:]):
        law(r["error"][a] == r["error"][b] or r["samples"][a] < r["samples"][b],
            f"{what}: the error changes by itself at place {b}")
    # What lies in the slots, or in the buffer, at the end is read.
    law(r["told"] != r["error"][last] and 0 <= r["told"] <= 100,
        f"{what}: {r['told']} without the last turn, {r['error'][last]} with it")
    longer = r["cycles"][last] - plain["cycles"][last]
    law(0.75 * r["firmware"][last] < longer < 1.5 * r["firmware"][last],
        f"{what}: firmware takes {r['firmware'][last]} cycles, the run is {longer} longer")
    seen = s["cop.records"] - s["cop.dropped"] - s["cop.lost"] - s["cop.flushed"]
    law(0 <= seen - s["cop.samples"] <= (400 if "wide" in what else 60),
        f"{what}: {seen} records arrived, {s['cop.samples']} are done with")
    law(r["counts"]["samples"] <= s["cop.samples"], f"{what}: more samples than records")
    law(r["counts"]["dropped"] == 0 == r["counts"]["fault"], f"{what}: the handler dropped samples")
    law(abs(sum(r["parts"].values()) - 1) < 1e-9 and min(r["parts"].values()) > -1e-9,
        f"{what}: parts {r['parts']}")
    law((r["pairs"] > 0) == (r["counts"]["samples"] > 0), f"{what}: {r['pairs']} pairs")


def results(file, error_csv, overhead_csv):
    names = ["value", "sample-61", "sample-251", "sample-1021"]
    tables = [list(csv.DictReader(open(f))) for f in (error_csv, overhead_csv)]
    text = open(file).read()
    for errors, overheads in zip(*tables):
        runs = records[errors["program"]]
        last = str(len(runs["plain"]["cycles"]))
        alone = runs["plain"]["cycles"][last]
        for column, name in zip(list(errors)[1:], names):
            want = runs[name]["error"][last]
            law(abs(float(errors[column]) - want) < 1e-4 * want,
                f"{error_csv}: {errors['program']}, {name}")
            law(f" {want:.2f} |" in text,
                f"{file}: {errors['program']}, {name}: no error of {want:.2f}")
            want = 100 * (runs[name]["cycles"][last] / alone - 1)
            law(abs(float(overheads[column]) - want) < 1e-4 * want,
                f"{overhead_csv}: {errors['program']}, {name}")
            law(f" {want:.2f} |" in text,
                f"{file}: {errors['program']}, {name}: no overhead of {want:.2f}")
    law(len(tables[0]) == len(tables[1]) == len(records), "a row for each program")


def seeds(file):
    rows = rows_of(file)
    for program, runs in records.items():
        names = ["value", "value-seed-2", "value-seed-3"]
        of = lambda key: [runs[n][key] if key == "told" else runs[n][key][str(len(runs[n][key]))]
            for n in names]
        errors, told, cycles = of("error"), of("told"), of("cycles")
        alone = runs["plain"]["cycles"][str(len(runs["plain"]["cycles"]))]
        overheads = [100 * (c / alone - 1) for c in cycles]
        want = errors[:]
        for values in (errors, told):
            want += [sum(values) / 3, max(values) - min(values)]
        want += [runs[f"sample-{n}"]["error"][str(len(runs["plain"]["cycles"]))]
            for n in (61, 251, 1021)]
        want += [sum(overheads) / 3, max(overheads) - min(overheads)]
        law(len(rows[program]) == len(want), f"{file}: {program}: {rows[program]}")
        for got, number in zip(rows[program], want):
            near(got, number, f"{file}: {program}")


def resample(error_csv, overhead_csv):
    """Columns are turns until masked loads are sampled again; each with its own run."""
    tables = [list(csv.DictReader(open(f))) for f in (error_csv, overhead_csv)]
    for errors, overheads in zip(*tables):
        runs = records[errors["program"]]
        alone = runs["plain"]["cycles"][str(len(runs["plain"]["cycles"]))]
        law(list(errors) == list(overheads) == ["program", "1", "2", "4", "8", "16", "32", "never"],
            f"{error_csv}: {list(errors)}")
        for turns in list(errors)[1:]:
            r = runs["value" if turns == "4" else "value-resample-" + turns.replace("never", "0")]
            c, last = r["counts"], str(len(r["cycles"]))
            law(abs(float(errors[turns]) - r["error"][last]) < 1e-4 * r["error"][last],
                f"{error_csv}: {turns}")
            want = 100 * (r["cycles"][last] / alone - 1)
            law(abs(float(overheads[turns]) - want) < 1e-4 * abs(want), f"{overhead_csv}: {turns}")
            every, read = int(turns.replace("never", "0")), c["interrupts"] + c["clocks"] - c[
                "thrashes"]
            law(c["resamples"] <= (read // every if every else 0),
                f"{turns}: {c['resamples']} times in {read} turns")
            law(c["splits"] > 0 or not every or c["resamples"] == read // every,
                f"{turns}: {c['resamples']} times in {read} turns")
    law(len(tables[0]) == len(tables[1]) == len(records), "a row for each program")


def points(file, program):
    rows, want = list(csv.DictReader(open(file))), records[program]["value"]["points"]
    law(len(rows) == len(want) > 0, f"{file}: {len(rows)} points of {len(want)}")
    for i, row in enumerate(rows):
        p = want[str(i + 1)]
        law(int(row["pc"], 16) == p["pc"] and int(row["value"], 16) == p["value"]
            and int(row["loaded"]) == p["count"], f"{file}: point {i + 1}")
        law(abs(float(row["true"]) - p["truth"]) < 1e-6
            and abs(float(row["estimated"]) - p["estimate"]) < 1e-6, f"{file}: point {i + 1}")
        law(max(p["truth"], p["estimate"]) >= 0.1 and 0 < p["truth"] <= 1
            and 0 <= p["estimate"] <= 1, f"{file}: point {i + 1} lies outside")


# What holds of all runs of demos/papers/ammons1997, whatever the machine.
def modes():
    pairs = [("sim.cycles", "sim.insts"), ("l1d.read_misses", "l1d.write_misses"),
        ("l1i.misses", "cpi.bad_speculation"), ("l1d.write_buffer_full", "fpu.stalls")]
    for program, runs in records.items():
        plain, hot = runs["plain"], runs["hot"]
        law(len(runs) == 15, f"{program}: {len(runs)} runs")
        law(all(r["output"] == plain["output"] for r in runs.values()),
            f"{program}: outputs differ")
        law(abs(stat(program, "nothing", "sim.insts") / stat(program, "plain",
            "sim.insts") - 1) < 0.01, f"{program}: instructions of nothing")
        for what in ("path", "flow-1", "context-1", "cct-path"):
            law(stat(program, what, "sim.insts") > 1.02 * stat(program, "nothing", "sim.insts"),
                f"{program}: {what} puts nothing in")
        law(stat(program, "flow-1", "sim.insts") > stat(program, "path", "sim.insts"),
            f"{program}: metrics put nothing in")
        # Nothing is measured that was not there, and most of what the program has is.
        for i, pair in enumerate(pairs, 1):
            for mode in ("flow", "context"):
                run = runs[f"{mode}-{i}"]
                for k, name in enumerate(pair, 1):
                    law(0 <= run["sums"][str(k)] <= run["stats"].get(name, 0),
                        f"{program}: {mode} {name}: {run['sums'][str(k)]}")
                if i == 1:
                    law(run["sums"]["2"] > 0.9 * plain["stats"]["sim.insts"],
                        f"{program}: {mode} measures {run['sums']['2']} instructions")
        # The same code with other metrics takes as many instructions, and paths are the same.
        law(len({runs[f"flow-{i}"]["stats"]["sim.insts"] for i in range(1, 5)}
            | {hot["stats"]["sim.insts"]}) == 1, f"{program}: flow's instructions")
        paths = hot["paths"].values()
        law(sum(p["4"] for p in paths) <= hot["stats"]["l1d.misses"], f"{program}: misses of paths")
        law(sum(p["3"] for p in paths) == runs["flow-1"]["sums"]["2"],
            f"{program}: instructions of paths")
        law(all(p["3"] >= p["2"] > 0 for p in paths), f"{program}: a path without instructions")


def costs(file):
    rows = rows_of(file)
    for program in records:
        for i, what in enumerate(["nothing", "path", "flow-1", "context-1", "cct-path"]):
            near(rows[program][i], overhead(program, what) / 100 + 1, f"{file}: {program}, {what}")


# Each kind: how many, instructions, misses.
def kinds_of(rows):
    insts, misses = sum(r[0] for r in rows), sum(r[1] for r in rows)
    out = {"dense": [], "sparse": [], "cold": []}
    for r in rows:
        hot = r[1] > 0 and r[1] >= 0.01 * misses
        out["cold" if not hot else "dense" if r[1] / misses > r[0] / insts else "sparse"].append(r)
    return insts, misses, out


def hot(by_path, by_procedure):
    paths, procedures = rows_of(by_path), rows_of(by_procedure)
    for program, runs in records.items():
        list_ = runs["hot"]["paths"].values()
        insts, misses, kinds = kinds_of([(p["3"], p["4"]) for p in list_])
        want = [len(list_), insts, misses]
        for rows in kinds.values():
            want += [len(rows), 100 * sum(r[0] for r in rows) / insts,
                100 * sum(r[1] for r in rows) / misses]
        law(all(abs(a - b) < 0.0501 for a, b in zip(paths[program], want)),
            f"{by_path}: {program}: {paths[program]}, not {want}")
        functions = {}
        for p in list_:
            f = functions.setdefault(p["1"], [0, 0, 0])
            functions[p["1"]] = [f[0] + p["3"], f[1] + p["4"], f[2] + 1]
        want = []
        for rows in kinds_of(list(functions.values()))[2].values():
            want += [len(rows), sum(r[2] for r in rows) / max(len(rows), 1),
                100 * sum(r[1] for r in rows) / misses]
        law(all(abs(a - b) < 0.0501 for a, b in zip(procedures[program], want)),
            f"{by_procedure}: {program}: {procedures[program]}, not {want}")


def sampling(table):
    """The defaults of vsample.*, in core/defs/params.def, and of the paper's ways of sampling."""
    interrupt, start, inst, tuple_, context = 2400, 2500, 950, 400, 450
    for program, runs in records.items():
        for name, run in runs.items():
            if "stats" not in run or name.endswith("plain"): # or of other pages
                continue
            s = lambda key: run["stats"].get("vsample." + key, 0)
            cost = s("interrupts") * interrupt + s("interpretations") * start + s(
                "insts") * inst + s("memory_cycles")
            cost += s("tuples") * (tuple_ + (context if name.endswith("context") else 0))
            # The last handler may be under way when the run ends, or what it interpreted is just
            # over.
            assert abs(s("cycles") - cost) <= interrupt + start + inst + tuple_ + context, (program,
                name, s("cycles"), cost)
            length, every = {"no-vprof": (0, 0), "vprof": (4, 2), "vprof-context": (4, 2),
                "vreplay": (128, 128),
                             "vreplay-context": (128, 128)}.get(name.removeprefix("paper-")) or map(
                                 int, name.removeprefix("paper-").split("-"))
            assert s("interpretations") == (s("interrupts") // every if every else 0), (program,
                name)
            assert s("insts") <= length * s("interpretations") and s("insts") >= 0.9 * length * (
                s("interpretations") - 1), (program, name)
            assert s("cycles") < run["stats"]["sim.cycles"]
    # An interrupt's cycles are the handler's, and a few to fill the caches again.
    programs = [p for p in records if "16-2" in records[p]]
    for row in csv.DictReader(open(table)):
        name = "vprof" if row["interpret length"] == "4" else row["interpret length"] + "-2"
        handler = sum(stat(p, name, "vsample.cycles") / stat(p, name, "vsample.interrupts")
            for p in programs) / len(programs)
        assert handler * 0.998 <= float(row["cycles an interrupt"]) < handler * 1.1 + 100, (row,
            handler)


globals()[sys.argv[2]](*sys.argv[3:])
