/* Finds the row that an empty dispatch slot is charged to. If decode had nothing to dispatch, the
 * row is fetch's reason. If the window had no room, it is the reason of the oldest instruction,
 * which holds it (in order: of the next to issue), or the queue for a unit, a port or a miss
 * register, whichever ends later. */
#include "core/pipe/slots.h"

#include "core/defs/config_fields.h"
#include "core/pipe/chains.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/memory_part.h"
#include "core/pipe/scoreboard.h"
#include "core/pipe/why.h"
#include "core/pipe/window.h"

static inline enum slot_row latency_row(const struct uop *u)
{
	static const uint8_t of_pool[FU_POOL_COUNT + 1] = {[FU_INT] = SLOT_latency_int,
	                                                   [FU_IMULDIV] = SLOT_latency_imuldiv,
	                                                   [FU_FADD] = SLOT_latency_fadd,
	                                                   [FU_FMULDIV] = SLOT_latency_fmuldiv,
	                                                   [FU_MEM] = SLOT_l1d,
	                                                   [FU_NONE] = SLOT_latency_int,
	                                                   [FU_DIV] = SLOT_latency_imuldiv};
	if (u->at.pool == FU_DIV && (u->op_flags & OPF_FP))
		return SLOT_latency_fmuldiv;
	return (enum slot_row)of_pool[u->at.pool];
}

enum slot_row slots_refill_row(const struct pipe *p)
{
	for (uint32_t i = 0; p->unordered && i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_EXECUTING && u->when.done > u->when.issue + 1 &&
		    u->mem.level == LEVEL_NONE && chain_ends_recurrence(p, u))
			return latency_row(u);
	}
	return SLOT_branch_refill;
}

static __attribute__((noinline)) enum slot_row frontend_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (st->after_squash == AFTER_SWITCH)
		return SLOT_os_switch;
	if (st->after_squash)
		return st->after_squash == 1 ? slots_refill_row(p) : SLOT_replay_refill;
	if (st->fetch_waits) {
		if (st->cycle < st->fetch_walk)
			return SLOT_itlb;
		return (st->fetched & FETCHED_LEVEL) == LEVEL_MEMORY ? SLOT_icache_memory
		                                                     : SLOT_icache_l2;
	}
	if (st->fetch_blocked && !st->fetchq_count)
		return SLOT_fault;
	if (p->unified_port && st->port_refused == st->cycle)
		return SLOT_fetch_port;
	if (!st->redirect_until || st->redirect_until < st->cycle)
		return SLOT_fetch_fill;
	return st->sent_back ? SLOT_profile_fetch : SLOT_misfetch;
}

/* The row of a load in memory: its part (load_part()), or L2's limits if it would be complete
 * without them. */
static inline enum slot_row load_row(const struct pipe *p, const struct uop *u)
{
	if (u->held && p->st->cycle + u->held >= u->when.done)
		return SLOT_l2_held;
	return load_part(p, u, p->st->cycle);
}

/* Number of ready instructions, at most `enough`. */
static uint64_t count_ready(const struct pipe *p, uint64_t enough)
{
	uint64_t ready = 0;
	for (uint32_t w = 0; w < p->rob_words; w++) {
		const uint64_t *of_pool = p->ready + w;
		uint64_t bits = 0;
#pragma GCC unroll 8
		for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++, of_pool += p->rob_words)
			bits |= *of_pool;
		for (; bits && ready < enough; bits &= bits - 1)
			ready++;
	}
	return ready;
}

/* True if ready instructions, left because issue_width others issued, fill issue for `cycles`
 * cycles. */
static __attribute__((noinline)) bool issue_queues(const struct pipe *p, uint64_t cycles)
{
	const uint64_t enough = cycles ? cycles * p->issue_width : 1;
	return cycles <= p->rob_limit && count_ready(p, enough) == enough;
}

/* First cycle in which a unit of this pool is free. */
static uint64_t unit_free(const struct pipe *p, unsigned pool)
{
	uint64_t first = UINT64_MAX;
	for (unsigned i = 0; i < p->fu_count[pool]; i++)
		first = p->st->fu[pool][i].busy_until < first ? p->st->fu[pool][i].busy_until
		                                              : first;
	return first;
}

/* The units with the longest queue of ready instructions that lasts until cycle *until or longer,
 * and sets that; SLOT_COUNT if there are none. */
static inline enum slot_row longest_unit_queue(const struct pipe *p, uint64_t *until)
{
	const struct pipe_state *st = p->st;
	enum slot_row row = SLOT_COUNT;
	for (unsigned pools = st->denied; pools; pools &= pools - 1) {
		const unsigned pool = (unsigned)__builtin_ctz(pools);
		const uint64_t over =
			unit_free(p, pool) + st->denied_count[pool] / p->fu_count[pool];
		if (over >= *until) {
			*until = over;
			row = SLOT_unit_int + pool;
		}
	}
	return row;
}

/* The resource with the longest queue of ready instructions that lasts beyond cycle `done`;
 * SLOT_COUNT if there is none. */
static enum slot_row longest_queue(const struct pipe *p, uint64_t done)
{
	const struct pipe_state *st = p->st;
	enum slot_row row = longest_unit_queue(p, &done);
	for (unsigned file = 0; p->writes && file < WRITE_FILES; file++) {
		const uint64_t over = st->cycle + 1 + st->port_denied[file] / p->write_ports[file];
		if (st->port_denied[file] && over >= done) {
			done = over;
			row = SLOT_write_port;
		}
	}
	return row == SLOT_COUNT && st->width_cycle == st->cycle &&
	                       issue_queues(p, done - st->cycle)
	               ? SLOT_issue_width
	               : row;
}

/* The row if the oldest is complete and may commit by its timing. */
static __attribute__((noinline)) enum slot_row complete_row(const struct pipe *p,
                                                            const struct uop *u)
{
	if (uop_faults(u))
		return SLOT_fault;
	if (!u->exec.stored)
		return SLOT_commit_width;
	if (!hierarchy_store_fits(&p->mem, u->exec.addr, u->exec.size, p->st->cycle))
		return full_buffer_part(p);
	return hierarchy_ports_taken(&p->mem, p->st->cycle) ? SLOT_l1d_port : SLOT_commit_width;
}

/* The row of an access that was turned away. */
static enum slot_row turned_away_row(const struct pipe *p, const struct uop *u)
{
	const struct mshr *m;
	switch (u->mem.wait) {
	case MEM_WAIT_MSHR:
		return SLOT_mshr;
	case MEM_WAIT_L1PORT:
		return SLOT_l1d_port;
	case MEM_WAIT_LINE:
		m = line_awaited(p, u);
		return m ? miss_part(p, m) : SLOT_l1d;
	default:
		return SLOT_store_order;
	}
}

/* Number of accesses that were refused for this reason, counted up to `most`. */
static __attribute__((noinline)) uint32_t count_turned_away(const struct pipe *p,
                                                            enum mem_wait reason, uint32_t most)
{
	uint32_t waiting = 0;
	for (uint32_t w = 0; w < p->rob_words; w++)
		for (uint64_t bits = p->retry[w]; bits && waiting < most; bits &= bits - 1) {
			const uint16_t slot = p->rob[w * 64 + (uint32_t)__builtin_ctzll(bits)];
			waiting += pipe_uop(p, slot)->mem.wait == reason;
		}
	return waiting;
}

/* True if as many loads as there are miss registers wait for one. */
static inline bool registers_queue(const struct pipe *p)
{
	const struct refusals *r = &p->refusals;
	const uint32_t limit = p->mem.mshr_limit;
	if (limit > p->st->mem_retries)
		return false;
	/* While cycles run, all that retry have mostly been counted in this one. */
	const bool counted = r->until && r->registers + r->targets == p->st->mem_retries;
#ifdef CYCLOPS_CHECK
	assert(!counted ||
	       count_turned_away(p, MEM_WAIT_MSHR, UINT32_MAX) == r->registers);
#endif
	return (counted ? r->registers : count_turned_away(p, MEM_WAIT_MSHR, limit)) >= limit;
}

/* True if accesses queue for ports of L1D beyond cycle `done`. */
static inline bool ports_queue(const struct pipe *p, uint64_t done)
{
	if (!p->mem.l1d_ports || !p->st->mem_retries)
		return false;
	const uint32_t waiting = count_turned_away(p, MEM_WAIT_L1PORT, UINT32_MAX);
	return waiting && p->st->cycle + 1 + waiting / p->mem.l1d_ports >= done;
}

/* The row of an issued producer. */
static enum slot_row producer_row(const struct pipe *p, const struct uop *q)
{
	if (q->state == UOP_MEMORY)
		return load_row(p, q);
	if (q->state == UOP_ADDRESS)
		return turned_away_row(p, q);
	return latency_row(q);
}

/* The row of an access in the execute stage that waits for the memory stage: of a store's data, or
 * of the write buffer. */
static enum slot_row stage_row(const struct pipe *p, const struct uop *u)
{
	if (!u)
		return SLOT_store_order;
	if (u->mem.wait == MEM_WAIT_BUFFER)
		return full_buffer_part(p);
	if (u->mem.wait != MEM_WAIT_OWN)
		return turned_away_row(p, u);
	const struct uop *data = u->src.slot[1] != NO_SLOT ? pipe_uop(p, u->src.slot[1]) : NULL;
	return data && data->seq == u->src.seq[1] ? producer_row(p, data) : SLOT_latency_int;
}

/* True if the wait for q has causes besides the order of issue only that save less: q is complete
 * in a known cycle, and no miss, which saves all of the wait where order saves a part. */
static bool order_counts(const struct pipe *p, const struct uop *q)
{
	return !p->unordered && q->when.done != NO_CYCLE && q->mem.level < LEVEL_L2;
}

/* True if the order of issue is the cause of the rest of the wait for q: ready younger instructions
 * could fill it, and q ends no recurrence; or, out of order, q would be complete by now. */
static bool order_holds(const struct pipe *p, const struct uop *q)
{
	const uint64_t now = p->st->cycle;
	return order_counts(p, q) &&
	       ((issue_queues(p, q->when.done - now) && !chain_ends_recurrence(p, q)) ||
	        (now + chain_order_delay_most(q) >= q->when.done &&
	         now + chain_order_delay(p, q) >= q->when.done));
}

uint64_t slots_order_from(const struct pipe *p, const struct uop *q)
{
	if (!order_counts(p, q))
		return UINT64_MAX;
	const uint64_t filled = chain_ends_recurrence(p, q)
	                                ? 0
	                                : count_ready(p, UINT64_MAX) / p->issue_width,
		       delay = chain_order_delay(p, q), cycles = filled > delay ? filled : delay;
	return q->when.done > cycles ? q->when.done - cycles : 0;
}

/* True if the next to issue waits for a unit of this pool, and at least as many ready instructions
 * need none: out of order these would issue now, and the unit would be busy later. */
static bool other_units_wait(const struct pipe *p, unsigned pool)
{
	uint64_t same = 0;
	for (uint32_t w = 0; w < p->rob_words; w++)
		for (uint64_t bits = p->ready[pool * p->rob_words + w]; bits; bits &= bits - 1)
			same++;
	return !p->unordered && count_ready(p, 2 * same) == 2 * same;
}

/* The instruction on the unit that u, the next to issue, waits for, if it occupies the unit for
 * more than a cycle and the last one that did so ended shortly before, by up to half of its own
 * time: another order would fill only that gap. Else NULL. */
static const struct uop *unit_holder(const struct pipe *p, const struct uop *u)
{
	enum { BACK = 64 };
	const struct fu_unit *first = p->st->fu[u->at.pool];
	for (unsigned i = 1; i < p->fu_count[u->at.pool]; i++)
		first = p->st->fu[u->at.pool][i].busy_until < first->busy_until
		                ? &p->st->fu[u->at.pool][i]
		                : first;
	const struct uop *q = NULL;
	for (uint32_t i = p->st->rob_count - p->st->iq_count; i-- > 0 && !q;)
		q = pipe_rob_at(p, i)->seq == first->seq ? pipe_rob_at(p, i) : NULL;
	if (!q || chain_unit_is_pipelined(p, q))
		return NULL;
	for (uint32_t i = 1, slot = window_slot_index(p, q); i < BACK; i++) {
		const struct uop *before = &p->pool[(slot - i) & p->pool_mask];
		if (before->seq >= q->seq || before->state < UOP_EXECUTING ||
		    before->at.pool != q->at.pool || before->at.unit != q->at.unit ||
		    before->when.issue == NO_CYCLE)
			continue;
		const uint64_t held = p->timing[inst_class(&before->inst)].occupancy;
		if (held > 1)
			return before->when.issue + held + held / 2 >= q->when.issue ? q : NULL;
	}
	return NULL;
}

/* The row of an instruction that waits until the oldest has left the window: the oldest's own row,
 * or its commit's. */
static enum slot_row leaving_row(const struct pipe *p, const struct uop *oldest)
{
	if (oldest->state != UOP_DONE)
		return producer_row(p, oldest);
	return p->st->cycle < pipe_commit_from(p, oldest) ? SLOT_commit_delay
	                                                  : complete_row(p, oldest);
}

/* The instruction that must end before u, the next to issue, may issue: it writes the same
 * destination, holds a stage or a unit, misses, or is the oldest. NULL: u waits for no instruction.
 */
static const struct uop *issue_waits_for(const struct pipe *p, const struct uop *u,
                                         const struct why *w)
{
	switch (w->id) {
	case WHY_WAW: /* an earlier write ends the wait */
		return older_writer(p, u);
	case WHY_STAGE:
		return pipe_find(p, w->other);
	case WHY_MISS_BEFORE:
		return pipe_uop(p, p->st->miss_slot);
	case WHY_HEAD_ONLY:
		return pipe_rob_at(p, 0);
	case WHY_UNIT:
		return unit_holder(p, u);
	default:
		return NULL;
	}
}

/* The row of the next to issue, u, which waits for an operand. */
static enum slot_row operand_row(const struct pipe *p, const struct uop *u,
                                 const struct uop **holder)
{
	const struct uop *q = pipe_uop(p, u->src.slot[last_operand(p, u)]);
	/* as why_waiting(): others issue in the cycle in which the operand is available */
	if (p->resolve == RESOLVE_ID && (u->op_flags & OPF_REDIRECT) &&
	    q->when.done == p->st->cycle)
		return SLOT_early_branch;
	if (order_holds(p, q))
		return SLOT_in_order;
	*holder = q;
	return producer_row(p, q);
}

__attribute__((noinline)) enum slot_row slots_issue_row(const struct pipe *p,
                                                        const struct uop **holder)
{
	const struct pipe_state *st = p->st;
	const struct uop *u = pipe_rob_at(p, st->rob_count - st->iq_count);
	*holder = u;
	if (u->state == UOP_WAITING)
		return operand_row(p, u, holder);
	const struct why w = uop_why(p, u);
	const struct uop *q = issue_waits_for(p, u, &w);
	*holder = q ? q : u;
	switch (w.id) {
	case WHY_UNIT:
		if (q)
			return latency_row(q);
		return other_units_wait(p, w.pool) ? SLOT_in_order : SLOT_unit_int + w.pool;
	case WHY_ISSUE_WIDTH:
		return SLOT_issue_width;
	case WHY_WRITTEN_OPERAND:
		return SLOT_register_write;
	case WHY_EARLY_BRANCH:
		return SLOT_early_branch;
	case WHY_WAW:
		return producer_row(p, q);
	case WHY_STAGE:
		return stage_row(p, q);
	case WHY_WRITE_PORT:
		return SLOT_write_port;
	case WHY_MISS_BEFORE:
		return load_row(p, q);
	case WHY_HEAD_ONLY:
		return leaving_row(p, q);
	case WHY_STORE_ADDRESS:
	case WHY_STORE_PREDICTED:
		return SLOT_store_order;
	default:
		return SLOT_latency_int; /* it issues in the next cycle */
	}
}

/* True if u, which executes, would be complete by now had it issued when it was ready: then the
 * queue is the cause, not its latency. */
static inline bool slots_uop_was_queued(const struct uop *u, uint64_t now)
{
	return u->when.issue == NO_CYCLE || u->when.issue - u->when.ready >= u->when.done - now ||
	       u->when.done - u->when.issue <= 1;
}

uint64_t slots_oldest_until(const struct pipe *p, const struct uop *u)
{
	return u->state == UOP_DONE ? pipe_commit_from(p, u) : u->when.done;
}

/* True if slots_oldest_until() would be over by now without chain_store_delay(). False for a load
 * that misses, whose own wait is longer. */
static __attribute__((noinline)) bool addresses_hold(const struct pipe *p, const struct uop *u)
{
	const uint64_t delay = chain_store_delay(p, u);
	const uint64_t until = slots_oldest_until(p, u);
	return delay && u->mem.level <= LEVEL_L1 &&
	       (until == NO_CYCLE || p->st->cycle + delay >= until);
}

/* The row of a complete producer. */
static enum slot_row slots_done_row(const struct uop *u)
{
	static const uint8_t by_level[LEVEL_COUNT] = {
		[LEVEL_NONE] = SLOT_COUNT,     [LEVEL_FORWARD] = SLOT_forward,
		[LEVEL_BUFFER] = SLOT_forward, [LEVEL_L1] = SLOT_l1d,
		[LEVEL_L2] = SLOT_l2,          [LEVEL_MEMORY] = SLOT_memory};
	const unsigned row = u->mem.level > LEVEL_L1 && u->held ? SLOT_l2_held
	                                                        : by_level[u->mem.level];
	return row == SLOT_COUNT ? latency_row(u) : (enum slot_row)row;
}

/* Out of order: the row of the slowest instruction of a recurrence that u depends on without
 * belonging to it, as those that follow u wait for it, not for u. SLOT_COUNT: there is none. */
static enum slot_row slots_recurrence_row(const struct pipe *p, const struct uop *u)
{
	bool inside;
	const struct uop *slowest = p->in_order ? NULL : chain_recurrence_slowest(p, u, &inside);
	return slowest && !inside && slowest->when.done > slowest->when.issue + 1
	               ? slots_done_row(slowest)
	               : SLOT_COUNT;
}

/* The row of the oldest, u, which executes, or is complete and may not commit yet; no queue is the
 * cause. */
static enum slot_row slots_oldest_row(const struct pipe *p, const struct uop *u)
{
	if (u->state == UOP_DONE && (u->op_flags & OPF_ATOMIC))
		return SLOT_commit_delay;
	const bool brief = u->when.issue != NO_CYCLE && u->mem.level == LEVEL_NONE &&
	                   p->timing[inst_class(&u->inst)].latency <= 1;
	const enum slot_row row = brief ? slots_recurrence_row(p, u) : SLOT_COUNT;
	if (row != SLOT_COUNT)
		return row;
	return u->state == UOP_DONE ? slots_done_row(u) : latency_row(u);
}

/* The row if the next to issue, in order, holds the oldest, or held it some cycles ago. */
static __attribute__((noinline)) enum slot_row slots_unissued_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const struct uop *holder;
	if (p->unordered)
		return slots_issue_row(p, &holder);
	return st->issue_full * p->issue_width < p->rob_limit ? (enum slot_row)st->issue_row
	                                                      : SLOT_issue_width;
}

/* The row of the queue for a unit, a port or issue's width that delays the oldest, u, and lasts
 * until u completes; SLOT_COUNT: there is none. */
static __attribute__((noinline)) enum slot_row slots_queue_row(const struct pipe *p,
                                                               const struct uop *u)
{
	const uint64_t now = p->st->cycle;
	const bool timed = u->state != UOP_READY && u->state != UOP_ADDRESS &&
	                   u->when.done != NO_CYCLE && u->when.done > now;
	if (!timed)
		return longest_queue(p, now + 1);
	return slots_uop_was_queued(u, now) ? longest_queue(p, u->when.done) : SLOT_COUNT;
}

/* The row of the oldest, u, which accesses memory or takes one cycle. */
static __attribute__((noinline)) enum slot_row slots_other_row(const struct pipe *p,
                                                               const struct uop *u)
{
	if (u->mem.level >= LEVEL_L1 && ports_queue(p, u->when.done))
		return SLOT_l1d_port;
	if (u->state == UOP_MEMORY) {
		const enum slot_row row = load_row(p, u);
		const enum slot_row slowest = row == SLOT_l1d && u->mem.level == LEVEL_L1
		                                      ? slots_recurrence_row(p, u)
		                                      : SLOT_COUNT;
		if (slowest != SLOT_COUNT)
			return slowest;
		return u->mem.level < LEVEL_L2 || row == SLOT_bus || row == SLOT_l2_held ||
		                       !registers_queue(p)
		               ? row
		               : SLOT_mshr;
	}
	if (u->mem.level >= LEVEL_L2 && registers_queue(p))
		return SLOT_mshr;
	if (u->state == UOP_ADDRESS)
		return turned_away_row(p, u);
	return slots_oldest_row(p, u);
}

enum slot_row slots_held_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const struct uop *u = pipe_rob_at(p, 0);
	if (p->in_order && st->iq_count)
		return slots_unissued_row(p);
	if (u->state == UOP_DONE && st->cycle >= pipe_commit_from(p, u))
		return complete_row(p, u);
	if (u->mem.wait == MEM_WAIT_PORT)
		return SLOT_write_port;
	if (st->denied || st->width_cycle == st->cycle || p->writes) {
		const enum slot_row queue = slots_queue_row(p, u);
		if (queue != SLOT_COUNT)
			return queue;
	}
	if (st->unknown_stores && any_ready(p, FU_MEM) && addresses_hold(p, u))
		return SLOT_store_order;
	return !uop_is_memory(u) && u->when.done > u->when.issue + 1 ? latency_row(u)
	                                                              : slots_other_row(p, u);
}

const struct uop *slots_oldest_incomplete(const struct pipe *p)
{
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		if (pipe_rob_at(p, i)->state != UOP_DONE)
			return pipe_rob_at(p, i);
	return NULL;
}

/* The row while the window empties, and the oldest, u, is complete. If only commit's delay or width
 * holds u: the row of the oldest incomplete instruction or, if all are complete, of the youngest.
 */
static enum slot_row slots_leaving_row(const struct pipe *p, const struct uop *u,
                                       const struct uop **holder)
{
	const enum slot_row row = leaving_row(p, u);
	if (row != SLOT_commit_delay && row != SLOT_commit_width)
		return row;
	*holder = slots_oldest_incomplete(p);
	if (*holder)
		return producer_row(p, *holder);
	*holder = pipe_rob_at(p, p->st->rob_count - 1);
	return leaving_row(p, *holder);
}

enum slot_row slots_serial_row(const struct pipe *p, const struct uop **holder)
{
	const struct pipe_state *st = p->st;
	*holder = NULL;
	if (!st->rob_count)
		return SLOT_serial;
	const struct uop *u = *holder = pipe_rob_at(p, 0);
	if (st->serial_slot != NO_SLOT) /* a system call is served meanwhile */
		return u->state == UOP_DONE && u->trap == TRAP_NONE &&
		                       st->cycle < pipe_commit_from(p, u)
		               ? SLOT_commit_delay
		               : SLOT_serial;
	if (p->in_order && st->iq_count)
		return slots_issue_row(p, holder);
	return u->state == UOP_DONE ? slots_leaving_row(p, u, holder) : slots_held_row(p);
}

/* The row if decode took all that fetch had delivered. */
static __attribute__((noinline)) enum slot_row slots_fetch_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const struct uop *last = pipe_uop(p, p->fetchq[(st->fetchq_head - 1) & p->fetchq_mask]);
	if (st->fetch_blocked)
		return SLOT_fault;
	if (last->flags & UF_SKIPS)
		return SLOT_profile_fetch;
	return fetch_end_row(p);
}

/* The row if decode took as many as it may: of the queue for units that more would join, if there
 * is one. */
static enum slot_row slots_decode_row(const struct pipe *p)
{
	uint64_t until = p->st->cycle + 1;
	const enum slot_row queue = longest_unit_queue(p, &until);
	return queue != SLOT_COUNT ? queue : SLOT_decode_width;
}

/* The row if decode had no instruction, or could not take one. */
static enum slot_row supply_row(const struct pipe *p, enum decode_stop stop, uint32_t taken)
{
	const struct uop *holder;
	switch (stop) {
	case DECODE_SERIAL:
		return slots_serial_row(p, &holder);
	case DECODE_FLAG:
		return SLOT_profile_wait;
	case DECODE_MISFETCH:
		return SLOT_misfetch;
	case DECODE_PROFILE:
		return SLOT_profile_fetch;
	case DECODE_FAULT:
		return SLOT_fault;
	default:
		if (p->st->fetchq_count && pipe_fetchq_at(p, 0)->when.avail < p->st->cycle)
			return slots_decode_row(p);
		return taken ? slots_fetch_row(p) : frontend_row(p);
	}
}

enum slot_row slots_row(const struct pipe *p, enum decode_stop stop, uint32_t taken)
{
	switch (stop) {
	case DECODE_ROB:
	case DECODE_LSQ:
	case DECODE_IQ:
		return slots_held_row(p);
	default:
		return p->st->spec_slot == NO_SLOT ? supply_row(p, stop, taken) : SLOT_UNRESOLVED;
	}
}
