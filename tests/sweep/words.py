#!/usr/bin/env python3
"""Words that shells, GNU parallel, Slurm and options take apart, and plans made of them.

words.py plan GUEST OUT CONFIG  writes plan.lua, whose jobs have them all: as arguments, in the
                                environment, as names of programs, inputs and
                                configurations; makes these files (GUEST is copied), and `expected`,
                                the sums of what the jobs print
words.py one OUT                a plan of one job
"""

import os
import shutil
import subprocess
import sys

WORDS = [
    b"two  words", b"it's", b'"quoted"', b"$(touch CANARY)", b"`touch CANARY`", b"; touch CANARY;",
        b"| touch CANARY", b"& touch CANARY &",
    b"> CANARY", b"< CANARY", b"<(touch CANARY)", b"$HOME${IFS}x", b"*", b"?[a-z]*", b"{a,b}",
        b"{1}", b"{}", b"{#}{%}{//}",
    b"{= system('touch CANARY') =}", b"-x", b"--help", b"--", b"~root", b"#no", b"!!", b"\\",
        b"a\\'b\\", b"tab\there", b"line\nend",
    b"'\ntouch CANARY\n'", b"\r", b"\x01\x7f\x1b[31m", b"\xff\xfe\x80'", b"\xc3\xa9", b"%d%A%%",
        b"A=b", b"''", b"$'\\x27'", b"[[", b"\n", b"",
    b":::", b"::::", b"@x", b"(", b")", b"'$(touch CANARY)'", b"\"$(touch CANARY)\"",
        b"\\$(touch CANARY)",
]


def names():
    """The same as names of files: several in one."""
    parts = [w.replace(b"/", b"|") for w in WORDS if w]
    joined = [b""]
    for part in parts:
        if len(joined[-1]) + len(part) > 230:
            joined.append(b"")
        joined[-1] += part
    return joined + [b"-x", b"--help", b"-", b"{= system('touch CANARY') =}", b"'\ntouch CANARY\n'"]


def lua(word):
    return b'"' + b"".join(b"\\%03d" % c for c in word) + b'"'


def expect(outputs):
    with open("expected", "w") as f:
        for text in outputs:
            f.write(subprocess.run(["cksum"], input=text, capture_output=True,
                check=True).stdout.decode())


def plan(guest, out, config):
    jobs, outputs = [], []
    jobs.append(b'words = { "guest", "args", %s }' % b", ".join(map(lua, WORDS)))
    outputs.append(b"".join(w + b"\n" for w in [b"args"] + WORDS))
    for i, name in enumerate(names()):
        shutil.copy(guest, name)
        with open(name + b".in", "wb") as f:
            f.write(b"%d. %s" % (i, name))
        jobs.append(b'p%d = { %s, "cat", stdin = %s, env = { A = %s } }' % (i, lua(name),
            lua(name + b".in"), lua(name)))
        outputs.append(b"%d. %s" % (i, name))
    configs = [b'c = { "vaswani2003", sim = { hostname = %s } }' % lua(
        b"$(touch CANARY)'`touch CANARY`\"x")]
    if config:
        name = b"-c $(touch CANARY)'`touch CANARY`\n;touch CANARY\n.lua"
        with open(name, "w") as f:
            f.write("return { lsq = { size = 8 } }")
        configs = [b"c = { %s, sim = { hostname = %s } }" % (lua(b"./" + name),
            lua(b"$(touch CANARY)"))]
    with open("plan.lua", "wb") as f:
        f.write(
            b"return { configs = { %s }, programs = { %s }, out = %s, stats = { 'sim.cycles' } }\n"
                % (b", ".join(configs), b", ".join(jobs), lua(out)))
    expect(outputs)


def one(out):
    with open("plan.lua", "wb") as f:
        f.write(b"return { configs = { c = 'vaswani2003' }, programs = { p = { 'guest', 'args', '$(touch CANARY)' } }, out = %s, "
                b"stats = { 'sim.cycles' } }\n" % lua(out))
    expect([b"args\n$(touch CANARY)\n"])


if __name__ == "__main__":
    words = [os.fsencode(w) for w in sys.argv[2:]]
    {"plan": plan, "one": one}[sys.argv[1]](*words)
