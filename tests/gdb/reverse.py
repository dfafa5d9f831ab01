# gdb's own scenarios of reverse execution (machinestate, break-reverse, finish-reverse,
# step-reverse, watch-reverse, sigall-reverse), on the test program; and each place is equal from
# both sides.
import signal
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

connect("build/tests/gdb/guest", "abort")
run("break main")
run("continue")
run("delete")

# watch-reverse: a watchpoint stops with old and new value exchanged, before the write.
run("tbreak watches")
run("continue")
run("watch watched")
values = []
for _ in range(4):
    run("continue")
    values.append(value("watched"))
equal("values that came", values, [1, 4, 9, 16])
written = pc()
run("disable")
run("reverse-stepi")
equal("one instruction before a watchpoint's stop", value("watched"), 9)
run("stepi")
equal("and after it", pc(), written)
run("enable")
run("continue")
equal("the last value", value("watched"), 100)
back = []
for _ in range(5):
    run("reverse-continue")
    back.append(value("watched"))
equal("values that came back", back, [16, 9, 4, 1, 0])
run("delete")
run("rwatch table[2]")
run("continue")
equal("who reads", gdb.selected_frame().name(), "reads")
reader = pc()
run("continue")
run("reverse-continue")
check("a read, backwards", gdb.selected_frame().name() == "reads" or stop_kind() == "", run("bt"))
run("delete")
run("reverse-continue")
equal("the beginning of what is recorded", run("p $instret").split()[-1], "0")
run("reverse-stepi")
equal("before it there is nothing", run("p $instret").split()[-1], "0")

# break-reverse: the same breakpoints, backwards.
for mark in ("leaf", "middle calls", "main states"):
    run("break " + at(mark))
places = []
for _ in range(4):
    run("continue")
    places.append((here(), value("$sp")))
equal("places", [p[0] for p in places], ["middle calls", "leaf", "leaf", "main states"])
for want in reversed(places[:3]):
    run("reverse-continue")
    equal("from behind", (here(), value("$sp")), want)
for want in places[1:]:
    run("continue")
    equal("and forwards again", (here(), value("$sp")), want)
run("delete")

# machinestate: a variable of each kind, before and after the line that changes it, from both
# sides.
for mark, expression, old, new in (
    ("automatic changes", "automatic", 5, 6),
    ("register changes", "inside", 7, 8),
    ("global changes", "global", 1, 2),
    ("static changes", "file_static", 10, 11),
    ("real changes", "(int)(real*100)", 150, 225),
    ("text changes", "text[0]", ord("b"), ord("a")),
):
    if here() != mark:
        run("tbreak " + at(mark))
        run("continue")
    equal(expression + " before", value(expression), old)
    run("next")
    equal(expression + " behind", value(expression), new)
    run("reverse-next")
    equal(expression + " back", value(expression), old)
    equal("where it was", here(), mark)
    run("next")
    equal(expression + " again", value(expression), new)

# finish-reverse, step-reverse.
run("break main")
run("reverse-continue")
run("delete")
run("tbreak leaf")
run("continue")
go("reverse-finish", "middle calls")
run("tbreak leaf")
run("continue")
go("finish", "middle calls")
go("next", "middle calls again")
go("reverse-next", "middle calls")
go("step", "leaf")
go("next", "leaf returns")
go("reverse-step", "leaf")
run("reverse-step")
equal("out of the function, to its call", gdb.selected_frame().name(), "middle")
go("next", "middle calls again")
go("step", "leaf")
go("next", "leaf returns")
run("tbreak " + at("main states"))
go("continue", "main states")
run("reverse-step")
equal("into a function, from its end", gdb.selected_frame().name(), "middle")
go("reverse-finish", "main calls")
run("tbreak factorial if n == 1")
run("continue")
run("finish")
run("reverse-finish")
run("tbreak " + at("main factorial"))
go("reverse-continue", "main factorial")

# Each of some hundred instructions, from either side: registers, memory, place.
run("tbreak watches")
run("reverse-continue")
states = []
for _ in range(60):
    states.append(everything())
    run("stepi")
for i in reversed(range(60)):
    run("reverse-stepi")
    now = everything()
    check("place %d from behind" % i, now == states[i], "%s, expected %s" % (now, states[i]))
for i in range(1, 60):
    run("stepi")
    check("place %d again" % i, everything() == states[i])

# Changes in the middle of a cycle, and the way back over them.
run("set var watched = 77")
run("set var $s5 = 1234")
run("stepi")
equal("what was set stays", value("$s5"), 1234)
run("reverse-stepi")
run("tbreak " + at("watched last"))
go("continue", "watched last")
equal("still", value("$s5"), 1234)

# longjmp; signals; the end, and back from it.
run("tbreak " + at("longjmp"))
run("continue")
run("next")
equal("next over longjmp", gdb.selected_frame().name(), "jumps")
run("continue")
equal("a signal", stop_kind(), "SIGABRT")
has("whose", run("bt"), r"abort \(\).*(?s:.*)main ")
run("break " + at("main input"))
go("reverse-continue", "main input")
run("delete")
ended = []
gdb.events.exited.connect(ended.append)
run("continue")
equal("the same signal again", stop_kind(), "SIGABRT")
run("continue")
equal("then it ends", len(ended), 1)

# Signals have other numbers in gdb than in Linux.
for name in ("SIGBUS", "SIGUSR1", "SIGUSR2", "SIGSYS", "SIGTERM"):
    connect("build/tests/gdb/guest", "signal%d" % signal.Signals[name])
    run("continue")
    equal(name, stop_kind(), name)
finish()
