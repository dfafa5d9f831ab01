#!/usr/bin/env python3
"""Writes programs of calls, for tests/edit/contexts.sh.

  callgraphs.py SEED FILE

FILE is C; its first line is the command to compile it. A seeded graph of procedures call each
other: directly, through a table of pointers, by tail calls (direct ones and through pointers),
recursively and mutually, over code that the editor leaves alone, deep chains; some leave by
longjmp() out of whatever they are below, by a call without a frame. Fuel ends it;
every fourth program ends by exit() at that place."""
import random
import sys

HEAD = r"""
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned long u;
#define noinline __attribute__((noinline, noclone))
static u fuel = %d, sum = 1;
static jmp_buf *out;
static void mix(u x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15 + (sum >> 29); }
static noinline void burn(void) { if (fuel) fuel--; else %s; }
/* Calls f(x) as nobody expects it: with its stack pointer moved by a distance that only running
 * tells. */
u odd(u (*f)(u), u x, u distance);
asm(".text\n.globl odd\n.type odd, @function\nodd:\n"
    "andi a2, a2, 48\naddi sp, sp, -64\nsd ra, 0(sp)\nsd s1, 8(sp)\nmv s1, sp\nsub sp, sp, a2\nmv t1, a0\nmv a0, a1\njalr t1\n"
    "mv sp, s1\nld ra, 0(sp)\nld s1, 8(sp)\naddi sp, sp, 64\nret\n.size odd, . - odd\n");
/* Calls f(f(x)) with its stack pointer where it was: what it keeps lies elsewhere. */
u early(u (*f)(u), u x);
u *kept[65536], **top = kept;
static u ***volatile top_of = &top;
asm(".text\n.globl early\n.type early, @function\nearly:\n"
    "la t2, top\nld t3, 0(t2)\nsd ra, 0(t3)\nsd a0, 8(t3)\naddi t3, t3, 16\nsd t3, 0(t2)\nmv t1, a0\nmv a0, a1\njalr t1\n"
    "la t2, top\nld t3, 0(t2)\nld t1, -8(t3)\njalr t1\n"
    "la t2, top\nld t3, 0(t2)\naddi t3, t3, -16\nsd t3, 0(t2)\nld ra, 0(t3)\nret\n.size early, . - early\n");
/* Leaves by longjmp() through calls without a frame, the first of them not the procedure's last. */
u leaves(u x);
void gone(void) { burn(); longjmp(*out, 1); }
asm(".text\n.globl leaves\n.type leaves, @function\nleaves:\n"
    "andi a0, a0, 2\nbeqz a0, 1f\ncall gone\n1: call gone\n.size leaves, . - leaves\n");
"""


class Graph:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = self.r.randint(6, 28)
        self.exits = seed % 4 == 3

    def callee(self, i):
        # Mostly down, sometimes back: recursion, mutual or not.
        if self.r.random() < 0.75 and i + 1 < self.n:
            return self.r.randrange(i + 1, min(self.n, i + 6))
        return self.r.randrange(self.n)

    def call(self, i):
        kind = self.r.random()
        if kind < 0.5:
            return "f%d(x + %d)" % (self.callee(i), self.r.randrange(9))
        if kind < 0.75:
            return "table[(x + %d) %% %d](x ^ %d)" % (self.r.randrange(9), self.n,
                self.r.randrange(9))
        if kind < 0.8:
            return "odd(table[x %% %d], x + %d, x * 16)" % (self.n, self.r.randrange(9))
        if kind < 0.85:
            return "odd(f%d, x + %d, x * 16)" % (self.callee(i), self.r.randrange(9))
        if kind < 0.9:
            return "early(table[x %% %d], x + 1)" % self.n
        return "chain%d(x %% %d)" % (self.r.randrange(3), self.r.randint(1, 40))

    def statement(self, i):
        kind = self.r.random()
        if kind < 0.45:
            return "x += %s;" % self.call(i)
        if kind < 0.6:
            return "if (x %% %d == 0) x ^= %s;" % (self.r.randint(2, 5), self.call(i))
        if kind < 0.75:
            return "for (int i = 0; i < %d && x %% 7; i++) x += %s;" % (self.r.randint(1, 4),
                self.call(i))
        if kind < 0.82:
            return "{ char *p = alloca(x %% 64 + 1); p[0] = (char)x; x += %s + (u)p[0]; }" % self.call(i)
        if kind < 0.9:
            return ("{ jmp_buf here, *old = out; u **was = *top_of; if (setjmp(here) == 0) { out = &here; x += %s; %s} else { x += 99; *top_of = was; } out = old; }" %
                (self.call(i), self.leave))
        if kind < 0.96:
            return "if (out && x %% %d == 1) leaves(x);" % self.r.randint(3, 9)
        return "switch (x %% 5) { case 0: x += %s; break; case 1: x ^= 3; break; case 2: x += %s; break; case 3: mix(x); break; }" % (
            self.call(i), self.call(i))

    def end(self, i):
        kind = self.r.random()
        if kind < 0.45:
            return "return x;"
        if kind < 0.75:
            return "if (x %% 3) return x; return f%d(x + 1);" % self.callee(i)
        return "if (x %% 4 == 0) return x; return table[x %% %d](x >> 1);" % self.n

    def function(self, i):
        # Setjmp's locals live in memory; their values do not matter, if they are always the same.
        body = ["volatile u keep = x0; u x = x0;", "burn(); if (!fuel) return x;"]
        body += [self.statement(i) for _ in range(self.r.randint(0, 4))]
        text = "\n\t".join(body).replace("else { x += 99", "else { x = keep + 99")
        return "noinline u f%d(u x0)\n{\n\t%s\n\tmix(x);\n\t%s\n}" % (i, text, self.end(i))

    def write(self, file):
        options = self.r.choice(["-O2", "-O2", "-O1", "-O0", "-Os", "-O2 -fno-omit-frame-pointer",
            "-O2 -msave-restore"])
        # Procedures with -msave-restore are left alone; a jump into one keeps the context.
        self.leave = "" if "save" in options else "if (x % 3) leaves(x); "
        print("// gcc %s -w -static -Wl,--emit-relocs" % options, file=file)
        print(HEAD % (self.r.randint(200, 4000), "exit((int)(sum & 63))" if self.exits
            else "(void)0"), file=file)
        for i in range(self.n):
            print("u f%d(u);" % i, file=file)
        print("u chain0(u), chain1(u), chain2(u);", file=file)
        for k in range(3):
            print("noinline u chain%d(u n) { return n ? 1 + chain%d(n - 1) : f%d(n); }" % (k,
                self.r.randrange(3), self.r.randrange(self.n)), file=file)
        print("static u (*const table[])(u) = {%s};" % ", ".join("f%d" % i for i in range(self.n)),
            file=file)
        for i in range(self.n):
            print(self.function(i), file=file)
        print("int main(void)\n{\n\tfor (int i = 0; i < 50 && fuel; i++) mix(f0((u)i));\n"
              "\tprintf(\"%016lx\\n\", sum);\n\treturn (int)(sum & 63);\n}", file=file)


def main():
    with open(sys.argv[2], "w", encoding="ascii") as file:
        Graph(int(sys.argv[1])).write(file)


main()
