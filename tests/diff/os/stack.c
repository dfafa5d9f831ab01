/* A program of tests/diff/os.sh, here and under qemu-riscv64: code on the stack, and atomics at odd
 * addresses. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long apply(long (*f)(long), long x)
{
	return f(x) + 1;
}

/* gcc calls a nested function that uses its surroundings through a few instructions on the stack. */
__attribute__((noinline)) static long around(long n)
{
	long calls = 0;
	long inner(long x)
	{
		calls++;
		return x < 2 ? n : apply(inner, x - 1) * 3 + n;
	}
	long sum = apply(inner, 6);
	return sum * 100 + calls;
}

static int nested(void)
{
	for (long i = 0; i < 20; i++)
		printf("%ld\n", around(i));
	return 0;
}

/* Each iteration writes another function to the same place. Reading a counter empties the window,
 * so that fetch runs ahead of the stores: only the system call of __builtin___clear_cache makes it
 * fetch them again. */
static int stack_patch(void)
{
	long inner(long x) { return x + (long)&inner; } /* marks the stack executable */
	uint32_t code[2] __attribute__((aligned(8))) = {0};
	long sum = inner(0) == 1;
	for (uint32_t i = 0; i < 200; i++) {
		uint64_t cycles;
		__asm__ volatile("rdcycle %0" : "=r"(cycles)::"memory");
		((volatile uint32_t *)code)[0] = i << 20 | 10 << 15 | 10 << 7 | 0x13; /* addi a0, a0, i */
		((volatile uint32_t *)code)[1] = 0x8067;                              /* ret */
		__asm__ volatile(".globl patched\n patched: mv a0, %0\n mv a1, %1\n li a2, 0\n li a7, 259\n ecall" ::"r"(code), "r"(code + 2)
		                 : "a0", "a1", "a2", "a7", "memory");
		sum = sum * 31 + ((long (*)(long))(uintptr_t)code)(1000);
	}
	printf("%ld\n", sum);
	return 0;
}

static char bytes[32] __attribute__((aligned(16)));

/* Ends by SIGBUS. */
static int misaligned(const char *what)
{
	char *at = bytes + 4, *near = bytes + 2;
	long old = 0;
	if (strcmp(what, "lr.w") == 0)
		__asm__ volatile("lr.w %0, (%1)" : "=r"(old) : "r"(near) : "memory");
	else if (strcmp(what, "lr.d") == 0)
		__asm__ volatile("lr.d %0, (%1)" : "=r"(old) : "r"(at) : "memory");
	else if (strcmp(what, "amo.w") == 0)
		__asm__ volatile("amoadd.w %0, %0, (%1)" : "+r"(old) : "r"(near) : "memory");
	else if (strcmp(what, "amo.d") == 0)
		__asm__ volatile("amoor.d %0, %0, (%1)" : "+r"(old) : "r"(at) : "memory");
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nested";
	return strcmp(what, "nested") == 0 ? nested() : strcmp(what, "patch") == 0 ? stack_patch() : misaligned(what);
}
