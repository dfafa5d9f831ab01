# Common parts of tests of `cyclops dap`: a raw client of the protocol, and counting.
import json
import os
import re
import socket
import subprocess
import sys
import time

CYCLOPS = os.environ.get("CYCLOPS", "build/cyclops")
GUEST = "build/tests/gdb/guest"
SOURCE = os.path.abspath("tests/gdb/guest.c")
PATIENCE = 60
passed = failed = 0

marks = {}
with open("tests/gdb/guest.c", encoding="ascii") as file:
    for number, line in enumerate(file, 1):
        found = re.search(r"/\* mark: (.*) \*/", line)
        if found:
            marks[found[1]] = number


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAIL: %s: %r" % (what, seen))


def equal(what, got, want):
    check(what, got == want, "%r, expected %r" % (got, want))


def has(what, text, pattern):
    check(what, re.search(pattern, text or ""), "%r lacks %r" % (text, pattern))


class Gone(Exception):
    pass


class Client:
    """An editor. Events that precede the awaited message stay in `events`."""

    def __init__(self, *args, where=None, ready=True):
        self.process = None
        if where is None:
            self.process = subprocess.Popen([CYCLOPS, "dap", *args], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.send_bytes, self.take_bytes = self.write_pipe, self.process.stdout.read1
        else:
            self.socket = socket.socket(socket.AF_UNIX if isinstance(where, str)
                else socket.AF_INET)
            self.socket.setblocking(isinstance(where, tuple))
            for _ in range(600):
                try:
                    self.socket.connect(where)
                    break
                except BlockingIOError:  # as many wait to be served as may
                    time.sleep(0.1)
            self.socket.settimeout(PATIENCE)
            self.send_bytes, self.take_bytes = self.socket.sendall, self.socket.recv
        self.bytes = b""
        self.seq = 0
        self.events = []
        self.outputs = []
        if ready:
            self.can = self.ask("initialize", adapterID="cyclops", linesStartAt1=True,
                columnsStartAt1=True, pathFormat="path")["body"]

    def write_pipe(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def raw(self, data):
        try:
            self.send_bytes(data)
        except OSError as e:
            raise Gone(str(e))

    def send(self, command, **arguments):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments:
            message["arguments"] = arguments
        text = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        return self.seq

    def receive(self):
        while True:
            found = re.match(rb"Content-Length: (\d+)\r\n\r\n", self.bytes)
            if found and len(self.bytes) >= found.end() + int(found[1]):
                end = found.end() + int(found[1])
                message = json.loads(self.bytes[found.end() : end])
                self.bytes = self.bytes[end:]
                if message.get("event") == "output":
                    self.outputs.append(message["body"]["output"])
                return message
            try:
                more = self.take_bytes(65536)
            except OSError as e:
                raise Gone(str(e))
            if not more:
                raise Gone("closed")
            self.bytes += more

    def answer(self, seq):
        while True:
            message = self.receive()
            if message["type"] == "response" and message["request_seq"] == seq:
                return message
            if message["type"] == "event":
                self.events.append(message)

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def body(self, command, **arguments):
        """The answer of a request that must succeed."""
        answer = self.ask(command, **arguments)
        if not answer["success"]:
            check("%s %r" % (command, arguments), False, answer.get("message"))
            return {}
        return answer.get("body", {})

    def refused(self, command, pattern, **arguments):
        answer = self.ask(command, **arguments)
        check("%s is refused: %r" % (command, arguments), not answer["success"], answer)
        has("and says why", answer.get("message"), pattern)

    def event(self, name):
        for i, event in enumerate(self.events):
            if event["event"] == name:
                del self.events[: i + 1]
                return event.get("body", {})
        while True:
            message = self.receive()
            if message["type"] == "event" and message["event"] == name:
                self.events = []
                return message.get("body", {})
            if message["type"] == "event" and message[
                    "event"] == "terminated" and name == "stopped":
                raise Gone("the program has ended where it was to stop")
            self.events.append(message)

    # ---- sessions ----
    def launch(self, *args, program=GUEST, before=None, **more):
        answer = self.ask("launch", program=program, args=list(args), **more)
        if not answer["success"]:
            check("launch", False, answer)
            raise Gone("launch")
        self.event("initialized")
        if before:
            before(self)
        self.body("configurationDone")
        return self

    def lines(self, *names, **terms):
        answer = self.body("setBreakpoints", source={"path": SOURCE},
            breakpoints=[{"line": marks[n], **terms} for n in names])
        return answer["breakpoints"]

    def go(self, command="continue", **arguments):
        """A motion, and how it stopped: reason and mark or function and line."""
        self.body(command, threadId=1000, **arguments)
        return self.stopped()

    def stopped(self):
        self.stop = self.event("stopped")
        return self.stop["reason"], self.here()

    def frames(self, **more):
        return self.body("stackTrace", threadId=self.stop["threadId"], **more)["stackFrames"]

    def here(self):
        top = self.frames(levels=1)[0]
        names = [n for n, l in marks.items() if l == top["line"]]
        return names[0] if names and top.get("source", {}).get("name") == "guest.c" else "%s:%d" % (
            top["name"], top["line"])

    def scope(self, name, level=0):
        frame = self.frames()[level]["id"]
        scopes = self.body("scopes", frameId=frame)["scopes"]
        reference = [s["variablesReference"] for s in scopes if s["name"] == name][0]
        return {v["name"]: v for v in self.body("variables",
            variablesReference=reference)["variables"]}

    def value(self, expression, level=0, **more):
        return self.body("evaluate", expression=expression, frameId=self.frames()[level]["id"],
            **more).get("result")

    def close(self):
        try:
            self.ask("disconnect")
        except Gone:
            pass
        if not self.process:
            self.socket.close()
            return None
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return None
        check("the adapter ends well", self.process.returncode == 0 and b"runtime error" not in err
            and b"Sanitizer" not in err, (self.process.returncode, err[-600:]))
        return self.process.returncode


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)
