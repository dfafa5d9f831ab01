// A tail call beside a region with a landing pad: before the frame exists, the region's
// start and end are no landing pads. landing.sh runs it.
#include <cstdio>

static int live;
static volatile int last;

struct guard {
	int *count;
	explicit guard(int *c) : count(c) { ++*count; }
	~guard() { --*count; }
};

__attribute__((noinline)) int slow(int x)
{
	if (x % 50 == 49)
		throw x;
	last = x;
	return x + 1;
}

__attribute__((noinline)) int shrunk(int x)
{
	if (x & 1)
		return slow(x);
	guard g(&live);
	return slow(x) + slow(x + 1);
}

int main()
{
	long sum = 0;
	int caught = 0;
	for (int i = 0; i < 1000; i++)
		try {
			sum += shrunk(i);
		} catch (int) {
			caught++;
		}
	std::printf("%ld %d %d\n", sum, caught, live);
}
