/* A program that works more if it has more segments than its argument, just as the C library's work
 * depends on their number and on the heap's place. An instrumented copy differs from the original
 * in this alone. */
#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>

static volatile unsigned done;

/* Executed most evenly, but three times as often in the other program. */
__attribute__((noinline)) void noise(void)
{
	done++;
}

__attribute__((noinline)) void steady(unsigned n)
{
	while (n--)
		done++;
}

static unsigned segments(void)
{
	const Elf64_Phdr *p = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned n = 0;
	for (unsigned long i = getauxval(AT_PHNUM); i--;)
		n += p[i].p_type == PT_LOAD;
	return n;
}

int main(int argc, char **argv)
{
	const unsigned times = argc > 1 && segments() > strtoul(argv[1], NULL, 10) ? 3 : 1;
	for (unsigned i = 0; i < 20000; i++) {
		for (unsigned k = 0; k < times; k++)
			noise();
		for (unsigned k = 0; k < 60; k++)
			done += k;
		if (i % 64 < 40 && i % 3)
			steady(20 + i % 3);
	}
	return 0;
}
