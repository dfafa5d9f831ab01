/* Variables of all kinds, for `print` and related commands: compare.py compares gdb and cyclops for
 * each at many places. */
#include <stdbool.h>
#include <stdint.h>

enum color { RED, GREEN = 5, BLUE };
enum flags { READ = 1, WRITE = 2, EXEC = 4 };
typedef enum { LEFT, RIGHT } side;

struct point {
	int x, y;
};
typedef struct node {
	int value;
	struct node *next;
} node;
struct bits {
	unsigned a : 3, b : 7;
	signed c : 5;
	uint64_t d : 40;
	bool e : 1;
};
union word {
	uint32_t u;
	float f;
	unsigned char bytes[4];
};
struct all {
	char name[12];
	struct point at[2];
	union word w;
	struct {
		short inner;
		long other;
	};
	enum color color;
	int (*fn)(int);
	double weight;
	const char *text;
};

int global = 7;
static long hidden = -3;
unsigned char bytes[16] = "abc";
int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static int zeros[40];
const char *const words[] = {"zero", "one\n", "t\"wo"};
static node pool[5];
struct bits packed = {5, 100, -7, 0x123456789aULL, true};
double ratio = 0.1;
float small = 1.5f;
volatile int sink;

/* Fills memory below the stack with equal bytes everywhere. */
static void __attribute__((noinline)) scrub(void)
{
	volatile unsigned char room[16384];
	for (unsigned i = 0; i < sizeof room; i++)
		room[i] = 0;
}

/* The comparison begins and ends here. */
void __attribute__((noipa)) begin(void)
{
}

void __attribute__((noipa)) end(void)
{
	for (volatile int i = 0; i < 100; i++)
		;
}

int twice(int n)
{
	return 2 * n;
}

static int __attribute__((noinline)) sum(const node *list)
{
	int total = 0;
	for (const node *n = list; n; n = n->next) {
		int value = n->value;
		total += value;
	}
	return total;
}

static inline int types_clamp(int v, int least, int most)
{
	int kept = v < least ? least : v;
	return kept > most ? most : kept;
}

static long __attribute__((noipa)) mixed(char c, signed char s, unsigned short h, long long big, float f, double d, bool yes, enum color color,
                                            enum flags flags, side where, struct point by_value, const struct point *by_address)
{
	static int calls;
	long result = c + s + h;
	calls++;
	{
		long result = big * 2; /* hides the other */
		double d2 = d * (double)f;
		sink = (int)d2 + (int)result;
	}
	if (yes)
		result += (long)color + (long)flags + where;
	result += by_value.x * by_value.y + by_address->x;
	return result;
}

static int __attribute__((noinline)) variable_length(int n)
{
	int squares[n];
	for (int i = 0; i < n; i++)
		squares[i] = i * i;
	int last = squares[n - 1];
	sink = last;
	return last + squares[0];
}

static int __attribute__((noipa)) deep(int level)
{
	int here = level * 3;
	int got = level ? deep(level - 1) : sum(pool);
	return got + here;
}

static int __attribute__((noinline)) inlined(int a, int b)
{
	int low = types_clamp(a, 0, 10);
	sink = low;
	int high = types_clamp(b, 20, 30);
	sink = high;
	return low + high;
}

static double __attribute__((noinline)) floats(double a, float b)
{
	double product = a * (double)b, root = product + 0.25;
	for (int i = 0; i < 3; i++)
		root = (root + product / root) / 2;
	return root - product;
}

static int __attribute__((noinline)) aggregate(const struct all *given)
{
	struct all copy = *given;
	struct point corner = {given->at[0].x + 1, given->at[1].y - 1};
	copy.w.f = 2.5f;
	copy.inner = (short)corner.x;
	const char *text = copy.text;
	char local[8] = "hi";
	local[3] = *text;
	sink = corner.x + corner.y + local[3] + copy.fn(3);
	return sink + copy.inner;
}

static int __attribute__((noinline)) everything(void)
{
	begin();
	for (int i = 0; i < 5; i++) {
		pool[i].value = i * i;
		pool[i].next = i < 4 ? &pool[i + 1] : 0;
	}
	struct point here = {3, -4};
	struct all record = {"everything", {{1, 2}, {3, 4}}, {0x40490fdb}, {-5, 1L << 40}, BLUE, twice, 6.25, words[1]};
	zeros[20] = global;
	int answer = sum(pool);
	answer += (int)mixed('A', -2, 65000, 1LL << 40, 2.5f, 1e100, true, GREEN, READ | EXEC, RIGHT, here, &record.at[1]);
	answer += variable_length(6);
	answer += deep(3);
	answer += inlined(-5, 25) + inlined(12, 50);
	answer += (int)floats(2.0, 3.0f);
	answer += aggregate(&record);
	answer += (int)hidden;
	end();
	return answer & 0x7f;
}

int main(void)
{
	scrub();
	return everything();
}
