#!/usr/bin/env python3
"""check-costs.py [table]: each parameter of core/defs/params.def stands in the settings of a remedy
of hwviews/why/what_if.def, or among those there that a remedy covers, or that cost nothing; each
row of core/defs/slots.def has a remedy, or stands below. `table` prints parameter, cause, reasons,
rows and remedy.
"""
import re
import sys

PARAMS, REMEDIES = "core/defs/params.def", "hwviews/why/what_if.def"
SLOTS, WHYS = "core/defs/slots.def", "core/pipe/why.h"
# Rows that no parameter of the machine causes.
NO_PARAMETER = {"interrupted", "profile_dropped", "profile_wait", "serial", "fault", "firmware",
    "vsample"}
SETTING = re.compile(r"([\w.]+)(>=|<=|=)(\S+)")


def read(name):
    with open(name, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def rows(text, macro):
    return [re.findall(r'"([^"]*)"', row)
        for row in re.findall(r'^\s*%s\((.*)\)' % macro, text, re.M)]


def covers(pattern, name):
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def main():
    table, wrong = read(REMEDIES), []
    params = re.findall(r'^(?:PARAM|TEXT|KIND)\(\w+, "([^"]+)"', read(PARAMS), re.M)
    slots = re.findall(r'^SLOT\(\w+, "([^"]+)"', read(SLOTS), re.M)
    cpi = dict(re.findall(r"\bW\((\w+),\s*(\w+)\)", re.sub(r"\\\n\s*", " ", read(WHYS))))
    remedies = {row[0]: row for row in rows(table, "REMEDY")}
    homes = {name: [] for name in params}

    def home(pattern, where):
        found = [name for name in params if covers(pattern, name)]
        if not found:
            wrong.append(f"{REMEDIES}: {where}: no parameter {pattern}")
        for name in found:
            homes[name].append(where)

    for name, charged, reasons, settings in remedies.values():
        for setting, _, value in SETTING.findall(settings):
            home(setting, f"{name}\t{reasons}\t{charged}\t{setting}={value}")
        wrong += [f"{REMEDIES}: {name}: {SLOTS} has no row {row}"
            for row in charged.split() if row not in slots]
        wrong += [f"{REMEDIES}: {name}: {WHYS} has no reason {reason}"
            for reason in reasons.split() if reason not in cpi]
    for name, covered in rows(table, "COVERED"):
        if name not in remedies:
            wrong.append(f"{REMEDIES}: no remedy {name} covers {covered}")
            continue
        for pattern in covered.split():
            home(pattern, "\t".join(remedies[name][i] for i in (0, 2, 1, 3)))
    for free in rows(table, "FREE"):
        for pattern in free[0].split():
            home(pattern, "")
    for name, where in homes.items():
        if not where:
            wrong.append(f"{PARAMS}: {name}: expected in {REMEDIES}: in a remedy, covered or free")
        elif "" in where and len(where) > 1:
            wrong.append(f"{REMEDIES}: {name} is free and has a remedy")
    charged = {row for remedy in remedies.values() for row in remedy[1].split()}
    for row in slots:
        if (row in charged) == (row in NO_PARAMETER):
            wrong.append(f"{SLOTS}: {row}: expected either a remedy in {REMEDIES} or a place in "
                "NO_PARAMETER")
    if sys.argv[1:] == ["table"]:
        print("parameter\tcause\treasons\tslot rows\tCPI rows\tremedy")
        for name, where in homes.items():
            for cause, reasons, charged, value in (w.split("\t") for w in where if w):
                fields = sorted({cpi[reason] for reason in reasons.split()})
                print("\t".join((name, cause, reasons, charged, " ".join(fields), value)))
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


main()
