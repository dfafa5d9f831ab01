/* System calls that read clocks, sleep, and count the time used. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/thread.h"

/* CPU time of the process, or of a thread: cycles in which it had the hart. */
static uint64_t clock_ticks(const struct call *c, int id)
{
	enum { PROCESS_CPU = 2, THREAD_CPU };
	const uint32_t task = ~(uint32_t)(id >> 3);
	if (id >= 0 ? id == THREAD_CPU : id & 4)
		return os_thread_cycles(c->os,
		                        id < 0 && task ? (unsigned)os_thread_find(c->os, task)
		                                      : c->st->running,
		                        c->h->cycle);
	return id < 0 || id == PROCESS_CPU ? c->h->cycle : hart_ticks(c->h);
}

int64_t sys_clock_gettime(struct call *c)
{
	int id = (int)c->a[0];
	if (!clock_known(c->os, id))
		return -EINVAL;
	struct lx_timespec t =
		is_wall_clock(id) ? time_of_day(c) : ticks_to_time(c->os, clock_ticks(c, id));
	return mem_write(c->mem, c->a[1], &t, sizeof t) ? 0 : -EFAULT;
}

int64_t sys_clock_getres(struct call *c)
{
	if (!clock_known(c->os, (int)c->a[0]))
		return -EINVAL;
	struct lx_timespec t = {0, (int64_t)(LX_NSEC / c->os->clock_hz)};
	t.nsec += t.nsec == 0;
	return c->a[1] == 0 || mem_write(c->mem, c->a[1], &t, sizeof t) ? 0 : -EFAULT;
}

int64_t sys_gettimeofday(struct call *c)
{
	static const int32_t utc[2];
	struct lx_timespec t = time_of_day(c);
	struct lx_timeval tv = {t.sec, t.nsec / 1000};
	if (c->a[0] && !mem_write(c->mem, c->a[0], &tv, sizeof tv))
		return -EFAULT;
	return c->a[1] && !mem_write(c->mem, c->a[1], utc, sizeof utc) ? -EFAULT : 0;
}

static int64_t sleep_until(struct call *c, uint64_t request, uint64_t rest, enum wait_limit how)
{
	uint64_t deadline;
	const int64_t limit = wait_limit(c, request, how, &deadline);
	if (request == 0)
		return -EFAULT;
	if (limit < 0)
		return limit;
	return deadline <= hart_ticks(c->h)
	               ? 0
	               : thread_wait(c, OS_WAIT_TIME, how == WAIT_FOR ? rest : 0, 0, deadline);
}

int64_t sys_nanosleep(struct call *c)
{
	return sleep_until(c, c->a[0], c->a[1], WAIT_FOR);
}

int64_t sys_clock_nanosleep(struct call *c)
{
	enum { ABSOLUTE = 1, THREAD_CPU = 3, MONOTONIC_COARSE = 6 };
	const int id = (int)c->a[0];
	if (!clock_known(c->os, id))
		return id < 0 && !c->a[2] ? -EFAULT : -EINVAL;
	if (id >= THREAD_CPU && id <= MONOTONIC_COARSE)
		return -EOPNOTSUPP;
	return sleep_until(c, c->a[2], c->a[3],
	                   !(c->a[1] & ABSOLUTE) ? WAIT_FOR
	                   : is_wall_clock(id)   ? WAIT_TO_WALL
	                                         : WAIT_TO_CLOCK);
}

int64_t sys_times(struct call *c)
{
	enum { TICKS = 100 }; /* per second, as in AT_CLKTCK */
	const struct lx_timespec used = ticks_to_time(c->os, c->h->cycle);
	const struct lx_timespec now = time_since_start(c);
	struct lx_tms tms = {.utime = used.sec * TICKS + used.nsec / (LX_NSEC / TICKS)};
	if (c->a[0] && !mem_write(c->mem, c->a[0], &tms, sizeof tms))
		return -EFAULT;
	return now.sec * TICKS + now.nsec / (LX_NSEC / TICKS);
}

int64_t sys_getrusage(struct call *c)
{
	enum { SELF = 0, CHILDREN = -1, THREAD = 1 };
	int who = (int)c->a[0];
	if (who != SELF && who != CHILDREN && who != THREAD)
		return -EINVAL;
	struct lx_timespec t = ticks_to_time(
		c->os, who == THREAD ? os_thread_cycles(c->os, c->st->running, c->h->cycle)
		                     : c->h->cycle);
	struct lx_rusage r = {0};
	if (who != CHILDREN)
		r.utime = (struct lx_timeval){t.sec, t.nsec / 1000};
	return mem_write(c->mem, c->a[1], &r, sizeof r) ? 0 : -EFAULT;
}
