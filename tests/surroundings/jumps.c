/* The host's clock of the day jumps by two hours or more, forwards and back, each time it is read; to be preloaded. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t jumps_jump(void)
{
	static uint32_t state;
	state += state ? 0 : (uint32_t)getpid();
	state = state * 1664525 + 1013904223;
	const int64_t seconds = (int64_t)(state >> 8) % 200000 - 100000;
	return seconds < 0 ? seconds - 7200 : seconds + 7200;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	const int r = (int)syscall(SYS_clock_gettime, id, t);
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		t->tv_sec += jumps_jump();
	return r;
}

time_t time(time_t *out)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	(void)zone;
	tv->tv_sec = time(NULL);
	tv->tv_usec = 0;
	return 0;
}
