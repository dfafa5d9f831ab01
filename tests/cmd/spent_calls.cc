/* Time in code without lines, called from lines that are here (tests/cmd/spent.sh). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

static char large[16384];
struct item {
	int key;
};
static item items[600];
static volatile int size = 12000, third = 4000;

static int by_key(const void *a, const void *b)
{
	return static_cast<const item *>(a)->key - static_cast<const item *>(b)->key;
}

static inline unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static void build(std::map<int, int> &counts, unsigned *seed)
{
	for (int i = 0; i < 1500; i++)
		counts[next_random(seed) % 1000] += i; /* map */
}

int main()
{
	unsigned seed = 1;
	std::map<int, int> counts;
	build(counts, &seed);
	for (item &i : items)
		i.key = static_cast<int>(next_random(&seed) % 5000);
	qsort(items, 600, sizeof *items, by_key); /* sorted */
	for (int i = 0; i < 60; i++) {
		memset(large, i, size); /* three */
		memset(large, i, third); /* one */
	}
	printf("%d\n", items[5].key);
}
