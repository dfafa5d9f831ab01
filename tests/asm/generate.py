"""Writes an assembly program of so many lines to standard output: instructions of all forms that
GNU as knows of RV64GC, pseudo-instructions, directives, branches near and far, and expressions. It
assembles, and need not run.

    python3 tests/asm/generate.py SEED LINES"""
import random
import sys

seed, lines = int(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)
X = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "fp", "s1"] + [f"a{i}"
    for i in range(8)] + \
    [f"s{i}" for i in range(2, 12)] + ["t3", "t4", "t5", "t6"] + [f"x{i}" for i in range(32)]
NEAR = ["s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5"]
F = [f"ft{i}" for i in range(12)] + [f"fa{i}" for i in range(8)] + [f"fs{i}"
    for i in range(12)] + ["f9", "f31"]
RM = ["", "", ",rne", ",rtz", ",rdn", ",rup", ",rmm", ",dyn"]
R = "add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhsu mulhu div divu rem remu mulw divw divuw remw remuw".split()
I = "addi slti sltiu xori ori andi addiw".split()
IMMEDIATE = "add slt sltu xor or and addw".split()
LOADS = "lb lh lw ld lbu lhu lwu".split()
STORES = "sb sh sw sd".split()
AMO = [f"{o}.{w}"
    for o in "sc amoswap amoadd amoxor amoand amoor amomin amomax amominu amomaxu".split()
    for w in "wd"]
B2 = "beq bne blt bge bltu bgeu bgt ble bgtu bleu".split()
B1 = "beqz bnez blez bgez bltz bgtz".split()
U2 = "mv not neg negw sext.w seqz snez sltz sgtz move".split()
CSRS = ["fflags", "frm", "fcsr", "cycle", "time", "instret", "hpmcounter3", "mstatus", "0x801",
    "0x123"]
CONSTANTS = ["SIZE", "MASK", "HALF"]


def x():
    return r.choice(NEAR if r.random() < .6 else X)


def f():
    return r.choice([f"fa{i}" for i in range(6)] if r.random() < .5 else F)


def small():
    k = r.random()
    v = r.choice([0, 1, -1, 31, 32, -32, -33, 2047, -2048]) if k < .4 else r.randint(-2048, 2047)
    return r.choice([str(v), hex(v), f"({v}+1)-1",
        f"{v // 2}*2+{v % 2}"]) if r.random() < .3 else str(v)


def any64():
    k = r.randint(0, 5)
    if k == 0:
        return r.randint(-2048, 2047)
    if k == 1:
        return r.randint(-2**31, 2**31 - 1)
    if k == 2:
        return r.randint(-2**63, 2**63 - 1)
    if k == 3:
        return r.choice([1, -1]) * (1 << r.randint(0, 62))
    if k == 4:
        return (1 << r.randint(1, 63)) - 1
    return r.randint(0, 2**64 - 1) & (2**64 - (1 << r.randint(0, 60)))


def offset(step):
    return r.choice([0, r.randint(0, 31) * step, r.randint(0, 63) * step, r.randint(-2048, 2047)])


# Labels of code that are there from the beginning to the end.
count = lines // 6
labels = [f"l{i}" for i in range(count)]
data = [f"d{i}" for i in range(20)]
numeric = 0


def target(at):
    return labels[max(0,
        min(count - 1, at + r.choice([r.randint(-3, 3), r.randint(-12, 12), r.randint(-60, 60)])))]


def instruction(at):
    k = r.randint(0, 31)
    if k < 3:
        return f"{r.choice(R)} {x()},{x()},{x()}"
    if k == 3:
        a = x()
        return f"{r.choice(R)} {a},{a},{x()}"
    if k == 4:
        a = x()
        return f"{r.choice(R)} {a},{x()},{a}"
    if k < 7:
        a = x()
        return f"{r.choice(I + IMMEDIATE)} {a},{r.choice([a, x(), 'sp'])},{small()}"
    if k == 7:
        op = r.choice("slli srli srai sll srl sra slliw srliw sraiw sllw srlw sraw".split())
        a = x()
        return f"{op} {a},{r.choice([a, x()])},{r.randint(0, 31 if 'w' in op else 63)}"
    if k == 8:
        sp = r.choice([16, -16, 32, -64, 496, -512, 512, 8])
        return r.choice([f"addi sp,sp,{sp}", f"addi {x()},sp,{r.randint(0, 255) * 4}"])
    if k < 11:
        return f"{r.choice(LOADS)} {x()},{offset(8)}({r.choice([x(), 'sp'])})"
    if k < 13:
        return f"{r.choice(STORES)} {x()},{offset(8)}({r.choice([x(), 'sp'])})"
    if k == 13:
        return f"{r.choice(['flw', 'fld', 'fsw', 'fsd'])} {f()},{offset(8)}({r.choice([x(), 'sp'])})"
    if k == 14:
        return f"{r.choice(AMO)}{r.choice(['', '.aq', '.rl', '.aqrl'])} {x()},{x()},({x()})"
    if k == 15:
        return f"lr.{r.choice('wd')}{r.choice(['', '.aq', '.rl', '.aqrl'])} {x()},{r.choice(['', '0'])}({x()})"
    if k == 16:
        p = r.choice("sd")
        return r.choice(
            [f"f{r.choice(['madd', 'msub', 'nmadd', 'nmsub'])}.{p} "
            f"{f()},{f()},{f()},{f()}{r.choice(RM)}",
                         f"f{r.choice(['add', 'sub', 'mul', 'div'])}.{p} "
                             f"{f()},{f()},{f()}{r.choice(RM)}",
                             f"fsqrt.{p} {f()},{f()}{r.choice(RM)}"])
    if k == 17:
        p = r.choice("sd")
        return r.choice(
            [f"f{r.choice(['sgnj', 'sgnjn', 'sgnjx', 'min', 'max'])}.{p} {f()},{f()},{f()}",
                         f"f{r.choice(['eq', 'lt', 'le', 'gt', 'ge'])}.{p} {x()},{f()},{f()}",
                             f"f{r.choice(['mv', 'abs', 'neg'])}.{p} {f()},{f()}",
                         f"fclass.{p} {x()},{f()}"])
    if k == 18:
        w, p = r.choice(["w", "wu", "l", "lu"]), r.choice("sd")
        return r.choice([f"fcvt.{w}.{p} {x()},{f()}{r.choice(RM)}",
            f"fcvt.s.{w} {f()},{x()}{r.choice(RM)}", f"fcvt.d.{w} {f()},{x()}",
                         f"fcvt.s.d {f()},{f()}{r.choice(RM)}", f"fcvt.d.s {f()},{f()}",
                             f"fmv.x.{r.choice('wd')} {x()},{f()}",
                         f"fmv.{r.choice('wd')}.x {f()},{x()}"])
    if k < 21:
        return f"li {x()},{any64()}"
    if k == 21:
        return f"{r.choice(U2)} {x()},{x()}"
    if k == 22:
        return r.choice([f"csrr {x()},{r.choice(CSRS)}",
            f"csrw {r.choice(CSRS[:3])},{r.choice([x(), str(r.randint(0, 31))])}",
                         f"csrr{r.choice('wsc')}{r.choice(['', 'i'])} "
                             f"{x()},{r.choice(CSRS[:3])},{r.randint(0, 31)}",
                         f"csrrs {x()},{r.choice(CSRS)},zero",
                             f"rd{r.choice(['cycle', 'time', 'instret'])} {x()}", f"frcsr {x()}",
                             f"fscsr {x()}",
                         f"fsrm {x()}", f"frflags {x()}", f"fsflags {x()},{x()}"])
    if k == 23:
        return r.choice(["nop", "ret", "ecall", "ebreak", "fence", "fence rw,w", "fence i,o",
            "fence.i", "fence.tso", "unimp", "pause"])
    if k == 24:
        return r.choice([f"lui {x()},{r.choice([1, 31, 32, 0xfffff, r.randint(0, 0xfffff)])}",
            f"auipc {x()},{r.randint(0, 0xfffff)}",
                         f"lui {x()},%hi({r.choice(data)}+{r.randint(0, 9)})",
                             f"addi {x()},{x()},%lo({r.choice(data)})",
                         f"lw {x()},%lo({r.choice(data)})({x()})",
                             f"sd {x()},%lo({r.choice(data)}+8)({x()})"])
    if k == 25:
        return r.choice([f"la {x()},{r.choice(data + labels)}",
            f"lla {x()},{r.choice(data)}+{r.randint(-9, 99)}", f"call {target(at)}",
                         f"tail {target(at)}", f"{r.choice(LOADS)} a0,{r.choice(data)}",
                             f"{r.choice(STORES)} {x()},{r.choice(data)},t0",
                         f"fld {f()},{r.choice(data)},t1", f"fsw {f()},{r.choice(data)},t2"])
    if k < 29:
        return r.choice([f"{r.choice(B2)} {x()},{x()},{target(at)}",
            f"{r.choice(B1)} {x()},{target(at)}"])
    if k == 29:
        return r.choice([f"j {target(at)}", f"jal {target(at)}", f"jal {x()},{target(at)}",
            f"jr {x()}", f"jalr {x()}", f"jalr {x()},{x()}",
                         f"jalr {x()},{small()}({x()})", f"jr {small()}({x()})",
                             f"jalr {x()},{x()},{r.randint(-99, 99)}"])
    if k == 30:
        return r.choice([f"c.add a0,{r.choice(NEAR)}", "c.nop", "c.addi a3,-3", "c.li t0,5",
            f"c.mv {r.choice(NEAR)},t6", "c.slli zero,9", "c.j 1f\n1:",
                         "c.lwsp a0,4(sp)", "c.sdsp s0,8(sp)", "c.addi4spn a0,sp,16",
                             "c.addi16sp sp,-32", "c.jr a0", "c.ld a0,8(a1)",
                         "c.and a0,a1", "c.lui a0,3", "c.ebreak", "c.beqz a0,1f\n1:"])
    return r.choice([f"addi {x()},{x()},{r.choice(CONSTANTS)}",
        f"li {x()},{r.choice(CONSTANTS)}*3-1", f"li {x()},'{r.choice('az09+#;')}'",
                     f"andi {x()},{x()},~{r.randint(0, 99)}",
                         f"li {x()},{r.randint(0, 99)}<<{r.randint(0, 40)}|{r.randint(0, 7)}",
                     f"li {x()},({r.randint(0, 99)}-{r.randint(0, 99)})*{r.randint(1, 9)}+{r.randint(0, 50)}%7"])


print("# seed", seed)
print(".equ SIZE, 64\nMASK = 0x7f\n.set HALF, SIZE / 2")
print(".data")
for i, d in enumerate(data):
    print(r.choice([".align 3", ".balign 4", ".p2align 2", ""]))
    print(f"{d}:", r.choice([f".word {r.randint(-9, 2**32 - 1)}, {r.choice(CONSTANTS)}",
        f".dword {any64()}", f".byte {r.randint(0, 255)}, 'x', -1", f".half {r.randint(0, 65535)}",
                            r'.asciz "a\tb\n\"#;//\\\101\x41"', r'.ascii "one", "two"',
                                f".zero {r.randint(0, 40)}", f".space {r.randint(0, 9)}, 0x5a",
                            f".dword {r.choice(labels)}, {r.choice(data)} + 4",
                                f".word {r.choice(labels)} - {r.choice(labels)}",
                                ".double 1.5, -2e10", ".float 0.1",
                            f".fill {r.randint(0, 5)}, {r.randint(1, 4)}, 0x1234"]))
print(".section .rodata\nro: .string \"const\" /* comment */ ; .word 1 # another")
print(".bss\n.align 4\nroom: .zero 100\n.comm shared, 32, 8\n.text\n.globl _start\n_start:")
at = 0
for i in range(lines):
    if i % 6 == 0 and at < count:
        print(f"{labels[at]}:")
        at += 1
    k = r.random()
    if k < .01:
        print(r.choice([".align 3", ".p2align 4", ".balign 8", ".balign 16", ".align 2"]))
    elif k < .015:
        words = [i for i in (instruction(at), instruction(at)) if "c." not in i]
        print(".option push\n.option norvc\n" + "\n".join(words) + "\n.option pop")
    elif k < .02:
        print(f"2:\t{instruction(at)}; bnez a0,2b; {instruction(at)}")
    elif k < .025:
        print(f"3:\tauipc a5,%pcrel_hi({r.choice(data)}+4)\n\t{r.choice(['addi a5,a5', 'addi a4,a5'])},%pcrel_lo(3b)")
    elif k < .03:
        print(f".rept {r.randint(0, 3)}\n{instruction(at)}\n.endr")
    print("\t" + instruction(at))
for rest in labels[at:]:
    print(f"{rest}:")
print("\tnop")
