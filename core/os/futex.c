/* Futexes (futex(2)): waiting for a word of memory to change, and waking the threads that wait.
 * Futexes with priority inheritance are refused (ENOSYS), as a kernel built without them does. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/space.h"

/* The thread that has waited at addr longest, of those that `bits` select; NULL: none. */
static struct os_thread *first_waiter(struct os_state *st, uint64_t addr, uint32_t bits)
{
	struct os_thread *first = NULL;
	for (unsigned i = 0; i < OS_THREADS; i++) {
		struct os_thread *t = &st->thread[i];
		if (t->state == THREAD_WAITS && t->waits == OS_WAIT_FUTEX &&
		    t->wait_for[0] == addr && (t->bits & bits) && (!first || t->turn < first->turn))
			first = t;
	}
	return first;
}

int64_t futex_wake(struct call *c, uint64_t addr, int64_t most, uint32_t bits)
{
	int64_t woken = 0;
	struct os_thread *t;
	do {
		t = first_waiter(c->st, addr, bits);
		if (!t)
			break;
		thread_wake(c->st, t, 0);
	} while (++woken < most);
	return woken;
}

/* Moves up to `most` waiters of one address to another. */
static int64_t futex_requeue_waiters(struct call *c, uint64_t from, uint64_t to, int64_t most)
{
	int64_t moved = 0;
	struct os_thread *t;
	if (from == to)
		return 0;
	while (moved < most && (t = first_waiter(c->st, from, UINT32_MAX))) {
		t->wait_for[0] = to;
		t->turn = ++c->st->turns;
		moved++;
	}
	return moved;
}

static bool can_be_futex(const struct call *c, uint64_t addr)
{
	uint64_t word;
	return mem_load(c->mem, addr, 4, &word);
}

static int64_t futex_wait_on_word(struct call *c, uint32_t bits, bool absolute)
{
	uint64_t now, deadline;
	const bool wall = c->a[1] & LX_FUTEX_CLOCK_REALTIME;
	const int64_t limit = wait_limit(
		c, c->a[3], absolute ? (wall ? WAIT_TO_WALL : WAIT_TO_CLOCK) : WAIT_FOR, &deadline);
	if (limit < 0)
		return limit;
	if (!bits || (c->a[0] & 3))
		return -EINVAL;
	if (!mem_load(c->mem, c->a[0], 4, &now))
		return -EFAULT;
	if ((uint32_t)now != (uint32_t)c->a[2])
		return -EAGAIN;
	if (deadline <= hart_ticks(c->h))
		return -ETIMEDOUT;
	thread_now(c->st)->bits = bits;
	return thread_wait(c, OS_WAIT_FUTEX, c->a[0], (uint32_t)now, deadline);
}

static int32_t signed_bits(uint32_t v, unsigned low, unsigned n)
{
	return (int32_t)(v << (32 - low - n)) >> (32 - n);
}

/* Changes the word at addr by `code`, the sixth argument. *holds: whether the old word passes
 * its comparison. */
static int64_t change_word(struct call *c, uint64_t addr, uint32_t code, bool *holds)
{
	enum { SET, ADD, OR, ANDN, XOR, SHIFT = 8 };
	enum { EQ, NE, LT, LE, GT, GE };
	uint64_t word;
	const unsigned op = code >> 28 & 7, compare = code >> 24 & 15;
	int32_t operand = signed_bits(code, 12, 12);
	const int32_t against = signed_bits(code, 0, 12);
	if (code >> 28 & SHIFT)
		operand = (int32_t)(UINT32_C(1) << (operand & 31));
	if (!mem_load(c->mem, addr, 4, &word))
		return -EFAULT;
	const uint32_t old = (uint32_t)word, by = (uint32_t)operand;
	const uint32_t to[] = {[SET] = by,
	                       [ADD] = old + by,
	                       [OR] = old | by,
	                       [ANDN] = old & ~by,
	                       [XOR] = old ^ by};
	if (op > XOR)
		return -ENOSYS;
	if (!mem_write(c->mem, addr, &to[op], sizeof to[op]))
		return -EFAULT;
	const int32_t was = (int32_t)old;
	const bool answers[] = {[EQ] = was == against,
	                        [NE] = was != against,
	                        [LT] = was<against, [LE] = was <= against, [GT] = was> against,
	                        [GE] = was >= against};
	if (compare > GE)
		return -ENOSYS;
	*holds = answers[compare];
	return 0;
}

static int64_t wake_op(struct call *c)
{
	bool holds = false;
	if (!can_be_futex(c, c->a[0]))
		return -EFAULT;
	const int64_t wrong = change_word(c, c->a[4], (uint32_t)c->a[5], &holds);
	if (wrong)
		return wrong;
	int64_t woken = futex_wake(c, c->a[0], (int32_t)c->a[2], UINT32_MAX);
	if (holds)
		woken += futex_wake(c, c->a[4], (int32_t)c->a[3], UINT32_MAX);
	return woken;
}

static int64_t move_waiters(struct call *c, bool compare)
{
	uint64_t now;
	const int32_t wake = (int32_t)c->a[2], move = (int32_t)c->a[3];
	if (wake < 0 || move < 0)
		return -EINVAL;
	if (!mem_load(c->mem, c->a[0], 4, &now) || !can_be_futex(c, c->a[4]))
		return -EFAULT;
	if (compare && (uint32_t)now != (uint32_t)c->a[5])
		return -EAGAIN;
	const int64_t woken = wake ? futex_wake(c, c->a[0], wake, UINT32_MAX) : 0;
	return woken + futex_requeue_waiters(c, c->a[0], c->a[4], move);
}

static int64_t futex_refuse(struct call *c, int op)
{
	os_warnf(c->os, "futex operation %d is not implemented: ENOSYS", op);
	return -ENOSYS;
}

int64_t sys_futex(struct call *c)
{
	const int op = (int)c->a[1] & LX_FUTEX_CMD_MASK;
	const bool two =
		op == LX_FUTEX_REQUEUE || op == LX_FUTEX_CMP_REQUEUE || op == LX_FUTEX_WAKE_OP;
	if ((c->a[1] & LX_FUTEX_CLOCK_REALTIME) && op != LX_FUTEX_WAIT_BITSET)
		return -ENOSYS;
	if (op == LX_FUTEX_WAIT)
		return futex_wait_on_word(c, UINT32_MAX, false);
	if (op == LX_FUTEX_WAIT_BITSET)
		return futex_wait_on_word(c, (uint32_t)c->a[5], true);
	if (op > LX_FUTEX_WAKE_BITSET || op == LX_FUTEX_FD)
		return futex_refuse(c, op);
	if (op == LX_FUTEX_WAKE_BITSET && !(uint32_t)c->a[5])
		return -EINVAL;
	if (c->a[0] & 3)
		return -EINVAL;
	/* a word private to this process is identified by its address alone */
	const bool private = c->a[1] & LX_FUTEX_PRIVATE;
	if (private ? !space_holds(c->a[0], 4) : !can_be_futex(c, c->a[0]))
		return -EFAULT;
	if (two && (c->a[4] & 3))
		return -EINVAL;
	switch (op) {
	case LX_FUTEX_WAKE:
		return futex_wake(c, c->a[0], (int32_t)c->a[2], UINT32_MAX);
	case LX_FUTEX_WAKE_BITSET:
		return futex_wake(c, c->a[0], (int32_t)c->a[2], (uint32_t)c->a[5]);
	case LX_FUTEX_REQUEUE:
		return move_waiters(c, false);
	case LX_FUTEX_CMP_REQUEUE:
		return move_waiters(c, true);
	case LX_FUTEX_WAKE_OP:
		return wake_op(c);
	default:
		return futex_refuse(c, op);
	}
}
