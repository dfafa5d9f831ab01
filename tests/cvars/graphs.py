#!/usr/bin/env python3
"""Writes assembly of a small program whose debug information is well formed and makes no sense:
types that are their own elements, chains without end, members of themselves, scopes of scopes;
places that lead to themselves; tables of lines that overlap and run backwards.

    graphs.py KIND|SEED|pSEED|lSEED >FILE.S

KIND is one of the cases below, SEED a random graph of types, pSEED one of scopes and places, lSEED
a table of lines. Its variables are called v0, v1, ..., the types t0, t1, ..."""
import random
import sys

TAGS = {
    "array": 0x01, "class": 0x02, "enumeration": 0x04, "parameter": 0x05, "member": 0x0D,
        "pointer": 0x0F, "reference": 0x10,
    "structure": 0x13, "subroutine": 0x15, "typedef": 0x16, "union": 0x17, "subrange": 0x21,
        "base": 0x24, "const": 0x26,
    "enumerator": 0x28, "variable": 0x34, "volatile": 0x35, "restrict": 0x37, "block": 0x0B,
        "inlined": 0x1D, "rvalue": 0x42,
    "atomic": 0x47, "subprogram": 0x2E,
}
TYPES = ["array", "class", "enumeration", "pointer", "reference", "structure", "subroutine",
    "typedef", "union", "base", "const", "volatile",
         "restrict", "rvalue", "atomic"]
ABBREV, INFO = [], []
codes = {}


def die(tag, label=None, name=None, type=None, size=None, count=None, const=None, encoding=None,
        place=None, code=None, origin=None, more=(), children=()):
    """Adds an entry and its children; `type` and `origin` are labels of others; `more` has
    attributes, as the list below."""
    attributes = list(more)
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
    die("array", label, type=of, children=[lambda c=c: die("subrange", count=c) for c in counts
        or (3,)])


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
    die("enumeration", "t0", name="color", type="t0", size=4,
        children=[lambda: die("enumerator", name="RED", const=0)])
    variable(0, "t0")


def within():
    die("structure", "t0", name="s", size=8, children=[lambda: die("member", type="t0"),
        lambda: die("member", name="m", type="t0")])
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
            return [lambda: die("subrange", count=count(), type=some(0.2))
                for _ in range(r.choice([0, 1, 1, 2, 3, 40]))]
        if tag in ("structure", "class", "union"):
            return [lambda: die("member", name=r.choice([None, f"m{r.randrange(9)}"]), type=some())
                for _ in range(r.choice([0, 1, 3, 50]))]
        if tag == "enumeration":
            return [lambda: die("enumerator", name=f"E{r.randrange(99)}",
                const=r.choice([0, 1, -1, 1 << 40])) for _ in range(r.choice([0, 3]))]
        if tag == "subroutine":
            return [lambda: die("parameter", type=some()) for _ in range(r.choice([0, 1, 3]))]
        return []

    for i in range(n):
        tag = r.choice(TYPES if r.random() < 0.7 else ["array", "typedef", "const", "enumeration"])
        die(tag, f"t{i}", name=r.choice([None, f"n{i}"]), type=some() if tag != "base" else None,
            size=size(),
            encoding=r.choice([2, 4, 5, 7, 8, 99]) if tag == "base" else None,
                children=children_of(tag))
    for i in range(6):
        variable(i, label())

    def scope(depth):
        def put():
            tag = r.choice(["block", "inlined"])
            die(tag, code=("_start", "ends"), origin="function" if tag == "inlined"
                and r.random() < 0.5 else None, children=inner(depth - 1))
        return put

    def inner(depth):
        these = [lambda i=i: variable(i, label()) for i in range(r.choice([0, 1, 4]))]
        if depth > 0:
            these += [scope(depth) for _ in range(r.choice([1, 1, 2]))]
        return these or [lambda: variable(0, label())]

    return inner(r.choice([0, 1, 3, 12]))


def leb(value, signed):
    n = 1
    while not (-64 <= value < 64 if signed else value < 128):
        value >>= 7
        n += 1
    return n


def size_of(text):
    """Bytes of these directives: the assembler has no ULEB128 of a difference here."""
    n = 0
    for part in filter(None, map(str.strip, text.split(";"))):
        what, rest = part.split(None, 1)
        for word in rest.split(","):
            n += {".byte": 1, ".2byte": 2, ".4byte": 4, ".8byte": 8}.get(what) or (
                len(word.strip()) - 1 if what == ".asciz" else leb(int(word), what == ".sleb128"))
    return n


def block(text):
    """An attribute's expression, with its length."""
    return f".uleb128 {size_of(text)}; {text}"


LISTS, RANGES, LINES = [], [], []


def expression(r, labels, depth=0):
    """Any operations in a row, also branches backwards, references to other entries, and to themselves."""
    address = lambda: r.choice(["data", "data + 8", "_start", "0", "0xffffffffffffffff",
        "data + 4090"])
    parts = []
    for _ in range(r.choice([0, 1, 1, 2, 3, 8] + [400] * (r.random() < 0.01))):
        parts.append(r.choice([
            lambda: f".byte 3; .8byte {address()}",                                   # an address
            # from the frame's base
            lambda: f".byte 0x91; .sleb128 {r.choice([0, 8, -8, 1 << 62, -(1 << 63)])}",
            lambda: f".byte {0x50 + r.randrange(32)}",                                # a register
            lambda: f".byte {0x70 + r.randrange(32)}; .sleb128 {r.choice([0, -16, 1 << 40])}",
            lambda: f".byte 0x2f; .2byte {r.choice([-3, 0, -32768, 32767, 3]) & 0xffff}",  # skip
            # 1, branch
            lambda: f".byte 0x31, 0x28; .2byte {r.choice([-4, -3, 0, 0x7fff]) & 0xffff}",
            lambda: f".byte 0x99; .4byte {r.choice(labels)} - begin",                  # call
            # piece
            lambda: f".byte 0x93; .uleb128 {r.choice([0, 1, 4, 8, 1 << 32, (1 << 64) - 1])}",
            # implicit pointer
            lambda: f".byte 0xa0; .4byte {r.choice(labels)}; .sleb128 {r.choice([0, -1, 1 << 40])}",
            lambda: f".byte 0x9e; .uleb128 {4}; .4byte 7",
            lambda: ".byte 0x9c", lambda: ".byte 0x06", lambda: ".byte 0x12", lambda: ".byte 0x22",
                lambda: ".byte 0x1b", lambda: ".byte 0x97",
            lambda: f".byte 0x15, {r.choice([0, 1, 255])}", lambda: ".byte 0x9f",
                lambda: f".byte 0x94, {r.choice([0, 1, 8, 16, 255])}",
            lambda: f".byte {r.choice([0xa3, 0xf3])}; .uleb128 1; .byte 0x51" if depth
                else ".byte 0xf3, 3, 0xf3, 1, 0x51",
            lambda: f".byte {r.randrange(256)}",
        ])())
    return "; ".join(parts)


def place_list(r, labels):
    """An offset in .debug_loc: ranges that overlap, run backwards, are empty, or end nowhere."""
    label = f"list{len(LISTS)}"
    text = [f"{label}:"]
    for k in range(r.choice([0, 1, 2, 5, 5] + [2000] * (r.random() < 0.01))):
        if r.random() < 0.15:
            text.append(f".8byte -1, {r.choice(['_start', '0', '0x7fffffffffffffff', 'data'])}")
        low, high = r.choice([(0, 4), (0, 36), (4, 0), (8, 8), (0, (1 << 63) - 1),
            (r.randrange(40), r.randrange(40)), ("_start", "ends")])
        inner = expression(r, labels) or ".byte 0x96"
        text.append(
            f".8byte {low}, {high}; .2byte {label}_{k}_ends - {label}_{k}; {label}_{k}: {inner}; "
            f"{label}_{k}_ends:")
    if r.random() < 0.95:
        text.append(".8byte 0, 0")
    LISTS.append("\n".join(text))
    return f".4byte {label}"


def code_ranges(r):
    label = f"ranges{len(RANGES)}"
    text = [f"{label}:"]
    for _ in range(r.choice([0, 1, 2, 30] + [3000] * (r.random() < 0.05))):
        low, high = r.choice([(0, 36), (0, 4), (4, 0), (8, 8), (0, (1 << 63) - 1),
            (r.randrange(40), r.randrange(40)), (-1, "_start"), (-1, "0")])
        text.append(f".8byte {low}, {high}")
    RANGES.append("\n".join(text + [".8byte 0, 0"] * (r.random() < 0.95)))
    return f".4byte {label}"


def places(seed):
    """Scopes of any shape and origin, and variables whose places are computed in any way."""
    r = random.Random(f"places {seed}")
    n = r.choice([2, 5, 30, 300])
    labels = [f"d{i}" for i in range(n)]
    count = iter(range(n))
    die("base", "t0", name="int", size=4, encoding=5)
    array("t1", "t0", 3)
    die("structure", "t2", name="s", size=16, children=[
        lambda i=i: die("member", name=f"m{i}", type="t0",
            more=[(0x38, 0x18, block(expression(r, labels)))] if r.random() < 0.7 else [])
            for i in range(3)])

    def entry(depth):
        k = next(count, None)
        if k is None:
            return []
        more = []
        if r.random() < 0.6:
            more.append((0x02, 0x17, place_list(r, labels)) if r.random() < 0.5
                else (0x02, 0x18, block(expression(r, labels))))
        if r.random() < 0.15:
            more.append((0x01, 0x13, f".4byte {r.choice(labels)} - begin"))  # a reference to an
                                                                             # element after it
        if r.random() < 0.2:
            more.append((r.choice([0x31, 0x47, 0x18]), 0x13, f".4byte {r.choice(labels)} - begin"))
        if r.random() < 0.6:
            more.append(
                (0x49, 0x13, f".4byte {r.choice(['t0', 't1', 't2', r.choice(labels)])} - begin"))
        scope = r.random() < 0.5
        if scope and r.random() < 0.5:
            more.append((0x55, 0x17, code_ranges(r)))
        elif scope:
            low, high = r.choice([("_start", "ends"), ("_start + 8", "_start"),
                ("_start", "_start"), ("ends", "_start"), ("0", "0xffffffffffffffff")])
            more += [(0x11, 0x01, f".8byte {low}"), (0x12, 0x01, f".8byte {high}")]
        if r.random() < 0.2:
            more += [(0x58, 0x0f, f".uleb128 {r.choice([0, 1, 99, (1 << 64) - 1])}"),
                (0x59, 0x0f, f".uleb128 {r.choice([0, 1, 1 << 40])}")]
        seen = set()
        more = [a for a in more if not (a[0] in seen or seen.add(a[0]))]
        tag = r.choice(["block", "inlined", "inlined", "subprogram"] if scope
            else ["variable", "variable", "parameter"])
        children = [lambda: [f() for f in entry(depth - 1)]
            for _ in range(r.choice([1, 2, 6]))] if scope and depth else []
        return [lambda: die(tag, f"d{k}", name=f"v{k}" if not scope or r.random() < 0.5 else None,
            more=more, children=children)]

    def local():
        for f in entry(r.choice([1, 4, 40])):
            f()

    def rest():  # labels without an entry
        for k in count:
            die("variable", f"d{k}", name=f"v{k}", type="t0",
                more=[(0x02, 0x18, block(expression(r, labels)))])

    global BASE
    BASE = [(0x40, 0x17, place_list(r, labels)) if r.random() < 0.5
        else (0x40, 0x18, block(expression(r, labels)))]
    return [local] * r.choice([1, 4, 30]) + [rest]


BASE = []


def lines(seed):
    """A table of lines with a random program."""
    r = random.Random(f"lines {seed}")
    uleb = lambda: r.choice([0, 1, 2, 7, 127, 1 << 20, (1 << 64) - 1])
    sleb = lambda: r.choice([0, 1, -1, 5, -500, 1 << 40, -(1 << 63)])
    least, base, span, first = r.choice([1, 1, 2, 4]), r.choice([-5, -3, 0, -128, 127]), r.choice(
        [14, 12, 1, 255]), r.choice([13, 13, 10, 1, 200])
    lengths = ([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1] + [0] * 200)[:first - 1]
    LINES.append(
        f".byte {least}, {r.choice([1, 1, 4])}, {r.choice([0, 1])}, {base & 255}, {span}, {first}")
    LINES.extend(f".byte {k}" for k in lengths)
    names = r.choice([1, 3, 3000])
    LINES.extend(f'.asciz "{r.choice(["dir", "../..", "/etc", "x" * 300])}"'
        for _ in range(r.choice([0, 1, 30])))
    LINES.append(".byte 0")
    LINES.extend(
        f'.asciz "{r.choice(["a.c", "passwd", "../../../etc/passwd", "b.c"])}"; .uleb128 {uleb()}; '
        f'.byte 0, 0' for _ in range(names))
    LINES.append(".byte 0; lines_begin:")
    extended = lambda code, text: f".byte 0; .uleb128 {1 + size_of(text)}; .byte {code}; {text}"
    for _ in range(r.choice([0, 3, 30, 300, 60_000])):
        LINES.append(r.choice([
            lambda: f".byte {r.randrange(first, 256)}", lambda: f".byte {r.randrange(first, 256)}",
                lambda: ".byte 1",
            lambda: f".byte 2; .uleb128 {uleb()}", lambda: f".byte 3; .sleb128 {sleb()}",
                lambda: f".byte 4; .uleb128 {uleb()}",
            lambda: f".byte 5; .uleb128 {uleb()}", lambda: ".byte 6", lambda: ".byte 7",
                lambda: ".byte 8", lambda: f".byte 9; .2byte {r.choice([0, 4, 65535])}",
            lambda: extended(1, ""), lambda: extended(2, f".8byte {r.choice(['_start', '_start', '_start + 8', 'ends', '0', '0xfffffffffffffffe'])}"),
            lambda: extended(4, f".uleb128 {uleb()}"),
                lambda: extended(3, '.asciz "c.c"; .byte 0, 0, 0'),
                lambda: extended(r.randrange(256), ".8byte 0"),
        ])())
    LINES.append(extended(1, "") if r.random() < 0.9 else "")
    die("base", "t0", name="int", size=4, encoding=5)
    return [lambda: variable(0, "t0")]


KINDS = {"own": own, "two": two, "through": through, "chain": chain, "pointers": pointers,
    "enumeration": enumeration, "within": within, "wide": wide}
what = sys.argv[1]
local = (KINDS[what]() if what in KINDS else {"p": places, "l": lines}[what[0]](what[1:])
    if what[0] in "pl" else graph(int(what))) or []
die("subprogram", "function", name="main", code=("_start", "ends"), more=BASE, children=local)
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
.byte 0x11, 0x01, 0x12, 0x07""")
if LINES:
    print(".byte 0x10, 0x17, 0x03, 0x08")
print(".byte 0, 0")
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
if LINES:
    print('.4byte 0; .asciz "a.c"')
print("\n".join(INFO))
print(".byte 0\nbehind:")
if LISTS:
    print(".section .debug_loc")
    print("\n".join(LISTS))
if RANGES:
    print(".section .debug_ranges")
    print("\n".join(RANGES))
if LINES:
    print(".section .debug_line\n.4byte lines_end - lines_version\nlines_version: .2byte 4\n.4byte "
        "lines_begin - lines_head\nlines_head:")
    print("\n".join(LINES))
    print("lines_end:")
