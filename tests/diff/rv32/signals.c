/* Signals, threads and waiting of a 32-bit program, by Linux's calls alone: equal output under
 * qemu-riscv32 and here. */
typedef unsigned int u32;
typedef unsigned long long u64;

static u32 call(u32 n, u32 a, u32 b, u32 c, u32 d, u32 e, u32 f)
{
	register u32 a0 __asm__("a0") = a;
	register u32 a1 __asm__("a1") = b;
	register u32 a2 __asm__("a2") = c;
	register u32 a3 __asm__("a3") = d;
	register u32 a4 __asm__("a4") = e;
	register u32 a5 __asm__("a5") = f;
	register u32 a7 __asm__("a7") = n;
	__asm__ volatile("ecall"
	                 : "+r"(a0)
	                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
	                 : "memory");
	return a0;
}

static void print_result(const char *name, u32 v)
{
	char line[80];
	u32 n = 0;
	while (name[n])
		line[n] = name[n], n++;
	line[n++] = ' ';
	for (int i = 28; i >= 0; i -= 4)
		line[n++] = "0123456789abcdef"[v >> i & 15];
	line[n++] = '\n';
	call(64, 1, (u32)line, n, 0, 0, 0);
}

struct action {
	void (*handler)(int, int *, u32 *);
	u32 flags, mask[2];
};
enum { SIGUSR1 = 10, SIGSEGV = 11, SIGUSR2 = 12, SA_SIGINFO = 4, SA_ONSTACK = 0x08000000 };
enum { CONTEXT_PC = 40, CONTEXT_A0 = 50 }; /* words of struct ucontext */

static volatile u32 alternate[4096], on_alternate;

static void on_user_signal(int signal, int *info, u32 *context)
{
	u32 here;
	print_result("signal", (u32)signal);
	print_result("info", (u32)info[0]);
	print_result("code", (u32)info[2]);
	print_result("from me", (u32)info[3] == call(172, 0, 0, 0, 0, 0, 0));
	print_result("mask", context[5]);
	__asm__ volatile("mv %0, sp" : "=r"(here));
	on_alternate = here - (u32)alternate < sizeof alternate;
}

static void on_bad_address(int signal, int *info, u32 *context)
{
	print_result("signal", (u32)signal);
	print_result("at", (u32)info[3]);
	context[CONTEXT_PC] += 4;
	context[CONTEXT_A0] = 0x80000005;
}

static void set_action(int signal, void (*handler)(int, int *, u32 *), u32 flags)
{
	struct action new = {handler, flags | SA_SIGINFO, {1u << (SIGUSR2 - 1), 0}}, old;
	print_result("action", call(134, (u32)signal, (u32)&new, 0, 8, 0, 0));
	call(134, (u32)signal, 0, (u32)&old, 8, 0, 0);
	print_result("kept", old.handler == handler && old.flags == new.flags &&
	                     old.mask[0] == new.mask[0]);
}

/* ---- threads ---- */
static u32 stack[2][2048], tids[2];
static volatile u32 total;

static void add_in_thread(u32 n)
{
	u32 tls;
	__asm__ volatile("mv %0, tp" : "=r"(tls));
	for (u32 i = 0; i < 1000; i++)
		__atomic_fetch_add(&total, n, __ATOMIC_SEQ_CST);
	if (tls != 0x1000 * n)
		total = 0;
	call(93, 0, 0, 0, 0, 0, 0);
}

/* clone(): the child begins on its own stack, at add_in_thread(n). */
static u32 start(u32 n, u32 *top, volatile u32 *tid)
{
	register u32 a0 __asm__("a0") = 0x3d0f00;
	register u32 a1 __asm__("a1") = (u32)top;
	register volatile u32 *a2 __asm__("a2") = tid;
	register u32 a3 __asm__("a3") = 0x1000 * n;
	register volatile u32 *a4 __asm__("a4") = tid;
	register u32 a7 __asm__("a7") = 220;
	register u32 s1 __asm__("s1") = n;
	register void (*s2)(u32) __asm__("s2") = add_in_thread;
	__asm__ volatile("ecall; bnez a0, 1f; mv a0, s1; jr s2; 1:"
	                 : "+r"(a0)
	                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7), "r"(s1), "r"(s2)
	                 : "memory");
	return a0;
}

void _start(void)
{
	u64 time[2] = {0, 0}, mask;
	u32 me = call(172, 0, 0, 0, 0, 0, 0);
	set_action(SIGUSR1, on_user_signal, 0);
	print_result("kill", call(129, me, SIGUSR1, 0, 0, 0, 0));
	print_result("elsewhere", on_alternate);

	u32 own[3] = {(u32)alternate, 0, sizeof alternate}, was[3];
	print_result("stack", call(132, (u32)own, 0, 0, 0, 0, 0));
	print_result("stack", call(132, 0, (u32)was, 0, 0, 0, 0));
	print_result("same", was[0] == own[0] && was[1] == own[1] && was[2] == own[2]);
	set_action(SIGUSR1, on_user_signal, SA_ONSTACK);
	print_result("tkill", call(130, call(178, 0, 0, 0, 0, 0, 0), SIGUSR1, 0, 0, 0, 0));
	print_result("on it", on_alternate);

	set_action(SIGSEGV, on_bad_address, 0);
	register u32 result __asm__("a0") = 1;
	register double keeps __asm__("fs3") = 2.5;
	__asm__ volatile(".option push; .option norvc; lw a0, 16(zero); .option pop"
	                 : "+r"(result), "+f"(keeps));
	print_result("set by the handler", result);
	print_result("kept", keeps == 2.5);

	mask = 1u << (SIGUSR1 - 1);
	print_result("block", call(135, 0, (u32)&mask, 0, 8, 0, 0));
	call(129, me, SIGUSR1, 0, 0, 0, 0);
	mask = 0;
	print_result("pending", call(136, (u32)&mask, 8, 0, 0, 0, 0));
	print_result("them", (u32)mask);
	int info[32];
	mask = 1u << (SIGUSR1 - 1);
	print_result("wait", call(421, (u32)&mask, (u32)info, (u32)time, 8, 0, 0));
	print_result("info", (u32)info[0] << 16 | (u32)(info[3] == (int)me));
	print_result("none left", call(421, (u32)&mask, (u32)info, (u32)time, 8, 0, 0));
	print_result("unblock", call(135, 1, (u32)&mask, 0, 8, 0, 0));

	int ends[2];
	print_result("pipe", call(59, (u32)ends, 0, 0, 0, 0, 0));
	u32 poll[2] = {(u32)ends[0], 1};
	print_result("poll", call(414, (u32)poll, 1, (u32)time, 0, 8, 0));
	call(64, (u32)ends[1], (u32)"x", 1, 0, 0, 0);
	print_result("poll", call(414, (u32)poll, 1, 0, 0, 8, 0));
	print_result("events", poll[1]);

	/* pselect6: the set is a word of 64 bits here, the mask's place and size are two words. */
	u64 set = (u64)1 << ends[0];
	u32 masked[2] = {(u32)&mask, 8};
	mask = 0;
	print_result("select", call(413, (u32)ends[0] + 1, (u32)&set, 0, 0, (u32)time, (u32)masked));
	print_result("ready", set == (u64)1 << ends[0]);
	char byte;
	call(63, (u32)ends[0], (u32)&byte, 1, 0, 0, 0);
	print_result("none ready", call(413, (u32)ends[0] + 1, (u32)&set, 0, 0, (u32)time, (u32)masked));
	print_result("set", (u32)set);

	/* A timer by number, whose signal is taken by sigtimedwait. */
	static u32 event[16] = {77, SIGUSR1, 0};
	u32 timer = 9;
	u64 once[4] = {0, 0, 0, 1000000}, left[4], long_time[2] = {5, 0};
	mask = 1u << (SIGUSR1 - 1);
	call(135, 0, (u32)&mask, 0, 8, 0, 0);
	print_result("timer", call(107, 1, (u32)event, (u32)&timer, 0, 0, 0));
	print_result("set", call(409, timer, 0, (u32)once, 0, 0, 0));
	print_result("fires", call(421, (u32)&mask, (u32)info, (u32)long_time, 8, 0, 0));
	print_result("value", (u32)info[5]);
	print_result("get", call(408, timer, (u32)left, 0, 0, 0, 0));
	print_result("over", left[2] == 0 && left[3] == 0);
	print_result("overrun", call(109, timer, 0, 0, 0, 0, 0));
	print_result("delete", call(111, timer, 0, 0, 0, 0, 0));
	print_result("again", call(111, timer + 1, 0, 0, 0, 0, 0));
	call(135, 1, (u32)&mask, 0, 8, 0, 0);

	for (u32 i = 0; i < 2; i++)
		print_result("thread", (int)start(i + 1, stack[i] + 2048, &tids[i]) > 0);
	for (u32 i = 0; i < 2; i++)
		for (u32 tid; (tid = __atomic_load_n(&tids[i], __ATOMIC_SEQ_CST));)
			call(422, (u32)&tids[i], 0, tid, 0, 0, 0);
	print_result("total", total);
	time[1] = 1000;
	print_result("times out", call(422, (u32)&total, 0, total, (u32)time, 0, 0));
	call(94, 3, 0, 0, 0, 0, 0);
}
