#!/usr/bin/env python3
"""Ctrl-C on a terminal ends any script: in a session, which goes on, and of `cyclops lua`.

  interrupts.py FOLDER PROGRAM [KIND...]

A process that still runs a minute later has missed it. The time decides nothing.
"""
import concurrent.futures
import os
import pty
import re
import select
import signal
import sys
import time

CYCLOPS = os.path.abspath(os.environ["CYCLOPS"])
FOLDER, PROGRAM, *ONLY = sys.argv[1:]
PROGRAM = os.path.abspath(PROGRAM)
PATIENCE = 60
MACHINE = "local m = cyclops.machine{ program = arg and arg[1] or PROGRAM } "
KINDS = {
    "loop": "while true do end",
    "pcall": "while true do pcall(function() while true do end end) end",
    "error": "while true do pcall(error, 'x') end",
    "xpcall": "while true do xpcall(function() while true do end end, function(e) while true do end "
        "end) end",
    "coroutine": "while true do local c = coroutine.wrap(function() while true do "
        "coroutine.yield(1) end end) for i = 1, 1e6 do c() end end",
    "coroutines": "local function f() while true do local c = coroutine.create(function() "
        "pcall(function() while true do end end) end) coroutine.resume(c) coroutine.close(c) end "
        "end f()",
    "rep": "while true do pcall(string.rep, 'x', 1 << 33, ',') end",
    "gsub": "local s = string.rep('x', 1000000) while true do s:gsub('x', function() end) end",
    "find": "local s = string.rep('a', 60000) while true do pcall(string.find, s, "
        "string.rep('a-', 30) .. 'b') end",
    "sort": "local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 200003 end while true do "
        "pcall(table.sort, t, function(a, b) pcall(error) return a < b end) end",
    "concat": "local t = {} for i = 1, 100000 do t[i] = 'x' end while true do pcall(table.concat, t)"
        " end",
    "move": "while true do pcall(table.move, {}, 1, 1 << 40, 2) end",
    "close": "while true do pcall(function() local x <close> = setmetatable({}, { __close = "
        "function() while true do end end }) error('x') end) end",
    "finalizer": "setmetatable({}, { __gc = function() while true do end end }) "
        "while true do collectgarbage() end",
    "finalizers": "while true do debug.setmetatable({}, { __gc = function() while true do "
        "pcall(error) end end }) end",
    "index": "local t = setmetatable({}, { __index = function(t, k) while true do end end }) "
        "while true do pcall(function() return t.x end) end",
    "tostring": "while true do pcall(print, setmetatable({}, { __tostring = function() while true do "
        "end end })) end",
    "load": "while true do pcall(load, function() return ' ' end) end",
    "hooks": "pcall(function() debug.sethook() end) pcall(function() debug.sethook(coroutine."
        "running()) end) while true do pcall(function() while true do end end) end",
    "globals": "pcall, xpcall, error, coroutine.resume = nil, nil, nil, nil while true do end",
    "execute": "while true do pcall(os.execute, 'sleep 300') end",
    "execute_more": "while true do pcall(os.execute, 'sleep 300; sleep 300') end",
    "popen": "while true do pcall(function() io.popen('sleep 300'):read('a') end) end",
    "popen_close": "while true do pcall(function() io.popen('sleep 300'):close() end) end",
    "run": MACHINE + "while true do pcall(m.run, m) end",
    "hook": MACHINE + "m:on('commit', function() while true do pcall(error, 'x') end end) while true "
        "do pcall(m.run, m) end",
    "command": MACHINE + "while true do pcall(m.cmd, m, 'shell sleep 300') end",
    "predicate": MACHINE + "while true do pcall(m.run, m, { stop = function() while true do end end "
        "}) end",
}


class Terminal:
    def __init__(self, words):
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update(HOME=FOLDER, TERM="dumb", LC_ALL="C.UTF-8")
            os.chdir(FOLDER)
            os.execv(CYCLOPS, [CYCLOPS, *words])

    def see(self, what, times=1):
        """True if it is shown so many times within the time limit."""
        until = time.monotonic() + PATIENCE
        while len(re.findall(what, self.shown)) < times and time.monotonic() < until:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.fd, 65536)
                except OSError:
                    break
        return len(re.findall(what, self.shown)) >= times

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """The status; None: it ran on, and was killed."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.shown += os.read(self.fd, 65536)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def in_session(kind, text):
    t = Terminal(["-n", "--no-screen", PROGRAM])
    t.type(f"lua PROGRAM = '{PROGRAM}' print(6 * 7)\n")
    if not t.see(rb"42\r?\n"):
        return "it does not begin"
    t.type(f"lua io.stdout:write('be', 'gun ') io.stdout:flush() {text}\n")
    if not t.see(b"begun "):
        return "the script does not begin"
    time.sleep(0.2)
    t.type("\x03")
    t.type("lua print(600 * 7)\n")
    wrong = None if t.see(rb"4200\r?\n") else f"the session is gone, or waits: {t.shown[-200:]!r}"
    t.type("quit\n")
    t.end()
    return wrong


def alone(kind, text, typed):
    with open(f"{FOLDER}/{kind}.lua", "w") as f:
        f.write(f"io.stdout:write('be', 'gun ') io.stdout:flush() {text}\n")
    t = Terminal(["lua", f"{kind}.lua", PROGRAM])
    if not t.see(b"begun "):
        return "the script does not begin"
    time.sleep(0.2)
    if typed:
        t.type("\x03")
    else:
        os.kill(t.pid, signal.SIGINT)
    status = t.end()
    if status is None:
        return "it goes on"
    if status != signal.SIGINT and os.waitstatus_to_exitcode(status) != 128 + signal.SIGINT:
        return f"status {status}: {t.shown[-200:]!r}"
    return None


def main():
    wrong, jobs = 0, {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for kind, text in KINDS.items():
            if ONLY and kind not in ONLY:
                continue
            jobs[pool.submit(in_session, kind, text)] = kind, "Ctrl-C in a session"
            jobs[pool.submit(alone, kind, text, True)] = kind, "Ctrl-C of cyclops lua"
            jobs[pool.submit(alone, f"{kind}-sent", text, False)] = kind, "SIGINT of cyclops lua"
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                wrong += 1
                print(f"FAIL: {jobs[job][0]}, {jobs[job][1]}: {job.result()}", flush=True)
    print(f"checks: {len(jobs)}")
    sys.exit(bool(wrong))


main()
