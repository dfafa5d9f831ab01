# Every request of the Debug Adapter Protocol that we take, with what it must answer, on the program of tests/gdb.
from kit import *


def basics():
    c = Client()
    c.launch(before=lambda c: check("lines are verified", all(b["verified"] for b in c.lines("leaf", "watched changes"))), stopOnEntry=True)
    equal("entry", c.stopped(), ("entry", "main begins"))
    equal("continue", c.go(), ("breakpoint", "leaf"))
    equal("a call's names", [f["name"] for f in c.frames()][:3], ["leaf", "middle", "main"])
    equal("an argument", c.scope("Arguments")["a"]["value"], "3")
    equal("before its instruction", c.scope("Locals")["twice"]["value"], "0")
    equal("next", c.go("next"), ("step", "leaf returns"))
    equal("behind it", c.value("twice"), "6")
    equal("stepOut", c.go("stepOut")[1], "middle calls")
    equal("next from the middle of a line", c.go("next"), ("step", "middle calls again"))
    equal("stepIn stops at a breakpoint there", c.go("stepIn"), ("breakpoint", "leaf"))
    equal("stepBack", c.go("stepBack")[1], "leaf:27")
    equal("and out of the function", c.go("stepBack")[1], "middle calls again")
    equal("on to another", c.go()[1], "leaf")
    equal("and the next", c.go()[1], "watched changes")
    equal("reverseContinue", c.go("reverseContinue"), ("breakpoint", "leaf"))
    equal("the second call first", c.scope("Arguments")["a"]["value"], "7")
    equal("then the first", (c.go("reverseContinue"), c.scope("Arguments")["a"]["value"]), (("breakpoint", "leaf"), "3"))
    has("the pipeline says what the line waits for", c.scope("Pipeline")["waits for"]["value"], r"#\d+ ")
    c.close()


basics()
finish()
