#!/usr/bin/env python3
"""CMD_ERROR is true as a bool, so no call that gives an enum command_result is taken for a bool: a
function of another type compares its result (`return console_fail(...) == CMD_OK`) or gives one of
its own (`return console_fail(...), false`), and no condition is such a call alone.
"""
import re
import subprocess
import sys

DECLARED = re.compile(r"^(?:static )?enum command_result\s(\w+)\(", re.M)
# From a line that begins a definition to the next "}" at a line's beginning.
FUNCTION = re.compile(r"^([A-Za-z_][^;={}()]*?)\b(\w+)\([^;{}]*\)\s*\n\{\n(.*?)^\}", re.S | re.M)
RETURN = re.compile(r"\breturn\b([^;]*);")
JUDGED = re.compile(r"\s*(?:[!=]=\s*CMD_|,|\?)")


def blank(text):
    """Without comments and texts."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text,
        flags=re.S)


def after_call(text, at):
    """The text behind the parenthesis that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[at:]


def mistakes(text, call):
    """(line, text) of each result that is taken for a bool."""
    condition = re.compile(r"(?:\b(?:if|while) \(|!|&& |\|\| )" + call.pattern)
    for function in FUNCTION.finditer(text):
        own = function[1].split("static ")[-1].strip() == "enum command_result"
        found = [(function.start(3) + m.end(), m[0]) for m in condition.finditer(function[3])]
        if not own:
            for statement in RETURN.finditer(function[3]):
                found += [(function.start(3) + statement.start(1) + m.end(), m[0])
                    for m in call.finditer(statement[1])]
        for at, what in sorted(set(found)):
            if not JUDGED.match(after_call(text, at)):
                yield text.count("\n", 0, at) + 1, what


def main():
    files = subprocess.run(["git", "ls-files", "ui/*.c", "ui/*.h"], check=True,
        capture_output=True, text=True).stdout.split()
    texts = {}
    for name in files:
        with open(name, encoding="utf-8") as file:
            texts[name] = blank(file.read())
    names = {n for text in texts.values() for n in DECLARED.findall(text)}
    call = re.compile(r"(?<![\w])(?:%s)\(" % "|".join(sorted(names)))
    bad = 0
    for name, text in texts.items():
        for line, what in mistakes(text, call):
            bad += 1
            print(f"{name}:{line}: {what}...) is an enum command_result, and taken for a bool: "
                "compare it with CMD_OK", file=sys.stderr)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
