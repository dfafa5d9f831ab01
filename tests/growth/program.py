"""The program of the growth tests: so many functions in its unit, each with a type of its own, and
so many symbols without debug information. Started with numbers of frames, threads and maps, it maps
memory, starts threads that wait for ever, calls itself so deep, and loops there. It has no C
library: main begins in the first cycles, and nothing else is in its tables.
"""
import subprocess

# Threads take their stack from an array; each waits at its futex.
TEXT = """
typedef long word;
static word call(word n, word a, word b, word c, word d, word e, word f)
{
	register word a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a3 asm("a3") = d;
	register word a4 asm("a4") = e, a5 asm("a5") = f, a7 asm("a7") = n;
	asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
	             : "memory");
	return a0;
}
word total, spare[4096];
static int never;
static char stacks[32][512] __attribute__((aligned(16)));
int half(int n)
{
	int r = n / 2;
	return r;
}
int loop(int n)
{
	for (int i = 0; i < n; i++)
		total += half(i);
	return 0;
}
int deep(int n)
{
	return n ? deep(n - 1) + 1 : loop(2000);
}
static void wait_for_ever(void)
{
	for (;;)
		call(98, (word)&never, 0, 0, 0, 0, 0);
}
asm("clone_one:\\n"
    "li a7, 220\\n ecall\\n bnez a0, 1f\\n call wait_there\\n 1: ret");
word clone_one(word flags, void *stack, void *parent, void *tls, void *child);
void wait_there(void)
{
	wait_for_ever();
}
static int number(const char *s)
{
	int n = 0;
	while (*s)
		n = 10 * n + *s++ - '0';
	return n;
}
int main(int argc, char **argv)
{
	if (argc < 4)
		return 0;
	for (int i = 0; i < number(argv[2]); i++)
		clone_one(0x50f00, stacks[i + 1], 0, 0, 0);
	for (int i = 0; i < 2; i++)
		call(124, 0, 0, 0, 0, 0, 0); /* to them */
	for (int i = 0; i < number(argv[3]); i++) /* neighbours differ, and stay apart */
		call(222, 0x10000000 + 0x2000 * i, 4096, i % 2 ? 3 : 1, 0x32, -1, 0);
	return deep(number(argv[1]));
}
asm(".globl _start\\n_start: ld a0, 0(sp)\\n addi a1, sp, 8\\n call main\\n li a7, 94\\n ecall");
"""


def build(folder, functions, symbols):
    """The program's path. Built once for each pair of numbers."""
    name = folder / f"growth-{functions}-{symbols}"
    if name.exists():
        return name
    source, table = name.with_suffix(".c"), name.with_suffix(".s")
    source.write_text(TEXT + "".join(
        f"struct s{i} {{ int a{i}; long b; }};\n"
        f"int f{i}(struct s{i} *p, int x)\n{{\n\tint y = x + {i};\n\tp->a{i} = y;\n"
        f"\tfor (int k = 0; k < x; k++) {{\n\t\tint z = k * y;\n\t\tp->b += z;\n\t}}\n"
        f"\treturn y;\n}}\n" for i in range(functions)))
    table.write_text(".text\n" + "".join(
        f".globl label{i}\n.type label{i}, @function\nlabel{i}: nop\n ret\n"
        f".size label{i}, .-label{i}\n" for i in range(symbols)))
    subprocess.run(["riscv64-linux-gnu-gcc", "-g", "-O0", "-static", "-nostdlib",
                    "-fno-stack-protector", "-o", name, source, table], check=True)
    return name
