/* storm SEED THREADS ROUNDS: threads wait in every call that waits, and are woken there by others, by time, by signals whose handlers return to
 * the call, end it or jump out of it, and by timers; some storm futexes, and map and protect memory
 * meanwhile. The calls' answers go into sums, one for each thread, which are printed: they differ
 * between machines, not between runs of one. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 63, FUTEXES = 8, RESTARTS = 34, ENDS = 35, JUMPS = 36, TIMER = 37, STACK = 64 << 10 };

static int pipe_in[2], pipe_out[2], pair[2], event, timer, epoll;
static _Atomic int word[FUTEXES], over, tid_of[MOST];
static int threads, rounds;

struct self {
	uint64_t state, sum;
	unsigned handled, jumped;
	volatile sig_atomic_t may_jump;
	sigjmp_buf out;
	int id;
};
static _Thread_local struct self *me;
static struct self all[MOST + 1];

static uint64_t storm_any(uint64_t below)
{
	me->state ^= me->state << 13;
	me->state ^= me->state >> 7;
	me->state ^= me->state << 17;
	return me->state % below;
}

static long see(long answer)
{
	me->sum = me->sum * 1000003 + (uint64_t)(answer < 0 ? -errno : answer);
	return answer;
}

static void storm_on_signal(int sig, siginfo_t *info, void *context)
{
	const int was = errno;
	(void)context;
	me->handled++;
	me->sum = me->sum * 31 + (uint64_t)sig + (uint64_t)(info->si_code & 0xff);
	/* calls within a call, one of which may wait itself */
	const struct timespec little = {0, 200};
	if (me->handled % 5 == 0)
		nanosleep(&little, NULL);
	if (me->handled % 3 == 0)
		syscall(SYS_futex, &word[me->handled % FUTEXES], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = was;
	if (sig == JUMPS && me->may_jump) {
		me->may_jump = 0;
		me->jumped++;
		siglongjmp(me->out, 1);
	}
}

static struct timespec soon(void)
{
	return (struct timespec){0, (long)storm_any(40000)};
}

static void map_some(void)
{
	char *p = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	p[5000] = (char)me->id;
	see(mprotect(p + 4096, 4096, PROT_READ));
	see(p[5000]);
	see(madvise(p, 8192, MADV_DONTNEED));
	see(p[5000]);
	char *q = mremap(p, 16384, 24576, MREMAP_MAYMOVE);
	see(q != MAP_FAILED);
	if (q != MAP_FAILED)
		munmap(q, 24576);
}

static void wait_somewhere(void)
{
	struct timespec t = soon();
	char byte[64];
	uint64_t count;
	sigset_t none, some;
	struct pollfd fds[] = {{pipe_in[0], POLLIN, 0}, {event, POLLIN, 0}, {timer, POLLIN, 0}};
	struct epoll_event found[4];
	fd_set set;
	sigemptyset(&none);
	sigemptyset(&some);
	sigaddset(&some, TIMER);
	_Atomic int *f = &word[storm_any(FUTEXES)];
	switch (storm_any(17)) {
	case 0:
		see(read(pipe_in[0], byte, 1 + storm_any(8)));
		break;
	case 1:
		see(write(pipe_out[1], byte, 64));
		break;
	case 2:
		see(syscall(SYS_futex, f, FUTEX_WAIT_PRIVATE, atomic_load(f), NULL, NULL, 0));
		break;
	case 3:
		see(syscall(SYS_futex, f, FUTEX_WAIT_PRIVATE, atomic_load(f), &t, NULL, 0));
		break;
	case 4:
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += (long)storm_any(30000);
		if (t.tv_nsec < 1000000000)
			see(syscall(SYS_futex, f, FUTEX_WAIT_BITSET_PRIVATE, atomic_load(f), &t, NULL, 1 + storm_any(15)));
		break;
	case 5:
		see(nanosleep(&t, &t));
		see(t.tv_nsec);
		break;
	case 6:
		see(poll(fds, 3, storm_any(2) ? -1 : 0));
		break;
	case 7:
		see(ppoll(fds, 1 + storm_any(3), &t, &none));
		break;
	case 8:
		FD_ZERO(&set);
		FD_SET(pipe_in[0], &set);
		FD_SET(pair[0], &set);
		see(pselect(pair[1] + 1, &set, NULL, NULL, &t, &none));
		break;
	case 9:
		see(epoll_pwait(epoll, found, 4, storm_any(2) ? -1 : 0, storm_any(2) ? &none : NULL));
		break;
	case 10:
		see(sigtimedwait(&some, NULL, &t));
		break;
	case 11:
		see(sigsuspend(&none));
		break;
	case 12:
		see(read(event, &count, sizeof count));
		break;
	case 13:
		see(read(timer, &count, sizeof count));
		break;
	case 14:
		see(recv(pair[0], byte, 4, 0));
		break;
	case 15:
		see(waitpid(-1, NULL, 0));
		break;
	default:
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += (long)storm_any(20000);
		if (t.tv_nsec < 1000000000)
			see(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	}
}

static void *work(void *arg)
{
	timer_t own;
	me = arg;
	tid_of[me->id] = (int)syscall(SYS_gettid);
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIMER};
	ev._sigev_un._tid = tid_of[me->id];
	const int has = me->id % 4 == 0 && timer_create(CLOCK_MONOTONIC, &ev, &own) == 0;
	if (has) {
		const struct itimerspec every = {{0, 7000 + (long)storm_any(9000)}, {0, 3000}};
		see(timer_settime(own, 0, &every, NULL));
	}
	for (volatile int round = 0; round < rounds; round++) {
		if (sigsetjmp(me->out, 1) == 0) {
			me->may_jump = 1;
			wait_somewhere();
		}
		me->may_jump = 0;
		if (storm_any(8) == 0)
			map_some();
		if (storm_any(3) == 0)
			see(syscall(SYS_futex, &word[storm_any(FUTEXES)], FUTEX_REQUEUE_PRIVATE, 1, 2, &word[storm_any(FUTEXES)], 0));
		if (storm_any(4) == 0)
			sched_yield();
	}
	if (has)
		see(timer_delete(own));
	tid_of[me->id] = 0;
	over++;
	return NULL;
}

/* Each awaited event comes eventually. */
static void feed(void)
{
	static const int signals[] = {RESTARTS, ENDS, JUMPS, TIMER};
	char bytes[256] = {0};
	const uint64_t one = 1;
	const struct timespec t = soon();
	const int to = tid_of[storm_any((uint64_t)threads)];
	if (to)
		see(syscall(SYS_tgkill, getpid(), to, signals[storm_any(4)]));
	_Atomic int *f = &word[storm_any(FUTEXES)];
	switch (storm_any(8)) {
	case 0:
		see(send(pair[1], bytes, 8, MSG_DONTWAIT));
		break;
	case 1:
		see(write(event, &one, sizeof one));
		break;
	case 2:
		see(write(pipe_in[1], bytes, 16));
		break;
	case 3:
		see(read(pipe_out[0], bytes, sizeof bytes));
		break;
	case 4:
		(*f)++;
		see(syscall(SYS_futex, f, FUTEX_WAKE_PRIVATE, 1 + storm_any(64), NULL, NULL, 0));
		break;
	case 5:
		see(syscall(SYS_futex, f, FUTEX_WAKE_OP_PRIVATE, 2, 2, &word[storm_any(FUTEXES)],
		            FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 3)));
		break;
	case 6:
		see(nanosleep(&t, NULL));
		break;
	default:
		kill(getpid(), RESTARTS);
	}
}

static void open_all(void)
{
	const struct itimerspec every = {{0, 15000}, {0, 5000}};
	pipe2(pipe_in, 0);
	pipe2(pipe_out, 0);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	event = eventfd(0, EFD_SEMAPHORE);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(timer, 0, &every, NULL);
	epoll = epoll_create1(0);
	const int watched[] = {pipe_in[0], pipe_out[1], pair[0], event, timer};
	for (unsigned i = 0; i < sizeof watched / sizeof *watched; i++) {
		struct epoll_event e = {.events = EPOLLIN | (i % 2 ? EPOLLET : 0), .data.u64 = i};
		epoll_ctl(epoll, EPOLL_CTL_ADD, watched[i], &e);
	}
	/* the feeder never waits for its own events */
	for (unsigned i = 0; i < 2; i++) {
		int fd = i ? pipe_out[0] : pipe_in[1];
		syscall(SYS_fcntl, fd, 4 /* F_SETFL */, 04000 /* O_NONBLOCK */);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST];
	pthread_attr_t attr;
	if (argc != 4)
		return 2;
	const uint64_t seed = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	threads = atoi(argv[2]) > MOST ? MOST : atoi(argv[2]);
	rounds = atoi(argv[3]);
	me = &all[MOST];
	*me = (struct self){.state = seed, .id = MOST};
	open_all();
	for (int sig = RESTARTS; sig <= TIMER; sig++) {
		struct sigaction a = {.sa_sigaction = storm_on_signal, .sa_flags = SA_SIGINFO | (sig == RESTARTS ? SA_RESTART : 0)};
		sigaction(sig, &a, NULL);
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (int i = 0; i < threads; i++) {
		all[i] = (struct self){.state = seed + (uint64_t)i * 7919 + 1, .id = i};
		if (pthread_create(&thread[i], &attr, work, &all[i]) != 0)
			return 3;
	}
	while (over < threads)
		feed();
	uint64_t sum = me->sum;
	unsigned handled = 0, jumped = 0;
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum = sum * 31 + all[i].sum;
		handled += all[i].handled;
		jumped += all[i].jumped;
	}
	printf("%d threads, %u signals handled, %u jumps: %016llx\n", threads, handled, jumped, (unsigned long long)sum);
	return 0;
}
