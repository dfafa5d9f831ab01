/* The ranges of the pipeline's fields, one function for each structure. */
#include "core/pipe/checkpoint_check.h"

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/op.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/frontend/speculated.h"
#include "core/pipe/memory/prefetch_kind.h"
#include "core/pipe/memory/replacement.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/xprof/xprof.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static uint64_t pipe_checkpoint_max_index(uint64_t n)
{
	return n ? n - 1 : 0;
}

/* Ranges of bpred_mark's fields that are indices or counts; others may have any value. */
static void mark_ranges(const struct bpred *b, const struct uop *u, uint32_t n, struct ranges *rs)
{
	RANGE(rs, "instructions", u, n, mark.bimodal, RANGE_MOST, b->mark_most[0]);
	RANGE(rs, "instructions", u, n, mark.l2, RANGE_MOST, b->mark_most[1]);
	RANGE(rs, "instructions", u, n, mark.meta, RANGE_MOST, b->mark_most[2]);
	RANGE(rs, "instructions", u, n, mark.history_index, RANGE_MOST, b->l1_mask);
	RANGE(rs, "instructions", u, n, mark.old_history, RANGE_MOST, b->history_mask);
	RANGE(rs, "instructions", u, n, mark.ras_top, RANGE_MOST,
	      pipe_checkpoint_max_index(b->ras_size));
	RANGE(rs, "instructions", u, n, mark.ras_count, RANGE_MOST, b->ras_size);
	RANGE(rs, "instructions", u, n, mark.record, RANGE_MOST,
	      b->speculated ? b->record_mask + 1 : 0);
}

static void uop_ranges(const struct pipe *p, struct ranges *rs)
{
	static const char name[] = "instructions";
	const struct uop *u = p->pool;
	const uint32_t n = p->pool_size;
	const uint64_t last_slot = n - 1, last_link = last_slot << 2 | SOURCE_LATER;
	RANGE(rs, name, u, n, seq, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, u, n, when.avail, RANGE_NONE, RANGE_SOON(p->st->cycle));
	RANGE(rs, name, u, n, when.done, RANGE_NONE, RANGE_SOON(p->st->cycle));
	INST_FORM_RANGES(rs, name, u, n, inst.);
	RANGE(rs, name, u, n, inst.klass, RANGE_MOST, CLASS_COUNT - 1);
	RANGE(rs, name, u, n, inst.rd, RANGE_MOST, REG_SINK);
	RANGE(rs, name, u, n, inst.rs1, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, u, n, inst.rs2, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, u, n, inst.rs3, RANGE_MOST, REG_SINK - 1);
	mark_ranges(&p->bpred, u, n, rs);
	RANGE(rs, name, u, n, op_flags, RANGE_BITS, 2 * OPF_XPROF - 1);
	RANGE(rs, name, u, n, state, RANGE_MOST, UOP_STATE_COUNT - 1);
	RANGE(rs, name, u, n, trap, RANGE_MOST, TRAP_COUNT - 1);
	RANGE(rs, name, u, n, prefix_len, RANGE_MOST, 4);
	RANGE(rs, name, u, n, profile_type, RANGE_MOST, PROFILE_TYPES_MAX - 1);
	RANGE(rs, name, u, n, fetched, RANGE_BITS, 7 | FETCHED_TLB_MISS);
	RANGE(rs, name, u, n, exec.size, RANGE_MOST, 8);
	RANGE(rs, name, u, n, exec.stored, RANGE_MOST, 1);
	RANGE(rs, name, u, n, exec.unreached, RANGE_MOST, 1);
	RANGE(rs, name, u, n, exec.taken, RANGE_MOST, 1);
	RANGE(rs, name, u, n, undo.fcsr, RANGE_MOST, 0xff);
	RANGE(rs, name, u, n, undo.rename, RANGE_NONE, last_slot);
	RANGE_EACH(rs, name, u, n, src.slot, RANGE_NONE, last_slot);
	RANGE_EACH(rs, name, u, n, src.next, RANGE_NONE, last_link);
	RANGE(rs, name, u, n, src.pending, RANGE_BITS, SOURCES_TO_ISSUE | 1 << SOURCE_LATER);
	RANGE(rs, name, u, n, mem.level, RANGE_MOST, LEVEL_COUNT - 1);
	RANGE(rs, name, u, n, mem.wait, RANGE_MOST, MEM_WAIT_PORT);
	RANGE(rs, name, u, n, mem.delayed, RANGE_MOST, 1);
	RANGE(rs, name, u, n, mem.replay, RANGE_MOST, REPLAY_COUNT - 1);
	/* none: the value sampler's handler interpreted it */
	RANGE(rs, name, u, n, at.rob, RANGE_NONE, p->rob_mask);
	RANGE(rs, name, u, n, at.lsq, RANGE_NONE, p->lsq_mask);
	RANGE(rs, name, u, n, at.wheel, RANGE_NONE, WHEEL - 1);
	RANGE(rs, name, u, n, at.pool, RANGE_MOST, FU_NONE);
	RANGE(rs, name, u, n, at.unit, RANGE_NONE, FU_UNITS_MAX - 1);
	RANGE(rs, name, u, n, users, RANGE_NONE, last_link);
	RANGE(rs, name, u, n, raised, RANGE_MOST, 31);
}

/* Ranges of queues and the window. */
static void queue_ranges(const struct pipe *p, struct ranges *rs)
{
	static const char name[] = "pipeline";
	const struct pipe_state *st = p->st;
	const uint64_t last_slot = p->pool_size - 1;
	RANGE(rs, name, st, 1, slot_next, RANGE_MOST, last_slot);
	RANGE(rs, name, st, 1, fetchq_head, RANGE_MOST, p->fetchq_mask);
	RANGE(rs, name, st, 1, fetchq_count, RANGE_MOST, p->fetchq_limit);
	RANGE(rs, name, st, 1, rob_head, RANGE_MOST, p->rob_mask);
	RANGE(rs, name, st, 1, rob_count, RANGE_MOST, p->rob_limit);
	RANGE(rs, name, st, 1, lsq_head, RANGE_MOST, p->lsq_mask);
	RANGE(rs, name, st, 1, lsq_count, RANGE_MOST, p->lsq_limit);
	RANGE(rs, name, st, 1, iq_count, RANGE_MOST, p->iq_limit);
	RANGE(rs, name, st, 1, mem_retries, RANGE_MOST, p->lsq_limit);
	RANGE(rs, name, st, 1, unknown_stores, RANGE_MOST, p->lsq_limit);
	RANGE(rs, name, st, 1, spec_slot, RANGE_NONE, last_slot);
	RANGE(rs, name, st, 1, serial_slot, RANGE_NONE, last_slot);
	RANGE_EACH(rs, name, st, 1, rename, RANGE_NONE, last_slot);
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		RANGE(rs, name, st, 1, fu_held[pool], RANGE_BITS, p->fu_all.pool[pool]);
	RANGE(rs, name, st, 1, held_pools, RANGE_BITS, (1u << (FU_POOL_COUNT + 1)) - 1);
	if (p->rob_words > 2) {
		RANGE(rs, "ready summary", p->ready_sum, 1, words, RANGE_BITS,
		      (1u << p->rob_words) - 1);
		for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
			RANGE(rs, "ready summary", p->ready_sum, 1, count[pool], RANGE_MOST,
			      p->rob_limit);
		RANGE_WORDS(rs, "wheel words", p->wheel_words, WHEEL, RANGE_BITS,
		            (1u << p->rob_words) - 1);
	}
	RANGE_EACH(rs, name, st, 1, store_filter, RANGE_MOST, 2 * p->lsq_limit);
	RANGE_WORDS(rs, "fetch queue", p->fetchq, p->fetchq_mask + 1, RANGE_MOST, last_slot);
	RANGE_WORDS(rs, "reorder buffer", p->rob, p->rob_mask + 1, RANGE_MOST, last_slot);
	RANGE_WORDS(rs, "load/store queue", p->lsq, p->lsq_mask + 1, RANGE_MOST, last_slot);
}

static void state_ranges(const struct pipe *p, struct ranges *rs)
{
	static const char name[] = "pipeline";
	const struct pipe_state *st = p->st;
	const uint64_t soon = RANGE_SOON(st->cycle);
	RANGE(rs, name, st, 1, cycle, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, next_seq, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, signals_at, RANGE_NONE, RANGE_TIME);
	RANGE(rs, name, st, 1, fetch_ready, RANGE_MOST, soon);
	RANGE(rs, name, st, 1, redirect_until, RANGE_MOST, soon);
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		RANGE(rs, "functional units", st->fu[pool], FU_UNITS_MAX, busy_until, RANGE_MOST,
		      soon);
	RANGE(rs, name, st, 1, fetch_blocked, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, fetch_waits, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, after_squash, RANGE_MOST, AFTER_SWITCH);
	RANGE(rs, name, st, 1, after_trap, RANGE_MOST, BLAME_VSAMPLE);
	RANGE(rs, name, st, 1, fetched, RANGE_BITS, 7 | FETCHED_TLB_MISS);
	RANGE(rs, name, st, 1, dispatch_blocked, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, xprof_seen, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, mark_next, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, decode_stop, RANGE_MOST, DECODE_STOP_COUNT - 1);
	RANGE(rs, name, st, 1, slot_row, RANGE_MOST, SLOT_UNRESOLVED);
	RANGE(rs, name, st, 1, issue_row, RANGE_MOST, SLOT_COUNT - 1);
	RANGE(rs, name, st, 1, issue_full, RANGE_MOST, UINT16_MAX);
	RANGE(rs, name, st, 1, issue_lost, RANGE_MOST, UINT16_MAX);
	RANGE(rs, name, st, 1, sent_back, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, dropped, RANGE_MOST, 0);
	RANGE(rs, name, st, 1, denied, RANGE_BITS, (1u << FU_POOL_COUNT) - 1);
	RANGE_EACH(rs, name, st, 1, denied_count, RANGE_MOST, p->rob_limit);
	RANGE_EACH(rs, name, st, 1, port_denied, RANGE_MOST, p->rob_limit);
	RANGE(rs, name, st, 1, fetch_ended, RANGE_MOST, FETCH_END_REST);
	RANGE(rs, name, st, 1, fetch_walk, RANGE_MOST, soon);
	RANGE(rs, name, st, 1, issue_cycle, RANGE_MOST, st->cycle);
	RANGE(rs, name, st, 1, width_cycle, RANGE_MOST, st->cycle);
	RANGE(rs, name, st, 1, flags_fresh, RANGE_MOST, 2);
	RANGE(rs, name, st, 1, last_commit_cycle, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, memory_until, RANGE_MOST, soon);
	RANGE(rs, name, st, 1, port_until, RANGE_MOST, soon);
	RANGE(rs, name, st, 1, miss_slot, RANGE_NONE, p->pool_size - 1);
	if (p->writes) {
		RANGE(rs, "write ports", p->writes, WRITE_CYCLES, cycle, RANGE_MOST, soon);
		for (unsigned file = 0; file < WRITE_FILES; file++)
			RANGE(rs, "write ports", p->writes, WRITE_CYCLES, used[file], RANGE_MOST,
			      p->write_ports[file] < p->pool_size ? p->write_ports[file]
			                                          : p->pool_size);
	}
	RANGE(rs, name, st, 1, creg[REG_ZERO], RANGE_MOST, 0);
	RANGE(rs, name, st, 1, cfcsr, RANGE_MOST, 0xff);
	RANGE(rs, name, st, 1, outcome.status, RANGE_MOST, MACHINE_BROKEN);
	RANGE(rs, name, st, 1, outcome.fault.trap, RANGE_MOST, TRAP_COUNT - 1);
	INST_FORM_RANGES(rs, name, st, 1, outcome.fault.inst.);
	RANGE(rs, name, st, 1, outcome.fault.inst.rd, RANGE_MOST, REG_SINK);
	RANGE(rs, name, st, 1, outcome.fault.inst.rs1, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, st, 1, outcome.fault.inst.rs2, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, st, 1, outcome.fault.inst.rs3, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, "hart", p->hart, 1, r[REG_ZERO], RANGE_MOST, 0);
	RANGE(rs, "hart", p->hart, 1, fcsr, RANGE_MOST, 0xff);
	RANGE(rs, "hart", p->hart, 1, slept, RANGE_MOST, RANGE_TIME);
	RANGE(rs, "hart", p->hart, 1, xprof, RANGE_MOST, p->cfg->xprof);
	RANGE(rs, "hart", p->hart, 1, isa, RANGE_MOST, p->cfg->isa);
	RANGE(rs, "hart", p->hart, 1, pflags, RANGE_MOST, 0xff);
	RANGE(rs, "hart", p->hart, 1, new_code, RANGE_MOST, 1);
	RANGE(rs, "hart", p->hart, 1, mode, RANGE_BITS, p->cfg->firmware ? MODE_M : MODE_U);
	RANGE(rs, "hart", p->hart, 1, privilege, RANGE_BITS, MODE_M);
	RANGE(rs, "hart", p->hart, 1, tohost, RANGE_MOST, MEM_TOP);
	RANGE_WORDS(rs, "statistics", (const uint64_t *)(const void *)p->stats,
	            sizeof *p->stats / sizeof(uint64_t), RANGE_MOST, RANGE_TIME);
}

static void bpred_ranges(const struct bpred *b, struct ranges *rs)
{
	const uint64_t entries = b->btb_ways ? ((uint64_t)b->btb_mask + 1) * b->btb_ways : 0;
	RANGE(rs, "predictor", b->st, 1, ras_top, RANGE_MOST,
	      pipe_checkpoint_max_index(b->ras_size));
	RANGE(rs, "predictor", b->st, 1, ras_count, RANGE_MOST, b->ras_size);
	RANGE(rs, "predictor", b->st, 1, words, RANGE_MOST, !b->cfg->bpred_shift);
	RANGE_WORDS(rs, "bimodal table", b->bimodal, b->bimodal_mask + 1, RANGE_MOST, 3);
	RANGE_WORDS(rs, "history registers", b->history, b->l1_mask + 1, RANGE_MOST,
	            b->history_mask);
	RANGE_WORDS(rs, "second-level table", b->l2, b->l2_mask + 1, RANGE_MOST, 3);
	RANGE_WORDS(rs, "chooser table", b->meta, b->meta_mask + 1, RANGE_MOST, 3);
	if (b->by->ranges)
		b->by->ranges(b, rs);
	speculated_ranges(b, rs);
	RANGE(rs, "target changes in flight", b->btb_log, b->btb_log_mask + 1, index, RANGE_MOST,
	      pipe_checkpoint_max_index(entries));
}

static void memdep_ranges(const struct pipe *p, struct ranges *rs)
{
	const struct memdep *d = &p->memdep;
	RANGE_WORDS(rs, "dependence table", d->table, d->mask + 1, RANGE_MOST, d->most);
	RANGE(rs, "last stores of store sets", d->last, d->set_mask + 1, slot, RANGE_MOST,
	      p->pool_size - 1);
}

static void hierarchy_ranges(const struct hierarchy *h, uint64_t now, struct ranges *rs)
{
	static const char name[] = "memory system";
	const struct hierarchy_state *st = h->st;
	RANGE(rs, name, st, 1, clock, RANGE_MOST, UINT64_C(1) << 55);
	RANGE(rs, name, st, 1, bus_free, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st->bus, BUS_MAX, until, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st->mshr, MSHR_ENTRIES, ready, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st, 1, wbuf.until, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st, 1, bus_count, RANGE_MOST, BUS_MAX);
	RANGE(rs, name, st, 1, mshr_count, RANGE_MOST, MSHR_ENTRIES);
	RANGE(rs, name, st->mshr, MSHR_ENTRIES, level, RANGE_MOST, LEVEL_COUNT - 1);
	RANGE(rs, name, st->mshr, MSHR_ENTRIES, chained, RANGE_MOST, 1);
	RANGE(rs, name, st->mshr, MSHR_ENTRIES, held, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st->mshr, MSHR_ENTRIES, waited, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st, 1, port_cycle, RANGE_MOST, RANGE_SOON(now));
	RANGE(rs, name, st, 1, port_used, RANGE_MOST, h->l1d_ports);
	if (h->l2_limits) {
		RANGE(rs, "l2 limits", h->l2_limits->port, L2_PORT_CYCLES, cycle, RANGE_MOST,
		      RANGE_SOON(now));
		RANGE(rs, "l2 limits", h->l2_limits->port, L2_PORT_CYCLES, used, RANGE_MOST,
		      h->l2_ports);
		RANGE(rs, "l2 limits", h->l2_limits->miss, L2_MSHR_MAX, since, RANGE_MOST,
		      RANGE_SOON(now));
		RANGE(rs, "l2 limits", h->l2_limits->miss, L2_MSHR_MAX, until, RANGE_MOST,
		      RANGE_SOON(now));
	}
	RANGE(rs, name, st, 1, wbuf.next, RANGE_MOST, h->wbuf_limit - 1);
	RANGE(rs, name, st, 1, wbuf.last, RANGE_MOST, h->wbuf_limit - 1);
	RANGE(rs, name, st, 1, last_l1i.index, RANGE_MOST, h->l1i.sets * h->l1i.ways - 1);
	RANGE(rs, name, st, 1, last_l1d.index, RANGE_MOST, h->l1d.sets * h->l1d.ways - 1);
	const struct cache *const caches[] = {&h->l1i, &h->l1d, &h->l2};
	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		const struct prefetcher *p = &caches[i]->prefetcher;
		if (p->by && p->by->ranges)
			p->by->ranges(p, rs);
		if (caches[i]->policy && caches[i]->policy->ranges)
			caches[i]->policy->ranges(caches[i], rs);
	}
}

void pipe_fill_ranges(const struct pipe *p, struct ranges *rs)
{
	const struct hierarchy *h = &p->mem;
	const uint64_t soon = RANGE_SOON(p->st->cycle);
	const struct cache *const caches[] = {&h->l1i, &h->l1d, &h->l2};
	const struct tlb *const tlbs[] = {&h->itlb, &h->dtlb};
	static const char *const cache_names[] = {"L1I lines", "L1D lines", "L2 lines"},
				 *const tlb_names[] = {"ITLB", "DTLB"};
	for (size_t i = 0; i < COUNT_OF(caches); i++)
		RANGE(rs, cache_names[i], caches[i]->lines, caches[i]->sets * caches[i]->ways,
		      ready, RANGE_MOST, soon);
	for (size_t i = 0; i < COUNT_OF(tlbs); i++)
		RANGE(rs, tlb_names[i], tlbs[i]->entries, tlbs[i]->sets * tlbs[i]->ways, ready,
		      RANGE_MOST, soon);
	RANGE(rs, "write buffer", h->st->wbuf.entry, WBUF_MAX, until, RANGE_MOST, soon);
}

void pipe_ranges(const struct pipe *p, struct ranges *rs)
{
	state_ranges(p, rs);
	queue_ranges(p, rs);
	uop_ranges(p, rs);
	bpred_ranges(&p->bpred, rs);
	xprof_ranges(p, rs);
	memdep_ranges(p, rs);
	hierarchy_ranges(&p->mem, p->st->cycle, rs);
	if (p->plugins.record) {
		RANGE(rs, "plug-ins", p->plugins.record, 1, failed, RANGE_MOST, 1);
		RANGE_TEXT_IN(rs, "plug-ins", p->plugins.record, 1, text);
	}
}
