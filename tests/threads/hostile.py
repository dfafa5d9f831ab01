"""Attacks with threads, signals, timers and waiting (hostile.c), each from several seeds, without
timing and with it: Cyclops itself neither crashes nor hangs, says nothing of itself but what a
guest may cause, and is the same each time; no other process hears of a signal."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests"]
from checks import check_fault, finish

TOP = os.getcwd()
CYCLOPS = os.path.join(TOP, os.environ.get("CYCLOPS", "build/cyclops"))
GUEST = TOP + "/build/tests/threads/hostile"
SCALE = os.environ.get("CYCLOPS_TEST_SCALE", "full")
SEEDS = {"small": 1, "long": 60}.get(SCALE, 5)
TIMED = {"timers"}  # what it sees depends on simulated time
# the program's own ends: by itself, stopped at the limit, by a fault's signal, or because nothing
# can happen any more
ENDS = {0, 124, 125, 128 + 4, 128 + 11, 128 + 7}


def attack(name, seed, *options):
    victims = [str(os.getpid()), str(os.getppid()), str(victim.pid), "999", "1", "-1000000"]
    limit = ["--max-insts", "2M"] if name in TIMED else ["--max-insts", "20M"]
    command = [CYCLOPS, "run", *limit, *options, GUEST, name, str(seed), *victims]
    try:
        r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600)
    except subprocess.TimeoutExpired:
        check_fault(f"{name} {seed} {options}", "hangs")
        return b"", 0
    said = r.stderr.decode(errors="replace")
    wrong = r.returncode not in ENDS and f"status {r.returncode}"
    if r.returncode == 125 and "no thread can go on" not in said and "waits for" not in said:
        wrong = "no deadlock"
    if "assert" in said.lower() or "Sanitizer" in said:
        wrong = "it breaks"
    check_fault(f"{name} {seed} {options}", wrong and f"{wrong}: {said[-400:]}")
    return r.stdout, r.returncode


def main():
    names = subprocess.run([CYCLOPS, "run", "--functional", GUEST], stdout=subprocess.PIPE,
        check=True).stdout.decode().split()
    check_fault("attacks", len(names) < 8 and names)
    for name in names:
        for seed in range(1, SEEDS + 1):
            plain = attack(name, seed, "--functional")
            timed = attack(name, seed)
            if name not in TIMED:
                check_fault(f"{name} {seed} with timing",
                    plain != timed and f"{timed}, without {plain}")
            elif seed == 1:
                check_fault(f"{name} {seed} again", attack(name, seed) != timed and "differs")
        if name == "bomb":
            check_fault("a bomb",
                not plain[0].startswith(b"63 threads, then Resource temporarily unavailable")
                and plain[0])
    check_fault("the others",
        victim.poll() is not None and f"a process was killed: {victim.returncode}")


victim = subprocess.Popen(["sleep", "1000"])
try:
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        main()
finally:
    victim.kill()
    victim.wait()
finish()
