/* Ordinary loops as people write them, one a program: compiled with -DLOOP=loops_NAME, it repeats
 * that function without end. judge.py takes the names from the comments that begin with "loop". */
#include <stddef.h>
#include <stdint.h>

typedef unsigned char byte;

enum { MIB = 1 << 20, NODES = 16384, SIDE = 64, ROWS = 2048 };

/* Not static, so that no store to them is removed. */
uint64_t memory_a[MIB / 8], memory_b[MIB / 8], state = 88172645463325252u;
volatile uint64_t sink;
uint32_t count[256], queue[1024], head, tail;


static inline uint64_t loops_draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* loop byte_sum */
static uint32_t sum_bytes(const byte *p, size_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
static void byte_sum(void) { sink = sum_bytes((byte *)memory_a, MIB); }

/* loop copy */
static void loops_copy(void)
{
	for (size_t i = 0; i < MIB / 8; i++)
		memory_b[i] = memory_a[i];
}

/* loop fill */
static void loops_fill(void)
{
	for (size_t i = 0; i < MIB / 8; i++)
		memory_b[i] = 7;
}

/* loop fill_small: 8 KiB */
static void fill_small(void)
{
	uint32_t *p = (uint32_t *)memory_b;
	for (size_t i = 0; i < 2048; i++)
		p[i] = (uint32_t)i;
}

/* loop saxpy */
static void loops_saxpy(void)
{
	const float *x = (float *)memory_a;
	float *y = (float *)memory_b;
	for (size_t i = 0; i < 4096; i++)
		y[i] = 2.5f * x[i] + y[i];
}

/* loop dot */
static void loops_dot(void)
{
	const double *x = (double *)memory_a, *y = (double *)memory_b;
	double sum = 0;
	for (size_t i = 0; i < 1024; i++)
		sum += x[i] * y[i];
	sink = (uint64_t)sum;
}

/* loop stencil */
static void loops_stencil(void)
{
	const double *in = (double *)memory_a;
	double *out = (double *)memory_b;
	for (size_t i = 1; i < 2047; i++)
		out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
}

/* loop matmul */
static void loops_matmul(void)
{
	const double *a = (double *)memory_a, *b = a + SIDE * SIDE;
	double *c = (double *)memory_b;
	for (size_t i = 0; i < SIDE; i++)
		for (size_t k = 0; k < SIDE; k++)
			for (size_t j = 0; j < SIDE; j++)
				c[i * SIDE + j] += a[i * SIDE + k] * b[k * SIDE + j];
}

/* loop transpose */
static void loops_transpose(void)
{
	for (size_t i = 0; i < 256; i++)
		for (size_t j = 0; j < 256; j++)
			memory_b[j * 256 + i] = memory_a[i * 256 + j];
}

/* loop columns: each element in another page */
static void loops_columns(void)
{
	uint64_t sum = 0;
	for (size_t j = 0; j < 1024; j++)
		for (size_t i = 0; i < 128; i++)
			sum += memory_a[i * 1024 + j];
	sink = sum;
}

/* loop histogram */
static void loops_histogram(void)
{
	uint64_t x = loops_draw();
	for (size_t i = 0; i < 4096; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		count[x >> 56]++;
	}
}

/* loop length */
static void loops_length(void)
{
	static char text[1024];
	if (!text[0])
		for (size_t i = 0; i < sizeof text - 1; i++)
			text[i] = 'a';
	const char *p = text;
	while (*p)
		p++;
	sink = (uint64_t)(p - text);
}

/* loop search */
static void loops_search(void)
{
	static uint32_t sorted[4096];
	if (!sorted[1])
		for (uint32_t i = 0; i < 4096; i++)
			sorted[i] = 16 * i;
	const uint32_t key = loops_draw() & 0xffff;
	size_t low = 0, high = 4096;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	sink = low;
}

/* loop list */
static void loops_list(void)
{
	static struct node {
		struct node *next;
		uint64_t value;
		char pad[48];
	} nodes[NODES], *first;
	if (!first) {
		size_t k = 0;
		for (size_t i = 0; i < NODES; i++) {
			const size_t next = (k + 4099) % NODES;
			nodes[k].next = &nodes[next];
			k = next;
		}
		first = nodes;
	}
	uint64_t sum = 0;
	const struct node *n = first;
	for (size_t i = 0; i < NODES; i++, n = n->next)
		sum += n->value;
	sink = sum;
}

/* loop fnv */
static void loops_fnv(void)
{
	const byte *p = (byte *)memory_a;
	uint64_t hash = 14695981039346656037u;
	for (size_t i = 0; i < 2048; i++)
		hash = (hash ^ p[i]) * 1099511628211u;
	sink = hash;
}

/* loop crc */
static void loops_crc(void)
{
	static uint32_t table[256];
	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i;
			for (int k = 0; k < 8; k++)
				c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
			table[i] = c;
		}
	const byte *p = (byte *)memory_a;
	uint32_t c = ~0u;
	for (size_t i = 0; i < 4096; i++)
		c = table[(c ^ p[i]) & 255] ^ c >> 8;
	sink = c;
}

/* loop prefix */
static void loops_prefix(void)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < 1024; i++)
		memory_b[i] = sum += memory_a[i];
}

/* loop recurrence: unrolled by hand */
static void loops_recurrence(void)
{
	double *x = (double *)memory_b;
	const double *a = (double *)memory_a;
	for (size_t i = 1; i < 1021; i += 4) {
		x[i] = a[i] * x[i - 1] + 1;
		x[i + 1] = a[i + 1] * x[i] + 1;
		x[i + 2] = a[i + 2] * x[i + 1] + 1;
		x[i + 3] = a[i + 3] * x[i + 2] + 1;
	}
}

/* loop gcd */
static void loops_gcd(void)
{
	uint64_t a = loops_draw() >> 40, b = loops_draw() >> 40;
	while (b) {
		const uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	sink = a;
}

/* loop digits */
static void loops_digits(void)
{
	static char text[24];
	uint64_t n = loops_draw();
	size_t i = sizeof text;
	do
		text[--i] = (char)('0' + n % 10);
	while (n /= 10);
	sink = (uint64_t)text[i];
}

/* loop spmv */
static void loops_spmv(void)
{
	static uint32_t column[ROWS * 8];
	const double *value = (double *)memory_a, *x = value + ROWS * 8;
	double *y = (double *)memory_b;
	if (!column[0])
		for (size_t i = 0; i < ROWS * 8; i++)
			column[i] = 1 + (uint32_t)(loops_draw() % ROWS);
	for (size_t row = 0; row < ROWS; row++) {
		double sum = 0;
		for (size_t k = row * 8; k < row * 8 + 8; k++)
			sum += value[k] * x[column[k]];
		y[row] = sum;
	}
}

/* loop insertion_sort */
static void loops_insertion_sort(void)
{
	static uint32_t a[64];
	for (size_t i = 0; i < 64; i++)
		a[i] = (uint32_t)loops_draw();
	for (size_t i = 1; i < 64; i++) {
		const uint32_t key = a[i];
		size_t k = i;
		for (; k > 0 && a[k - 1] > key; k--)
			a[k] = a[k - 1];
		a[k] = key;
	}
}

/* loop sieve */
static void loops_sieve(void)
{
	byte *composite = (byte *)memory_b;
	for (size_t i = 0; i < 32768; i++)
		composite[i] = 0;
	for (size_t i = 2; i < 182; i++)
		if (!composite[i])
			for (size_t k = i * i; k < 32768; k += i)
				composite[k] = 1;
}

/* loop compare */
static void loops_compare(void)
{
	const byte *a = (byte *)memory_a, *b = (byte *)memory_b;
	size_t i = 0;
	while (i < 16384 && a[i] == b[i])
		i++;
	sink = i;
}

/* loop fibonacci */
static __attribute__((noinline)) uint64_t fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void loops_fibonacci(void) { sink = fib(12); }

/* loop dispatch */
static uint64_t op_add(uint64_t a) { return a + 3; }
static uint64_t op_xor(uint64_t a) { return a ^ 0x55; }
static uint64_t op_shift(uint64_t a) { return a >> 1 | a << 63; }
static uint64_t op_multiply(uint64_t a) { return a * 5; }
static void loops_dispatch(void)
{
	static uint64_t (*const ops[])(uint64_t) = {op_add, op_xor, op_shift, op_multiply};
	uint64_t a = 1;
	for (size_t i = 0; i < 256; i++)
		a = ops[loops_draw() & 3](a);
	sink = a;
}

/* loop mandelbrot */
static void loops_mandelbrot(void)
{
	for (int k = 0; k < 16; k++) {
		const double cr = -0.7 + k * 0.01, ci = 0.2;
		double x = 0, y = 0;
		int i = 0;
		for (; i < 100 && x * x + y * y < 4; i++) {
			const double t = x * x - y * y + cr;
			y = 2 * x * y + ci;
			x = t;
		}
		sink = (uint64_t)i;
	}
}

/* loop mix: a little of everything */
static void loops_mix(void)
{
	uint64_t a = 1, b = 2;
	for (size_t i = 0; i < 512; i++) {
		const uint64_t v = memory_a[i * 8 % 4096];
		if (loops_draw() & 1)
			a += v;
		else
			b ^= v * 3;
		memory_b[i] = a / (i + 1);
	}
	sink = a + b;
}

/* loop ring: a queue in memory */
static void loops_ring(void)
{
	for (size_t i = 0; i < 256; i++) {
		queue[tail++ & 1023] = (uint32_t)i;
		if (i & 1)
			sink = queue[head++ & 1023];
	}
}

/* loop bits */
static void loops_bits(void)
{
	unsigned count = 0;
	for (uint64_t x = loops_draw(); x; x &= x - 1)
		count++;
	sink = count;
}

__attribute__((naked)) void _start(void)
{
	__asm__(".option push; .option norelax; la gp, __global_pointer$; .option pop; j repeat");
}

__attribute__((used)) static void repeat(void)
{
	for (;;) {
		LOOP();
		__asm__ volatile("" : : : "memory");
	}
}
