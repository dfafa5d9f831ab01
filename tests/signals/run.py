"""Signals: each part of tests/signals/guest.c prints the same and ends the same under qemu-riscv64
and in Cyclops, without timing and in three configurations with it. Timers come in the machine's own
time: with them a run is the same each time, and where a program only counts them it is qemu's."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests"]
from checks import check_fault, finish

TOP = os.getcwd()
CYCLOPS = os.path.join(TOP, os.environ.get("CYCLOPS", "build/cyclops"))
GUEST = TOP + "/build/tests/signals/guest"
SMALL = os.environ.get("CYCLOPS_TEST_SCALE", "full") == "small"
QEMU = "qemu-riscv64"
CONFIGS = ["default", "burrows2000", "classic5"]
OURS = {"timed_storm",  # where timers come is the machine's own
        "own_error"}  # qemu drops the error
LONG = {"endless", "altstack"}  # full stacks: in one configuration


def run(command):
    r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=300)
    status = r.returncode if r.returncode >= 0 else 128 - r.returncode
    return (r.stdout, status), r.stderr.decode(errors="replace")


def differs(have, want):
    if have == want:
        return None
    a, b = have[0].decode(errors="replace").splitlines(), want[0].decode(
        errors="replace").splitlines()
    line = next((f"{x!r} in the place of {y!r}" for x, y in zip(a, b) if x != y),
        f"{len(a)} lines, not {len(b)}")
    return f"status {have[1]}, not {want[1]}; {line}"


def ours(part, *options):
    return run([CYCLOPS, "run", *options, GUEST, part])


def main():
    parts = run([QEMU, GUEST])[0][0].decode().split()
    check_fault("there are parts", None if len(parts) > 20 else "none")
    for part in parts:
        if part in OURS:
            first, second = ours(part)[0], ours(part)[0]
            check_fault(f"{part} twice", differs(second, first))
            check_fault(f"{part} ends", None if first[1] == 0 else first[1])
            continue
        want = run([QEMU, "-0", "guest", GUEST, part])[0]
        check_fault(f"{part} without timing", differs(ours(part, "--functional")[0], want))
        for config in CONFIGS[: 1 if SMALL or part in LONG else None]:
            check_fault(f"{part} on {config}", differs(ours(part, "--config", config)[0], want))
    # Saved anywhere, also in handlers, a program continues as without the save.
    want = ours("timed_storm")[0]
    for insts in range(1000, 37000, 15000 if SMALL else 3001):
        begun, _ = ours("timed_storm", "--max-insts", str(insts), "--save-to", "here")
        rest, _ = ours("timed_storm", "--restore", "here")
        check_fault(f"timed_storm saved at {insts}", differs((begun[0] + rest[0], rest[1]), want))
    # In a session: stops, messages, signals withheld from the program, and backtraces.
    with open(TOP + "/tests/signals/guest.c") as file:
        line = 1 + next(i for i, text in enumerate(file) if "i % 3 == 0" in text)
    for commands, says in (
        # over handlers of what was raised and of faults
        (f"break guest.c:{line},continue,delete,next,next,next,next,next,next",
         [f"(guest.c:{line + k})" for k in range(1, 6)]),
        ("catch signal SIGTRAP,continue,bt", ["Catchpoint 1, signal", "signal SIGTRAP, code 1",
            "handler storm_fault", "<signal handler called>", " storm+"]),
        ("handle SIGUSR1 stop,continue,continue,reverse-continue",
            ["signal SIGUSR1, code -6", "before the newest"]),
        ("handle SIGUSR1 stop,handle SIGUSR1 nostop,info breakpoints", ["No breakpoints"]),
        ("handle SIGUSR2 print,continue", ["Program received signal SIGUSR2",
            "exited with status 0"]),
        ("handle SIGUSR2 stop print,continue", ["Catchpoint 1, signal"]),
        ("handle SIGUSR1 SIGUSR2 nopass,continue", ["hits 0"]),
        ("handle SIGUSR1 SIGUSR2 nopass,run", ["hits 0"]),
        ("handle SIGTRAP nopass,continue", ["breakpoint instruction (SIGTRAP)"]),
        ("handle all stop,continue,info signals SIGSEGV SIGUSR1",
            ["Catchpoint 1, signal",
            "SIGSEGV     Yes   Yes    Yes   No       No       storm_fault"]),
        ("handle all stop,handle SIGUSR1 nostop", ["catchpoint 1 stops at all signals"]),
        ("handle SIGFOO stop", ["no signal is called 'SIGFOO'"]),
        ("handle SIGUSR1 bar", ["stop, nostop, print, noprint, pass or nopass"]),
        ("catch signal SIGUSR1 SIGFOO", ["no signal is called 'SIGFOO'"]),
        ("break storm_count,continue,up 2,finish,info signals SIGUSR1", ["storm_count", "SIGUSR1"]),
        ("view backtrace,break storm_count,continue,view backtrace", ["<signal handler called>"]),
    ):
        asks = [w for c in commands.split(",") for w in ("-e", c)]
        (out, _), err = run([CYCLOPS, "--batch", *asks, GUEST, "storm"])
        out = out.decode(errors="replace") + err
        missing = [s for s in says if s not in out]
        check_fault(commands, f"no {missing[0]!r} in: {out[-600:]}" if missing else None)
        if "stop print" in commands:
            check_fault("a stop is its only report", out if "received" in out else None)
    for part, says in (
        ("bad_stack",
            "there is no room for the frame of the handler of SIGUSR1 at sp = 0x40: SIGSEGV"),
        ("bad_return", "rt_sigreturn finds no frame at sp = 0x1000: SIGSEGV"),
        ("again", "(SIGSEGV)"),
    ):
        said = ours(part, "--functional")[1]
        check_fault(f"{part} is reported", None if says in said else said)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    main()
finish()
