/* The guest's clocks, derived from simulated cycles only. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/thread.h"

uint64_t hart_ticks(const struct hart *h)
{
	return h->cycle + h->slept;
}

struct lx_timespec ticks_to_time(const struct os *os, uint64_t ticks)
{
	uint64_t sec = ticks / os->clock_hz, rest = ticks % os->clock_hz;
	return (struct lx_timespec){(int64_t)sec,
	                            (int64_t)((unsigned __int128)rest * LX_NSEC / os->clock_hz)};
}

struct lx_timespec time_since_start(const struct call *c)
{
	return ticks_to_time(c->os, hart_ticks(c->h));
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
	struct lx_timespec t = ticks_to_time(os, os->ticks);
	t.sec += (int64_t)os->epoch;
	return t;
}

/* Clocks 0..11 except 10, which Linux dropped; negative ones are CPU times of a process or a
 * thread, with its number in their upper bits. */
bool clock_known(const struct os *os, int id)
{
	if (id >= 0)
		return id <= LX_CLOCK_TAI && id != 10;
	const uint32_t task = ~(uint32_t)(id >> 3);
	return (id & 3) < 3 &&
	       (!task || (id & 4 ? os_thread_find(os, task) >= 0 : task == GUEST_PID));
}

bool is_wall_clock(int id)
{
	return id == LX_CLOCK_REALTIME || id == LX_CLOCK_REALTIME_COARSE || id == 8 ||
	       id == LX_CLOCK_TAI;
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
