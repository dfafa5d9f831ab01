/* The program of the golden tests: each view has contents. It has no C library, so that the ELF file
 * beside it is small and can be kept. It is compiled once, by the line below; the expected
 * texts belong to exactly those bytes.
 *
 *   riscv64-unknown-elf-gcc -march=rv64gc -mabi=lp64d -O1 -g -gdwarf-4 -ffreestanding -nostdlib -static
 *       -fno-builtin -ffile-prefix-map=$PWD=. -Wl,--build-id=none -o tests/golden/guest.elf tests/golden/guest.c
 */

enum { NODES = 512, WORDS = 16 };

struct node {
	struct node *next;
	long value;
	char pad[112]; /* a cache line of its own at every level */
};

static struct node nodes[NODES];
static double series[WORDS];
static unsigned seed = 12345;
long result;

static long syscall3(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

static unsigned next_random(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16;
}

/* A list in random order in memory: each step is a miss that the next one waits for. */
__attribute__((noinline)) static void link_nodes(void)
{
	for (long i = 0; i < NODES; i++) {
		nodes[i].value = next_random() % 1000;
		nodes[i].next = &nodes[(i * 203 + 77) % NODES];
	}
}

__attribute__((noinline)) static long walk(const struct node *n, long steps)
{
	long sum = 0;
	while (steps-- > 0) {
		/* No predictor learns this branch. */
		if (n->value & 1)
			sum += n->value;
		else
			sum -= n->value / 3;
		n = n->next;
	}
	return sum;
}

/* Deeper than the return stack. */
__attribute__((noinline)) static long depth(long n)
{
	if (n == 0)
		return 0;
	return depth(n - 1) + n;
}

__attribute__((noinline)) static double sum_series(void)
{
	double sum = 0;
	for (long i = 0; i < WORDS; i++) {
		series[i] = 1.0 / (double)(i + 1);
		sum += series[i] * series[i];
	}
	return sum;
}

static void say(long value)
{
	char line[32];
	int n = sizeof line;
	line[--n] = '\n';
	do {
		line[--n] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	syscall3(64, 1, (long)(line + n), (long)sizeof line - n);
}

int main(void)
{
	link_nodes();
	for (long round = 0; round < 4; round++) {
		result += walk(&nodes[round], 200);
		result += depth(12);
		result += (long)(sum_series() * 1000);
		say(result > 0 ? result : -result);
	}
	return 0;
}

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__ volatile(".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
	                 "call main\nli a7, 93\necall");
}
