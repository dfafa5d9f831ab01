# Peers that are no editors: half messages, wrong and huge lengths, invalid UTF-8, wrong types,
# unknown requests; editors that leave in the middle of a motion; listeners; sessions to attach to.
# And random requests from a grammar, each of which must get an answer.
import random
import signal
import sys
import tempfile

from kit import *

sys.path.insert(0, "tests")
from listener import Listener

signal.signal(signal.SIGINT, signal.SIG_DFL)


class Server(Listener):
    def __init__(self, *args):
        super().__init__("dap", b"waiting for an editor", *args)


def framed(body, length=None):
    return b"Content-Length: %d\r\n\r\n%s" % (len(body) if length is None else length, body)


# ---- listeners, and permissions of peers ----
def listening(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path)
    check("it says where", path.encode() in server.said, server.said)
    check("a socket of ours alone", os.stat(path).st_mode & 0o777 == 0o600)
    for _ in range(2):
        c = Client(where=path)
        c.launch(stopOnEntry=True)
        equal("each editor launches its own", c.stopped()[1], "main begins")
        has("and has all commands", c.value("shell echo hello", context="repl"), "hello")
        c.close()
    c = Client(where=path)
    c.body("disconnect", terminateDebuggee=True)
    status, out, err = server.end(None)
    check("an editor ends it", status == 0 and not os.path.exists(path), (status, err))

    server = Server("--listen", "0", GUEST)
    port = int(re.search(rb"127\.0\.0\.1:(\d+)", server.said)[1])
    check("no warning for this computer alone", b"warning" not in server.said, server.said)
    c = Client(where=("127.0.0.1", port))
    c.body("attach")
    c.event("initialized")
    c.lines("leaf")
    c.body("configurationDone")
    equal("attached, where it is", c.stopped()[0], "pause")
    equal("it goes on", c.go(), ("breakpoint", "leaf"))
    c.refused("evaluate", "TCP port may not", expression="shell id", context="repl")
    c.refused("evaluate", "TCP port may not", expression="source /etc/passwd", context="repl")
    # No value that would end every later run.
    for value in ("values.modules = results", "values.modules = nosuch.lua", "sim.memory = 1M",
        "bpred.kind = external", "l1d.prefetch = external"):
        c.refused("evaluate", "can't change in a session|needs|no plug-in",
            expression="set " + value, context="repl")
    c.close()
    c = Client(where=("127.0.0.1", port))
    c.body("attach")
    c.body("configurationDone")
    equal("the session outlives its editors", (c.stopped()[0], c.frames()[0]["name"]),
        ("pause", "leaf"))
    equal("but not their breakpoints", c.go("reverseContinue")[0], "step")
    c.ask("restart")
    c.body("launch", program="/etc/passwd", args=["x"], stopOnEntry=True)
    has("another program is not launched silently", "".join(c.outputs),
        "this adapter debugs .*; ignored: program /etc/passwd, args$")
    c.body("configurationDone")
    c.close()
    for same in (GUEST, os.path.realpath(GUEST)):
        c = Client(where=("127.0.0.1", port))
        c.body("launch", program=same, stopOnEntry=True)
        check("the same is no other", not re.search("ignored", "".join(c.outputs)), c.outputs)
        c.close()
    server.end()

    server = Server("--rw", "--listen", "0", GUEST)
    check("--rw at a port is", b"warning: --rw" in server.said, server.said)
    server.end()
    server = Server("--listen", "0")
    c = Client(where=("127.0.0.1", int(re.search(rb":(\d+)", server.said)[1])))
    c.refused("launch", "TCP", program=GUEST)
    c.refused("attach", "no session")
    c.close()
    status, out, err = server.end()
    check("Ctrl-C ends it", status == 0, (status, err))
    server = Server("--listen", "0.0.0.0:0", GUEST)
    check("others are warned about", b"warning" in server.said, server.said)
    token = re.search(rb'"token": "([0-9a-f]{32})"', server.said)[1].decode()
    where = ("127.0.0.1", int(re.search(rb"0\.0\.0\.0:(\d+)", server.said)[1]))
    c = Client(where=where)
    for command in REQUESTS + ["configurationDone", "restart", "terminate", "continue",
        "reverseContinue", "loadedSources", "modules"]:
        check("without a token: " + command, not c.ask(command, threadId=1000,
            expression="monitor", text="s", column=1)["success"] or command == "cancel")
    for wrong in (None, "", token[:-1], token + "0", token.upper() + "G", "0" * 32, 5, [token]):
        for command in ("attach", "launch"):
            c.refused(command, "expected \"token\"", program=GUEST, token=wrong)
    c.refused("threads", "token first")
    c.body("disconnect", terminateDebuggee=True)
    c.close()
    c = Client(where=where)
    c.body("attach", token=token)
    c.body("configurationDone")
    equal("with the token", c.stopped()[0], "pause")
    c.close()
    c = Client(where=where)
    c.refused("threads", "token first")
    c.close()
    server.end()
    for words in ([GUEST], ["--listen", "nonsense"], ["--nothing"], ["--listen", "0", "/nowhere"]):
        server = Server(*words)
        check("no: " + " ".join(words), server.end(None)[0] == 125
            and server.said.startswith(b"cyclops: "), server.said)


# ---- damage ----
def damage(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST)
    # A connection that is ended gets the reason, and the next one is served.
    for raw, why in (
        (b"Content-Length: 4294967296\r\n\r\n", "4 MiB"),
        (b"Content-Length: 5000000\r\n\r\n", "4 MiB"),
        (b"Content-Length: 2\r\nHost: 127.0.0.1\r\n\r\n{}", "no other"),
        (b"Content-Length: 2\r\nOrigin: null\r\n\r\n{}", "no other"),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "one field"),
        (b"Content-Length: 2\r\n" + b"x" * 3000, "empty line"),
        (b"Content-Length: 2\r\n" + b"\xff\x00" * 2000, "empty line"),
    ):
        c = Client(where=path, ready=False)
        c.raw(raw)
        has("%.30r" % raw, c.event("output")["output"], why)
        try:
            c.receive()
            check("and the connection ends", False)
        except Gone:
            check("and the connection ends", True)
        c.socket.close()
    # A connection that does not begin like an editor is no peer.
    good = framed(b'{"seq": 1, "type": "request", "command": "initialize"}')
    for raw in (b"GET / HTTP/1.0\r\n\r\n", b"POST / HTTP/1.1\r\n" + good + good,
        b"Content-Length: x\r\n\r\n{}", b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: \r\n\r\n{}", b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Lengths: 5\r\n\r\n", b"Host: x\r\n" + good, b"\r\n" + good, b"x" * 3000,
        b"Content-Length: " + b" " * 3000, b"\xff\x00" * 2000):
        c = Client(where=path, ready=False)
        c.raw(raw)
        try:
            check("%.30r is refused without a word" % raw, False, c.receive())
        except Gone:
            check("%.30r" % raw, True)
        c.socket.close()
    # An invalid request is answered with its seq or, if that cannot be read, with 0.
    c = Client(where=path)
    valid = b'"seq": 70, "type": "request", "command": "evaluate"'
    for body, seq, command, why in (
        (b"", 0, "", "unreadable"), (b"{", 0, "", "unreadable"), (b"\x00", 0, "", "unreadable"),
        (b"[]", 0, "", "an object|JSON object"), (b"5", 0, "", "unreadable|JSON object"),
        (b"null", 0, "", "unreadable|JSON object"), (b'"x"', 0, "", "unreadable|JSON object"),
        (b"[" * 100000, 0, "", "depth"), (b'{"a":' * 5000, 0, "", "depth"),
        (b"{}", 0, "", '"type": "request"'), (b'{"seq": 61}', 61, "", '"type": "request"'),
        (b'{"seq": 62, "type": 5, "command": "threads"}', 62, "threads", '"type": "request"'),
        (b'{"seq": "1", "type": "request", "command": "threads"}', 0, "threads", '"seq"'),
        (b'{"seq": 1.5, "type": "request", "command": "threads"}', 0, "threads", '"seq"'),
        (b'{"type": "request", "command": "threads"}', 0, "threads", '"seq"'),
        (b'{"seq": 63, "type": "request"}', 63, "", '"command"'),
        (b'{"seq": -64, "type": "request", "command": 7}', -64, "", '"command"'),
        (b'{"seq": 1e999}', 0, "", "unreadable"),
        (b'{"seq": 99999999999999999999, "command": "threads"}', 0, "threads", "too big"),
        (b'{"seq": 65, "seq": 66}', 65, "", "duplicate"),
        (b'{"a": {"seq": 5}, "b": "seq", "c": [{"seq": 6}], "seq" :\n67, "d": "\xff\xfe"}', 67, "",
            "decode byte"),
        (b'{%s, "arguments": {"expression": "\\u0000"}}' % valid, 70, "evaluate",
            r"without \\u0000"),
        (b'{"arguments": {"seq": 5, "expression": "\\"\\u0000"}, %s}' % valid, 70, "evaluate",
            r"without \\u0000"),
        (b'{"arguments": {"\\u0000": 1}, %s}' % valid, 70, "evaluate", "unreadable"),
        (b'{%s, "arguments": {"expression": "\\ud800"}}' % valid, 70, "evaluate", "unreadable"),
        (b'{%s, "arguments": {"expression": "\xc0\x80"}}' % valid, 70, "evaluate", "decode byte"),
        (b'{%s, "arguments": {"frameId": 1e400}}' % valid, 70, "evaluate", "unreadable"),
        (b'{%s, "arguments": {"frameId": 9%s}}' % (valid, b"9" * 40), 70, "evaluate", "too big"),
        (b'{%s, "arguments": %s}' % (valid, b"[" * 3000), 70, "evaluate", "depth"),
        (b'{%s, "arguments": {"expression": "half' % valid, 70, "evaluate", "unreadable"),
        (b'{%s, "command": "half' % valid.replace(b'"command": "evaluate"', b'"x": 1'), 70, "half",
            "unreadable")):
        c.raw(framed(body))
        answer = c.answer(seq)
        equal("%.40r is refused" % body, (answer["success"], answer["command"]), (False, command))
        has("%.40r: why" % body, answer["message"], why)
        check("and the next is answered", c.ask("threads")["success"])
    for body in (b'{"seq": 1, "type": "response"}', b'{"seq": 1, "type": "event", "event": "x"}'):
        c.raw(framed(body))
        has("%r has no answer, and is reported" % body, c.event("output")["output"], "no request")
    c.raw(b"content-length:  %d \r\nContent-Type: x\r\n\r\n%s" % (55,
        b'{"seq": 900, "type": "request", "command": "threads"}   '[:55]))
    check("a header as others write it", c.answer(900)["success"])
    c.refused("nonsense", "no request")
    c.refused("x" * 100000, "no request")
    c.refused("\u00e4\U0001f441", "no request")
    c.raw(framed(b'{"seq": 901, "type": "request", "command": "threads", "arguments": []}'))
    check("arguments that are none", not c.answer(901)["success"])
    c.body("attach")
    c.body("configurationDone")
    c.stopped()
    for command in REQUESTS:
        for arguments in ({}, {"frameId": -1}, {"frameId": 1 << 40}, {"variablesReference": -1},
            {"variablesReference": 1 << 62, "name": "x", "value": "1"}, {"breakpoints": 5},
            {"breakpoints": [5, None, [], {}]}, {"source": 7, "breakpoints": [{}]},
                          {"source": {"path": ""}, "breakpoints": [{"line": -1}, {"line": "x"},
                              {"line": 1 << 60}]}, {"expression": 5}, {"expression": "(" * 5000},
                              {"threadId": "x"}, {"threadId": -1},
                          {"memoryReference": "0xffffffffffffffff", "count": 100,
                              "instructionCount": 5, "offset": 1 << 62, "instructionOffset": -5,
                              "data": "AAAA"}, {"memoryReference": "0x" + "f" * 40}, {"count": -1},
                              {"filters": [1, "x"]},
                          {"filters": 5, "filterOptions": 7},
                              {"filterOptions": [{"filterId": "signals",
                              "condition": "1; shell id"}]}, {"text": "x" * 10000, "column": -5},
                              {"cycles": "x"}, {"name": "x" * 10000, "frameId": 0},
                              {"levels": -1, "startFrame": 1 << 62}):
            seq = c.send(command, **arguments)
            check("%s %.60r is answered" % (command, arguments),
                c.answer(seq)["type"] == "response")
    c.close()
    # Half messages, and peers that leave in the middle.
    for half in (b"C", b"Content-Length: 100\r\n", b"Content-Length: 100\r\n\r\n{",
            framed(b"{}", 50), framed(b'{"seq": 1, "type": "request", "command": "threads"}')
            + b"Con"):
        c = Client(where=path, ready=False)
        c.raw(half)
        c.socket.close()
    c = Client(where=path)
    check("half messages", c.ask("threads")["success"])
    # In pieces, and many at once.
    for byte in framed(b'{"seq": 5000, "type": "request", "command": "threads"}'):
        c.raw(bytes([byte]))
    check("byte by byte", c.answer(5000)["success"])
    c.raw(b"".join(framed(b'{"seq": %d, "type": "request", "command": "threads"}' % n)
        for n in range(6000, 6400)))
    check("many at once", all(c.answer(n)["success"] for n in range(6000, 6400)))
    c.close()
    check("it ends", server.end()[0] == 0)


# ---- peers that leave in a motion ----
def going(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST, "spin")
    for motion in ("continue", "next", "reverseContinue", "stepBack"):
        c = Client(where=path)
        c.body("attach")
        c.body("configurationDone")
        c.stopped()
        if motion == "next":
            c.body("setFunctionBreakpoints", breakpoints=[{"name": "spin"}])
            c.go("reverseContinue")
            c.body("setFunctionBreakpoints", breakpoints=[])
        if motion == "reverseContinue":
            info = c.body("dataBreakpointInfo", name="table[7]")
            c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        c.send(motion, threadId=1000)
        time.sleep(0.4)
        c.socket.close()
    c = Client(where=path)
    c.body("attach")
    c.body("configurationDone")
    equal("editors that have gone", c.stopped()[0], "pause")
    c.send("continue", threadId=1000)
    for n in range(60):
        c.send("threads")
    c.send("disconnect")
    check("disconnect in a motion", c.answer(c.seq)["success"])
    c.socket.close()
    c = Client(where=path)
    c.body("attach")
    c.body("configurationDone")
    c.stopped()
    c.send("continue", threadId=1000)
    server.moves()
    c.body("pause", threadId=1000)
    equal("pause", c.event("stopped")["reason"], "pause")
    c.send("evaluate", expression="continue", context="repl")
    server.moves()
    c.send("cancel")
    check("a command is cancelled", c.answer(c.seq - 1) is not None and c.answer(c.seq)["success"])
    equal("where it stopped", c.event("stopped")["reason"], "goto")
    c.body("continue", threadId=1000)
    server.moves()
    server.process.send_signal(signal.SIGINT)
    equal("Ctrl-C at the adapter", c.event("stopped")["reason"], "pause")
    c.body("threads")
    c.close()
    check("it ends", server.end()[0] == 0)
    # One Ctrl-C is enough at any moment of a motion whose editor leaves.
    for moment in range(8):
        server = Server("--listen", "unix:" + path, GUEST, "spin")
        c = Client(where=path)
        c.body("attach")
        c.body("configurationDone")
        c.stopped()
        c.send("continue", threadId=1000)
        time.sleep(moment // 2 * 0.002)
        if moment % 2:
            c.socket.close()
        server.process.send_signal(signal.SIGINT)
        c.socket.close()
        check("moment %d: it ends" % moment, server.end(None)[0] == 0)
    # On a pipe, the end of input ends it.
    for stage in range(3):
        c = Client()
        if stage:
            c.launch("spin", stopOnEntry=stage == 2)
        if stage == 2:
            c.stopped()
            c.send("reverseContinue", threadId=1000)
        c.process.stdin.close()
        check("its input's end ends it", c.process.wait(PATIENCE) == 0)
        c.process.stdout.close()
        c.process.stderr.close()


# ---- requests at random ----
REQUESTS = ["threads", "stackTrace", "scopes", "variables", "evaluate", "setVariable",
    "setExpression", "completions", "readMemory", "writeMemory", "disassemble", "setBreakpoints",
    "breakpointLocations", "setFunctionBreakpoints",
            "setInstructionBreakpoints", "dataBreakpointInfo", "setDataBreakpoints",
                "setExceptionBreakpoints", "exceptionInfo", "next", "stepIn", "stepOut", "stepBack",
                "cyclops/stepCycles", "cyclops/reverseFinish", "pause", "cancel"]
EXPRESSIONS = ["a", "table", "*head", "head->next", "$sp", "$pc", "text", "watched = 5", "global++",
    "rob.count", "1 +", "mem64($sp)", "nowhere", "table[3]", "*(int *)0", "&main", "$a0 = 7"]
COMMANDS = ["why", "view rob", "goto 5000", "step 3", "reverse-step 2", "bt", "x/4x $sp",
    "info locals", "nothing", "p watched", "delete", "set a0 = 3"]


def terms(r):
    out = {}
    if r.random() < 0.3:
        out["condition"] = r.choice(["i == 3", "watched > 4", "a ==", "1", "nowhere", "global = 9"])
    if r.random() < 0.3:
        out["hitCondition"] = r.choice(["2", ">= 3", "% 2", "x", ""])
    if r.random() < 0.2:
        out["logMessage"] = r.choice(["{watched}", "{", "}", "{{}}", "{nowhere} {1/0}", "plain"])
    return out


def request(r, c):
    """A command with arguments that may be valid here."""
    frame = r.choice([0, 1, 2, 3, 4, r.getrandbits(12)])
    address = r.choice(["0x10", "0x75000", "0x3ffffffc00", "0x%x" % r.getrandbits(64), c.pc])
    kind = r.choice(REQUESTS + ["continue", "reverseContinue", "restart"])
    some = {
        "stackTrace": lambda: {"threadId": r.choice([1000, 1000, 1001]),
            "startFrame": r.randrange(3), "levels": r.randrange(4)},
        "scopes": lambda: {"frameId": frame},
        "variables": lambda: {"variablesReference": c.reference + r.randrange(-20, 10),
            "start": r.randrange(9), "count": r.randrange(9),
            **r.choice([{}, {}, {"filter": r.choice(["named", "indexed"])}])},
        "evaluate": lambda: r.choice([{"expression": r.choice(EXPRESSIONS), "frameId": frame,
            "context": r.choice(["hover", "watch", "repl"])}, {"expression": r.choice(COMMANDS),
            "context": "repl"}]),
        "setVariable": lambda: {"variablesReference": c.reference + r.randrange(-20, 10),
            "name": r.choice(["a", "i", "a0", "value", "[2]", "*(n)"]),
            "value": r.choice(["5", "-1", "x", "0x1234", "a"])},
        "setExpression": lambda: {"expression": r.choice(EXPRESSIONS),
            "value": r.choice(["5", "(", "watched"]), "frameId": frame},
        "completions": lambda: {"text": r.choice(["rev", "p wat", "", "x"]),
            "column": r.randrange(8)},
        "readMemory": lambda: {"memoryReference": address, "count": r.choice([0, 8, 5000, 1 << 40]),
            "offset": r.randrange(-9, 9)},
        "writeMemory": lambda: {"memoryReference": address,
            "data": r.choice(["", "AAAA", "AQ==", "*"])},
        "disassemble": lambda: {"memoryReference": address, "instructionOffset": r.randrange(-50,
            50), "instructionCount": r.choice([0, 1, 20, 300])},
        "setBreakpoints": lambda: {"source": {"path": r.choice([SOURCE, "guest.c", "/x/none.c"])},
            "breakpoints": [{"line": r.randrange(20, 125), **terms(r)}
            for _ in range(r.randrange(4))]},
        "breakpointLocations": lambda: {"source": {"path": SOURCE}, "line": r.randrange(140),
            "endLine": r.randrange(140)},
        "setFunctionBreakpoints": lambda: {
            "breakpoints": [{"name": r.choice(["leaf", "reads", "list", "nothing", "no_such",
            "*0x10", ""]), **terms(r)} for _ in range(r.randrange(3))]},
        "setInstructionBreakpoints": lambda: {
            "breakpoints": [{"instructionReference": address, "offset": 2 * r.randrange(-9, 9),
            **terms(r)} for _ in range(r.randrange(3))]},
        "dataBreakpointInfo": lambda: {"name": r.choice(EXPRESSIONS), "frameId": frame,
            "bytes": r.choice([0, 1, 8, 1 << 30])},
        "setDataBreakpoints": lambda: {
            "breakpoints": [{"dataId": "%s/%d" % (address, r.choice([0, 4, 5000])),
            "accessType": r.choice(["read", "write", "readWrite"]), **terms(r)}
            for _ in range(r.randrange(2))]},
        "setExceptionBreakpoints": lambda: {
            "filters": r.choice([[], [], ["mispredictions"], ["signals", "l2_misses"]])},
        "cyclops/stepCycles": lambda: {"cycles": r.choice([1, 5, 300, -1, -40, 0, -(1 << 63),
            (1 << 63) - 1])},
    }
    out = some[kind]() if kind in some else {"threadId": 1000}
    if kind == "cyclops/stepCycles" and out["cycles"] > 1000:
        out = {"cycles": 1000}
    if kind in ("next", "stepIn", "stepOut", "stepBack"):
        out["granularity"] = r.choice(["statement", "line", "instruction"])
    if r.random() < 0.05 and out:
        out[r.choice(list(out))] = r.choice([None, 0, -1, "x", [], {}, 1 << 62, 1.5])
    return kind, out


def at_random(folder, seed, requests):
    path = folder + "/socket"
    r = random.Random(seed)
    server = Server("--listen", "unix:" + path, GUEST)
    c, trace, n = None, [], 0
    try:
        while n < requests:
            if c is None or n % 100 == 99:
                if c is not None:
                    c.socket.close()
                c = Client(where=path)
                c.pc = "0x10574"
                c.reference = 20
                c.ask("launch", stopOnEntry=True)
                c.ask("configurationDone")
            command, arguments = request(r, c)
            trace.append((command, arguments))
            answer = c.ask(command, **arguments)
            if command == "stackTrace" and answer["success"] and answer["body"]["stackFrames"]:
                c.pc = answer["body"]["stackFrames"][0]["instructionPointerReference"]
            if command == "scopes" and answer["success"]:
                c.reference = answer["body"]["scopes"][-1]["variablesReference"]
            n += 1
        check("seed %d: it still answers" % seed, c.ask("threads")["success"])
    except (Gone, KeyError) as e:
        check("seed %d: request %d is answered" % (seed, n), False, (str(e), trace[-6:]))
    status, out, err = server.end()
    check("seed %d: it ends" % seed, status is not None and b"runtime error" not in err
        and b"Sanitizer" not in err, (status, err[-600:]))


SCALE = {"small": (1, 300), "full": (3, 600),
    "long": (200, 3000)}[os.environ.get("CYCLOPS_TEST_SCALE", "full")]
with tempfile.TemporaryDirectory() as place:
    try:
        if len(sys.argv) > 1 and sys.argv[1].isdigit():
            at_random(place, int(sys.argv[1]), SCALE[1])
        else:
            for part in [globals()[n] for n in sys.argv[1:]] or (listening, damage, going):
                part(place)
            for one in range(0 if sys.argv[1:] else SCALE[0]):
                at_random(place, one, SCALE[1])
    except Gone as e:
        check("the adapter is there", False, str(e))
finish()
