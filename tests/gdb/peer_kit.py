# A server of gdb's protocol and a peer for it, for tests of packets that gdb itself would not send.
import re
import signal
import socket
import subprocess
import sys

sys.path.insert(0, "tests")
from listener import CYCLOPS, PATIENCE, Listener

GUEST = "build/tests/gdb/guest"
counts = {"passed": 0, "failed": 0}
# a server that inherits an ignored SIGINT would ignore it, too
signal.signal(signal.SIGINT, signal.SIG_DFL)


def check(what, good, seen=""):
    counts["passed" if good else "failed"] += 1
    if not good:
        print("FAIL: %s: %r" % (what, seen))


class Server(Listener):
    def __init__(self, *args, **how):
        super().__init__("gdb", b"waiting for gdb", *args, **how)


class Peer:
    def __init__(self, where, acks=False):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(where)
        self.bytes = b""
        if not acks:
            self.ask("qSupported:error-message+")
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
