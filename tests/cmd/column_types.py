#!/usr/bin/env python3
"""Checks that each column of each view's JSON has one type in all rows: column_types.py FILE...
(of {"view"} objects, several in a file). Prints those that mix."""
import json, sys

def kind(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, list):
        return "list of " + "/".join(sorted({kind(v) for v in value})) if value else "list"
    if isinstance(value, str):
        return "text"
    return type(value).__name__

seen, views = {}, set()
for name in sys.argv[1:]:
    text, at, decoder = open(name).read(), 0, json.JSONDecoder()
    while (at := text.find('{"view"', at)) >= 0:
        grid, end = decoder.raw_decode(text, at)
        at = end
        views.add(grid["view"])
        for row in grid["rows"]:
            for column in grid["columns"]:
                value = row[column["name"]]
                if value is not None:
                    seen.setdefault((grid["view"], column["name"]), {}).setdefault(
                        kind(value).split(" of ")[0], value)
mixed = {key: types for key, types in seen.items() if len(types) > 1}
for (view, column), types in sorted(mixed.items()):
    print(f"{view}.{column}: " + ", ".join(f"{t} ({value!r})" for t,
        value in sorted(types.items())))
print(f"{len(views)} views, {len(seen)} columns, {len(mixed)} with several types")
sys.exit(bool(mixed))
