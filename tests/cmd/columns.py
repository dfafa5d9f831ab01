"""Whether each column of views and reports has its sentence in the help, found in the sources: so
it doesn't matter which machine has it.

    columns.py names            what there is: a name a line
    columns.py check < ANSWERS  lines of `cyclops --json` that answer `help NAME`

A column is explained where a line of the help begins with two blanks and its title, alone or with
others between commas; one without a title by its name, or, if it is a mark, by a sign with which
such a line begins. Which columns a view has is what its build function names, and what the
functions of hwviews/ name that it calls."""
import glob
import json
import re
import sys

TITLE = r'"(?:[^"\\]|\\.)*"'
COLUMN = re.compile(r'\{"([a-z_0-9]+)", (%s), (?:%s|[^,"]+), ALIGN_' % (TITLE, TITLE))
# Columns of a build function that two reports share, which the first has not.
NOT_ITS = {
    "report oracle loads": ["dispatched", "wrong_path", "squashed", "accessed", "accessed_wrong",
        "committed"],
    "report oracle speculative": ["count", "mean", "most", "l1d", "l2", "memory", "forwarded",
        "untimed", "cycles"],
    "report profileme": ["function"],
    "report profileme functions": ["place", "instruction"],
    "report oracle values": ["lines"],
}
SIGNS = ("mark", "taken", "valid", "flow")
# Columns whose names come from data have no literal: of cct the metrics, of copslots what a
# microprogram names.
FUNCTION = re.compile(
    r"^(static )?(?:const )?(?:struct |enum )?[a-z_0-9]+ \*?([a-z_0-9]+)\([^;{]*\)\n\{\n(.*?)\n\}",
    re.M | re.S)
ARRAY = re.compile(r"^(static )?const struct grid_column ([a-z_0-9]+)\[[^\]]*\] = \{(.*?)\};",
    re.M | re.S)
MACRO = re.compile(r"^#define ([A-Z_]+)(?:\([^)]*\))? ((?:.*\\\n)*.*)", re.M)
TABLE = re.compile(r"^const struct (view|report) [a-z_0-9]+ = \{(.*?)^\};", re.M | re.S)
NAME = re.compile(r"\b[A-Za-z_][A-Za-z_0-9]*\b")


def definitions(text, everything):
    """What a file defines that may lead to columns, by name."""
    found = {name: body for name, body in MACRO.findall(text) if everything}
    found.update({name: body for static, name, body in ARRAY.findall(text) + FUNCTION.findall(text)
        if everything or not static})
    return found


def columns_of(start, own, shared):
    """Names and titles of the columns that a function names, and those that it calls."""
    columns, seen, todo = {}, set(), [(start, own)]
    while todo:
        name, where = todo.pop()
        body = where.get(name)
        if body is None:
            where = shared.get(name, {})
            body = where.get(name)
        if body is None or (name, id(where)) in seen:
            continue
        seen.add((name, id(where)))
        columns.update({column: title.strip('"') for column, title in COLUMN.findall(body)})
        todo += [(word, where) for word in set(NAME.findall(body)) if word != name]
    return columns


def labels_of(text):
    """What lines of a help begin with."""
    labels = set()
    for line in text:
        label = re.match(r" +(\S.*?)(?:  +|$)", line)
        if label:
            labels |= {label[1], *re.split(r", ", label[1])}
    return labels


def tables():
    """Of each view and report its name and its columns, name: title."""
    texts = {path: open(path, encoding="utf-8").read()
        for path in sorted(glob.glob("hwviews/*/*.c"))}
    files = {path: definitions(text, True) for path, text in texts.items()}
    shared = {name: files[path] for path, text in texts.items() for name in definitions(text, False)
        if name != "columns"}
    for path, own in files.items():
        for kind, body in TABLE.findall(texts[path]):
            name, build = re.search(r'\.name = "([^"]*)"', body)[1], re.search(
                r"\.build = ([a-z_0-9]+)", body)
            yield f"{kind} {name}", columns_of(build[1], own, shared)


def check(answers):
    built, helps = dict(tables()), {}
    for line in (line for answer in answers for line in json.loads(answer)["text"] or []):
        heads = [name for name in built if re.match(re.escape(name) + r"( .*)?: ", line)]
        if heads:
            text = helps[max(heads, key=len)] = []
        else:
            text.append(line)
    count = wrong = 0
    for name, columns in built.items():
        labels = labels_of(helps.get(name) or [])
        signs = any(ord(label[0]) > 127 for label in labels)
        if not columns:
            print(f"{name}: no columns are found in hwviews/; how does it name them?")
            wrong += 1
        for column, title in columns.items():
            # of a grid that says why it is empty
            if column == "nothing" or column in NOT_ITS.get(name, []):
                continue
            count += 1
            if (title or column) in labels or (not title and column in SIGNS and signs):
                continue
            print(f"{name}: column '{title or column}' ({column}) has no sentence in its help: add "
                f"a line '  {title or column}   ...'")
            wrong += 1
    print(f"{count} columns, {wrong} without a sentence")
    return count < 400 or wrong > 0


if __name__ == "__main__":
    if sys.argv[1] == "names":
        print("\n".join(sorted({name.split(" ", 1)[1] for name, _ in tables()})))
    else:
        sys.exit(check(sys.stdin))
