/* A program that mutants.py changes, with an example of every kind of relocation. Small, without a
 * C library. Prints its results, and ends with a status. Compiled several ways: mutants.sh. */
typedef unsigned long word;

#define ALONE __attribute__((noinline))

static long call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

static char line[64];
static int used;

ALONE void put(char c)
{
	line[used++] = c;
	if (c == '\n') {
		call(64, 1, (long)line, used);
		used = 0;
	}
}

ALONE void say(const char *what, word value)
{
	while (*what)
		put(*what++);
	put(' ');
	for (int shift = 28; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
	put('\n');
}

/* Pointers to functions, in data that may be written and in data that may not. */
ALONE word twice(word x) { return 2 * x; }
ALONE word thrice(word x) { return 3 * x; }
ALONE static word plus(word x) { return x + used + 7; }
ALONE static word turned(word x) { return x << 3 | x >> 5; }
static word (*const fixed[])(word) = {twice, turned, thrice};
word (*movable[])(word) = {thrice, plus, twice, turned};

/* A jump table. */
ALONE word choose(word x, word n)
{
	switch (n % 11) {
	case 0: return x + 17;
	case 1: return x ^ 0x55;
	case 2: return x << 2;
	case 3: return fixed[x % 3](x);
	case 4: return x - 99;
	case 5: return -x;
	case 6: return x * x;
	case 7: return x % 1000 + n;
	case 8: return twice(x) + 1;
	case 9: return x >> 3;
	default: return x / 3;
	}
}

/* Distances of code, in its middle; and a call through another function's end. */
word near(word n);
__asm__(".text\n.globl near\n.type near, @function\nnear:\n\tandi a0, a0, 3\n\tslli a0, a0, 2\n\tlla a1, base\n\tadd a0, a0, a1\n\tlw a0, 0(a0)\n\tadd a0, a0, a1\n"
        "\tjr a0\n\t.globl base\nbase:\t.word 1f - base, 2f - base, 3f - base, 4f - base\n1:\tli a0, 5\n\tret\n2:\tli a0, 11\n\tret\n3:\tj 1b\n4:\tli a0, 3\n\ttail twice\n"
        "\t.size near, . - near\n"
        "\t.pushsection .rodata\n\t.balign 4\nways:\t.word 5f - ways, 6f - ways\n\t.popsection\n\t.globl far\n\t.type far, @function\nfar:\n\tandi a0, a0, 1\n\tslli a0, a0, 2\n"
        "\tlla a1, ways\n\tadd a0, a0, a1\n\tlw a0, 0(a0)\n\tadd a0, a0, a1\n\tjr a0\n5:\tli a0, 21\n\tret\n6:\tli a0, 34\n\tret\n\t.size far, . - far\n");
word far(word n);

/* Thread-local data, a function that may not be there, small data, recursion, a struct of pointers. */
__thread word mine = 40, zero;
extern word absent(word) __attribute__((weak));
word small = 3, none;
struct shape { const char *name; word (*area)(word); const struct shape *next; };
ALONE static word square(word x) { return x * x + 1; }
static const struct shape box = {"box", square, 0}, disk = {"disk", thrice, &box};
const struct shape *volatile shapes = &disk;

ALONE word depth(word n) { return n < 2 ? n + small : depth(n - 1) + depth(n - 2); }

/* Its last instruction is a call that never returns. */
ALONE __attribute__((noreturn)) void leave(word status)
{
	say("leave", status);
	for (;;)
		call(93, (long)(status & 63), 0, 0);
}

ALONE __attribute__((noreturn)) void refuse(word status) { leave(status + 1); }

ALONE word work(word seed)
{
	word sum = seed;
	for (word i = 0; i < 40; i++) {
		sum = sum * 31 + choose(sum & 0xffff, i);
		if (sum & 4)
			sum ^= movable[i & 3](i);
		sum += near(i) + far(i >> 1);
	}
	return sum;
}

void start(void)
{
	say("work", work(5));
	for (const struct shape *s = shapes; s; s = s->next)
		say(s->name, s->area(6));
	mine += 2;
	zero += mine;
	none += zero;
	say("thread", mine + zero);
	say("depth", depth(9));
	if (absent)
		say("absent", (word)absent);
	movable[2] = depth;
	say("again", movable[2](none & 7));
	movable[2] = none & 8 ? plus : turned; /* whose addresses an assembler may work out itself */
	say("turned", movable[2](none & 7));
	movable[2] = twice;
	if (none > 1000)
		refuse(none);
	leave(none + work(small));
}

/* gp, and a block for what is thread-local: the linker places it. */
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n.option push\n.option norelax\n\tlla gp, __global_pointer$\n.option pop\n"
        "\tlla tp, block\n\tli a0, 40\n\tsd a0, 0(tp)\n\tcall start\n\tebreak\n\t.size _start, . - _start\n"
        "\t.pushsection .bss\n\t.balign 64\nblock:\t.zero 256\n\t.popsection\n");
