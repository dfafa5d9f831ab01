#!/usr/bin/env python3
"""Each row of core/defs/kinds.h has its descriptor's file and its reference model, or stands apart
and names a test that there is; and no such file is without a row. Rows of other tables have their
tests and texts, too: all that a new one needs is named at once.
"""
import glob
import os
import re
import sys

KINDS = "core/defs/kinds.h"
# Group: what a row is, its descriptor, and its reference model: files, and what they define; of a
# file of all models, a pattern of the row's ID or choice.
GROUPS = {
    "BPRED": ("direction predictor", "core/pipe/frontend/predict_%s.c", "predictor_%s",
        "tests/predict/model_%s.c"),
    "REPLACE": ("replacement policy", "core/pipe/memory/replace_%s.c", "replacement_%s",
        "tests/timing/model_%s.c"),
    "PREFETCH": ("prefetcher", "core/pipe/memory/prefetch_%s.c", "prefetcher_%s",
        "tests/timing/model_%s.c"),
    "MEMDEP": ("memory-dependence predictor", "core/pipe/memdep_%s.c", "memdep_%s",
        "tests/predict/memdep.c", r"\bMEMDEP_{ident}\b"),
    "COMPONENT": ("component of the sampler", "core/prof/sampler/compress_%s.c", "component_%s",
        "tests/sampler/reference.lua", r'"{choice}"'),
}
# Files of these names that are no kinds.
OTHERS = {"core/pipe/frontend/predict_tables.c", "core/pipe/memory/prefetch_l1.c"} | {
    f"core/prof/sampler/compress_{name}.c" for name in ("hash", "parse", "read", "sample")}


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def rows_beyond(table):
    """Integer instructions beyond RV64GC: those between the first and last of an EXTENSION row."""
    text = read(table)
    operations = re.findall(r'^OP\((\w+), "[^"]+", \w+, \w+, (\w+),', text, re.M)
    ids = [ident for ident, _ in operations]
    found = []
    for first, last in re.findall(r'^EXTENSION\(\w+, "\w+", \d+, (\w+), (\w+)\)', text, re.M):
        found += [ident.lower() for ident, unit in operations[ids.index(first):ids.index(last) + 1]
            if unit in ("INT", "IMUL", "IDIV")]
    return found


SECOND = "its second computation"
# Other tables: what a row is; the table; its rows: a pattern of names, or a function; what one needs;
# where that is; and the row's pattern there, in which "-" and "_" are the same. A name that a test
# makes of a format is there, too.
TABLES = [
    ("view", "hwviews/grid/views.def", r"^VIEW\((\w+)\)", SECOND, "tests/unit/cells/*.c", r'"%s\b'),
    ("report", "hwviews/reports/*.c", r'^const struct report report_\w+ = \{\s*\.name = "([^"]+)"',
        SECOND, "tests/unit/cells/*.c tests/unit/hwviews/*.c", r'"(?:report )?%s\b'),
    ("export", "hwviews/exports/exports.def", r"^EXPORT\((\w+)\)", SECOND,
        "tests/cmd/contexts.sh tests/html/* tests/edit/run.sh", r"\b%s\b"),
    ("device", "core/defs/devices.def", r"^DEVICE\(\w+, (\w+)", SECOND, "tests/unit/prof/*.c",
        r"\b%s\b"),
    ("profiler of view bakeoff", "hwviews/bakeoff/beliefs.h", r"^\tB\(\w+, (\w+),", SECOND,
        "tests/bakeoff/*.* tests/unit/cells/test_view_cells_bakeoff.c", r'"%s"'),
    ("profiler of the bake-off", "scripting/lua/bakeoff_profilers.lua",
        r'^\t\{ name = "(\w+)",', SECOND, "tests/bakeoff/*.py", r'"%s"'),
    ("statistic", "core/defs/stats.def", r'^(?:COUNTER|STAGE)\(\w+, "([^"]+)"', SECOND + " (want())",
        "tests/stats/*.c", r'"%s"'),
    ("derived statistic", "core/defs/stats.def", r'^DERIVED\("([^"]+)"', SECOND, "tests/stats/*.c",
        r'"%s"'),
    ("cause of slots", "core/defs/slots.def", r'^SLOT\(\w+, "(?!unit_)([^"]+)"', SECOND, "tests/stats/*.c",
        r"(?i)\b(?:SLOT_)?%s\b"),
    ("parameter", "core/defs/params.def", r'^(?:PARAM|TEXT|KIND)\(\w+, "([^"]+)"',
        "a test of its effect", "tests/timing/* tests/stats/effects.c", r"\b%s\b"),
    ("instruction", "core/isa/rv64.def", r"^OP\((\w+),", "its meaning, INSTRUCTION()",
        "ui/help/glossary_insts.def", r"\bINSTRUCTION\(%s\b"),
    ("instruction", "core/isa/rv64.def", rows_beyond, "its comparison with qemu, EXT()",
        "tests/diff/ext/ops.def", r"^\w+\(%s(?:_\d+)?,"),
    ("extension", "core/isa/rv64.def", r'^EXTENSION\(\w+, "(z(?!icb|ihint)\w+?)(?:min)?"',
        "its name for compilers, in INST_BEYOND", "core/isa/inst.h", r"_%s[_\"]"),
] + [("extension", "core/isa/rv64.def", r'^EXTENSION\(\w+, "(\w+?)(?:min)?"', "its name", page,
    r"(?i)\b%s\b") for page in ("core/defs/params.def", "docs/programs.md",
    "ui/help/pages/programs.txt")]
ROW = re.compile(r'\b(KIND|APART)\((\w+), (\w+), "([^"]+)"((?:[^()"]|"(?:\\.|[^"])*"|\([^()]*\))*)\)')


def rows(group):
    """The rows of a group: macro, ID, name, choice, the last column."""
    body = re.search(r"#define %s_ROWS\(KIND, APART\)(.*)" % group, TEXT)
    if not body:
        sys.exit(f"{KINDS}: no group {group}")
    found = []
    for inner in re.findall(r"\b(\w+)_ROWS\(KIND", body[1]):
        found += rows(inner)
    for macro, ident, name, choice, rest in ROW.findall(body[1]):
        texts = re.findall(r'"((?:\\.|[^"])*)"', rest)
        found.append((macro, ident, name, choice, texts[-1] if texts else ""))
    return found


def defines(name, what):
    """A macro may make the descriptor of its name: PREDICTOR_OF_TABLES(gshare, ...)."""
    pattern = r"^const struct \w+ %s\b|^[A-Z_]+_OF_[A-Z]+\(%s," % (what, what.split("_", 1)[1])
    return os.path.exists(name) and re.search(pattern, read(name), re.M)


TEXT = read(KINDS).replace("\\\n", " ")
bad = []
for group, (noun, path, symbol, model, *pattern) in GROUPS.items():
    names = set()
    for macro, ident, name, choice, last in rows(group):
        where = f"{KINDS}: {noun} '{choice}'"
        names.add(path % name)
        if not defines(path % name, symbol % name):
            bad.append(f"{where}: expected {path % name} with `const struct ... {symbol % name}`")
        if macro == "APART":
            area, test = last.split("/")
            if not glob.glob(f"tests/{area}/{test}.*"):
                bad.append(f"{where}: expected a test in the last column, not '{last}'")
        elif pattern:
            names_it = pattern[0].format(ident=ident, choice=choice)
            if not re.search(names_it, read(model)):
                bad.append(f"{where}: expected its reference model in {model}, which names "
                    + names_it.strip("\\b"))
        elif not defines(model % name, "model_" + name):
            bad.append(f"{where}: expected its reference model, {model % name}, with `const struct "
                f"... model_{name}`")
    for file in sorted(set(glob.glob(path % "*")) - names - OTHERS):
        bad.append(f"{file}: expected a row of {group}_ROWS in {KINDS}")
for noun, table, row, needs, places, pattern in TABLES:
    text = "".join(read(name) for glob_ in places.split() for name in sorted(glob.glob(glob_)))
    formats = "|".join(re.sub(r"%l*[su]", r"[\\w.]+", re.escape(literal))
        for literal in re.findall(r'"(\w+\.[\w.]*%l*[su][\w.%]*)"', text))
    found = row(table) if callable(row) else [name for file in sorted(glob.glob(table))
        for name in re.findall(row, read(file), re.M)]
    if not found:
        bad.append(f"{table}: no row that this check can read")
    for name in found:
        if not re.search(pattern % re.escape(name).replace("_", "[-_]"), text, re.M) \
                and not re.fullmatch(formats, name):
            bad.append(f"{table}: {noun} '{name}': expected {needs} in {places}")
for line in bad:
    print(line, file=sys.stderr)
sys.exit(bool(bad))
