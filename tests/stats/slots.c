/* The slot stack, computed independently: the cause of each empty dispatch slot, from the cycle's
 * events and the state before and after it. */
#include "tests/stats/watch.h"
#include "tests/stats/watch_priv.h"

#include "core/defs/config_fields.h"

void slots_begin(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	w->line_waits = st->fetch_waits;
	w->line_walks_until = st->fetch_walk;
	w->line_level = st->fetched & FETCHED_LEVEL;
	w->nowhere = st->fetch_blocked;
	w->stands_until = st->redirect_until;
}

static int64_t stats_slots_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

uint64_t slots_of_cycle(const struct config *c)
{
	const int64_t others =
		stats_slots_min(stats_slots_min(c->fetch_width, c->issue_width), c->commit_width);
	return (uint64_t)(others > c->decode_width ? others : c->decode_width);
}

/* Instructions ready since before this cycle, for units of this pool; FU_NONE: of all pools. */
static uint64_t stats_slots_count_ready(const struct watch *w, unsigned pool)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < w->p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(w->p, i);
		n += u->state == UOP_READY &&
		     (pool == FU_NONE || (u->at.pool == pool && u->when.dispatch < w->now));
	}
	return n;
}

/* The cycle by which the units of a pool will have started all leftover instructions. */
static uint64_t over_in(const struct watch *w, unsigned pool)
{
	uint64_t free = UINT64_MAX;
	for (unsigned i = 0; i < w->p->fu_count[pool]; i++)
		if (w->p->st->fu[pool][i].busy_until < free)
			free = w->p->st->fu[pool][i].busy_until;
	return free + stats_slots_count_ready(w, pool) / w->p->fu_count[pool];
}

static bool all_issued(const struct watch *w)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < w->p->st->rob_count; i++)
		n += pipe_rob_at(w->p, i)->when.issue == w->now;
	return n == w->cfg->issue_width;
}

static enum slot_row stats_slots_load_row(const struct watch *w, const struct uop *u)
{
	const struct config *c = w->cfg;
	const uint64_t l1 = u->when.mem + u->walk, l2 = l1 + (uint64_t)c->l1d_latency,
		       memory = l2 + (uint64_t)c->l2_latency;
	if (u->mem.level < LEVEL_L1)
		return SLOT_forward;
	if (u->held && w->now + u->held >= u->when.done)
		return SLOT_l2_held;
	if (w->now < l1)
		return SLOT_dtlb;
	if (u->mem.level == LEVEL_L1 || w->now < l2)
		return SLOT_l1d;
	if (u->mem.level == LEVEL_L2 || w->now < memory)
		return SLOT_l2;
	return w->now < u->when.done - u->bus ? SLOT_memory : SLOT_bus;
}

static enum slot_row stats_slots_unit_latency_row(const struct uop *u)
{
	switch (u->at.pool) {
	case FU_IMULDIV:
		return SLOT_latency_imuldiv;
	case FU_FADD:
		return SLOT_latency_fadd;
	case FU_FMULDIV:
		return SLOT_latency_fmuldiv;
	case FU_DIV:
		return u->op_flags & OPF_FP ? SLOT_latency_fmuldiv : SLOT_latency_imuldiv;
	case FU_MEM:
		return SLOT_l1d;
	default:
		return SLOT_latency_int;
	}
}

/* True if the oldest's wait for an issue slot or unit was longer than its remaining execution:
 * without that wait it would be complete. */
static bool stats_slots_oldest_waited(const struct watch *w, const struct uop *u)
{
	return u->when.done - (u->when.issue - u->when.ready) <= w->now;
}

/* The part that the line of this miss is in: SLOT_COUNT if it has come. */
static enum slot_row stats_slots_miss_row(const struct watch *w, uint64_t line)
{
	const struct hierarchy_state *h = w->p->mem.st;
	const uint64_t size = (uint64_t)w->cfg->l1d_line;
	for (uint32_t i = 0; i < h->mshr_count; i++) {
		const struct mshr *m = &h->mshr[i];
		if (m->line != line * size || m->ready <= w->now)
			continue;
		const uint64_t left = m->ready - w->now;
		if (w->now < m->since)
			return SLOT_mshr;
		if (left <= m->waited)
			return SLOT_l2_held;
		if (left <= m->bus)
			return SLOT_bus;
		return m->level == LEVEL_MEMORY &&
		                       w->now - m->since >= (uint64_t)(w->cfg->l1d_latency +
		                                                       w->cfg->l2_latency)
		               ? SLOT_memory
		               : SLOT_l2;
	}
	return SLOT_COUNT;
}

/* The place of the line for which a load was turned away. */
enum slot_row full_line_row(const struct watch *w, const struct uop *u)
{
	const uint64_t size = (uint64_t)w->cfg->l1d_line;
	enum slot_row row = stats_slots_miss_row(w, u->exec.addr / size);
	if (row == SLOT_COUNT)
		row = stats_slots_miss_row(w, (u->exec.addr + u->exec.size - 1) / size);
	return row == SLOT_COUNT ? SLOT_l1d : row;
}

/* The oldest is a store without an entry of the write buffer: a larger one helps if there are miss
 * registers left, and lines come more than one at a time. */
enum slot_row full_buffer_row(const struct watch *w)
{
	const struct hierarchy_state *h = w->p->mem.st;
	const struct wbuf_entry *first = NULL;
	const uint64_t entries = w->cfg->l1d_wbuf ? (uint64_t)w->cfg->l1d_wbuf : WBUF_MAX;
	int64_t busy = 0;
	for (uint64_t i = 0; i < entries; i++)
		if (h->wbuf.entry[i].until > w->now &&
		    (!first || h->wbuf.entry[i].until < first->until))
			first = &h->wbuf.entry[i];
	for (uint32_t i = 0; i < h->mshr_count; i++)
		busy += h->mshr[i].since <= w->now && w->now < h->mshr[i].ready;
	const enum slot_row row = first ? stats_slots_miss_row(w, first->line) : SLOT_COUNT;
	const bool left = busy < (w->cfg->l1d_mshrs ? w->cfg->l1d_mshrs : MSHR_MAX);
	return row == SLOT_COUNT || (left && row != SLOT_bus && row != SLOT_l2_held)
	               ? SLOT_write_buffer
	               : row;
}

/* Loads rejected for this reason. */
static int64_t stats_slots_count_turned_away(const struct watch *w, enum mem_wait why)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < w->p->st->rob_count; i++)
		n += pipe_rob_at(w->p, i)->state == UOP_ADDRESS &&
		     pipe_rob_at(w->p, i)->mem.wait == why;
	return n;
}

/* The instruction that made u ready, if its slot still has it, and u began at once; NULL: none. */
static const struct uop *stats_slots_maker(const struct watch *w, const struct uop *u, bool at_once)
{
	if (u->when.issue == NO_CYCLE || (at_once && u->when.issue > u->when.ready))
		return NULL;
	for (int i = 0; i < 3; i++) {
		const struct uop *of = u->src.seq[i] && u->src.slot[i] != NO_SLOT
		                               ? pipe_find(w->p, u->src.seq[i])
		                               : NULL;
		if (of && of->when.done == u->when.ready)
			return of;
	}
	return NULL;
}

/* True if loads or stores with their operands wait to be issued. */
static bool stats_slots_loads_stand(const struct watch *w)
{
	for (uint32_t i = 0; i < w->p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(w->p, i);
		if (u->state == UOP_READY && u->at.pool == FU_MEM)
			return true;
	}
	return false;
}

/* Cycles of the oldest's wait that its operands' loads spent waiting for addresses of older stores,
 * as far as each could have begun earlier. */
static uint64_t stats_slots_store_wait(const struct watch *w, const struct uop *u)
{
	uint64_t cycles = 0, most = UINT64_MAX;
	for (int i = 0; i < 6 && u && u->when.issue != NO_CYCLE; i++) {
		const uint64_t waited = u->when.issue - u->when.ready;
		if ((u->op_flags & (OPF_LOAD | OPF_ATOMIC)) == OPF_LOAD &&
		    (u->flags & UF_WAITED_FOR_ADDRESSES))
			cycles += waited < most ? waited : most;
		if (u->when.ready - u->when.dispatch < most)
			most = u->when.ready - u->when.dispatch;
		u = stats_slots_maker(w, u, false);
	}
	return cycles;
}

/* The slowest instruction of the recurrence before u, without u. */
static const struct uop *stats_slots_slowest_around(const struct watch *w, const struct uop *u)
{
	const struct uop *before[12], *slowest = NULL;
	int n = 0, first = -1;
	while (n < 12 && first < 0) {
		const struct uop *of = stats_slots_maker(w, n ? before[n - 1] : u, true);
		if (!of || of->pc == u->pc)
			return NULL;
		for (int i = 0; i < n; i++)
			if (before[i]->pc == of->pc)
				first = i;
		before[n++] = of;
	}
	for (int i = first; first >= 0 && i < n - 1; i++)
		if (!slowest || before[i]->when.done - before[i]->when.issue >
		                        slowest->when.done - slowest->when.issue)
			slowest = before[i];
	return slowest && slowest->when.done - slowest->when.issue > 1 ? slowest : NULL;
}

static enum slot_row stats_slots_data_row(const struct uop *u)
{
	if (u->mem.level == LEVEL_NONE)
		return stats_slots_unit_latency_row(u);
	if (u->mem.level > LEVEL_L1 && u->held)
		return SLOT_l2_held;
	return u->mem.level < LEVEL_L1    ? SLOT_forward
	       : u->mem.level == LEVEL_L1 ? SLOT_l1d
	       : u->mem.level == LEVEL_L2 ? SLOT_l2
	                                  : SLOT_memory;
}

static const enum slot_row unit_rows[FU_POOL_COUNT] = {
	SLOT_unit_int, SLOT_unit_imuldiv, SLOT_unit_fadd, SLOT_unit_fmuldiv, SLOT_unit_mem,
	SLOT_unit_div,
};

static enum slot_row stats_slots_turned_away_row(const struct watch *w, const struct uop *u)
{
	return u->mem.wait == MEM_WAIT_MSHR     ? SLOT_mshr
	       : u->mem.wait == MEM_WAIT_LINE   ? full_line_row(w, u)
	       : u->mem.wait == MEM_WAIT_L1PORT ? SLOT_l1d_port
	                                        : SLOT_store_order;
}

/* The units whose queue lasts until *most or longer. */
static enum slot_row stats_slots_unit_queue_row(const struct watch *w, uint64_t *most)
{
	enum slot_row row = SLOT_COUNT;
	for (unsigned pool = 0; pool < FU_POOL_COUNT; pool++) {
		if (!is_taken(w, pool) || !stats_slots_count_ready(w, pool) ||
		    over_in(w, pool) < *most)
			continue;
		*most = over_in(w, pool);
		row = unit_rows[pool];
	}
	return row;
}

/* Decode took as many as it may: more would join the queue. */
static enum slot_row stats_slots_decode_row(const struct watch *w)
{
	uint64_t most = w->now + 1;
	const enum slot_row row = stats_slots_unit_queue_row(w, &most);
	return row == SLOT_COUNT ? SLOT_decode_width : row;
}

/* No room for the next instruction: charged to the oldest, or to the queue after it. */
static enum slot_row stats_slots_window_full_row(const struct watch *w)
{
	const struct pipe *p = w->p;
	const struct uop *u = pipe_rob_at(p, 0);
	if (u->state == UOP_DONE && commit_from(w, u) <= w->now) {
		if (uop_faults(u))
			return SLOT_fault;
		if (u->exec.stored &&
		    !hierarchy_store_fits(&p->mem, u->exec.addr, u->exec.size, w->now))
			return full_buffer_row(w);
		return u->exec.stored && w->cfg->l1d_ports && p->mem.st->port_cycle == w->now &&
		                       (int64_t)p->mem.st->port_used == w->cfg->l1d_ports
		               ? SLOT_l1d_port
		               : SLOT_commit_width;
	}
	if (u->mem.wait == MEM_WAIT_PORT)
		return SLOT_write_port;
	const bool known =
		u->when.issue != NO_CYCLE && u->when.done != NO_CYCLE && u->when.done > w->now;
	uint64_t most = known ? u->when.done : w->now + 1;
	const bool queues = !known || stats_slots_oldest_waited(w, u);
	enum slot_row row = queues ? stats_slots_unit_queue_row(w, &most) : SLOT_COUNT;
	for (unsigned file = 0; queues && file < WRITE_FILES; file++) {
		const int64_t ports = file ? w->cfg->fp_writes : w->cfg->int_writes;
		if (!ports || !p->st->port_denied[file] ||
		    w->now + 1 + p->st->port_denied[file] / (uint64_t)ports < most)
			continue;
		most = w->now + 1 + p->st->port_denied[file] / (uint64_t)ports;
		row = SLOT_write_port;
	}
	if (row != SLOT_COUNT)
		return row;
	if (queues && all_issued(w) && stats_slots_count_ready(w, FU_NONE) &&
	    stats_slots_count_ready(w, FU_NONE) / (uint64_t)w->cfg->issue_width >= most - w->now)
		return SLOT_issue_width;
	/* Miss registers are free sooner with more of them, but not where the lines come one at a
	 * time. */
	const enum slot_row on_its_way =
		u->state == UOP_MEMORY ? stats_slots_load_row(w, u) : SLOT_COUNT;
	const uint64_t behind =
		p->st->unknown_stores && u->mem.level <= LEVEL_L1 && stats_slots_loads_stand(w)
			? stats_slots_store_wait(w, u)
			: 0;
	const uint64_t until = u->state == UOP_DONE ? commit_from(w, u) : u->when.done;
	if (behind && (until == NO_CYCLE || until <= w->now + behind))
		return SLOT_store_order;
	const int64_t crowd = stats_slots_count_turned_away(w, MEM_WAIT_L1PORT);
	if (crowd && u->mem.level >= LEVEL_L1 &&
	    w->now + 1 + (uint64_t)(crowd / w->cfg->l1d_ports) >= u->when.done)
		return SLOT_l1d_port;
	if (w->cfg->l1d_mshrs && stats_slots_count_turned_away(w, MEM_WAIT_MSHR) >= w->cfg->l1d_mshrs &&
	    u->mem.level >= LEVEL_L2 && on_its_way != SLOT_bus && on_its_way != SLOT_l2_held)
		return SLOT_mshr;
	const struct uop *hidden = on_its_way == SLOT_l1d && u->mem.level == LEVEL_L1
	                                   ? stats_slots_slowest_around(w, u)
	                                   : NULL;
	if (on_its_way != SLOT_COUNT)
		return hidden ? stats_slots_data_row(hidden) : on_its_way;
	if (u->state == UOP_ADDRESS)
		return stats_slots_turned_away_row(w, u);
	if (u->state == UOP_DONE && (u->op_flags & OPF_ATOMIC))
		return SLOT_commit_delay;
	const struct uop *slowest = u->when.issue != NO_CYCLE && u->mem.level == LEVEL_NONE &&
	                                            p->timing[inst_class(&u->inst)].latency == 1
	                                    ? stats_slots_slowest_around(w, u)
	                                    : NULL;
	if (slowest)
		return stats_slots_data_row(slowest);
	return u->state == UOP_DONE ? stats_slots_data_row(u) : stats_slots_unit_latency_row(u);
}

/* Decode stands before a serialising instruction, or right after one. */
static enum slot_row stats_slots_serial_row(const struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const struct uop *u = st->rob_count ? pipe_rob_at(w->p, 0) : NULL;
	if (!u || st->serial_slot != NO_SLOT)
		return u && u->state == UOP_DONE && commit_from(w, u) > w->now && !u->trap
		               ? SLOT_commit_delay
		               : SLOT_serial;
	if (u->state != UOP_DONE || (commit_from(w, u) <= w->now &&
	                             stats_slots_window_full_row(w) != SLOT_commit_width))
		return stats_slots_window_full_row(w);
	/* The other instructions leave when complete. */
	for (uint32_t i = 0; i < st->rob_count; i++) {
		u = pipe_rob_at(w->p, i);
		if (u->state == UOP_MEMORY)
			return stats_slots_load_row(w, u);
		if (u->state == UOP_ADDRESS)
			return stats_slots_turned_away_row(w, u);
		if (u->state != UOP_DONE)
			return stats_slots_unit_latency_row(u);
	}
	return commit_from(w, u) > w->now ? SLOT_commit_delay : SLOT_commit_width;
}

/* True if fetch has delivered no instruction, and decode has taken none, in this cycle. */
static enum slot_row stats_slots_fetch_empty_row(const struct watch *w)
{
	if (w->after != REPLAY_COUNT)
		return w->after == REPLAY_NONE ? SLOT_branch_refill : SLOT_replay_refill;
	if (w->flushed)
		return SLOT_fetch_fill;
	if (w->line_waits)
		return w->now < w->line_walks_until    ? SLOT_itlb
		       : w->line_level == LEVEL_MEMORY ? SLOT_icache_memory
		                                       : SLOT_icache_l2;
	if (w->nowhere && !w->next_is_there)
		return SLOT_fault;
	if (!w->stands_until || w->stands_until < w->now)
		return SLOT_fetch_fill;
	return w->p->st->sent_back ? SLOT_profile_fetch : SLOT_misfetch;
}

/* A branch of the right path went the wrong way and has not resolved. */
static bool stats_slots_is_mispredicted(const struct watch *w)
{
	for (uint32_t i = 0; i < w->p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(w->p, i);
		if (u->state != UOP_DONE && u->exec.next_pc != u->pred_next)
			return true;
	}
	return false;
}

/* The reason why fetch delivered no more in this cycle. */
static void fetch_ends(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const uint64_t line = (uint64_t)w->cfg->l1i_line;
	const enum slot_row full =
		w->cfg->fetch_queue < w->cfg->fetch_width ? SLOT_fetch_queue : SLOT_fetch_width;
	if (w->squashes || w->misfetch || w->sent_back)
		w->goes_on_at = UINT64_MAX;
	if (!w->fetches)
		return;
	const struct uop *first = pipe_fetchq_at(w->p, st->fetchq_count - (uint32_t)w->fetches),
			 *last = pipe_fetchq_at(w->p, st->fetchq_count - 1);
	const uint64_t behind = last->pc + uop_len(last);
	const bool rest = first->pc == w->goes_on_at;
	w->goes_on_at = UINT64_MAX;
	if (st->fetch_blocked)
		w->fetch_end = SLOT_fault;
	else if (last->flags & UF_SKIPS)
		w->fetch_end = SLOT_profile_fetch;
	else if (last->pred_next != behind)
		w->fetch_end = rest ? full : SLOT_fetch_taken;
	else if (w->fetches == (uint64_t)w->cfg->fetch_width ||
	         st->fetchq_count == (uint32_t)w->cfg->fetch_queue) {
		const uint64_t lines = behind / line - (first->pc + uop_len(first) - 1) / line + 1;
		w->fetch_end = lines <= (uint64_t)w->cfg->fetch_lines ? full : SLOT_fetch_line;
		if (w->fetch_end == full)
			w->goes_on_at = behind;
	} else
		w->fetch_end = rest ? full : SLOT_fetch_line;
}

void slots_end(struct watch *w, bool running)
{
	const struct pipe_state *st = w->p->st;
	const uint64_t used = w->left_decode, all = slots_of_cycle(w->cfg);
	const uint32_t queued = st->fetchq_count - (uint32_t)w->fetches;
	const struct uop *next = queued ? pipe_fetchq_at(w->p, 0) : NULL;
	enum slot_row row;
	bool no_room = false;
	w->next_is_there = queued;
	if (!running)
		row = machine_status(w->m) == MACHINE_EXITED ? SLOT_serial : SLOT_fault;
	else if (st->dispatch_blocked)
		row = SLOT_fault;
	else if (w->sent_back || w->misfetch)
		row = w->sent_back ? SLOT_profile_fetch : SLOT_misfetch;
	else if (!next || next->when.avail >= w->now)
		row = used ? w->fetch_end : stats_slots_fetch_empty_row(w);
	else if (used == (uint64_t)w->cfg->decode_width)
		row = stats_slots_decode_row(w);
	else if (w->pops)
		row = SLOT_profile_wait;
	else if (st->serial_slot != NO_SLOT || ((next->op_flags & OPF_SERIAL) && st->rob_count))
		row = stats_slots_serial_row(w);
	else {
		row = stats_slots_window_full_row(w);
		no_room = true;
	}
	const bool lost = stats_slots_is_mispredicted(w);
	if (!lost && w->unresolved) {
		w->row[!w->interrupted && w->after < REPLAY_COUNT && w->after != REPLAY_NONE
		               ? SLOT_replay_refill
		               : SLOT_branch_refill] += w->unresolved;
		w->unresolved = 0;
	}
	if (used < all)
		*(lost && !no_room ? &w->unresolved : &w->row[row]) += all - used;
	w->unresolved_differs += w->p->counts->slots_unresolved != w->unresolved;
	fetch_ends(w);
}
