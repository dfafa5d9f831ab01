/* A program that tries to access firmware's memory or devices, in the way that its argument names.
 * If it continues, it prints the result. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRMWARE ((volatile uint64_t *)0x4000000000)
#define DEVICE ((volatile uint64_t *)0x7f00000000)

static void reach_told(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	uint64_t value = 0;
	if (!strcmp(how, "load"))
		value = FIRMWARE[0];
	else if (!strcmp(how, "store"))
		FIRMWARE[0x1000 / 8] = 1;
	else if (!strcmp(how, "call"))
		((void (*)(void))FIRMWARE)();
	else if (!strcmp(how, "device"))
		value = DEVICE[0];
	else if (!strcmp(how, "arm"))
		DEVICE[1] = 0;
	else if (!strcmp(how, "csr"))
		__asm__ volatile("csrr %0, mepc" : "=r"(value));
	else if (!strcmp(how, "mret"))
		__asm__ volatile("mret");
	else if (!strcmp(how, "wfi"))
		__asm__ volatile("wfi");
	reach_told("write", write(1, (const void *)FIRMWARE, 8));
	reach_told("mmap", mmap((void *)FIRMWARE, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ? -1 : 0);
	reach_told("munmap", munmap((void *)FIRMWARE, 4096));
	reach_told("mprotect", mprotect((void *)FIRMWARE, 4096, PROT_READ));
	return (int)value;
}
