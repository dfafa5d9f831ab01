/* Time, made of simulated cycles alone. */
#include "core/os/os_priv.h"

/* cycles as nanoseconds, without losing any on the way */
static struct lx_timespec from_cycles(const struct os *os, uint64_t cycles)
{
	uint64_t sec = cycles / os->clock_hz, rest = cycles % os->clock_hz;
	return (struct lx_timespec){(int64_t)sec,
	                            (int64_t)((unsigned __int128)rest * LX_NSEC / os->clock_hz)};
}

struct lx_timespec time_since_start(const struct call *c)
{
	return from_cycles(c->os, c->h->cycle);
}

struct lx_timespec time_of_day(const struct call *c)
{
	return os_time_of_day(c->os);
}

struct lx_timespec os_time_of_day(const struct os *os)
{
	struct lx_timespec t = from_cycles(os, os->now);
	t.sec += (int64_t)os->epoch;
	return t;
}

/* Numbered clocks 0..11 but 10, which Linux gave up; the negative ones are CPU times of this
 * process. */
bool clock_known(int id)
{
	return id < 0 || (id <= LX_CLOCK_TAI && id != 10);
}

bool is_wall_clock(int id)
{
	return id == LX_CLOCK_REALTIME || id == LX_CLOCK_REALTIME_COARSE || id == 8 ||
	       id == LX_CLOCK_TAI;
}

int64_t sys_clock_gettime(struct call *c)
{
	int id = (int)c->a[0];
	if (!clock_known(id))
		return -EINVAL;
	struct lx_timespec t = is_wall_clock(id) ? time_of_day(c) : time_since_start(c);
	return mem_write(c->mem, c->a[1], &t, sizeof t) ? 0 : -EFAULT;
}

int64_t sys_clock_getres(struct call *c)
{
	if (!clock_known((int)c->a[0]))
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

/* Nobody else runs meanwhile: where no timer does, either, sleeping is over at once. `until` is an
 * absolute one's end. */
static int64_t sleep_for(struct call *c, uint64_t request, uint64_t rest, const uint64_t *until)
{
	int64_t limit = wait_limit(c, request);
	if (request == 0 || limit < 0)
		return request == 0 ? -EFAULT : limit;
	const uint64_t end = until ? *until : wait_deadline(c, request);
	int64_t ret = wait_for(c, &(struct wait){.limited = true,
	                                         .deadline = end,
	                                         .interrupted = -EINTR,
	                                         .what = OS_WAIT_SIGNAL});
	if (ret == -EINTR && rest && !until) {
		const struct lx_timespec left =
			from_cycles(c->os, end > c->os->now ? end - c->os->now : 0);
		if (!mem_write(c->mem, rest, &left, sizeof left))
			return -EFAULT;
	}
	return ret;
}

int64_t sys_nanosleep(struct call *c)
{
	return sleep_for(c, c->a[0], c->a[1], NULL);
}

int64_t sys_clock_nanosleep(struct call *c)
{
	struct lx_timespec t;
	if (!clock_known((int)c->a[0]))
		return -EINVAL;
	if (!(c->a[1] & LX_TIMER_ABSTIME) || !mem_read(c->mem, c->a[2], &t, sizeof t))
		return sleep_for(c, c->a[2], c->a[3], NULL);
	const uint64_t end = t.sec < 0 ? 0
	                               : clock_cycle(c->os, nsec_of_timespec(t),
	                                             is_wall_clock((int)c->a[0]));
	return sleep_for(c, c->a[2], 0, &end);
}

int64_t sys_times(struct call *c)
{
	enum { TICKS = 100 }; /* a second, as AT_CLKTCK says */
	struct lx_timespec t = time_since_start(c);
	struct lx_tms tms = {.utime = t.sec * TICKS + t.nsec / (LX_NSEC / TICKS)};
	if (c->a[0] && !mem_write(c->mem, c->a[0], &tms, sizeof tms))
		return -EFAULT;
	return tms.utime;
}

int64_t sys_getrusage(struct call *c)
{
	enum { SELF = 0, CHILDREN = -1, THREAD = 1 };
	int who = (int)c->a[0];
	if (who != SELF && who != CHILDREN && who != THREAD)
		return -EINVAL;
	struct lx_timespec t = time_since_start(c);
	struct lx_rusage r = {0};
	if (who != CHILDREN)
		r.utime = (struct lx_timeval){t.sec, t.nsec / 1000};
	return mem_write(c->mem, c->a[1], &r, sizeof r) ? 0 : -EFAULT;
}
