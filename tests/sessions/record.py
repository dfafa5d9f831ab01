#!/usr/bin/env python3
"""record.py SOCKET: between gdb, on standard input and output, and qemu's gdbstub at SOCKET, a
record of the program, so that gdb can go back in it.

The program runs to its first stop, and from there on instruction by instruction. Each is noted with
the registers and bytes that it changes, and so is each change by gdb, which belongs to the place
after the instruction before it: going back undoes the changes and then the instruction; going on
repeats the instruction and then the changes. A change in the past ends the record there."""
import os
import re
import socket
import struct
import sys
import time

STEPS_MAX = 400000


KNOWN = {body: b"+$%s#%02x" % (body, sum(body) % 256) for body in (b"g", b"s")}


def checked(body):
    return b"$%s#%02x" % (body, sum(body) % 256)


class Peer:
    """Packets of one side."""

    def __init__(self, read, write):
        self.read, self.write, self.bytes = read, write, b""

    def send(self, body):
        self.write(checked(body))

    def receive(self):
        """A packet's text, b"\\x03", or None at the end."""
        while True:
            if self.bytes[:1] == b"\x03":
                self.bytes = self.bytes[1:]
                return b"\x03"
            start, end = self.bytes.find(b"$"), self.bytes.find(b"#")
            if 0 <= start < end and len(self.bytes) >= end + 3:
                body = self.bytes[start + 1:end]
                self.bytes = self.bytes[end + 3:]
                return body
            if start < 0 and b"\x03" not in self.bytes:
                self.bytes = b""
            more = self.read()
            if not more:
                return None
            self.bytes += more


remote = socket.socket(socket.AF_UNIX)
for _ in range(2000):
    try:
        remote.connect(sys.argv[1])
        break
    except OSError:  # it does not listen yet
        time.sleep(0.005)
qemu = Peer(lambda: remote.recv(65536), remote.sendall)
peer = Peer(lambda: os.read(0, 65536), lambda b: os.write(1, b))


def ask(body):
    # qemu sends the next packet only when it has the acknowledgement of the last one.
    qemu.write(KNOWN.get(body) or b"+" + checked(body))
    return qemu.receive()


def registers():
    """x0 to x31 and pc."""
    return struct.unpack("<33Q", bytes.fromhex(ask(b"g")[:33 * 16].decode()))


def set_registers(values):
    ask(b"G" + struct.pack("<33Q", *values).hex().encode())


def memory(addr, n):
    text = ask(b"m%x,%x" % (addr, n))
    return None if text[:1] == b"E" else bytes.fromhex(text.decode())


def follow():
    """qemu's registers become those of the place."""
    global apart
    if apart:
        set_registers(now)
    apart = False


def set_memory(addr, old):
    ask(b"M%x,%x:%s" % (addr, len(old), old.hex().encode()))


words = {}


def code(pc):
    if pc not in words:
        got = memory(pc, 2)
        low = int.from_bytes(got, "little") if got else 0
        if low & 3 == 3:
            low |= int.from_bytes(memory(pc + 2, 2) or b"\0\0", "little") << 16
        words[pc] = low
    return words[pc]


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def effects(word, r):
    """[(address, bytes)] that an instruction may write, and its floating-point register or None."""
    op, f3 = word & 0x7f, word >> 12 & 7
    if word & 3 == 3:
        rs1, fd = r[word >> 15 & 31], None
        if op in (0x23, 0x27):
            offset = signed(word >> 25 << 5 | (word >> 7 & 31), 12)
            return [(rs1 + offset, 1 << (f3 & 3))], None
        if op == 0x2f:
            return [(rs1, 1 << f3)], None
        if op == 0x73 and word == 0x73:
            return {79: [(r[12], 128)], 80: [(r[11], 128)]}.get(r[17], []), None
        if op in (0x07, 0x43, 0x47, 0x4b, 0x4f, 0x53):
            fd = word >> 7 & 31
        return [], fd
    f3 = word >> 13 & 7
    if word & 3 == 0:
        base = r[8 + (word >> 7 & 7)]
        four = (word >> 10 & 7) << 3 | (word >> 6 & 1) << 2 | (word >> 5 & 1) << 6
        eight = (word >> 10 & 7) << 3 | (word >> 5 & 3) << 6
        if f3 == 1:
            return [], 8 + (word >> 2 & 7)
        return {5: [(base + eight, 8)], 6: [(base + four, 4)], 7: [(base + eight, 8)]}.get(
            f3, []), None
    if word & 3 == 2:
        four = (word >> 9 & 15) << 2 | (word >> 7 & 3) << 6
        eight = (word >> 10 & 7) << 3 | (word >> 7 & 7) << 6
        if f3 == 1:
            return [], word >> 7 & 31
        return {5: [(r[2] + eight, 8)], 6: [(r[2] + four, 4)], 7: [(r[2] + eight, 8)]}.get(
            f3, []), None
    return [], None


class Entry:
    """An instruction or a change: what there was before it and after it."""

    def __init__(self, step, before):
        self.step, self.before, self.after = step, before, None
        self.bytes, self.double = [], None


log = []
at = 0        # number of entries done
now = None    # registers
apart = False # qemu has others
breaks = set()
recording = False
STOP = b"T05thread:%s;"
thread = b"p01.01"


def undo():
    global at, now, apart
    at -= 1
    apart = True
    e = log[at]
    for addr, old, _ in reversed(e.bytes):
        set_memory(addr, old)
    if e.double:
        ask(b"P%x=%s" % (33 + e.double[0], e.double[1]))
    now = e.before
    return e.step


def redo():
    global at, now, apart
    e = log[at]
    at += 1
    apart = True
    for addr, _, new in e.bytes:
        set_memory(addr, new)
    if e.double:
        ask(b"P%x=%s" % (33 + e.double[0], e.double[2]))
    now = e.after


def step():
    """Executes or repeats an instruction; the stop's packet if the program ends."""
    global at, now
    if at < len(log):
        redo()
        while at < len(log) and not log[at].step:
            redo()
        return None
    follow()
    e = Entry(True, now)
    writes, double = effects(code(now[32]), now)
    e.bytes = [(addr, old, None) for addr, old in
        ((addr % 2 ** 64, memory(addr % 2 ** 64, n)) for addr, n in writes) if old]
    old = ask(b"p%x" % (33 + double)) if double is not None else None
    stop = ask(b"s")
    if stop[:1] in b"WX" or not stop.startswith(b"T05"):
        now = registers() if stop[:1] == b"T" else now
        return stop
    e.after = registers()
    e.bytes = [(addr, before, memory(addr, len(before))) for addr, before, _ in e.bytes]
    if double is not None:
        e.double = (double, old, ask(b"p%x" % (33 + double)))
    now = e.after
    log.append(e)
    at += 1
    return None


def forward(once):
    for _ in range(STEPS_MAX):
        stop = step()
        if stop:
            return stop
        if once or now[32] in breaks:
            return STOP % thread
    return b"X09"


def backward(once):
    while at:
        while at and not undo():
            pass
        if once or now[32] in breaks:
            return STOP % thread
    return STOP.replace(b"05", b"05replaylog:begin;") % thread


def resume(motion, once):
    stop = motion(once)
    if stop[:1] == b"T":
        follow()
    return stop


def change(body):
    """A write of gdb: registers or bytes."""
    global at, now
    where, n = 0, 0
    if body[:1] in b"MX":
        where, n = (int(x, 16) for x in body[1:body.index(b":")].split(b","))
        if not n:
            return ask(body)
    e = Entry(False, now)
    old = memory(where, n) if n else None
    number = int(body[1:body.index(b"=")], 16) if body[:1] == b"P" else 0
    double = ask(b"p%x" % number) if 33 <= number < 65 else None
    answer = ask(body)
    if answer != b"OK":
        return answer
    del log[at:]
    e.after = now = registers()
    if old:
        e.bytes = [(where, old, memory(where, n))]
    if double:
        e.double = (number - 33, double, ask(b"p%x" % number))
    log.append(e)
    at += 1
    return answer


def answer(body):
    global recording, now, thread
    motion = None
    if body == b"vCont?":
        return b"vCont;c;C;s;S"
    if body.startswith(b"vCont;"):
        motion = body[6:7].lower()
    elif body[:1] in (b"c", b"s"):
        motion = body[:1]
    if motion and not recording:
        stop = ask(body)
        for place in list(breaks):
            ask(b"z0,%x,2" % place)
        thread = re.search(rb"thread:([^;]*)", stop)[1]
        recording = True
        now = registers()
        return stop
    if motion:
        return resume(forward, motion == b"s")
    if body in (b"bs", b"bc"):
        return resume(backward, body == b"bs")
    if body == b"?":
        return ask(body)
    if body[:3] in (b"Z0,", b"Z1,", b"z0,", b"z1,"):
        place = int(body.split(b",")[1], 16)
        (breaks.add if body[:1] == b"Z" else breaks.discard)(place)
        return b"OK" if recording else ask(body)
    if body[:1] in b"Zz":
        return b""
    if recording and body[:1] in b"PGMX":
        return change(body)
    text = ask(body)
    if body.startswith(b"qSupported"):
        text += b";ReverseStep+;ReverseContinue+"
    return text


while True:
    request = peer.receive()
    if request is None or request[:1] == b"k":
        break
    if request == b"\x03":
        continue
    os.write(1, b"+")
    peer.send(answer(request))
