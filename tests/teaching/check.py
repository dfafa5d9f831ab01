#!/usr/bin/env python3
"""Runs the commands of pages, and compares the output with the pages.

   check.py PROGRAM PAGE... [--update]

A block ```console has lines "$ COMMAND", with what each prints below. A block ```lua is a script
that ends well. Numbers in the prose of an answer (two digits or more, or with a point) stand in the
exercise's question, or in a command or output of its blocks;
what stands in `backquotes` is code."""
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?%?")


def figures(text):
    return {n.rstrip(",") for n in NUMBER.findall(text)}


def worth_checking(number):
    return len(number.rstrip("%")) > 1


def run(command, program):
    command = re.sub(r"\bbuild/cyclops\b", program, command)
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
                          timeout=300, check=False)
    return [line.rstrip() for line in done.stdout.decode("utf-8", "replace").splitlines()]


def check(page, program, update):
    """How many commands and answers of a page are right, and how many wrong."""
    passed = failed = 0
    out, prose, question, seen = [], [], "", ""
    lines = open(page, encoding="utf-8").read().splitlines()
    where = ""

    def fail(what):
        nonlocal failed
        failed += 1
        print(f"FAIL: {page}: {where}: {what}")

    def judge():
        """The answer that has just ended."""
        nonlocal passed
        known = figures(question + seen)
        wrong = sorted(n for n in figures(re.sub("`[^`]*`", "", " ".join(prose))) - known
            if worth_checking(n))
        for n in wrong:
            fail(f"{n} in the answer is printed by none of its commands")
        passed += bool(prose) and not wrong

    at, answering = 0, False
    while at < len(lines):
        line = lines[at]
        if line.startswith("#"):
            judge()
            where, prose, question, seen, answering = line.lstrip("# "), [], "", "", False
        if line == "```console":
            out.append(line)
            at += 1
            while lines[at] != "```":
                command, said = lines[at], []
                if not command.startswith("$ "):
                    sys.exit(f"{page}:{at + 1}: a command begins with $")
                at += 1
                while lines[at] != "```" and not lines[at].startswith("$ "):
                    said.append(lines[at])
                    at += 1
                now = run(command[2:], program)
                if now == said and now:
                    passed += 1
                elif not update or not now:
                    fail(f"{command}\n  says now:\n" + "\n".join("    " + n for n in now))
                out += [command] + now
                seen += command + "\n" + "\n".join(now) + "\n"
        elif line == "```lua":
            end = lines.index("```", at)
            with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
                script.write("\n".join(lines[at + 1:end]) + "\n")
                script.flush()
                done = subprocess.run([program, "lua", script.name], stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
            if done.returncode == 0:
                passed += 1
            else:
                fail(f"the script of line {at + 1} ends with {done.returncode}: "
                    f"{done.stdout.decode()}")
            out += lines[at:end]
            at = end
        elif line.startswith("**Answer.**") or answering:
            answering = True
            prose.append(line)
        else:
            question += line + "\n"
        out.append(lines[at])
        at += 1
    judge()
    if update:
        open(page, "w", encoding="utf-8").write("\n".join(out) + "\n")
    return passed, failed


def main():
    program, *pages = [word for word in sys.argv[1:] if word != "--update"]
    counts = [check(page, program, "--update" in sys.argv) for page in pages]
    passed, failed = (sum(count) for count in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
