# Motions of the program, for requests.py: exception filters, steps and runs in both directions, how
# sessions begin and end, threads, and breakpoints in several copies.
import tempfile

from kit import *


def exceptions():
    c = Client()
    names = [f["filter"] for f in c.can["exceptionBreakpointFilters"]]
    equal("filters", names, ["signals", "mispredictions", "l2_misses"])
    c.launch(stopOnEntry=True)
    c.stopped()
    answer = c.body("setExceptionBreakpoints", filters=["mispredictions", "nothing"],
        filterOptions=[{"filterId": "l2_misses", "condition": "latency >"}])
    equal("which are possible", [b["verified"] for b in answer["breakpoints"]],
        [True, False, False])
    answer = c.body("setExceptionBreakpoints", filters=["mispredictions"],
        filterOptions=[{"filterId": "signals", "condition": "1 == 1; goto 1"}])
    equal("a condition is no command", [b["verified"] for b in answer["breakpoints"]],
        [True, False])
    equal("a misprediction", c.go()[0], "exception")
    info = c.body("exceptionInfo")
    equal("is told", info["exceptionId"], "mispredictions")
    has("with what it was", info["description"], r"^squash at \S+.*: count \d+")
    c.body("setExceptionBreakpoints", filters=[],
        filterOptions=[{"filterId": "l2_misses", "condition": "latency > 100"}])
    equal("a miss", (c.go()[0], c.body("exceptionInfo")["exceptionId"]), ("exception", "l2_misses"))
    c.body("setExceptionBreakpoints", filters=[])
    c.body("continue", threadId=1000)
    equal("then it runs to its end", c.event("exited")["exitCode"], 7)
    c.event("terminated")
    c.refused("continue", "ended", threadId=1000)
    c.refused("exceptionInfo", "no exception")
    c.close()
    for how, signal, where in (("fault", "SEGV", "fault"), ("abort", "ABRT", None)):
        c = Client()
        c.launch(how)
        equal(how, c.stopped()[0], "exception")
        has("says which", c.stop["text"], "SIG" + signal)
        equal("and so does exceptionInfo", c.body("exceptionInfo")["exceptionId"], "SIG" + signal)
        if where:
            equal("the line", c.here(), where)
        equal("before that", c.go("stepBack")[0], "step")
        equal("and there again", c.go()[0], "exception")
        c.body("continue", threadId=1000)
        check("then it is over", c.event("exited")["exitCode"] > 128)
        c.close()


# ---- running, pausing, ending ----
def running():
    c = Client(ready=False)
    c.refused("threads", "nothing was launched")
    c.body("initialize", adapterID="x", linesStartAt1=False, columnsStartAt1=False,
        supportsProgressReporting=True)
    c.launch("spin", before=lambda c: c.body("setFunctionBreakpoints",
        breakpoints=[{"name": "spin"}]))
    c.stopped()
    c.body("setFunctionBreakpoints", breakpoints=[])
    c.body("continue", threadId=1000)
    c.refused("next", "running", threadId=1000)
    check("threads while it runs", c.body("threads")["threads"][0]["id"] == 1000)
    verified = c.body("setBreakpoints", source={"path": SOURCE},
        breakpoints=[{"line": marks["main returns"] - 1}])["breakpoints"][0]
    equal("lines from 0", verified["line"], marks["main returns"] - 1)
    c.body("pause", threadId=1000)
    c.stop = c.event("stopped")
    equal("pause", c.stop["reason"], "pause")
    equal("where it is", c.frames()[0]["name"], "spin")
    equal("in lines from 0", c.frames()[0]["line"], marks["spin"] - 1)
    # A long search backwards without a hit can be stopped.
    c.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": "0x10000"}])
    c.body("continue", threadId=1000)
    started = c.event("progressStart")
    equal("what takes long is told", started["title"], "Running")
    c.event("progressUpdate")
    c.body("cancel", progressId=started["progressId"])
    equal("and cancelled", c.event("stopped")["reason"], "pause")
    c.body("continue", threadId=1000)
    c.body("restart")
    check("restart runs it anew", not [e for e in c.events if e["event"] == "stopped"], c.events)
    c.body("terminate")
    c.event("terminated")
    c.close()

    c = Client()
    c.launch(noDebug=True, stopOnEntry=True, before=lambda c: c.lines("leaf"))
    equal("without debugging it runs", c.event("exited")["exitCode"], 7)
    c.close()
    c = Client()
    c.launch(stopOnEntry=True)
    c.stopped()
    c.body("evaluate", expression="quit", context="repl")
    c.event("terminated")
    c.refused("next", "ended", threadId=1000)
    c.close()

    c = Client()
    c.launch(stdin="tests/gdb/guest.c", stopOnExit=True)
    out = ""
    while not (message := c.receive()).get("event") == "stopped":
        out += message["body"]["output"] if message.get("event") == "output" and message["body"][
            "category"] == "stdout" else ""
    c.stop = message["body"]
    equal("what it wrote", out.split("\n")[0:2],
        ["sum 174", "read /* The program that gdb debugs "])
    has("it stops at its end", c.stop["description"], "status 7")
    c.lines("main input")
    equal("and goes back", c.go("reverseContinue"), ("breakpoint", "main input"))
    c.lines()
    equal("to its end again", c.go()[0], "exit")
    c.body("continue", threadId=1000)
    equal("and is over", c.event("exited")["exitCode"], 7)
    c.close()


def launching():
    c = Client()
    for wrong, why in (({}, "program"), ({"program": 5}, "program"),
        ({"program": "/nowhere"}, "nowhere"), ({"program": GUEST, "args": "x"}, "args"),
        ({"program": GUEST, "env": []}, "env"),
                       ({"program": GUEST, "options": ["--nothing"]}, "nothing"),
                           ({"program": GUEST, "config": "nothing"}, "nothing"),
                           ({"program": GUEST, "commands": ["no_such_command"]}, "no_such_command"),
                       ({"program": GUEST, "cwd": "/nowhere"}, "nowhere"),
                           ({"program": GUEST, "stdin": "/nowhere"}, "nowhere"),
                           ({"program": GUEST, "options": ["--listen", "1"]}, "listen")):
        c.refused("launch", why, **wrong)
    c.refused("attach", "no session")
    c.refused("configurationDone", "nothing was launched")
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/prog.c", "w") as f:
            f.write(
                '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char '
                '**argv)\n{\n\tprintf("%s %s \\xc3\\xa4 \\xff", getenv("NAME"), argv[argc - '
                '1]);\n\treturn argc;\n}\n')
        c.launch("one", "two", program="prog.c", cwd=folder, env={"NAME": "value"}, config="wide6",
            options=["-o", "pipe.rob_size=64"])
        equal("a source file is compiled", c.event("exited")["exitCode"], 3)
        c.close()
        # Further launches, with other arguments.
        c = Client()
        c.launch("one", program=folder + "/prog.c", env={"NAME": "value"}, stopOnEntry=True)
        c.stopped()
        c.refused("restart", "a list of texts", arguments={"args": ["x", 5]})
        c.body("restart", arguments={"args": ["one", "two", "three"], "stopOnEntry": False})
        equal("restarted with other arguments", c.event("exited")["exitCode"], 4)
    c.refused("launch", "restart", program=GUEST)
    c.close()
    c = Client()
    c.body("launch", program=GUEST)
    c.refused("continue", "configurationDone", threadId=1000)
    c.body("configurationDone")
    c.refused("configurationDone", "running|has begun")
    c.close()


# ---- threads of the program ----
def steps_of(c, thread):
    """Steps a thread that does not run now, and no other."""
    def place():
        top = c.body("stackTrace", threadId=thread)["stackFrames"]
        return [(f["name"], f["line"]) for f in top if f["name"] == "count"][0]

    places = []
    while c.body("stackTrace", threadId=thread)["stackFrames"][0]["name"] != "count":
        c.body("stepOut", threadId=thread)
        equal("stepOut is its own", c.event("stopped")["threadId"], thread)
    for _ in range(8):
        c.body("next", threadId=thread)
        equal("next is its own", c.event("stopped")["threadId"], thread)
        places.append(place())
    lines = [line for _, line in places]
    check("it goes through its loop", all(a != b for a, b in zip(lines, lines[1:]))
        and max(lines) - min(lines) < 10, places)
    for line in lines[-2:0:-1]:
        c.body("stepBack", threadId=thread)
        equal("stepBack is its own", c.event("stopped")["threadId"], thread)
        equal("and leads where it was", place()[1], line)


def threads():
    source, line = os.path.abspath("tests/threads/basic.c"), 0
    with open(source, encoding="ascii") as text:
        line = [n for n, t in enumerate(text, 1) if "counter = seen + 1" in t][0]
    c = Client()
    c.launch("mutex", program="build/tests/threads/basic", before=lambda c: c.body("setBreakpoints",
        source={"path": source}, breakpoints=[{"line": line, "condition": "counter == 40"}]))
    c.stop = c.event("stopped")
    there = c.body("threads")["threads"]
    check("several", len(there) > 2, there)
    running = c.stop["threadId"]
    equal("the one that runs", c.frames()[0]["name"], "count")
    equal("is the one that stopped", c.value("seen"), "40")
    first = [t["id"] for t in there if t["id"] != running][0]
    frames = c.body("stackTrace", threadId=first)["stackFrames"]
    check("the first waits in main", "main" in [f["name"] for f in frames], frames)
    outer = [f for f in frames if f["name"] in ("main", "mutex")][0]
    equal("its line is of the file", outer["source"]["path"], source)
    stacks = [c.body("evaluate", expression="$sp", frameId=f)["result"]
        for f in (c.frames()[0]["id"], frames[0]["id"])]
    check("its registers are its own", stacks[0] != stacks[1], stacks)
    check("a waiting thread names what it waits for", any("wait" in t["name"] for t in there), there)
    scopes = [s["name"] for s in c.body("scopes", frameId=frames[0]["id"])["scopes"]]
    check("the pipeline is not its own", "Registers" in scopes and "Pipeline" not in scopes, scopes)
    here = c.body("evaluate", expression="$s11")["result"]
    c.body("setExpression", expression="$s11", value="4660", frameId=frames[0]["id"])
    equal("a register of its own is set, and the stopped thread's is not",
          [c.body("evaluate", expression="$s11", **where)["result"]
           for where in ({"frameId": frames[0]["id"]}, {})], ["4660 (0x1234)", here])
    c.refused("stackTrace", "no such thread", threadId=99999)
    c.body("setBreakpoints", source={"path": source}, breakpoints=[])
    steps_of(c, [t["id"] for t in there if t["id"] not in (running, first)][0])
    # Its call returns when the threads that it waits for have ended.
    c.body("next", threadId=first)
    equal("a step over what waits is that thread's", c.event("stopped")["threadId"], first)
    c.refused("next", "no such thread", threadId=99999)
    c.refused("stepBack", "no such thread", threadId="first")
    equal("back to the time before", c.go("reverseContinue")[0], "step")
    equal("there was one", len(c.body("threads")["threads"]), 1)
    c.close()
    waiting()


def waiting():
    """Instruction by instruction over a call that gives the processor away: another thread's call
    gives it back."""
    c = Client()
    c.launch(program="build/tests/threads/yields",
        before=lambda c: c.body("setFunctionBreakpoints", breakpoints=[{"name": "work"}]))
    thread = c.event("stopped")["threadId"]
    c.body("setFunctionBreakpoints", breakpoints=[])
    places = set()
    for _ in range(40):
        c.body("next", threadId=thread, granularity="instruction")
        c.stop = c.event("stopped")
        equal("a step over what waits ends in its thread", c.stop["threadId"], thread)
        places.add(c.here())
    check("all in its loop", len(places) > 3 and all("work" in p for p in places), places)
    c.close()


# ---- functions and lines with several places in the code ----
def copies():
    source = os.path.abspath("tests/sessions/shapes.cc")
    with open(source, encoding="ascii") as text:
        whole = text.read().split("\n")
    lines = {name: [n for n, t in enumerate(whole, 1) if part in t][0]
        for name, part in (("template", "T r = v + v"), ("lambda", "[&t](int by)"))}

    def launched(program):
        c = Client()
        c.launch(program=program, stopOnEntry=True)
        c.stopped()
        return c

    def stops(c, motion="continue"):
        found = []
        try:
            while True:
                c.go(motion)
                found.append((c.frames()[0]["name"], c.stop.get("hitBreakpointIds")))
                if not found[-1][1]:
                    break
        except Gone:
            pass
        return found

    c = launched("build/tests/gdb/shapes")
    told = c.body("setFunctionBreakpoints", breakpoints=[{"name": "twice"}, {"name": "geo::sum"}])
    twice, overloads = [b["id"] for b in told["breakpoints"]]
    seen = stops(c)
    equal("each function that a template makes", {name for name, ids in seen if ids == [twice]},
        {"geo::twice<int>(int)", "geo::twice<double>(double)"})
    equal("all overloads", {name for name, ids in seen if ids == [overloads]},
        {"geo::sum(%s)" % args for args in ("int", "int, int", "double, double",
            "geo::Point const&")})
    c.close()
    c = launched("build/tests/gdb/shapes")
    told = c.body("setBreakpoints", source={"path": source}, breakpoints=[
        {"line": lines["template"], "hitCondition": "2"}, {"line": lines["lambda"]}])
    second, both = [b["id"] for b in told["breakpoints"]]
    seen = []
    for _ in range(3):
        c.go()
        seen.append((c.frames()[0]["name"], c.stop["hitBreakpointIds"]))
    equal("a line of a template stops in each, hits are counted together",
        [ids for _, ids in seen], [[second], [both], [both]])
    check("a lambda is behind its line, too", "lambda" in c.frames()[0]["name"] or
        c.frames()[0]["name"].startswith("run"), c.frames()[0])
    equal("with what it was given", c.scope("Arguments")["by"]["value"], "5")
    seen = stops(c, "reverseContinue")
    equal("backwards in all of them", [ids for _, ids in seen if ids], [[both], [second], [second]])
    c.close()
    c = launched("build/tests/gdb/shapes")
    c.body("setBreakpoints", source={"path": source},
        breakpoints=[{"line": lines["template"], "logMessage": "v is {v}"}])
    equal("a logpoint", stops(c), [])
    equal("logs in each", [o for o in c.outputs if o.startswith("v is")],
        ["v is 21\n", "v is 3.5\n"])
    c.close()
    c = launched("build/tests/gdb/shapes-O1")
    told = c.body("setFunctionBreakpoints", breakpoints=[{"name": "Shape::scale"}])
    seen = stops(c)
    check("a function and its inlined copies", len(seen) == 3 and all(
        name.startswith("geo::Shape::scale") and ids == [told["breakpoints"][0]["id"]]
        for name, ids in seen), seen)
    c.close()


def steps_meet_breakpoints():
    """A step ends at a breakpoint on its way, whichever commits share a cycle with it."""
    names = ["automatic changes", "register changes", "global changes", "static changes"]
    for config in ("classic5", "default", "wide6"):
        c = Client("-c", config)
        c.launch(before=lambda c: c.lines("states begin", "real changes"))
        c.stopped()
        for motion in ("next", "stepIn"):
            for chosen in range(1 << len(names)):
                c.lines("states begin", *[n for i, n in enumerate(names) if chosen >> i & 1])
                while c.here() != "states begin":
                    c.go("reverseContinue" if motion == "next" else "stepBack")
                seen = [c.go(motion) for _ in names]
                equal("%s with breakpoints %d of %s" % (motion, chosen, config), seen,
                    [("breakpoint" if chosen >> i & 1 else "step", n)
                        for i, n in enumerate(names)])
        c.lines("states begin")
        c.body("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
        c.lines()
        while c.go("reverseContinue")[0] == "function breakpoint":
            pass
        equal("a step from the beginning meets the first breakpoint", c.go("next"),
            ("function breakpoint", "main begins"))
        c.close()
