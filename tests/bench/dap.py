# The cost of debugging from an editor: PYTHONPATH=tests/dap CYCLOPS=build/cyclops python3
# tests/bench/dap.py
# Rows: milliseconds from a request to its stop, and the processor time of these.
from kit import *

c = Client()
c.launch("spin", stopOnEntry=True)
c.stopped()


def at_work():
    words = open("/proc/%d/stat" % c.process.pid).read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def row(name, command, times=1, **arguments):
    begin, ours = time.monotonic(), at_work()
    for _ in range(times):
        c.body(command, threadId=1000, **arguments)
        c.stop = c.event("stopped")
    end = (time.monotonic() - begin) * 1e3, at_work() - ours
    print("%s: %.2f, %.2f ms" % (name, *(e / times for e in end)), flush=True)


def functions(*names, **terms):
    c.body("setFunctionBreakpoints", breakpoints=[{"name": n, **terms} for n in names])


def there():
    c.body("evaluate", expression="goto 50,000,000", context="repl")
    c.stop = c.event("stopped")


functions("watches")
row("continue to a breakpoint", "continue")
row("step by instruction", "stepIn", 100, granularity="instruction")
row("back by instruction", "stepBack", 100, granularity="instruction")
row("next", "next", 10)
row("back by lines", "stepBack", 10)
begin = time.monotonic()
for _ in range(100):
    c.frames()
    c.scope("Locals")
    c.scope("Pipeline")
print("calls, locals and pipeline: %.2f ms" % ((time.monotonic() - begin) * 10))
functions()
there()
row("step by instruction there", "stepIn", 100, granularity="instruction")
row("back by instruction there", "stepBack", 100, granularity="instruction")
functions("leaf")
row("reverseContinue over 50 M cycles, to a breakpoint", "reverseContinue")
equal("where that is", c.frames()[0]["name"], "leaf")
functions()
there()
info = c.body("dataBreakpointInfo", name="text[0]")
c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
row("reverseContinue over 50 M cycles, to a watchpoint", "reverseContinue")
c.body("setDataBreakpoints", breakpoints=[])
there()
row("reverseContinue over 50 M cycles, to their beginning", "reverseContinue")
there()
functions("leaf", condition="a == 99")
row("reverseContinue over 50 M cycles, a condition that never holds", "reverseContinue")
c.close()
finish()
