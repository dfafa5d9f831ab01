# Signals in gdb: stops before they act, passed signals, information, and going back.
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

PROGRAM = "build/tests/gdb/signals"
marks.clear()
with open("tests/gdb/signals.c", encoding="ascii") as source:
    for number, line in enumerate(source, 1):
        found = re.search(r"/\* mark: (.*) \*/", line)
        if found:
            marks[found[1]] = number


def line_of(mark):
    return "signals.c:%d" % marks[mark]


def caller(name):
    """True if a function of this name is among the calls."""
    return name in run("bt")


def cycle_at_end(options, setup):
    connect(PROGRAM, options=options)
    for command in setup:
        run(command)
    run("tbreak " + line_of("prints"))
    for _ in range(20):
        run("continue")
        if here() == "prints":
            break
    at_end = value("$cycle"), value("users"), value("alarms"), value("faults")
    run("kill")
    return at_end


ended = []
gdb.events.exited.connect(lambda e: ended.append(getattr(e, "exit_code", None)))
for options in ("", "-c classic5", "-c wide6"):
    # Stops change neither cycles nor results.
    silent = ("handle SIGUSR1 SIGUSR2 SIGALRM SIGSEGV nostop noprint pass", "handle SIGTERM nopass")
    loud = ("handle SIGUSR1 SIGUSR2 SIGALRM SIGSEGV stop print pass", "handle SIGTERM nopass")
    quiet, stopped_often = cycle_at_end(options, silent), cycle_at_end(options, loud)
    equal("cycles and counts %s" % options, stopped_often, quiet)
    equal("the counts are the program's", quiet[1:], (3, 1, 1))

    connect(PROGRAM, options=options)
    run("handle SIGUSR1 SIGUSR2 SIGALRM SIGSEGV SIGTERM stop print pass")
    run("continue")
    equal("a signal stops", stop_kind(), "SIGUSR1")
    check("before its handler, in the call", caller("raise") and not caller("on_user"))
    equal("a thread's own variable", value("own"), 41)
    place = pc(), everything()
    equal("its information", (value("$_siginfo.si_signo"), value("$_siginfo.si_code"),
                              value("$_siginfo._sifields._kill.si_pid")), (10, -6, 1000))
    run("break on_user")
    go("continue", "handler")
    equal("it has its handler", value("sig"), 10)
    run("reverse-continue")
    equal("backwards, too", stop_kind(), "SIGUSR1")
    equal("the same place", (pc(), everything()), place)
    run("break *on_user")
    run("continue")
    run("reverse-continue")
    equal("back from the handler's first instruction", (stop_kind(), pc(), everything()),
          ("SIGUSR1",) + place)
    run("delete")
    run("reverse-continue")
    run("continue")
    equal("from the beginning again", (stop_kind(), pc(), everything()), ("SIGUSR1",) + place)

    # Continues without the signal, with another one, and with other information.
    run("tbreak " + line_of("after raise"))
    run("signal 0")
    equal("without the signal", (here(), value("users")), ("after raise", 0))
    run("reverse-continue")
    run("continue")
    run("break on_user")
    run("signal SIGUSR2")
    equal("another signal", (here(), value("sig")), ("handler", 12))
    run("kill")

    connect(PROGRAM, options=options)
    run("delete")
    run("handle SIGUSR1 SIGUSR2 stop print pass")
    run("continue")
    run("set var $_siginfo.si_code = -4")
    run("set var $_siginfo.si_errno = 666")
    value("((int (*)(void))getpid)()")
    run("tbreak on_user")
    run("continue")
    equal("its error, in the handler", value("info->si_errno"), 666)
    run("tbreak " + line_of("after raise"))
    run("continue")
    equal("information that was set, over a call", (here(), value("sent_by"), value("users")),
          ("after raise", -4, 1))

    # A change at the stop stays, and the signal acts.
    run("tbreak " + line_of("several"))
    run("continue")
    for _ in range(3):
        if here() != "several":
            run("continue")
    run("delete")
    run("continue")
    equal("the first of two", stop_kind(), "SIGUSR1")
    check("in the call", not caller("on_user"))
    run("continue")
    equal("the second of two", stop_kind(), "SIGUSR2")
    check("before the first's handler has begun", caller("on_user"))
    run("reverse-continue")
    equal("the first, from the second", stop_kind(), "SIGUSR1")
    run("set var cell = 77")
    run("tbreak " + line_of("after several"))
    for _ in range(3):
        if here() != "after several":
            run("continue")
    equal("both have acted, the last first", (value("order"), value("cell")), (1210, 77))

    # A timer's, in the middle of a loop and of a call that waits.
    run("handle SIGALRM stop print pass")
    run("continue")
    equal("a timer's signal", stop_kind(), "SIGALRM")
    equal("where it came", here(), "waits")
    equal("a call at this place", value("(int)getpid()"), 1000)
    run("tbreak on_alarm")
    go("continue", "alarm")
    run("continue")
    check("in a call that waits", stop_kind() == "SIGALRM" and caller("pause"))
    run("tbreak " + line_of("reads"))
    go("continue", "reads")
    equal("it has acted", value("alarms"), 1)

    # A fault with a handler: the fault again after `signal 0`, and the handler.
    run("handle SIGSEGV stop print pass")
    run("continue")
    equal("a fault stops before its handler", (stop_kind(), here()), ("SIGSEGV", "reads"))
    equal("its address", value("(long)$_siginfo._sifields._sigfault.si_addr"), 0)
    fault = pc()
    run("signal 0")
    equal("the instruction again", (stop_kind(), pc()), ("SIGSEGV", fault))
    run("tbreak " + line_of("after the fault"))
    go("continue", "after the fault")
    equal("by its handler", value("faults"), 1)

    # A signal that ends the program, or does not.
    run("continue")
    equal("one without a handler", stop_kind(), "SIGTERM")
    run("tbreak " + line_of("prints"))
    run("signal 0")
    equal("the program goes on", here(), "prints")
    run("queue-signal SIGUSR1")
    run("tbreak on_user")
    run("continue")
    equal("a queued signal", value("sig"), 10)
    # It comes at the program's place, also between instructions that committed in one cycle.
    run("up 2")
    run("tbreak *" + hex(value("$pc")))
    run("continue")
    for _ in range(6):
        run("stepi")
        place = pc()
        run("queue-signal SIGUSR1")
        run("tbreak on_user")
        run("continue")
        run("up 2")
        equal("interrupted at the place of the stop", value("$pc"), place)
        run("tbreak *" + hex(place))
        run("continue")
    run("kill")

    connect(PROGRAM, "fault", options=options)
    run("handle SIGUSR1 SIGUSR2 SIGALRM nostop noprint pass")
    run("handle SIGSEGV nostop noprint pass")
    ended.clear()
    run("continue")
    equal("a signal that is passed and not stopped at ends it", ended, [None])

    connect(PROGRAM, "fault", options=options)
    run("handle SIGUSR1 SIGUSR2 SIGALRM nostop noprint pass")
    run("handle SIGSEGV stop print pass")
    run("tbreak " + line_of("fault"))
    run("continue")
    if stop_kind() == "SIGSEGV": # the one with a handler
        run("continue")
    run("set var pointer = (int *)main")
    run("continue")
    equal("a store to code is not permitted", value("$_siginfo.si_code"), 2)
    run("kill")
finish()
