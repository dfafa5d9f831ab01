#!/usr/bin/env python3
"""ctrl_c.py PROGRAM ARGS: one Ctrl-C at the prompt is enough, at any moment of a command. PROGRAM
never ends. CYCLOPS is the inspector, SHIM the library of tests/tty/fails.c."""
import os
import pty
import select
import signal
import sys
import time

sys.path[:0] = ["tests"]
from checks import check, finish

PATIENCE, AGAIN = 60, 3


class Prompt:
    def __init__(self, *words, **environment):
        self.child, self.fd = pty.fork()
        if not self.child:
            os.environ.update(environment, TERM="dumb")
            os.execv(os.environ["CYCLOPS"], [os.environ["CYCLOPS"], "--no-init", "--no-screen",
                *words])
        self.seen = b""

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, text, patience=PATIENCE):
        """Reads until the text came; False: it did not come in time."""
        end = time.monotonic() + patience
        while text not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                return False
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                return False
        self.seen = self.seen[self.seen.index(text) + len(text):]
        return True

    def spent(self):
        """Its processor time, in ns."""
        with open("/proc/%d/schedstat" % self.child) as f:
            return int(f.read().split()[0])

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.fd)


p = Prompt(*sys.argv[1:])
check("a prompt", p.until(b"(cyclops)") or p.until(b"> "), p.seen)
commands = ["continue", "step 4000000000", "next 4000000000", "until cycle < 0", "stepi 4000000000",
    "finish"]
for number, command in enumerate(commands):
    for moment in range(4):
        mark = "answer-%d-%d" % (number, moment)
        p.send(command + "\n")
        time.sleep(moment * 0.003)
        p.send("\x03")
        # Text typed then is a command again, whose echo is not its answer. A terminal forgets
        # what was typed before Ctrl-C, and a line that it cuts takes the first. (An empty line
        # would repeat the command.)
        for _ in range(PATIENCE // AGAIN):
            p.send("printf \"%%s\\n\", \"%s\"\n" % mark)
            good = p.until(b"\n" + mark.encode(), AGAIN)
            if good:
                break
        check("%s, moment %d" % (command, moment), good, p.seen)
p.send("echo still here\\n\n")
check("it is still there", p.until(b"\nstill here"), p.seen)
p.end()

# A view that was stopped is not computed again before the next motion.
p = Prompt(*sys.argv[1:])
check("a prompt", p.until(b"(cyclops)") or p.until(b"> "), p.seen)
begun = p.spent()
p.send("goto 2000000\n")
check("it is there", p.until(b"cycle 2,000,000") and p.until(b"(cyclops) "), p.seen)
run = p.spent() - begun
p.send("view hot\n")
asked = p.spent()
while p.spent() - asked < run / 4:
    time.sleep(0.01)
p.send("\x03")
check("the view is stopped", p.until(b"(cyclops) "), p.seen)
begun = p.spent()
p.send("reverse-step\n")
check("a step back", p.until(b"-1 cycle"), p.seen)
check("it costs a part of the run", p.spent() - begun < run / 4, (p.spent() - begun, run))
p.end()

# The signal comes between a key and the wait for the next one: the line is dropped at once.
p = Prompt(*sys.argv[1:], LD_PRELOAD=os.environ["SHIM"], FAILS="wait 3")
check("a prompt", p.until(b"(cyclops) "), p.seen)
p.send("ab")
check("Ctrl-C after a key", p.until(b"\n(cyclops) "), p.seen)
p.send("echo answers\\n\n")
check("a line of its own", p.until(b"\nanswers"), p.seen)
p.end()
finish()
