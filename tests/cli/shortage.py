#!/usr/bin/env python3
"""Every command of the program with one allocation failing: tests/cli/shortage.sh lists the rules.

  shortage.py FOLDER [COMMAND...]     works in FOLDER; those commands only

A few of the places that allocate are tried for each, by a seed that is printed (SHORTAGE_SEED
repeats it); at scale long all, their first and their last allocation. The last line but one has the
number of tries.
"""
import concurrent.futures
import os
import random
import re
import signal
import subprocess
import sys

TOP = os.getcwd()
CYCLOPS = os.environ.get("CYCLOPS", f"{TOP}/build/cyclops")
SHIM = f"{TOP}/build/tests/cli/scarce.so"
DEMOS = f"{TOP}/build/demos"
TRIES = {"small": 2, "long": 1 << 20}.get(os.environ.get("CYCLOPS_TEST_SCALE", "full"), 20)
LONG = os.environ.get("CYCLOPS_TEST_SCALE") == "long"
SEED = int(os.environ.get("SHORTAGE_SEED") or (random.randrange(1 << 32) if LONG else 1))
SAYS = re.compile(rb"out of (virtual )?memory|not enough memory|Cannot allocate memory"
    rb"|has no memory|memory (is|was) too short|memory (is|was) out"
    + rb"|" + b"out of memory".hex().encode())  # gdb's console packets

DAP = ["initialize", "launch", "threads", "stackTrace", "disconnect"]


def dap_messages():
    import json
    args = {"initialize": {"adapterID": "cyclops"}, "launch": {"program": f"{DEMOS}/fib",
        "stopOnEntry": True}, "stackTrace": {"threadId": 1}}
    out = b""
    for seq, command in enumerate(DAP, 1):
        text = json.dumps({"seq": seq, "type": "request", "command": command,
            "arguments": args.get(command, {})}).encode()
        out += b"Content-Length: %d\r\n\r\n%s" % (len(text), text)
    return out


def gdb_packets(*texts):
    return b"".join(b"$%s#%02x" % (t, sum(t) & 255) for t in texts)


# Arguments and input of each command. At least one line for each command of the
# program's own table.
FIB = f"{DEMOS}/fib"
ORACLE = ["-o", "oracle.enable=true", "-o", "oracle.contexts=true", "-o", "oracle.blocks=true"]
LINES = {
    "inspect": [
        ["inspect", "-n", "--batch", "-e", "break fib", "-e", "continue", "-e", "why", "-e",
            "backtrace", "-e", "view slots", "-e", "info types", "-e",
            "trace konata k", "-e", "step 50", FIB],
        ["inspect", "-n", "--batch", "-e", "step 300", "-e", "what-if", FIB],
        ["inspect", "-n", "--json", "-e", "step 100", "-e", "view pipe", "-e", "why", FIB],
    ],
    "run": [["run", "--summary", "--stats", "-", "--max-insts", "2000", FIB],
        ["run", "--functional", "--summary", FIB],
        ["run", "--max-insts", "3000", "--save-every", "1000", "--instrument", "bb", FIB],
        ["run", *ORACLE, "--max-insts", "3000", "--export", "callgrind=-", FIB],
        ["run", *ORACLE, "--max-insts", "3000", "--export", "folded=-", FIB],
        ["run", *ORACLE, "--max-insts", "3000", "--export", "dot-cfg=-", FIB]],
    "compare": [["compare", "--max-cycles", "3000", "inorder2", "default", "--", FIB]],
    "bakeoff": [["bakeoff", "-q", "-p", "sastry", "-a", "edges", "--max-insts", "2000", FIB]],
    "lua": [["lua", "script.lua"]],
    "sweep": [["sweep", "-j", "1", "--force", "sweep.lua"]],
    "instrument": [["instrument", "--kind", "bb", "-o", "out", FIB]],
    "microcode": [["microcode", f"{TOP}/demos/microcode/value.mic"]],
    "asm": [["asm", "-o", "program", "program.s"]],
    "values": [["values"], ["values", "results"]],
    "gdb": [["gdb", "-", FIB]],
    "dap": [["dap"]],
    "tour": [["tour"], ["tour", "--batch", "hello"]],
    "lab": [["lab"], ["lab", "page", "3"], ["lab", "grade", "--seed", "1", "1", "hand.txt"]],
    "demo": [["demo"], ["demo", "hello"]],
    "link": [["link", "--batch", "-e", "view rob", # fib in cycle 300
        "#1.eNpLSc3NV0jLTOJKzs9Ly0xXSElNSyzNKeFKrkzOSVUwNjDgyswrLilWMOfiAgBKWw3v"]],
    "manual": [["manual"]],
    "web": [["web", "--help"]], # the page is not built
    "help": [["help"], ["help", "stats"], ["help", "lua", "machine"], ["help", "--man"]],
}
SLOW = {"bakeoff": 4, "instrument": 2, "sweep": 2}
INPUT = {
    "gdb": gdb_packets(b"QStartNoAckMode", b"qSupported", b"?", b"g", b"s", b"qRcmd," +
        b"why".hex().encode(), b"qXfer:features:read:target.xml:0,fff", b"D"),
    "dap": dap_messages(),
}
FILES = {
    "script.lua": "local m = cyclops.machine{ program = '%s' }\nm:run{ cycles = 500 }\nfor i = 1, 50 do print(i, m.cycle, "
        "tostring(m.cycle) .. 'x') end\nprint(m.insts)\n" % FIB,
    "sweep.lua": "return { configs = { c = 'vaswani2003' }, programs = { fib = '%s' }, options = "
        "{ max_insts = 2000 }, out = 'swept', stats = { 'sim.cycles' } }" % FIB,
    "program.s": ".globl _start\n_start: li a0, 3\nli a7, 93\necall\n",
    "hand.txt": "1 2 3\n",
}


def start(folder, argv, **environment):
    os.makedirs(folder, exist_ok=True)
    for name, text in FILES.items():
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)
    home = f"{folder}/home"
    os.makedirs(home, exist_ok=True)
    try:
        done = subprocess.run([CYCLOPS, *argv], cwd=folder, input=INPUT.get(argv[0], b""),
            capture_output=True, timeout=100, env={**os.environ, **environment, "HOME": home,
                "LD_PRELOAD": SHIM, "LC_ALL": "C.UTF-8", "COLUMNS": "100"})
    except subprocess.TimeoutExpired as late:
        return 1000, late.stdout or b"", late.stderr or b""
    return done.returncode, done.stdout, done.stderr


def plain(text):
    """Without values that differ each time: seconds and kilobytes."""
    return re.sub(rb"\d+(\.\d+)? ?(s|ms|MB|KB|MiB|KiB)\b| *[\d,]+ +\w+/s\b|/tmp/\S+", b"#", text)


def listed():
    usage = subprocess.run([CYCLOPS, "--help"], capture_output=True, text=True).stdout
    return re.findall(r"^  cyclops \[?(\w+)", usage, re.M)


def attempt(folder, argv, n, libraries, first):
    which = {"SCARCE_LIBRARIES": "1"} if libraries else {}
    status, out, err = start(folder, argv, SCARCE_AT=str(n), **which)
    if status == first[0] and plain(out) == plain(first[1]) and plain(err) == plain(first[2]):
        return None
    served = argv[0] in ("gdb", "dap") # one answer reports it, the next may succeed
    if (served or status > 0) and 0 <= status < 1000 and SAYS.search(err + out):
        return None
    # libdw sometimes uses NULL; a crash is at least no false result.
    if libraries and status == -signal.SIGSEGV:
        return None
    return (f"cyclops {' '.join(argv)}: allocation {n}{' with libraries' * libraries}: status "
        f"{status}, of {first[0]}; {err.decode(errors='replace')[-300:]!r}, output of {len(out)} "
        f"bytes, of {len(first[1])}")


def main():
    folder, *only = sys.argv[1:]
    commands = listed()
    missing = set(commands) - set(LINES)
    assert commands and not missing, f"no line for {missing}"
    dice = random.Random(SEED)
    print(f"SHORTAGE_SEED={SEED}")
    jobs, wrong, count = [], [], 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for command in only or commands:
            for argv in LINES[command]:
                for libraries in (False, True):
                    which = {"SCARCE_LIBRARIES": "1"} if libraries else {}
                    listed_in = f"{folder}/places"
                    first = start(f"{folder}/0", argv, SCARCE_PLACES=listed_in, **which)
                    with open(listed_in) as f:
                        places = sorted(tuple(map(int, line.split())) for line in f)
                    assert first[0] in (0, 124) and places, (argv, first)
                    tries = TRIES // (1 + 2 * libraries) // SLOW.get(command, 1) + 1
                    numbers = dice.sample(places, min(tries, len(places)))
                    numbers = {n for place in numbers for n in (place if LONG else place[:1])}
                    for n in sorted(numbers):
                        count += 1
                        jobs.append(pool.submit(attempt, f"{folder}/{count}", argv, n, libraries,
                            first))
        wrong = [said for said in (job.result() for job in jobs) if said]
    for said in wrong:
        print(said)
    print(f"checks: {count}")
    sys.exit(bool(wrong))


main()
