#!/usr/bin/env python3
"""Questions to Cyclops and to gdb about the same programs: processor time in ms of a process that
answers one, the start included. docs/growth.md has the table.

    questions.py PROGRAM:FUNCTION:TYPE...

gdb debugs the program on qemu-riscv64 where it has to run; qemu's time counts, as the machine's
does.
"""
import os
import resource
import socket
import subprocess
import sys

TIMES = 3
CYCLOPS = os.environ.get("CYCLOPS", "build/cyclops")
QUESTIONS = {
    "start": ([], []),
    "break F": (["break {f}"],) * 2,
    "info line F": (["info line {f}"],) * 2,
    "info functions F": (["info functions {f}$"], ["info functions {f}$"]),
    "info types T": (["info types {t}$"],) * 2,
    "ptype T": (["ptype struct {t}"],) * 2,
    "break main, run there, bt, ten next": (["break main", "continue", "bt"] + 10 * ["next"],) * 2,
}


def ms(commands, quiet):
    """Of processor time, the least of some runs of processes beside each other."""
    best = float("inf")
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        children = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=quiet, stderr=quiet)
                    for words in commands]
        children[-1].wait()
        for child in children[:-1]:
            child.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def main():
    programs = [word.split(":") for word in sys.argv[1:]]
    print("| question | " + " | ".join(
        f"{os.path.basename(p)}: Cyclops | gdb" for p, _, _ in programs) + " |")
    print("| --- |" + " ---: | ---: |" * len(programs))
    with open(os.devnull, "wb") as quiet:
        for name, (ours, theirs) in QUESTIONS.items():
            cells = []
            for path, function, kind in programs:
                def said(commands, option):
                    return [word for c in commands
                            for word in (option, c.format(f=function, t=kind))]
                cells.append(ms([[CYCLOPS, "-n", "--batch", *said(ours, "-e"), path]], quiet))
                gdb = ["gdb-multiarch", "-nx", "-batch"]
                if "run" in name:
                    port = free_port()
                    cells.append(ms([["qemu-riscv64", "-g", str(port), path],
                        [*gdb, "-ex", f"target remote :{port}", *said(theirs, "-ex"), "-ex", "kill",
                         path]], quiet))
                else:
                    cells.append(ms([[*gdb, *said(theirs, "-ex"), path]], quiet))
            print(f"| {name} | " + " | ".join(f"{c:.0f}" for c in cells) + " |", flush=True)


main()
