/* The program of the tests of triggers: twelve functions that begin with `resetpf 0` and take a known number of instructions,
 * in two phases in which others are hot; signals between them. Without a C library. Ends with status 3. */
#include "demos/include/trigger.h"

/* Retires 3 + 2 * loops instructions a call: profile control is not among them. */
#define FUNCTION(name, loops) \
	__asm__(".globl " name "\n.type " name ", @function\n" name ":\n" \
	        ".half 0x0042\nli t0, " #loops "\n1: addi t0, t0, -1\nbnez t0, 1b\nnop\nret\n.size " name ", . - " name "\n")

FUNCTION("g1", 1);
FUNCTION("g2", 2);
FUNCTION("g3", 3);
FUNCTION("g4", 4);
FUNCTION("g5", 5);
FUNCTION("g6", 6);
FUNCTION("g7", 7);
FUNCTION("g8", 8);
FUNCTION("g9", 9);
FUNCTION("g10", 10);
FUNCTION("g11", 11);
FUNCTION("g12", 12);
void g1(void), g2(void), g3(void), g4(void), g5(void), g6(void), g7(void), g8(void), g9(void), g10(void), g11(void), g12(void);

static void (*const functions[12])(void) = {g1, g2, g3, g4, g5, g6, g7, g8, g9, g10, g11, g12};
/* Misses depend on the phase: the second walks over more than the cache has. */
volatile long table[1 << 13];

static long call(long number, long a, long b, long c, long d)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
	return a0;
}

/* In phase 0, longer functions are called more often, in phase 1 less often. */
__attribute__((noinline)) static void phase(int which, int rounds)
{
	for (int r = 0; r < rounds; r++)
		for (int f = 0; f < 12; f++)
			for (int times = which ? 12 - f : f + 1; times > 0; times--)
				functions[f]();
	for (long i = 0; which && i < 1 << 13; i += 8)
		table[i]++;
}

enum { SYS_RT_SIGACTION = 134, SYS_KILL = 129, SYS_TGKILL = 131, SYS_GETPID = 172, SYS_EXIT = 93, SIGUSR1 = 10, SIG_IGN = 1 };

__attribute__((noinline)) int start(void)
{
	static const long ignore[3] = {SIG_IGN, 0, 0};
	long pid = call(SYS_GETPID, 0, 0, 0, 0);
	call(SYS_RT_SIGACTION, SIGUSR1, (long)ignore, 0, 8);
	phase(0, 30);
	trigger_signal(100);
	phase(1, 30);
	trigger_signal(101);
	call(SYS_TGKILL, pid, pid, SIGUSR1, 0);
	call(SYS_KILL, pid, SIGUSR1, 0, 0);
	phase(0, 3);
	return 3;
}

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__ volatile("call start\n\tli a7, 93\n\tecall");
}
