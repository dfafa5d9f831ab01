#!/usr/bin/env python3
"""Writes assembly of a small program whose debug information is well formed and makes no sense: types that are their own elements,
chains without end, members of themselves, scopes of scopes.

    graphs.py KIND|SEED >FILE.S

KIND is one of the cases below, SEED a random graph. Its variables are called v0, v1, ..., the types t0, t1, ..."""
import random
import sys

TAGS = {
    "array": 0x01, "class": 0x02, "enumeration": 0x04, "parameter": 0x05, "member": 0x0D, "pointer": 0x0F, "reference": 0x10,
    "structure": 0x13, "subroutine": 0x15, "typedef": 0x16, "union": 0x17, "subrange": 0x21, "base": 0x24, "const": 0x26,
    "enumerator": 0x28, "variable": 0x34, "volatile": 0x35, "restrict": 0x37, "block": 0x0B, "inlined": 0x1D, "rvalue": 0x42,
    "atomic": 0x47, "subprogram": 0x2E,
}
TYPES = ["array", "class", "enumeration", "pointer", "reference", "structure", "subroutine", "typedef", "union", "base", "const", "volatile",
         "restrict", "rvalue", "atomic"]
ABBREV, INFO = [], []
codes = {}


def die(tag, label=None, name=None, type=None, size=None, count=None, const=None, encoding=None, place=None, code=None, origin=None, children=()):
    """Adds an entry and its children; `type` and `origin` are labels of others."""
    attributes = []
    if name is not None:
        attributes.append((0x03, 0x08, f'.asciz "{name}"'))
    if type is not None:
        attributes.append((0x49, 0x13, f".4byte {type} - begin"))
    if origin is not None:
        attributes.append((0x31, 0x13, f".4byte {origin} - begin"))
    if size is not None:
        attributes.append((0x0B, 0x0F, f".uleb128 {size}"))
    if count is not None:
        attributes.append((0x37, 0x0F, f".uleb128 {count}"))
    if const is not None:
        attributes.append((0x1C, 0x0D, f".sleb128 {const}"))
    if encoding is not None:
        attributes.append((0x3E, 0x0B, f".byte {encoding}"))
    if place is not None:  # in memory there
        attributes.append((0x02, 0x18, f".byte 9, 3; .8byte {place}"))
    if code is not None:
        attributes.append((0x11, 0x01, f".8byte {code[0]}"))
        attributes.append((0x12, 0x07, f".8byte {code[1]} - {code[0]}"))
    key = (tag, bool(children), tuple(a[:2] for a in attributes))
    if key not in codes:
        codes[key] = len(codes) + 1
        ABBREV.append(f".uleb128 {codes[key]}; .uleb128 {TAGS[tag]}")
        ABBREV.append(f".byte {int(bool(children))}")
        ABBREV.extend(f".byte {a}, {form}" for a, form, _ in attributes)
        ABBREV.append(".byte 0, 0")
    if label:
        INFO.append(f"{label}:")
    INFO.append(f".uleb128 {codes[key]}")
    INFO.extend(text for _, _, text in attributes)
    for child in children:
        child()
    if children:
        INFO.append(".byte 0")


def array(label, of, *counts):
    die("array", label, type=of, children=[lambda c=c: die("subrange", count=c) for c in counts or (3,)])


def variable(i, of, **more):
    die("variable", name=f"v{i}", type=of, place="data", **more)


def own():
    array("t0", "t0")
    variable(0, "t0")


def two():
    array("t0", "t1")
    array("t1", "t0")
    variable(0, "t0")


def through():
    array("t0", "t1")
    die("typedef", "t1", name="named", type="t0")
    variable(0, "t0")
    variable(1, "t1")


def chain(n=40_000):
    for i in range(n):
        array(f"t{i}", f"t{i + 1}", 1)
    die("base", f"t{n}", name="int", size=4, encoding=5)
    variable(0, "t0")


def pointers(n=20_000):
    for i in range(n):
        die("pointer", f"t{i}", type=f"t{i + 1}", size=8)
    die("base", f"t{n}", name="int", size=4, encoding=5)
    variable(0, "t0")


def enumeration():
    die("enumeration", "t0", name="color", type="t0", size=4, children=[lambda: die("enumerator", name="RED", const=0)])
    variable(0, "t0")


def within():
    die("structure", "t0", name="s", size=8, children=[lambda: die("member", type="t0"), lambda: die("member", name="m", type="t0")])
    variable(0, "t0")


def wide(n=40_000):
    die("base", "t0", name="int", size=4, encoding=5)
    return [lambda i=i: variable(i, "t0") for i in range(n)]


def graph(seed):
    r = random.Random(seed)
    n = r.choice([1, 2, 3, 8, 30, 200])
    label = lambda: f"t{min(int(r.expovariate(4 / n)), n - 1) if r.random() < 0.5 else r.randrange(n)}"
    some = lambda p=0.9: label() if r.random() < p else None
    size = lambda: r.choice([None, 0, 1, 4, 8, 16, 4096, 1 << 40, (1 << 64) - 1])
    count = lambda: r.choice([None, 0, 1, 2, 3, 1000, 1 << 32, (1 << 64) - 1])

    def children_of(tag):
        if tag == "array":
            return [lambda: die("subrange", count=count(), type=some(0.2)) for _ in range(r.choice([0, 1, 1, 2, 3, 40]))]
        if tag in ("structure", "class", "union"):
            return [lambda: die("member", name=r.choice([None, f"m{r.randrange(9)}"]), type=some()) for _ in range(r.choice([0, 1, 3, 50]))]
        if tag == "enumeration":
            return [lambda: die("enumerator", name=f"E{r.randrange(99)}", const=r.choice([0, 1, -1, 1 << 40])) for _ in range(r.choice([0, 3]))]
        if tag == "subroutine":
            return [lambda: die("parameter", type=some()) for _ in range(r.choice([0, 1, 3]))]
        return []

    for i in range(n):
        tag = r.choice(TYPES if r.random() < 0.7 else ["array", "typedef", "const", "enumeration"])
        die(tag, f"t{i}", name=r.choice([None, f"n{i}"]), type=some() if tag != "base" else None, size=size(),
            encoding=r.choice([2, 4, 5, 7, 8, 99]) if tag == "base" else None, children=children_of(tag))
    for i in range(6):
        variable(i, label())

    def scope(depth):
        def put():
            tag = r.choice(["block", "inlined"])
            die(tag, code=("_start", "ends"), origin="function" if tag == "inlined" and r.random() < 0.5 else None, children=inner(depth - 1))
        return put

    def inner(depth):
        these = [lambda i=i: variable(i, label()) for i in range(r.choice([0, 1, 4]))]
        if depth > 0:
            these += [scope(depth) for _ in range(r.choice([1, 1, 2]))]
        return these or [lambda: variable(0, label())]

    return inner(r.choice([0, 1, 3, 12]))


KINDS = {"own": own, "two": two, "through": through, "chain": chain, "pointers": pointers, "enumeration": enumeration, "within": within, "wide": wide}
what = sys.argv[1]
local = (KINDS[what]() if what in KINDS else graph(int(what))) or []
die("subprogram", "function", name="main", code=("_start", "ends"), children=local)
print("""\
.globl _start, main
_start: main:
 .rept 8
 nop
 .endr
 li a7, 93
 ecall
ends:
.data
data: .zero 4096
.section .debug_abbrev
.uleb128 100000; .uleb128 0x11
.byte 1
.byte 0x11, 0x01, 0x12, 0x07
.byte 0, 0""")
print("\n".join(ABBREV))
print("""\
.byte 0
.section .debug_info
begin: .4byte behind - version
version: .2byte 4
.4byte 0
.byte 8
.uleb128 100000
.8byte _start
.8byte ends - _start""")
print("\n".join(INFO))
print(".byte 0\nbehind:")
