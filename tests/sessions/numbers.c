/* Arithmetic of all types, loops of all kinds and nested blocks, for sessions that are compared with gdb's. */
#include <stdbool.h>
#include <stdint.h>

struct point {
	double x, y;
};
struct flags {
	unsigned low : 4, middle : 9;
	signed high : 7;
	bool on : 1;
	uint64_t wide : 37;
};
union both {
	uint64_t bits;
	double number;
	struct {
		uint32_t low, high;
	} half;
};
typedef unsigned char byte;
typedef int (*operation)(int, int);

byte bytes[20] = {1, 2, 3, 'a', 'b', 0, 200};
int grid[3][4];
static float ratio = 0.1f;
volatile int sink;
struct flags flags = {3, 300, -9, true, 0x123456789};
union both both;
long long big = -1234567890123LL;
int zeros[40];

static int __attribute__((noipa)) add(int a, int b)
{
	return a + b;
}

static int __attribute__((noipa)) mul(int a, int b)
{
	int r = 0;
	do {
		r += a;
	} while (--b > 0);
	return r;
}

static const operation operations[] = {add, mul};

static double __attribute__((noipa)) length(struct point p, const struct point *q)
{
	double dx = p.x - q->x, dy = p.y - q->y;
	double square = dx * dx + dy * dy, root = square;
	for (int i = 0; i < 4; i++)
		root = (root + square / root) / 2;
	return root;
}

static float __attribute__((noipa)) mean(const float *v, unsigned n)
{
	float all = 0;
	for (unsigned i = 0; i < n; i++)
		all += v[i];
	return all / (float)n;
}

static uint16_t __attribute__((noipa)) mix(int8_t a, uint8_t b, int16_t c, uint16_t d)
{
	uint16_t r = (uint16_t)(a + b);
	{
		int r = c - d;
		sink = r;
	}
	r ^= d;
	return r;
}

static long __attribute__((noipa)) collatz(long n)
{
	long steps = 0;
	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
		if (steps > 8)
			break;
	}
	return steps;
}

static int __attribute__((noipa)) fill(int rows)
{
	int count = 0;
	for (int i = 0; i < rows; i++)
		for (int k = 0; k < 4; k++) {
			grid[i][k] = i * k;
			count += i != k;
		}
	return count;
}

static int __attribute__((noipa)) __attribute__((noinline)) run(void)
{
	struct point here = {3, 4}, origin = {0.5, -0.25};
	float values[3] = {1.5f, -2.25f, 1e10f};
	int got = fill(3);
	got += operations[got & 1](got, 3);
	double far = length(here, &origin);
	both.number = far;
	float middle = mean(values, 3);
	ratio += middle;
	uint16_t mixed = mix(-5, 250, -300, 65000);
	flags.middle += mixed;
	flags.high--;
	long steps = collatz(27);
	if (steps > 3 && got)
		sink = (int)steps;
	else
		sink = 0;
	big += steps;
	zeros[20] = got;
	return sink & 7;
}

/* Memory below the stack is the same everywhere. */
static void __attribute__((noipa)) __attribute__((noinline)) scrub(void)
{
	volatile unsigned char room[16384];
	for (unsigned i = 0; i < sizeof room; i++)
		room[i] = 0;
}

/* The same for the frame of the function above. */
static void __attribute__((noipa)) __attribute__((noinline)) scrub_more(void)
{
	volatile long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
}

int main(void)
{
	scrub();
	scrub_more();
	return run();
}
