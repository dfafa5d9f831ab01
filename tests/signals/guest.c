/* Usual uses of signals, one part at a time: each prints the same under qemu-riscv64 and in
 * Cyclops, with timing and without. No part prints an address, or a value that depends on a timer's
 * moment. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

volatile int depth, hits;
char stack[STACK];
static sigjmp_buf back;

void on(int sig, void (*handler)(int), int flags)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
	sigaction(sig, &a, NULL);
}

static void on_info(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
	sigaction(sig, &a, NULL);
}

void say(int sig)
{
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("handler %d blocked %d usr1 %d usr2 %d depth %d\n", sig, sigismember(&now, sig), sigismember(&now, SIGUSR1),
	       sigismember(&now, SIGUSR2), depth);
	hits++;
}

static void say_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	printf("info %d: signo %d code %d pid %d uid %d errno %d\n", sig, info->si_signo, info->si_code, info->si_pid == getpid(),
	       info->si_uid == getuid(), info->si_errno);
	hits++;
}

static void say_value(int sig, siginfo_t *info, void *context)
{
	(void)context;
	printf("value %d code %d is %d\n", sig, info->si_code, info->si_value.sival_int);
}

static void flags(void)
{
	on(SIGUSR1, say, 0);
	raise(SIGUSR1);
	on_info(SIGUSR2, say_info, 0);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR2);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
	syscall(SYS_tkill, syscall(SYS_gettid), SIGUSR2);
	on(SIGUSR1, say, SA_NODEFER);
	raise(SIGUSR1);
	struct sigaction old;
	on(SIGUSR1, say, (int)SA_RESETHAND);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &old);
	printf("reset to default %d\n", old.sa_handler == SIG_DFL);
	on(SIGUSR1, SIG_IGN, 0);
	raise(SIGUSR1);
	union sigval v = {.sival_int = 4711};
	on_info(SIGUSR2, say_value, 0);
	sigqueue(getpid(), SIGUSR2, v);
	printf("hits %d\n", hits);
}

static void nest(int sig)
{
	depth++;
	say(sig);
	if (sig == SIGUSR1 && depth < 4)
		raise(depth % 2 ? SIGUSR2 : SIGUSR1);
	if (sig == SIGUSR2 && hits < 6)
		raise(SIGUSR1); /* blocked until the outer handler returns */
	depth--;
	printf("leaving %d depth %d\n", sig, depth);
}

static void nested(void)
{
	on(SIGUSR1, nest, 0);
	on(SIGUSR2, nest, 0);
	raise(SIGUSR1);
	printf("hits %d\n", hits);
}

/* Several that wait act together, the first on top of the last. */
static void order(void)
{
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	static const int sigs[] = {SIGTERM, SIGUSR2, SIGUSR1, SIGHUP};
	for (unsigned i = 0; i < 4; i++)
		on(sigs[i], say, 0);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (unsigned i = 0; i < 4; i++) {
		raise(sigs[i]);
		raise(sigs[i]);
	}
	sigset_t pending;
	sigpending(&pending);
	printf("pending %d %d %d %d %d\n", sigismember(&pending, SIGHUP), sigismember(&pending, SIGTERM), sigismember(&pending, SIGUSR1),
	       sigismember(&pending, SIGUSR2), sigismember(&pending, SIGINT));
	sigprocmask(SIG_SETMASK, &none, NULL);
	printf("hits %d\n", hits);
}

static void realtime(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	on_info(SIGRTMIN, say_value, 0);
	on_info(SIGRTMIN + 1, say_value, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 5; i++)
		sigqueue(getpid(), SIGRTMIN + (i & 1), (union sigval){.sival_int = i});
	siginfo_t info;
	int got = sigwaitinfo(&set, &info);
	printf("waited: %d %d value %d\n", got == SIGRTMIN, info.si_code, info.si_value.sival_int);
	const struct timespec none = {0};
	got = sigtimedwait(&set, &info, &none);
	printf("waited: %d %d value %d\n", got == SIGRTMIN, info.si_code, info.si_value.sival_int);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	got = sigtimedwait(&set, &info, &none);
	printf("nothing is left: %d %s\n", got, strerror(errno));
}

static void on_stack(int sig)
{
	char here;
	stack_t now;
	sigaltstack(NULL, &now);
	printf("handler %d on the stack %d flags %d\n", sig, &here >= stack && &here < stack + sizeof stack, now.ss_flags);
	stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	int r = sigaltstack(&other, NULL);
	printf("setting it now: %d %s\n", r, r ? strerror(errno) : "");
}

static int dive(int n)
{
	volatile char room[4096];
	room[0] = (char)n;
	return n < 0 ? 0 : dive(n + 1) + room[0];
}

static void overflow(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	char here;
	printf("overflow %d near sp %d on the stack %d\n", sig,
	       labs((long)((uintptr_t)info->si_addr - u->uc_mcontext.__gregs[REG_SP])) < 65536, &here >= stack && &here < stack + sizeof stack);
	siglongjmp(back, 1);
}

static void altstack(void)
{
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack}, old;
	sigaltstack(NULL, &old);
	printf("at first %d\n", old.ss_flags);
	sigaltstack(&s, NULL);
	on(SIGUSR1, on_stack, SA_ONSTACK);
	on(SIGUSR2, on_stack, 0);
	raise(SIGUSR1);
	raise(SIGUSR2);
	on_info(SIGSEGV, overflow, SA_ONSTACK);
	if (sigsetjmp(back, 1) == 0)
		printf("%d\n", dive(0));
	if (sigsetjmp(back, 1) == 0)
		printf("%d\n", dive(0));
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("blocked afterwards %d\n", sigismember(&now, SIGSEGV));
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, &old);
	printf("was there %d %d\n", old.ss_sp == stack, old.ss_size == sizeof stack);
	on(SIGUSR1, on_stack, SA_ONSTACK);
	raise(SIGUSR1);
}

typedef unsigned long reg_t;

static char *target;
static volatile int left;

static void fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	printf("fault %d code %d at target %d\n", sig, info->si_code, (char *)info->si_addr == target);
	if (--left <= 0)
		siglongjmp(back, 1);
}

/* Past the instruction of two or four bytes. */
static void skip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	reg_t *pc = &((reg_t *)u->uc_mcontext.__gregs)[REG_PC];
	const uint16_t first = *(const uint16_t *)*pc;
	printf("skip %d code %d at pc %d\n", sig, info->si_code, (uintptr_t)info->si_addr == *pc);
	*pc += (first & 3) == 3 ? 4 : 2;
}

static void faults(void)
{
	on_info(SIGSEGV, fault, 0);
	on_info(SIGBUS, fault, 0);
	target = NULL;
	if (!sigsetjmp(back, 1))
		*(volatile int *)target = 1;
	target = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sigsetjmp(back, 1))
		*(volatile char *)target = 1;
	mprotect(target, 4096, PROT_NONE);
	if (!sigsetjmp(back, 1))
		printf("%d\n", *(volatile char *)target);
	if (!sigsetjmp(back, 1)) {
		target += 4096;
		((void (*)(void))target)();
	}
	on_info(SIGILL, skip, 0);
	__asm__ volatile(".half 0");
	__asm__ volatile(".word 0xffffffff");
	on_info(SIGTRAP, skip, 0);
	__asm__ volatile("ebreak");
	__asm__ volatile("c.ebreak");
	printf("behind all\n");
}

static void changes(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	(void)sig;
	(void)info;
	unsigned long *x = (unsigned long *)u->uc_mcontext.__gregs;
	printf("s2 %lx s3 %lx t3 %lx\n", x[18], x[19], x[28]);
	x[18] = 0x1111;
	x[28] += 1;
	const double *f = (const double *)&u->uc_mcontext.__fpregs.__d.__f[0];
	printf("fs2 %g ft3 %g flags %x\n", f[18], f[3], u->uc_mcontext.__fpregs.__d.__fcsr);
	((double *)&u->uc_mcontext.__fpregs.__d.__f[0])[18] = 2.5;
	u->uc_mcontext.__fpregs.__d.__fcsr = 0x15;
	sigset_t mask = u->uc_sigmask;
	printf("saved mask usr2 %d\n", sigismember(&mask, SIGUSR2));
	sigaddset(&u->uc_sigmask, SIGTERM);
	x[0] += 2;
	/* the handler's register values are gone after its return */
	__asm__ volatile("li t4, 77; fmv.d.x ft3, zero; fsflags zero" ::: "t4", "ft3");
}

static void context(void)
{
	unsigned long a, b, c, d;
	double g, h;
	sigset_t usr2;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	on_info(SIGTRAP, changes, 0);
	__asm__ volatile("li s2, 0x222\n li s3, 0x333\n li t3, 0x444\n li t4, 0x555\n"
	                 "fcvt.d.l fs2, s2\n fcvt.d.l ft3, s3\n fsflags x0\n"
	                 "c.ebreak\n"
	                 "mv %0, s2\n mv %1, s3\n mv %2, t3\n mv %3, t4\n fmv.d %4, fs2\n fmv.d %5, ft3\n"
	                 : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&f"(g), "=&f"(h)::"s2", "s3", "t3", "t4", "fs2", "ft3");
	unsigned long flags;
	__asm__ volatile("frflags %0" : "=r"(flags));
	printf("then %lx %lx %lx %lx %g %g flags %lx\n", a, b, c, d, g, h, flags);
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("term %d usr2 %d trap %d\n", sigismember(&now, SIGTERM), sigismember(&now, SIGUSR2), sigismember(&now, SIGTRAP));
}

static void count(int sig)
{
	(void)sig;
	hits++;
}

static void suspend(void)
{
	sigset_t usr1, none;
	sigemptyset(&usr1);
	sigemptyset(&none);
	sigaddset(&usr1, SIGUSR1);
	on(SIGUSR1, say, SA_RESTART);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1); /* it can't be lost between this and the wait */
		int r = sigsuspend(&none);
		printf("sigsuspend %d %s hits %d\n", r, strerror(errno), hits);
	}
	raise(SIGUSR1);
	int r = ppoll(NULL, 0, NULL, &none);
	printf("ppoll %d %s hits %d\n", r, strerror(errno), hits);
	raise(SIGUSR1);
	r = pselect(0, NULL, NULL, NULL, NULL, &none);
	printf("pselect %d %s hits %d\n", r, strerror(errno), hits);
	int sig;
	raise(SIGUSR1);
	r = sigwait(&usr1, &sig);
	printf("sigwait %d %d hits %d\n", r, sig, hits);
}

static void rearm(int sig)
{
	(void)sig;
	if (++hits == 5)
		setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static void timers(void)
{
	const struct itimerval every = {{0, 2000}, {0, 1000}};
	struct itimerval was;
	on(SIGALRM, rearm, 0);
	setitimer(ITIMER_REAL, &every, NULL);
	while (hits < 5)
		pause();
	getitimer(ITIMER_REAL, &was);
	printf("five alarms, then it rests: %ld %ld %ld\n", was.it_value.tv_sec, was.it_value.tv_usec, was.it_interval.tv_usec);
	hits = 0;
	on(SIGVTALRM, count, 0);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	for (volatile int i = 0; hits < 3; i++)
		;
	printf("virtual ones come to who works\n");
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);

	on(SIGALRM, count, 0);
	hits = 0;
	alarm(1);
	const struct timespec three = {3, 0};
	struct timespec rest;
	int r = nanosleep(&three, &rest);
	printf("nanosleep %d %s, two seconds left %d, hits %d\n", r, strerror(errno), labs((rest.tv_sec - 2) * 1000000000 + rest.tv_nsec) < 100000000, hits);
	printf("alarm left %u\n", alarm(0));

	timer_t t;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = 99};
	on_info(SIGRTMIN + 3, say_value, 0);
	r = timer_create(CLOCK_MONOTONIC, &ev, &t);
	const struct itimerspec once = {{0, 0}, {0, 1000000}};
	timer_settime(t, 0, &once, NULL);
	pause();
	struct itimerspec now;
	timer_gettime(t, &now);
	printf("timer %d left %ld overrun %d\n", r, now.it_value.tv_nsec, timer_getoverrun(t));
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_settime(t, 0, &once, NULL);
	siginfo_t info;
	r = sigwaitinfo(&set, &info);
	printf("sigwaitinfo %d code %d value %d\n", r == SIGRTMIN + 3, info.si_code, info.si_value.sival_int);
	printf("delete %d %d\n", timer_delete(t), timer_delete(t));
}

static void restart(void)
{
	int p[2];
	char c;
	const struct itimerval once = {{0, 0}, {0, 1000}};
	pipe(p);
	on(SIGALRM, count, 0);
	setitimer(ITIMER_REAL, &once, NULL);
	int r = (int)read(p[0], &c, 1);
	printf("read %d %s\n", r, strerror(errno));
	/* comes again, and finds what the second handler has written */
	static int end;
	end = p[1];
	void feed(int sig)
	{
		(void)sig;
		write(end, "x", 1);
	}
	on(SIGALRM, feed, SA_RESTART);
	setitimer(ITIMER_REAL, &once, NULL);
	r = (int)read(p[0], &c, 1);
	printf("read %d %c\n", r, c);
	on(SIGALRM, count, SA_RESTART);
	setitimer(ITIMER_REAL, &once, NULL);
	r = poll(NULL, 0, -1);
	printf("poll %d %s\n", r, strerror(errno));
	setitimer(ITIMER_REAL, &once, NULL);
	r = usleep(500000);
	printf("usleep %d %s\n", r, strerror(errno));
	close(p[0]);
	on(SIGPIPE, say, 0);
	r = (int)write(p[1], "x", 1);
	printf("write %d %s\n", r, strerror(errno));
}

/* Many of all kinds, for walks through time: timers, faults, signals out of handlers. */
static volatile unsigned long sum;

static void storm_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	unsigned long *x = (unsigned long *)u->uc_mcontext.__gregs;
	(void)info;
	const uint16_t first = *(const uint16_t *)x[0];
	sum = sum * 31 + (unsigned long)sig;
	x[0] += (first & 3) == 3 ? 4 : 2;
	if (sum % 3 == 0)
		raise(SIGUSR1);
}

static void storm_count(int sig)
{
	sum = sum * 33 + (unsigned long)sig;
	hits++;
	if (sum % 5 == 0)
		raise(sig == SIGUSR1 ? SIGUSR2 : SIGUSR1);
}

static void prepare(void)
{
	on_info(SIGSEGV, storm_fault, 0);
	on_info(SIGTRAP, storm_fault, 0);
	on(SIGUSR1, storm_count, 0);
	on(SIGUSR2, storm_count, 0);
	on_info(SIGBUS, fault, 0);
}

static void storm(void)
{
	prepare();
	for (int i = 0; i < 200; i++) {
		if (i % 3 == 0)
			raise(SIGUSR1);
		if (i % 4 == 0)
			__asm__ volatile("ebreak");
		if (i % 5 == 0)
			__asm__ volatile("sd zero, 0(zero)" ::: "memory");
		if (i % 50 == 7 && !sigsetjmp(back, 1)) {
			left = 0;
			raise(SIGBUS);
		}
	}
	printf("sum %lx hits %d\n", sum, hits);
}

/* A storm with a timer: the sum depends on the machine's timing. */
static void timed_storm(void)
{
	prepare();
	on(SIGALRM, storm_count, SA_RESTART);
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 7}, {0, 3}}, NULL);
	storm();
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	printf("sum %lx hits %d\n", sum, hits);
}

static void error_ends(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_signo != sig || info->si_errno != 42 || info->si_value.sival_int != 4711)
		_exit(1);
	hits++;
}

/* The program's own si_errno comes to a handler and to sigwaitinfo(); 0 comes under qemu. */
static void own_error(void)
{
	siginfo_t got, own = {.si_signo = SIGUSR1, .si_errno = 42, .si_code = SI_QUEUE};
	sigset_t set;
	own.si_value.sival_int = 4711;
	on_info(SIGUSR1, error_ends, 0);
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &own);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGUSR1, &own);
	if (sigwaitinfo(&set, &got) != SIGUSR1)
		_exit(1);
	error_ends(SIGUSR1, &got, NULL);
	if (hits != 2)
		_exit(1);
}

#define PARTS(P) \
	P(flags) P(nested) P(order) P(realtime) P(altstack) P(faults) P(context) P(suspend) P(timers) P(restart) P(wrong) P(again) \
	P(bad_stack) P(bad_altstack) P(bad_return) P(bad_stack_caught) P(bad_return_caught) P(endless) P(endless_altstack) \
	P(no_handler) P(alarm_ends) P(alarm_ends_wait) P(ignored_fault) P(storm) P(timed_storm) P(own_error)

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 4096);
#define P(part) \
	if (argc > 1 && strcmp(argv[1], #part) == 0) \
		part();
	PARTS(P)
#undef P
#define P(part) puts(#part);
	if (argc < 2) {
		PARTS(P)
	}
	return 0;
}
