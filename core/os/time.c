/* Time, derived from simulated cycles only. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/thread.h"

/* cycles as nanoseconds, without rounding errors for large counts */
static struct lx_timespec from_cycles(const struct os *os, uint64_t cycles)
{
	uint64_t sec = cycles / os->clock_hz, rest = cycles % os->clock_hz;
	return (struct lx_timespec){(int64_t)sec,
	                            (int64_t)((unsigned __int128)rest * LX_NSEC / os->clock_hz)};
}

struct lx_timespec time_since_start(const struct call *c)
{
	return from_cycles(c->os, hart_ticks(c->h));
}

struct lx_timespec ticks_to_time(const struct os *os, uint64_t ticks)
{
	return from_cycles(os, ticks);
}

uint64_t time_to_ticks(const struct os *os, const struct lx_timespec *t)
{
	const unsigned __int128 n =
		(unsigned __int128)(uint64_t)t->sec * os->clock_hz +
		((unsigned __int128)(uint64_t)t->nsec * os->clock_hz + LX_NSEC - 1) / LX_NSEC;
	return n < RANGE_TIME ? (uint64_t)n : RANGE_TIME;
}

struct lx_timespec time_of_day(const struct call *c)
{
	return os_time_of_day(c->os);
}

struct lx_timespec os_time_of_day(const struct os *os)
{
	struct lx_timespec t = from_cycles(os, os->ticks);
	t.sec += (int64_t)os->epoch;
	return t;
}

/* Clocks 0..11 except 10, which Linux dropped; negative ones are CPU times of a process or a
 * thread, with its number in their upper bits. */
bool clock_known(const struct os *os, int id)
{
	if (id >= 0)
		return id <= LX_CLOCK_TAI && id != 10;
	const uint32_t who = ~(uint32_t)(id >> 3);
	return (id & 3) < 3 && (!who || (id & 4 ? os_thread_find(os, who) >= 0 : who == GUEST_PID));
}

/* CPU time of the process, or of a thread: cycles in which it had the hart. */
static uint64_t clock_ticks(const struct call *c, int id)
{
	enum { PROCESS_CPU = 2, THREAD_CPU };
	const uint32_t who = ~(uint32_t)(id >> 3);
	if (id >= 0 ? id == THREAD_CPU : id & 4)
		return os_thread_cycles(c->os,
		                        id < 0 && who ? (unsigned)os_thread_find(c->os, who)
		                                      : c->st->running,
		                        c->h->cycle);
	return id < 0 || id == PROCESS_CPU ? c->h->cycle : hart_ticks(c->h);
}

bool is_wall_clock(int id)
{
	return id == LX_CLOCK_REALTIME || id == LX_CLOCK_REALTIME_COARSE || id == 8 ||
	       id == LX_CLOCK_TAI;
}

int64_t sys_clock_gettime(struct call *c)
{
	int id = (int)c->a[0];
	if (!clock_known(c->os, id))
		return -EINVAL;
	struct lx_timespec t =
		is_wall_clock(id) ? time_of_day(c) : from_cycles(c->os, clock_ticks(c, id));
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

uint64_t nsec_of_timespec(struct lx_timespec t)
{
	if ((uint64_t)t.sec >= OS_TIME_MAX / LX_NSEC)
		return OS_TIME_MAX;
	return (uint64_t)t.sec * LX_NSEC + (uint64_t)t.nsec;
}

uint64_t time_cycles(const struct os *os, uint64_t nsec)
{
	const unsigned __int128 cycles =
		((unsigned __int128)nsec * os->clock_hz + LX_NSEC - 1) / LX_NSEC;
	return cycles < OS_TIME_MAX ? (uint64_t)cycles : OS_TIME_MAX;
}

uint64_t time_nsec(const struct os *os, uint64_t cycles)
{
	const unsigned __int128 nsec = (unsigned __int128)cycles * LX_NSEC / os->clock_hz;
	return nsec < OS_TIME_MAX ? (uint64_t)nsec : OS_TIME_MAX;
}

uint64_t clock_cycle(const struct os *os, uint64_t nsec, bool wall)
{
	const uint64_t epoch = wall ? os->epoch * LX_NSEC : 0;
	return nsec > epoch ? time_cycles(os, nsec - epoch) : 0;
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
	/* one thread's processor time, which it does not wait for */
	const bool own_thread = id < 0 && (id & 4);
	if (own_thread && guest_span(c->mem, c->a[2], sizeof(struct lx_timespec), PROT_R) ==
	                          sizeof(struct lx_timespec))
		return -EINVAL;
	return sleep_until(c, c->a[2], c->a[3],
	                   !(c->a[1] & ABSOLUTE) ? WAIT_FOR
	                   : is_wall_clock(id)   ? WAIT_TO_WALL
	                                         : WAIT_TO_CLOCK);
}

int64_t sys_times(struct call *c)
{
	enum { TICKS = 100 }; /* per second, as in AT_CLKTCK */
	const struct lx_timespec used = from_cycles(c->os, c->h->cycle), now = time_since_start(c);
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
	struct lx_timespec t = from_cycles(
		c->os,
		who == THREAD ? os_thread_cycles(c->os, c->st->running, c->h->cycle) : c->h->cycle);
	struct lx_rusage r = {0};
	if (who != CHILDREN)
		r.utime = (struct lx_timeval){t.sec, t.nsec / 1000};
	return mem_write(c->mem, c->a[1], &r, sizeof r) ? 0 : -EFAULT;
}
