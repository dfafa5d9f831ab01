/*
 * selfmod: writes a function into memory, calls it, patches it and calls it again.
 *
 * Shows self-modifying code: the stores go to the data side, and only fence.i promises that
 * instruction fetch sees them. A machine that keeps decoded instructions must drop them here.
 * The function is `addi a0, a0, K; ret`; each round stores another K. No arguments.
 * Prints 100 + K for K = 1, 2, 3, 2047 and -2048, then the sum over a thousand patches.
 *
 * Tour, two minutes: `build/cyclops build/demos/selfmod`, then type (or run demos/tours/selfmod.cyc):
 *     break selfmod.c:40  at fence.i, the new instruction is stored
 *     continue
 *     x/2i s1             addi a0,a0,1
 *     continue
 *     x/2i s1             addi a0,a0,2
 *     step 2
 *     view pipe           fence.i squashes all that was fetched after it
 *     reverse-continue 2  back over the patch
 *     x/2i s1             addi a0,a0,1 again
 *     goto live
 *     delete
 *     continue
 *     stats cpi.serial    what a thousand of them cost, in slots
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { ADDI_A0_A0 = 0x00050513, RET = 0x00008067 };

static uint32_t addi_a0(int k)
{
	return (uint32_t)ADDI_A0_A0 | (uint32_t)k << 20;	/* imm[11:0] is bits 31..20 */
}

static void patch(volatile uint32_t *code, int k)
{
	code[0] = addi_a0(k);
	/* Not the library's cache flush: that is a system call, and the point is the instruction. */
	__asm__ volatile("fence.i" ::: "memory");
}

int main(void)
{
	static const int values[] = {1, 2, 3, 2047, -2048};
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED) {
		perror("selfmod: mmap");
		return 1;
	}
	long (*add)(long) = (long (*)(long))(uintptr_t)code;
	code[1] = RET;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		patch(code, values[i]);
		printf("100 %+d = %ld\n", values[i], add(100));
	}
	long sum = 0;
	for (int k = 0; k < 1000; k++) {
		patch(code, k);
		sum = add(sum);
	}
	printf("0 + ... + 999 = %ld\n", sum);
	munmap(code, 4096);
	return 0;
}
