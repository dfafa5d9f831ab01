# Checks of check.py for demos/papers/zilles2001, ammons1997 and burrows2000.
import csv

from records import *


def profiles():
    for program, runs in records.items():
        plain, estimation, phases = runs["plain"], runs.pop("estimation"), runs.pop("phases", None)
        law(len(runs) == 19, f"{program}: {set(runs)}")
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
        wide = runs["after-wide"]["stats"]
        law(wide["cop.lost"] == wide["cop.dropped"] == 0,
            f"{program}: records find no room behind a wide bus")
        # Chosen after the bus, each load is a record and some find no room; before it, one in N.
        law(runs["after"]["stats"]["cop.dropped"] + runs["after"]["stats"]["cop.lost"] > 0,
            f"{program}: all find room")
        law(runs["sample-61"]["stats"]["cop.dropped"] + runs["sample-61"]["stats"]["cop.lost"] == 0,
            f"{program}: one in 61 find no room")
        records_of = {n: runs[f"sample-{n}"]["stats"]["cop.records"] for n in (61, 251, 1021)}
        records_of[1] = runs["after"]["stats"]["cop.records"]
        # All except those in flight, and those of the last cycle's commits.
        for n, count in records_of.items():
            law(abs(count - loads["dynamic"] / n) < 100 / n + 1,
                f"{program}: {count} records, one in {n} of {loads['dynamic']} loads")
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
    # A profile changes only when the co-processor worked on samples.
    for a, b in zip(at, at[1:]):
        law(r["error"][a] == r["error"][b] or r["samples"][a] < r["samples"][b],
            f"{what}: the error changes by itself at place {b}")
    # The slots, or the buffer, are read at the end.
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


# Laws of all runs of demos/papers/ammons1997, on any machine.
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
        # The measure contains nothing else, and most of the program's values.
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
