/* Functions with arguments of all sorts, each called a few times with values in all of a0 to a3: the module args may list some of them. */
#include <stdarg.h>

#define APART __attribute__((noinline, noclone))

struct two { long a, b; };
struct three { long a, b, c; };
struct point { float x, y; };

volatile long sink;
volatile double real = 1.5;

APART long none(void) { return sink + 1; }
APART long one(long a) { return a + sink; }
APART long three(long a, char b, void *c) { return a + b + (c != 0); }
APART long after_real(double x, int n, struct point p) { return (long)(x + p.x + p.y) + n; }
APART long pair(struct two t) { return t.a ^ t.b; }
APART long behind_pair(struct two t, long n) { return t.a ^ t.b ^ n; }
APART long large(struct three t, long n) { return t.a + t.b + t.c + n; }
APART struct three made(long n) { return (struct three){n, sink, n}; }
APART long unused(long a, long b) { (void)a; return b + 1; }

APART long any(int n, ...)
{
	va_list ap;
	va_start(ap, n);
	const long x = va_arg(ap, long);
	va_end(ap);
	return x + n;
}

/* Hands its second argument on. */
APART long on(long a, long b)
{
	return three(a + 1, (char)b, 0) + 1;
}

long (*volatile through)(long) = one;

/* Something in each register that the call itself has not set. */
#define FILL __asm__ volatile("li a1, 21\n\tli a2, 22\n\tli a3, 23" : : : "a1", "a2", "a3", "memory")

int main(void)
{
	for (long i = 0; i < 400; i++) {
		const struct two t = {i, 1};
		const struct three u = {i, 1, 2};
		FILL;
		sink = none();
		FILL;
		sink = one(i);
		FILL;
		sink = three(i, 'x', (void *)&sink);
		FILL;
		sink = after_real(real, 3, (struct point){1, 2});
		FILL;
		sink = pair(t);
		FILL;
		sink = behind_pair(t, i);
		FILL;
		sink = large(u, 9);
		FILL;
		sink = made(i).b;
		FILL;
		sink = unused(i, 4);
		FILL;
		sink = any(2, i);
		FILL;
		sink = on(i, 3);
		FILL;
		sink = through(i);
	}
	return 0;
}
