#!/usr/bin/env python3
"""check-costs.py [write]: each parameter of core/defs/params.def stands in the settings of a remedy
of hwviews/why/what_if.def, or among those there that a remedy covers, or that cost nothing; each
row of core/defs/slots.def, and each reason of core/pipe/why.h that is a wait, has a remedy, or is
kept there; docs/costs.md has the table of it all, which `write` puts there.
"""
import re
import sys

PARAMS, REMEDIES = "core/defs/params.def", "hwviews/why/what_if.def"
SLOTS, WHYS, PAGE = "core/defs/slots.def", "core/pipe/why.h", "docs/costs.md"
# Reasons that are no waits, or that stand for the wait of an older instruction, which has a reason
# of its own.
NO_WAIT = {"MOVING", "DECODE_TURN", "OWN_DATA", "WRITTEN", "COMMITTED", "INTERPRETED", "DROPPED",
    "CONTROL"}
SETTING = re.compile(r"([\w.]+)(>=|<=|:\w+=|=)(\S+)")
BEGIN, END = "<!-- make/check-costs.py write -->\n", "<!-- end -->\n"


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def rows(text, macro):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [re.findall(r'"([^"]*)"', row)
        for row in re.findall(r'^\s*%s\((.*)\)' % macro, text, re.M)]


def covers(pattern, name):
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def code(words):
    return " ".join(f"`{word}`" for word in words)


def main():
    table, wrong = read(REMEDIES), []
    params = [row[0] for macro in ("PARAM", "TEXT", "KIND") for row in rows(read(PARAMS), macro)]
    slots = [row[0] for row in rows(read(SLOTS), "SLOT")]
    cpi = dict(re.findall(r"\bW\((\w+),\s*(\w+)\)",
        re.sub(r"/\*.*?\*/|\\\n\s*", " ", read(WHYS), flags=re.S)))
    phrases = {row[0]: row[1] for row in re.findall(r'^WHY\((\w+), \w+, "([^"]*)"',
        read("hwviews/why/why_phrases.def"), re.M)}
    remedies = {row[0]: row for row in rows(table, "REMEDY")}
    kept = {row[0]: row for row in rows(table, "KEPT")}
    homes = {name: set() for name in params}
    causes = {name: [] for name in remedies}

    def home(pattern, cause):
        found = [name for name in params if covers(pattern, name)]
        if not found:
            wrong.append(f"{REMEDIES}: {cause}: no parameter {pattern}")
        for name in found:
            homes[name].add(cause)
            if cause != "free" and name not in causes[cause]:
                causes[cause].append(name)

    for name, charged, reasons, rest in [*remedies.values(), *kept.values()]:
        for setting, _, _ in SETTING.findall(rest if name in remedies else ""):
            home(setting, name)
        wrong += [f"{REMEDIES}: {name}: {SLOTS} has no row {row}"
            for row in charged.split() if row not in slots]
        wrong += [f"{REMEDIES}: {name}: {WHYS} has no reason {reason}"
            for reason in reasons.split() if reason not in cpi]
    for name, covered in rows(table, "COVERED"):
        if name not in remedies:
            wrong.append(f"{REMEDIES}: no remedy {name} covers {covered}")
            continue
        for pattern in covered.split():
            home(pattern, name)
    for free in rows(table, "FREE"):
        for pattern in free[0].split():
            home(pattern, "free")
    for name, where in homes.items():
        if not where:
            wrong.append(f"{PARAMS}: {name}: expected in {REMEDIES}: in a remedy, covered or free")
        elif "free" in where and len(where) > 1:
            wrong.append(f"{REMEDIES}: {name} is free and has a remedy")
    for what, names, column in ((SLOTS, slots, 1), (WHYS, set(cpi) - NO_WAIT - {"id"}, 2)):
        removed, own = ({word for row in group.values() for word in row[column].split()}
            for group in (remedies, kept))
        wrong += [f"{what}: {name}: expected in {REMEDIES}, either removed or kept"
            for name in sorted(names) if (name in removed) == (name in own)]

    lines = ["| cause | parameters | an instruction waits: | slot rows | CPI rows | without it |",
        "| --- | --- | --- | --- | --- | --- |"]
    for name, charged, reasons, rest in [*remedies.values(), *kept.values()]:
        reasons = reasons.split()
        lines.append("| " + " | ".join((name, code(causes.get(name, [])),
            ", ".join(phrases[reason] for reason in reasons if reason in phrases),
            code(charged.split()), code(sorted({cpi[reason] for reason in reasons})),
            code(rest.split()) if name in remedies else rest)) + " |")
    free = [pattern for row in rows(table, "FREE") for pattern in row[0].split()]
    text = "\n".join(lines) + f"\n\nWithout a cost of their own: {code(free)}.\n"
    text = re.sub(r"(?<=\n\n).*", lambda m: wrap(m[0]), text)
    page = read(PAGE)
    before, _, rest = page.partition(BEGIN)
    made = before + BEGIN + "\n" + text + "\n" + END + rest.partition(END)[2]
    if sys.argv[1:] == ["write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
    elif made != page:
        wrong.append(f"{PAGE}: its table is not that of {REMEDIES}: make/check-costs.py write")
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


def wrap(text):
    """Lines of at most 100 columns."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > 99:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


main()
