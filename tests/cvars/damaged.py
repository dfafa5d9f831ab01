"""Damages debug information: damaged.py PROGRAM SEED OUT flips or copies bytes in one section of
it.

Sections of variables, their places and call frames; the same damage for the same seed.
"""
import random
import re
import subprocess
import sys

SECTIONS = [".debug_info", ".debug_abbrev", ".debug_loclists", ".debug_rnglists", ".debug_line",
    ".debug_str", ".debug_aranges", ".eh_frame"]


def sections(path):
    text = subprocess.run(["riscv64-linux-gnu-readelf", "-SW", path], capture_output=True,
        text=True, check=True).stdout
    found = {}
    for name, offset, size in re.findall(r"\] (\.\S+) +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)",
            text):
        if name in SECTIONS and int(size, 16):
            found[name] = (int(offset, 16), int(size, 16))
    return found


program, seed, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
r = random.Random(seed)
data = bytearray(open(program, "rb").read())
found = sections(program)
name = sorted(found)[seed % len(found)]
start, size = found[name]
for _ in range(r.choice([1, 1, 2, 4, 16])):
    at = start + r.randrange(size)
    if r.random() < 0.3:
        n = min(r.choice([2, 4, 8, 64]), start + size - at)
        source = start + r.randrange(size - n + 1)
        data[at : at + n] = data[source : source + n]
    else:
        data[at] = r.choice([0, 0xFF, 0x7F, 0x80, data[at] ^ 1 << r.randrange(8), r.randrange(256)])
open(out, "wb").write(data)
print(name)
