"""Random RV32GC programs as assembly: rv32/generate.py SEED prints one.

Each runs instructions of all kinds on random registers, with branches, calls and memory, writes its
registers and memory, and ends."""
import random
import sys

rng = random.Random(int(sys.argv[1]))
INT = [f"x{i}" for i in (5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29)]
FP = [f"f{i}" for i in range(32)]
LOW = [f"x{i}" for i in range(9, 16)]
LOW_FP = [f"f{i}" for i in range(8, 16)]
BASE = "x8"  # the middle of the memory

REG3 = ("add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu".split())
IMM = "addi slti sltiu xori ori andi".split()
SHIFT = "slli srli srai".split()
LOADS = {"lb": 1, "lh": 2, "lw": 4, "lbu": 1, "lhu": 2}
STORES = {"sb": 1, "sh": 2, "sw": 4}
AMO = [f"amo{n}.w{o}" for n in "swap add xor and or min max minu maxu".split()
       for o in ("", ".aq", ".aqrl")]
BRANCH = "beq bne blt bge bltu bgeu".split()
ROUND = ["rne", "rtz", "rdn", "rup", "rmm"]
NUMBERS = [0, 1, -1, 2, 0x7fffffff, -0x80000000, 0x80000001, 0x55555555, 0xffff, 31, 32]


def reg():
    return rng.choice(INT[:3] + INT[4:])


def source():
    return rng.choice(INT + ["x0"])


def fp():
    return rng.choice(FP)


def offset(size, least=-1024, most=1016):
    at = rng.randrange(least, most)
    return at // size * size if rng.random() < 0.8 else at


def number():
    return rng.choice(NUMBERS) if rng.random() < 0.5 else rng.randrange(-1 << 31, 1 << 31)


def whole():
    kind = rng.randrange(13)
    if kind < 3:
        return f"{rng.choice(REG3)} {reg()},{source()},{source()}"
    if kind == 3:
        return f"{rng.choice(IMM)} {reg()},{source()},{rng.randrange(-2048, 2048)}"
    if kind == 4:
        return f"{rng.choice(SHIFT)} {reg()},{source()},{rng.randrange(1, 32)}"
    if kind == 5:
        name = rng.choice(list(LOADS))
        return f"{name} {reg()},{offset(LOADS[name])}({BASE})"
    if kind == 6:
        name = rng.choice(list(STORES))
        return f"{name} {source()},{offset(STORES[name])}({BASE})"
    if kind == 7:
        return (f"addi x30,{BASE},{rng.randrange(-256, 256) * 4}\n"
                f"\t{rng.choice(AMO)} {reg()},{source()},(x30)")
    if kind == 8:
        return (f"addi x30,{BASE},{rng.randrange(-256, 256) * 4}\n\tlr.w {reg()},(x30)\n"
                f"\tsc.w {reg()},{source()},(x30)")
    if kind == 9:
        return f"li {reg()},{number()}"
    if kind == 10:
        return f"lui {reg()},{rng.randrange(1 << 20)}"
    if kind == 11:
        return f"auipc {reg()},{rng.randrange(1 << 20)}"
    return rng.choice([f"csrr {reg()},fcsr", f"csrw fcsr,{source()}\n\tcsrwi frm,{rng.randrange(5)}",
                       f"csrrs {reg()},fflags,{source()}", "fence rw,rw", "fence.i"])


def short():
    d, s = rng.choice(LOW), rng.choice(LOW)
    kind = rng.randrange(12)
    if kind == 0:
        return f"c.{rng.choice(['sub', 'xor', 'or', 'and'])} {d},{s}"
    if kind == 1:
        return f"c.{rng.choice(['srli', 'srai'])} {d},{rng.randrange(1, 32)}"
    if kind == 2:
        return f"c.andi {d},{rng.randrange(-32, 32)}"
    if kind == 3:
        return f"c.slli {reg()},{rng.randrange(1, 32)}"
    if kind == 4:
        return f"c.addi {reg()},{rng.choice([n for n in range(-32, 32) if n])}"
    if kind == 5:
        return f"c.{rng.choice(['mv', 'add'])} {reg()},{rng.choice(INT)}"
    if kind == 6:
        return f"c.lw {d},{rng.randrange(32) * 4}({BASE})"
    if kind == 7:
        return f"c.sw {s},{rng.randrange(32) * 4}({BASE})"
    if kind == 8:
        name = rng.choice(["flw", "fsw"])
        return f"c.{name} {rng.choice(LOW_FP)},{rng.randrange(32) * 4}({BASE})"
    if kind == 9:
        name = rng.choice(["flwsp", "fswsp"])
        return f"c.{name} {fp()},{rng.randrange(16) * 4}(sp)"
    if kind == 10:
        name = rng.choice(["lwsp", "swsp"])
        return f"c.{name} {reg()},{rng.randrange(16) * 4}(sp)"
    return f"c.{rng.choice(['fld', 'fsd'])} {rng.choice(LOW_FP)},{rng.randrange(32) * 8}({BASE})"


def floating():
    t = rng.choice("sd")
    kind = rng.randrange(10)
    if kind < 3:
        return f"f{rng.choice(['add', 'sub', 'mul', 'div'])}.{t} {fp()},{fp()},{fp()},{rng.choice(ROUND)}"
    if kind == 3:
        return f"f{rng.choice(['madd', 'msub', 'nmadd', 'nmsub'])}.{t} {fp()},{fp()},{fp()},{fp()}"
    if kind == 4:
        return f"f{rng.choice(['sgnj', 'sgnjn', 'sgnjx', 'min', 'max'])}.{t} {fp()},{fp()},{fp()}"
    if kind == 5:
        return f"f{rng.choice(['eq', 'lt', 'le'])}.{t} {reg()},{fp()},{fp()}"
    if kind == 6:
        return f"fcvt.{rng.choice(['w', 'wu'])}.{t} {reg()},{fp()},{rng.choice(ROUND)}"
    if kind == 7:
        name = rng.choice(["fcvt.s.w", "fcvt.s.wu", "fcvt.d.w", "fcvt.d.wu", "fmv.w.x"])
        return f"{name} {fp()},{source()}"
    if kind == 8:
        return rng.choice([f"fclass.{t} {reg()},{fp()}", f"fmv.x.w {reg()},{fp()}",
                           f"fcvt.s.d {fp()},{fp()}",
                           f"fcvt.d.s {fp()},{fp()}", f"fsqrt.{t} {fp()},{fp()}"])
    name, size = rng.choice([("flw", 4), ("fsw", 4), ("fld", 8), ("fsd", 8)])
    return f"{name} {fp()},{offset(size)}({BASE})"


def block(k, count):
    out = [f"b{k}:"]
    for _ in range(rng.randrange(4, 20)):
        out.append("\t" + rng.choice([whole, whole, short, floating])())
    to = rng.randrange(k + 1, min(k + 4, count) + 1)
    how = rng.randrange(6)
    if how < 3:
        out.append(f"\t{rng.choice(BRANCH)} {source()},{source()},b{to}")
    elif how == 3:
        out.append(f"\tj b{to}")
    elif how == 4:
        out.append(f"\t{rng.choice(['c.jal', 'jal', 'call'])} f{rng.randrange(4)}")
    else:
        out.append(f"\tla x30,b{to}\n\tjr x30")
    return out


BLOCKS = 60
lines = ["\t.globl _start", "_start:", "\tla x8,memory+1024", "\tla sp,memory+1024",
         "\tli x31,5", "again:"]
for r in INT:
    if r != BASE:
        lines.append(f"\tli {r},{number()}")
for i, f in enumerate(FP):
    lines.append(f"\tfld {f},{(i - 16) * 8}({BASE})")
for k in range(BLOCKS):
    if k == BLOCKS // 2:  # c.jal reaches 2 KiB
        lines.append(f"\tj b{k}")
        for i in range(4):
            lines += [f"f{i}:", "\t" + whole(), "\t" + floating(), "\tret"]
    lines += block(k, BLOCKS)
lines += [f"b{BLOCKS}:", "\taddi x31,x31,-1", "\tbeqz x31,1f", "\tlla x30,again", "\tjr x30",
          "1:", "\tla x31,registers"]
for i, r in enumerate(INT):
    lines.append(f"\tsw {r},{4 * i}(x31)")
for i, f in enumerate(FP):
    lines.append(f"\tfsd {f},{64 + 8 * i}(x31)")
lines += ["\tcsrr x5,fcsr", "\tsw x5,60(x31)", "\tli a0,1", "\tla a1,memory",
          "\tli a2,2048+320", "\tli a7,64", "\tecall", "\tsnez a0,a0", "\taddi a0,a0,6",
          "\tli a7,93", "\tecall", "\t.data", "\t.balign 16", "memory:"]
for _ in range(512):
    lines.append(f"\t.word {number()}")
lines += ["registers:", "\t.zero 320"]
print("\n".join(lines))
