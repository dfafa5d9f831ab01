/* Loads and stores that meet, often, seldom and never, through addresses that come late. The number of arguments picks
 * one of three programs: a histogram, a list that is taken apart and put together, random accesses
 * after coins. */
typedef unsigned long u64;
typedef long s64;

#define NOINLINE __attribute__((noinline, noclone))
/* x, a division later. */
#define LATE(x) ({ u64 q_; __asm__ volatile("divu %0, %1, %2" : "=r"(q_) : "r"(x), "r"(one)); q_; })

static u64 one = 1, seed = 88172645463325252;
static volatile u64 cells[16];

static u64 memdep_guest_random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

NOINLINE static void histogram(void)
{
	for (int i = 0; i < 600; i++) {
		u64 word = memdep_guest_random_word();
		((volatile u64 *)LATE(cells))[word & 7]++;
		cells[word >> 8 & 7] += word; /* two pairs of a set each, which meet and merge */
		((volatile unsigned char *)cells)[LATE(word >> 16 & 63)] = (unsigned char)word;
		if (i % 4 == 0)
			__atomic_fetch_add((u64 *)LATE(&cells[word >> 20 & 7]), 1, __ATOMIC_RELAXED);
	}
}

struct node {
	struct node *volatile next;
	volatile u64 value;
};

static struct node nodes[24], *volatile top;

NOINLINE static void push(struct node *n)
{
	struct node *at = (struct node *)LATE(n);
	at->next = top;
	at->value++;
	*(struct node *volatile *)LATE(&top) = n;
}

NOINLINE static struct node *pop(void)
{
	struct node *n = top;
	if (n)
		top = n->next;
	return n;
}

NOINLINE static void lists(void)
{
	for (int i = 0; i < 250; i++) {
		for (u64 k = 0; k <= memdep_guest_random_word() % 5; k++)
			push(&nodes[((u64)i + k * 5) % 24]);
		for (u64 k = 0; k <= memdep_guest_random_word() % 5; k++) {
			struct node *n = pop();
			if (n && n->value & 1)
				cells[n->value & 15]++;
		}
		top = 0;
	}
}

/* The branches are often mispredicted, so that loads and stores on wrong paths conflict and are
 * squashed. */
NOINLINE static void coins(void)
{
	for (int i = 0; i < 500; i++) {
		u64 word = memdep_guest_random_word();
		volatile unsigned *half = (volatile unsigned *)LATE(cells);
		if (LATE(word) & 1)
			half[word >> 4 & 7] = (unsigned)word;
		else
			cells[LATE(word >> 8 & 3)] = word;
		if (cells[word >> 12 & 3] & 2)
			*(volatile u64 *)LATE(&cells[word & 3]) = cells[word >> 16 & 3] + 1;
	}
}

static void __attribute__((noreturn, used)) run(u64 argc)
{
	if (argc == 1)
		histogram();
	else if (argc == 2)
		lists();
	else
		coins();
	register s64 a0 __asm__("a0") = 0;
	register s64 a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start: ld a0, 0(sp)\n andi sp, sp, -16\n j run\n");
