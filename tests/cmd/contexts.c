/* Calls whose contexts can be found by hand: a procedure with two callers and two call sites in
 * one, recursion through another procedure, calls through a pointer, and no C library. */
#define NOINLINE __attribute__((noinline, noclone))

volatile int sink;
static void leaf(int n);
static void other(int n);
void (*volatile pointers[])(int) = {leaf, other};

static NOINLINE void leaf(int n)
{
	sink += n;
}

static NOINLINE void other(int n)
{
	sink -= n;
	leaf(n);
	sink++;
}

static NOINLINE void up(int n);

static NOINLINE void down(int n)
{
	sink ^= n;
	up(n - 1);
	sink++;
}

static NOINLINE void up(int n)
{
	if (n > 0)
		down(n);
	leaf(n);
	sink++;
}

static NOINLINE int work(void)
{
	up(3);
	leaf(1);
	leaf(2);
	for (int i = 0; i < 10; i++)
		pointers[i & 1](i);
	return sink & 1;
}

void _start(void)
{
	work();
	register long a0 __asm__("a0") = 0, a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
	__builtin_unreachable();
}
