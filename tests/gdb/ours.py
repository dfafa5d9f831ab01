# Features beyond gdb's, from gdb: monitor commands, Cyclops's own stops, a moved machine, and
# optimised code in the middle of cycles.
import sys

sys.path.insert(0, "tests/gdb")
import kit
from kit import *

FLUSH = "maintenance flush register-cache"
connect("build/tests/gdb/guest-O2", options="-c wide6 --rw")
run("file build/tests/gdb/guest-O2")
run("break states")
run("continue")

# Monitor commands, their errors, and their effects.
has("why", run("monitor why"), r"#\d+ .*")
has("a view", run("monitor view rob"), r"(?s)seq +instruction.*▶  #")
has("an error", run("monitor nonsense"), r"no command is called 'nonsense'")
has("a wrong argument", run("monitor view nonsense"), r"nonsense")
has("nothing", run("monitor"), r"^$|error")
equal("what changes nothing says so", run("monitor why").count("flush"), 0)
has("our own breakpoint", run("monitor catch mispredict"), r"Catchpoint \d+")
run("delete")
run("continue")
has("it stops gdb", run("monitor info breakpoints"), r"(?s)mispredict.*1 hit|mispredict")
check("as a trap", stop_kind() in ("", "SIGTRAP"), stop_kind())
run("monitor delete")

cycle = value("$cycle")
place = pc()
has("goto", run("monitor goto 12,000"), r"(?s)cycle 12,000.*flush register-cache")
run(FLUSH)
equal("the cycle that gdb sees then", value("$cycle"), 12000)
check("and the place", pc() != place)
run("monitor goto %d" % cycle)
run(FLUSH)
equal("there again", (value("$cycle"), pc()), (cycle, place))
run("monitor set a7 = 42")
run(FLUSH)
equal("what a command of ours set", value("$a7"), 42)
run("monitor step 10")
run(FLUSH)
run("break main")
run("reverse-continue")
equal("gdb goes on from there", gdb.selected_frame().name(), "main")
run("delete")

# On a machine that commits six at once, places backwards equal those forwards.
run("tbreak states")
run("continue")
states = []
for _ in range(40):
    states.append(everything())
    run("stepi")
for i in reversed(range(40)):
    run("reverse-stepi")
    check("place %d of six at once" % i, everything() == states[i])

# A breakpoint in the middle of each group stops before its instruction, from both sides.
begin = pc()
for offset in range(0, 24, 2):
    run("break *%d" % (begin + offset))
stops = []
for _ in range(6):
    stops.append((pc(), everything()))
    run("continue")
for want in reversed(stops):
    run("reverse-continue")
    check("the same from behind", (pc(), everything()) == want, "%x, %x" % (pc(), want[0]))
run("delete")

# The next instruction reads a value written in the middle of a cycle, and history keeps it.
for k in range(3):
    run("stepi")
    run("set var $s6 = %d" % (1000 + k))
    equal("a register written at place %d" % k, value("$s6"), 1000 + k)
run("set var table[7] = 99")
run("tbreak reads")
run("continue")
equal("memory that was written", value("table[7]"), 99)
run("reverse-stepi")
run("reverse-stepi")
run("stepi")
run("stepi")
equal("and is still", value("table[7]"), 99)

# With --rw a file may be put in folders that the program could write, nowhere else.
put = "build/tests/gdb/put"
run("remote put tests/gdb/kit.py /" + put)
with open(put, "rb") as there, open("tests/gdb/kit.py", "rb") as original:
    check("a file that was put", there.read() == original.read())
os.unlink(put)
has("nowhere else", run("remote put tests/gdb/kit.py /nowhere/" + put), r"error")

# detach loses nothing, but here the connection's end is the session's.
has("detach", run("detach"), r"^$|Detaching|detached")
print("%d passed, %d failed" % (kit.passed, kit.failed))
