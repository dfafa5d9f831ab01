/* The table of threads: what state each is in. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"
#include "core/os/thread.h"

struct os_thread *thread_now(struct os_state *st)
{
	return &st->thread[st->running];
}

void thread_ready(struct os_state *st, struct os_thread *t)
{
	t->state = THREAD_READY;
	t->waits = OS_WAIT_NONE;
	t->deadline = OS_NEVER;
	t->turn = ++st->turns;
}

void thread_wake(struct os_state *st, struct os_thread *t, int64_t result)
{
	t->r[REG_A0] = (uint64_t)result;
	t->again = 0;
	thread_ready(st, t);
}

void thread_settle(struct os_state *st, const struct hart *h)
{
	if (st->since < h->cycle)
		thread_now(st)->ran += h->cycle - st->since;
	st->since = h->cycle;
}

void threads_look(struct os *os)
{
	struct os_state *st = os->st;
	const uint64_t end = st->since + os->slice;
	if (st->thread_count > 1 && end < st->slice_end)
		st->slice_end = end;
}

void os_hold(struct os *os, uint64_t set)
{
	struct os_state *st = os->st;
	for (unsigned i = 0; i < OS_THREADS; i++)
		st->thread[i].held = set >> i & 1 && st->thread[i].state != THREAD_FREE;
	/* at once, if the running thread is held; else the scheduler puts it off again */
	if (st->thread_count > 1)
		st->slice_end = thread_now(st)->held ? st->since : st->since + os->slice;
}

uint64_t os_held(const struct os *os)
{
	uint64_t set = 0;
	for (unsigned i = 0; i < OS_THREADS; i++)
		set |= (uint64_t)os->st->thread[i].held << i;
	return set;
}

const struct os_thread *os_threads(const struct os *os)
{
	return os->st->thread;
}

unsigned os_running(const struct os *os)
{
	return os->st->running;
}

unsigned os_thread_count(const struct os *os)
{
	return os->st->thread_count;
}

void os_begin_stack(struct os *os, uint64_t sp)
{
	thread_now(os->st)->stack = sp;
}

uint64_t os_system_word(const struct os *os, enum system_word which)
{
	const struct os_thread *t = &os->st->thread[os->st->running];
	switch (which) {
	case SYSTEM_THREAD:
		return os_thread_number(t);
	case SYSTEM_PROCESS:
		return GUEST_PID;
	case SYSTEM_BLOCKED:
		return t->signals.mask;
	case SYSTEM_PENDING:
		return t->signals.pending.set | os->st->signals.pending.set;
	case SYSTEM_WORD_COUNT:
		break;
	}
	return 0;
}

uint64_t os_stack_low(const struct os *os, const struct mem *mem, uint64_t top)
{
	const struct os_thread *t = &os->st->thread[os->st->running];
	const uint64_t *alternate = t->signals.stack;
	struct mem_region r;
	if (alternate[2] && top > alternate[0] && top - alternate[0] <= alternate[2])
		return alternate[0];
	if (!t->stack)
		return 0;
	return mem_next_region(mem, t->stack - 1, &r) && top > r.start && top <= r.end
	               ? r.start
	               : UINT64_MAX;
}

bool os_had_threads(const struct os *os)
{
	return os->st->next_tid > GUEST_PID + 1;
}

int os_thread_find(const struct os *os, uint32_t tid)
{
	for (unsigned i = 0; tid && i < OS_THREADS; i++)
		if (os->st->thread[i].tid == tid)
			return (int)i;
	return -1;
}

bool os_may_set_parked(const struct os *os, uint32_t tid, struct err *err)
{
	const int i = os_thread_find(os, tid);
	const struct os_thread *t = i < 0 ? NULL : &os->st->thread[i];
	if (!t || (unsigned)i == os->st->running || t->state == THREAD_ENDED)
		return err_set(err, "no thread that could continue has the number %u", tid);
	return true;
}

/* Puts a thread that waits before its call, which it makes again when it has the hart. */
static void thread_leave_call(struct os *os, struct os_thread *t)
{
	t->pc -= t->again ? 0 : ECALL_BYTES;
	t->again = 0;
	signal_restore_mask(&t->signals);
	thread_ready(os->st, t);
	threads_look(os);
}

void os_set_parked(struct os *os, uint32_t tid, unsigned reg, uint64_t value)
{
	struct os_thread *t = &os->st->thread[os_thread_find(os, tid)];
	const bool of_call = reg == PARKED_PC || (reg >= REG_A0 && reg <= REG_A7);
	if (of_call && t->state == THREAD_WAITS)
		thread_leave_call(os, t);
	if (reg == PARKED_PC)
		t->pc = value;
	else if (reg == PARKED_FCSR)
		t->fcsr = value;
	else
		t->r[reg] = value;
}

uint64_t os_thread_cycles(const struct os *os, unsigned thread, uint64_t cycle)
{
	const struct os_state *st = os->st;
	const uint64_t now = thread == st->running && cycle > st->since ? cycle - st->since : 0;
	return st->thread[thread].ran + now;
}
