#!/usr/bin/env python3
"""two_records.py CYCLOPS PROGRAM FOLDER: two sessions record under one name, and end one after the
other. Each leaves a whole recording, the last one's at the end, and nothing beside it."""
import fcntl
import json
import os
import pty
import struct
import sys
import termios

CYCLOPS, PROGRAM, FOLDER = sys.argv[1:4]
FILE = FOLDER + "/talk2.cast"


def begin():
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.environ["TERM"] = "xterm-256color"
        os.execv(CYCLOPS, [CYCLOPS, "-n", PROGRAM])
    return pid, terminal


def until(terminal, text):
    """Reads until the text is there; b"": to the end."""
    seen = b""
    while not text or text not in seen:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            more = b""
        if not more:
            assert not text, "no %r in %r" % (text, seen[-500:])
            return
        seen += more


def end(pid, terminal):
    os.write(terminal, b":quit\r")
    until(terminal, b"")
    assert os.waitpid(pid, 0)[1] == 0
    with open(FILE) as f:
        lines = f.read().splitlines()
    assert json.loads(lines[0])["version"] == 2, lines[0]
    for line in lines[1:]:
        assert len(json.loads(line)) == 3, line
    return lines


sessions = [begin(), begin()]
for i, (_, terminal) in enumerate(sessions):
    until(terminal, b"cycle")
    os.write(terminal, b":record %s\r" % FILE.encode())
    until(terminal, b"Recording")
    os.write(terminal, b":echo session-%d-was-here\r" % i)
    until(terminal, b"session-%d-was-here" % i)
assert not os.path.exists(FILE)
for i, session in enumerate(sessions):
    text = "\n".join(end(*session))
    assert "session-%d-was-here" % i in text and "session-%d-was-here" % (1 - i) not in text
left = [name for name in os.listdir(FOLDER) if "talk2" in name or name.startswith(".cyclops-")]
assert sorted(left) == ["talk2.cast", "talk2.gif", "talk2.svg"], left
