#!/usr/bin/env python3
"""Writes programs that are hard to lay out again, for tests/edit/generated.sh.

  generate.py SEED FILE

FILE is C or C++; its first line is the command to compile it: the compiler's name and flags. The
program prints a checksum of all that it does and ends with a status made of it. The same seed gives
the same program. It is made of pieces, functions p0, p1, ... that call only later ones; of each
kind of piece there is a function here, named in KINDS.

Most programs do without the C library's start, so that a hundred of them take seconds; every eighth
has all of it, and every sixteenth is C++."""
import random
import sys

SMALL_HEAD = r"""
typedef unsigned long u;
static u fuel = FUEL, sum = 1, mem[64];
#define mix(x) (sum = (sum ^ (u)(x)) * 0x9e3779b97f4a7c15 + (sum >> 29))
#define noinline __attribute__((noinline))
static inline long sys3(long n, long a, long b, long c)
{
	register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a7 asm("a7") = n;
	asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}
"""

SMALL_START = r"""
asm(".text\n.globl _start\n_start:\n.option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
    "andi sp, sp, -16\ncall start\n");
void start(void)
{
	char text[20];
	run();
	for (int i = 0; i < 16; i++)
		text[i] = "0123456789abcdef"[sum >> 4 * i & 15];
	text[16] = '\n';
	sys3(64, 1, (long)text, 17);
	sys3(93, (long)(sum & 63), 0, 0);
	__builtin_unreachable();
}
"""

LARGE_HEAD = r"""
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
"""

LARGE_START = r"""
static void bye(void) { mix(77); printf("bye %016lx\n", sum); fflush(stdout); }
int main(void)
{
	atexit(bye);
	run();
	printf("%016lx\n", sum);
	return (int)(sum & 63);
}
"""


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        self.large = seed % 8 == 0
        self.cxx = seed % 16 == 0
        self.pieces = self.r.randint(3, 7)
        self.names = 0
        self.convention = seed % 8  # of the next piece of assembly

    def name(self, prefix):
        self.names += 1
        return f"{prefix}_{self.names}"

    def value(self, depth=2):
        """An expression of type u over a, b, and memory."""
        r = self.r
        if depth == 0 or r.random() < 0.2:
            return r.choice(["a", "b", "sum", str(r.randint(0, 5000)) + "ul",
                f"mem[a % {r.randint(1, 64)}]"])
        op = r.choice(["+", "-", "*", "^", "&", "|", "%", ">>", "<<", "/", "<", "?"])
        x, y = self.value(depth - 1), self.value(depth - 1)
        if op == "?":
            return f"({self.condition()} ? {x} : {y})"
        if op in "%/":
            return f"({x} {op} ({y} | 1))"
        if op in (">>", "<<"):
            return f"({x} {op} ({y} & 31))"
        return f"({x} {op} {y})"

    def condition(self):
        r = self.r
        return r.choice([f"a % {r.randint(2, 9)} == {r.randint(0, 3)}",
            f"(b >> {r.randint(0, 8)} & 1)",
                         f"(long)a {r.choice(['<', '>', '<=', '>='])} (long)b",
                             f"sum % {r.randint(2, 5)}", f"a != b"])

    def call(self, k):
        """A call of a later piece than k; nothing after the last."""
        if k + 1 >= self.pieces:
            return self.value(1)
        return f"p{self.r.randint(k + 1, self.pieces - 1)}({self.value(1)}, {self.value(1)})"

    def statements(self, k, depth, n):
        """n statements, nested at most so deep."""
        r, out = self.r, []
        for _ in range(n):
            kind = r.random()
            if depth and kind < 0.35:
                out.append(
                    f"if ({self.condition()}) {{ {self.statements(k, depth - 1, 2)} }} else "
                    f"{{ {self.statements(k, depth - 1, 2)} }}")
            elif depth and kind < 0.5:
                i = self.name("i")
                out.append(
                    f"for (u {i} = 0; {i} < {r.randint(1, 6)} && fuel; {i}++) "
                    f"{{ fuel--; a += {i}; {self.statements(k, depth - 1, 2)} }}")
            elif kind < 0.6:
                out.append(f"if (fuel) {{ fuel--; b ^= {self.call(k)}; }}")
            elif kind < 0.7:
                out.append(f"mem[{self.value(1)} % 64] = {self.value(2)};")
            else:
                out.append(f"{r.choice('ab')} = {self.value(3)};")
        return " ".join(out)

    # ---- pieces: (text in front, body) of u pK(u a, u b) ----
    def plain(self, k):
        return "", self.statements(k, 4, self.r.randint(3, 8))

    def dense(self, k):
        n = self.r.randint(5, 40)
        cases = "".join(
            f"case {i}: {self.statements(k, 1, 1)} {'break;' if self.r.random() < 0.8 else ''}\n"
            for i in range(n))
        return "", f"for (int n = 0; n < 5; n++) {{ switch (a % {n + 3}) {{\n{cases}default: a ^= b; }} a = a * 7 + b + n; }}"

    def sparse(self, k):
        n = self.r.randint(5, 20)
        keys = self.r.sample(range(100000), n)
        cases = "".join(f"case {x}: {self.statements(k, 1, 1)} break;\n" for x in keys)
        table = ", ".join(map(str, keys))
        return "", (
            f"static const u keys[] = {{{table}}};\nfor (int n = 0; n < 6; n++) switch (n & 1 ? "
            f"keys[a++ % {n}] : a % 100000)"
                    f" {{\n{cases}default: b += 3; }}")

    def goto(self, k):
        n = self.r.randint(3, 12)
        code = ", ".join(str(self.r.randrange(n)) for _ in range(30))
        labels = [f"&&l{i}" for i in range(n)]
        if self.r.random() < 0.5 and not self.cxx:
            table = "static const int to[] = {" + ", ".join(f"{x} - &&l0" for x in labels) + "};"
            go = "goto *((char *)&&l0 + to[code[pc++]]);"
        else:
            table = "static const void *const to[] = {" + ", ".join(labels) + "};"
            go = "goto *to[code[pc++]];"
        body = "".join(
            f"l{i}: {self.statements(k, 1, 1)} if (pc >= 30 || !fuel) goto out; fuel--; {go}\n"
            for i in range(n))
        return "", f"static const unsigned char code[] = {{{code}}}; {table} int pc = 0; {go}\n{body}out: a ^= 1;"

    def pointers(self, k):
        n, front = self.r.randint(2, 6), ""
        names = [self.name("fn") for _ in range(n)]
        for f in names:
            front += f"noinline static u {f}(u a, u b) {{ {self.statements(k, 2, 2)} return a + b; }}\n"
        table = self.name("table")
        const = self.r.choice(["const ", ""])
        front += f"static u (*{const}{table}[])(u, u) = {{{', '.join(names)}}};\n"
        return front, f"for (int i = 0; i < 4; i++) {{ u (*volatile f)(u, u) = {table}[(a + i) % {n}]; a += f(b, a); }}"

    def tail(self, k):
        x, y = self.name("tail"), self.name("tail")
        front = f"noinline static u {x}(u a, u b);\n"
        for f, g in ((y, x), (x, y)):
            front += (
                f"noinline static u {f}(u a, u b) {{ mix(a); if (a < 2 || !fuel) return b; fuel--; "
                      f"if (a & 1) return {g}(a - 1, b * 3); return {g}(a / 2, b + "
                          f"{self.r.randint(1, 99)}); }}\n")
        return front, f"a += {x}(b & 255, a); b ^= {y}(a & 127, b);"

    def recursion(self, k):
        f = self.name("deep")
        front = f"noinline static u {f}(u a, u b) {{ if (a == 0) return b; b = b * 31 + {f}(a - 1, b ^ a) + {f}(a / 3, b); mix(b); return b + a; }}\n"
        return front, f"a ^= {f}(a % 9, b);"

    def many(self, k):
        n, f = self.r.randint(9, 24), self.name("many")
        types = [self.r.choice(["u", "int", "short", "signed char", "double", "float"])
            for _ in range(n)]
        params = ", ".join(f"{t} x{i}" for i, t in enumerate(types))
        terms = " + ".join(f"(u)((long)x{i}) * {2 * i + 1}" for i in range(n))
        arguments = ", ".join(f"({t})(a * {i} & 63)" for i, t in enumerate(types))
        return f"noinline static u {f}({params}) {{ return {terms}; }}\n", f"a = {f}({arguments}); b += {f}({arguments});"

    def stack(self, k):
        f = self.name("stack")
        front = (f"noinline static u {f}(u n) {{ volatile unsigned char *p = (volatile unsigned char *)__builtin_alloca(n); u s = 0; "
                 f"for (u i = 0; i < n; i++) p[i] = (unsigned char)(i * 7 + n); for (u i = 0; i < "
                     f"n; i += 3) s = s * 5 + p[i]; "
                 f"return n > 40 ? s + {f}(n / 2) : s; }}\n")
        return front, f"a += {f}(b % {self.r.choice([50, 300, 5000])} + 1);"

    def variable(self, k):
        f = self.name("va")
        front = (
            f"noinline static u {f}(int n, ...) "
            f"{{ __builtin_va_list l; u s = 0; __builtin_va_start(l, n); "
                 f"for (int i = 0; i < n; i++) s = s * 3 + (i % 3 == 2 ? "
                     f"(u)(long)__builtin_va_arg(l, double) : __builtin_va_arg(l, u)); "
                 f"__builtin_va_end(l); return s; }}\n")
        n = self.r.randint(1, 14)
        arguments = "".join(", (double)(int)(a & 99)" if i % 3 == 2 else f", b + {i}"
            for i in range(n))
        return front, f"a = {f}({n}{arguments}); b ^= {f}({n // 2}{arguments});"

    def never(self, k):
        """A function that never returns, called in the middle; the rest is laid out after it."""
        out, f, g = self.name("out"), self.name("never"), self.name("via")
        front = (f"static void *{out}[64]; static u {out}_value;\n"
                 f"__attribute__((noreturn)) noinline static void {f}(u a) "
                     f"{{ {out}_value += a * 3; {self.jump(out)} }}\n"
                 f"noinline static u {g}(u a, u b) {{ if (a % 3 == 0) {f}(b); {self.statements(k, 1, 2)} if (b % 5 == 0) {f}(a); return a + b; }}\n")
        return front, f"if (!{self.mark(out)}) a += {g}(a, b) + {g}(b, a); else a += {out}_value; mix({out}_value);"

    def mark(self, out):
        return f"setjmp(*(jmp_buf *){out})" if self.large else f"__builtin_setjmp({out})"

    def jump(self, out):
        return f"longjmp(*(jmp_buf *){out}, 1);" if self.large else f"__builtin_longjmp({out}, 1);"

    def floats(self, k):
        f = self.name("root")
        front = f"noinline static double {f}(double x) {{ double r = 1; for (int i = 0; i < 9; i++) r = (r + x / r) / 2; return r; }}\n"
        return front, f"a += (u)(long)({f}((double)(a & 1023) + 1) * 1000); b = b * 3 + (u)(long)(float)(a & 77);"

    def big(self, k):
        """Large enough for branches over it to outgrow 4 KB."""
        n = self.r.choice([60, 100, 200])
        inside = "".join(
            f"a = a * {self.r.randint(3, 99)} + (b >> {self.r.randint(1, 9)}); if (a & "
            f"{1 << self.r.randint(0, 9)}) {{ b ^= a; mem[{i % 64}] += b; }}\n"
                         for i in range(n))
        return "", f"for (int n = 0; n < 3; n++) {{ if (a % 3 == 1) {{ {inside} }} else if (b & 1) continue; a += b; }}"

    def text(self, k):
        """Assembly with unusual conventions."""
        f = self.name("asm")
        convention = self.convention
        self.convention = (convention + 1) % 8
        rvc = self.r.choice(["", ".option norvc\n"])
        n = self.r.randint(1, 500)
        if convention == 0:  # arguments in temporaries, a second result there
            code = (
                f"{f}: beqz t1, 2f\n1: addi t1, t1, -1\nadd t2, t2, t1\nslli t3, t2, 3\nxor t2, "
                f"t2, t3\nbnez t1, 1b\n2: not t4, t2\n"
                    f"addi t5, t4, {n}\nret\n")
            use = (f'register u x asm("t1") = a & 15, y asm("t2") = b, z asm("t5"); '
                   f'asm volatile("call {f}" : "+r"(x), "+r"(y), "=r"(z) : : "ra", "t3", "t4", '
                       f'"t0"); a = y; b ^= z;')
        elif convention == 1:  # linked by t0, and calling on by t1; keeps all but a0
            code = (
                f"{f}: xori a0, a0, {n}\nblez a0, 1f\njal t1, {f}_in\n1: jr t0\n{f}_in: slli a0, "
                f"a0, 1\nbgez a0, 1f\naddi a0, a0, 1\n1: jr t1\n")
            use = f'register u x asm("a0") = a; asm volatile("jal t0, {f}" : "+r"(x) : : "t0", "t1"); a = x;'
        elif convention == 2:  # entered in its middle
            code = (
                f".globl {f}\n.type {f}, @function\n{f}: addi a0, a0, {n}\n{f}_mid: slli a1, a0, "
                f"5\nbltz a1, 1f\nadd a0, a0, a1\n"
                    f"1: ret\n.size {f}, .-{f}\n")
            use = (f'register u x asm("a0") = a; asm volatile("call {f}_mid" : "+r"(x) : : "ra", '
                f'"a1"); a = x; x = b; '
                   f'asm volatile("call {f}" : "+r"(x) : : "ra", "a1"); b += x;')
        elif convention == 3:  # data between code, read by a distance from it
            code = (
                f"{f}: lla t0, 2f\nandi a0, a0, 3\nslli a0, a0, 3\nadd t0, t0, a0\nld a0, 0(t0)\nj "
                f"3f\n.balign 8\n2: .dword {n}, 0x123456789abcdef0, -1, 0x{n:x}\n"
                    f"3: ret\n")
            use = f'register u x asm("a0") = a; asm volatile("call {f}" : "+r"(x) : : "ra", "t0"); a += x;'
        elif convention == 4:  # a table of distances between code, which it jumps by
            code = (
                f"{f}: andi a0, a0, 3\nslli a0, a0, 2\nlla t0, 9f\nadd a0, a0, t0\nlw a0, "
                f"0(a0)\nadd a0, a0, t0\njr a0\n.balign 4\n"
                    f"9: .word 1f - 9b, 2f - 9b, 3f - 9b, 4f - 9b\n"
                    f"1: li a0, 1\nret\n2: li a0, {n}\nret\n3: neg a0, a1\nret\n4: j 1b\n")
            use = f'register u x asm("a0") = a, y asm("a1") = b; asm volatile("call {f}" : "+r"(x) : "r"(y) : "ra", "t0"); a = a * 5 + x;'
        elif convention == 5:  # two functions, the first goes on into the second
            code = (
                f".type {f}, @function\n{f}: slli a0, a0, 2\nbgeu a0, a1, {f}_b\nxori a0, a0, "
                f"{n}\n.size {f}, .-{f}\n"
                    f".type {f}_b, @function\n{f}_b: sub a0, a0, a1\nret\n.size {f}_b, .-{f}_b\n")
            use = (f'register u x asm("a0") = a, y asm("a1") = b; asm volatile("call {f}" : '
                f'"+r"(x) : "r"(y) : "ra"); a = x; '
                   f'asm volatile("call {f}_b" : "+r"(x) : "r"(y) : "ra"); b += x;')
        elif convention == 6:  # calls its own middle for the address
            code = f"{f}: mv t6, ra\njal 1f\n1: addi a0, a0, {n}\nmv ra, t6\nret\n"
            use = f'register u x asm("a0") = a; asm volatile("call {f}" : "+r"(x) : : "ra", "t6"); a += x;'
        else:  # all registers in use
            regs = [f"t{i}" for i in range(7)] + [f"a{i}" for i in range(1, 8)]
            kept = [f"s{i}" for i in range(12)]
            save = "".join(f"sd {x}, {8 * i}(sp)\n" for i, x in enumerate(kept))
            load = "".join(f"ld {x}, {8 * i}(sp)\n" for i, x in enumerate(kept))
            fill = "".join(f"addi {x}, a0, {i * 3}\n" for i, x in enumerate(regs + kept + ["ra"]))
            add = "".join(f"beqz {x}, 1f\nslli a0, a0, 1\nxor a0, a0, {x}\n1:\n" for x in regs
                + kept + ["ra"])
            code = (
                f"{f}: addi sp, sp, -112\nsd ra, 104(sp)\n{save}{fill}{add}{load}ld ra, "
                f"104(sp)\naddi sp, sp, 112\nret\n")
            clobbers = ", ".join(f'"{x}"' for x in regs + ["ra"])
            use = f'register u x asm("a0") = a; asm volatile("call {f}" : "+r"(x) : : {clobbers}); a = x;'
        lines = "".join(f'"{line}\\n" ' for line in (".text\n.option push\n.balign 4\n" + rvc + code
            + ".option pop").split("\n"))
        return f"asm({lines});\n", "{ " + use + " }"

    def far(self, k):
        """Jumps over more than 1 MB, once counters stand between."""
        f = self.name("far")
        n = 9000
        code = [".text", f".type {f}, @function", f"{f}: beqz a0, 7f", "j 8f", "9:", f".rept {n}",
            "bnez a1, 1f", "addi a0, a0, 3", "1: addi a1, a1, -1",
                "beqz a0, 2f", "xor a0, a0, a1", "2: bltz a1, 1f", "addi a0, a0, 1", "j 1f", "1:",
                    ".endr", "j 7f", "8: addi a0, a0, 5", "bgez a0, 9b",
                "7: ret", f".size {f}, .-{f}"]
        lines = "".join(f'"{line}\\n" ' for line in code)
        return f"asm({lines});\n", f'{{ register u x asm("a0") = a & 7, y asm("a1") = 5; asm volatile("call {f}" : "+r"(x), "+r"(y) : : "ra"); a += x + y; }}'

    # ---- with the C library ----
    def indirect(self, k):
        f = self.name("ifunc")
        front = (
            f"noinline static u {f}_a(u x) {{ return x * 3 + {self.r.randint(1, 99)}; }}\nstatic u "
            f"(*{f}_resolve(void))(u) {{ return {f}_a; }}\n"
                 f"u {f}(u) __attribute__((ifunc(\"{f}_resolve\")));\n")
        if self.cxx:
            return self.floats(k)
        return front, f"a = {f}(a); {{ u (*volatile p)(u) = {f}; b += p(a); }}"

    def sorting(self, k):
        f = self.name("by")
        front = f"static int {f}(const void *x, const void *y) {{ u a = *(const u *)x, b = *(const u *)y; return a < b ? -1 : a > b; }}\n"
        return front, f"{{ u list[40]; for (int i = 0; i < 40; i++) list[i] = (a + (u)i * b) % 97; qsort(list, 40, sizeof *list, {f}); for (int i = 0; i < 40; i++) a = a * 3 + list[i]; }}"

    def signals(self, k):
        """Handlers that count, also by a clock, which interrupts inserted code anywhere. The checksum leaves out their number."""
        f = self.name("hear")
        front = (
            f"static volatile u {f}_n, {f}_clock;\nstatic void {f}(int s) "
            f"{{ u x[8]; for (int i = 0; i < 8; i++) x[i] = (u)i * 77 + (u)s; "
                 f"for (int i = 0; i < 8; i++) {f}_clock += x[i]; if (s == SIGUSR1) {f}_n++; }}\n")
        return front, (
            f"signal(SIGUSR1, {f}); signal(SIGALRM, {f}); "
            f"{{ struct itimerval t = {{{{0, 700}}, {{0, 700}}}}, none = {{{{0, 0}}, {{0, 0}}}}; "
                       f"setitimer(ITIMER_REAL, &t, 0); for (int i = 0; i < 20 && fuel; i++) "
                           f"{{ fuel--; a += {self.call(k)}; raise(SIGUSR1); }} "
                       f"setitimer(ITIMER_REAL, &none, 0); a += {f}_n; }}")

    def coroutine(self, k):
        f = self.name("co")
        front = (
            f"static ucontext_t {f}_here, {f}_there; static char {f}_stack[65536]; static u "
            f"{f}_value;\n"
                 f"noinline static u {f}_yield(u x) "
                     f"{{ {f}_value = x; swapcontext(&{f}_there, &{f}_here); return {f}_value; }}\n"
                 f"static void {f}(void) {{ u x = {f}_value; for (;;) {{ for (u i = 0; i < x % 5; i++) x += {f}_yield(x * 3 + i); x = {f}_yield(x / 3); }} }}\n")
        return front, (
            f"getcontext(&{f}_there); {f}_there.uc_stack.ss_sp = {f}_stack; "
            f"{f}_there.uc_stack.ss_size = sizeof {f}_stack; {f}_there.uc_link = 0; "
                       f"{f}_value = a; makecontext(&{f}_there, {f}, 0); for (int i = 0; i < 12; "
                           f"i++) {{ swapcontext(&{f}_here, &{f}_there); mix({f}_value); "
                       f"{f}_value ^= b + (u)i; }}")

    def thread_local(self, k):
        x = self.name("own")
        return f"static __thread u {x} = {self.r.randint(1, 99)};\n", f"{x} = {x} * 3 + a; a ^= {x};"

    def strings(self, k):
        return "", (
            "{ char t[64]; snprintf(t, sizeof t, \"%lu:%05d:%.3f:%s\", a & 4095, (int)(b % 1000), "
            "(double)(a & 255) / 8, \"text\"); "
                    "a = a * 3 + strlen(t); for (char *c = t; *c; c++) b = b * 31 + (u)*c; char *d "
                        "= strdup(t); a += (u)(strchr(d, ':') - d); free(d); }")

    # ---- C++ ----
    def throwing(self, k):
        f = self.name("throws")
        deep = self.r.randint(2, 6)
        front = f"struct {f}_thing {{ u x; ~{f}_thing() {{ mix(x); }} }};\nstruct {f}_error {{ u code; virtual ~{f}_error() {{}} }};\nstruct {f}_worse : {f}_error {{}};\n"
        front += f"noinline static u {f}_0(u a, u b) {{ {self.statements(k, 2, 2)} if (a % 3 == 0) {{ {f}_worse e; e.code = b; throw e; }} if (a % 7 == 1) throw (int)b; return a * b; }}\n"
        for i in range(1, deep):
            guard = self.r.random()
            inner = f"u r = {f}_{i - 1}(a + {i}, b); mix(r);"
            if guard < 0.4:
                inner = f"try {{ {inner} return r; }} catch (int x) {{ mix(x); if (a & 1) throw; }} catch (const {f}_worse &e) {{ mix(e.code + {i}); if (b & 1) throw; }} return a;"
            else:
                inner += " return r + t.x;"
            front += f"noinline static u {f}_{i}(u a, u b) {{ {f}_thing t = {{a ^ b}}; {self.statements(k, 1, 1)} {inner} }}\n"
        return front, f"for (int i = 0; i < 7; i++) {{ try {{ a += {f}_{deep - 1}(a + i, b); }} catch (const {f}_error &e) {{ b += e.code; }} catch (...) {{ b ^= 5; }} }}"

    def write(self):
        r = self.r
        kinds = ["plain", "dense", "sparse", "goto", "pointers", "tail", "recursion", "many",
            "stack", "variable", "never", "floats", "big", "text", "text"]
        if self.large:
            kinds += ["indirect", "sorting", "signals", "coroutine", "thread_local", "strings"]
        if self.cxx:
            kinds += ["throwing"] * 5
        chosen = [r.choice(kinds) for _ in range(self.pieces)]
        chosen[-1] = "throwing" if self.cxx else "text"
        if not self.cxx and r.random() < 0.04:
            chosen[r.randrange(self.pieces)] = "far"
        flags = ["-w", r.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"])]
        flags += [r.choice(["-march=rv64gc", "-march=rv64gc", "-march=rv64g"]), "-mabi=lp64d"]
        flags += [x for x in ("-fno-omit-frame-pointer", "-msave-restore", "-ffunction-sections",
            "-fno-jump-tables", "-mcmodel=medany", "-mno-relax", "-g",
                              "-fno-optimize-sibling-calls", "-fPIC") if r.random() < 0.15]
        # Absolute addresses of code, not pc-relative ones.
        flags += ["-fno-pie"] if self.seed % 3 == 1 else []
        flags += ["-static", "-Wl,--emit-relocs"]
        if not self.large:
            flags += ["-nostartfiles", "-fno-builtin-memset", "-fno-stack-protector"]
        head = LARGE_HEAD if self.large else ""
        text = f"// {'g++' if self.cxx else 'gcc'} {' '.join(flags)}\n// {' '.join(chosen)}\n" + head
        text += SMALL_HEAD.replace("FUEL", str(r.randint(200, 3000)))
        text += "".join(f"u p{k}(u a, u b);\n" for k in range(self.pieces))
        for k, kind in enumerate(chosen):
            front, body = getattr(self, kind)(k)
            text += f"\n/* {kind} */\n{front}noinline u p{k}(u a, u b)\n{{\n{body}\nmix(a + b); return a ^ b;\n}}\n"
        text += "noinline static void run(void)\n{\n" + "".join(
            f"mix(p{k}({r.randint(0, 999)}, {r.randint(0, 999)}));\n" for k in range(self.pieces))
        text += "for (int i = 0; i < 64; i++) mix(mem[i]);\n}\n"
        return text + (LARGE_START if self.large else SMALL_START)


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED FILE")
    with open(sys.argv[2], "w") as f:
        f.write(Program(int(sys.argv[1])).write())


main()
