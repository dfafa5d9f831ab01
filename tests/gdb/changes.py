# Changes by hand in gdb: many calls, changes at a fault, and motions back to the old values.
import sys

sys.path.insert(0, "tests/gdb")
from kit import *

GUEST = "build/tests/gdb/guest"

# Calls of functions restore everything, however often, from any place of a group.
connect(GUEST, "abort")
run("break middle")
run("continue")
for step in range(12):
    before = everything()
    for n in range(6):
        equal("call %d at step %d" % (n, step), run("p leaf(%d)" % n).split()[-1],
              str(2 * n + 1))
    equal("the program behind six calls", everything(), before)
    run("stepi")
run("delete")
run("break leaf")
has("a call that stops", run("p middle(5)"), "The program being debugged stopped")
run("return 7")
has("its caller", run("bt"), r"#0 .*middle|#0 .*leaf|#0 .*main")
run("delete")
run("kill")

# Going back over changes: each place is as it was before them, and going forwards again makes them.
for options in ("-c classic5", "", "-c wide6"):
    connect(GUEST, "abort", options=options)
    run("break middle")
    run("continue")
    run("delete")
    was = []
    for _ in range(60):
        was.append((pc(), everything()))
        run("stepi")
    for _ in range(60):
        run("reverse-stepi")
    equal("back at the beginning %s" % options, (pc(), everything()), was[0])
    for at_step in (1, 5, 6, 7, 17, 30, 41):
        here_now = 0
        for _ in range(at_step):
            run("stepi")
        run("set var table[7] = 99")
        run("set var $t5 = 7")
        changed = (pc(), everything())
        check("a change has its effect", changed[1] != was[at_step][1] and
              changed[0] == was[at_step][0])
        for back in range(1, min(at_step, 9) + 1):
            run("reverse-stepi")
            equal("%d before step %d %s" % (back, at_step, options), (pc(), everything()),
                  was[at_step - back])
        for _ in range(min(at_step, 9)):
            run("stepi")
        equal("forwards again to step %d %s" % (at_step, options), (pc(), everything()), changed)
        # an earlier change drops this one
        run("reverse-stepi")
        run("set var table[6] = 98")
        run("stepi")
        equal("the first change is gone", (value("table[7]"), value("table[6]")), (0, 98))
        equal("where it was", pc(), changed[0])
        run("reverse-stepi")
        run("reverse-stepi")
        if at_step > 1:
            equal("before both %s" % options, (pc(), everything()), was[at_step - 2])
            run("stepi")
        run("reverse-continue")
        run("break middle")
        run("continue")
        run("delete")
        equal("once more from the beginning", pc(), was[0][0])
        run("set var table[6] = 0")
    run("kill")

# `next` and its reverse over a change.
connect(GUEST, "abort")
run("tbreak " + at("automatic changes"))
go("continue", "automatic changes")
go("next", "register changes")
run("set var automatic = 50")
go("reverse-next", "automatic changes")
equal("as before the change", value("automatic"), 5)
go("next", "register changes")
equal("with the change", value("automatic"), 50)
run("kill")

# A fault: a change before the instruction lets the program go on.
connect(GUEST, "fault")
run("continue")
equal("a fault", stop_kind(), "SIGSEGV")
place = (pc(), everything())
pointer = re.search(r"sw\s+\w+,0\((\w+)\)", run("x/i $pc"))
run("reverse-stepi")
run("stepi")
run("continue")
for _ in range(4):
    run("reverse-stepi")
run("break *%d" % place[0])
run("continue")
equal("a breakpoint at the instruction that faults", pc(), place[0])
run("set var $%s = (long)&watched" % pointer[1])
run("delete")
run("tbreak " + at("main returns"))
go("continue", "main returns")
equal("the store had its place", value("watched"), 1)
finish()
