/* Results of system calls for threads and waiting for wrong arguments, or just right ones: a line
 * each, to be compared with qemu's. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOWHERE ((void *)8)

static void calls_say(const char *what, long ret)
{
	printf("%s: %s\n", what, ret < 0 ? strerror(errno) : ret ? "more" : "0");
}

#define SAY(call) calls_say(#call, call)
#define CALL(name, ...) SAY(syscall(SYS_##name, __VA_ARGS__))

static uint32_t word = 5, other = 7;
static struct timespec soon = {0, 1000}, wrong = {0, 1000000000}, past = {-1, 0};

static void calls_futexes(void)
{
	CALL(futex, &word, FUTEX_WAIT, 4, NULL);
	CALL(futex, &word, FUTEX_WAIT, 5, &soon);
	CALL(futex, &word, FUTEX_WAIT, 5, &wrong);
	CALL(futex, &word, FUTEX_WAIT, 5, &past);
	CALL(futex, &word, FUTEX_WAIT, 4, &wrong);
	CALL(futex, (char *)&word + 1, FUTEX_WAIT, 5, &soon);
	CALL(futex, NOWHERE, FUTEX_WAIT, 5, &soon);
	CALL(futex, &word, FUTEX_WAIT_BITSET, 5, &soon, NULL, 0);
	CALL(futex, &word, FUTEX_WAIT_BITSET, 5, &soon, NULL, 1);
	CALL(futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &soon, NULL, 1);
	CALL(futex, &word, FUTEX_WAKE, 1);
	CALL(futex, (char *)&word + 2, FUTEX_WAKE, 1);
	CALL(futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0);
	CALL(futex, &word, FUTEX_REQUEUE, 1, 1, &other);
	CALL(futex, &word, FUTEX_REQUEUE, -1, 1, &other);
	CALL(futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &other, 4);
	CALL(futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &other, 5);
	CALL(futex, &word, FUTEX_CMP_REQUEUE, 1, 1, (char *)&other + 1, 5);
	CALL(futex, &word, FUTEX_WAKE_OP, 1, 1, &other, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 7));
	printf("%u\n", other);
	CALL(futex, &word, FUTEX_WAKE_OP, 1, 1, &other, FUTEX_OP(FUTEX_OP_ANDN, 2, FUTEX_OP_CMP_LT, 7));
	printf("%u\n", other);
	CALL(futex, &word, FUTEX_WAKE_OP, 1, 1, &other,
	     FUTEX_OP((FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT), 4, FUTEX_OP_CMP_GE, 0));
	printf("%u\n", other);
	CALL(futex, &word, FUTEX_WAKE_OP, 1, 1, &other, FUTEX_OP(6, 2, FUTEX_OP_CMP_LT, 7));
	CALL(futex, &word, 99, 1);
}

static void calls_clones(void)
{
	CALL(clone, CLONE_THREAD, 0, 0, 0, 0);
	CALL(clone, CLONE_SIGHAND, 0, 0, 0, 0);
	CALL(clone, CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0);
}

static void waits(void)
{
	CALL(nanosleep, &soon, NULL);
	CALL(nanosleep, &wrong, NULL);
	CALL(nanosleep, &past, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &soon, NULL);
	CALL(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &soon, NULL);
	CALL(clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &soon, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC_COARSE, 0, &soon, NULL);
	CALL(clock_nanosleep, 77, 0, &soon, NULL);
	CALL(clock_nanosleep, CLOCK_BOOTTIME, 0, &wrong, NULL);
}

static void calls_schedules(void)
{
	uint64_t set[16] = {1};
	struct sched_param zero = {0}, one = {1};
	CALL(sched_yield, 0);
	CALL(sched_getaffinity, 0, 3, set);
	CALL(sched_getaffinity, 123456, 128, set);
	CALL(sched_getaffinity, 0, 128, NOWHERE);
	set[0] = 1;
	CALL(sched_setaffinity, 0, 128, set);
	CALL(sched_setaffinity, 123456, 128, set);
	CALL(sched_setaffinity, 0, 128, NOWHERE);
	set[0] = 0;
	CALL(sched_setaffinity, 0, 128, set);
	CALL(sched_getscheduler, 0);
	CALL(sched_getscheduler, 123456);
	CALL(sched_getscheduler, -1);
	CALL(sched_getparam, 0, &one);
	printf("%d\n", one.sched_priority);
	one.sched_priority = 1;
	CALL(sched_getparam, 0, NULL);
	CALL(sched_setscheduler, 0, SCHED_OTHER, &zero);
	CALL(sched_setscheduler, 0, SCHED_OTHER, &one);
	CALL(sched_setscheduler, 0, 77, &zero);
	CALL(sched_setscheduler, 0, SCHED_OTHER, NULL);
	CALL(sched_setparam, 0, &zero);
	CALL(sched_setparam, 0, &one);
	CALL(sched_get_priority_max, SCHED_OTHER);
	CALL(sched_get_priority_max, SCHED_FIFO);
	CALL(sched_get_priority_min, SCHED_RR);
	CALL(sched_get_priority_min, 77);
	CALL(tgkill, 0, 0, 0);
	CALL(tgkill, getpid(), getpid(), 0);
	CALL(tgkill, getpid(), 123456, 0);
	CALL(membarrier, 0, 1);
	CALL(membarrier, 3, 0);
	CALL(membarrier, 1 << 20, 0);
	CALL(membarrier, 8, 0);
	CALL(membarrier, 16, 0);
	CALL(membarrier, 8, 0);
	CALL(tkill, 0, 0);
	CALL(tkill, 123456, 0);
}

int main(void)
{
	calls_futexes();
	calls_clones();
	waits();
	calls_schedules();
	return 0;
}
