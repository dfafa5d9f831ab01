/* eventfd and timerfd: a descriptor holds a count; writes or time raise it, and a read takes it. */
#include "core/os/descriptors.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"

enum { EVENTFD_SEMAPHORE = 1, TIMER_ABSTIME = 1, COUNT_BYTES = 8 };
static const uint64_t most = UINT64_MAX - 1;

int64_t sys_eventfd2(struct call *c)
{
	if (c->a[1] & ~(uint64_t)(EVENTFD_SEMAPHORE | LX_O_CLOEXEC | LX_O_NONBLOCK))
		return -EINVAL;
	const int64_t fd = file_new(c, OS_FILE_EVENT, (uint32_t)c->a[1]);
	if (fd >= 0) {
		struct os_file *f = fd_file(c->st, (int)fd);
		f->count = (uint32_t)c->a[0];
		f->mode = c->a[1] & EVENTFD_SEMAPHORE;
	}
	return fd;
}

/* ---- timers: count is the tick of the next expiry, 0: never; offset the ticks between expiries,
 * 0: it expires once ---- */
static uint64_t event_timer_expirations(const struct os_file *f, uint64_t now)
{
	if (!f->count || f->count > now)
		return 0;
	return 1 + (f->offset ? (now - f->count) / (uint64_t)f->offset : 0);
}

int64_t sys_timerfd_create(struct call *c)
{
	enum { BOOTTIME = 7, ALARMS = 8 };
	const int clock = (int)c->a[0];
	if ((c->a[1] & ~(uint64_t)(LX_O_CLOEXEC | LX_O_NONBLOCK)) ||
	    (clock != LX_CLOCK_REALTIME && clock != LX_CLOCK_MONOTONIC && clock != BOOTTIME &&
	     clock != ALARMS && clock != ALARMS + 1))
		return -EINVAL;
	if (clock >= ALARMS)
		return -EPERM;
	const int64_t fd = file_new(c, OS_FILE_TIMER, (uint32_t)c->a[1]);
	if (fd >= 0)
		fd_file(c->st, (int)fd)->mode = clock == LX_CLOCK_REALTIME;
	return fd;
}

static struct os_file *event_find_timer_file(struct call *c, int64_t *wrong)
{
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	*wrong = !f ? -EBADF : -EINVAL;
	return f && f->kind == OS_FILE_TIMER ? f : NULL;
}

static bool put_setting(struct call *c, uint64_t at, const struct os_file *f)
{
	const uint64_t now = hart_ticks(c->h), n = event_timer_expirations(f, now);
	uint64_t left = 0;
	if (f->count && (!n || f->offset))
		left = f->count + n * (uint64_t)f->offset - now;
	const struct lx_timespec setting[2] = {ticks_to_time(c->os, (uint64_t)f->offset),
	                                       ticks_to_time(c->os, left)};
	return mem_write(c->mem, at, setting, sizeof setting);
}

int64_t sys_timerfd_gettime(struct call *c)
{
	int64_t wrong;
	const struct os_file *f = event_find_timer_file(c, &wrong);
	if (!f)
		return wrong;
	return put_setting(c, c->a[1], f) ? 0 : -EFAULT;
}

int64_t sys_timerfd_settime(struct call *c)
{
	enum { CANCEL_ON_SET = 2 };
	struct lx_timespec want[2]; /* interval, first expiry */
	uint64_t first;
	int64_t wrong;
	if (!mem_read(c->mem, c->a[2], want, sizeof want))
		return -EFAULT;
	if (c->a[1] & ~(uint64_t)(TIMER_ABSTIME | CANCEL_ON_SET))
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++)
		if (want[i].sec < 0 || want[i].nsec < 0 || want[i].nsec >= LX_NSEC)
			return -EINVAL;
	struct os_file *f = event_find_timer_file(c, &wrong);
	if (!f)
		return wrong;
	const bool absolute = c->a[1] & TIMER_ABSTIME;
	wrong = wait_limit(c, c->a[2] + sizeof *want,
	                   !absolute      ? WAIT_FOR
	                   : f->mode ? WAIT_TO_WALL
	                                  : WAIT_TO_CLOCK,
	                   &first);
	if (wrong < 0)
		return wrong;
	if (c->a[3] && !put_setting(c, c->a[3], f))
		return -EFAULT;
	const uint64_t every = time_to_ticks(c->os, &want[0]);
	f->count = want[1].sec || want[1].nsec ? (first ? first : 1) : 0;
	f->offset = (int64_t)every;
	f->listing = ++c->st->fd_changes;
	return 0;
}

/* ---- both ---- */
int event_ready(struct call *c, const struct os_file *f)
{
	const uint64_t now = hart_ticks(c->h);
	if (f->kind == OS_FILE_EVENT)
		return (f->count ? LX_POLLIN : 0) | (f->count < most ? LX_POLLOUT : 0);
	if (event_timer_expirations(f, now))
		return LX_POLLIN;
	if (f->count && f->count < c->wakes)
		c->wakes = f->count;
	return 0;
}

uint64_t event_stamp(struct call *c, const struct os_file *f)
{
	enum { MUCH = 1000003 }; /* more than the expirations that pile up between two reads */
	return f->listing * MUCH +
	       (f->kind == OS_FILE_TIMER ? event_timer_expirations(f, hart_ticks(c->h)) : 0);
}

int64_t event_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count)
{
	const uint64_t now = hart_ticks(c->h);
	const bool timer = f->kind == OS_FILE_TIMER;
	uint64_t value = timer                 ? event_timer_expirations(f, now)
	                 : f->mode && f->count ? 1
	                                       : f->count;
	if (!count || v[0].len < COUNT_BYTES)
		return -EINVAL;
	if (!value && (f->flags & LX_O_NONBLOCK))
		return -EAGAIN;
	if (!value)
		return event_ready(c, f),
		       thread_wait_again(c, OS_WAIT_EVENT, c->a[0], 0, OS_NEVER);
	if (!mem_write(c->mem, v[0].base, &value, sizeof value))
		return -EFAULT;
	if (!timer)
		f->count -= value;
	else
		f->count = f->offset ? f->count + value * (uint64_t)f->offset : 0;
	f->listing = ++c->st->fd_changes;
	return COUNT_BYTES;
}

int64_t event_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count)
{
	uint64_t more;
	if (f->kind == OS_FILE_TIMER || !count || v[0].len < COUNT_BYTES)
		return -EINVAL;
	if (!mem_read(c->mem, v[0].base, &more, sizeof more))
		return -EFAULT;
	if (more == UINT64_MAX)
		return -EINVAL;
	if (more > most - f->count)
		return f->flags & LX_O_NONBLOCK
		               ? -EAGAIN
		               : thread_wait_again(c, OS_WAIT_EVENT, c->a[0], 1, OS_NEVER);
	f->count += more;
	f->listing = ++c->st->fd_changes;
	return COUNT_BYTES;
}
