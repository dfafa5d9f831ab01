/* A guest whose CPI repeats with a period: periodic PERIOD PERIODS BODY SHARE [BODY SHARE]...
 *
 * Each period of PERIOD instructions executes each body for its share, in percent. An iteration of
 * any body is ten instructions, including two of the loop. */
#include <stdint.h>

/* Iterates the eight instructions; %1 and %2 are a register and an address that they may change. */
#define LOOP(body) \
	__asm__ volatile("1:\n" body "addi %0, %0, -1\nbnez %0, 1b\n" \
	                 : "+r"(n), "+r"(x), "+r"(at) \
	                 : \
	                 : "t0", "t1", "t2", "t3", "t4", "t5", "ft0", "ft1", "memory")
#define TWICE(text) text text
#define EIGHT(text) TWICE(TWICE(TWICE(text)))

/* Larger than L2 and than most programs walk over, so that the first period misses no more than
 * others. */
enum { WALK = 1 << 26, LINE = 64 };
static uint64_t walk[WALK / sizeof(uint64_t)];
/* The first word is its own address; the line after it is stored to. */
static uint64_t self[2 * LINE / sizeof(uint64_t)];

__attribute__((noreturn)) static void leave(long status)
{
	register long a0 __asm__("a0") = status, a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
	__builtin_unreachable();
}

static int is_name(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return *a == *b;
}

static void run_body(const char *name, long n)
{
	static uint64_t x = 0x9e3779b97f4a7c15, *walked = walk;
	const int walks = is_name(name, "miss");
	if (n < 1)
		return;
	if (walks && n * LINE > WALK - (walked - walk) * (long)sizeof *walk)
		walked = walk;
	uint64_t *at = walks ? walked : self;
	if (is_name(name, "wide")) /* independent */
		LOOP(TWICE("xori t0, %1, 1\nxori t1, %1, 2\nxori t2, %1, 3\nxori t3, %1, 4\n"));
	else if (is_name(name, "chain")) /* one cycle each */
		LOOP(EIGHT("addi t0, t0, 1\n"));
	else if (is_name(name, "mul")) /* a chain of multiplications */
		LOOP(EIGHT("mul t0, t0, %1\n"));
	else if (is_name(name, "div")) /* divisions, among others */
		LOOP("divu t0, %1, %1\naddi t1, t1, 1\naddi t2, t2, 1\naddi t3, t3, 1\n"
		     "addi t1, t1, 1\naddi t2, t2, 1\naddi t3, t3, 1\naddi t4, t4, 1\n");
	else if (is_name(name, "load")) /* a chain of hits */
		LOOP(EIGHT("ld %2, 0(%2)\n"));
	else if (is_name(name, "store"))
		LOOP(EIGHT("sd %1, 64(%2)\n"));
	else if (is_name(name, "branch")) /* branches at random */
		LOOP("slli t0, %1, 13\nxor %1, %1, t0\nsrli t0, %1, 7\nxor %1, %1, t0\n"
		     "slli t0, %1, 17\nxor %1, %1, t0\nandi t0, %1, 1\nbeqz t0, 2f\n2:\n");
	else if (walks) /* a new line each time */
		LOOP("ld t0, 0(%2)\naddi %2, %2, 64\nadd t1, t1, t0\naddi t2, t2, 1\n"
		     "addi t3, t3, 1\naddi t2, t2, 1\naddi t3, t3, 1\naddi t4, t4, 1\n");
	else
		leave(2);
	if (walks)
		walked = at;
}

static long parse_number(const char *text)
{
	long n = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		n = 10 * n + *text - '0';
	return n;
}

/* argc, argv: as on the stack. */
__attribute__((noreturn, used)) static void periodic_main(const long *stack)
{
	const long argc = stack[0];
	char *const *argv = (char *const *)(stack + 1);
	const long period = argc > 2 ? parse_number(argv[1]) : 0,
		   periods = argc > 2 ? parse_number(argv[2]) : 0;
	if (argc < 5 || argc % 2 == 0 || period < 100 || periods < 1)
		leave(2);
	self[0] = (uint64_t)(uintptr_t)self;
	for (long k = 0; k < periods; k++)
		for (int i = 3; i < argc; i += 2)
			run_body(argv[i], period * parse_number(argv[i + 1]) / 1000);
	leave(0);
}

/* Without a C library, whose start would shift the first period. */
__asm__(".globl _start\n_start:\nmv a0, sp\nj periodic_main\n");
