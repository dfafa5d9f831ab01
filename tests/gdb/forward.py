# Common work in gdb, forwards: breakpoints, steps, data, threads, files, changes, calls, an
# end.
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

GUEST = "build/tests/gdb/guest"
connect(GUEST, "word", "another", target="extended-remote")

# gdb steps by breakpoints, which it sends with the conditions of others at the same address.
run("break *leaf if $a0 == 77")
run("break " + at("middle calls again") + " if a == 77")
run("tbreak " + at("middle calls"))
run("continue")
for _ in range(20):
    run("stepi")
    if pc() == value("(long)&leaf"):
        break
equal("stepi onto a breakpoint whose condition is false", pc(), value("(long)&leaf"))
go("finish", "middle calls")
go("next", "middle calls again")
run("delete")
run("reverse-continue")

# Breakpoints: of functions, lines, conditions, counts, hardware; and the program's memory is as it
# was.
run("break leaf")
code = run("x/4xh leaf")
go("continue", "leaf")
equal("a breakpoint's stop", stop_kind(), "breakpoint")
equal("a breakpoint is not in memory", run("x/4xh leaf"), code)
has("backtrace", run("bt"), r"(?s)#0  leaf \(a=3\).*#1 .* middle \(a=3\).*#2 .* main \(argc=3")
has("a caller's variables", run("frame 2") + run("p argv[1]") + run("p argv[2]"),
    r'(?s)"word".*"another"')
run("delete")
run("break leaf if a == 7")
go("continue", "leaf")
equal("a condition", value("a"), 7)
run("delete")
run("hbreak " + at("register changes"))
go("continue", "register changes")
run("delete")
run("tbreak watches")
run("continue")
run("break " + at("watched changes"))
run("ignore $bpnum 2")
go("continue", "watched changes")
equal("an ignored breakpoint", value("i"), 2)
run("delete")

# Steps.
go("next", "table changes")
run("tbreak " + at("main calls"))
before = pc()
run("stepi")
check("stepi moves", pc() != before)
run("x/i $pc")
run("tbreak " + at("main reads"))
go("continue", "main reads")
run("step")
equal("step enters", gdb.selected_frame().name(), "reads")
go("finish", "main reads")
equal("what a function returned", value("$"), 1 + 2 + 5 + 10)
run("break nothing")
run("next")
go("next", "nothing")
run("delete")
go("up", "after longjmp")
go("finish", "main lists")
go("advance " + at("main factorial"), "main factorial")
has("a list", run("p head->value") + run("p *head->next"), r"(?s)= 3.*value = 2")
run("break factorial if n == 1")
run("continue")
has("recursion", run("bt"), r"(?s)n=1.*n=2.*n=3.*n=4.*n=5")
run("delete")
run("frame 4")
run("finish")

# Data: all registers, types, memory, changes of each.
equal("x0", value("$zero"), 0)
has("registers", run("info registers"), r"(?s)ra .*sp .*pc ")
has("floating point", run("p real") + run("info registers fcsr"), r"(?s)2\.25.*fcsr")
check("clock cycles", value("$cycle") > value("$instret") / 4 > 1000)
has("profiling registers", run("info registers profiling"), r"(?s)hpmselect3 .*picselect ")
run("set var global = 55")
equal("a variable that was set", value("global"), 55)
run("set var table = {7, 6, 5, 4, 3, 2, 1, 0}")
equal("an array that was set", value("table[1]*10 + table[7]"), 60)
run("set var $t3 = 0x123456789abcdef0")
equal("a register that was set", value("$t3"), 0x123456789ABCDEF0)
run("p $ft5.double = 6.5")
has("a floating-point register that was set", run("p $ft5.double"), r"6\.5")
has("find", run("find &text, +32, 'f', 't'"), r"<text\+1>")
equal("a function that is called", value("leaf(10)"), 21)
equal("one with calls of its own", value("middle(3)"), 22)
has("a string given to one", run('p (long)strlen(text)'), r"= 5")
equal("after it all is as it was", value("global"), 55)
has("memory that is not there", run("x/x 16"), r"Cannot access memory at address 0x10")

# Threads, auxiliary vector, the system's files.
has("threads", run("info threads"), r"\* 1 .*Thread 1000\.1000.*main")
has("auxv", run("info auxv"), r"(?s)AT_ENTRY.*AT_EXECFN.*guest")
has("mappings", run("info proc mappings"), r"r-xp.*(?s:.*)\[stack\]")
has("process", run("info proc"), r"(?s)process 1000.*cwd = '/'.*exe = '.*guest'")

# Impossible places are refused.
has("a wild pc", run("set var $pc = 3"), r"error|^$")
run("tbreak " + at("main prints"))

# To the end.
run("jump " + at("main prints"))
run("tbreak " + at("main returns"))
go("continue", "main returns")
exited = []
gdb.events.exited.connect(lambda e: exited.append(e.exit_code))
run("continue")
equal("exit status", exited, [7])

# And again from the beginning, with the same arguments.
run("tbreak main")
run("run")
equal("it begins again", gdb.selected_frame().name(), "main")
has("as it was", run("p global") + run("p argv[2]"), r'(?s)= 1.*"another"')
run("reverse-continue")
equal("with a history of its own", run("p $instret").split()[-1], "0")
finish()
