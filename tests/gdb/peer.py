# Peers that are not gdb: damaged packets, absurd numbers, half packets, peers that go in the middle
# of a motion; Ctrl-C; what listens where. And packets at random, from a grammar, after each of
# which there must be an answer.
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

CYCLOPS = os.environ.get("CYCLOPS", "build/cyclops")
GUEST = "build/tests/gdb/guest"
PATIENCE = 60
passed = failed = 0
# a server that inherits it ignored would ignore it, too
signal.signal(signal.SIGINT, signal.SIG_DFL)


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAIL: %s: %r" % (what, seen))


class Server:
    def __init__(self, *args, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([CYCLOPS, "gdb", *args], stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = b""
        while b"waiting for gdb" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                break
            self.said += line

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None and how:
            self.process.send_signal(how)
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            return None, out, err
        return self.process.returncode, out, err


class Peer:
    def __init__(self, where, acks=False):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(where)
        self.bytes = b""
        if not acks:
            self.ask("QStartNoAckMode")

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, payload):
        if isinstance(payload, str):
            payload = payload.encode("latin-1")
        payload = re.sub(rb"[$#}*]", lambda m: b"}" + bytes([m[0][0] ^ 0x20]), payload)
        self.raw(b"$%s#%02x" % (payload, sum(payload) & 255))

    def receive(self):
        """The next packet's payload, runs expanded; None: the connection is over, or nothing
        came."""
        while True:
            found = re.search(rb"\$([^#]*)#..", self.bytes, re.S)
            if found:
                self.bytes = self.bytes[found.end() :]
                return re.sub(rb"(?<!\})(.)\*(.)", lambda m: m[1] * (m[2][0] - 28), found[1],
                    flags=re.S)
            try:
                more = self.socket.recv(65536)
            except OSError:
                return None
            if not more:
                return None
            self.bytes += more

    def ask(self, payload):
        self.send(payload)
        return self.receive()

    def close(self):
        self.socket.close()


def hexed(text):
    return text.encode().hex()


def symbol(name):
    said = subprocess.run([CYCLOPS, "--no-init", "--batch", "-e", "info symbol " + name, "-e",
        "print &" + name, GUEST], capture_output=True, text=True)
    return re.search(r"0x([0-9a-f]+)", said.stdout)[1]


# ---- what listens where ----
def listening(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST)
    check("it says where", path.encode() in server.said, server.said)
    check("a socket of ours alone", os.stat(path).st_mode & 0o777 == 0o600,
        oct(os.stat(path).st_mode))
    peer = Peer(path)
    check("a stop", peer.ask("?").startswith(b"T05"))
    text = b""
    peer.send("qRcmd," + hexed("source /nowhere"))
    while (piece := peer.receive()) and piece != b"OK":
        text += bytes.fromhex(piece[1:].decode())
    check("files may be read there", b"nowhere" in text and b"lua-safe" not in text, text)
    peer.send("k")
    status, out, err = server.end(None)
    check("killed, it ends", status == 0, (status, out, err))
    check("and takes its socket away", not os.path.exists(path))
    # One that was left behind is no obstacle, anything else is.
    left = socket.socket(socket.AF_UNIX)
    left.bind(path)
    left.close()
    server = Server("--listen", "unix:" + path, GUEST)
    check("a socket that was left", b"waiting" in server.said, server.said)
    status, out, err = server.end()
    check("Ctrl-C ends it", status == 0, (status, out, err))
    open(path, "w").close()
    server = Server("--listen", "unix:" + path, GUEST)
    check("a file stays", server.end()[0] == 125 and os.path.exists(path), server.said)
    os.unlink(path)

    server = Server("--listen", "0", GUEST)
    port = int(re.search(rb"127\.0\.0\.1:(\d+)", server.said)[1])
    check("no warning for this computer alone", b"warning" not in server.said, server.said)
    peer = Peer(("127.0.0.1", port))
    text = b""
    peer.send("qRcmd," + hexed("shell id"))
    while (piece := peer.receive()) and piece != b"OK":
        text += bytes.fromhex(piece[1:].decode())
    check("no shell for whoever comes", b"TCP port" in text and b"uid" not in text, text)
    peer.close()
    server.end()
    server = Server("--listen", "0.0.0.0:0", GUEST)
    check("others are warned about", b"warning" in server.said, server.said)
    server.end()
    for words in (["-x", "-", "-", GUEST], ["--listen", "0", "-", GUEST], ["-"], [],
            ["--batch", GUEST]):
        server = Server(*words)
        check("no: " + " ".join(words), server.end(None)[0] == 125
            and server.said.startswith(b"cyclops: "), server.said)
    for wrong in ("nonsense", "localhost:", "1.2.3.4:99999", "unix:", "127.0.0.1:x"):
        server = Server("--listen", wrong, GUEST)
        check("--listen " + wrong, server.end()[0] == 125 and b"--listen" in server.said,
            server.said)


# ---- where stops are, which gdb itself would forgive ----
def stops(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, "--rw", "--stdin", "tests/gdb/guest.c", GUEST)
    peer = Peer(path)
    peer.ask("qSupported:swbreak+;hwbreak+")
    watched = symbol("watched")
    peer.ask("Z2,%s,4" % watched)

    def stopped(how):
        stop = peer.ask(how)
        return int.from_bytes(bytes.fromhex(peer.ask("m%s,4" % watched).decode()),
            "little") if b"watch:" + watched.encode() in stop else stop

    there = [stopped("c") for _ in range(5)]
    check("behind what was written", there == [1, 4, 9, 16, 100], there)
    back = [stopped("bc") for _ in range(5)]
    check("before it, backwards", back == [16, 9, 4, 1, 0], back)
    peer.ask("z2,%s,4" % watched)
    # A breakpoint is before its instruction, from both sides; and a system call is an instruction,
    # too.
    leaf = int(symbol("leaf"), 16)
    peer.ask("bc")
    for kind, reason in ((0, b"swbreak:"), (1, b"hwbreak:")):
        peer.ask("Z%d,%x,2" % (kind, leaf))
        for how, step in (("c", True), ("c", True), ("bc", False), ("bc", False)):
            stop = peer.ask(how)
            at = int.from_bytes(bytes.fromhex(peer.ask("p20").decode()), "little")
            check("a breakpoint, %s" % how, at == leaf and reason in stop, (hex(at), stop))
            if step:
                peer.ask("s")
        peer.ask("z%d,%x,2" % (kind, leaf))
        peer.ask("bc")
    # With --rw a file is written anew or not at all.
    kept = "build/tests/gdb/kept"
    with open(kept, "w") as file:
        file.write("kept")
    for flags, answer in ((1, b"F-1,16"), (2, b"F-1,16"), (0x401, b"F-1,16"), (0x602, b"F-1,16")):
        got = peer.ask("vFile:open:%s,%x,1a4" % (hexed("/" + kept), flags))
        check("flags %x" % flags, got == answer and open(kept).read() == "kept", got)
    check("anew", peer.ask("vFile:open:%s,601,1a4" % hexed("/" + kept)) == b"F0"
        and open(kept).read() == "")
    check("bytes", peer.ask("vFile:pwrite:0,2,x\x00y") == b"F3" and open(kept).read() == "\0\0x\0y")
    os.unlink(kept)
    # read() writes what is watched: behind the call, and backwards before it.
    peer.ask("Z2,%s,1" % symbol("asked"))
    stop = peer.ask("c")
    check("what a system call writes", b"watch:" in stop, stop)
    now = peer.ask("m%s,8" % symbol("asked"))
    before = peer.ask("bc")
    check("and before that call", b"watch:" in before
        and now != peer.ask("m%s,8" % symbol("asked")) == b"0" * 16, (before, now))
    peer.close()
    server.end()


# ---- Ctrl-C, and peers that go ----
def threads(folder):
    """A step of one thread ends in that thread, while others run; gdb itself would step on where it
    does not."""
    path = folder + "/threads"
    steps = "build/tests/threads/steps"
    said = subprocess.run([CYCLOPS, "--no-init", "--batch", "-e", "info symbol add", steps],
        capture_output=True, text=True)
    add = int(re.search(r"0x([0-9a-f]+)", said.stdout)[1], 16)
    server = Server("--listen", "unix:" + path, "-o", "os.slice=2000", "-o", "os.switch=100", steps)
    peer = Peer(path)
    peer.ask("qSupported:swbreak+;hwbreak+")
    peer.ask("Z0,%x,2" % add)
    seen = []
    while len(set(seen)) < 3 and len(seen) < 2000:
        seen.append(re.search(rb"thread:([^;]*);", peer.ask("c"))[1])
        peer.ask("s")
    peer.ask("z0,%x,2" % add)
    others = [t for t in dict.fromkeys(seen) if t != seen[-1]]
    check("several threads add", len(others) == 2, set(seen))
    for thread in others * 3:
        for how in ("s:%s;c", "r%x,%x:%%s;c" % (0, 1)):
            stop = peer.ask("vCont;" + how % thread.decode())
            check("a step of %s" % thread.decode(), b"thread:%s;" % thread in stop, stop)
    peer.close()
    server.end()


def going(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST, "spin")
    peer = Peer(path)
    peer.send("vCont;c")
    time.sleep(1)
    peer.raw(b"\x03")
    check("Ctrl-C", peer.receive().startswith(b"T02"))
    before = peer.ask("g")
    check("it stands still", peer.ask("g") == before)
    # Backwards, a search that finds nothing: the peer is gone meanwhile, and the program has not
    # moved.
    peer.ask("Z2,%s,4" % symbol("text"))
    peer.send("bc")
    peer.close()
    peer = Peer(path)
    now = peer.ask("g")
    check("a search backwards that was left has moved nothing, or all the way", now == before
        or peer.ask("?") and now != b"", now[:40])
    peer.send("vCont;c")
    peer.close()
    peer = Peer(path)
    check("forwards it stops where it was left", peer.ask("g") != b"")
    check("its breakpoints are gone", peer.ask("bc").find(b"replaylog:begin") > 0)
    peer.send("D")
    check("detached", peer.receive() == b"OK")
    peer = Peer(path)
    check("and there again", b"%s" % peer.ask("?")[:3] == b"T05")
    for half in (b"$", b"$m", b"$m0,4#", b"$m0,4#0", b"\x03", b"+-+-", b"$X0,4:}", b"$$$$#00"):
        peer.raw(half)
        peer.close()
        peer = Peer(path)
    check("half packets", peer.ask("?")[:3] == b"T05")
    peer.send("qRcmd," + hexed("continue"))
    kept = peer.receive()
    check("a long command keeps gdb from giving up", kept == b"O", kept)
    check("who waits no more is answered what it asks then", peer.ask("qC") == b"QC3e8")
    check("and the command has ended", peer.ask("?")[:3] == b"T05")
    peer.send("vCont;c")
    time.sleep(0.2)
    server.process.send_signal(signal.SIGINT)
    check("Ctrl-C at the server", peer.receive().startswith(b"T02"))
    peer.close()
    check("it ends", server.end()[0] == 0)

    # One Ctrl-C is enough, whichever moment it meets of a run whose peer goes.
    for moment in range(12):
        server = Server("--listen", "unix:" + path, GUEST, "spin")
        peer = Peer(path)
        peer.send("vCont;c")
        time.sleep(moment // 2 * 0.002)
        if moment % 2:
            peer.close()
        server.process.send_signal(signal.SIGINT)
        peer.close()
        check("moment %d: it ends" % moment, server.end(None)[0] == 0)

    # The program waits for input, from a pipe that stays empty.
    reading, writing = os.pipe()
    server = Server("--listen", "unix:" + path, GUEST, stdin=reading)
    peer = Peer(path)
    peer.send("c")
    time.sleep(0.5)
    peer.raw(b"\x03")
    check("Ctrl-C while it waits", peer.receive().startswith(b"T02"))
    os.write(writing, b"hello")
    os.close(writing)
    check("what it returned", peer.ask("c") == b"W07")
    status, out, err = server.end(None)
    check("its output and status", status == 7 and out == b"sum 174\nread hello\n",
        (status, out, err))
    os.close(reading)


# ---- damage ----
def damage(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST)
    peer = Peer(path, acks=True)
    peer.raw(b"$?#00")
    check("a wrong checksum is asked for again", peer.socket.recv(1) == b"-")
    peer.raw(b"$?#3f")
    check("and taken then", peer.receive().startswith(b"T05"))
    peer.raw(b"-")
    check("ours, too, comes again", peer.receive().startswith(b"T05"))
    peer.raw(b"+$QStartNoAckMode#b0")
    check("no more acknowledgements", peer.receive() == b"OK")
    for payload in (
        "m0,ffffffffffffffff", "mffffffffffffffff,10", "mffffffffffffffffff,1", "m,", "m1",
            "M0,1:0", "M0,2:00", "X0,ffffffff:", "X0,4:ab",
        "G", "G00", "G" + "0" * 16000, "P0", "P=1", "Pffff=00", "P20=zz", "pffffffff", "p",
            "Z0,0,0", "Z2,0,ffffffffffffffff", "Z2,ffffffffffffffff,2",
        "Z4,0,0", "Z9,0,4", "Z", "z0", "vCont", "vCont;", "vCont;x", "vCont;r", "vCont;r0",
            "vCont;r,", "qXfer:features:read:target.xml:", "qXfer:features:read:nothing:0,10",
        "qXfer:auxv:read::ffffffffffffffff,ffffffffffffffff", "qXfer:nothing:read::0,1",
            "qXfer:auxv:write::0:00", "qRcmd,", "qRcmd,0", "qRcmd,zz", "qRcmd,00",
        "vFile:open:", "vFile:open:2f,0,0", "vFile:open:" + "61" * 8000 + ",0,0",
            "vFile:open:6100,0,0", "vFile:pread:0,10,0", "vFile:pread:ffffffff,1,1",
        "vFile:fstat:99", "vFile:close:0", "vFile:pwrite:0,0,x", "vFile:unlink:2f",
            "vFile:readlink:" + "61" * 100, "vFile:nothing", "Hg", "Hgp", "Hgp1.1", "Hgp3e8.0",
            "T0", "T", "qThreadExtraInfo,1",
        "D", "\x00", "\xff" * 100, "vRun;x", "b", "bx", "QNonStop:1", "vKill;zz"[:4], "?",
    ):
        got = peer.ask(payload)
        check("%.30s is answered" % payload, got is not None, payload[:50])
        if payload == "D":
            peer = Peer(path)
    # Runs whose lengths would be a frame's characters.
    asked = symbol("asked")
    for zeros in range(1, 40):
        text = ("1" * 40 + "0" * zeros + "1" * 40)[:-1 if zeros % 2 else None]
        peer.ask("M%s,%x:%s" % (asked, len(text) // 2, text))
        peer.send("m%s,%x" % (asked, len(text) // 2))
        got = peer.receive()
        check("a run of %d" % zeros, got == text.encode(), got)
    peer.raw(b"$" + b"a" * 100000 + b"#00")
    check("a packet that is too long", (peer.receive() or b"").startswith(b"E."))
    peer.send("a" * 17000)
    check("and one that is right otherwise", (peer.receive() or b"").startswith(b"E."))
    peer.raw(b"x" * 200000)
    check("what is no packet", peer.ask("?").startswith(b"T05"))
    for _ in range(600):
        peer.ask("Z0,%x,4" % random.getrandbits(20))
    check("too many breakpoints", peer.ask("Z1,123456,4").startswith(b"E."))
    if os.environ.get("CYCLOPS_TEST_SCALE") == "long":
        # Who never reads is given up, and others are served.
        peer.socket.settimeout(1)
        try:
            while True:
                peer.raw(b"$m10000,1ff0#" + b"%02x" % (sum(b"m10000,1ff0") & 255))
        except OSError:
            pass
        other = Peer(path)
        check("another is served", other.ask("?")[:3] == b"T05")
        other.close()
    peer.close()
    check("it ends", server.end()[0] == 0)


# ---- packets at random ----
def number(r):
    return "%x" % r.choice([0, 1, 4, 8, r.getrandbits(5), 0x75000 + r.getrandbits(8),
        0x10554 + 2 * r.getrandbits(9), 0x3FFFFFFC00 + r.getrandbits(9), r.getrandbits(64),
        (1 << 64) - 1])


def bytes_of(r):
    return "".join("%02x" % r.getrandbits(8)
        for _ in range(r.choice([0, 1, 2, 4, 8, 33, r.getrandbits(6)])))


COMMANDS = ["why", "view rob", "goto 5000", "goto 1", "info registers", "print table", "step 3",
    "reverse-step 2", "x/4x $sp", "set a0 = 3", "break leaf", "delete", "stats", "nothing",
    "help step", "list", "bt", "goto main"]


def packet(r):
    kind = r.randrange(22)
    if kind == 0:
        return "m%s,%s" % (number(r), number(r))
    if kind == 1:
        return "M%s,%s:%s" % (number(r), number(r), bytes_of(r))
    if kind == 2:
        return "X%s,%s:%s" % (number(r), number(r),
            "".join(chr(r.getrandbits(8)) for _ in range(r.getrandbits(4))))
    if kind == 3:
        return "p" + number(r)
    if kind == 4:
        return "P%x=%s" % (r.getrandbits(r.choice([3, 6, 8])),
            r.choice([bytes_of(r), "%016x" % r.getrandbits(64)]))
    if kind in (5, 6):
        return "%s%d,%s,%s" % (r.choice("Zz"), r.randrange(5), number(r), r.choice("1248"))
    if kind in (7, 8):
        return r.choice(["s", "vCont;s", "vCont;s:p3e8.3e8;c", "bs", "bs", "bc", "S05"])
    if kind == 9:
        return "vCont;r%s,%s" % (number(r), number(r))
    if kind == 10:
        return "qXfer:%s:read:%s:%s,%s" % (r.choice(["features", "auxv", "exec-file", "threads"]),
            r.choice(["", "target.xml", "x"]), number(r), number(r))
    if kind in (11, 12):
        return "qRcmd," + hexed(r.choice(COMMANDS))
    if kind == 13:
        path = r.choice(["/tests/gdb/guest.c", "/proc/1000/maps", "/proc/1000/cmdline",
            "/../etc/passwd", "/", "", "/build"])
        return "vFile:open:%s,%x,0" % (hexed(path), r.choice([0, 0, 1, 2, 0x241]))
    if kind == 14:
        return "vFile:%s:%s" % (r.choice(["pread", "fstat", "close", "readlink", "setfs"]),
            ",".join(number(r) for _ in range(r.randrange(4))))
    if kind == 15:
        return "H%s%s" % (r.choice("cg"),
            r.choice(["0", "-1", "p3e8.3e8", "p3e8.-1", "p1.1", number(r)]))
    if kind == 16:
        return r.choice(["?", "g", "qC", "qfThreadInfo", "qsThreadInfo", "qAttached",
            "qSupported:multiprocess+;swbreak+", "qSupported", "vCont?", "!", "vRun", "qSymbol::",
            "T3e8", "vMustReplyEmpty"])
    if kind == 17:
        return "G" + bytes_of(r) * r.randrange(40)
    if kind == 18:
        return "x%s,%s" % (number(r), number(r))
    text = list(packet(r))
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(text) + 1)
        if r.random() < 0.5:
            text[at:at] = chr(r.getrandbits(8))
        else:
            del text[at : at + r.randrange(1, 4)]
    text = "".join(text)
    return text if text[:1] not in ("k", "R", "D", "c", "C", "v",
        "") and text[:5] != "qRcmd" else "?"


def at_random(folder, seed, packets):
    path = folder + "/socket"
    r = random.Random(seed)
    server = Server("--listen", "unix:" + path, GUEST)
    peer = Peer(path)
    trace = []
    for n in range(packets):
        text = packet(r)
        trace.append(text)
        got = peer.ask(text)
        while got is not None and re.match(rb"O[0-9a-f]", got):
            got = peer.receive()
        if got is None:
            check("seed %d: packet %d is answered" % (seed, n), False, trace[-12:])
            break
        if got[:1] in (b"W", b"X"):
            peer.close()
            check("seed %d: it ends with the program" % seed,
                server.end(signal.SIGINT)[0] is not None)
            server = Server("--listen", "unix:" + path, GUEST)
            peer = Peer(path)
        if n % 100 == 99:
            peer.close()
            peer = Peer(path)
    else:
        check("seed %d" % seed, (peer.ask("?") or b"")[:1] in b"TWXE")
    peer.close()
    status, out, err = server.end()
    check("seed %d: it ends" % seed, status is not None and b"runtime error" not in err
        and b"Sanitizer" not in err, (status, err[-400:]))


SCALE = {"small": (1, 300), "full": (3, 700),
    "long": (200, 3000)}[os.environ.get("CYCLOPS_TEST_SCALE", "full")]
with tempfile.TemporaryDirectory() as place:
    if len(sys.argv) > 1:
        at_random(place, int(sys.argv[1]), SCALE[1])
    else:
        listening(place)
        stops(place)
        threads(place)
        going(place)
        damage(place)
        for one in range(SCALE[0]):
            at_random(place, one, SCALE[1])
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
