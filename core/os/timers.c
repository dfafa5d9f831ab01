/* Timers, in simulated time: setitimer, timer_create and related calls. An expired timer sends its
 * signal; the machine decides when to check for that (os_signals_due()). */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

static const uint8_t itimer_signal[OS_ITIMERS] = {LX_SIGALRM, LX_SIGVTALRM, LX_SIGPROF};

/* Time that a clock shows. */
static uint64_t clock_now(const struct signal_process *p, unsigned clock, uint64_t now)
{
	return clock == TIMER_CPU ? now - p->idle : now;
}

/* Tick in which the timer expires if the program doesn't wait until then. */
static uint64_t timers_expiry_tick(const struct signal_process *p, const struct os_timer *t)
{
	return t->clock == TIMER_CPU ? t->expires + p->idle : t->expires;
}

static void timers_update_earliest(const struct signal_process *p, const struct os_timer *t,
                                   uint64_t *next)
{
	if (t->expires && (!*next || timers_expiry_tick(p, t) < *next))
		*next = timers_expiry_tick(p, t);
}

void timers_changed(struct signal_process *p)
{
	p->next = 0;
	for (unsigned i = 0; i < OS_ITIMERS; i++)
		timers_update_earliest(p, &p->itimer[i], &p->next);
	for (unsigned i = 0; i < OS_TIMERS; i++)
		timers_update_earliest(p, &p->timer[i], &p->next);
}

uint64_t timers_next_real(const struct signal_process *p)
{
	uint64_t next = 0;
	for (unsigned i = 0; i < OS_ITIMERS; i++)
		if (p->itimer[i].clock == TIMER_REAL)
			timers_update_earliest(p, &p->itimer[i], &next);
	for (unsigned i = 0; i < OS_TIMERS; i++)
		if (p->timer[i].clock == TIMER_REAL)
			timers_update_earliest(p, &p->timer[i], &next);
	return next;
}

/* Number of expiries by now; moves the timer to its next expiry, or stops it. */
static uint64_t timers_expire_timer(struct os *os, struct os_timer *t, uint64_t now)
{
	const uint64_t at = clock_now(&os->st->signals, t->clock, now);
	if (!t->expires || t->expires > at)
		return 0;
	const uint64_t every = t->interval ? time_cycles(os, t->interval) : 0;
	if (!every) {
		t->expires = 0;
		return 1;
	}
	const uint64_t times = (at - t->expires) / every + 1;
	t->expires += times * every;
	t->expires = t->expires < OS_TIME_MAX ? t->expires : OS_TIME_MAX;
	return times;
}

static uint32_t timers_saturating_add(uint32_t a, uint64_t b)
{
	return b > INT32_MAX - (uint64_t)a ? INT32_MAX : a + (uint32_t)b;
}

static void expire_timer(struct os *os, unsigned id, uint64_t now)
{
	struct os_timer *t = &os->st->signals.timer[id];
	const uint64_t times = t->used ? timers_expire_timer(os, t, now) : 0;
	if (!times || !t->signo)
		return;
	if (t->sent) {
		t->overruns = timers_saturating_add(t->overruns, times);
		return;
	}
	const struct signal_info info = {
		.signo = t->signo, .code = LX_SI_TIMER, .word = {id, t->value}};
	struct signal_thread *to = t->tid ? signal_thread_of(os->st, t->tid) : NULL;
	if (t->tid && !to)
		return;
	t->overruns = timers_saturating_add(0, times - 1);
	t->sent = 1;
	if (signal_send(os, to, &info) < 0 || !signal_is_sent(os->st, to, t->signo))
		t->sent = 0;
}

void timers_run(struct os *os, uint64_t now)
{
	struct signal_process *p = &os->st->signals;
	if (!p->next || now < p->next)
		return;
	for (unsigned i = 0; i < OS_ITIMERS; i++) {
		const struct signal_info info = {.signo = itimer_signal[i], .code = LX_SI_KERNEL};
		if (timers_expire_timer(os, &p->itimer[i], now))
			signal_send(os, NULL, &info);
	}
	for (unsigned i = 0; i < OS_TIMERS; i++)
		expire_timer(os, i, now);
	timers_changed(p);
}

static void timers_arm_timer(struct call *c, struct os_timer *t, uint64_t expires,
                             uint64_t interval)
{
	t->expires = expires < OS_TIME_MAX ? expires : OS_TIME_MAX;
	t->interval = interval;
	timers_changed(c->signals);
}

/* Nanoseconds until the timer expires, 0: it does not run. */
static uint64_t timers_remaining_ns(const struct call *c, const struct os_timer *t)
{
	const uint64_t now = clock_now(c->signals, t->clock, c->os->ticks);
	if (!t->expires)
		return 0;
	const uint64_t left = t->expires > now ? time_nsec(c->os, t->expires - now) : 0;
	return left ? left : 1;
}

/* ---- interval timers ---- */

enum { USEC = 1000000, NSEC_OF_USEC = 1000 };

static struct lx_timeval timeval_of(uint64_t nsec)
{
	const uint64_t usec = (nsec + NSEC_OF_USEC - 1) / NSEC_OF_USEC;
	return (struct lx_timeval){(int64_t)(usec / USEC), (int64_t)(usec % USEC)};
}

static bool is_valid(const struct lx_timeval *t)
{
	return t->sec >= 0 && t->usec >= 0 && t->usec < USEC;
}

static uint64_t nsec_of_timeval(const struct lx_timeval *t)
{
	return nsec_of_timespec((struct lx_timespec){t->sec, t->usec * NSEC_OF_USEC});
}

static void itimer_read(const struct call *c, const struct os_timer *t, struct lx_timeval out[2])
{
	out[0] = timeval_of(t->interval);
	out[1] = timeval_of(timers_remaining_ns(c, t));
}

int64_t sys_getitimer(struct call *c)
{
	struct lx_timeval now[2];
	if ((uint32_t)c->a[0] > LX_ITIMER_PROF)
		return -EINVAL;
	itimer_read(c, &c->signals->itimer[(uint32_t)c->a[0]], now);
	return mem_write(c->mem, c->a[1], now, sizeof now) ? 0 : -EFAULT;
}

int64_t sys_setitimer(struct call *c)
{
	struct lx_timeval want[2] = {0}, old[2];
	const uint32_t which = (uint32_t)c->a[0];
	if (c->a[1] && !mem_read(c->mem, c->a[1], want, sizeof want))
		return -EFAULT;
	if (!is_valid(&want[0]) || !is_valid(&want[1]) || which > LX_ITIMER_PROF)
		return -EINVAL;
	struct os_timer *t = &c->signals->itimer[which];
	itimer_read(c, t, old);
	t->clock = which ? TIMER_CPU : TIMER_REAL;
	const uint64_t nsec = nsec_of_timeval(&want[1]);
	timers_arm_timer(
		c, t,
		nsec ? clock_now(c->signals, t->clock, c->os->ticks) + time_cycles(c->os, nsec) : 0,
		nsec_of_timeval(&want[0]));
	return c->a[2] && !mem_write(c->mem, c->a[2], old, sizeof old) ? -EFAULT : 0;
}

/* ---- timers by number ---- */

static struct os_timer *timers_find_timer(struct call *c, uint64_t id)
{
	return (uint32_t)id < OS_TIMERS && c->signals->timer[(uint32_t)id].used
	               ? &c->signals->timer[(uint32_t)id]
	               : NULL;
}

/* Linux has no timers on coarse or raw clocks. */
static int64_t timer_clock_of(const struct call *c, int id, uint8_t *clock)
{
	enum { RAW = 4, MONOTONIC_COARSE = 6, REALTIME_ALARM = 8, BOOTTIME_ALARM = 9 };
	if (!clock_known(c->os, id))
		return -EINVAL;
	if (id == RAW || id == LX_CLOCK_REALTIME_COARSE || id == MONOTONIC_COARSE)
		return -EOPNOTSUPP;
	if (id == REALTIME_ALARM || id == BOOTTIME_ALARM)
		return -EPERM;
	const bool cpu = id < 0 || id == LX_CLOCK_PROCESS_CPUTIME || id == LX_CLOCK_THREAD_CPUTIME;
	*clock = cpu ? TIMER_CPU : TIMER_REAL;
	return 0;
}

/* Reads a sigevent of the hart's instruction set. */
static bool timers_read_sigevent(const struct call *c, uint64_t at, struct lx_sigevent *ev)
{
	struct lx_sigevent32 narrow;
	if (c->h->isa != ISA_RV32GC)
		return mem_read(c->mem, at, ev, sizeof *ev);
	if (!mem_read(c->mem, at, &narrow, sizeof narrow))
		return false;
	*ev = (struct lx_sigevent){.value = narrow.value,
	                           .signo = narrow.signo,
	                           .notify = narrow.notify,
	                           .tid = narrow.tid};
	return true;
}

int64_t sys_timer_create(struct call *c)
{
	struct lx_sigevent ev = {.signo = LX_SIGALRM, .notify = LX_SIGEV_SIGNAL};
	struct os_timer t = {.used = 1};
	int32_t id = 0;
	if (c->a[1] && !timers_read_sigevent(c, c->a[1], &ev))
		return -EFAULT;
	int64_t ret = timer_clock_of(c, (int)c->a[0], &t.clock);
	if (ret < 0)
		return ret;
	const bool to_thread = ev.notify & LX_SIGEV_THREAD_ID;
	if (ev.notify < LX_SIGEV_SIGNAL || ev.notify == 3 || ev.notify > LX_SIGEV_THREAD_ID)
		return -EINVAL;
	if (to_thread && !signal_thread_of(c->st, ev.tid))
		return -EINVAL;
	if (ev.notify != LX_SIGEV_NONE && (ev.signo < 1 || ev.signo >= OS_SIGNALS))
		return -EINVAL;
	while (id < OS_TIMERS && c->signals->timer[id].used)
		id++;
	if (id == OS_TIMERS)
		return -EAGAIN;
	if (!mem_write(c->mem, c->a[2], &id, sizeof id))
		return -EFAULT;
	t.value = c->a[1] ? ev.value : (uint64_t)id;
	t.signo = ev.notify == LX_SIGEV_NONE ? 0 : (uint8_t)ev.signo;
	t.tid = to_thread ? ev.tid : 0;
	/* Linux keeps the kind of clock for absolute times */
	t.wall = is_wall_clock((int)c->a[0]);
	c->signals->timer[id] = t;
	return 0;
}

static void timer_read(const struct call *c, const struct os_timer *t, struct lx_timespec out[2])
{
	const uint64_t value[2] = {t->interval, timers_remaining_ns(c, t)};
	for (unsigned i = 0; i < 2; i++)
		out[i] = (struct lx_timespec){(int64_t)(value[i] / LX_NSEC),
		                              (int64_t)(value[i] % LX_NSEC)};
}

int64_t sys_timer_gettime(struct call *c)
{
	struct lx_timespec now[2];
	const struct os_timer *t = timers_find_timer(c, c->a[0]);
	if (!t)
		return -EINVAL;
	timer_read(c, t, now);
	return mem_write(c->mem, c->a[1], now, sizeof now) ? 0 : -EFAULT;
}

static bool is_time(const struct lx_timespec *t)
{
	return t->sec >= 0 && t->nsec >= 0 && t->nsec < LX_NSEC;
}

int64_t sys_timer_settime(struct call *c)
{
	struct lx_timespec want[2], old[2];
	if (!c->a[2])
		return -EINVAL;
	if (!mem_read(c->mem, c->a[2], want, sizeof want))
		return -EFAULT;
	struct os_timer *t = timers_find_timer(c, c->a[0]);
	if (!is_time(&want[0]) || !is_time(&want[1]) || !t)
		return -EINVAL;
	timer_read(c, t, old);
	const uint64_t nsec = nsec_of_timespec(want[1]);
	const uint64_t now = clock_now(c->signals, t->clock, c->os->ticks);
	uint64_t expires = now + time_cycles(c->os, nsec);
	if (c->a[1] & LX_TIMER_ABSTIME) {
		const uint64_t at = clock_cycle(c->os, nsec, t->wall);
		expires = at > now ? at : now + 1;
	}
	t->overruns = t->told = t->sent = 0;
	timers_arm_timer(c, t, nsec ? expires : 0, nsec_of_timespec(want[0]));
	return c->a[3] && !mem_write(c->mem, c->a[3], old, sizeof old) ? -EFAULT : 0;
}

int64_t sys_timer_getoverrun(struct call *c)
{
	const struct os_timer *t = timers_find_timer(c, c->a[0]);
	return t ? (int64_t)t->told : -EINVAL;
}

int64_t sys_timer_delete(struct call *c)
{
	struct os_timer *t = timers_find_timer(c, c->a[0]);
	if (!t)
		return -EINVAL;
	*t = (struct os_timer){0};
	timers_changed(c->signals);
	return 0;
}
