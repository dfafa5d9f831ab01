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
static bool clock_known(int id)
{
	return id < 0 || (id <= LX_CLOCK_TAI && id != 10);
}

static bool is_wall_clock(int id)
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

/* Nobody else runs meanwhile: sleeping is over at once and takes no simulated time. */
static int64_t sleep_for(struct call *c, uint64_t request)
{
	int64_t limit = wait_limit(c, request);
	return request == 0 ? -EFAULT : limit < 0 ? limit : 0;
}

int64_t sys_nanosleep(struct call *c)
{
	return sleep_for(c, c->a[0]);
}

int64_t sys_clock_nanosleep(struct call *c)
{
	return clock_known((int)c->a[0]) ? sleep_for(c, c->a[2]) : -EINVAL;
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

/* No timer runs: nobody could be told that it is over. */
int64_t sys_getitimer(struct call *c)
{
	static const struct lx_timeval none[2];
	if (c->a[0] > LX_ITIMER_PROF)
		return -EINVAL;
	return mem_write(c->mem, c->a[1], none, sizeof none) ? 0 : -EFAULT;
}

int64_t sys_setitimer(struct call *c)
{
	struct lx_timeval want[2] = {0};
	if (c->a[0] > LX_ITIMER_PROF)
		return -EINVAL;
	if (c->a[1] && !mem_read(c->mem, c->a[1], want, sizeof want))
		return -EFAULT;
	if (want[1].sec || want[1].usec) {
		os_warnf(c->os, "the guest sets a timer: refused (ENOSYS), signals come only from "
		                "the guest itself");
		return -ENOSYS;
	}
	return c->a[2] ? sys_getitimer(&(struct call){.mem = c->mem, .a = {c->a[0], c->a[2]}}) : 0;
}
