/* Accesses that conflict in the ways in which the 21264 replays loads. The number of arguments picks one of three programs: a loop for
 * each kind of trap, and among them the paper's, a load from a global variable against one from the stack; random accesses of all sizes,
 * to few lines that are 32 KB apart, after coins; a walk over lines that share a place in the cache
 * with stores. */
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

#define NOINLINE __attribute__((noinline, noclone))
/* x, a division later. */
#define LATE(x) ({ u64 q_; __asm__ volatile("divu %0, %1, %2" : "=r"(q_) : "r"(x), "r"(one)); q_; })

enum { INDEX = 32768, COPIES = 6 };

static u64 one = 1, seed = 88172645463325252;
static volatile u8 memory[COPIES * INDEX] __attribute__((aligned(32768)));
static volatile u64 cells[16];

static u64 traps_guest_random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

NOINLINE static u64 too_early(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		*(volatile u64 *)LATE(&cells[i & 3]) = i;
		sum += cells[i & 3];
	}
	return sum;
}

NOINLINE static u64 too_narrow(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		((volatile u8 *)cells)[i & 63] = (u8)i;
		sum += *(volatile u32 *)((volatile u8 *)cells + (i & 60));
	}
	return sum;
}

/* The late store does not matter: the load gets its data from the store between. */
NOINLINE static u64 one_between(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		*(volatile u64 *)LATE(&cells[i & 3]) = i;
		cells[i & 3] = i + 1;
		sum += cells[i & 3];
	}
	return sum;
}

/* A load right after a branch that is often wrong and late, to a part of which a byte was just
 * written. */
NOINLINE static u64 behind_coins(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		u64 word = traps_guest_random_word();
		__asm__ volatile("sb %2, 3(%1)\n"
		                 "divu %0, %0, %3\n"
		                 "andi %0, %0, 1\n"
		                 "beqz %0, 1f\n"
		                 "lw %0, 0(%1)\n"
		                 "1:"
		                 : "+r"(word) : "r"(cells), "r"(i), "r"(one) : "memory");
		sum += word;
	}
	return sum;
}

#define LATER3(r) "mul " r ", " r ", " r "\nmul " r ", " r ", " r "\nmul " r ", " r ", " r "\n"
/* A load on each side of a coin, the first after it. The branch goes elsewhere when the one on the
 * wrong side is about to be fetched again, and then the other, which is dispatched in its place, is
 * replayed for the first time. */
NOINLINE static u64 on_both_sides(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		u64 coin = traps_guest_random_word() & 1;
		__asm__ volatile("li t0, 0\nli t1, 0\nli t2, 0\n"
		                 LATER3("t0") LATER3("t1") "mul t1, t1, t1\n"
		                 LATER3("t2") LATER3("t2") LATER3("t2") LATER3("t2")
		                 "add t0, t0, %1\nadd t2, t2, %1\n"
		                 "sd %2, 0(t0)\nsd %2, 8(t2)\n"
		                 "add %0, %0, t1\n"
		                 "bnez %0, 1f\n"
		                 "ld %0, 0(%1)\n"
		                 "j 2f\n"
		                 "1: ld %0, 8(%1)\n"
		                 "2:"
		                 : "+r"(coin) : "r"(cells), "r"(i) : "t0", "t1", "t2", "memory");
		sum += coin;
	}
	return sum;
}

/* A line of the global and one of the frame, with the same index. */
NOINLINE static u64 same_place(u64 n)
{
	volatile u8 frame[2 * INDEX];
	frame[0] = 0;
	u64 sum = 0, apart = ((u64)memory - (u64)frame) & (INDEX - 1);
	for (u64 i = 0; i < n; i++) {
		const u64 line = i * 64 & (INDEX - 64);
		sum += *(volatile u64 *)&memory[line + (i & 3) * INDEX];
		sum += *(volatile u64 *)&frame[(apart + line) & (2 * INDEX - 8)];
	}
	return sum;
}

NOINLINE static u64 anything(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		const u64 word = traps_guest_random_word();
		volatile u8 *at = memory + (word % COPIES) * INDEX + (word >> 8) % 3 * 64 + (word >> 16) % 24;
		if (word & 1 << 20)
			at = (volatile u8 *)LATE(at);
		volatile u8 *const near = memory + (word >> 12) % COPIES * INDEX + (word >> 28) % 3 * 64 + (word >> 36) % 24;
		if (word & 1 << 21)
			*(volatile u16 *)at = (u16)i;
		else
			*at = (u8)i;
		sum += *(volatile u64 *)near;
		sum += *(volatile u32 *)(near + (word >> 44) % 8);
		if (word % 5 == 0)
			__atomic_fetch_add((u64 *)((u64)at & ~7ul), 1, __ATOMIC_RELAXED);
		if (word % 7 == 0)
			*(volatile u64 *)(near + 4) = i;
		/* Lines leave the cache again. */
		if (word % 23 == 0)
			sum += memory[(word >> 32) % sizeof memory] + memory[(word >> 40) % sizeof memory];
	}
	return sum;
}

NOINLINE static u64 walk(u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		const u64 line = i * 64 & (INDEX - 64);
		*(volatile u64 *)&memory[line + (i & 1) * INDEX] = sum;
		sum += *(volatile u64 *)&memory[line + (2 + (i & 3)) * INDEX];
		sum += *(volatile u64 *)&memory[line + 60 + (i & 1) * INDEX];
	}
	return sum;
}

__attribute__((used)) static int start(u64 arguments)
{
	u64 sum = 0;
	if (arguments == 0)
		sum = too_early(200) + too_narrow(300) + one_between(100) + behind_coins(200) + on_both_sides(200) + same_place(300);
	else if (arguments == 1)
		sum = anything(1500);
	else
		sum = walk(700);
	return sum == 1;
}

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__("ld a0, 0(sp)\n"
	        "addi a0, a0, -1\n"
	        "call start\n"
	        "li a7, 93\n"
	        "ecall\n");
}
