#!/usr/bin/env python3
# A model of Ammons, Ball and Larus' flow sensitive profiling of hardware metrics (section 3), from
# the paper: a path's metric is that of its own instructions, with those that count it, and without
# its callees'. ammons.lua has the paths of an instrumented program, their counts and metrics.
#
#   ammons.py PATHS DISASSEMBLY
#
# Each execution of a path has the same instructions: its metric is a multiple of its count, but for
# paths that begin at a loop's head, to which several jumps lead. The program's own of them follow
# from the disassembly of the program without instrumentation. The rest counts the path: at most
# READ, EDGE for each block and CALL for each call. One instruction may be missing: a path that is
# cut before setjmp() ends there.
import re
import sys

sys.path[:0] = ["tests"]
from checks import check, finish

READ, EDGE, CALL = 16, 6, 24
LINE = re.compile(r"^\s*([0-9a-f]+):\s+([0-9a-f]+)\s+(\S+)\s*([^#<]*)")
functions, at, after = {}, {}, {}
previous = None
for line in open(sys.argv[2]):
    head = re.match(r"^([0-9a-f]+) <(.+)>:$", line)
    if head:
        functions.setdefault(head[2], []).append(int(head[1], 16))
        continue
    inst = LINE.match(line)
    if inst:
        pc = int(inst[1], 16)
        at[pc] = inst[3], inst[4].strip()
        after[previous], previous = pc, pc


def kind(pc):
    name, operands = at[pc]
    if name in ("jal", "jalr", "c.jalr"):
        first = operands.split(",")[0]
        link = "ra" if "," not in operands and name == "jalr" else first
        return "call" if name == "jal" and "," not in operands or link in ("ra", "t0") else "jump"
    if name in ("j", "jr", "ret", "ecall", "ebreak"):
        return "jump" if name != "ecall" and name != "ebreak" else "plain"
    return "jump" if re.match(r"b(eq|ne|lt|ge|gt|le)", name) else "plain"


# Instructions and calls of a path from its blocks; the last block ends at a jump, or before a
# loop's head, one of `stops`.
def walk(base, blocks, stops):
    insts = calls = 0
    for i, block in enumerate(blocks):
        pc = base + block
        follows = {base + blocks[i + 1]} if i + 1 < len(blocks) else stops
        while True:
            insts += 1
            what = kind(pc)
            calls += what == "call"
            if what == "jump" or after[pc] in follows:
                break
            pc = after[pc]
    return insts, calls


paths, heads = [], {}
for line in open(sys.argv[1]):
    name, count, insts, misses, *rest = line.split()
    blocks = [int(word[1:], 16) for word in rest if word.startswith("+")]
    paths.append((name, int(count), int(insts), rest[0] == "round", rest[-1] == "back", blocks))
    if rest[0] == "round":
        heads.setdefault(name, set()).add(blocks[0])
odd = uneven = 0
for name, count, insts, begins_round, back, blocks in paths:
    bases = functions.get(name, [])
    if len(bases) != 1 or any(bases[0] + block not in at for block in blocks):
        odd += 1
        continue
    base = bases[0]
    own = walk(base, blocks, {base + head for head in heads.get(name, ())} if back else ())
    least, most = own[0] - 1, own[0] + READ + EDGE * len(blocks) + CALL * own[1]
    uneven += insts % count > 0
    ok = (insts % count == 0 or begins_round) and least <= insts / count <= most
    check(f"{name}+{blocks}: {count} times {insts} instructions, {least} to {most} each", ok)
check(f"{len(paths)} paths, {odd} of functions with several names, {uneven} without one length",
    len(paths) > 50 and odd <= len(paths) // 20 and uneven <= len(paths) // 20)
finish()
