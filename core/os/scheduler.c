/* Gives the hart to threads: they wait, are woken, and take turns (thread.h). There are few
 * threads: a search goes through all of them. */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"
#include "core/os/thread.h"

/* ---- the next thread ---- */
/* Whether the thread could run, or go on with its call. */
static bool scheduler_thread_is_due(const struct os_state *st, const struct os_thread *t,
                                    uint64_t now)
{
	if (t->state != THREAD_WAITS)
		return t->state == THREAD_READY;
	return t->deadline <= now || (t->again && t->seen != st->fd_changes) ||
	       (t->waits == OS_WAIT_SIGNAL &&
	        ((t->signals.pending.set | st->signals.pending.set) & t->wait_for[0])) ||
	       thread_is_signalled(st, t);
}

/* held: held threads, too. */
static struct os_thread *scheduler_next_due_thread(struct os_state *st, bool held, uint64_t now)
{
	struct os_thread *first = NULL;
	for (unsigned i = 0; i < OS_THREADS; i++) {
		struct os_thread *t = &st->thread[i];
		if (t->held <= held && scheduler_thread_is_due(st, t, now) &&
		    (!first || t->turn < first->turn))
			first = t;
	}
	return first;
}

static bool scheduler_holds_any(const struct os_state *st)
{
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (st->thread[i].held)
			return true;
	return false;
}

/* The first tick at which a wait ends, or a timer may send a signal. Without held threads also
 * without timers, whose signals may be theirs. */
static uint64_t first_deadline(const struct os_state *st, bool held)
{
	const uint64_t timer =
		held || !scheduler_holds_any(st) ? timers_next_real(&st->signals) : 0;
	uint64_t first = timer ? timer : OS_NEVER;
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (st->thread[i].held <= held && st->thread[i].state == THREAD_WAITS &&
		    st->thread[i].deadline < first)
			first = st->thread[i].deadline;
	return first;
}

/* Ends a wait. A call that is served again computes its own result. */
static void end_wait(struct os_state *st, struct os_thread *t)
{
	if (t->again)
		thread_ready(st, t);
	else
		thread_wake(st, t, t->waits == OS_WAIT_FUTEX ? -ETIMEDOUT : 0);
}

/* ---- giving the hart away ---- */
static void scheduler_save_context(struct os_thread *t, const struct hart *h)
{
	memcpy(t->r, h->r, sizeof t->r);
	t->pc = t->again && t->state == THREAD_WAITS ? h->pc - ECALL_BYTES : h->pc;
	t->fcsr = h->fcsr;
	t->pflags = h->pflags;
	t->pfbase = h->pfbase;
}

/* ended: the thread that had the hart has ended. */
static void scheduler_restore_context(struct os *os, const struct os_thread *t, bool ended,
                                      struct hart *h)
{
	memcpy(h->r, t->r, sizeof t->r);
	h->pc = t->pc;
	h->fcsr = t->fcsr;
	h->pflags = t->pflags;
	h->pfbase = t->pfbase;
	h->reserved = RESERVED_NONE;
	os_goes_on(os, &(struct os_stream){.kind = OS_STREAM_THREAD,
	                                   .ended = ended,
	                                   .pc = h->pc,
	                                   .sp = h->r[REG_SP]});
}

/* Sets the cycle in which the running thread must check for another: the end of its slice, or
 * later, when the first other thread is due. If it is held, it checks as soon as one is due that is
 * not. */
static void scheduler_set_slice_end(struct os *os, const struct hart *h)
{
	struct os_state *st = os->st;
	const bool held = thread_now(st)->held;
	const uint64_t end = st->since + os->slice;
	uint64_t first = OS_NEVER, at_once = OS_NEVER;
	for (unsigned i = 0; i < OS_THREADS; i++) {
		const struct os_thread *t = &st->thread[i];
		uint64_t *earliest = t->held < held ? &at_once : &first;
		if (i == st->running || t->held > held)
			continue;
		if (scheduler_thread_is_due(st, t, hart_ticks(h)))
			*earliest = 0;
		else if (t->state == THREAD_WAITS && t->deadline < *earliest)
			*earliest = t->deadline;
	}
	if (first == OS_NEVER)
		st->slice_end = OS_NEVER;
	else
		st->slice_end = first > h->slept + end ? first - h->slept : end;
	if (at_once == OS_NEVER)
		return;
	at_once = at_once > h->slept + st->since ? at_once - h->slept : st->since;
	if (at_once < st->slice_end)
		st->slice_end = at_once;
}

/* Ends the program: no thread can ever go on. */
static void stop_all(struct os_state *st)
{
	unsigned waiting = 0;
	for (unsigned i = 0; i < OS_THREADS; i++)
		waiting += st->thread[i].state == THREAD_WAITS;
	st->waits = waiting > 1 ? OS_WAIT_THREADS : thread_now(st)->waits;
	memcpy(st->wait_for, thread_now(st)->wait_for, sizeof st->wait_for);
	st->slice_end = OS_NEVER;
}

/* Advances time, since all threads wait, to where one wait may end. False: none ever will. held:
 * as above. */
static bool sleep_on(struct os *os, bool held, struct hart *h)
{
	struct os_state *st = os->st;
	const uint64_t wakes = first_deadline(st, held), now = hart_ticks(h);
	if (wakes == OS_NEVER || now >= RANGE_TIME)
		return false;
	h->slept += wakes > now ? wakes - now : 1;
	st->signals.idle = h->slept;
	timers_changed(&st->signals);
	os->ticks = hart_ticks(h);
	timers_run(os, os->ticks);
	return true;
}

static void tell_rest(struct os *os, struct mem *mem, const struct os_thread *t)
{
	const bool sleeps = t->waits == OS_WAIT_TIME;
	const uint64_t ends = sleeps ? t->deadline : t->limit,
		       left = ends > os->ticks ? ends - os->ticks : 0,
		       at = sleeps                    ? t->wait_for[0]
	                    : t->waits == OS_WAIT_FDS ? t->wait_for[1]
	                                              : 0;
	const struct lx_timespec rest = ticks_to_time(os, left);
	if (at)
		mem_write(mem, at, &rest, sizeof rest);
}

/* Ends the wait of the thread that has got the hart, or lets signals act on it, which may end the
 * wait. */
static void scheduler_resume_thread(struct os *os, struct hart *h, struct mem *mem,
                                    struct os_thread *t, bool ended)
{
	struct os_state *st = os->st;
	const bool waited = t->state == THREAD_WAITS, signalled = thread_is_signalled(st, t);
	struct call c = {.os = os,
	                 .st = st,
	                 .h = h,
	                 .mem = mem,
	                 .thread = &t->signals,
	                 .signals = &st->signals,
	                 .wakes = OS_NEVER};
	if (!waited || !signalled) {
		if (waited)
			end_wait(st, t);
		scheduler_restore_context(os, t, ended, h);
		c.pc = h->pc;
		if (waited && !t->again)
			signal_restore_mask(&t->signals);
		if (signalled && !t->signals.deferred)
			signal_deliver(&c);
		return;
	}
	const int64_t ret = thread_interrupted_result(t);
	tell_rest(os, mem, t);
	scheduler_restore_context(os, t, ended, h);
	c.pc = t->again ? h->pc : h->pc - ECALL_BYTES;
	c.a[0] = h->r[REG_A0];
	h->pc = c.pc + ECALL_BYTES;
	t->again = 0;
	thread_ready(st, t);
	if (ret != LX_RESTART_SYS)
		h->r[REG_A0] = (uint64_t)ret;
	signal_after_call(&c, ret);
}

/* Chooses the next thread; the previous one has been saved, or has ended. */
static void next_thread(struct os *os, struct hart *h, struct mem *mem)
{
	struct os_state *st = os->st;
	struct os_thread *t;
	bool held = false;
	os->ticks = hart_ticks(h);
	while (!(t = scheduler_next_due_thread(st, held, hart_ticks(h)))) {
		if (sleep_on(os, held, h))
			continue;
		if (held) {
			stop_all(st);
			return;
		}
		held = true;
	}
	const unsigned which = (unsigned)(t - st->thread);
	thread_settle(st, h);
	st->switched = which != st->running || t->state == THREAD_WAITS;
	const bool ended = thread_now(st)->state == THREAD_FREE;
	st->running = which;
	if (st->switched)
		scheduler_resume_thread(os, h, mem, t, ended);
	scheduler_set_slice_end(os, h);
}

void threads_served(struct os *os, struct hart *h, struct mem *mem)
{
	struct os_state *st = os->st;
	struct os_thread *t = thread_now(st);
	if (st->exited || st->killed_by)
		return;
	if (t->state == THREAD_READY) {
		t->again = 0;
		if (!st->yields) {
			if (st->thread_count > 1)
				scheduler_set_slice_end(os, h);
			return;
		}
	}
	if (st->yields)
		t->turn = ++st->turns;
	st->yields = 0;
	if (t->state == THREAD_READY || t->state == THREAD_WAITS)
		scheduler_save_context(t, h);
	next_thread(os, h, mem);
}

bool os_take_turns(struct os *os, struct hart *h, struct mem *mem)
{
	struct os_state *st = os->st;
	struct os_thread *t = thread_now(st);
	os->now = h->cycle;
	os->streams = 0;
	st->switched = 0;
	t->turn = ++st->turns;
	scheduler_save_context(t, h);
	next_thread(os, h, mem);
	return st->switched;
}

int64_t sys_sched_yield(struct call *c)
{
	c->st->yields = c->st->thread_count > 1;
	return 0;
}

/* ---- queries ---- */
uint64_t os_slice_end(const struct os *os)
{
	return os->st->slice_end;
}

void os_begin_later(struct os *os, uint64_t cycles)
{
	struct os_state *st = os->st;
	st->since += cycles;
	if (st->slice_end != OS_NEVER)
		st->slice_end += cycles;
}

bool os_switched(const struct os *os)
{
	return os->st->switched;
}
