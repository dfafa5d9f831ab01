/* Results of each system call about signals and timers for wrong arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "guest.h"

void wrong(void)
{
	long r;
#define TRY(what) (errno = 0, r = (what), printf("%s: %ld %s\n", #what, r, r < 0 ? strerror(errno) : ""))
	const long tid = syscall(SYS_gettid), pid = getpid();
	unsigned long set = 0;
	struct timespec bad = {0, 1000000000}, negative = {-1, 0}, zero = {0, 0};
	struct itimerval wrong = {{0, 0}, {0, 1000000}}, fine = {{0, 0}, {0, 0}};
	struct itimerspec times = {{0, 0}, {0, -1}}, good = {{0, 0}, {0, 0}};
	char info[128] = {0};
	stack_t small = {.ss_sp = stack, .ss_size = 100}, flagged = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 8};
	void *nowhere = (void *)16;
	TRY(syscall(SYS_rt_sigaction, 0, NULL, NULL, 8));
	TRY(syscall(SYS_rt_sigaction, 65, NULL, NULL, 8));
	TRY(syscall(SYS_rt_sigaction, SIGKILL, info, NULL, 8));
	TRY(syscall(SYS_rt_sigaction, SIGKILL, NULL, info, 8));
	TRY(syscall(SYS_rt_sigaction, SIGUSR1, NULL, NULL, 4));
	TRY(syscall(SYS_rt_sigaction, SIGUSR1, nowhere, NULL, 8));
	TRY(syscall(SYS_rt_sigprocmask, 7, &set, NULL, 8));
	TRY(syscall(SYS_rt_sigprocmask, 0, nowhere, NULL, 8));
	TRY(syscall(SYS_rt_sigprocmask, 0, &set, NULL, 16));
	TRY(syscall(SYS_rt_sigpending, nowhere, 8));
	TRY(syscall(SYS_rt_sigpending, &set, 16));
	TRY(syscall(SYS_rt_sigsuspend, &set, 4));
	TRY(syscall(SYS_rt_sigsuspend, nowhere, 8));
	TRY(syscall(SYS_rt_sigtimedwait, &set, NULL, &zero, 4));
	TRY(syscall(SYS_rt_sigtimedwait, nowhere, NULL, &zero, 8));
	TRY(syscall(SYS_rt_sigtimedwait, &set, NULL, &bad, 8));
	TRY(syscall(SYS_rt_sigtimedwait, &set, NULL, nowhere, 8));
	TRY(syscall(SYS_rt_sigtimedwait, &set, NULL, &zero, 8));
	TRY(syscall(SYS_kill, pid, 65));
	TRY(syscall(SYS_kill, pid, -1));
	TRY(syscall(SYS_kill, pid, 0));
	TRY(syscall(SYS_tkill, -1, 0));
	TRY(syscall(SYS_tkill, tid, 65));
	TRY(syscall(SYS_tgkill, pid, 0, 0));
	TRY(syscall(SYS_tgkill, -1, tid, 0));
	TRY(syscall(SYS_tgkill, pid, 0x3ffffff, 0));
	TRY(syscall(SYS_tgkill, pid, tid, 65));
	TRY(syscall(SYS_tgkill, pid, tid, 0));
	TRY(syscall(SYS_rt_sigqueueinfo, pid, 65, info));
	TRY(syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, nowhere));
	TRY(syscall(SYS_rt_tgsigqueueinfo, pid, -1, SIGUSR1, info));
	TRY(syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGUSR1, nowhere));
	TRY(syscall(SYS_sigaltstack, &small, NULL));
	TRY(syscall(SYS_sigaltstack, &flagged, NULL));
	TRY(syscall(SYS_sigaltstack, nowhere, NULL));
	TRY(syscall(SYS_sigaltstack, NULL, nowhere));
	TRY(syscall(SYS_setitimer, 3, &fine, NULL));
	TRY(syscall(SYS_setitimer, 0, &wrong, NULL));
	TRY(syscall(SYS_setitimer, 0, nowhere, NULL));
	TRY(syscall(SYS_getitimer, 3, &fine));
	TRY(syscall(SYS_getitimer, 0, nowhere));
	int id = -1;
	struct sigevent odd = {.sigev_notify = 77, .sigev_signo = SIGUSR1}, none = {.sigev_notify = SIGEV_NONE};
	TRY(syscall(SYS_timer_create, 99, NULL, &id));
	TRY(syscall(SYS_timer_create, CLOCK_MONOTONIC, &odd, &id));
	odd.sigev_notify = SIGEV_SIGNAL;
	odd.sigev_signo = 65;
	TRY(syscall(SYS_timer_create, CLOCK_MONOTONIC, &odd, &id));
	TRY(syscall(SYS_timer_create, CLOCK_MONOTONIC, nowhere, &id));
	TRY(syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &id));
	TRY(syscall(SYS_timer_settime, id, 0, &times, NULL));
	TRY(syscall(SYS_timer_settime, id, 0, NULL, NULL));
	TRY(syscall(SYS_timer_settime, id, 0, nowhere, NULL));
	TRY(syscall(SYS_timer_settime, 12345, 0, &good, NULL));
	TRY(syscall(SYS_timer_gettime, id, nowhere));
	TRY(syscall(SYS_timer_gettime, -3, &good));
	TRY(syscall(SYS_timer_getoverrun, 12345));
	TRY(syscall(SYS_timer_delete, id));
	TRY(syscall(SYS_timer_delete, id));
	TRY(syscall(SYS_nanosleep, &bad, NULL));
	TRY(syscall(SYS_nanosleep, &negative, NULL));
	TRY(syscall(SYS_clock_nanosleep, 99, 0, &zero, NULL));
}
