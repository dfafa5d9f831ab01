#include "hwviews/why/hot.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/sort.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/order.h"
#include "hwviews/session/view_text.h"

/* Facts about an instruction in flight, counted when it commits. */
struct facts {
	/* cycle whose slot it took; NO_CYCLE: the cycle of its commit */
	uint64_t slot_cycle;
	uint64_t seq;
	uint64_t resolving;  /* cycles from fetch to its known outcome */
	uint16_t level;  /* enum mem_level */
	uint16_t source; /* enum hot_source */
	uint64_t behind;     /* the address after it */
	uint16_t thread;
	bool interpreted, counts, control, taken, said, wrong, calls, returns;
};

/* A whole run's profile up to a cycle, from which one up to a later cycle goes on. */
struct hot_mark {
	uint64_t to, next_slot;
	bool called;             /* this and called_by as in struct hot */
	uint16_t called_by;
	struct hot_inst *insts; /* owned; [inst_count] */
	size_t inst_count;
	struct charge *charges; /* owned; [charge_count] */
	size_t charge_count;
	struct facts *seen;     /* owned; [pool_size] */
	struct callers *callers; /* owned */
	size_t bytes;           /* of all these */
};

enum {
	MARKS_MAX = 256,
	MARK_SPACING = 1024,      /* cycles, at first */
	MARK_BYTES_MAX = 32 << 20 /* of all marks: twice the spacing if they take more */
};

struct hot_marks {
	uint64_t from, cuts, spacing; /* cycles, as in struct hot */
	struct hot_mark all[MARKS_MAX]; /* [count], ascending by cycle */
	unsigned count;
	size_t bytes;
};

struct hot {
	uint64_t from, to, cuts;   /* cycles covered; from == to: none */
	/* next_slot: first commit slot that is not yet assigned, counted from cycle 0 */
	uint64_t width, next_slot;
	uint64_t next_pc;          /* next to commit at the end */
	bool short_of_memory;
	const struct session *session; /* borrowed: of the profile */
	bool called;               /* the last instruction was a call, of this thread */
	uint16_t called_by;
	struct hot_inst *table;    /* owned; [room], a power of two: hashed, executed 0: free */
	size_t count, room;
	struct facts *seen;        /* owned; [pool_size]: facts of instructions in flight, by
	                            * slot */
	/* owned; [sorted_count]: the table by address, with the slots at the end */
	struct hot_inst *sorted;
	size_t sorted_count;
	struct charges *charges;   /* owned */
	struct callers *callers;   /* owned */
	const struct charge *charged; /* [charged_count], of charges */
	size_t charged_count;
	bool goes_on;              /* the next cycle observed continues the profile */
	size_t pool_size;
	bool marked;               /* the region begins where the marks' does */
	struct hot_marks marks;
};

/* ---- marks ---- */
static void hot_drop_mark(struct hot_marks *k, unsigned i)
{
	k->bytes -= k->all[i].bytes;
	free(k->all[i].insts);
	free(k->all[i].charges);
	free(k->all[i].seen);
	callers_free(k->all[i].callers);
	memmove(&k->all[i], &k->all[i + 1], (--k->count - i) * sizeof k->all[0]);
}

static void hot_drop_marks(struct hot_marks *k)
{
	while (k->count)
		hot_drop_mark(k, k->count - 1);
	*k = (struct hot_marks){.spacing = MARK_SPACING};
}

/* Drops every second mark while there are too many. */
static void hot_thin_marks(struct hot_marks *k)
{
	while (k->count && (k->count == MARKS_MAX || k->bytes > MARK_BYTES_MAX)) {
		k->spacing *= 2;
		for (unsigned i = k->count; i-- > 0;)
			if ((k->all[i].to - k->from) % k->spacing)
				hot_drop_mark(k, i);
	}
}

/* Keeps the profile as it is after this cycle, if a mark is due; without memory it keeps none. */
static void hot_mark_if_due(struct hot *h, uint64_t cycle)
{
	struct hot_marks *k = &h->marks;
	const uint64_t last = k->count ? k->all[k->count - 1].to : k->from;
	struct hot_mark m = {.to = cycle,
	                     .next_slot = h->next_slot,
	                     .called = h->called,
	                     .called_by = h->called_by};
	if (!h->marked || cycle <= last || (cycle - k->from) % k->spacing)
		return;
	m.charges = charges_save(h->charges, &m.charge_count);
	m.insts = alloc_zeroed(h->count + 1, sizeof *m.insts);
	m.seen = alloc_zeroed(h->pool_size, sizeof *m.seen);
	m.callers = callers_copy(h->callers, &m.bytes);
	if (!m.charges || !m.insts || !m.seen || !m.callers) {
		callers_free(m.callers);
		free(m.charges);
		free(m.insts);
		free(m.seen);
		return;
	}
	for (size_t i = 0; i < h->room; i++)
		if (h->table[i].executed)
			m.insts[m.inst_count++] = h->table[i];
	memcpy(m.seen, h->seen, h->pool_size * sizeof *m.seen);
	m.bytes += m.inst_count * sizeof *m.insts + m.charge_count * sizeof *m.charges +
	          h->pool_size * sizeof *m.seen;
	k->bytes += m.bytes;
	k->all[k->count++] = m;
	hot_thin_marks(k);
}

/* Drops the profile, not its marks. */
static void hot_drop_profile(struct hot *h)
{
	const struct hot_marks marks = h->marks;
	free(h->table);
	free(h->seen);
	free(h->sorted);
	charges_free(h->charges);
	callers_free(h->callers);
	*h = (struct hot){.marks = marks};
}

void hot_clear(struct hot *h)
{
	hot_drop_profile(h);
	hot_drop_marks(&h->marks);
}

struct hot *hot_new(void)
{
	struct hot *h = alloc_zeroed(1, sizeof *h);
	if (h)
		h->marks.spacing = MARK_SPACING;
	return h;
}

void hot_free(struct hot *h)
{
	if (h)
		hot_clear(h);
	free(h);
}

/* ---- the table ---- */
static struct hot_inst *hot_find_slot(struct hot_inst *table, size_t room, uint64_t pc,
                                      bool interpreted)
{
	size_t i = hash_word(HASH_WORDS_START, pc | interpreted) & (room - 1);
	while (table[i].executed && (table[i].pc != pc || table[i].interpreted != interpreted))
		i = (i + 1) & (room - 1);
	return &table[i];
}

static bool hot_grow_table(struct hot *h)
{
	size_t room = h->room ? 2 * h->room : 1024;
	struct hot_inst *table = alloc_zeroed(room, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < h->room; i++)
		if (h->table[i].executed)
			*hot_find_slot(table, room, h->table[i].pc, h->table[i].interpreted) =
				h->table[i];
	free(h->table);
	h->table = table;
	h->room = room;
	return true;
}

/* The table entry of an instruction; NULL if memory is out. */
static struct hot_inst *hot_intern_inst(struct hot *h, const struct event *ev, bool interpreted)
{
	if (2 * (h->count + 1) > h->room && !hot_grow_table(h))
		return NULL;
	struct hot_inst *e = hot_find_slot(h->table, h->room, ev->pc, interpreted);
	if (!e->executed) {
		*e = (struct hot_inst){.pc = ev->pc,
		                       .interpreted = interpreted,
		                       .at = code_place_own(h->session, ev->pc)};
		h->count++;
	}
	return e;
}

/* ---- listening ---- */
static enum hot_source hot_prediction_source(const struct bpred *b, const struct uop *u)
{
	if (b->perfect)
		return HOT_BY_DIRECTION;
	if (u->op_flags & OPF_BRANCH) {
		if (!(b->by->shared & SHARED_CHOOSER))
			return HOT_BY_DIRECTION;
		return u->mark.flags & BPM_USED_L2 ? HOT_BY_TWO_LEVEL : HOT_BY_BIMODAL;
	}
	return u->mark.flags & BPM_FROM_RAS  ? HOT_BY_RAS
	       : u->mark.flags & BPM_BTB_HIT ? HOT_BY_BTB : HOT_BY_DECODE;
}

static struct facts facts_of(const struct pipe *p, const struct uop *u)
{
	const bool interpreted = uop_is_interpreted(u), control = u->op_flags & OPF_CONTROL;
	return (struct facts){
		.seq = u->seq,
		.slot_cycle = p->unordered ? u->when.issue : NO_CYCLE,
		.level = u->mem.level,
		.interpreted = interpreted,
		.counts = !interpreted && !(u->flags & UF_MACHINE),
		.control = control,
		.source = control ? (uint16_t)hot_prediction_source(&p->bpred, u) : 0,
		.taken = u->exec.taken || (u->op_flags & OPF_JUMP),
		.said = (u->op_flags & OPF_JUMP) || (u->mark.flags & BPM_TAKEN),
		.wrong = u->flags & UF_MISPREDICT,
		.thread = u->thread,
		.behind = u->pc + uop_len(u),
		.calls = inst_pushes_ras(&u->inst),
		.returns = inst_pops_ras(&u->inst),
		.resolving = u->when.done != NO_CYCLE ? u->when.done - u->when.fetch : 0,
	};
}

static void count_prediction(struct hot_inst *e, const struct facts *f)
{
	e->predicted++;
	e->taken += f->taken;
	e->wrong += f->wrong;
	e->resolving += f->wrong ? f->resolving : 0;
	e->believed[f->source]++;
	e->took = (uint16_t)(e->took << 1 | f->taken);
	e->said = (uint16_t)(e->said << 1 | f->said);
	e->missed = (uint16_t)(e->missed << 1 | (f->wrong && f->taken == f->said));
}

static void count_commit(struct hot *h, const struct event *ev, const struct facts *f)
{
	struct hot_inst *e = hot_intern_inst(h, ev, f->interpreted);
	if (!e) {
		h->short_of_memory = true;
		return;
	}
	const uint64_t first = (f->slot_cycle == NO_CYCLE ? ev->cycle : f->slot_cycle) * h->width;
	const uint64_t lost = h->next_slot < first ? first - h->next_slot : 0;
	e->lost += lost;
	h->next_slot += lost + 1;
	e->executed++;
	if (!f->counts)
		return;
	e->entry |= h->called && h->called_by == f->thread;
	h->called = f->calls;
	h->called_by = f->thread;
	if (callers_commit(h->callers, &(struct callers_inst){.pc = ev->pc,
	                                                      .behind = f->behind,
	                                                      .thread = f->thread,
	                                                      .own = e->at.file,
	                                                      .calls = f->calls,
	                                                      .returns = f->returns,
	                                                      .wrong = f->wrong,
	                                                      .slots = lost + 1}))
		e->called += lost + 1;
	h->short_of_memory |= callers_short(h->callers);
	e->l2 += f->level == LEVEL_L2;
	e->memory += f->level == LEVEL_MEMORY;
	e->forwards += f->level == LEVEL_FORWARD;
	if (f->control)
		count_prediction(e, f);
}

/* An instruction's slot may be reused in the cycle of its commit, so its facts are recorded
 * earlier. */
static void hot_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hot *h = ctx;
	const struct pipe *p = machine_pipe(m);
	const struct uop *u = pipe_uop(p, (uint16_t)ev->slot);
	if (ev->slot != EVENT_NO_SLOT && u->seq == ev->seq)
		h->seen[ev->slot] = facts_of(p, u);
	charges_on_event(h->charges, m, ev);
	if (UINT64_C(1) << ev->id == EVENT_BIT(squash) && op_info[ev->op].flags & OPF_REDIRECT)
		callers_squash(h->callers);
	if (UINT64_C(1) << ev->id != EVENT_BIT(commit))
		return;
	const struct facts unknown = {.counts = true, .slot_cycle = NO_CYCLE},
			   *f = &h->seen[ev->slot];
	count_commit(h, ev, f->seq == ev->seq ? f : &unknown);
	if (h->short_of_memory)
		machine_request_stop(m);
}

static void hot_on_cycle(void *ctx, const struct machine *m)
{
	struct hot *h = ctx;
	charges_cycle(h->charges, m, !h->goes_on);
	callers_cycle(h->callers, m, !h->goes_on);
	h->goes_on = true;
	hot_mark_if_due(h, machine_cycle(m));
}

/* ---- gathering ---- */
static uint64_t cuts_of(const struct session *s)
{
	struct run_history now;
	run_history(s->run, &now);
	return now.cuts;
}

static bool listen_to(const struct session *s, struct hot *h, uint64_t from, uint64_t to,
                      struct err *err)
{
	const struct event_filter filter = {.mask = EVENT_BIT(commit) | EVENT_BIT(mem) |
	                                            EVENT_BIT(resolve) | charges_mask()};
	h->goes_on = false;
	if (!run_replay_cycles(s->run, from, to, &filter, hot_on_event, hot_on_cycle, h, err))
		return false;
	return !h->short_of_memory || err_set(err, "out of memory for a profile");
}

/* Records the state at the region's end, for slots that are not yet assigned. */
static void hot_record_region_end(void *ctx, const struct machine *m)
{
	struct hot *h = ctx;
	h->next_pc = machine_pc(m);
	charges_end(h->charges, m);
}

/* Looks at the end of the covered cycles: instructions in flight there count for the region. */
static bool look_at_end(const struct session *s, struct hot *h, struct err *err)
{
	if (h->to != machine_cycle(s->machine))
		return run_look(s->run, h->to, hot_record_region_end, h, err);
	hot_record_region_end(h, s->machine);
	return true;
}

static bool hot_begin_profile(const struct session *s, struct hot *h, uint64_t from,
                              struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct run_history now;
	run_history(s->run, &now);
	hot_drop_profile(h);
	h->pool_size = p->pool_size;
	h->seen = alloc_zeroed(h->pool_size, sizeof *h->seen);
	h->charges = charges_new();
	h->callers = callers_new();
	h->session = s;
	if (!h->seen || !h->charges || !h->callers)
		return err_set(err, "out of memory for a profile");
	h->width = (uint64_t)CONFIG(machine_config(s->machine), commit_width);
	h->from = h->to = from;
	h->next_slot = from * h->width;
	h->cuts = cuts_of(s);
	h->marked = from == now.first_cycle;
	if (h->marked && (h->marks.cuts != h->cuts || h->marks.from != from)) {
		hot_drop_marks(&h->marks);
		h->marks.from = from;
		h->marks.cuts = h->cuts;
	}
	return true;
}

/* The last mark at or before this cycle, of a profile that begins at `from`; NULL: none. */
static const struct hot_mark *hot_find_mark(const struct session *s, const struct hot *h,
                                            uint64_t from, uint64_t to)
{
	const struct hot_marks *k = &h->marks;
	unsigned n = k->from == from && k->cuts == cuts_of(s) ? k->count : 0;
	while (n && k->all[n - 1].to > to)
		n--;
	return n ? &k->all[n - 1] : NULL;
}

/* Makes the mark's profile the present one. */
static bool hot_restore_mark(struct hot *h, const struct hot_mark *m, struct err *err)
{
	if (!charges_restore(h->charges, m->charges, m->charge_count))
		return err_set(err, "out of memory for a profile");
	for (size_t i = 0; i < m->inst_count; i++) {
		const struct hot_inst *e = &m->insts[i];
		if (2 * (h->count + 1) > h->room && !hot_grow_table(h))
			return err_set(err, "out of memory for a profile");
		*hot_find_slot(h->table, h->room, e->pc, e->interpreted) = *e;
		h->count++;
	}
	size_t bytes = 0;
	struct callers *callers = callers_copy(m->callers, &bytes);
	if (!callers)
		return err_set(err, "out of memory for a profile");
	callers_free(h->callers);
	h->callers = callers;
	memcpy(h->seen, m->seen, h->pool_size * sizeof *h->seen);
	h->to = m->to;
	h->next_slot = m->next_slot;
	h->called = m->called;
	h->called_by = m->called_by;
	return true;
}

ORDER(by_pc, struct hot_inst, UP(pc) ?: UP(interpreted))

/* Instructions of no symbol get the place of the function that they follow. */
static void hot_fold_unnamed(const struct session *s, struct hot_inst *sorted, size_t n)
{
	uint64_t entry = 0;
	for (size_t i = 0; i < n; i++) {
		struct hot_inst *e = &sorted[i];
		entry = e->entry ? e->pc : entry;
		if (!e->at.file && entry && e->at.first == e->pc &&
		    !program_symbol_at(s->program, e->pc))
			e->at.first = entry;
	}
}

/* Sorts the table. Slots at the end are only in the sorted copy: their owner may change if the
 * region is extended. */
static bool hot_sort_table(struct hot *h, struct err *err)
{
	const uint64_t all = h->to * h->width, rest = all > h->next_slot ? all - h->next_slot : 0;
	size_t n = 0, waits = 0;
	struct hot_inst *sorted = alloc_resize(h->sorted, (h->count + 1) * sizeof *sorted);
	if (!sorted)
		return err_set(err, "out of memory for a profile");
	h->sorted = sorted;
	for (size_t i = 0; i < h->room; i++)
		if (h->table[i].executed)
			sorted[n++] = h->table[i];
	while (waits < n && (sorted[waits].pc != h->next_pc || sorted[waits].interpreted))
		waits++;
	if (rest && waits == n)
		sorted[n++] = (struct hot_inst){.pc = h->next_pc,
		                                .at = code_place_own(h->session, h->next_pc)};
	if (rest)
		sorted[waits].lost += rest;
	sort_stable(sorted, n, sizeof *sorted, by_pc);
	hot_fold_unnamed(h->session, sorted, n);
	h->sorted_count = n;
	h->charged = charges_sort(h->charges, &h->charged_count);
	return h->charged || err_set(err, "out of memory for a profile");
}

static bool hot_check_cycle_recorded(const struct session *s, uint64_t cycle, struct err *err)
{
	struct run_history now;
	run_history(s->run, &now);
	if (cycle >= now.first_cycle && cycle <= now.newest_cycle)
		return true;
	return err_set(err, "cycle %llu is not recorded: history reaches from %llu to %llu",
	               (unsigned long long)cycle, (unsigned long long)now.first_cycle,
	               (unsigned long long)now.newest_cycle);
}

/* False with *err: an earlier profile is kept, unless re-execution had begun. */
static bool hot_gather_region(const struct session *s, struct hot *h, uint64_t from, uint64_t to,
                              struct err *err)
{
	const bool same = h->sorted && h->cuts == cuts_of(s) && h->from == from && h->to <= to;
	if (same && h->to == to)
		return true;
	if (run_moving(s->run))
		return err_set(err, "counted when the machine stops, by executing this part of the "
		                    "run once more");
	const struct hot_mark *mark = hot_find_mark(s, h, from, to);
	const bool goes_on = same && (!mark || mark->to <= h->to);
	if (!hot_check_cycle_recorded(s, from, err) || !hot_check_cycle_recorded(s, to, err) ||
	    (!goes_on && !hot_begin_profile(s, h, from, err)))
		return false;
	if ((goes_on || !mark || hot_restore_mark(h, mark, err)) &&
	    (h->to == to || listen_to(s, h, h->to, to, err))) {
		h->to = to;
		if (look_at_end(s, h, err) && hot_sort_table(h, err))
			return true;
	}
	hot_drop_profile(h);
	return false;
}

static void hot_export_profile(const struct hot *h, struct hot_profile *out)
{
	*out = (struct hot_profile){.from = h->from, .to = h->to, .width = h->width,
	                            .insts = h->sorted, .count = h->sorted_count,
	                            .charges = h->charged, .charge_count = h->charged_count};
	out->callers = callers_all(h->callers, &out->caller_count);
}

bool hot_take(const struct session *s, const struct region *r, struct hot_profile *out,
              struct err *err)
{
	struct run_history now;
	if (!s->run || !s->hot)
		return err_set(err, "this session keeps no history");
	run_history(s->run, &now);
	if (!hot_gather_region(s, s->hot, r->given ? r->from : now.first_cycle,
	                       r->given ? r->to : machine_cycle(s->machine), err))
		return false;
	hot_export_profile(s->hot, out);
	return true;
}

bool hot_last(const struct session *s, struct hot_profile *out)
{
	if (!s->hot || !s->hot->sorted || s->hot->cuts != cuts_of(s))
		return false;
	hot_export_profile(s->hot, out);
	return true;
}

const struct caller *hot_caller(const struct hot_profile *p, uint64_t pc)
{
	const struct caller *c = callers_at(p->callers, p->caller_count, pc);
	return c < p->callers + p->caller_count && c->pc == pc ? c : NULL;
}

/* Slots that instructions at these addresses, and code called from there, used or held. */
static uint64_t hot_slots_at(const struct hot_mark *m, const uint64_t *pcs, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < m->inst_count; i++)
		for (size_t k = 0; k < n; k++)
			if (m->insts[i].pc == pcs[k])
				sum += m->insts[i].executed + m->insts[i].lost;
	for (size_t k = 0; k < n; k++)
		sum += callers_slots(m->callers, pcs[k]);
	return sum;
}

bool hot_densest(const struct session *s, const uint64_t *pcs, size_t n, uint64_t *cycle)
{
	enum { NEARLY = 10 }; /* within a tenth of the most */
	const struct hot *h = s->hot;
	const struct hot_marks *k = &h->marks;
	uint64_t gain[MARKS_MAX], before = 0, most = 0;
	unsigned nearly = 0, count = 0;
	struct hot_profile p;
	if (!hot_last(s, &p) || !h->marked)
		return false;
	for (; count < k->count && k->all[count].to <= p.to; count++) {
		const uint64_t now = hot_slots_at(&k->all[count], pcs, n);
		gain[count] = now - before;
		most = gain[count] > most ? gain[count] : most;
		before = now;
	}
	for (unsigned i = 0; i < count; i++)
		nearly += gain[i] > most - most / NEARLY;
	/* The middle one of those. */
	unsigned i = 0;
	for (unsigned left = nearly / 2; i < count; i++)
		if (gain[i] > most - most / NEARLY && !left--)
			break;
	if (!most || i == count)
		return false;
	*cycle = k->all[i].to - (k->all[i].to - (i ? k->all[i - 1].to : k->from)) / 2;
	return true;
}

void hot_add(struct hot_inst *sum, const struct hot_inst *more)
{
	sum->executed += more->executed;
	sum->lost += more->lost;
	sum->called += more->called;
	sum->l2 += more->l2;
	sum->memory += more->memory;
	sum->forwards += more->forwards;
	sum->predicted += more->predicted;
	sum->taken += more->taken;
	sum->wrong += more->wrong;
	sum->resolving += more->resolving;
}

struct hot_inst hot_sum(const struct hot_profile *p, uint64_t lo, uint64_t hi)
{
	struct hot_inst sum = {.pc = lo};
	size_t first = 0, behind = p->count;
	while (first < behind) {
		const size_t middle = first + (behind - first) / 2;
		if (p->insts[middle].pc < lo)
			first = middle + 1;
		else
			behind = middle;
	}
	if (first < p->count && p->insts[first].pc < hi)
		sum.at = p->insts[first].at;
	for (size_t i = first; i < p->count && p->insts[i].pc < hi; i++)
		hot_add(&sum, &p->insts[i]);
	return sum;
}

/* ---- columns of code ---- */
void hot_drop_columns(struct grid *g)
{
	grid_drop_column(g, "executed");
	grid_drop_column(g, "held");
}

void cell_hot_executed(struct grid *g, const struct hot_inst *e)
{
	grid_uint_if(g, e->executed || e->lost, ROLE_NUMBER, e->executed);
}

void cell_hot_held(struct grid *g, const struct hot_profile *p, const struct hot_inst *e)
{
	const bool much = 10 * e->lost >= (p->to - p->from) * p->width;
	if (e->executed || e->lost)
		cell_slots(g, much ? ROLE_HOT : ROLE_NUMBER, e->lost, p->width);
	else
		grid_blank(g);
}
