# Packets at random, from a grammar: after each there must be an answer.
import random
import re
import signal

from peer_kit import GUEST, Peer, Server, check, hexed


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
        code = bytes_of(r)
        return "%s%d,%s,%s%s" % (r.choice("Zz"), r.randrange(5), number(r), r.choice("1248"),
            r.choice(["", "", ";X%x,%s" % (len(code) // 2, code)]))
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
