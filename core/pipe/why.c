#include "core/pipe/why.h"

#include <stddef.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/op.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/memory_part.h"
#include "core/pipe/scoreboard.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"

static struct why why_build_reason(enum why_id id, uint64_t other, uint64_t due)
{
	return (struct why){.id = id, .other = other, .due = due};
}

/* When the producer's value will be available, as known now. */
static uint64_t due_of(const struct uop *q)
{
	return q && (q->state == UOP_EXECUTING || q->state == UOP_MEMORY) ? q->when.done : NO_CYCLE;
}

static struct why why_operand(const struct pipe *p, const struct uop *u, unsigned i, enum why_id id)
{
	const uint8_t reg[3] = {u->inst.rs1, u->inst.rs2, u->inst.rs3};
	struct why w = why_build_reason(id, u->src.seq[i], due_of(pipe_uop(p, u->src.slot[i])));
	w.operand = reg[i];
	return w;
}

/* The reason for a waiting uop: names the operand that arrives last, as known now. */
static struct why why_waiting(const struct pipe *p, const struct uop *u)
{
	struct why w = why_operand(p, u, last_operand(p, u), WHY_OPERAND);
	/* Others issue in the cycle in which the operand is available. */
	if (p->resolve == RESOLVE_ID && (u->op_flags & OPF_REDIRECT) && w.due == p->st->cycle) {
		w.id = WHY_EARLY_BRANCH;
		w.due++;
	}
	return w;
}

/* Waits for a unit of the pool: the one that is free first after all older ready instructions have
 * taken theirs, each for its time. */
static struct why why_unit(const struct pipe *p, const struct uop *u, unsigned pool)
{
	struct fu_unit units[FU_UNITS_MAX], *first;
	const uint32_t count = p->fu_count[pool];
	memcpy(units, p->st->fu[pool], count * sizeof *units);
	for (uint32_t age = 0;; age++) {
		const struct uop *one = pipe_rob_at(p, age);
		if (one != u && (one->state != UOP_READY || one->at.pool != pool))
			continue;
		first = units;
		for (uint32_t i = 1; i < count; i++)
			if (units[i].busy_until < first->busy_until)
				first = &units[i];
		if (first->busy_until < p->st->cycle)
			first->busy_until = p->st->cycle;
		if (one == u)
			break;
		first->busy_until += p->timing[inst_class(&one->inst)].occupancy;
	}
	struct why w = why_build_reason(WHY_UNIT, first->seq, first->busy_until);
	w.pool = (uint8_t)pool;
	return w;
}

/* The oldest access that waits for the memory system, NULL if none. */
static const struct uop *oldest_retry(const struct pipe *p)
{
	for (uint32_t i = 0; i < p->st->lsq_count; i++)
		if (pipe_lsq_at(p, i)->state == UOP_ADDRESS)
			return pipe_lsq_at(p, i);
	return NULL;
}

/* The reason for an operand that is there and can't be used yet. */
static struct why why_late_operand(const struct pipe *p, const struct uop *u, enum issue_hold hold)
{
	unsigned source = 0;
	operand_hold(p, u, p->st->cycle, &source);
	const struct uop *q = pipe_uop(p, u->src.slot[source]);
	struct why w = why_operand(
		p, u, source, hold == HOLD_WRITE ? WHY_WRITTEN_OPERAND : WHY_EARLY_BRANCH);
	w.due = q->when.done == NO_CYCLE ? NO_CYCLE
	        : hold == HOLD_WRITE     ? written_in(p, q) + 1
	                                 : q->when.done + 1;
	return w;
}

/* The reason for a rule of core/pipe/scoreboard.h. */
static struct why why_held(const struct pipe *p, const struct uop *u, enum issue_hold hold)
{
	const struct uop *other;
	switch (hold) {
	case HOLD_WRITE:
	case HOLD_EARLY:
		return why_late_operand(p, u, hold);
	case HOLD_WAW:
		return why_build_reason(WHY_WAW, older_writer(p, u)->seq, NO_CYCLE);
	case HOLD_PORT:
		return why_build_reason(WHY_WRITE_PORT, 0, NO_CYCLE);
	case HOLD_STAGE:
		other = oldest_retry(p);
		return why_build_reason(WHY_STAGE, other ? other->seq : 0, NO_CYCLE);
	default:
		return why_build_reason(WHY_MISS_BEFORE, pipe_uop(p, p->st->miss_slot)->seq,
		                        p->st->memory_until);
	}
}

/* True if u was ready when stage issue last ran. */
static bool was_asked(const struct pipe *p, const struct uop *u)
{
	return u->when.dispatch < p->st->issue_cycle && u->when.ready <= p->st->issue_cycle;
}

static struct why why_ready(const struct pipe *p, const struct uop *u)
{
	const struct pipe_state *st = p->st;
	uint32_t age = (u->at.rob - st->rob_head) & p->rob_mask;
	if (p->cfg->in_order) {
		uint32_t first = oldest_unissued(p);
		if (first != age)
			return why_build_reason(WHY_IN_ORDER, pipe_rob_at(p, first)->seq, NO_CYCLE);
	}
	if (inst_class(&u->inst) == CLASS_AMO && age != 0)
		return why_build_reason(WHY_HEAD_ONLY, pipe_rob_at(p, 0)->seq, NO_CYCLE);
	if (waits_for_predicted(p, u))
		return why_build_reason(WHY_STORE_PREDICTED, u->src.seq[2], NO_CYCLE);
	if (waits_for_all(p, u)) {
		uint64_t store = oldest_unknown_store(p);
		if (store < u->seq)
			return why_build_reason(p->speculate ? WHY_STORE_PREDICTED
			                                     : WHY_STORE_ADDRESS,
			                        store, NO_CYCLE);
	}
	/* The instruction was ready, so issue had a reason to skip it. */
	if (was_asked(p, u) && inst_class(&u->inst) != CLASS_AMO) {
		const unsigned pool = u->at.pool;
		if (st->denied >> pool & 1)
			return why_unit(p, u, pool);
		if (st->width_cycle == st->issue_cycle)
			return why_build_reason(WHY_ISSUE_WIDTH, 0, st->cycle);
		if (p->writes && !p->in_order && scoreboard_write_file(u) != WRITE_FILES &&
		    st->port_denied[scoreboard_write_file(u)])
			return why_build_reason(WHY_WRITE_PORT, 0, st->cycle);
	}
	const enum issue_hold hold = p->issue_rules ? issue_hold(p, u, st->cycle) : HOLD_NONE;
	if (hold != HOLD_NONE)
		return why_held(p, u, hold);
	return why_build_reason(WHY_MOVING, 0, st->cycle);
}

/* The reason of a row of the slot stack that is a part of memory. */
static const enum why_id of_part[SLOT_COUNT] = {
	[SLOT_dtlb] = WHY_TLB,   [SLOT_l1d] = WHY_L1,          [SLOT_l2] = WHY_L2,
	[SLOT_memory] = WHY_MEMORY, [SLOT_bus] = WHY_BUS,      [SLOT_l2_held] = WHY_L2_HELD,
	[SLOT_mshr] = WHY_MSHR,  [SLOT_write_buffer] = WHY_WRITE_BUFFER};

static struct why why_memory(const struct pipe *p, const struct uop *u)
{
	if (u->mem.wait == MEM_WAIT_PORT)
		return why_build_reason(WHY_WRITE_PORT, 0, u->when.done);
	const enum slot_row part = load_part(p, u, p->st->cycle);
	if (part == SLOT_forward)
		return why_build_reason(u->mem.level == LEVEL_FORWARD ? WHY_FORWARD : WHY_BUFFERED,
		                        u->mem.level == LEVEL_FORWARD ? u->mem.wait_seq : 0,
		                        u->when.done);
	return why_build_reason(of_part[part], 0, u->when.done);
}

/* The same, but first checks whether L2 holds the access. */
static struct why why_in_memory(const struct pipe *p, const struct uop *u)
{
	const struct hierarchy *h = &p->mem;
	const struct mshr *m =
		h->l2_limits && u->mem.level >= LEVEL_L2
			? mshr_find(h->st, u->exec.addr >> h->l1d.line_log2 << h->l1d.line_log2,
	                            p->st->cycle)
			: NULL;
	return m && m->held > p->st->cycle && u->mem.wait != MEM_WAIT_PORT
	               ? why_build_reason(WHY_L2_HELD, 0, u->when.done)
	               : why_memory(p, u);
}

static struct why why_address(const struct pipe *p, const struct uop *u)
{
	if (u->mem.wait == MEM_WAIT_BUFFER)
		return why_build_reason(
			WHY_WRITE_BUFFER, 0,
			wbuf_next_free(&p->mem.st->wbuf, p->mem.wbuf_limit, p->st->cycle));
	if (u->mem.wait == MEM_WAIT_OWN) {
		const struct uop *data = pipe_uop(p, u->src.slot[1]);
		struct why w = why_operand(p, u, 1, WHY_OWN_DATA);
		w.due = data->seq == u->src.seq[1] && data->when.done != NO_CYCLE
		                ? written_in(p, data)
		                : NO_CYCLE;
		return w;
	}
	if (u->mem.wait == MEM_WAIT_L1PORT)
		return why_build_reason(WHY_L1D_PORT, 0, p->st->cycle);
	if (u->mem.wait == MEM_WAIT_LINE) {
		const struct mshr *m = line_awaited(p, u);
		return why_build_reason(WHY_LINE, 0, m ? m->ready : p->st->cycle);
	}
	if (u->mem.wait == MEM_WAIT_MSHR)
		return why_build_reason(WHY_MSHR, 0, mshr_next_free(p->mem.st, p->st->cycle));
	const struct uop *store = pipe_find(p, u->mem.wait_seq);
	/* The store advanced in this cycle, after the load tried: it retries in the next cycle. */
	if (!store || !uop_in_window(store) ||
	    (u->mem.wait == MEM_WAIT_DATA && (store->flags & UF_DATA_READY)))
		return why_build_reason(WHY_MOVING, 0, p->st->cycle);
	return why_build_reason(u->mem.wait == MEM_WAIT_DATA ? WHY_STORE_DATA : WHY_STORE_COMMIT,
	                        u->mem.wait_seq, NO_CYCLE);
}

/* When the next timer will raise an interrupt; NO_CYCLE if none is set. */
static uint64_t timer_cycle(const struct pipe *p)
{
	uint64_t next = prof_next_cycle(p->prof), before = stats_guest_cycle(p->stats, 0);
	return next == UINT64_MAX ? NO_CYCLE : next > before ? next - before : 0;
}

/* True if the complete store u found no port of L1D in the last cycle. */
static bool store_lacks_port(const struct pipe *p, const struct uop *u)
{
	return p->st->cycle > pipe_commit_from(p, u) &&
	       hierarchy_ports_taken(&p->mem, p->st->cycle - 1);
}

static struct why why_done(const struct pipe *p, const struct uop *u)
{
	const struct pipe_state *st = p->st;
	uint64_t ready = pipe_commit_from(p, u);
	if (u->at.rob != st->rob_head && p->unordered)
		return st->cycle < ready
		               ? why_build_reason(WHY_COMMIT_DELAY, 0, ready)
		               : why_build_reason(WHY_WRITTEN, pipe_rob_at(p, 0)->seq, NO_CYCLE);
	if (u->at.rob != st->rob_head)
		return why_build_reason(WHY_COMMIT_TURN, pipe_rob_at(p, 0)->seq, NO_CYCLE);
	if (u->trap == TRAP_ECALL)
		return why_build_reason(WHY_SYSCALL, 0, ready);
	if (u->trap == TRAP_MRET)
		return why_build_reason(WHY_MRET, 0, ready);
	if (u->trap == TRAP_DEVICE)
		return why_build_reason(WHY_DEVICE, 0,
		                        ready + prof_access_cycles(p->prof, u->exec.addr));
	if (u->trap == TRAP_WFI)
		return why_build_reason(WHY_INTERRUPT, 0, timer_cycle(p));
	if (uop_faults(u))
		return st->outcome.status == MACHINE_FAULTED
		               ? why_build_reason(WHY_FAULTED, 0, NO_CYCLE)
		               : why_build_reason(WHY_FAULT, 0,
		                                  st->cycle < ready ? ready : st->cycle);
	if (st->cycle < ready)
		return why_build_reason(WHY_COMMIT_DELAY, 0, ready);
	if (u->exec.stored && store_lacks_port(p, u))
		return why_build_reason(WHY_L1D_PORT, 0, st->cycle);
	if (u->exec.stored && !(p->unordered && uop_is_store(u)) &&
	    !hierarchy_store_fits(&p->mem, u->exec.addr, u->exec.size, st->cycle))
		return why_build_reason(
			WHY_WRITE_BUFFER, 0,
			wbuf_next_free(&p->mem.st->wbuf, p->mem.wbuf_limit, st->cycle));
	return why_build_reason(WHY_COMMIT_DELAY, 0, st->cycle);
}

/* The reason that decode has for an Xprof instruction, the oldest in the queue, before it checks
 * for room. True: *w is what holds it, or MOVING if it needs no room. */
static bool why_xprof(const struct pipe *p, const struct uop *first, struct why *w)
{
	const struct pipe_state *st = p->st;
	const struct uop *pop = xprof_awaited(p, first);
	uint16_t late, known = xprof_known(p, &late);
	if (pop) {
		*w = why_build_reason(WHY_FLAG, pop->seq, due_of(pop));
		w->operand = pop->inst.op == OP_POPPF_ALL && first->prefix_len
		                     ? (uint8_t)first->profile_type
		                     : (uint8_t)pop->inst.imm;
		return true;
	}
	*w = why_build_reason(WHY_MOVING, 0, st->cycle);
	if (first->prefix_len)
		return first->trap == TRAP_NONE && !(known >> first->profile_type & 1);
	return !(first->op_flags & OPF_MEMORY);
}

static struct why why_fetched(const struct pipe *p, const struct uop *u)
{
	const struct pipe_state *st = p->st;
	if (u->when.avail >= st->cycle)
		return why_build_reason(WHY_FETCHING, 0, u->when.avail + 1);
	const struct uop *first = pipe_fetchq_at(p, 0);
	if (st->dispatch_blocked)
		return why_build_reason(WHY_FAULT_BEFORE,
		                        st->rob_count ? pipe_rob_at(p, 0)->seq : 0, NO_CYCLE);
	struct why flag;
	if ((first->op_flags & OPF_XPROF) && why_xprof(p, first, &flag))
		return first == u ? flag : why_build_reason(WHY_DECODE_TURN, first->seq, NO_CYCLE);
	if (st->serial_slot != NO_SLOT)
		return why_build_reason(WHY_SERIAL_AFTER, pipe_uop(p, st->serial_slot)->seq,
		                        NO_CYCLE);
	if ((inst_flags(&first->inst) & OPF_SERIAL) && st->rob_count)
		return first == u ? why_build_reason(WHY_SERIAL_BEFORE, pipe_rob_at(p, 0)->seq,
		                                     NO_CYCLE)
		                  : why_build_reason(WHY_SERIAL_AFTER, first->seq, NO_CYCLE);
	/* It could have been decoded in the last cycle. */
	if (st->decode_stop == DECODE_WIDTH && first->when.avail + 1 < st->cycle)
		return first == u ? why_build_reason(WHY_DECODE_WIDTH, 0, NO_CYCLE)
		                  : why_build_reason(WHY_DECODE_TURN, first->seq, NO_CYCLE);
	if (st->rob_count == (uint32_t)p->cfg->rob_size)
		return why_build_reason(WHY_ROB_FULL, pipe_rob_at(p, 0)->seq, NO_CYCLE);
	if (st->lsq_count == (uint32_t)p->cfg->lsq_size && uop_is_memory(first))
		return why_build_reason(WHY_LSQ_FULL, pipe_lsq_at(p, 0)->seq, NO_CYCLE);
	if (st->iq_count == p->iq_limit)
		return why_build_reason(p->unordered ? WHY_DECODE_TAKEN : WHY_IQ_FULL,
		                        pipe_rob_at(p, oldest_unissued(p))->seq, NO_CYCLE);
	return first == u ? why_build_reason(WHY_MOVING, 0, st->cycle)
	                  : why_build_reason(WHY_DECODE_TURN, first->seq, NO_CYCLE);
}

/* Squashed by its own replay trap; by that of an older load in the same cycle, if that is still in
 * the pool; or otherwise. */
static struct why why_squashed(const struct pipe *p, const struct uop *u)
{
	static const enum why_id by_trap[REPLAY_COUNT] = {[REPLAY_ORDER] = WHY_REPLAY_ORDER,
	                                                  [REPLAY_SIZE] = WHY_REPLAY_SIZE,
	                                                  [REPLAY_SYNONYM] = WHY_REPLAY_SYNONYM};
	if (uop_was_replayed(u))
		return why_build_reason(by_trap[u->mem.replay], uop_partner(u), u->when.end);
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *q = &p->pool[i];
		if (uop_was_replayed(q) && q->when.end == u->when.end && q->seq < u->seq)
			return why_build_reason(WHY_REPLAY_BEHIND, q->seq, u->when.end);
	}
	return why_build_reason(WHY_SQUASHED, 0, u->when.end);
}

struct why uop_why(const struct pipe *p, const struct uop *u)
{
	switch ((enum uop_state)u->state) {
	case UOP_FETCHED:
		return why_fetched(p, u);
	case UOP_WAITING:
		return why_waiting(p, u);
	case UOP_READY:
		return why_ready(p, u);
	case UOP_EXECUTING:
		if (uop_is_store(u) && (u->flags & UF_ADDR_KNOWN))
			return why_operand(p, u, 1, WHY_OWN_DATA);
		if (uop_is_memory(u))
			return why_build_reason(WHY_AGEN, 0,
			                        u->when.issue + (uint64_t)p->cfg->lsq_agen);
		/* A mispredicted branch that is resolved in the memory stage is complete then. */
		if (u->when.done < p->st->cycle)
			return why_build_reason(WHY_MOVING, 0, p->st->cycle);
		return why_build_reason(WHY_EXECUTING, 0, u->when.done);
	case UOP_ADDRESS:
		return why_address(p, u);
	case UOP_MEMORY:
		return why_in_memory(p, u);
	case UOP_DONE:
		return why_done(p, u);
	case UOP_DROPPED:
		return why_build_reason(WHY_DROPPED, 0, u->when.end);
	case UOP_CONTROL:
		return why_build_reason(WHY_CONTROL, 0, u->when.end);
	case UOP_SQUASHED:
		return why_squashed(p, u);
	default:
		return why_build_reason(uop_is_interpreted(u) ? WHY_INTERPRETED : WHY_COMMITTED, 0,
		                        u->when.end);
	}
}

/* The cause that holds the oldest instruction: uop_why(), with the most common states first. */
static enum why_id why_oldest(const struct pipe *p, const struct uop *u)
{
	/* A serialising instruction is alone in the window: all others wait for it. */
	if (u->op_flags & OPF_SERIAL)
		return WHY_SERIAL_BEFORE;
	if (u->state == UOP_EXECUTING)
		return WHY_EXECUTING;
	if (u->state == UOP_MEMORY)
		return why_memory(p, u).id;
	if (u->exec.stored && u->state == UOP_DONE && p->st->cycle >= pipe_commit_from(p, u))
		return store_lacks_port(p, u) ? WHY_L1D_PORT : of_part[full_buffer_part(p)];
	const enum why_id id = uop_why(p, u).id;
	if (id == WHY_LINE) {
		const struct mshr *m = line_awaited(p, u);
		return m ? of_part[miss_part(p, m)] : WHY_L1;
	}
	/* It became the oldest in this cycle, too late for issue. */
	if (id == WHY_MOVING && u->state == UOP_READY && was_asked(p, u))
		return p->in_order ? WHY_IN_ORDER : WHY_HEAD_ONLY;
	/* The store that it waited for committed in this cycle. */
	if (id == WHY_MOVING && u->state == UOP_ADDRESS)
		return WHY_STORE_COMMIT;
	/* The cycle between a load's data and its commit belongs to the level that served it. */
	static const enum why_id by_level[LEVEL_COUNT] = {[LEVEL_NONE] = WHY_COMMIT_DELAY,
	                                                  [LEVEL_FORWARD] = WHY_FORWARD,
	                                                  [LEVEL_BUFFER] = WHY_BUFFERED,
	                                                  [LEVEL_L1] = WHY_L1,
	                                                  [LEVEL_L2] = WHY_L2,
	                                                  [LEVEL_MEMORY] = WHY_MEMORY};
	return id == WHY_COMMIT_DELAY ? by_level[u->mem.level] : id;
}

/* The row of the CPI stack of a slot lost to Xprof, as an offset in the statistics; 0: not lost to
 * it. */
static size_t profile_row(const struct pipe *p, const struct uop *oldest)
{
	static const size_t of_gap[] = {
		[XPROF_NO_GAP] = 0,
		[XPROF_GAP_DECODE] = offsetof(struct stats, cpi_profile_decode),
		[XPROF_GAP_FETCH] = offsetof(struct stats, cpi_profile_fetch),
	};
	if (oldest && (oldest->op_flags & OPF_XPROF))
		return offsetof(struct stats, cpi_profile_wait);
	return of_gap[xprof_gap(p, oldest)];
}

/* Counts slots lost after a replay trap. */
static void charge_replay(struct pipe *p, uint64_t slots)
{
	uint64_t *const row[REPLAY_COUNT] = {
		[REPLAY_ORDER] = &p->stats->order_slots,
		[REPLAY_SIZE] = &p->stats->size_slots,
		[REPLAY_SYNONYM] = &p->stats->synonym_slots,
	};
	*row[p->st->after_squash - 1] += slots;
}

/* The cause that holds the next instruction to issue. Waiting for a load beyond L1 counts as that
 * load's part. */
static enum why_id why_next_issue(const struct pipe *p, const struct uop *u)
{
	struct why w = uop_why(p, u);
	if (w.id == WHY_MISS_BEFORE)
		return why_memory(p, pipe_uop(p, p->st->miss_slot)).id;
	for (unsigned i = 0; w.id == WHY_OPERAND && i < 3; i++) {
		const struct uop *q = u->src.seq[i] == w.other ? pipe_uop(p, u->src.slot[i]) : NULL;
		if (q && q->state == UOP_MEMORY &&
		    (q->mem.level > LEVEL_L1 || (q->flags & UF_TLB_MISS)))
			return why_memory(p, q).id;
	}
	return (u->op_flags & OPF_SERIAL) ? WHY_SERIAL_BEFORE : w.id;
}

size_t pipe_charge_row(const struct pipe *p)
{
	static const size_t field[WHY_COUNT] = {
#define W(id, name) offsetof(struct stats, cpi_##name),
		WHYS(W)
#undef W
	};
	const struct pipe_state *st = p->st;
	const struct uop *oldest = pipe_next_to_go(p);
	size_t at = st->xprof_seen ? profile_row(p, oldest) : 0;
	if (at)
		return at;
	if (oldest) {
		at = field[p->unordered ? why_next_issue(p, oldest) : why_oldest(p, oldest)];
		return at == offsetof(struct stats, cpi_frontend) && st->after_squash
		               ? offsetof(struct stats, cpi_badspec)
		               : at;
	}
	if (st->after_squash)
		return st->after_squash == AFTER_SWITCH ? offsetof(struct stats, cpi_serial)
		                                        : offsetof(struct stats, cpi_badspec);
	if (st->serial_slot != NO_SLOT) /* it has already issued */
		return offsetof(struct stats, cpi_serial);
	if (st->fetch_waits)
		return offsetof(struct stats, cpi_icache);
	if (st->fetchq_count && (inst_flags(&pipe_fetchq_at(p, 0)->inst) & OPF_SERIAL))
		return offsetof(struct stats, cpi_serial);
	return offsetof(struct stats, cpi_frontend);
}

void pipe_charge(struct pipe *p, uint64_t slots)
{
	const struct pipe_state *st = p->st;
	const size_t at = pipe_charge_row(p);
	const struct uop *next =
		at == offsetof(struct stats, cpi_depend) ? pipe_next_to_go(p) : NULL;
	if (next && (next->op_flags & OPF_FP))
		p->stats->fp_stalls += slots;
	*(uint64_t *)(void *)((uint8_t *)p->stats + at) += slots;
	if (st->after_squash > 1 && at == offsetof(struct stats, cpi_badspec))
		charge_replay(p, slots);
}

struct fetch_why pipe_fetch_why(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (st->outcome.status != MACHINE_RUNNING)
		return (struct fetch_why){FETCH_ENDED, 0, NO_CYCLE};
	if (p->prof->holds && p->prof->vsample->st->phase != VSAMPLE_AWAY &&
	    p->hart->mode == MODE_U)
		return (struct fetch_why){FETCH_HELD, st->commit_pc, NO_CYCLE};
	if (st->fetch_blocked)
		return (struct fetch_why){FETCH_NOWHERE, st->fetch_pc, NO_CYCLE};
	if (st->cycle < st->redirect_until)
		return (struct fetch_why){FETCH_REDIRECTED, st->fetch_pc, st->redirect_until};
	if (st->fetchq_count == p->fetchq_limit)
		return (struct fetch_why){FETCH_QUEUE_FULL, st->fetch_pc, NO_CYCLE};
	if (p->unified_port && st->cycle < st->port_until)
		return (struct fetch_why){FETCH_PORT, st->fetch_pc, st->port_until};
	if (st->fetch_waits)
		return (struct fetch_why){FETCH_LINE, st->fetch_line, st->fetch_ready};
	return (struct fetch_why){FETCH_GOES_ON, st->fetch_pc, NO_CYCLE};
}
