#!/usr/bin/env python3
"""Each row of core/defs/kinds.h has its descriptor's file and its reference model, or stands apart
and names a test that there is; and no such file is without a row. Rows of other tables of
descriptors are computed a second time by a test, too.
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
# Other tables: what a row is, the table, its rows, where tests are, and the row's pattern there.
TABLES = [
    ("view", "hwviews/grid/views.def", r"^VIEW\((\w+)\)", "tests/unit/cells/*.c", r'"%s\b'),
    ("report", "hwviews/reports/*.c", r'^const struct report report_\w+ = \{\s*\.name = "([^"]+)"',
        "tests/unit/cells/*.c tests/unit/hwviews/*.c", r'"(?:report )?%s\b'),
    ("export", "hwviews/exports/exports.def", r"^EXPORT\((\w+)\)",
        "tests/cmd/contexts.sh tests/html/* tests/edit/run.sh", r"\b%s\b"),
    ("device", "core/defs/devices.def", r"^DEVICE\(\w+, (\w+)", "tests/unit/prof/*.c", r"\b%s\b"),
    ("profiler of view bakeoff", "hwviews/bakeoff/beliefs.h", r"^\tB\(\w+, (\w+),",
        "tests/bakeoff/*.* tests/unit/cells/test_view_cells_bakeoff.c", r'"%s"'),
    ("profiler of the bake-off", "scripting/lua/bakeoff_profilers.lua",
        r'^\t\{ name = "(\w+)",', "tests/bakeoff/*.py", r'"%s"'),
]
ROW = re.compile(r'\b(KIND|APART)\((\w+), (\w+), "([^"]+)"((?:[^()"]|"(?:\\.|[^"])*"|\([^()]*\))*)\)')


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def rows(group):
    """Of a group: macro, ID, name, choice, the last column."""
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
for noun, table, row, tests, says in TABLES:
    text = "".join(read(name) for pattern in tests.split() for name in sorted(glob.glob(pattern)))
    found = [name for file in sorted(glob.glob(table)) for name in re.findall(row, read(file),
        re.M)]
    if not found:
        bad.append(f"{table}: no row that this check can read")
    for name in found:
        if not re.search(says % re.escape(name).replace("_", "[-_]"), text):
            bad.append(f"{table}: {noun} '{name}': expected its second computation in {tests}")
for line in bad:
    print(line, file=sys.stderr)
sys.exit(bool(bad))
