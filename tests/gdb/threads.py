# Several threads: their list, registers and calls of each, breakpoints and steps of one while
# others run, backwards too.
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
other = [t for t in gdb.selected_inferior().threads()
         if "is ready" in run("info threads %d" % t.num) and t.num > 1][0].num
run("thread %d" % other)
saved = [value(r) for r in ("$sp", "$pc", "$s1")]
before = value("total")
run("call add(40, 2)")
check("a call in another thread", value("total") >= before + 40, value("total"))
equal("its registers are restored",
      (gdb.selected_thread().num, [value(r) for r in ("$sp", "$pc", "$s1")]), (other, saved))

# A thread that waits in a call.
run("break pthread_join thread 1")
run("reverse-continue")
run("continue")
run("delete")
run("thread 1")
run("finish")
equal("the call has come back in its own thread", gdb.selected_thread().num, 1)
run("continue")
finish()
