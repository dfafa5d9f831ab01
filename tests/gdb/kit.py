# Common parts of tests that run inside gdb: places by the marks in guest.c, the last stop, and
# counting.
import gdb
import os
import re

marks = {}
with open("tests/gdb/guest.c", encoding="ascii") as source:
    for number, line in enumerate(source, 1):
        found = re.search(r"/\* mark: (.*) \*/", line)
        if found:
            marks[found[1]] = number

passed = failed = 0
last_stop = None


def stopped(event):
    global last_stop
    last_stop = event


gdb.events.stop.connect(stopped)


def stop_kind():
    """"breakpoint", the signal's name, or "" if gdb has no word."""
    if isinstance(last_stop, gdb.BreakpointEvent):
        return "breakpoint"
    return getattr(last_stop, "stop_signal", "")


def run(command):
    """gdb's output for a command; an error's text if it fails."""
    global last_stop
    last_stop = None
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as e:
        return "error: " + str(e)


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAIL: %s: %s" % (what, seen))


def equal(what, got, want):
    check(what, got == want, "%r, expected %r" % (got, want))


def has(what, text, pattern):
    check(what, re.search(pattern, text), "%r lacks %r" % (text, pattern))


def value(expression):
    return int(gdb.parse_and_eval(expression))


def pc():
    return value("(unsigned long)$pc")


def here():
    """The mark of the line where the program is, or its number, and the function."""
    frame = gdb.selected_frame()
    line = frame.find_sal().line
    names = [n for n, l in marks.items() if l == line]
    return names[0] if names else "line %d of %s" % (line, frame.name())


def at(mark):
    return "guest.c:%d" % marks[mark]


def go(command, mark):
    """Moves, and checks that the place is the mark."""
    run(command)
    equal(command, here(), mark)


def connect(*words, options="", target="remote"):
    for setting in ("pagination off", "confirm off", "width 0", "sysroot target:"):
        run("set " + setting)
    run("target %s | %s gdb %s - %s" % (target, os.environ["CYCLOPS"], options, " ".join(words)))


def everything():
    """Registers and memory of a place."""
    text = run("info registers") + run("info registers float") + run("x/64xg $sp")
    return text + run("x/48xw &watched") + run("output text")


def finish():
    run("kill")
    print("%d passed, %d failed" % (passed, failed))
