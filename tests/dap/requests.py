# Every supported request of the Debug Adapter Protocol, with its expected answer, on the program of
# tests/gdb.
import base64
import tempfile

from kit import *
from motions import *


def basics():
    c = Client()
    c.launch(before=lambda c: check("lines are verified",
        all(b["verified"] for b in c.lines("leaf", "watched changes"))), stopOnEntry=True)
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
    equal("stepBack out of the function", c.go("stepBack")[1], "middle calls again")
    equal("on to another", c.go()[1], "leaf")
    equal("and the next", c.go()[1], "watched changes")
    equal("reverseContinue", c.go("reverseContinue"), ("breakpoint", "leaf"))
    equal("the second call first", c.scope("Arguments")["a"]["value"], "7")
    equal("then the first", (c.go("reverseContinue"), c.scope("Arguments")["a"]["value"]),
        (("breakpoint", "leaf"), "3"))
    has("the pipeline says what the line waits for", c.scope("Pipeline")["waits for"]["value"],
        r"#\d+ ")
    equal("cyclops/reverseFinish", c.go("cyclops/reverseFinish")[1], "middle calls")
    c.lines()
    # Backwards over a call that has just returned, out of a recursion, and forwards over a longjmp.
    c.lines("main reads", "factorial ends")
    equal("a line that begins behind a call", (c.go(), c.go("next")[1], c.go("stepBack")[1])[1:],
        ("main:114", "main reads"))
    equal("over a longjmp", (c.go("next"), c.go("next"))[1], ("step", "main lists"))
    equal("where a recursion was called", (c.go(), c.value("n"), c.go("stepBack"), c.go("stepBack"),
        c.value("n"))[1::3], ("1", "2"))
    equal("out of it by lines", (c.go(), c.go("next"), c.go("next"), c.value("n"))[2:],
        (("step", "factorial:48"), "2"))
    equal("a variable named like a command", c.value("n", context="repl"), "2")
    c.lines()
    line = c.body("setBreakpoints", source={"path": SOURCE},
        breakpoints=[{"line": marks["factorial ends"] + 1}])["breakpoints"][0]
    c.lines()
    equal("back to a line's beginning, not behind a call in it",
        (c.go("stepBack"), c.frames()[0]["instructionPointerReference"])[1],
        line["instructionReference"])
    equal("to the beginning", c.go("reverseContinue")[0], "step")
    equal("which is told", c.stop["description"], "The beginning of history")
    c.close()


# ---- one place: stops, stack, registers, variables and code are of one moment ----
def places():
    c = Client()
    c.launch(stopOnEntry=True)
    c.stopped()
    seen = []
    for _ in range(300):
        c.go("stepIn", granularity="instruction")
        top = c.frames(levels=1)[0]
        pc = int(top["instructionPointerReference"], 16)
        seen.append((pc, top["name"], top["line"], everything(c)))
        equal("pc is where the frame is", int(c.scope("Registers")["pc"]["value"].split()[0], 0)
            if len(seen) % 20 == 0 else pc, pc)
    back = []
    for _ in range(299):
        c.go("stepBack", granularity="instruction")
        top = c.frames(levels=1)[0]
        back.append((int(top["instructionPointerReference"], 16), top["name"], top["line"],
            everything(c)))
    equal("back over 299 instructions, each place as it was", [p for p, q in zip(back, seen[-2::-1])
        if p != q][:1], [])
    c.close()


def everything(c):
    """An editor's data about a place."""
    frame = c.frames(levels=1)[0]["id"]
    words = ["$sp", "$a0", "$a5", "$s0", "watched", "table", "text"]
    return [c.body("evaluate", expression=w, frameId=frame, format={"hex": True}).get("result")
        for w in words]


# ---- breakpoints of every kind ----
def breakpoints():
    c = Client()
    c.launch(stopOnEntry=True)
    c.stopped()
    c.lines("watched changes", condition="*(int *)8 == 1")
    c.outputs = []
    equal("what can't be computed stops", c.go()[1], "watched changes")
    has("and says why", "".join(c.outputs), r"^condition \*\(int \*\)8 == 1: .*memory")
    equal("a condition", (c.lines("watched changes", condition="i == 3"), c.go(), c.value("i"))[1:],
        (("breakpoint", "watched changes"), "3"))
    equal("it is computed before the line", c.value("watched"), "4")
    equal("backwards it holds nowhere", c.go("reverseContinue")[0], "step")
    equal("a hit count", (c.lines("watched changes", hitCondition="2"), c.go(), c.value("i"))[1:],
        (("breakpoint", "watched changes"), "1"))
    c.go("reverseContinue")
    c.go("reverseContinue")
    c.lines("watched changes", hitCondition=">= 4")
    equal("another", (c.go(), c.value("i"))[1], "3")
    while c.go("reverseContinue")[0] != "step":
        pass
    c.lines("watched changes", hitCondition="% 2")
    equal("forwards hits are counted", [c.go() and c.value("i") for _ in range(2)], ["1", "3"])
    equal("backwards they are not", (c.go("reverseContinue"), c.value("i"), c.go(),
        c.value("i"))[1::2], ("2", "4"))
    check("a wrong one", not c.lines("watched changes", hitCondition="x")[0]["verified"])
    check("a wrong condition", not c.lines("watched changes",
        condition="nowhere == 1")[0]["verified"])
    check("a wrong one in C", not c.lines("watched changes", condition="i ==")[0]["verified"])
    check("a line that is none", not c.body("setBreakpoints", source={"path": SOURCE},
        breakpoints=[{"line": 99999}])["breakpoints"][0]["verified"])
    check("a file that is none", not c.body("setBreakpoints", source={"path": "/x/none.c"},
        breakpoints=[{"line": 3}])["breakpoints"][0]["verified"])
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/guest.c", "w").close()
        check("another file of its name",
            not c.body("setBreakpoints", source={"path": folder + "/guest.c"},
            breakpoints=[{"line": 28}])["breakpoints"][0]["verified"])
    check("one that is moved elsewhere",
        c.body("setBreakpoints", source={"path": "/nowhere/tests/gdb/guest.c"},
        breakpoints=[{"line": 28}])["breakpoints"][0]["verified"])
    c.body("setBreakpoints", source={"path": "/nowhere/tests/gdb/guest.c"}, breakpoints=[])
    c.lines()
    while c.go("reverseContinue")[0] != "step":
        pass
    # Logpoints print once, forwards.
    c.lines("watched changes", logMessage="i is {i}, {i * i} follows {watched}; {nowhere}")
    c.body("setFunctionBreakpoints", breakpoints=[{"name": "reads"}, {"name": "no_such"}])
    c.outputs = []
    equal("a function", c.go(), ("function breakpoint", "reads:75"))
    equal("logs", len(c.outputs), 5)
    has("with values", c.outputs[3], r"^i is 3, 9 follows 4; \{.*nowhere.*\}\n$")
    c.body("setFunctionBreakpoints", breakpoints=[])
    c.outputs = []
    c.go("reverseContinue")
    equal("backwards they are silent", c.outputs, [])
    c.lines()
    # Instructions.
    c.lines("leaf")
    leaf = c.lines("leaf")[0]["instructionReference"]
    c.lines()
    answer = c.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": leaf}])
    equal("without an offset", [(b["verified"], b["instructionReference"])
        for b in answer["breakpoints"]], [(True, leaf)])
    answer = c.body("setInstructionBreakpoints",
        breakpoints=[{"instructionReference": leaf, "offset": 4}, {"instructionReference": "x"},
        {"instructionReference": leaf, "offset": 1}])
    equal("which are possible", [b["verified"] for b in answer["breakpoints"]],
        [True, False, False])
    equal("an instruction", c.go()[0], "instruction breakpoint")
    equal("is where it stops", int(c.frames()[0]["instructionPointerReference"], 16),
        int(leaf, 16) + 4)
    equal("its number", c.stop["hitBreakpointIds"], [answer["breakpoints"][0]["id"]])
    c.body("setInstructionBreakpoints", breakpoints=[])
    # Two at one place: either may stop.
    c.lines("leaf", condition="a == 7")
    c.body("setFunctionBreakpoints", breakpoints=[{"name": "leaf", "condition": "a == 100"}])
    equal("one of two", (c.go(), c.value("a"))[1], "7")
    equal("it is the one that held", len(c.stop["hitBreakpointIds"]), 1)
    c.body("setFunctionBreakpoints", breakpoints=[])
    c.lines()
    locations = c.body("breakpointLocations", source={"path": SOURCE}, line=marks["leaf"] - 3,
        endLine=marks["leaf"] + 2)["breakpoints"]
    equal("lines with code", [l["line"] for l in locations], [27, 28, 29, 30])
    c.close()


def data():
    c = Client()
    c.launch(stopOnEntry=True)
    c.stopped()
    info = c.body("dataBreakpointInfo", name="watched", frameId=c.frames()[0]["id"])
    has("what would be watched", info["description"], "4 bytes")
    answer = c.body("setDataBreakpoints",
        breakpoints=[{"dataId": info["dataId"], "accessType": "write"}, {"dataId": "x"}])
    equal("which are possible", [b["verified"] for b in answer["breakpoints"]], [True, False])
    there = [(c.go()[0], c.value("watched")) for _ in range(4)]
    equal("behind what was written", there, [("data breakpoint", v) for v in ("1", "4", "9", "16")])
    equal("its number", c.stop["hitBreakpointIds"], [answer["breakpoints"][0]["id"]])
    back = [(c.go("reverseContinue")[0], c.value("watched")) for _ in range(3)]
    equal("backwards before it", back, [("data breakpoint", v) for v in ("9", "4", "1")])
    c.body("setDataBreakpoints",
        breakpoints=[{"dataId": info["dataId"], "condition": "watched == 100"}])
    equal("with a condition", (c.go()[0], c.value("watched")), ("data breakpoint", "100"))
    table = c.body("dataBreakpointInfo", name="table[2]", frameId=c.frames()[0]["id"])
    c.body("setDataBreakpoints", breakpoints=[{"dataId": table["dataId"], "accessType": "read"}])
    equal("read", c.go(), ("data breakpoint", "table read"))
    equal("a register is no memory", c.body("dataBreakpointInfo", name="$a0")["dataId"], None)
    equal("an address is",
        c.body("dataBreakpointInfo", name=hex(int(table["dataId"].split("/")[0], 16)),
        asAddress=True, bytes=4)["dataId"], table["dataId"])
    c.refused("dataBreakpointInfo", "expected")
    c.close()


# ---- values ----
def values():
    c = Client()
    c.launch(before=lambda c: c.lines("head changes", "real changes"), stopOnEntry=False)
    equal("without an entry", c.stopped(), ("breakpoint", "real changes"))
    c.go()
    c.go()
    equal("at the list", c.go()[1], "head changes")
    node = c.scope("Locals")["n"]
    equal("a pointer", node["type"], "struct node *")
    check("unfolds", node["variablesReference"] > 0, node)
    target = c.body("variables", variablesReference=node["variablesReference"])["variables"][0]
    equal("to what it points to", target["evaluateName"], "*(n)")
    parts = {v["name"]: v for v in c.body("variables",
        variablesReference=target["variablesReference"])["variables"]}
    equal("with its members", (parts["value"]["value"], sorted(parts)), ("3", ["next", "value"]))
    equal("which are expressions", c.value(parts["value"]["evaluateName"]), "3")
    mixed = c.body("evaluate", expression="mixed", frameId=c.frames()[0]["id"])
    parts = c.body("variables", variablesReference=mixed["variablesReference"])["variables"]
    equal("members of parts without a name", [(v["name"], v["value"]) for v in parts],
        [("a", "1"), ("b", "2"), ("c", "3"), ("d", "3")])
    table = c.body("evaluate", expression="table", frameId=c.frames()[0]["id"])
    equal("an array", (table["indexedVariables"], table["type"]), (8, "int [8]"))
    elements = c.body("variables", variablesReference=table["variablesReference"], start=2,
        count=3)["variables"]
    equal("and some of its elements", [(v["name"], v["value"]) for v in elements],
        [("[2]", "5"), ("[3]", "10"), ("[4]", "17")])
    for filter, count in ("named", 0), ("indexed", 8):
        equal(filter, len(c.body("variables", variablesReference=table["variablesReference"],
            filter=filter)["variables"]), count)
    equal("hover", c.value("n->next->value", context="hover"), "2")
    equal("of an outer call", c.value("argc", level=1), "1")
    equal("in hexadecimal", c.value("table[4]", format={"hex": True}), "0x11")
    equal("our words", c.value("rob.count >= 0"), "true")
    c.refused("evaluate", "nowhere", expression="nowhere")
    c.refused("evaluate", "expected")
    c.refused("evaluate", "no frame", expression="1", frameId=77)
    # Changing.
    frame = c.frames()[0]["id"]
    scopes = c.body("scopes", frameId=frame)["scopes"]
    reference = {s["name"]: s["variablesReference"] for s in scopes}
    equal("a variable", c.body("setVariable", variablesReference=reference["Locals"], name="i",
        value="i + 40")["value"], "43")
    equal("is changed", c.value("i"), "43")
    target = c.body("evaluate", expression="*n", frameId=c.frames()[0]["id"])["variablesReference"]
    c.body("setVariable", variablesReference=target, name="value", value="99")
    equal("a member", c.value("n->value"), "99")
    c.body("setVariable", variablesReference=reference["Registers"], name="t3", value="0x1234")
    equal("a register", c.value("$t3", format={"hex": True}), "0x1234")
    c.body("setExpression", expression="table[0]", value="-5", frameId=c.frames()[0]["id"])
    equal("an expression", c.value("table[0]"), "-5")
    # Lines for a breakpoint are taken until `end`, which is no expression.
    c.value("tbreak main", context="repl")
    c.value("commands", context="repl")
    c.value("echo lines", context="repl")
    equal("end ends the lines of a breakpoint", c.value("end", context="repl"), "")
    equal("and commands answer again", c.value("echo again", context="repl"), "again")
    c.value("delete", context="repl")
    equal("the console assigns", c.value("global = 77", context="repl"), "77")
    has("also to what is called as a command", c.value("n = n", context="repl") or "", "0x")
    c.refused("evaluate", ".", expression="global = 5", context="hover",
        frameId=c.frames()[0]["id"])
    equal("hovering does not", c.value("global"), "77")
    equal("the console calls functions", c.value("leaf(global) + leaf(2)", context="repl"), "160")
    c.refused("evaluate", "not called here", expression="leaf(6)", context="hover",
        frameId=c.frames()[0]["id"])
    c.refused("setVariable", "can't be changed", variablesReference=reference["Pipeline"],
        name="cycle", value="1")
    c.refused("setVariable", "expected", variablesReference=9999, name="x", value="1")
    c.refused("variables", "no such reference", variablesReference=99999)
    equal("floating point", c.value("real"), "2.25")
    c.refused("evaluate", "the call is undone", expression="(int)exit(2)",
        frameId=c.frames()[0]["id"], context="repl")
    c.value("tbreak leaf", context="repl")
    here = c.here()
    c.refused("evaluate", "a stop point holds the call", expression="leaf(1)",
        frameId=c.frames()[0]["id"], context="repl")
    equal("a breakpoint within is a stop", c.stopped(), ("breakpoint", "leaf"))
    c.value("finish", context="repl")
    equal("and finish goes back", c.stopped()[1], here)
    old = reference["Locals"]
    c.go("next")
    c.refused("variables", "of an earlier stop", variablesReference=old)
    c.scope("Locals")
    c.refused("variables", "of an earlier stop", variablesReference=old)
    equal("it goes on with what was changed", (c.lines(), c.go("stepOut")[0])[1], "step")
    # Memory.
    address = c.body("evaluate", expression="text", frameId=c.frames()[0]["id"])["memoryReference"]
    memory = c.body("readMemory", memoryReference=address, count=6)
    equal("memory", base64.b64decode(memory["data"]), b"after\0")
    equal("from another place", base64.b64decode(c.body("readMemory", memoryReference=address,
        offset=2, count=2)["data"]), b"te")
    equal("written", c.body("writeMemory", memoryReference=address, offset=1,
        data=base64.b64encode(b"BCDE").decode())["bytesWritten"], 4)
    has("is there", c.value("text"), "aBCDE")
    equal("where none is", c.body("readMemory", memoryReference="0x0", count=8),
        {"address": "0x0", "unreadableBytes": 8})
    c.refused("readMemory", "memoryReference", memoryReference="zz", count=8)
    c.refused("readMemory", "count", memoryReference="0x0")
    c.refused("writeMemory", "base64", memoryReference=address, data="!!")
    c.refused("writeMemory", "mapped", memoryReference="0x0", data="AAAA")
    c.close()


def code():
    c = Client()
    c.launch(before=lambda c: c.lines("leaf"))
    c.stopped()
    at = c.frames()[0]["instructionPointerReference"]
    code = c.body("disassemble", memoryReference=at, instructionOffset=-5,
        instructionCount=10)["instructions"]
    equal("as many as are asked for", len(code), 10)
    equal("around the place", code[5]["address"], at)
    equal("with lines", code[5]["line"], marks["leaf"])
    check("each where the one before ends", all(int(a["address"], 16) < int(b["address"], 16) for a,
        b in zip(code, code[1:])))
    has("as text", code[5]["instruction"], r"^l")
    ahead = c.body("disassemble", memoryReference=at, instructionOffset=3,
        instructionCount=2)["instructions"]
    equal("and further on", [i["address"] for i in ahead], [i["address"] for i in code[8:]])
    nothing = c.body("disassemble", memoryReference="0x0", instructionOffset=-2,
        instructionCount=4)["instructions"]
    equal("where there is no code", [i.get("presentationHint") for i in nothing], ["invalid"] * 4)
    c.refused("disassemble", "at most", memoryReference=at, instructionCount=10**9)
    # By instruction, over a call and into it.
    c.lines("middle calls again")
    c.go()
    for command, function in (("next", "middle"), ("stepIn", "leaf")):
        for _ in range(8):
            c.go(command, granularity="instruction")
            if c.frames()[0]["name"] != "middle":
                break
        equal("%s by instruction" % command, c.frames()[0]["name"], function)
        c.go("reverseContinue")
    # By cycle.
    cycle = int(c.scope("Pipeline")["cycle"]["value"].replace(",", ""))
    c.go("cyclops/stepCycles", cycles=7)
    now = int(c.scope("Pipeline")["cycle"]["value"].replace(",", ""))
    check("seven cycles on", now - cycle in (6, 7), (cycle, now))
    c.go("cyclops/stepCycles", cycles=-7)
    equal("and back", int(c.scope("Pipeline")["cycle"]["value"].replace(",", "")), now - 7)
    c.refused("cyclops/stepCycles", "expected", cycles=0)
    c.close()


# ---- our own commands ----
def console():
    c = Client()
    c.launch(stopOnEntry=True, commands=["set print elements 4"])
    c.stopped()
    has("why", c.value("why", context="repl"), "#")
    has("a view", c.value("view rob", context="repl"), "state")
    c.refused("evaluate", "no view", expression="view nothing", context="repl")
    answer = c.body("evaluate", expression="step 100", context="repl")
    has("one that moves", answer["result"], "100 cycles")
    equal("is told", c.event("stopped")["reason"], "goto")
    targets = c.body("completions", text="reverse-c", column=10)["targets"]
    check("completion", "reverse-continue" in [t["label"].strip() for t in targets], targets)
    c.go("next")
    c.close()


# ---- what docs/dap.md shows ----
def documented():
    with open("docs/dap.md", encoding="utf-8") as file:
        text = file.read()
    package, settings = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text,
        re.S)]
    debugger = package["contributes"]["debuggers"][0]
    equal("the extension begins the adapter", (debugger["program"], debugger["args"]),
        ("cyclops", ["dap"]))
    launch, attach = settings["configurations"]
    equal("types agree", {launch["type"], attach["type"]}, {debugger["type"]})
    c = Client()
    arguments = {k: v.replace("${workspaceFolder}/prog", os.path.abspath(GUEST)).replace(
        "${workspaceFolder}", os.getcwd()) if isinstance(v, str) else v for k, v in launch.items()}
    c.body("launch", **arguments)
    c.event("initialized")
    c.body("configurationDone")
    equal("it launches", c.stopped(), ("entry", "main begins"))
    has("the machine that it asks for", c.value("show pipe.decode_width", context="repl") or "",
        "6")
    for command in re.findall(r"```\n(why.*?)```", text, re.S)[0].split("\n")[:-1]:
        check("the console takes: " + command, c.ask("evaluate", expression=command,
            context="repl")["success"])
    with open("ui/dap/session.c", encoding="ascii") as file:
        taken = set(re.findall(r'"(\w+)"', file.read()))
    for name in re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \|", text, re.M):
        check("launch takes %r" % (name,), all(n in taken for n in name if n))
    c.close()


for part in [globals()[n] for n in sys.argv[1:]] or (basics, places, breakpoints, data, values,
        code, console, exceptions, running, launching, threads, copies, steps_meet_breakpoints,
        documented):
    try:
        part()
    except Gone as e:
        check("%s: the adapter is there" % part.__name__, False, str(e))
finish()
