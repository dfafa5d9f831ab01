/* The row that an unused commit slot is charged to, found a second time: commit decides before
 * anything is issued or dispatched. */
#include "core/mem/mem.h"
#include "core/pipe/window.h"
#include "core/prof/profileme/profileme.h"
#include "tests/stats/watch.h"
#include "tests/stats/watch_priv.h"

/* ---- the row that an unused slot is charged to: commit decides before anything is issued or
 * dispatched ----
 */
static bool acted_at(const struct watch *w, uint64_t cycle)
{
	for (unsigned i = 0; i < 64 && i < w->acted_n; i++)
		if (w->acted[i] == cycle)
			return true;
	return false;
}

static bool stats_charge_decode_acted_within(const struct watch *w, uint64_t first, uint64_t last)
{
	for (uint64_t c = first; c <= last; c++)
		if (acted_at(w, c))
			return true;
	return false;
}

/* Decode worked for Xprof when the instruction that would commit now should have been decoded. */
static enum row stats_charge_xprof_gap_row(const struct watch *w, const struct uop *oldest)
{
	const uint64_t then = w->now - w->p->decode_to_commit;
	if (oldest && oldest->when.dispatch <= then)
		return ROWS;
	if (acted_at(w, then))
		return DECODE;
	const uint64_t next = oldest ? oldest->seq : w->next_in_queue;
	return w->again_seq && next == w->again_seq && then > w->again_cycle &&
	                       !stats_charge_decode_acted_within(w, w->again_cycle + 1, then)
	               ? SKIPPED
	               : ROWS;
}

/* Row of a load: of a completed load by its serving level, of a load in flight by the level
 * reached. */
static enum row stats_charge_load_level_row(const struct watch *w, const struct uop *u)
{
	const uint64_t l1 = u->when.mem + u->walk, l2 = l1 + (uint64_t)w->cfg->l1d_latency,
		       memory = l2 + (uint64_t)w->cfg->l2_latency;
	const bool on_its_way = u->state == UOP_MEMORY;
	if (u->mem.level == LEVEL_NONE)
		return DEPEND;
	if (u->mem.level < LEVEL_L1)
		return L1D;
	if (on_its_way && w->now < l1)
		return TLB;
	if (u->mem.level == LEVEL_L1 || (on_its_way && w->now < l2))
		return L1D;
	return u->mem.level == LEVEL_L2 || (on_its_way && w->now < memory) ? L2 : MEM;
}

/* The row of the CPI stack of a part of memory. */
static enum row stats_charge_part_row(enum slot_row part)
{
	return part == SLOT_memory || part == SLOT_bus   ? MEM
	       : part == SLOT_l2 || part == SLOT_l2_held ? L2
	       : part == SLOT_l1d                        ? L1D
	                                                 : STRUCTURAL;
}

/* The row of a store that may commit. */
static enum row stats_charge_store_row(const struct watch *w)
{
	const struct hierarchy_state *h = w->p->mem.st;
	return w->cfg->l1d_ports && h->port_cycle + 1 == w->now &&
	                       (int64_t)h->port_used == w->cfg->l1d_ports
	               ? STRUCTURAL
	               : stats_charge_part_row(full_buffer_row(w));
}

/* The oldest's state before issue. */
static enum row stats_charge_oldest_wait_row(const struct watch *w, const struct uop *u)
{
	const bool issued = u->when.issue < w->now,
		   ready = u->when.ready != NO_CYCLE && u->when.ready <= w->now;
	if (u->op_flags & OPF_SERIAL)
		return SERIAL;
	if (!issued && !ready)
		return DEPEND;
	if (!issued && (w->now <= u->when.ready || w->now <= u->when.dispatch + 1))
		return FRONTEND;
	/* issue passed it over in the cycle before: an atomic was not the oldest then */
	if (!issued)
		return u->op_flags & OPF_ATOMIC ? ORDER : STRUCTURAL;
	if (u->state == UOP_ADDRESS && u->mem.wait == MEM_WAIT_LINE)
		return stats_charge_part_row(full_line_row(w, u));
	if (u->state == UOP_ADDRESS)
		return u->mem.wait == MEM_WAIT_MSHR || u->mem.wait == MEM_WAIT_L1PORT ? STRUCTURAL
		                                                                      : ORDER;
	if (u->state != UOP_DONE)
		return u->mem.wait == MEM_WAIT_PORT ? STRUCTURAL
		       : u->state == UOP_MEMORY     ? stats_charge_load_level_row(w, u)
		                                    : DEPEND;
	return u->exec.stored && w->now >= commit_from(w, u) ? stats_charge_store_row(w)
	                                                     : stats_charge_load_level_row(w, u);
}

static enum row stats_charge_cycle_row(const struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const struct uop *oldest = st->rob_count && pipe_rob_at(w->p, 0)->when.dispatch < w->now
	                                   ? pipe_rob_at(w->p, 0)
	                                   : NULL;
	if (oldest && (oldest->op_flags & OPF_XPROF))
		return WAIT;
	const enum row xprof = stats_charge_xprof_gap_row(w, oldest);
	if (xprof != ROWS)
		return xprof;
	const enum row row = oldest ? stats_charge_oldest_wait_row(w, oldest) : FRONTEND;
	if (row != FRONTEND)
		return row;
	if (w->after != REPLAY_COUNT)
		return BADSPEC;
	if (oldest)
		return FRONTEND;
	if (w->waited && !w->flushed)
		return ICACHE;
	return w->serial_next && !w->flushed ? SERIAL : FRONTEND;
}

void watch_charge(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const uint64_t slots = (uint64_t)w->cfg->commit_width - w->commits;
	if (!slots)
		return;
	const enum row row = stats_charge_cycle_row(w);
	w->slots[row] += slots;
	if (row == BADSPEC)
		w->slots_of_replay[w->after] += slots;
	w->fp_slots += row == DEPEND && st->rob_count && (pipe_rob_at(w->p, 0)->op_flags & OPF_FP)
	                       ? slots
	                       : 0;
}
