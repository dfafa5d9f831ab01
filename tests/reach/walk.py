# All commands of the program, found in its own tables, each with files that lie outside: through
# gdb's `monitor`, an editor's console, completions and other requests, and a script under
# --lua-safe. strace reports what was opened, looked at or changed: nothing outside. First the same
# judge watches peers that may, and must notice each of them.
import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests", "tests/dap"]
from checks import check, finish
from kit import Client, Gone
from listener import CYCLOPS, PATIENCE

TOP = os.getcwd()
CYCLOPS = os.path.abspath(CYCLOPS)


# ---- the test's folders: names outside the tree occur nowhere else ----
MARK, LINK = "outside-mark", "way-out"
NEEDLES = (MARK, LINK, '/proc/self/environ"', '"environ"', '/dev/full"', '"full"')
KINDS = ("txt", "lua", "mic", "cyc", "checkpoint", "elf", "cct", "c", "s")


class Place:
    def __init__(self, folder):
        self.tree, self.outside = folder + "/tree", folder + "/" + MARK
        os.mkdir(self.tree)
        os.mkdir(self.outside)
        self.guest = self.tree + "/guest"
        shutil.copy("build/tests/reach/guest", self.guest)
        for kind in KINDS:
            with open("%s/secret.%s" % (self.outside, kind), "w") as file:
                file.write("echo a secret\n")
        # Its source is found within, and one of the same name lies outside.
        os.makedirs(self.tree + "/tests/gdb")
        for folder in (self.tree + "/tests/gdb", self.outside):
            shutil.copy("tests/gdb/guest.c", folder)
        os.symlink("../%s/secret.txt" % MARK, self.tree + "/" + LINK)
        os.symlink("../" + MARK, self.tree + "/" + LINK + "-folder")
        self.whole = (self.outside + "/secret.txt", self.outside + "/secret.lua")
        self.paths = self.whole + ("../%s/secret.txt" % MARK, LINK, LINK + "-folder/secret.lua",
            "/proc/self/root%s/secret.mic" % self.outside, "/proc/self/environ", "/dev/full",
            self.outside + "/new")
        self.before = self.digest()

    def digest(self):
        """Names and bytes of all there is."""
        out = {}
        for folder, names, files in os.walk(os.path.dirname(self.tree)):
            for name in names + files:
                path = os.path.join(folder, name)
                if not path.endswith(".strace"):
                    whole = os.path.isfile(path) and not os.path.islink(path)
                    out[path] = open(path, "rb").read() if whole else None
        return out


class Traced:
    """A process whose system calls on files are recorded."""

    def __init__(self, place, name, words, **how):
        self.log = "%s/%s.strace" % (os.path.dirname(place.tree), name)
        self.seen = 0
        open(self.log, "w").close()
        self.process = subprocess.Popen(["strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file",
            "--seccomp-bpf", "-o", self.log, CYCLOPS, *words], cwd=place.tree,
            stderr=subprocess.PIPE, **how)

        atexit.register(self.end)

    def listening(self, waits):
        said = b""
        while waits not in said:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("no server: %r" % said)
            said += line
        found = re.search(rb"127\.0\.0\.1:(\d+)", said)
        return ("127.0.0.1", int(found[1])) if found else None

    def outside(self):
        """Its accesses outside since the last call: lines of the log."""
        with open(self.log, errors="replace") as file:
            file.seek(self.seen)
            text = file.read()
        whole = text.rfind("\n") + 1
        self.seen += len(text[:whole].encode(errors="replace"))
        # The first call is the command line's.
        return [line for line in text[:whole].split("\n") if any(n in line for n in NEEDLES)
            and "execve(" + '"' + CYCLOPS not in line]

    def end(self):
        """Also of a server that a failed test leaves."""
        if self.process.poll() is not None:
            return
        with open("/proc/%d/task/%d/children" % ((self.process.pid,) * 2)) as file:
            for child in file.read().split():
                os.kill(int(child), signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check("it ends", False)


# ---- inputs: from the program's own tables ----
def tables(place):
    def said(*lines):
        words = [w for line in lines for w in ("-e", line)]
        return subprocess.run([CYCLOPS, "--no-init", "--batch", *words, place.guest],
            capture_output=True, text=True, cwd=place.tree).stdout

    commands = re.findall(r"^  ([a-z][a-z-]*) ", said("help"), re.M)
    views = re.findall(r"^ *([a-z][a-z0-9-]*) {2,}", said("view"), re.M)
    parameters = re.findall(r"^ *([a-z0-9_]+\.[a-z0-9_.]+) ", said("config"), re.M)
    check("the table of commands", len(commands) > 80 and {"source", "save", "view", "cop"} <= set(
        commands), commands)
    check("the table of views", len(views) > 40 and {"rob", "cct"} <= set(views), views)
    check("the table of parameters", len(parameters) > 80, parameters)
    return commands, views, parameters


def first_words(client, command):
    targets = client.body("completions", text=command + " ", column=len(command) + 2)["targets"]
    return [t["label"] for t in targets]


def lines(place, client):
    """Every command with every path; every first word of its, as completion has them, with some."""
    commands, views, parameters = tables(place)
    words = {c: first_words(client, c) for c in commands}
    words["view"] = sorted(set(words["view"]) | set(views))
    words["set"] = sorted(set(words["set"]) | set(parameters))
    check("words of commands", sum(map(len, words.values())) > 300, words)
    for command in commands:
        if command == "quit":
            continue
        for path in place.paths:
            for form in ("%s %s", "%s < %s", "%s > %s", "%s of %s", "%s cat %s", '%s "%s"',
                    "%s m:load('%s')", "%s %s:1", "%s $_siginfo %s"):
                yield form % (command, path)
        for word in words[command]:
            for path in place.whole[1:] + ("../%s/secret.txt" % MARK,):
                for form in ("%s %s %s", "%s %s of %s", "%s %s = %s"):
                    yield form % (command, word, path)
    for view in views:
        yield "%s of %s" % (view, place.whole[0])
    for line in ("run", "starti", "goto 3000", "view cct", "backtrace"):
        yield line


# ---- peers ----
class Gdb:
    def __init__(self, where):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(where)
        self.bytes = b""
        self.ask("qSupported:error-message+")
        self.ask("QStartNoAckMode")

    def ask(self, payload):
        data = payload.encode()
        self.socket.sendall(b"$%s#%02x" % (data, sum(data) & 255))
        return self.receive()

    def receive(self):
        while True:
            found = re.search(rb"\$([^#]*)#..", self.bytes, re.S)
            if found:
                self.bytes = self.bytes[found.end() :]
                return found[1]
            more = self.socket.recv(65536)
            if not more:
                raise Gone("closed")
            self.bytes += more

    def monitor(self, line):
        answer = self.ask("qRcmd," + line.encode().hex())
        while answer[:1] == b"O" and answer != b"OK":
            answer = self.receive()


def nothing(what, traced, done):
    outside = traced.outside()
    check("%s: %d tried, nothing outside was opened or looked for" % (what, done), not outside,
        "%d calls: %s" % (len(outside), "\n  ".join(outside[:8])))


MACHINE = ["--instrument", "cct", "-o", "cop.enable=true"]


def by_gdb(place, all_lines):
    traced = Traced(place, "gdb", ["gdb", "--rw", "--listen", "0", *MACHINE, "guest"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    peer = Gdb(traced.listening(b"waiting for gdb"))
    # Its own files: those that the guest sees, and no link leads out of these.
    for path in place.paths:
        for n in (path, "/" + path):
            peer.ask("vFile:open:%s,0,0" % n.encode().hex())
            peer.ask("vFile:open:%s,601,1b6" % n.encode().hex())
            for what in ("stat", "readlink", "unlink"):
                peer.ask("vFile:%s:%s" % (what, n.encode().hex()))
            peer.ask("qXfer:exec-file:read:%s:0,fff" % n)
    files = traced.outside()
    inside = [l for l in files if not re.search(r"openat2?\(\d+|newfstatat\(\d+|readlinkat\(\d+", l)]
    check("gdb's files stay in the guest's tree", not inside, inside[:5])
    peer.monitor("goto 3000")
    for done, line in enumerate(all_lines):
        if done % 500 == 499:
            peer.monitor("starti")
            peer.monitor("goto 3000")
        peer.monitor(line)
    nothing("gdb's monitor", traced, len(all_lines))
    traced.end()


def by_editor(place, all_lines):
    traced = Traced(place, "dap", ["dap", "--rw", "--listen", "0", *MACHINE, "guest"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    where = traced.listening(b"waiting for an editor")
    client = Client(where=where)
    client.body("attach")
    client.body("configurationDone")
    done = 0
    for line in all_lines:
        for context in ("repl", "watch") if done % 8 == 0 else ("repl",):
            client.ask("evaluate", expression=line, context=context)
            done += 1
        client.events.clear()
        if done % 500 == 499:
            client.ask("evaluate", expression="starti", context="repl")
    nothing("an editor's console", traced, done)
    done = 0
    for command in sorted({line.split()[0] for line in all_lines}):
        for path in place.paths + (place.outside + "/", "../", LINK + "-folder/"):
            for form in ("%s %s", "%s html %s", "%s load %s", "%s of %s", "%s < %s"):
                text = form % (command, path)
                client.ask("completions", text=text, column=len(text) + 1)
                done += 1
    nothing("completions", traced, done)
    # Every request, with the path as each text argument.
    requests = sorted(set(re.findall(r'\{"([\w/]+)", \w+, (?:ANY_TIME|STANDS|HALTS)',
        "".join(open(TOP + "/ui/dap/" + f).read() for f in os.listdir(TOP + "/ui/dap")
            if f.endswith(".c")))) - {"disconnect", "terminate"})
    check("requests", len(requests) >= 34, requests)
    with open(place.outside + "/guest.c") as file:
        main = 1 + next(i for i, line in enumerate(file) if "main(" in line)
    for request in requests:
        for path in place.paths + (place.outside + "/guest.c",):
            source = {"path": path, "name": path}
            try:
                client.ask(request, program=path, cwd=path, config=path, stdin=path, source=source,
                    expression=path, name=path, value=path, text=path, column=99, dataId=path,
                    memoryReference=path, arguments={"args": [path]}, commands=["source " + path],
                    options=["--config", path], breakpoints=[{"line": main, "name": path,
                    "condition": path, "logMessage": "{%s}" % path, "dataId": path,
                    "instructionReference": path}], line=1, filters=[path])
            except Gone:
                client = Client(where=where)
                client.body("attach")
    nothing("requests", traced, len(requests) * len(place.paths))
    traced.end()


LUA = """
local paths, lines = {}, {}
for line in io_lines "paths" do paths[#paths + 1] = line end
for line in io_lines "lines" do lines[#lines + 1] = line end
local keys = { "program", "config", "stdin", "sysroot", "dir", "dirs", "folder", "firmware", "cop",
	"plugin", "plugins", "values", "instrument", "patches", "microprogram", "source", "sources",
	"file", "path", "output", "stats", "args", "env" }
local done, addresses = 0, {}
-- Where the host has its code, heap and stacks, and a guest has nothing.
local function look(_, ...)
	for i = 1, select("#", ...) do
		local text = tostring((select(i, ...)))
		for digits in text:gmatch "0x(%x+)" do
			if #digits == 12 and digits:find "^[5-7]" then
				addresses[#addresses + 1] = text
			end
		end
	end
end
local function try(f, ...)
	done = done + 1
	look(pcall(f, ...))
end
local function all(objects, self, path)
	for name, f in pairs(objects) do
		if type(f) == "function" and name ~= "close" then
			try(f, path)
			try(f, self, path)
			try(f, self, "html", path)
			try(f, self, { path })
			for _, key in ipairs(keys) do
				try(f, { program = "guest", [key] = path })
				try(f, { program = "guest", [key] = { path } })
				try(f, { program = "guest", [key] = { ["/x"] = path } })
			end
		end
	end
end
try(cyclops.machine, { program = "guest", config = "base.lua" })
local m = cyclops.machine { program = "guest", instrument = "cct" }
for _, path in ipairs(paths) do
	all(cyclops, cyclops, path)
	for _, name in ipairs(METHODS) do
		local ok, f = pcall(function() return m[name] end)
		if ok and type(f) == "function" then
			try(f, m, path)
			try(f, m, "html", path)
			try(f, m, { file = path, path = path })
		end
	end
	for _, f in pairs { require or error, dofile or error, loadfile or error, load or error } do
		try(f, path)
		try(f, (path:gsub("%.lua$", "")))
	end
end
for _, line in ipairs(lines) do
	try(m.cmd, m, line)
end
-- Objects in place of texts: no answer, message or text has an address of the host.
local objects = { {}, print, coroutine.create(print), m, setmetatable({}, { __name = "x" }) }
for _, object in ipairs(objects) do
	all(cyclops, cyclops, object)
	all(string, "%s", object)
	for _, name in ipairs(METHODS) do
		try(function() return m[name], m[object] end)
		try(function() return m[name](m, object) end)
	end
	for _, format in ipairs { "%s", "%p", "%-20p", "\0%p", "%20s" } do
		try(string.format, format, object)
	end
	try(tostring, object)
	try(error, object)
end
-- Nor is it told what exists there.
local told = 0
for _, path in ipairs(paths) do
	local _, why = pcall(cyclops.read, path)
	told = told + (tostring(why):find("with --lua-safe only", 1, true) and 0 or 1)
end
print(done, told, #addresses, addresses[1])
"""


def by_script(place, all_lines):
    areas = subprocess.run([CYCLOPS, "help", "lua"], capture_output=True, text=True).stdout
    methods = set()
    for area in re.findall(r"\n  ([a-z]+) +", areas):
        text = subprocess.run([CYCLOPS, "help", "lua", area], capture_output=True, text=True).stdout
        methods |= set(re.findall(r"\bm:([a-z_]+)", text))
    check("methods of a machine", len(methods) >= 38, methods)
    texts = {"paths": place.paths, "lines": [l for l in all_lines if not l.startswith("run")][::3]}
    script = LUA.replace("METHODS", "{ %s }" % ", ".join('"%s"' % n for n in sorted(methods)))
    for name, text in texts.items():
        quoted = ('"%s"' % line.replace("\\", "\\\\").replace('"', '\\"') for line in text)
        script = script.replace('for line in io_lines "%s" do' % name,
            "for _, line in ipairs { %s } do" % ", ".join(quoted))
    with open(place.tree + "/walk.lua", "w") as file:
        file.write(script)
    with open(place.tree + "/base.lua", "w") as file:
        file.write('return { base = "../../../../../../..%s/secret" }' % place.outside)
    place.before = place.digest()
    traced = Traced(place, "lua", ["lua", "--lua-safe", "--lua-steps", "100G", "walk.lua"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    out, err = traced.process.communicate(timeout=900)
    done, leaked, addresses = map(int, (out or b"0 0 0").split()[:3])
    check("the script ended", done > 3000, (out, err))
    check("the script does not learn what exists outside", leaked == 0, leaked)
    check("nor where the host has anything", addresses == 0, out)
    # It may resolve a name, to refuse it; nothing is opened.
    outside = [l for l in traced.outside() if not re.search(r" (readlink|newfstatat|lstat|f?access)\w*\(",
        l)]
    check("a safe script: %d tried, nothing outside was opened" % done, not outside,
        "%d calls: %s" % (len(outside), "\n  ".join(outside[:8])))


# ---- the judge is judged ----
def control(place):
    """A peer that may reach files: each way is noticed."""
    path = place.tree + "/socket"
    traced = Traced(place, "control", ["gdb", "--listen", "unix:" + path, *MACHINE, "guest"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    traced.listening(b"waiting for gdb")
    peer = Gdb(path)
    peer.monitor("goto 3000")
    peer.monitor("info history")
    check("nothing is noticed where there is nothing", not traced.outside())
    for line in ("source %(o)s/secret.txt", "view cct of %(o)s/secret.cct",
        "view cct of ../%(m)s/secret.cct", "save %(o)s/saved", "restore %(l)s",
        "export html %(l)s-folder/page.html", "trace konata %(o)s/trace.kanata 100 200",
        "set config %(o)s/secret.lua", "set stdin /proc/self/environ", "cop load %(o)s/secret.mic",
        "lua io.open('%(o)s/secret.txt')", "shell head -c 1 /dev/full", "twin %(o)s/secret.lua"):
        line = line % {"o": place.outside, "m": MARK, "l": LINK}
        peer.monitor(line)
        check("the judge notices: " + line, traced.outside())
    peer.socket.close()
    traced.end()
    for name in ("saved", "page.html", "trace.kanata", "saved.breakpoints"):
        if os.path.exists(place.outside + "/" + name):
            os.unlink(place.outside + "/" + name)
    traced = Traced(place, "control-dap", ["dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client = Client.__new__(Client)
    client.process, client.bytes, client.seq = traced.process, b"", 0
    client.events, client.outputs = [], []
    client.send_bytes, client.take_bytes = client.write_pipe, traced.process.stdout.read1
    client.ask("initialize")
    client.launch(program="guest", stopOnEntry=True)
    text = "source %s/" % place.outside
    targets = client.body("completions", text=text, column=len(text) + 1)["targets"]
    check("completion is noticed", traced.outside() and len(targets) >= len(KINDS), targets)
    found = list(lines(place, client))
    client.body("disconnect")
    traced.process.wait(PATIENCE)
    return found


with tempfile.TemporaryDirectory() as folder:
    place = Place(folder)
    all_lines = control(place)
    parts = sys.argv[1:] or ["by_gdb", "by_editor", "by_script"]
    if os.environ.get("CYCLOPS_TEST_SCALE") == "small":
        all_lines = all_lines[::20]
    place.before = place.digest()
    for part in parts:
        globals()[part](place, all_lines)
    after = place.digest()
    changed = {p for p in after | place.before if after.get(p) != place.before.get(p)}
    check("nothing was written anywhere", not changed, sorted(changed))
finish()
