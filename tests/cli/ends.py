#!/usr/bin/env python3
"""Every mode of the program is ended by SIGTERM or SIGHUP, scripts also by SIGINT, at random
moments: tests/cli/ends.sh lists the rules.

  ends.py FOLDER [MODE...]

ENDS_SEED repeats the moments. A process that has not ended a minute after the signal has lost it;
the times are printed, and decide nothing.
"""
import concurrent.futures
import ctypes
import fcntl
import glob
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time

TOP = os.getcwd()
CYCLOPS = os.environ.get("CYCLOPS", f"{TOP}/build/cyclops")
if not os.path.isabs(CYCLOPS):
    CYCLOPS = f"{TOP}/{CYCLOPS}"
MOMENTS = {"small": 2, "long": 200}.get(os.environ.get("CYCLOPS_TEST_SCALE", "full"), 4)
SEED = int(os.environ.get("ENDS_SEED") or random.randrange(1 << 32))
PATIENCE = 60
DEMOS = f"{TOP}/build/demos"
LONG = ["long"]
FIB = f"{DEMOS}/fib"

MACHINE = "local m = cyclops.machine{ program = 'long' }\n"
SCRIPTS = {
    "loop": "while true do end",
    "pcall": "while true do pcall(function() while true do end end) end",
    "pcall_error": "while true do pcall(error, 'x') end",
    "handler": "while true do xpcall(function() while true do end end, function(e) return e end) end",
    "coroutine": "while true do local c = coroutine.wrap(function() while true do "
        "coroutine.yield(1) end end) for i = 1, 1e6 do c() end end",
    "coroutine_pcall": "while true do local c = coroutine.create(function() while true do "
        "pcall(function() while true do end end) end end) coroutine.resume(c) end",
    "pattern": "local s = string.rep('a', 60000) while true do pcall(string.find, s, "
        "string.rep('a-', 30) .. 'b') end",
    "gsub": "local s = string.rep('x', 1000000) while true do s:gsub('x', function() end) end",
    "sort": "local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 200003 end while true do "
        "pcall(table.sort, t, function(a, b) return a < b end) end",
    "concat": "local t = {} for i = 1, 100000 do t[i] = 'x' end while true do table.concat(t) end",
    "close": "while true do local x <close> = setmetatable({}, { __close = function() for i = 1, "
        "1e6 do end end }) pcall(error) end",
    "finalizer": "setmetatable({}, { __gc = function() while true do end end }) while true do "
        "collectgarbage() end",
    "run": MACHINE + "m:run()",
    "run_pcall": MACHINE + "while true do pcall(m.run, m, { cycles = 1000 }) end",
    "run_pieces": MACHINE + "for i = 1, 1e9 do m:run{ cycles = 100 } end",
    "run_again": "while true do pcall(function()\n" + MACHINE + "m:run()\nend) end",
    "reverse": MACHINE + "m:run{ cycles = 200000 } while true do pcall(function() m:step(-50000) "
        "m:run{ cycles = 50000 } end) end",
    "hook": MACHINE + "m:on('commit', function() pcall(error, 'x') end) while true do pcall(m.run, "
        "m) end",
    "views": MACHINE + "m:run{ cycles = 20000 } while true do pcall(m.cmd, m, 'view slots') "
        "pcall(m.cmd, m, 'info types') end",
    "execute": "while true do os.execute('sleep 300') end",
    "popen": "while true do io.popen('sleep 300'):read('a') end",
    "checkpoint": MACHINE + "m:run{ cycles = 20000 } while true do pcall(m.cmd, m, 'save here') "
        "pcall(m.cmd, m, 'restore here') end",
    "what_if": MACHINE + "m:run{ cycles = 20000 } while true do pcall(m.cmd, m, 'what-if') end",
}
PLUGIN = "return { predict = function() for i = 1, 20 do pcall(error) end return true end }"


# Never ends: loads, stores, calls, branches both ways, a system call now and then.
ENDLESS_C = """
#include <unistd.h>
static long table[4096];
static int at(long i) { return table[i & 4095] & 1; }
int main(void)
{
	for (long i = 0;; i++) {
		table[i * 7 & 4095] += at(i) ? i : i * 3;
		if (!(i & 0xfffff))
			getppid();
	}
}
"""


def lua(name, *options):
    return ["lua", *options, f"{name}.lua"]


MODES = {
    "run": ["run", *LONG],
    "run-functional": ["run", "--functional", *LONG],
    "run-stats": ["run", "--stats", "stats.json", "--summary", *LONG],
    "run-history": ["run", "--history", *LONG],
    "run-save": ["run", "--save-every", "20k", "--save-keep", "2", *LONG],
    "run-sample": ["run", "--sample", "U=1000,W=1000", "--max-insts", "20G", *LONG],
    "run-simpoint": ["run", "--simpoint", "5,interval=100k", "--max-insts", "20G", *LONG],
    "run-ff": ["run", "--ff", "500M", *LONG],
    "run-warm": ["run", "--ff", "500M", "--warmup", *LONG],
    "run-instrument": ["run", "--instrument", "path", *LONG],
    "run-devices": ["run", "-o", "oracle.enable=true", "-o", "oracle.blocks=true", *LONG],
    "run-flame": ["run", "-o", "oracle.enable=true", "-o", "oracle.contexts=true", "--export",
        "callgrind=out.calls", *LONG],
    "run-values": ["run", "--values", "results", *LONG],
    "run-restore": ["run", "--restore", "saved", *LONG],
    "run-c": ["run", "long.c"],
    "batch": ["-n", "--batch", "-e", "continue", *LONG],
    "batch-trace": ["-n", "--batch", "-e", "trace konata k", "-e", "trace chrome c.json", "-e",
        "continue", *LONG],
    "batch-reverse": ["-n", "--batch", "-e", "step 300000", "-e", "reverse-step 200000", "-e",
        "step 300000", "-e", "what-if", "-e", "continue", *LONG],
    "batch-html": ["-n", "--batch", "-e", "step 100000", "-e", "export html page.html", "-e",
        "export html page2.html", "-e", "continue", *LONG],
    "batch-debug": ["-n", "--batch"] + 30 * ["-e", "info types", "-e", "info variables", "-e",
        "info functions"] + [f"{DEMOS}/lisp"],
    "batch-shell": ["-n", "--batch", "-e", "shell sleep 300; true", FIB],
    "batch-lua": ["-n", "--batch", "-e", "lua while true do pcall(function() while true do end end) "
        "end", FIB],
    "json": ["-n", "--json", "-e", "continue", *LONG],
    "batch-input": ["-n", "--batch", FIB],
    "gdb": ["gdb", "-", *LONG],
    "gdb-listen": ["gdb", "--listen", "unix:socket", *LONG],
    "dap": ["dap"],
    "dap-listen": ["dap", "--listen", "unix:socket", FIB],
    "compare": ["compare", "inorder2", "default", "--", *LONG],
    "bakeoff": ["bakeoff", "-q", "--max-insts", "5M", *LONG],
    "sweep": ["sweep", "-j", "2", "--force", "sweep.lua"],
    "instrument": ["instrument", "--kind", "path+hw", "-o", "made", f"{DEMOS}/lisp"],
    "asm": ["asm", "-o", "made", "task.s"],
    "lab-grade": ["lab", "grade", "6", "hand-1.s", "hand-2.s", "hand-3.s"],
    "lab": ["lab", "--batch", "3"],
    "tour": ["tour", "--batch", "profile"],
    "demo": ["demo", "lisp"],
    "help": ["help", "--man"],
    "manual": ["manual"],
    "plugin": ["run", "--plugin", "bpred.kind=plugin.lua", *LONG],
    **{f"lua-{name}": lua(name) for name in SCRIPTS},
    **{f"safe-{name}": lua(name, "--lua-safe", "--lua-steps", "1000000000000") for name in SCRIPTS
        if name not in ("execute", "popen", "checkpoint", "run_again", "finalizer")},
    "terminal-prompt": ["-n", "--no-screen", *LONG],
    "terminal-continue": ["-n", "--no-screen", "-e", "continue", *LONG],
    "terminal-lua": ["-n", "--no-screen", "-e", "lua while true do pcall(function() while true do "
        "end end) end", FIB],
    "terminal-screen": ["-n", *LONG],
    "terminal-screen-run": ["-n", *LONG],
    "terminal-screen-lua": ["-n", *LONG],
    "terminal-screen-back": ["-n", "-e", "step 200000", *LONG],
    "terminal-lab": ["lab", "3"],
    "terminal-asm": ["asm", "task.s"],
    "terminal-start": [],
    "terminal-tour": ["tour", "hello"],
}
TYPED = {"terminal-screen-lua": b":lua while true do pcall(function() while true do end end) end\n",
    "terminal-screen-back": b":reverse-step 150000\n",
    "terminal-continue": b"continue\n", "terminal-screen-run": b"c", "terminal-lua":
    b"lua while true do pcall(function() while true do end end) end\n"}
PIPED = {"batch-input", "gdb", "gdb-listen", "dap", "dap-listen"}  # with input that stays open
GDB = b"$c#63"


def prepare(folder):
    os.makedirs(f"{folder}/tmp")
    os.makedirs(f"{folder}/home")
    os.link(f"{folder}/../long", f"{folder}/long")
    for name, text in SCRIPTS.items():
        with open(f"{folder}/{name}.lua", "w") as f:
            f.write(text + "\n")
    files = {
        "plugin.lua": PLUGIN,
        "sweep.lua": f"return {{ configs = {{ a = 'default', b = 'inorder2' }}, programs = {{ s = "
            f"'long' }}, options = {{ }}, out = "
            "'swept', stats = { 'sim.cycles' } }",
        "long.c": ENDLESS_C,
        "task.s": ".globl _start\n_start: li a0, 3\nli a7, 93\necall\n",
        **{f"hand-{i}.s": ".globl sum\nsum: j sum\n" for i in (1, 2, 3)},
    }
    for name, text in files.items():
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)


def belongings(mark):
    """Our processes without a parent, which have that mark in their environment."""
    found = []
    for path in glob.glob("/proc/self/task/*/children"):
        try:
            with open(path) as f:
                pids = f.read().split()
        except OSError:
            continue
        for pid in pids:
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if mark in f.read().split(b"\0"):
                        found.append(int(pid))
            except OSError:
                pass
    return found


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as f:
            return f.read().replace("\0", " ")[:100]
    except OSError:
        return "(gone)"


def states(pids):
    out = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                    out.append(pid)
        except OSError:
            pass
    return out


def one(folder, mode, number, after):
    """The error, or None; and how long it took to end, or None if it had ended before."""
    prepare(folder)
    mark = f"ENDS_MARK={folder}".encode()
    environment = {**os.environ, "HOME": f"{folder}/home", "TMPDIR": f"{folder}/tmp", "TERM":
        "xterm-256color", "ENDS_MARK": folder, "LC_ALL": "C.UTF-8"}
    terminal = mode.startswith("terminal-")
    argv = [CYCLOPS, *MODES[mode]]
    if mode == "run-restore":
        subprocess.run([CYCLOPS, "run", "--max-insts", "50k", "--save-to", "saved", *LONG],
            cwd=folder, env={**environment, "ENDS_MARK": ""}, capture_output=True,
            stdin=subprocess.DEVNULL)
    if terminal:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, b"\x1e\0\x64\0\0\0\0\0")
        before = termios.tcgetattr(slave)
        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
    else:
        streams = {"stdin": subprocess.PIPE if mode in PIPED else subprocess.DEVNULL,
            "stdout": open(f"{folder}/out", "wb"), "stderr": open(f"{folder}/err", "wb")}

    def session():
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        if terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    child = subprocess.Popen(argv, cwd=folder, env=environment, preexec_fn=session, **streams)
    shown = b""

    def pump(until, what=None):
        nonlocal shown
        while terminal and time.monotonic() < until:
            if what and what() is not None:
                return
            ready, _, _ = select.select([master], [], [], 0.02)
            if ready:
                shown += os.read(master, 65536)
    if mode == "gdb":
        child.stdin.write(GDB)
        child.stdin.flush()
    deadline = time.monotonic() + after
    if terminal:
        if mode in TYPED:
            pump(min(deadline, time.monotonic() + after / 3))
            os.write(master, TYPED[mode])
        pump(deadline)
    time.sleep(max(0, deadline - time.monotonic()))
    over = child.poll() is not None
    began = time.monotonic()
    if not over:
        child.send_signal(number)
    wrong = None
    if terminal:
        pump(began + PATIENCE, child.poll)
    try:
        status = child.wait(0 if terminal else PATIENCE)
    except subprocess.TimeoutExpired:
        status = None
    took = None if over else time.monotonic() - began
    if status is None:
        wrong = f"it goes on {PATIENCE} s later"
    elif not over and status not in (-number, 128 + number, 0):
        wrong = f"status {status}"
    elif status == 0 and mode in ENDLESS:
        wrong = "status 0"
    # Its child processes end, too, and may need a moment.
    until = time.monotonic() + PATIENCE
    while states(belongings(mark)) and time.monotonic() < until and status is not None:
        time.sleep(0.02)
    left = states(belongings(mark))
    if left and status is not None:
        wrong = wrong or f"processes are left: {[words_of(pid) for pid in left]}"
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    child.wait()
    if terminal:
        while select.select([master], [], [], 0)[0]:
            shown += os.read(master, 65536)
        if status is not None and termios.tcgetattr(slave) != before:
            wrong = wrong or "the terminal's modes are others"
        if shown.rfind(b"\x1b[?1049h") > shown.rfind(b"\x1b[?1049l"):
            wrong = wrong or "the terminal's other screen is on"
        os.close(master)
        os.close(slave)
    elif streams["stdin"] == subprocess.PIPE:
        child.stdin.close()
    if status is not None and os.listdir(f"{folder}/tmp"):
        wrong = wrong or f"left in the folder for temporary files: {os.listdir(folder + '/tmp')}"
    rest = [n for n in os.listdir(folder) if n.startswith(".cyclops-")]
    if rest:
        wrong = wrong or f"left: {rest}"
    if wrong and not terminal:
        with open(f"{folder}/err", "rb") as f:
            wrong += f" ({f.read()[-200:]!r})"
    if wrong is None:
        subprocess.run(["rm", "-rf", folder])
    return wrong, took


# Modes whose status can't be 0, at any moment of the signal.
ENDLESS = {m for m, argv in MODES.items() if m.startswith(("lua-", "safe-", "batch-shell")) or
    LONG[0] in argv}


def main():
    folder, *only = sys.argv[1:]
    dice = random.Random(SEED)
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with open(f"{folder}/long.c", "w") as f:
        f.write(ENDLESS_C)
    subprocess.run(["riscv64-linux-gnu-gcc", "-O1", "-g", "-static", "-Wl,--emit-relocs", "-o",
        "long", "long.c"], cwd=folder, check=True)
    print(f"ENDS_SEED={SEED}")
    jobs, wrong, done, longest = {}, 0, 0, {}
    moments = [(mode, i) for i in range(MOMENTS) for mode in only or MODES]
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1) + 2) as pool:
        for mode, i in moments:
            number = dice.choice([signal.SIGTERM, signal.SIGHUP] +
                [signal.SIGINT] * mode.startswith(("lua-", "safe-")))
            after = dice.choice([0.02, 0.1, 0.6, 1.2]) * dice.random() + 0.005
            job = pool.submit(one, f"{folder}/{mode}-{i}", mode, number, after)
            jobs[job] = mode, number, after
        for job in concurrent.futures.as_completed(jobs):
            mode, number, after = jobs[job]
            said, took = job.result()
            done += 1
            if took is not None:
                longest[mode] = max(longest.get(mode, 0), took)
            if said:
                wrong += 1
                print(f"FAIL: {mode}, signal {number} after {after:.3f} s: {said}", flush=True)
            if done % 1000 == 0:
                print(f"{done} of {len(jobs)}, {wrong} failed", flush=True)
    print("longest, in seconds: " + ", ".join(f"{m} {t:.2f}" for m, t in sorted(longest.items(),
        key=lambda x: -x[1])[:12]))
    print(f"checks: {len(jobs)}")
    sys.exit(bool(wrong))


main()
