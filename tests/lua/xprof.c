/* The program of the tests of cyclops.xprof: eight functions instrumented by hand, which count their calls twice: in `calls`
 * always, in `counts` by profile instructions, while their flag is on. h1 to h6 are of type 0, h7 has the 32-bit forms and
 * type 2, h8 flags of types 0 and 2 and a counter for each (counts[8] and counts[9]). In two phases others are hot. Without a C
 * library. Ends with status 5. */
volatile long calls[10], counts[10];

#define STRING(x) #x
#define PI(k) ".half 0x0022 + 4 * " STRING(k) "\n"
#define PI_WIDE(k) ".word 0x0080a013 + (" STRING(k) " << 20)\n"
/* counts[n]++, as profile instructions; a label for each. */
#define COUNT(pi, n, label) \
	pi STRING(label) ": auipc t1, %pcrel_hi(counts + 8 * " STRING(n) ")\n" \
	pi "ld t2, %pcrel_lo(" STRING(label) "b)(t1)\n" \
	pi "addi t2, t2, 1\n" \
	pi "sd t2, %pcrel_lo(" STRING(label) "b)(t1)\n"
#define FUNCTION(n, loops, enter, counting, leave) \
	__asm__(".globl h" STRING(n) "\n.type h" STRING(n) ", @function\nh" STRING(n) ":\n" enter \
	        "3: auipc t1, %pcrel_hi(calls + 8 * " STRING(n) ")\nld t2, %pcrel_lo(3b)(t1)\naddi t2, t2, 1\n" \
	        "sd t2, %pcrel_lo(3b)(t1)\n" counting \
	        "li t0, " STRING(loops) "\n1: addi t0, t0, -1\nbnez t0, 1b\n" leave "ret\n.size h" STRING(n) ", . - h" STRING(n) "\n")

#define ENTER ".half 0x1002\n.half 0x0042\n"
#define LEAVE ".half 0x1022\n"
#define SIMPLE(n, loops) FUNCTION(n, loops, ENTER, COUNT(PI(0), n, 4), LEAVE)
SIMPLE(1, 10);
SIMPLE(2, 20);
SIMPLE(3, 30);
SIMPLE(4, 40);
SIMPLE(5, 50);
SIMPLE(6, 60);
/* pushpf 2, resetpf 2, poppf 2 */
FUNCTION(7, 70, ".word 0x0220a013\n.word 0x0120a013\n", COUNT(PI_WIDE(2), 7, 4), ".word 0x02a0a013\n");
/* pushpf all, resetpf 0, resetpf 2, poppf all */
FUNCTION(8, 80, ".half 0x1042\n.half 0x0042\n.half 0x004a\n", COUNT(PI(0), 8, 4) COUNT(PI(2), 9, 5), ".half 0x1046\n");
/* No method: it has no flag. */
__asm__(".globl h9\n.type h9, @function\nh9:\nli t0, 500\n1: addi t0, t0, -1\nbnez t0, 1b\nret\n.size h9, . - h9\n");

void h1(void), h2(void), h3(void), h4(void), h5(void), h6(void), h7(void), h8(void), h9(void);
static void (*const functions[])(void) = {h1, h2, h3, h4, h5, h6, h7, h8};

/* Misses depend on the phase: the second walks over more than the cache has. */
volatile long table[1 << 14];

__attribute__((noinline)) static void phase(int which, int rounds)
{
	for (int r = 0; r < rounds; r++) {
		for (int f = 0; f < 8; f++)
			for (int times = which ? 8 - f : f + 1; times > 0; times--)
				functions[f]();
		for (long i = 0; which && i < 1 << 9; i += 8)
			table[(r << 9 | i) & ((1 << 14) - 1)]++;
		h9();
	}
}

__attribute__((noinline)) int start(void)
{
	phase(0, 20);
	phase(1, 20);
	phase(0, 20);
	return 5;
}

/* A frame for start() lies on the stack already; its value is the exit status. */
__asm__(".globl _start\n_start:\n.option push\n.option norelax\n1: auipc gp, %pcrel_hi(__global_pointer$)\n"
        "addi gp, gp, %pcrel_lo(1b)\n.option pop\ncall start\nli a7, 93\necall\n");
