# Beside firmware: gdb's steps pass over its interrupts, in both directions; Cyclops's own stop in
# the middle of them.
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

FIRMWARE = 1 << 38
connect("build/tests/gdb/guest", "spin", options="--firmware build/demos/firmware/pcprofile.elf")
run("file build/tests/gdb/guest")
run("tbreak spin")
run("continue")
run("monitor catch interrupt")
run("continue")
check("our own stop, in firmware", pc() >= FIRMWARE, hex(pc()))
run("monitor delete")
run("stepi")
check("a step in it stays there", pc() >= FIRMWARE, hex(pc()))
has("its registers", run("info registers mepc"), r"<spin\+\d+>|0x1")
for _ in range(2):
    run("reverse-stepi")
check("out of it, backwards", pc() < FIRMWARE, hex(pc()))
seen = []
for _ in range(6):
    seen.append((pc(), value("$cycle")))
    run("stepi")
check("the program's steps pass over it", all(p < FIRMWARE for p, _ in seen), seen)
check("which takes its time", seen[-1][1] - seen[0][1] > 100, seen)
for p, _ in reversed(seen):
    run("reverse-stepi")
    equal("and back", pc(), p)
finish()
