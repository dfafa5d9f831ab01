/* A guest's means with threads, signals, timers and waiting to harm the host or to hang the
 * machine. hostile ATTACK SEED [PID...]: answers go into a sum, which is printed; each attack may
 * also end the program by a signal, or in a deadlock. No C library's threads: all is called by
 * hand, with arguments at random among those that are wrong in some way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t state, sum;
static unsigned calls;
static char *page; /* one that may be written, between two that may not */
static int pids;
static char **pid;

static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static long see(long answer)
{
	sum = sum * 1000003 + (uint64_t)(answer < 0 ? -errno : answer);
	calls++;
	return answer;
}

#define TRY(name, ...) see(syscall(SYS_##name, __VA_ARGS__))

/* An address, mostly none. */
static uint64_t address(void)
{
	const uint64_t some[] = {0,
	                         8,
	                         (uint64_t)page,
	                         (uint64_t)page + 4,
	                         (uint64_t)page + 4096 - 8,
	                         (uint64_t)page + 4096 - 4,
	                         (uint64_t)page + 4095,
	                         (uint64_t)page + 4096,
	                         (uint64_t)page - 8,
	                         (uint64_t)&address,
	                         (uint64_t)&state,
	                         (uint64_t)1 << 38,
	                         ((uint64_t)1 << 38) - 8,
	                         (uint64_t)0x5000000000,
	                         (uint64_t)0x7f00000000,
	                         (uint64_t)1 << 39,
	                         (uint64_t)1 << 63,
	                         UINT64_MAX - 7,
	                         UINT64_MAX,
	                         INT64_MAX};
	return some[any(sizeof some / sizeof *some)];
}

static uint64_t number(void)
{
	const uint64_t some[] = {0, 1, 2, 3, 7, 8, 63, 64, 65, 128, 1000, 4096, 0x7fffffff, 0x80000000u, 0xffffffffu, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
	return any(3) ? some[any(sizeof some / sizeof *some)] : any(UINT64_MAX) >> any(64);
}

/* There is no other process to send a signal to. */
static void others(void)
{
	for (int i = 0; i < pids; i++)
		for (int sig = 0; sig < 66; sig++) {
			const long p = atol(pid[i]);
			TRY(kill, p, sig);
			TRY(kill, -p, sig);
			TRY(tkill, p, sig);
			TRY(tgkill, p, p, sig);
			TRY(rt_sigqueueinfo, p, sig, page);
			TRY(rt_tgsigqueueinfo, p, p, sig, page);
		}
	for (int i = 0; i < 400; i++) {
		int p = (int)number();
		if (p == getpid() || p == 0 || p == -1 || p == -getpid())
			p = 1;
		TRY(kill, p, any(70));
		TRY(tkill, p, any(70));
		TRY(tgkill, number(), p, any(70));
		TRY(tgkill, getpid(), p, any(70));
		TRY(setpgid, p, p);
		TRY(getpgid, p);
		TRY(getsid, p);
		TRY(sched_setaffinity, p, number(), page);
		TRY(sched_setscheduler, p, number(), page);
		TRY(prlimit64, p, any(20), page, 0);
		TRY(waitid, number(), p, page, number(), 0);
		TRY(process_vm_readv, p, page, 1, page, 1, 0);
		TRY(ptrace, number(), p, page, page);
		TRY(pidfd_open, p, 0);
	}
}

static void on(int sig)
{
	sum += (uint64_t)sig;
}

static void timers(void)
{
	struct sigaction act = {.sa_handler = on};
	for (int sig = 1; sig < 65; sig++)
		sigaction(sig, &act, NULL);
	for (int i = 0; i < 600; i++) {
		uint64_t *set = (uint64_t *)page;
		for (int k = 0; k < 4; k++)
			set[k] = number();
		((struct sigevent *)(page + 64))->sigev_notify = (int)number();
		((struct sigevent *)(page + 64))->sigev_signo = (int)number();
		*(int *)(page + 128) = 0;
		TRY(timer_create, any(14), any(2) ? (uint64_t)page + 64 : address(), any(2) ? (uint64_t)page + 128 : address());
		TRY(timer_settime, any(2) ? any(40) : number(), number(), any(2) ? (uint64_t)page : address(), any(2) ? 0 : address());
		TRY(timer_gettime, any(40), address());
		TRY(timer_getoverrun, any(40));
		if (!any(4))
			TRY(timer_delete, any(40));
		TRY(setitimer, any(4), any(2) ? (uint64_t)page : address(), any(2) ? 0 : address());
		TRY(getitimer, any(4), address());
		TRY(timerfd_create, number(), number());
		TRY(timerfd_settime, any(66), number(), any(2) ? (uint64_t)page : address(), 0);
	}
}

static void stacks(void)
{
	for (int i = 0; i < 300; i++) {
		stack_t want = {(void *)address(), (int)number(), number()};
		TRY(sigaltstack, any(8) ? (uint64_t)&want : address(), any(2) ? 0 : address());
	}
	/* the last one that is taken is used */
	stack_t want = {(void *)address(), 0, any(2) ? number() : 65536};
	TRY(sigaltstack, &want, 0);
	struct sigaction act = {.sa_handler = on, .sa_flags = SA_ONSTACK};
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
	raise(SIGUSR1);
}

/* A frame of random words to return by. */
static void frames(void)
{
	for (int i = 0; i < 512; i++)
		((uint64_t *)page)[i] = any(3) ? address() : number();
	uint64_t at = any(4) ? (uint64_t)page + any(2048) / 16 * 16 : address();
	__asm__ volatile("mv sp, %0\n\tli a7, 139\n\tecall\n\tunimp" : : "r"(at) : "memory");
}

static void clones(void)
{
	static const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	for (int i = 0; i < 400; i++) {
		uint64_t flags = any(2) ? thread ^ (uint64_t)1 << any(64) : any(UINT64_MAX);
		if ((flags & thread) == thread)
			flags ^= (uint64_t)1 << (8 + any(4));
		TRY(clone, flags, address(), address(), address(), address());
		for (int k = 0; k < 11; k++)
			((uint64_t *)page)[k] = any(2) ? number() : address();
		TRY(clone3, any(2) ? (uint64_t)page : address(), any(2) ? 88 : number());
		TRY(set_tid_address, address());
		TRY(set_robust_list, address(), any(2) ? 24 : number());
		TRY(get_robust_list, number(), address(), address());
		TRY(rseq, address(), number(), number(), number());
	}
	TRY(set_tid_address, address());
	printf("sum %llx\n", (unsigned long long)sum);
	/* threads without a stack, an exit address, or thread-local variables */
	for (int i = 0; i < 20; i++)
		TRY(clone, thread | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_SETTLS, page + 2048, address(), address(), address());
}

static void futexes(void)
{
	struct timespec soon = {0, 1000};
	for (int i = 0; i < 2000; i++) {
		*(uint64_t *)page = number();
		uint64_t op = any(16) | (any(2) ? FUTEX_PRIVATE_FLAG : 0) | (any(8) ? 0 : number());
		TRY(futex, address(), op, number(), any(2) || (op & 15) == 0 || (op & 15) == 9 ? (uint64_t)&soon : address(), address(), number());
	}
	/* a robust list in a circle, and one that leads away: the end of the thread walks it */
	uint64_t *head = (uint64_t *)page;
	head[0] = any(2) ? (uint64_t)head : address();
	head[1] = number();
	head[2] = address();
	TRY(set_robust_list, head, 24);
}

/* Creates as many threads as it can, each of which does the same. */
static void bomb(void)
{
	static volatile int running = 1, made;
	for (;;) {
		char *stack = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		long got = stack == MAP_FAILED ? -1
		                               : syscall(SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		                                         stack + 16384, 0, 0, 0);
		if (got < 0)
			break;
		if (got == 0) {
			/* a thread: no C library here */
			register long a7 __asm__("a7") = 124;
			__atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);
			for (;;)
				__asm__ volatile("ecall" : : "r"(a7) : "a0", "memory");
		}
		made++;
	}
	printf("%d threads, then %s\n", made, strerror(errno));
	for (int i = 0; i < 300; i++)
		TRY(tkill, getpid() + (int)any(80), any(2) ? 0 : SIGCONT);
}

/* As many descriptors of each kind as possible. */
static void descriptors(void)
{
	int two[2], ep = epoll_create1(0);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < 400; i++) {
		struct epoll_event ev = {.events = (uint32_t)number()};
		switch (any(8)) {
		case 0:
			TRY(epoll_create1, 0);
			break;
		case 1:
			TRY(eventfd2, number(), any(2) ? 0 : number());
			break;
		case 2:
			TRY(timerfd_create, CLOCK_MONOTONIC, 0);
			break;
		case 3:
			TRY(memfd_create, any(4) ? (uint64_t)"m" : address(), any(2) ? 0 : number());
			break;
		case 4:
			TRY(socketpair, any(2), any(6), 0, any(2) ? (uint64_t)two : address());
			break;
		case 5:
			TRY(pipe2, any(2) ? (uint64_t)two : address(), any(2) ? 0 : number());
			break;
		case 6:
			TRY(dup3, any(66), 3 + any(63), 0);
			break;
		default:
			TRY(close, 3 + any(63));
			break;
		}
		TRY(epoll_ctl, any(2) ? (uint64_t)ep : any(66), any(4), any(66), any(4) ? (uint64_t)&ev : address());
		TRY(epoll_pwait, any(66), address(), number(), 0, address(), any(2) ? 8 : number());
		TRY(ppoll, address(), number(), page + 1024, address(), any(2) ? 8 : number());
		const int fd = (int)(3 + any(63));
		fcntl(fd, F_SETFL, O_NONBLOCK);
		TRY(write, fd, address(), any(100000));
		TRY(read, fd, address(), any(100000));
		TRY(ftruncate, fd, number());
		TRY(fallocate, fd, any(4), number(), number());
		TRY(fcntl, fd, 1033, any(64) & ~(uint64_t)1);
		TRY(mmap, any(2) ? 0 : address(), any(2) ? 65536 : number(), any(4), 1 + any(2), fd, any(2) ? 0 : number());
		TRY(mremap, address(), number(), number(), any(8), address());
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} attacks[] = {{"others", others}, {"timers", timers},   {"stacks", stacks}, {"frames", frames},
	               {"clones", clones}, {"futexes", futexes}, {"bomb", bomb},     {"descriptors", descriptors}};
	if (argc < 3) {
		for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
			puts(attacks[i].name);
		return 0;
	}
	state = strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 8; i++)
		any(2);
	pid = argv + 3;
	pids = argc - 3;
	page = (char *)mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
		if (!strcmp(argv[1], attacks[i].name))
			attacks[i].run();
	printf("%u calls, sum %llx\n", calls, (unsigned long long)sum);
	return 0;
}
