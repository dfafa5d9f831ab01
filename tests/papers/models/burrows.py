#!/usr/bin/env python3
# A model of vreplay (Burrows and others, 3.2), from the paper: of interpreted sequences, pairs of
# accesses that may conflict. A load and the youngest older store with some of its bytes, at most
# 80 instructions in flight: `size` if the store lacks some of them, else `order`; accesses to
# different lines that are equal modulo 32 KB, of which a store is in flight: `synonym`. No pair if
# the load depends on the other's result.
#
#   burrows.py FOLDER
#
# Pairs of `size` and `synonym` and their counts are equal. The paper leaves open when an
# order trap is possible; Cyclops names stores whose address is ready later than the load's: those
# are a part of the model's.
import re
import sys
from collections import Counter

sys.path[:0] = ["tests"]
from checks import check, finish

IN_FLIGHT, INDEX, LINE = 80, 32768, 64
ORDER, SIZE, SYNONYM = 1, 2, 3
WIDTH = {"b": 1, "h": 2, "w": 4, "d": 8}
REGISTER = re.compile(r"\b(?:zero|ra|sp|gp|tp|[tsa]\d+|f[tsa]\d+)\b")


class Inst:
    def __init__(self, pc, address, text):
        name, _, operands = text.partition(" ")
        found = REGISTER.findall(operands)
        self.pc, self.address = pc, address
        self.line, self.index = address // LINE, address % INDEX // LINE
        self.load = re.fullmatch(r"f?l[bhwd]u?", name) is not None
        self.store = re.fullmatch(r"f?s[bhwd]", name) is not None
        self.atomic = name.startswith(("amo", "lr.", "sc."))
        letter = re.sub(r"^f?[ls]", "", name)[0] if self.load or self.store else \
            name.split(".")[1][0] if self.atomic else None
        self.bytes = WIDTH.get(letter, 0)
        writes = not (self.store or name[0] == "b" and name[1:3] in ("eq", "ne", "lt", "ge", "gt",
            "le") or name in ("j", "jr", "ret"))
        if name in ("jal", "jalr") and len(operands.split(",")) == 1:
            self.rd, self.sources = "ra", found
        else:
            self.rd = found[0] if writes and found else None
            self.sources = found[1:] if writes else found
        if name == "ret":
            self.sources = ["ra"]


def pairs_of(sequence):
    last, made = {}, []  # for each instruction: those from whose results its inputs are computed
    for i, t in enumerate(sequence):
        of = set()
        for source in t.sources:
            if source in last and source != "zero":
                of |= made[last[source]] | {last[source]}
        made.append(of)
        if t.rd:
            last[t.rd] = i
    for i, t in enumerate(sequence):
        if not t.load:
            continue
        found = set()
        for j in range(i - 1, max(i - IN_FLIGHT, -1), -1):
            o = sequence[j]
            if (o.store or o.atomic) and o.address < t.address + t.bytes and \
                    t.address < o.address + o.bytes:
                covers = o.address <= t.address and \
                    t.address + t.bytes <= o.address + o.bytes
                if j not in made[i]:
                    found.add((t.pc, o.pc, ORDER if covers else SIZE))
                break
        nearest = set()  # the youngest of each instruction and line counts
        for j in range(i - 1, -1, -1):
            o = sequence[j]
            if not o.bytes or o.line == t.line or o.index != t.index or \
                    not o.load and i - j >= IN_FLIGHT:
                continue
            key = o.pc, o.line
            if key not in nearest and j not in made[i]:
                nearest.add(key)
                found.add((t.pc, o.pc, SYNONYM))
        yield from found


sequences = {}
for line in open(f"{sys.argv[1]}/sequences"):
    number, pc, address, text = line.rstrip("\n").split(" ", 3)
    sequences.setdefault(int(number), []).append(Inst(int(pc), int(address), text))
model = Counter(pair for sequence in sequences.values() for pair in pairs_of(sequence))
theirs = Counter()
for line in open(f"{sys.argv[1]}/pairs"):
    pc, partner, trap, count = map(int, line.split())
    theirs[pc, partner, trap] = count
for pair in sorted(model | theirs):
    trap, name = pair[2], f"{pair[0]:x} {('', 'order', 'size', 'synonym')[pair[2]]} {pair[1]:x}"
    ok = theirs[pair] <= model[pair] if trap == ORDER else theirs[pair] == model[pair]
    check(name, ok, f"{theirs[pair]} times, the model's {model[pair]}")
order = [sum(n for pair, n in side.items() if pair[2] == ORDER) for side in (theirs, model)]
print(f"{len(sequences)} sequences; order pairs {order[0]} of {order[1]} possible ones")
finish()
