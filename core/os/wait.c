/* Waits: their time limits, and how the running thread begins one. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

int64_t wait_limit(struct call *c, uint64_t at, enum wait_limit how, uint64_t *deadline)
{
	struct lx_timespec t;
	*deadline = OS_NEVER;
	if (!at)
		return 0;
	if (!mem_read(c->mem, at, &t, sizeof t))
		return -EFAULT;
	if (t.sec < 0 || t.nsec < 0 || t.nsec >= LX_NSEC)
		return -EINVAL;
	const struct os_thread *thread = thread_now(c->st);
	if (thread->again) {
		*deadline = thread->limit;
		return 1;
	}
	if (how == WAIT_TO_WALL) {
		t.sec -= (int64_t)c->os->epoch;
		if (t.sec < 0)
			t = (struct lx_timespec){0, 0};
	}
	*deadline = time_to_ticks(c->os, &t);
	if (how == WAIT_FOR)
		*deadline += hart_ticks(c->h);
	if (*deadline > RANGE_TIME)
		*deadline = RANGE_TIME;
	return 1;
}

int64_t thread_interrupted_result(const struct os_thread *t)
{
	switch ((enum os_wait)t->waits) {
	case OS_WAIT_FUTEX:
		return t->deadline == OS_NEVER ? LX_RESTART_SYS : -EINTR;
	case OS_WAIT_PIPE_READ:
	case OS_WAIT_PIPE_WRITE:
	case OS_WAIT_EVENT:
		return LX_RESTART_SYS;
	default:
		return -EINTR;
	}
}

bool thread_is_signalled(const struct os_state *st, const struct os_thread *t)
{
	return signal_wanted(&t->signals, &st->signals);
}

int64_t thread_wait(struct call *c, enum os_wait what, uint64_t a, uint64_t b, uint64_t deadline)
{
	struct os_thread *t = thread_now(c->st);
	t->state = THREAD_WAITS;
	t->waits = (uint8_t)what;
	t->wait_for[0] = a;
	t->wait_for[1] = b;
	t->deadline = deadline;
	t->turn = ++c->st->turns;
	t->again = 0;
	if (thread_is_signalled(c->st, t)) {
		const int64_t ret = thread_interrupted_result(t);
		thread_ready(c->st, t);
		return ret;
	}
	return (int64_t)c->a[0]; /* the call has not returned yet: keep its argument */
}

int64_t thread_wait_again(struct call *c, enum os_wait what, uint64_t a, uint64_t b,
                          uint64_t limit)
{
	const uint64_t wakes = limit < c->wakes ? limit : c->wakes;
	int64_t ret = thread_wait(c, what, a, b, wakes);
	struct os_thread *t = thread_now(c->st);
	if (t->state == THREAD_WAITS)
		t->again = 1;
	t->limit = limit;
	t->seen = c->st->fd_changes;
	return ret;
}
