/* A thread ends and holds a robust mutex of 32 bits: its lock has the bit for a dead owner.
 * qemu-riscv32 has no robust lists. Ends with 0, or the number of the check that failed. */
typedef unsigned int u32;

static u32 robust_call(u32 n, u32 a, u32 b, u32 c, u32 d)
{
	register u32 a0 __asm__("a0") = a;
	register u32 a1 __asm__("a1") = b;
	register u32 a2 __asm__("a2") = c;
	register u32 a3 __asm__("a3") = d;
	register u32 a7 __asm__("a7") = n;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
	return a0;
}

/* The words of a mutex: the lock, and a link of the list before it, as in glibc. */
static struct robust_mutex {
	struct robust_mutex *next;
	volatile u32 lock;
} listed, pending;
static struct {
	struct robust_mutex *next;
	int offset;
	struct robust_mutex *pending;
} head = {&listed, 4, &pending};
static u32 stack[1024];
static volatile u32 tid;

static void robust_hold_and_end(void)
{
	const u32 me = robust_call(178, 0, 0, 0, 0);
	listed.next = (struct robust_mutex *)&head;
	listed.lock = pending.lock = me;
	robust_call(93, robust_call(99, (u32)&head, sizeof head, 0, 0), 0, 0, 0);
}

static u32 robust_run_thread(void)
{
	register u32 a0 __asm__("a0") = 0x3d0f00;
	register u32 a1 __asm__("a1") = (u32)(stack + 1024);
	register volatile u32 *a2 __asm__("a2") = &tid;
	register u32 a3 __asm__("a3") = 0;
	register volatile u32 *a4 __asm__("a4") = &tid;
	register u32 a7 __asm__("a7") = 220;
	register void (*s2)(void) __asm__("s2") = robust_hold_and_end;
	__asm__ volatile("ecall; bnez a0, 1f; jr s2; 1:"
	                 : "+r"(a0)
	                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7), "r"(s2)
	                 : "memory");
	return a0;
}

static u32 robust_failed_check(void)
{
	enum { OWNER_DIED = 0x40000000, EINVAL = 22 };
	u32 at = 9, bytes = 9;
	if (robust_call(99, (u32)&head, 24, 0, 0) != (u32)-EINVAL)
		return 1;
	if (robust_call(99, (u32)&head, 12, 0, 0) ||
	    robust_call(100, 0, (u32)&at, (u32)&bytes, 0) || at != (u32)&head || bytes != 12)
		return 2;
	robust_call(99, 0, 12, 0, 0);
	if ((int)robust_run_thread() <= 0)
		return 3;
	for (u32 running; (running = tid);)
		robust_call(422, (u32)&tid, 0, running, 0);
	return listed.lock != OWNER_DIED ? 4 : pending.lock != OWNER_DIED ? 5 : 0;
}

void _start(void)
{
	robust_call(94, robust_failed_check(), 0, 0, 0);
}
