/* Waiting. The guest is alone: whatever it waits for is there already, comes from a timer of its
 * own, when its time limit has passed (at once if no timer runs: waiting takes no simulated time
 * then), or never comes, and then the program is over. */
#include <stdio.h>

#include "core/os/os_priv.h"

int64_t wait_forever(struct call *c, enum os_wait what, uint64_t a, uint64_t b)
{
	c->st->waits = (uint8_t)what;
	c->st->wait_for[0] = a;
	c->st->wait_for[1] = b;
	return (int64_t)c->a[0]; /* it does not return: nothing changes */
}

int64_t wait_limit(struct call *c, uint64_t at)
{
	struct lx_timespec t;
	if (!at)
		return 0;
	if (!mem_read(c->mem, at, &t, sizeof t))
		return -EFAULT;
	return t.sec < 0 || t.nsec < 0 || t.nsec >= LX_NSEC ? -EINVAL : 1;
}

uint64_t wait_deadline(const struct call *c, uint64_t at)
{
	struct lx_timespec t = {0};
	if (c->thread->waits || !at)
		return c->thread->deadline;
	mem_read(c->mem, at, &t, sizeof t);
	const uint64_t deadline = c->os->now + time_cycles(c->os, nsec_of_timespec(t));
	return deadline < OS_TIME_MAX ? deadline : OS_TIME_MAX;
}

int64_t wait_for(struct call *c, const struct wait *w)
{
	struct signal_thread *t = c->thread;
	uint64_t wakes = timers_next_real(c->signals);
	if (signal_wanted(t, c->signals))
		return w->interrupted;
	if (w->limited && ((!wakes && !t->waits) || w->deadline <= c->os->now))
		return w->late;
	if (!w->limited && !wakes)
		return wait_forever(c, w->what, w->a, w->b);
	t->deadline = w->limited ? w->deadline : 0;
	t->wakes = w->limited && (!wakes || w->deadline < wakes) ? w->deadline : wakes;
	t->waits = 1;
	c->sleeps = true;
	return 0;
}

char *os_wait_text(const struct os_state *st, char *buf, size_t n)
{
	unsigned long long a = st->wait_for[0], b = st->wait_for[1];
	switch ((enum os_wait)st->waits) {
	case OS_WAIT_NONE:
		snprintf(buf, n, "it waits for nothing");
		break;
	case OS_WAIT_FUTEX:
		snprintf(buf, n,
		         "it waits for the futex at 0x%llx to change from %llu, and has no other "
		         "thread that could",
		         a, b);
		break;
	case OS_WAIT_SIGNAL:
		snprintf(buf, n, "it waits for a signal, and nobody is there to send one");
		break;
	case OS_WAIT_FDS:
		snprintf(buf, n,
		         "it waits without limit for %llu descriptors of which none can become "
		         "ready",
		         a);
		break;
	case OS_WAIT_PIPE_READ:
		snprintf(buf, n,
		         "it reads an empty pipe, descriptor %llu, that it alone could write to",
		         a);
		break;
	case OS_WAIT_PIPE_WRITE:
		snprintf(buf, n,
		         "it writes %llu bytes to a pipe, descriptor %llu, that is too full and "
		         "that it alone could read",
		         b, a);
		break;
	}
	return buf;
}

/* ---- futex ---- */

static int64_t futex_wait(struct call *c)
{
	uint64_t now;
	int64_t limit = wait_limit(c, c->a[3]);
	if (limit < 0)
		return limit;
	if (!mem_load(c->mem, c->a[0], 4, &now))
		return -EFAULT;
	if ((uint32_t)now != (uint32_t)c->a[2])
		return -EAGAIN;
	return wait_for(c, &(struct wait){.limited = limit,
	                                  .deadline = wait_deadline(c, c->a[3]),
	                                  .late = -ETIMEDOUT,
	                                  .interrupted = limit ? -EINTR : LX_RESTART_SYS,
	                                  .what = OS_WAIT_FUTEX,
	                                  .a = c->a[0],
	                                  .b = (uint32_t)now});
}

int64_t sys_futex(struct call *c)
{
	if (c->a[0] & 3)
		return -EINVAL;
	switch ((int)c->a[1] & LX_FUTEX_CMD_MASK) {
	case LX_FUTEX_WAIT_BITSET:
		return (uint32_t)c->a[5] ? futex_wait(c) : -EINVAL;
	case LX_FUTEX_WAIT:
		return futex_wait(c);
	case LX_FUTEX_WAKE:
	case LX_FUTEX_WAKE_BITSET:
	case LX_FUTEX_REQUEUE:
	case LX_FUTEX_CMP_REQUEUE:
	case LX_FUTEX_WAKE_OP:
		return 0; /* nobody waits */
	default:
		os_warnf(c->os, "futex operation %d is not implemented: ENOSYS",
		         (int)(c->a[1] & 127));
		return -ENOSYS;
	}
}

/* ---- poll and select ---- */

/* What can be done with a descriptor without waiting. Standard input counts as readable: a read of
 * it asks the host. */
static int ready(const struct os_state *st, const struct os_file *f)
{
	enum { IN = LX_POLLIN | LX_POLLRDNORM, OUT = LX_POLLOUT | LX_POLLWRNORM };
	switch (f->kind) {
	case OS_FILE_STDIN:
		return IN;
	case OS_FILE_STDOUT:
	case OS_FILE_STDERR:
		return OUT;
	case OS_FILE_PIPE_READ:
	case OS_FILE_PIPE_WRITE:
		return pipe_ready(st, f);
	default:
		return IN | OUT;
	}
}

/* With nothing ready: signals that the call's own mask lets through, then the time limit, at a
 * place in memory. */
static int64_t wait_in_vain(struct call *c, bool masked, uint64_t mask, uint64_t limit,
                            uint64_t fds)
{
	if (masked)
		signal_mask_for_call(c, mask);
	return wait_for(c, &(struct wait){.limited = limit != 0,
	                                  .deadline = wait_deadline(c, limit),
	                                  .interrupted = -EINTR,
	                                  .what = fds ? OS_WAIT_FDS : OS_WAIT_SIGNAL,
	                                  .a = fds});
}

int64_t sys_ppoll(struct call *c)
{
	uint64_t n = (uint32_t)c->a[1], mask = 0, watched = 0;
	int64_t limit = wait_limit(c, c->a[2]), count = 0;
	if (limit < 0)
		return limit;
	if (n > OS_FDS || (c->a[3] && c->a[4] != sizeof mask))
		return -EINVAL;
	if (c->a[3] && !mem_read(c->mem, c->a[3], &mask, sizeof mask))
		return -EFAULT;
	struct lx_pollfd p[OS_FDS];
	if (!mem_read(c->mem, c->a[0], p, n * sizeof *p))
		return -EFAULT;
	for (uint64_t i = 0; i < n; i++) {
		const struct os_file *f = fd_file(c->st, p[i].fd);
		p[i].revents = 0;
		if (p[i].fd < 0)
			continue;
		watched++;
		if (!f)
			p[i].revents = LX_POLLNVAL;
		else
			p[i].revents = (int16_t)(ready(c->st, f) &
			                         (p[i].events | LX_POLLERR | LX_POLLHUP));
		count += p[i].revents != 0;
	}
	if (!mem_write(c->mem, c->a[0], p, n * sizeof *p))
		return -EFAULT;
	return count ? count : wait_in_vain(c, c->a[3] != 0, mask, c->a[2], watched);
}

/* The sixth argument: a pointer to the mask and its size; false on a fault. */
static bool select_mask(struct call *c, bool *masked, uint64_t *mask)
{
	uint64_t where[2] = {0};
	if (c->a[5] && !mem_read(c->mem, c->a[5], where, sizeof where))
		return false;
	*masked = where[0] != 0;
	return !*masked || mem_read(c->mem, where[0], mask, sizeof *mask);
}

int64_t sys_pselect6(struct call *c)
{
	static const int wants[3] = {LX_POLLIN | LX_POLLHUP | LX_POLLERR, LX_POLLOUT | LX_POLLERR,
	                             LX_POLLPRI};
	uint64_t sets[3] = {0}, found[3] = {0}, mask = 0, watched = 0;
	int64_t limit = wait_limit(c, c->a[4]), count = 0;
	bool masked;
	static_assert(OS_FDS == 64, "a set is one word");
	if ((int)c->a[0] < 0)
		return -EINVAL;
	if (limit < 0)
		return limit;
	uint64_t n = (uint32_t)c->a[0] < OS_FDS ? (uint32_t)c->a[0] : OS_FDS;
	for (unsigned k = 0; k < 3; k++)
		if (c->a[1 + k] && !mem_read(c->mem, c->a[1 + k], &sets[k], (n + 7) / 8))
			return -EFAULT;
	if (!select_mask(c, &masked, &mask))
		return -EFAULT;
	for (unsigned fd = 0; fd < n; fd++) {
		const struct os_file *f = fd_file(c->st, (int)fd);
		for (unsigned k = 0; k < 3; k++) {
			uint64_t bit = UINT64_C(1) << fd;
			if (!(sets[k] & bit))
				continue;
			if (!f)
				return -EBADF;
			watched++;
			found[k] |= ready(c->st, f) & wants[k] ? bit : 0;
			count += (found[k] & bit) != 0;
		}
	}
	int64_t ret = count ? count : wait_in_vain(c, masked, mask, c->a[4], watched);
	for (unsigned k = 0; k < 3 && ret >= 0 && !c->st->waits && !c->sleeps; k++)
		if (c->a[1 + k] && !mem_write(c->mem, c->a[1 + k], &found[k], (n + 7) / 8))
			return -EFAULT;
	return ret;
}
