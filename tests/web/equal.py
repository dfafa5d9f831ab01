#!/usr/bin/env python3
"""tests/web/equal.py demos|whole|labs: the program in WebAssembly, under node, gives the same as
the native one. demos: statistics and output of the first instructions of every demo, and texts of
other commands; whole: of all instructions; labs: points of the labs' solutions."""
import glob
import os
import re
import subprocess
import sys

FIRST_INSTS = "200000"
COURSE = "/usr/local/share/cyclops"
passed = failed = 0


def without_sandbox(text):
    """A browser confines by itself."""
    return re.sub(rb"confined by .*", b"confined", text)


def run(words, stdin, environment):
    with open(stdin or os.devnull, "rb") as f:
        done = subprocess.run(words, stdin=f, capture_output=True, check=False,
                              env=dict(os.environ, **environment))
    return done.returncode, without_sandbox(done.stdout), done.stderr


def compare(name, arguments, stdin=None, here=False):
    """Runs both from the course's folder, or here, so that all paths are the same words."""
    global passed, failed
    environment = {"COLUMNS": "80", "TERM": "dumb", "CYCLOPS_FOLDER": COURSE}
    native = run(["build/cyclops", *arguments], stdin, environment)
    web = run((["tests/web/cyclops"] if here else ["node", "core/host/web/run.js", "--"])
              + arguments, stdin, environment)
    parts = [part for part, a, b in zip(("exit status", "output", "error output"), native, web)
             if a != b]
    if parts:
        failed += 1
        print(f"FAIL {name}: other {' and '.join(parts)}")
        for text, sign in ((native, "-"), (web, "+")):
            print(f"{sign} {text[0]}")
        for part in (1, 2):
            a, b = (x[part].decode(errors="replace").splitlines() for x in (native, web))
            differing = [(x, y) for x, y in zip(a + [""] * len(b), b + [""] * len(a)) if x != y]
            for x, y in differing[:5]:
                print(f"- {x[:200]}\n+ {y[:200]}")
    else:
        passed += 1


def compare_demos(bound):
    with open("demos/programs/list.txt", encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("|") for line in f if line[0] != "#"]
    for name, arguments, stdin, _ in rows:
        compare(f"demo {name}", ["run", *bound, "--stats", "-", f"build/demos/{name}",
                                 *arguments.split()], None if stdin == "-" else stdin)
    for preset in ("classic5", "wide6", "scalar"):
        compare(f"preset {preset}",
                ["run", "--config", preset, "--stats", "-", "build/demos/hello"])
    compare("functional", ["run", "--functional", "build/demos/sort",
                           "demos/programs/input/words.txt"])
    compare("flags", ["-n", "--batch", "-e", "continue", "-e", "view regs", "tests/web/flags.s"],
            here=True)
    for words in (["--help"], ["help"], ["help", "stats"], ["run", "--help"], ["lab", "--help"],
                  ["run", "missing"], ["run", "README.md"], ["lua", "-e", "print(1 // 0)"]):
        compare(" ".join(words), words)


def compare_labs():
    for path in sorted(glob.glob("tests/labs/solutions/*")):
        number = str(int(os.path.basename(path).split(".")[0].split("-")[0]))
        compare(f"lab {number}", ["lab", "check", "--seed", "7", number, path], here=True)


def main():
    part = sys.argv[1]
    if part == "labs":
        compare_labs()
    else:
        compare_demos([] if part == "whole" else ["--max-insts", FIRST_INSTS])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
