# A cyclops that listens (`cyclops gdb`, `cyclops dap`), for tests that are its peers.
import os
import signal
import subprocess
import time

CYCLOPS = os.environ.get("CYCLOPS", "build/cyclops")
PATIENCE = 60


class Listener:
    """Waits for the message that it listens; `said`: the output so far."""

    def __init__(self, command, waits, *args, stdin=subprocess.DEVNULL, env=None):
        self.process = subprocess.Popen([CYCLOPS, command, *args], stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.said = b""
        while waits not in self.said:
            line = self.process.stderr.readline()
            if not line:
                break
            self.said += line

    def moves(self):
        """Waits until it has used a processor for a twentieth of a second from now on: an endless
        motion that was requested before is under way."""
        def used():
            with open("/proc/%d/stat" % self.process.pid) as f:
                return sum(int(n) for n in f.read().rsplit(")", 1)[1].split()[11:13])

        begun = used()
        while self.process.poll() is None and used() < begun + os.sysconf("SC_CLK_TCK") // 20:
            time.sleep(0.01)

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
