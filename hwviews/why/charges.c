#include "core/defs/event_fields.h"

#include "hwviews/why/charges.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/sort.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/pipe/slot_owner.h"
#include "core/pipe/window.h"
#include "hwviews/grid/order.h"

enum { NOTED = 64 };

/* Instructions with events of one kind in this cycle. */
struct noted {
	unsigned count;
	struct {
		uint64_t pc;
		uint64_t slots;
		bool profile;
	} at[NOTED];
};

struct charges {
	/* owned; [room], a power of two: hashed; slots and `used` 0: free */
	struct charge *table;
	bool *used;            /* owned; [room] */
	size_t count, room;
	bool short_of_memory, unordered;
	struct charge *sorted; /* owned */
	struct charge *ends;   /* owned; [end_count]: in flight at the end */
	size_t end_count, end_room;
	struct noted commits, wrong, replayed, dropped;
	/* at the end of the previous cycle */
	uint64_t slots[SLOT_COUNT], cpi[CHARGE_CPI_MOST], retired;
};

/* ---- rows ---- */
static struct {
	const struct stat_row *row[CHARGE_ROWS];
	size_t offset[CHARGE_CPI_MOST];
	unsigned cpi, base, profile, badspec;
} rows;

static void charges_find_stat_rows(void)
{
	unsigned slot = 0;
	if (rows.cpi)
		return;
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!strncmp(row->name, "slots.", 6) && slot < CHARGE_CPI)
			rows.row[slot++] = row;
		if (strncmp(row->name, "cpi.", 4) != 0 || rows.cpi == CHARGE_CPI_MOST)
			continue;
		rows.base = row->offset == offsetof(struct stats, cpi_base) ? rows.cpi : rows.base;
		rows.profile = row->offset == offsetof(struct stats, cpi_profile) ? rows.cpi
		                                                                  : rows.profile;
		rows.badspec = row->offset == offsetof(struct stats, cpi_badspec) ? rows.cpi
		                                                                  : rows.badspec;
		rows.row[CHARGE_CPI + rows.cpi] = row;
		rows.offset[rows.cpi++] = row->offset;
	}
}

const struct stat_row *charge_stat(unsigned row)
{
	charges_find_stat_rows();
	return row < CHARGE_ROWS ? rows.row[row] : NULL;
}

/* ---- the table ---- */
struct charges *charges_new(void)
{
	charges_find_stat_rows();
	return alloc_zeroed(1, sizeof(struct charges));
}

void charges_free(struct charges *c)
{
	if (!c)
		return;
	free(c->table);
	free(c->used);
	free(c->sorted);
	free(c->ends);
	free(c);
}

static size_t charges_find_slot(const struct charge *table, const bool *used, size_t room,
                                uint64_t pc, uint32_t row)
{
	size_t i = hash_word(HASH_WORDS_START, pc ^ (uint64_t)row << 56) & (room - 1);
	while (used[i] && (table[i].pc != pc || table[i].row != row))
		i = (i + 1) & (room - 1);
	return i;
}

static bool charges_grow_table(struct charges *c)
{
	const size_t room = c->room ? 2 * c->room : 4096;
	struct charge *table = alloc_zeroed(room, sizeof *table);
	bool *used = alloc_zeroed(room, sizeof *used);
	if (!table || !used) {
		free(table);
		free(used);
		return false;
	}
	for (size_t i = 0; i < c->room; i++) {
		if (!c->used[i])
			continue;
		const size_t at =
			charges_find_slot(table, used, room, c->table[i].pc, c->table[i].row);
		table[at] = c->table[i];
		used[at] = true;
	}
	free(c->table);
	free(c->used);
	c->table = table;
	c->used = used;
	c->room = room;
	return true;
}

static void charges_add_slots(struct charges *c, uint64_t pc, unsigned row, int64_t slots)
{
	if (!slots)
		return;
	if (2 * (c->count + 1) > c->room && !charges_grow_table(c)) {
		c->short_of_memory = true;
		return;
	}
	const size_t i = charges_find_slot(c->table, c->used, c->room, pc, row);
	if (!c->used[i]) {
		c->used[i] = true;
		c->table[i] = (struct charge){.pc = pc, .row = row};
		c->count++;
	}
	c->table[i].slots += slots;
}

struct charge *charges_save(const struct charges *c, size_t *count)
{
	struct charge *saved = alloc_zeroed(c->count + 1, sizeof *saved);
	*count = 0;
	for (size_t i = 0; saved && i < c->room; i++)
		if (c->used[i])
			saved[(*count)++] = c->table[i];
	if (c->short_of_memory) {
		free(saved);
		return NULL;
	}
	return saved;
}

bool charges_restore(struct charges *c, const struct charge *saved, size_t count)
{
	c->count = 0;
	c->short_of_memory = false;
	for (size_t i = 0; i < c->room; i++)
		c->used[i] = false;
	for (size_t i = 0; i < count; i++)
		charges_add_slots(c, saved[i].pc, saved[i].row, saved[i].slots);
	return !c->short_of_memory;
}

/* ---- events of a cycle ---- */
uint64_t charges_mask(void)
{
	return EV_BIT(COMMIT) | EV_BIT(SQUASH) | EV_BIT(REPLAY) | EV_BIT(DROP) | EV_BIT(CONTROL);
}

static void charges_note_inst(struct noted *n, uint64_t pc, uint64_t slots, bool profile)
{
	if (n->count == NOTED)
		return;
	n->at[n->count].pc = pc;
	n->at[n->count].slots = slots;
	n->at[n->count++].profile = profile;
}

/* True if the instruction that has just committed is a profile instruction: by its op, or, unless
 * its slot is already reused, by its prefix. */
static bool is_profile(const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	return (op_info[ev->op].flags & OPF_XPROF) || (u->seq == ev->seq && u->prefix_len);
}

void charges_on_event(struct charges *c, const struct machine *m, const struct event *ev)
{
	switch (ev->id) {
	case EV_COMMIT:
		charges_note_inst(&c->commits, ev->pc, 1, is_profile(m, ev));
		break;
	case EV_SQUASH: /* replay traps have EV_REPLAY */
		if (op_info[ev->op].flags & OPF_REDIRECT)
			charges_note_inst(&c->wrong, ev->pc, ev->squash.count, false);
		break;
	case EV_REPLAY:
		charges_note_inst(&c->replayed, ev->pc, ev->replay.count, false);
		break;
	case EV_DROP:
	case EV_CONTROL:
		charges_note_inst(&c->dropped, ev->pc, 1, false);
		break;
	default:
		break;
	}
}

/* Distributes `slots` over the noted instructions, in their order; the rest goes to `other`. */
static void charges_distribute_slots(struct charges *c, const struct noted *n, unsigned row,
                                     uint64_t slots, uint64_t other)
{
	for (unsigned i = 0; i < n->count && slots; i++) {
		const uint64_t some = n->at[i].slots < slots ? n->at[i].slots : slots;
		charges_add_slots(c, n->at[i].pc, row, (int64_t)some);
		slots -= some;
	}
	charges_add_slots(c, other, row, (int64_t)slots);
}

/* ---- cycles ---- */
static uint64_t charges_retired_insts(const struct stats *s)
{
	return s->insts - s->vsample_insts;
}

static_assert(SLOT_wrong_path == 0 && SLOT_interrupted == 4,
              "rows of bad speculation are the first");

const uint64_t *charges_slot_counters(const struct stats *s)
{
	return &s->slot_wrong_path;
}

static uint64_t charges_cpi_counter(const struct stats *s, unsigned i)
{
	uint64_t slots;
	memcpy(&slots, (const char *)s + rows.offset[i], sizeof slots);
	return slots;
}

/* 0 for a missing row. */
static void charges_read_cpi(const struct machine *m, uint64_t slots[CHARGE_CPI_MOST])
{
	for (unsigned i = 0; i < CHARGE_CPI_MOST; i++)
		slots[i] = i < rows.cpi ? charges_cpi_counter(machine_stats(m), i) : 0;
}

/* Calls tell for the program's instructions in the window; with out-of-order completion, issued
 * ones are in cpi.base, too. */
static void in_flight(struct charges *c, const struct machine *m,
                      void (*tell)(struct charges *c, uint64_t pc, unsigned row, int64_t slots))
{
	const struct pipe *p = machine_pipe(m);
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->flags & UF_MACHINE)
			continue;
		tell(c, u->pc, CHARGE_IN_FLIGHT, 1);
		if (p->unordered && u->state >= UOP_EXECUTING)
			tell(c, u->pc, CHARGE_CPI + rows.base, 1);
	}
	/* Empty slots after an unresolved misprediction are its own, until a squash decides. */
	tell(c, p->st->spec_slot != NO_SLOT ? pipe_uop(p, p->st->spec_slot)->pc : p->st->squash_pc,
	     CHARGE_IN_FLIGHT,
	     (int64_t)(machine_stats(m)->slots_unresolved - machine_stats(m)->slots_waited));
}

static void charges_subtract_slots(struct charges *c, uint64_t pc, unsigned row, int64_t slots)
{
	charges_add_slots(c, pc, row, -slots);
}

static void charges_append_end_charge(struct charges *c, uint64_t pc, unsigned row, int64_t slots)
{
	struct charge *ends = alloc_grow(c->ends, c->end_count, &c->end_room, sizeof *ends, 256);
	if (!ends) {
		c->short_of_memory = true;
		return;
	}
	c->ends = ends;
	c->ends[c->end_count++] = (struct charge){pc, row, slots};
}

void charges_end(struct charges *c, const struct machine *m)
{
	c->end_count = 0;
	in_flight(c, m, charges_append_end_charge);
}

static void charges_save_counters(struct charges *c, const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	memcpy(c->slots, charges_slot_counters(s), sizeof c->slots);
	charges_read_cpi(m, c->cpi);
	c->retired = charges_retired_insts(s);
	c->commits.count = c->wrong.count = c->replayed.count = c->dropped.count = 0;
}

/* The first `all` of the committed instructions are the program's own: they also get cpi.base and
 * cpi.profile. */
static void charge_commits(struct charges *c, uint64_t all, uint64_t profile)
{
	for (unsigned i = 0; i < c->commits.count && i < all; i++) {
		const bool own = profile && (c->commits.at[i].profile || all - i == profile);
		profile -= own;
		charges_add_slots(c, c->commits.at[i].pc, CHARGE_RETIRED, 1);
		charges_add_slots(c, c->commits.at[i].pc,
		                  CHARGE_CPI + (own ? rows.profile : rows.base), 1);
	}
}

static void charge_cpi(struct charges *c, const struct pipe *p, const struct stats *s)
{
	const struct uop *next = p->unordered ? pipe_next_to_go(p) : NULL;
	const uint64_t owner = !p->unordered ? p->st->commit_pc : next ? next->pc : next_decoded(p);
	for (unsigned i = 0; i < rows.cpi; i++)
		if (i != rows.base && i != rows.profile && charges_cpi_counter(s, i) != c->cpi[i])
			charges_add_slots(c, i == rows.badspec ? p->st->squash_pc : owner,
			                  CHARGE_CPI + i,
			                  (int64_t)(charges_cpi_counter(s, i) - c->cpi[i]));
}

static void charges_assign_slot_rows(struct charges *c, const struct pipe *p, const struct stats *s)
{
	const uint64_t *now = charges_slot_counters(s);
	const unsigned row = p->st->slot_row;
	charges_distribute_slots(c, &c->wrong, CHARGE_SLOT + SLOT_wrong_path,
	                         now[SLOT_wrong_path] - c->slots[SLOT_wrong_path],
	                         p->st->squash_pc);
	charges_distribute_slots(c, &c->replayed, CHARGE_SLOT + SLOT_replayed,
	                         now[SLOT_replayed] - c->slots[SLOT_replayed], p->st->squash_pc);
	charges_distribute_slots(c, &c->dropped, CHARGE_SLOT + SLOT_profile_dropped,
	                         now[SLOT_profile_dropped] - c->slots[SLOT_profile_dropped],
	                         next_decoded(p));
	for (unsigned i = SLOT_wrong_path; i <= SLOT_interrupted; i++)
		if (i != SLOT_wrong_path && i != SLOT_replayed)
			charges_add_slots(c, p->st->squash_pc, CHARGE_SLOT + i,
			                  (int64_t)(now[i] - c->slots[i]));
	if (row > SLOT_interrupted && row < SLOT_COUNT && now[row] != c->slots[row])
		charges_add_slots(c, slots_owner(p, (enum slot_row)row), CHARGE_SLOT + row,
		                  (int64_t)(now[row] - c->slots[row]));
}

void charges_cycle(struct charges *c, const struct machine *m, bool anew)
{
	const struct pipe *p = machine_pipe(m);
	const struct stats *s = machine_stats(m);
	if (anew) {
		c->unordered = p->unordered;
		if (!c->count)
			in_flight(c, m, charges_subtract_slots);
	} else {
		charge_commits(c, charges_retired_insts(s) - c->retired,
		               s->cpi_profile - c->cpi[rows.profile]);
		charge_cpi(c, p, s);
		charges_assign_slot_rows(c, p, s);
	}
	charges_save_counters(c, m);
}

ORDER(by_pc, struct charge, UP(pc) ?: UP(row))

const struct charge *charges_sort(struct charges *c, size_t *count)
{
	struct charge *sorted =
		alloc_resize(c->sorted, (c->count + c->end_count + 1) * sizeof *sorted);
	size_t n = 0, kept = 0;
	if (sorted)
		c->sorted = sorted;
	if (!sorted || c->short_of_memory)
		return NULL;
	for (size_t i = 0; i < c->room; i++)
		if (c->used[i])
			sorted[n++] = c->table[i];
	memcpy(sorted + n, c->ends, c->end_count * sizeof *sorted);
	n += c->end_count;
	if (n)
		sort_stable(sorted, n, sizeof *sorted, by_pc);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_pc(&sorted[kept - 1], &sorted[i]))
			sorted[kept - 1].slots += sorted[i].slots;
		else {
			kept -= kept && !sorted[kept - 1].slots;
			sorted[kept++] = sorted[i];
		}
	}
	kept -= kept && !sorted[kept - 1].slots;
	*count = kept;
	return sorted;
}
