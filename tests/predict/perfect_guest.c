/* Limits of perfect prediction: branches on a system call's result and on the cycle counter. Each
 * right after it, and at the beginning of the next line. */
typedef unsigned long u64;

#define NOINLINE __attribute__((noinline, noclone))

static u64 sum;

/* Branches if getpid returns 0, the value of a0 before the call. */
#define ASK(align) \
	__asm__ volatile("li a7, 172\n li a0, 0\n ecall\n" align " beqz a0, 1f\n addi %0, %0, 1\n1:" : "+r"(sum) : : "a0", "a7")
/* Branches on a bit of the cycle counter. */
#define CLOCK(align) \
	__asm__ volatile("rdcycle t0\n srli t0, t0, 1\n andi t0, t0, 1\n" align " beqz t0, 1f\n addi %0, %0, 1\n1:" : "+r"(sum) : : "t0")

NOINLINE static void ask(void)
{
	ASK("");
	ASK(".balign 64\n");
	CLOCK("");
	CLOCK(".balign 64\n");
}

static void __attribute__((noreturn, used)) run(void)
{
	for (int i = 0; i < 300; i++)
		ask();
	register long a0 __asm__("a0") = 0;
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start: andi sp, sp, -16\n j run\n");
