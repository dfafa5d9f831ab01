/* Branches for every predictor: coins, patterns, calls deeper than a return stack, jumps through a table.
 *
 * With one argument only the coins: branches on a random bit, which a division holds up, so that
 * the wrong path after a coin meets the next ones. With two, each after a store whose address comes
 * late and a load of the same bytes, so that a machine that guesses about memory takes the branch
 * back and dispatches it again. */
typedef unsigned long u64;
typedef long s64;

#define NOINLINE __attribute__((noinline, noclone))

static u64 seed = 88172645463325252;
static u64 sum;
static volatile u64 cell, one = 1;

static u64 predict_random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Branches on bit 0: the only branch between two PLACEs. */
#define TOSS(bit) __asm__ volatile("beqz %1, 1f\n addi %0, %0, 1\n1:" : "+r"(heads) : "r"((bit) & 1))
/* A division that no compiler can leave out or share. */
#define SLOWLY(x) ({ u64 q_; __asm__ volatile("divu %0, %1, %2" : "=r"(q_) : "r"(x), "r"(divisor)); q_; })
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ":" ::: "memory")
#define EIGHT(x) x(0) x(5) x(10) x(15) x(20) x(25) x(30) x(35)

NOINLINE static void coins(u64 n)
{
	u64 divisor = one, heads = 0;
	for (u64 i = 0; i < n; i++) {
		u64 word = predict_random_word();
#define COIN(k) TOSS(SLOWLY(word >> k));
		PLACE(coins_begin);
		EIGHT(COIN)
		PLACE(coins_end);
	}
	sum += heads;
}

NOINLINE static void late_coins(u64 n)
{
	u64 divisor = one, heads = 0;
	for (u64 i = 0; i < n; i++) {
		u64 word = predict_random_word();
#define LATE(k) \
	*(volatile u64 *)SLOWLY(&cell) = word >> k; \
	TOSS(cell);
		PLACE(late_coins_begin);
		EIGHT(LATE)
		PLACE(late_coins_end);
	}
	sum += heads;
}

NOINLINE static u64 fib(u64 n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

NOINLINE static u64 deep(u64 n)
{
	return n ? deep(n - 1) + (n & 3) : 0;
}

NOINLINE static u64 add(u64 x) { return x + 1; }
NOINLINE static u64 twice(u64 x) { return x * 2; }
NOINLINE static u64 flip(u64 x) { return ~x; }
NOINLINE static u64 walk(u64 x) { return deep(x & 15); }

static u64 (*const volatile table[])(u64) = {add, twice, flip, walk};

NOINLINE static void mixture(u64 rounds)
{
	for (u64 i = 0; i < rounds; i++) {
		u64 word = predict_random_word();
		for (u64 k = 0; k < word % 13; k++)
			sum += k & 2 ? table[(word >> k) & 3](k) : k;
		switch (i % 7) {
		case 0: sum += fib(6); break;
		case 1: sum ^= deep(20); break;
		case 2: coins(1); break;
		case 3: sum += table[i & 3](i); break;
		case 4: sum -= 3; break;
		case 5: if (word & 0x700) sum++; break;
		default: late_coins(1); break;
		}
	}
}

static void __attribute__((noreturn, used)) run(u64 argc)
{
	if (argc == 1)
		mixture(300);
	else if (argc == 2)
		coins(600);
	else
		late_coins(600);
	register s64 a0 __asm__("a0") = 0;
	register s64 a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start: ld a0, 0(sp)\n andi sp, sp, -16\n j run\n");
