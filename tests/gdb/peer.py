# Peers that are not gdb: damaged packets, absurd numbers, listeners, places of stops; peers that
# leave or press Ctrl-C (peer_going.py), and peers that send random packets (peer_random.py).
import os
import random
import re
import socket
import subprocess
import sys
import tempfile

from peer_going import going
from peer_kit import CYCLOPS, GUEST, PATIENCE, Peer, Server, check, counts, hexed, symbol
from peer_random import at_random


# ---- listeners ----
def listening(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST)
    check("it says where", path.encode() in server.said, server.said)
    check("a socket of ours alone", os.stat(path).st_mode & 0o777 == 0o600,
        oct(os.stat(path).st_mode))
    peer = Peer(path)
    check("a stop", peer.ask("?").startswith(b"T05"))
    # lldb 16 finds pc and the stack by these registers.
    host, process = peer.ask("qHostInfo"), peer.ask("qProcessInfo")
    triple = b"triple:%s;" % hexed("riscv64-unknown-linux-gnu").encode()
    check("lldb's questions", host.startswith(triple) and b"ptrsize:8;" in host
          and process == b"pid:3e8;" + host, (host, process))
    registers = peer.ask("qXfer:features:read:target.xml:0,3fff")
    check("all addresses are memory", b'type="ram" start="0x0" length="0xffffffffffffffff"' in
          peer.ask("qXfer:memory-map:read::0,3fff"))
    roles = re.findall(rb'name="(\w+)" [^>]*generic="(\w+)"', registers)
    check("roles of registers", set(roles) == {(b"pc", b"pc"), (b"sp", b"sp"), (b"fp", b"fp"),
          (b"ra", b"ra")} | {(b"a%d" % i, b"arg%d" % (i + 1)) for i in range(8)}, roles)
    text = b""
    peer.send("qRcmd," + hexed("source /nowhere"))
    while (piece := peer.receive()) and piece != b"OK":
        text += bytes.fromhex(piece[1:].decode())
    check("files may be read there", b"nowhere" in text and b"lua-safe" not in text, text)
    peer.send("k")
    status, out, err = server.end(None)
    check("killed, it ends", status == 0, (status, out, err))
    check("and takes its socket away", not os.path.exists(path))
    # An old socket is replaced, any other file is refused.
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

    # The line that it prints is a shell's, whatever the names.
    for name in ("a b", "it's", '"quoted"', "back\\slash $HOME `id`",
            "\u00fcml\u00e4ut", "\x1b[2Jescape"):
        program, path = f"{folder}/{name}.elf", f"{folder}/{name}"
        os.link(os.path.realpath(GUEST), program)
        server = Server("--listen", "unix:" + path, program)
        line = re.search(rb"waiting for gdb: (.*)", server.said)[1]
        check("no control character", b"\x1b" not in line, line)
        gdb = subprocess.run(["bash", "-c", line.decode() + " -nx -batch -ex 'p $pc' -ex kill"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        check("gdb connects by " + name, b"$1 = " in gdb.stdout, (line, gdb))
        server.end()
        os.unlink(program)
    server = Server("--listen", f"unix:{folder}/a:b", GUEST)
    check("a name that gdb can't take",
        b"can't connect to a socket file with this name" in server.said, server.said)
    server.end()

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
    server = Server("--rw", "--listen", "0", GUEST)
    check("but for --rw", b"warning: --rw" in server.said, server.said)
    server.end()
    # Without --listen: a socket file in a folder that only its user can enter, one for each server.
    for private, expected in ((0o700, "run/cyclops/gdb"), (0o755, "data/cyclops/gdb")):
        run, data = folder + "/run", folder + "/data"
        os.makedirs(run, exist_ok=True)
        os.chmod(run, private)
        surroundings = dict(os.environ, XDG_RUNTIME_DIR=run, XDG_DATA_HOME=data)
        first = Server(GUEST, env=surroundings)
        second = Server(GUEST, env=surroundings)
        for server, name in ((first, expected), (second, expected + "-2")):
            path = "%s/%s" % (folder, name)
            check("it says " + name, ("target remote %s'" % path).encode() in server.said,
                server.said)
            parent = os.stat(os.path.dirname(path))
            check("no other user gets there", parent.st_mode & 0o77 == 0, oct(parent.st_mode))
            peer = Peer(path)
            check("a stop there", peer.ask("?").startswith(b"T05"))
            peer.close()
        first.end()
        second.end()
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


# ---- callers that are no peers ----
def callers(folder):
    """Nothing that a page, or another user, sends is acted on; gdb comes through all the same."""
    server = Server("--listen", "0", GUEST)
    where = ("127.0.0.1", int(re.search(rb"127\.0\.0\.1:(\d+)", server.said)[1]))
    kill, wrong = b"$k#6b", []
    begin = (b"POST / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n", kill + b" / HTTP/1.1\r\n",
        b"+" * 9000 + kill + b" / HTTP/1.1\r\n", kill + kill + b" / HTTP/1.1\r\n", b"$k / HTTP/1.1\r\n",
        b"+$QStartNoAckMode#b0 / HTTP/1.1\r\n", b"\x03POST / HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00", b"\0", b"\n", b" ",
        b"\r\n", b"#", kill + b"x", b"$k#zz", b"+" * 30000)
    for bytes in begin:
        peer = Peer(where, acks=True)
        peer.raw(bytes + kill + b"\r\n" + kill)
        answer = peer.receive()
        check("%.30r gets no answer" % bytes, answer is None and not peer.bytes, (answer, peer.bytes))
        peer.close()
    # Any number of peers that send nothing, or half a packet, delay no others.
    silent = [Peer(where, acks=True) for _ in range(40)]
    for i in range(0, 40, 3):
        silent[i].raw(b"+$qSuppor")
    peer = Peer(where)
    check("gdb is served", peer.ask("?").startswith(b"T05"))
    peer.close()
    for one in silent:
        one.close()
    # The beginnings of other clients: without the mark of gdb's first packet, and in pieces.
    for pieces in ((b"+", b"$?#3f"), (b"$g", b"#6", b"7"), (b"-$?#3", b"f"), (b"$?#3f",),
            (b"$qSuppo", b"rted:x+#14")):
        peer = Peer(where, acks=True)
        for piece in pieces:
            peer.raw(piece)
        check("served: %r" % (pieces,), peer.receive() is not None)
        peer.close()
    # gdb repeats its first packet while the machine is loaded.
    peer = Peer(where, acks=True)
    peer.raw(b"$qSupported:x+#14" * 3 + b"$vMustReplyEmpty#3a")
    answers = [peer.receive(), peer.receive()]
    check("a first packet that is repeated has one answer",
        answers[0].startswith(b"PacketSize") and answers[1] == b"", answers)
    peer.close()
    status, out, err = server.end()
    check("it ended by Ctrl-C alone", status == 0, status)
    check("the refused are reported", b"refused a connection from 127.0.0.1 port" in err
        and b'began with "POST / HTTP/1.1\\r\\n' in err, err)
    check("bounded, and nothing for a terminal", len(err) < 9000 and all(
        c == 10 or 32 <= c < 127 for c in err), err)
    if os.geteuid() == 0:
        other_user()


def other_user():
    """Another user of this computer is refused at a port; needs to be root."""
    server = Server("--listen", "0", GUEST)
    port = int(re.search(rb"127\.0\.0\.1:(\d+)", server.said)[1])
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setuid(65534)
        stranger = Peer(("127.0.0.1", port), acks=True)
        stranger.send("qSupported:x+")
        os._exit(0 if stranger.receive() is None else 1)
    check("another user is refused", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)
    err = server.end()[2]
    check("and named", b"belongs to user 65534" in err, err)


# ---- places of stops, where gdb itself would tolerate errors ----
def stops(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, "--rw", "--stdin", "tests/gdb/guest.c", GUEST)
    peer = Peer(path)
    peer.ask("qSupported:swbreak+;hwbreak+")
    watched = symbol("watched")
    peer.ask("Z2,%s,4" % watched)

    def stopped(how, step):
        """The value at the stop, and after a step as gdb does it."""
        stop = peer.ask(how)
        if b"watch:" + watched.encode() not in stop:
            return stop
        values = [peer.ask("m%s,4" % watched)]
        peer.ask("z2,%s,4" % watched)
        peer.ask(step)
        values.append(peer.ask("m%s,4" % watched))
        peer.ask("Z2,%s,4" % watched)
        return [int.from_bytes(bytes.fromhex(v.decode()), "little") for v in values]

    there = [stopped("c", "s") for _ in range(5)]
    check("before what is written", there == [[0, 1], [1, 4], [4, 9], [9, 16], [16, 100]], there)
    back = [stopped("bc", "bs") for _ in range(5)]
    check("behind it, backwards", back == [[100, 16], [16, 9], [9, 4], [4, 1], [1, 0]], back)
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
    # With --rw a file is written completely or not at all.
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
    # read() writes the watched memory: stops before the call, and backwards after it.
    asked = symbol("asked")
    peer.ask("Z2,%s,1" % asked)
    for how, step in (("c", "s"), ("bc", "bs"), ("s", "s"), ("bs", "bs")):
        stop = peer.ask(how)
        check("a system call writes, %s" % how, b"watch:" in stop, stop)
        peer.ask("z2,%s,1" % asked)
        values = [peer.ask("m%s,8" % asked), peer.ask(step) and peer.ask("m%s,8" % asked)]
        zero = step == "s"
        check("its step, %s" % how, [v == b"0" * 16 for v in values] == [zero, not zero], values)
        peer.ask("Z2,%s,1" % asked)
    peer.close()
    server.end()


# ---- conditions that the server evaluates ----
def conditions(folder):
    """On the way back, at a breakpoint's own place; code that fails counts as true. Forwards each hit
    stops: gdb's steps are such breakpoints, too."""
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, "-c", "wide6", GUEST)
    peer = Peer(path)
    leaf = int(symbol("leaf"), 16)

    def pc():
        return int.from_bytes(bytes.fromhex(peer.ask("p20").decode()), "little")

    def byte(value):
        return "22%02x" % value

    def word(value):
        return "25%016x" % (value & (1 << 64) - 1)

    def condition(*codes):
        return "".join(";X%x,%s" % (len(code) // 2, code) for code in codes)

    peer.ask("Z0,%x,2" % leaf)
    peer.ask("c")
    code = int.from_bytes(bytes.fromhex(peer.ask("m%x,8" % leaf).decode()), "little")
    peer.ask("s")
    second = pc()
    peer.ask("z0,%x,2" % leaf)
    peer.ask("Z1,%x,2" % second)
    a0, equal, end = "26000a", "13", "27"
    cases = [
        ("a register", a0 + byte(3) + equal, True), ("its other value", a0 + byte(7) + equal, False),
        ("the stack's pointer", "260002" + "1a" + "29" + byte(1), True),
        ("add, multiply", byte(2) + byte(3) + "02" + byte(4) + "04" + byte(20) + equal, True),
        ("subtract", byte(7) + byte(10) + "03" + word(-3) + equal, True),
        ("divide", word(-7) + byte(2) + "05" + word(-3) + equal, True),
        ("divide by -1", word(-1 << 63) + word(-1) + "05" + word(-1 << 63) + equal, True),
        ("divide unsigned", word(-1) + byte(2) + "06" + word((1 << 63) - 1) + equal, True),
        ("remainder", word(-7) + byte(2) + "07" + word(-1) + equal, True),
        ("remainder by -1", word(-1 << 63) + word(-1) + "07", False),
        ("remainder unsigned", word(-1) + byte(10) + "08" + byte(5) + equal, True),
        ("shifts", byte(1) + byte(63) + "09" + byte(63) + "0a" + word(-1) + equal, True),
        ("shift unsigned", word(-1) + byte(60) + "0b" + byte(15) + equal, True),
        ("shift by much", byte(1) + byte(64) + "09", False),
        ("not", byte(0) + "0e", True), ("not of 5", byte(5) + "0e", False),
        ("and, or, xor", byte(12) + byte(10) + "0f" + byte(1) + "10" + byte(3) + "11" + byte(10)
            + equal, True),
        ("complement", byte(0) + "12" + word(-1) + equal, True),
        ("less", word(-1) + byte(1) + "14", True),
        ("less unsigned", word(-1) + byte(1) + "15", False),
        ("extend", byte(255) + "1608" + word(-1) + equal, True),
        ("zero-extend", word(-1) + "2a08" + byte(255) + equal, True),
        ("a jump", byte(1) + "200008" + byte(0) + end + byte(1), True),
        ("no jump", byte(0) + "200008" + byte(0) + end + byte(1), False),
        ("always a jump", "210006" + byte(0) + end + byte(1), True),
        ("duplicate", byte(2) + "28" + "04" + byte(4) + equal, True),
        ("drop", byte(0) + byte(1) + "29", False),
        ("swap", byte(5) + byte(3) + "2b" + "03" + word(-2) + equal, True),
        ("pick", byte(5) + byte(3) + "3201" + "29" + "29" + byte(5) + equal, True),
        ("rotate", byte(1) + byte(2) + byte(3) + "33" + byte(2) + equal, True),
        ("constants", "231234" + "2400001234" + equal, True),
        ("nothing", "", True), ("division by 0", byte(1) + byte(0) + "05", True),
        ("no memory there", byte(0) + "17", True), ("no such register", "26ffff", True),
        ("an empty stack", "02", True), ("for ever", "210000", True),
        ("too much", byte(0) + "210000", True), ("no such operation", byte(0) + "ff", True),
        ("half an operand", byte(0) + "2500", True), ("a jump to nowhere", byte(0) + "21ffff", True),
    ]
    cases += [("memory, %d bits" % bits, "24%08x" % leaf + "%02x" % op
        + word(code & (1 << bits) - 1) + equal, True)
        for op, bits in ((0x17, 8), (0x18, 16), (0x19, 32), (0x1A, 64))]
    for name, text, holds in cases:
        got = peer.ask("Z0,%x,2%s" % (leaf, condition(text + end)))
        peer.ask("bc")
        check("condition: " + name, got == b"OK" and (pc() == leaf) == holds, (got, hex(pc())))
        peer.ask("z0,%x,2" % leaf)
        peer.ask("c")
        check("and back", pc() == second, hex(pc()))
    peer.ask("z1,%x,2" % second)
    is_3, is_7 = (a0 + byte(n) + equal + end for n in (3, 7))
    for code, value in (((is_7,), 7), ((is_3,), 3), ((is_3, is_7), 7)):
        peer.ask("bc")
        peer.ask("Z0,%x,2%s" % (leaf, condition(byte(0) + end)))
        for call in (3, 7):
            peer.ask("c")
            got = int.from_bytes(bytes.fromhex(peer.ask("pa").decode()), "little")
            check("each call forwards", (pc(), got) == (leaf, call), (hex(pc()), got))
            peer.ask("s")
        peer.ask("Z0,%x,2%s" % (leaf, condition(*code)))
        peer.ask("bc")
        got = int.from_bytes(bytes.fromhex(peer.ask("pa").decode()), "little")
        check("the call with %d" % value, (pc(), got) == (leaf, value), (hex(pc()), got))
        peer.ask("z0,%x,2" % leaf)
    for text in (";", ";X", ";X0,", ";X2,27", ";X1,zz", ";X1,27;Y", ";X%x,27" % (1 << 63)):
        got = peer.ask("Z0,%x,2%s" % (leaf, text))
        check("malformed: " + text, got == b"E16", got)
    peer.close()
    server.end()


# ---- threads ----
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
    # Runs of lengths that would be encoded as a frame's characters.
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
        # A peer that never reads is dropped, and others are served.
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


SCALE = {"small": (1, 300), "full": (3, 700),
    "long": (200, 3000)}[os.environ.get("CYCLOPS_TEST_SCALE", "full")]
with tempfile.TemporaryDirectory() as place:
    if len(sys.argv) > 1:
        at_random(place, int(sys.argv[1]), SCALE[1])
    else:
        listening(place)
        callers(place)
        stops(place)
        conditions(place)
        threads(place)
        going(place)
        damage(place)
        for one in range(SCALE[0]):
            at_random(place, one, SCALE[1])
print("%(passed)d passed, %(failed)d failed" % counts)
sys.exit(counts["failed"] != 0)
