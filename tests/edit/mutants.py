#!/usr/bin/env python3
"""Changes one field of a program's section headers, relocations or symbols at a time, instruments
the result and runs both: a file instrumented without a warning must do the same as before.

  mutants.py CYCLOPS DIR SEED COUNT PROGRAM...    of each program; DIR is for files

It prints what went wrong, a line each, and how many mutants were refused, warned of and
accepted."""

import collections
import os
import random
import struct
import subprocess
import sys

KINDS = ["bb", "cct", "path", "edge", "nothing", "cct+path", "callgraph", "bb=1"]
SHDR = [("name", 0, 4), ("type", 4, 4), ("flags", 8, 8), ("addr", 16, 8), ("offset", 24, 8),
    ("size", 32, 8), ("link", 40, 4), ("info", 44, 4),
        ("addralign", 48, 8), ("entsize", 56, 8)]
RELA = [("offset", 0, 8), ("type", 8, 4), ("symbol", 12, 4), ("addend", 16, 8)]
SYM = [("value", 8, 8), ("size", 16, 8), ("type", 4, 1), ("shndx", 6, 2)]
SHT_SYMTAB, SHT_RELA = 2, 4
STEPS = [1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 100, 256, 4096]


class Program:
    def __init__(self, path):
        self.path = path
        self.bytes = open(path, "rb").read()
        shoff, = struct.unpack_from("<Q", self.bytes, 0x28)
        count, self.names_index = struct.unpack_from("<HH", self.bytes, 0x3c)
        self.heads = [shoff + 64 * i for i in range(1, count)]
        self.relocs, self.symbols = [], []
        for head in self.heads:
            kind = self.field(head + 4, 4)
            at, size, entry = (self.field(head + place, 8) for place in (24, 32, 56))
            if kind == SHT_RELA:
                self.relocs += range(at, at + size, entry)
            elif kind == SHT_SYMTAB:
                self.symbols += range(at + entry, at + size, entry)

    def field(self, at, size):
        return int.from_bytes(self.bytes[at:at + size], "little")


def near(rng, value, size):
    """Another value of a field: a little more or less, a flipped bit, or zero."""
    while True:
        what = rng.randrange(8)
        now = (0 if what == 0 else value ^ 1 << rng.randrange(min(8 * size, 20)) if what == 1 else
               value + rng.choice(STEPS) * rng.choice([-1, 1])) & ((1 << 8 * size) - 1)
        if now != value:
            return now


def mutate(p, rng):
    """(what it is, place, bytes)"""
    what = rng.randrange(5)
    table, fields, name = [(p.heads, SHDR, "section"), (p.relocs, RELA, "relocation"),
        (p.symbols, SYM, "symbol")][[0, 1, 1, 1, 2][what] if what < 4 else 2]
    at = rng.choice(table)
    field, place, size = rng.choice(fields)
    old = p.field(at + place, size)
    others = [p.field(other + place, size) for other in table]
    now = rng.choice(others) if rng.randrange(3) == 0 else near(rng, old, size)
    if (name, field) == ("relocation", "type"):
        now = rng.choice(others + list(range(62)))
    elif (name, field) == ("symbol", "type"):
        now = old & 0xf0 | rng.choice([0, 1, 2, 3, 4, 6, 10])
    elif (name, field) in [("symbol", "shndx"), ("section", "link"), ("section", "info")]:
        now = rng.choice([0, 0xfff1, *range(len(p.heads) + 2)])
    elif (name, field) == ("relocation", "symbol"):
        now = rng.randrange(len(p.symbols) + 2)
    elif (name, field) == ("section", "type"):
        now = rng.choice([0, 1, 2, 3, 4, 7, 8, 14, 15])
    elif (name, field) == ("section", "flags"):
        now = old ^ 1 << rng.randrange(12)
    text = f"{name} {table.index(at) + 1} {field}: {old:#x} -> {now:#x}"
    return None if now == old else (text, at + place, now.to_bytes(size, "little"))


def run(command, seconds=60):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "time", b"", b""
    return done.returncode, done.stdout, done.stderr


def main():
    cyclops, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    wrong, sums = 0, collections.Counter()
    verbose = os.environ.get("MUTANTS_SAY")
    mutant, new = os.path.join(folder, "mutant"), os.path.join(folder, "new")
    for turn, path in enumerate(sys.argv[5:]):
        p = Program(path)
        rng = random.Random(f"{seed} {os.path.basename(path)}")
        right = run([cyclops, "run", "--functional", path])[:2]
        for k in range(count):
            change = None
            while not change:
                change = mutate(p, rng)
            text, at, field = change
            with open(mutant, "wb") as file:
                file.write(p.bytes[:at] + field + p.bytes[at + len(field):])
            kind = KINDS[0] if k % 2 else KINDS[1 + (k // 2 + turn) % (len(KINDS) - 1)]
            status, _, said = run([cyclops, "instrument", "--kind", kind, "-o", new, mutant])
            if status not in (0, 125) or (status and not said.startswith(b"cyclops: ")):
                print(f"{path}: {text}: {kind}: instrument ends with {status}: {said[-300:]!r}")
                wrong += 1
                continue
            if status:
                sums["refused"] += 1
                if verbose:
                    print(f"  {path}: {text}: {said.decode().strip()}")
                continue
            warned = b"bytes deny" in said
            sums["warned of" if warned else "accepted"] += 1
            # Files that the loader refuses, or that run differently, do not concern the
            # instrumenter. A program's own headers are untouched.
            got = run([cyclops, "run", "--functional", new], 20)
            if got[:2] == right:
                continue
            if run([cyclops, "run", "--functional", mutant], 20)[:2] != right:
                sums["different before"] += 1
                continue
            sums["wrong, with a warning" if warned else "wrong"] += 1
            wrong += 1
            print(f"{path}: {text}: {kind}: runs differently: {got[0]} {got[1][-60:]!r} "
                f"{got[2][:100]!r}")
    print(", ".join(f"{n} {what}" for what, n in sorted(sums.items())))
    sys.exit(wrong != 0)


main()
