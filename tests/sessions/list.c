/* Lists, strings, recursion and tables of functions, for sessions that are compared with gdb's. */
#include <stdlib.h>
#include <string.h>

enum kind { PLAIN, SHINY = 4, WORN };
enum marks { NEW = 1, SEEN = 2, SOLD = 4 };

typedef struct item {
	char name[12];
	enum kind kind;
	unsigned marks : 3;
	signed weight : 6;
	union {
		int price;
		float share;
		unsigned char raw[4];
	} value;
	struct item *next;
} item;

struct shelf {
	item *first;
	int count;
	int (*rank)(const item *);
	double total;
	const char *label;
	short limits[2][3];
};

static item store[6];
static int calls;
struct shelf shelf;
const char *const labels[] = {"top", "bottom\n", ""};

static int __attribute__((noipa)) by_price(const item *it)
{
	calls++;
	return it->value.price;
}

static int __attribute__((noipa)) by_weight(const item *it)
{
	static int asked;
	asked++;
	return it->weight;
}

static item *__attribute__((noipa)) push(struct shelf *s, const char *name, int price)
{
	item *it = &store[s->count];
	strncpy(it->name, name, sizeof it->name - 1);
	it->kind = price > 20 ? SHINY : PLAIN;
	it->marks = NEW;
	it->weight = (signed)(price % 20 - 10);
	it->value.price = price;
	it->next = s->first;
	s->first = it;
	s->count++;
	s->total += price * 1.5;
	return it;
}

static int __attribute__((noipa)) depth_of(const item *it)
{
	if (!it)
		return 0;
	return 1 + depth_of(it->next);
}

static int __attribute__((noipa)) sum(const struct shelf *s, int least)
{
	int got = 0;
	for (const item *it = s->first; it; it = it->next) {
		int rank = s->rank(it);
		if (rank < least)
			continue;
		got += rank;
	}
	return got;
}

static unsigned long __attribute__((noipa)) hash(const char *text, unsigned seed)
{
	unsigned long h = seed;
	while (*text) {
		unsigned char ch = (unsigned char)*text++;
		h = h * 31 + ch;
	}
	return h;
}

static void __attribute__((noipa)) sort(int *values, int n)
{
	for (int i = 1; i < n; i++) {
		int v = values[i], k = i;
		while (k > 0 && values[k - 1] > v) {
			values[k] = values[k - 1];
			k--;
		}
		values[k] = v;
	}
}

static int __attribute__((noipa)) __attribute__((noinline)) run(void)
{
	int values[5] = {9, -3, 40, 0, 7};
	char text[16] = "a word";
	shelf.rank = by_price;
	shelf.label = labels[1];
	shelf.limits[1][2] = -5;
	for (int i = 0; i < 5; i++)
		push(&shelf, i % 2 ? "odd" : "even", values[i] + 10);
	int all = sum(&shelf, 0);
	shelf.rank = by_weight;
	int some = sum(&shelf, 2);
	int deep = depth_of(shelf.first);
	sort(values, 5);
	unsigned long h = hash(text, 7);
	switch (deep) {
	case 5:
		all += some;
		break;
	default:
		all = -1;
	}
	return (int)(h % 50) + (all & 1);
}

/* Clears the memory below the stack: it must be equal in all runs. */
static void __attribute__((noipa)) __attribute__((noinline)) scrub(void)
{
	volatile unsigned char room[16384];
	for (unsigned i = 0; i < sizeof room; i++)
		room[i] = 0;
}

/* Clears the frame of scrub() itself. */
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
