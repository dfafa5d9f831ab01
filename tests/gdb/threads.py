# Several threads: their list, registers and calls of each, breakpoints and steps of one while
# others run, backwards too.
import re
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

connect("build/tests/threads/steps", options="-o os.slice=2000 -o os.switch=100")
run("break add thread 1")  # thread 1 never adds
run("tbreak work")
run("continue")
first = gdb.selected_thread().num
check("the second thread works first", first == 2, first)
has("two threads", run("info threads"), r"(?s)\* 2 .*work.* 1 .*|1 .*\* 2 ")
run("delete")
# gdb numbers threads in the order in which it meets them: here, at each breakpoint.
run("set breakpoint condition-evaluation host")
run("break add if who == 12")
run("continue")
equal("the fourth", gdb.selected_thread().num, 4)
text = run("info threads")
has("all are there", text, r"(?s)4 .*3 .*2 .*1 |1 .*2 .*3 .*4 ")
has("what they do", text, r"\(is ready\).*work")
has("all stacks", run("thread apply all backtrace"), r"(?s)add \(n=.*12\).*work \(arg=.*main \(\)")
run("thread 2")
equal("its variables", value("who"), 10)
saved = value("$sp")
run("thread 4")
check("registers are each one's own", value("$sp") != saved and value("who") == 12)
# Registers of a thread that does not run: set at once, kept when it continues, undone by going
# back.
run("thread 2")
run("set $s11 = 0x1234")
run("set $fcsr = 0x43")
equal("registers of another thread", (value("$s11"), value("$frm"), value("$fflags")),
      (0x1234, 2, 3))
run("thread 4")
check("its alone", value("$s11") != 0x1234 and value("$fcsr") != 0x43)
run("stepi 3")
run("thread 2")
equal("kept over time", value("$s11"), 0x1234)
run("thread 4")
run("reverse-stepi 3")
run("reverse-stepi")
run("thread 2")
check("not there before", value("$s11") != 0x1234, value("$s11"))
run("thread 4")
run("continue")
equal("at the breakpoint again", (gdb.selected_thread().num, value("who")), (4, 12))
run("thread 2")
equal("the change is made again", value("$s11"), 0x1234)
run("thread 4")
run("delete")

# Steps of the fourth thread, around its loop.
for step in range(20):
    run("next")
    if gdb.selected_thread().num != 4 or not gdb.selected_frame().name() in ("work", "add"):
        break
equal("steps end in their own thread", (gdb.selected_thread().num, step), (4, 19))
before = value("i")
check("it went round", before > 1, before)
where = value("$cycle")
run("stepi")
run("stepi")
equal("instructions, too", gdb.selected_thread().num, 4)
run("reverse-stepi")
run("reverse-stepi")
equal("and back", (gdb.selected_thread().num, value("$cycle")), (4, where))
for step in range(6):
    run("reverse-next")
equal("steps back end in it as well", gdb.selected_thread().num, 4)
check("it went back", value("$cycle") < where)

# A thread that does not run is stepped to its next place.
run("thread 3")
run("next")
equal("the third steps", gdb.selected_thread().num, 3)
run("break add thread 3")
run("continue")
equal("a breakpoint of one thread", (gdb.selected_thread().num, value("who")), (3, 11))
run("finish")
equal("out of a call", (gdb.selected_thread().num, gdb.selected_frame().name()), (3, "work"))
run("delete")

# The server's own conditions hold for the thread that executes the instruction, both ways.
run("set breakpoint condition-evaluation auto")
run("break add if who == 10")
run("continue")
equal("the second's condition", (gdb.selected_thread().num, value("who")), (2, 10))
run("delete")
run("break add if who == 12")
run("reverse-continue")
equal("the fourth's, backwards", (gdb.selected_thread().num, value("who")), (4, 12))
run("delete")
run("thread 3")

# A function is called in a thread that does not run, which then continues where it was.
run("delete")
owner = value("lock.__data.__owner")
other = [t for t in gdb.selected_inferior().threads()
         if "is ready" in run("info threads %d" % t.num) and owner not in t.ptid][0].num
run("thread %d" % other)
saved = [value(r) for r in ("$sp", "$pc", "$s1")]
before = value("total")
run("call add(40, 2)")
check("a call in another thread", value("total") >= before + 40, value("total"))
equal("its registers are restored",
      (gdb.selected_thread().num, [value(r) for r in ("$sp", "$pc", "$s1")]), (other, saved))

# Functions are also called in a thread that waits; then it makes its system call again.
run("thread 1")
saved = [value(r) for r in ("$sp", "$pc", "$s1", "$a0")]
before = value("total")
has("it waits", run("info threads 1"), "waits for")
run("call add(40, 2)")
check("a call in a thread that waits", value("total") >= before + 40, value("total"))
equal("it is before its call again",
      (gdb.selected_thread().num, [value(r) for r in ("$sp", "$pc", "$s1", "$a0")]), (1, saved))

# A thread that waits in a call.
run("break pthread_join thread 1")
run("reverse-continue")
run("continue")
run("delete")
run("thread 1")
run("finish")
equal("the call has come back in its own thread", gdb.selected_thread().num, 1)
# Locked, a thread runs alone: others stay where they are, and their breakpoints don't stop.
def places():
    return [(run("thread %d" % t), value("$pc"), value("$sp"))[1:]
            for t in range(1, 5) if t != mine]


run("kill")
connect("build/tests/threads/steps", options="-o os.slice=2000 -o os.switch=100")
run("break add if n == 10 && who == 11")
run("continue")
run("delete")
mine = gdb.selected_thread().num
run("break add")
run("set scheduler-locking on")
was = places()
run("thread %d" % mine)
for _ in range(6):
    run("continue")
equal("a locked thread stops at its own calls", (gdb.selected_thread().num, value("n")), (mine, 16))
run("stepi 3000")
run("next")
equal("and steps", gdb.selected_thread().num, mine)
equal("held threads stay", places(), was)
run("set scheduler-locking off")
stops = set()
for _ in range(30):
    run("continue")
    stops.add(gdb.selected_thread().num)
check("unlocked, others stop", len(stops) > 1, stops)
# When all threads that may run have ended, gdb gets no stop.
run("delete")
run("set scheduler-locking on")
ending = gdb.selected_thread().num
run("continue")
text = run("info threads")
check("alone, it runs to its end", "Thread 1000.1000" in text and
      not re.search(r"(?m)^.\s+%d " % ending, text), text)
# Where it needs a held thread, that runs until the thread can go on, and stops nowhere.
run("break add")
run("tbreak printf")
run("thread 1")
run("continue")
equal("a thread that waits for held ones", (gdb.selected_thread().num, gdb.selected_frame().name()),
      (1, "printf"))
run("reverse-continue")
check("back, they stop", gdb.selected_thread().num > 1, gdb.selected_thread().num)
run("set scheduler-locking off")
run("delete")
run("continue")
# A signal goes to its own thread, and does not stop again: a handler is set up in the program.
run("kill")
connect("build/tests/threads/steps", options="-o os.slice=2000 -o os.switch=100")
run("tbreak add if who == 12")
run("continue")
action = value("$sp") - 4096
run("set var *(unsigned long *)%d = (unsigned long)&add" % action)
equal("the handler", value("((int (*)(int, long, long))sigaction)(10, %d, 0)" % action), 0)
here, other = gdb.selected_thread().num, 2
run("thread %d" % other)
run("queue-signal SIGUSR1")
run("thread %d" % here)
run("break add if who != 10 && who != 11 && who != 12")
run("continue")
equal("a signal of another thread", (gdb.selected_thread().num, value("n"),
      gdb.selected_frame().older().type()), (other, 10, gdb.SIGTRAMP_FRAME))
# Alone, a thread stops before a signal that another one has sent it. While others run, it keeps the
# signal, and the debugger the details. Threads have the C library's handles.
run("delete")
run("tbreak add if who == 12")
run("continue")
here = gdb.selected_thread().num
run("set scheduler-locking on")
run("thread %d" % other)
handle = int.from_bytes(gdb.selected_thread().handle(), "little")
run("thread %d" % here)
equal("it is sent", value("((int (*)(long, int))pthread_kill)(%d, 10)" % handle), 0)
run("thread %d" % other)
run("continue")
equal("a pending signal stops its thread", (stop_kind(), gdb.selected_thread().num),
      ("SIGUSR1", other))
run("thread %d" % here)
equal("a thread that no signal stopped", value("$_siginfo.si_signo"), 19)
run("stepi")
run("thread %d" % other)
equal("details that wait", (value("$_siginfo.si_signo"), value("$_siginfo.si_code")), (10, -6))
run("break add if who != 10 && who != 11 && who != 12")
run("continue")
equal("it gets the signal later", (gdb.selected_thread().num, value("n"),
      gdb.selected_frame().older().type()), (other, 10, gdb.SIGTRAMP_FRAME))
finish()
