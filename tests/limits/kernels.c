/* Small programs in one, `kernels NAME`: each repeats one operation and has one bottleneck, as an
 * engineer judges it without inspecting this processor. key.txt names the bottlenecks. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAPS(n) for (long lap = 0; lap < (n); lap++)
#define TWICE(one) one one
#define TEN(one) one one one one one one one one one one
#define FORTY(one) TEN(one) TEN(one) TEN(one) TEN(one)
#define DO(text, ...) __asm__ volatile(text __VA_ARGS__)

enum { KB = 1024, LINE = 64, PAGE = 8192 };
static char memory[8 * KB * KB] __attribute__((aligned(65536)));
static volatile uint64_t sink;
static uint64_t seed = 88172645463325252u;

/* Slots are counted from this call on, after a kernel's preparations. */
static __attribute__((noinline)) void begin(void)
{
	__asm__ volatile("");
}

static uint64_t kernels_any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* ---- arithmetic ---- */
static void multiply(void) { LAPS(500) DO(FORTY("mul t1, t0, t0\n"), ::: "t1"); }
static void multiply_chain(void) { LAPS(200) DO(FORTY("mul t0, t0, t0\n"), ::: "t0"); }
static void divide(void) { LAPS(50) DO(FORTY("div t1, t0, t2\n"), ::: "t1"); }
static void divide_chain(void) { LAPS(20) DO("li t2, 1\n" FORTY("div t0, t0, t2\n"), ::: "t0", "t2"); }
static void add(void) { LAPS(1000) DO(FORTY("addi t1, t0, 1\n"), ::: "t1"); }
static void add_chain(void) { LAPS(800) DO(FORTY("addi t0, t0, 1\n"), ::: "t0"); }
static void float_add(void) { LAPS(500) DO(FORTY("fadd.d ft1, ft0, ft0\n"), ::: "ft1"); }
static void float_add_chain(void) { LAPS(300) DO(FORTY("fadd.d ft0, ft0, ft0\n"), ::: "ft0"); }
static void float_multiply(void) { LAPS(500) DO(FORTY("fmul.d ft1, ft0, ft0\n"), ::: "ft1"); }
static void float_multiply_chain(void) { LAPS(200) DO(FORTY("fmul.d ft0, ft0, ft0\n"), ::: "ft0"); }
static void float_divide(void) { LAPS(60) DO(FORTY("fdiv.d ft1, ft0, ft0\n"), ::: "ft1"); }
static void float_divide_chain(void) { LAPS(40) DO("fdiv.d ft1, ft1, ft0\n" FORTY("fdiv.d ft1, ft1, ft0\n"), ::: "ft1"); }
static void reciprocal_sums(void) { LAPS(60) DO(TEN("fmadd.d ft1, ft0, ft0, ft0\nfdiv.d ft2, ft0, ft1\naddi t1, t0, 1\naddi t1, t0, 2\naddi t1, t0, 3\n"), ::: "ft1", "ft2", "t1"); }
static void root_chain(void) { LAPS(30) DO(FORTY("fsqrt.d ft0, ft0\n"), ::: "ft0"); }
static void compare_chain(void) { LAPS(300) DO(TEN("fmin.d ft0, ft0, ft1\nfmax.d ft0, ft0, ft2\n"), ::: "ft0"); }

static void polynomial(void)
{
	double x = 0.5;
	LAPS(400) {
		double sum = 1;
		for (int i = 0; i < 20; i++)
			DO("fmadd.d %0, %0, %1, %2", : "+f"(sum) : "f"(x), "f"(x));
	}
}

static void sum_of_doubles(void)
{
	const double *in = (const double *)memory;
	double sum = 0;
	LAPS(20)
		for (int i = 0; i < 1000; i += 4) {
			sum += in[i];
			sum += in[i + 1];
			sum += in[i + 2];
			sum += in[i + 3];
		}
	sink = sum != 0;
}

/* Random numbers, and how often each occurs: counting needs the generator, which needs no count. */
static void count_random(void)
{
	uint64_t x = seed;
	LAPS(2500)
		DO(TWICE("mul %0, %0, %2\naddi %0, %0, 1\nsrli t2, %0, 56\nslli t2, t2, 2\nadd t2, t2, %1\n"
		         "lw t3, 0(t2)\naddi t3, t3, 1\nsw t3, 0(t2)\n"),
		   : "+r"(x) : "r"(memory), "r"(6364136223846793005u) : "t2", "t3", "memory");
}

/* A recurrence, unrolled, with loads and stores beside it. */
static void recurrence(void)
{
	LAPS(1000)
		DO("fld ft2, 0(%0)\nfld ft3, 8(%0)\nfld ft4, 16(%0)\nfmadd.d ft2, ft2, ft5, ft1\nfld ft5, 24(%0)\n"
		   "fmadd.d ft3, ft2, ft3, ft1\nfsd ft2, 32(%0)\nfmadd.d ft4, ft3, ft4, ft1\nfsd ft3, 40(%0)\n"
		   "fmadd.d ft5, ft4, ft5, ft1\nfsd ft4, 48(%0)\nfsd ft5, 56(%0)\n",
		   ::"r"(memory) : "ft2", "ft3", "ft4", "ft5", "memory");
}

/* x = x xor (x shifted), again and again. */
static void shift_chain(void) { LAPS(500) DO(TEN("slli t1, t0, 13\nxor t0, t0, t1\nsrli t1, t0, 7\nxor t0, t0, t1\n"), ::: "t0", "t1"); }

/* ---- memory ---- */
static void load_same(void) { LAPS(500) DO(FORTY("ld t1, 0(%0)\n"), ::"r"(memory) : "t1"); }
static void copy(void) { LAPS(500) DO(TEN("ld t1, 0(%0)\nld t2, 8(%0)\nsd t1, 1024(%0)\nsd t2, 1032(%0)\n"), ::"r"(memory) : "t1", "t2", "memory"); }
static void load_chain(void)
{
	*(void **)memory = memory;
	LAPS(200) DO("mv t0, %0\n" FORTY("ld t0, 0(t0)\n"), ::"r"(memory) : "t0");
}

/* A list of places, each `stride` after the last, around. */
static void *kernels_ring(long places, long stride)
{
	for (long i = 0; i < places; i++)
		*(void **)(memory + i * stride) = memory + (i + 1) % places * stride;
	return memory;
}

static void kernels_walk(void *at, long steps)
{
	begin();
	for (long i = 0; i < steps; i += 10)
		DO(TEN("ld %0, 0(%0)\n"), : "+r"(at));
	sink = (uint64_t)at;
}

static void list_in_l2(void) { kernels_walk(kernels_ring(4 * KB, LINE), 8000); }     /* 256 KB */
static void list_in_memory(void) { kernels_walk(kernels_ring(64 * KB, 2 * LINE), 4000); } /* 8 MB */
static void list_of_pages(void) { kernels_walk(kernels_ring(512, PAGE + LINE), 3000); }
static void list_in_one_set(void) { kernels_walk(kernels_ring(16, 64 * KB), 8000); }

static void table_chain(void) /* as in a state machine or a CRC: each look-up needs the last one */
{
	uint64_t state = 1;
	for (int i = 0; i < 256; i++)
		memory[i] = (char)(i * 7 + 3);
	begin();
	LAPS(1000) DO("add t0, %1, %0\nlbu %0, 0(t0)\nadd t0, %1, %0\nlbu %0, 0(t0)\nadd t0, %1, %0\nlbu %0, 0(t0)\nadd t0, %1, %0\nlbu %0, 0(t0)\n", : "+r"(state) : "r"(memory) : "t0");
	sink = state;
}

static void read_stream(void)
{
	for (char *at = memory; at < memory + 256 * KB; at += 16 * LINE)
		DO("ld t1, 0(%0)\nld t1, 64(%0)\nld t1, 128(%0)\nld t1, 192(%0)\nld t1, 256(%0)\nld t1, 320(%0)\nld t1, 384(%0)\nld t1, 448(%0)\n"
		   "ld t1, 512(%0)\nld t1, 576(%0)\nld t1, 640(%0)\nld t1, 704(%0)\nld t1, 768(%0)\nld t1, 832(%0)\nld t1, 896(%0)\nld t1, 960(%0)\n", ::"r"(at) : "t1");
}

static void read_twice(void) /* the second time from L2 */
{
	for (int i = 0; i < 8; i++)
		read_stream();
}

static void write_stream(void)
{
	for (char *at = memory; at < memory + 512 * KB; at += 4 * LINE)
		DO("sd t1, 0(%0)\nsd t1, 64(%0)\nsd t1, 128(%0)\nsd t1, 192(%0)\n", ::"r"(at) : "memory");
}

static void counter_in_memory(void) { LAPS(200) DO(FORTY("ld t0, 0(%0)\naddi t0, t0, 1\nsd t0, 0(%0)\n"), ::"r"(memory) : "t0", "memory"); }

/* A store with a late address, and a load from the same place right after it. */
static void late_store(void)
{
	*(uint64_t *)memory = 0;
	LAPS(1000) DO("mul t1, %0, x0\nmul t1, t1, t1\nmul t1, t1, t1\nadd t0, %0, t1\nsd t2, 0(t0)\nld t2, 0(%0)\n", ::"r"(memory) : "t0", "t1", "t2", "memory");
}

/* ---- branches ---- */
static void coin(void)
{
	uint64_t sum = 0;
	LAPS(4000) {
		uint64_t x = kernels_any();
		DO("andi t0, %1, 1\nbeqz t0, 1f\naddi %0, %0, 3\n1:", : "+r"(sum) : "r"(x) : "t0");
	}
	sink = sum;
}

static void always_taken(void) { LAPS(2000) DO(TEN("beqz x0, 1f\nnop\n1:\n"), :::); }

static void one_of_eight(void) /* the dispatch of an interpreter of a random program */
{
	static void *const places[] = {&&a, &&b, &&c, &&d, &&e, &&f, &&g, &&h};
	uint64_t n = 0;
	LAPS(3000) {
		goto *places[kernels_any() & 7];
	a: n += 1; continue;
	b: n ^= 2; continue;
	c: n -= 3; continue;
	d: n *= 5; continue;
	e: n |= 8; continue;
	f: n += 9; continue;
	g: n ^= 7; continue;
	h: n -= 6; continue;
	}
	sink = n;
}

/* Fibonacci numbers: a call returns to one of two places. */
static __attribute__((noinline, optimize("O0"))) long numbers(long n) { return n < 2 ? n : numbers(n - 1) + numbers(n - 2); }
static void recursion(void) { sink = (uint64_t)numbers(16); }
static void jumps(void) { LAPS(2000) DO(TEN(".option push\n.option norvc\nj 1f\nnop\n1:\n.option pop\n"), :::); }

static void search(void) /* binary search for random keys */
{
	uint32_t *in = (uint32_t *)memory;
	for (uint32_t i = 0; i < 1024; i++)
		in[i] = i * 4;
	begin();
	LAPS(400) {
		uint32_t want = kernels_any() & 4095, low = 0, high = 1024;
		while (high - low > 1) {
			uint32_t middle = (low + high) / 2;
			uint32_t have = in[middle];
			DO("bltu %2, %3, 1f\nmv %0, %4\nj 2f\n1: mv %1, %4\n2:", : "+r"(low), "+r"(high) : "r"(want), "r"(have), "r"(middle));
		}
		sink = low;
	}
}

/* ---- fetch ---- */
static void straight(void) { LAPS(20) DO(".option push\n.option norvc\n.rept 8192\naddi t0, t1, 1\n.endr\n.option pop", ::: "t0"); }
static void straight_short(void) { LAPS(400) DO(".option push\n.option norvc\n.p2align 6\n" FORTY("addi t0, t1, 1\n") ".option pop", ::: "t0"); }
/* A chain of jumps, each to the next page. */
static void pages_of_code(void) { LAPS(50) DO(".option push\n.option norvc\n.rept 20\nj 1f\n.space 8252\n1:\n.endr\n.option pop", :::); }

/* ---- others ---- */
static void counters(void) { LAPS(500) DO(TEN("rdcycle t0\n"), ::: "t0"); }
static void barriers(void) { LAPS(500) DO(TEN("fence.i\n"), :::); }
static void calls_of_the_kernel(void) { LAPS(2000) syscall(SYS_getppid); }
static void mixed(void) { LAPS(500) DO(TEN("addi t0, t1, 1\nxor t2, t1, t1\nslli t3, t1, 2\nsub t4, t1, t1\n"), ::: "t0", "t2", "t3", "t4"); }

static const struct {
	const char *name;
	void (*run)(void);
	bool prepares; /* calls begin() itself */
} kernels[] = {
#define K(name) {#name, name, false}
#define P(name) {#name, name, true}
	K(multiply), K(multiply_chain), K(divide), K(divide_chain), K(add), K(add_chain), K(float_add), K(float_add_chain), K(float_multiply),
	K(float_multiply_chain), K(float_divide), K(float_divide_chain), K(reciprocal_sums), K(root_chain), K(compare_chain), K(polynomial), K(sum_of_doubles), K(shift_chain), K(load_same),
	K(count_random), K(recurrence), K(copy), K(load_chain), P(list_in_l2), P(list_in_memory), P(list_of_pages), P(list_in_one_set), P(table_chain), K(read_stream), K(read_twice), K(write_stream),
	K(counter_in_memory), K(late_store), K(coin), K(always_taken), K(one_of_eight), K(recursion), K(jumps), P(search),
	K(straight), K(straight_short), K(pages_of_code), K(counters), K(barriers), K(calls_of_the_kernel), K(mixed),
};

int main(int argc, char **argv)
{
	memset(memory, 0, 4096);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (argc == 2 && !strcmp(argv[1], kernels[i].name)) {
			if (!kernels[i].prepares)
				begin();
			kernels[i].run();
			_exit(0); /* at once, since other work at the program's end is not the
			           * kernel's */
		}
	fprintf(stderr, "usage: kernels NAME\n");
	return 1;
}
