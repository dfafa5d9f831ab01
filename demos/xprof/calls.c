/* Calls the functions of calls.S, and prints their recorded arcs. */
#include <stdint.h>
#include <stdio.h>

long hanoi(long n), move(void), even(long n), odd(long n);

extern const struct arc {
	uint64_t from, to, count;
} arcs[32];

static const struct {
	const char *name;
	uintptr_t begins;
} functions[] = {{"hanoi", (uintptr_t)hanoi}, {"move", (uintptr_t)move}, {"even", (uintptr_t)even}, {"odd", (uintptr_t)odd}};

/* The functions of calls.S stand one after the other. */
static const char *name_of(uint64_t address)
{
	const char *name = "main";
	extern void _mcount(void);
	for (int i = 0; i < 4; i++)
		if (address >= functions[i].begins && address < (uintptr_t)_mcount)
			name = functions[i].name;
	return name;
}

int main(void)
{
	printf("%ld moves, 7 is %s\n", hanoi(6), even(7) ? "even" : "odd");
	for (const struct arc *a = arcs; a->to; a++)
		printf("%-5s -> %-5s %4lu\n", name_of(a->from), name_of(a->to), (unsigned long)a->count);
	return 0;
}
