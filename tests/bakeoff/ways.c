/* A program whose flow needs no conditional branch: a switch with sixteen cases, a loop of computed
 * jumps, calls through pointers, two procedures of one name at one call, calls that never return,
 * and a handler without an incoming edge. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile unsigned sum;

__attribute__((noinline)) static void pick(unsigned i)
{
	switch (i & 15) {
#define CASE(n)                                                                                    \
	case n:                                                                                    \
		sum = sum * (2 * n + 3) + n;                                                       \
		sum ^= sum >> (n + 1);                                                             \
		break;
		CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)
		CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
	}
}

/* A cycle without a branch until `out`. */
__attribute__((noinline)) static void interpret(const unsigned char *code)
{
	static const void *const to[] = {&&add, &&twice, &&out};
	goto *to[*code++];
add:
	sum += 3;
	goto *to[*code++];
twice:
	sum *= 2;
	goto *to[*code++];
out:
	return;
}

/* Two procedures with the name `same`. */
__asm__(".text\n"
	".type same, @function\n"
	"same:\n\tret\n"
	".size same, 2\n"
	".globl first_same\n.set first_same, same\n"
	".pushsection .text.other, \"ax\"\n"
	".type other, @function\n"
	"other:\n\tnop\n\tret\n"
	".size other, 4\n"
	".globl second_same\n.set second_same, other\n"
	".popsection\n");
void first_same(void);
void second_same(void);

static jmp_buf back;

__attribute__((noinline)) static void leap(unsigned i)
{
	sum++;
	if (i % 3 == 0)
		longjmp(back, 1);
}

static void handler(int number)
{
	sum += (unsigned)number;
}

int main(void)
{
	static const unsigned char code[] = {0, 1, 1, 0, 0, 1, 2};
	static void (*const calls[])(void) = {first_same, second_same, first_same};
	signal(SIGUSR1, handler);
	for (volatile unsigned i = 0; i < 1500; i++) {
		pick(i * 7);
		interpret(code);
		calls[i % 3]();
		if (!setjmp(back))
			leap(i);
		if (i % 500 == 0)
			raise(SIGUSR1);
	}
	printf("%u\n", sum);
	return 0;
}
