# What debugging from gdb costs, to be run inside it: CYCLOPS=build/cyclops gdb-multiarch -nx -batch -x tests/bench/gdb.py
# Prints rows: a name, a tab, milliseconds of time that passed.
import sys
import time

sys.path.insert(0, "tests/gdb")
from kit import *

connect("build/tests/gdb/guest", "spin")
run("file build/tests/gdb/guest")


def row(name, command, times=1):
    begin = time.monotonic()
    for _ in range(times):
        run(command)
    print("%s\t%.2f" % (name, (time.monotonic() - begin) * 1e3 / times), flush=True)


run("break watches")
row("continue to a breakpoint", "continue")
row("stepi", "stepi", 200)
row("reverse-stepi", "reverse-stepi", 200)
row("next", "next", 10)
row("reverse-next", "reverse-next", 10)
run("delete")
run("break spin")
run("continue")
run("delete")
run("break leaf if a == 12345")
row("monitor goto 50,000,000", "monitor goto 50,000,000")
run("maintenance flush dcache")
run("maintenance flush register-cache")
row("stepi there", "stepi", 50)
row("reverse-stepi there", "reverse-stepi", 50)
run("delete")
run("tbreak main")
row("reverse-continue over 50 M cycles, to a breakpoint", "reverse-continue")
equal("where that is", gdb.selected_frame().name(), "main")
run("monitor goto 50,000,000")
run("maintenance flush register-cache")
run("watch text[0]")
row("reverse-continue over 50 M cycles, to a watchpoint", "reverse-continue")
equal("what that is", value("text[0]"), ord("b"))
finish()
