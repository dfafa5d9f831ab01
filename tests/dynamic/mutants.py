"""Sessions with a program whose shared library, or the file of its debug information, has some
bytes changed at random.

  mutants.py CYCLOPS COUNT SEED      in a folder with m, libm2.so (whole), stripped.so, whole.debug,
                                     its build id in `id`, and commands in `cmds`

Each session ends with status 0 or 1, in time, and no sanitizer says anything. The last line has the number of such sessions, and of those that entered the library."""
import os
import random
import subprocess
import sys

cyclops, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
whole, stripped, debug = (open(name, "rb").read() for name in ("libm2.so", "stripped.so",
    "whole.debug"))
ident = open("id").read().strip()
place = f"sources/.build-id/{ident[:2]}/{ident[2:]}.debug"
os.makedirs(os.path.dirname(place), exist_ok=True)
good = reached = 0


def spoilt(data, first):
    """Changes some bytes from `first` on."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        out[random.randrange(first, len(out))] = random.choice(
            (0, 0xFF, 0x80, random.randrange(256)))
    return out


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


for k in range(count):
    if k % 2:
        write("libm2.so", stripped)
        write(place, spoilt(debug, 0))
    else:
        # Mostly after the loaded parts, so that the program gets there.
        write("libm2.so", spoilt(whole, 0x1000 if random.random() < 0.8 else 0))
    try:
        p = subprocess.run([cyclops, "--batch", "--ff", "60000", "--source", "sources", "-e",
            "break libfn", "-x", "cmds", "m"],
                           capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        print(f"mutant {k} of seed {seed}: no end")
        continue
    reached += b"Breakpoint 1, libfn" in p.stdout
    if p.returncode in (0, 1) and b"Sanitizer" not in p.stderr and b"runtime error" not in p.stderr:
        good += 1
    else:
        print(f"mutant {k} of seed {seed}: status {p.returncode}: "
            f"{p.stderr[-800:].decode(errors='replace')}")
print(good, reached)
