# The cost of debugging from gdb, to be run inside it: CYCLOPS=build/cyclops gdb-multiarch -nx
# -batch -x tests/bench/gdb.py | grep -a ' ms$'
# Rows: elapsed milliseconds, processor time of Cyclops, and of gdb.
import sys
import time

sys.path.insert(0, "tests/gdb")
from kit import *

connect("build/tests/gdb/guest", "spin")
run("file build/tests/gdb/guest")
us = max(int(p) for task in os.listdir("/proc/self/task")
    for p in open("/proc/self/task/%s/children" % task).read().split())


def at_work():
    words = open("/proc/%d/stat" % us).read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def row(name, command, times=1):
    begin, ours, gdbs = time.monotonic(), at_work(), time.process_time()
    for _ in range(times):
        run(command)
    end = (time.monotonic() - begin) * 1e3, at_work() - ours, (time.process_time() - gdbs) * 1e3
    print("\n%s: %.2f, %.2f, %.2f ms" % (name, *(e / times for e in end)), flush=True)


def there():
    run("monitor goto 50,000,000")
    run("maintenance flush dcache")
    run("maintenance flush register-cache")
    run("delete")


run("break watches")
row("continue to a breakpoint", "continue")
row("stepi", "stepi", 100)
row("reverse-stepi", "reverse-stepi", 100)
row("next", "next", 10)
row("reverse-next", "reverse-next", 10)
run("delete")
row("monitor goto 50,000,000", "monitor goto 50,000,000")
there()
row("stepi there", "stepi", 100)
row("reverse-stepi there", "reverse-stepi", 100)
run("break leaf")
row("reverse-continue over 50 M cycles, to a breakpoint", "reverse-continue")
equal("where that is", here(), "leaf")
there()
run("watch text[0]")
row("reverse-continue over 50 M cycles, to a watchpoint", "reverse-continue")
equal("what that is", value("text[0]"), ord("b"))
there()
run("break leaf if a == 99")
row("reverse-continue over 50 M cycles, to their beginning", "reverse-continue")
finish()
