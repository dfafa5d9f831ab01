#include "hwviews/twin/gap.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/session/session.h"
#include "hwviews/twin/pairing.h"

enum { PIECE = 1 << 17 /* instructions in a piece */ };

struct gap {
	struct commits stream[TWIN_MACHINES];
	struct committed *buffers; /* owned: of both */
	uint64_t number, put_in, parted, cycles[TWIN_MACHINES];
	size_t splits;                /* number of the pairing's splits already passed */
	uint64_t cuts[TWIN_MACHINES]; /* their histories' counts of cuts at the start */
	struct gap_inst *table;       /* owned; [room], a power of two: hashed, times 0: free */
	size_t count, room;
	struct gap_inst *sorted;      /* owned */
};

struct gap *gap_new(void)
{
	return alloc_zeroed(1, sizeof(struct gap));
}

static void gap_free_tables(struct gap *g)
{
	free(g->table);
	free(g->sorted);
	free(g->buffers);
	*g = (struct gap){0};
}

void gap_free(struct gap *g)
{
	if (g)
		gap_free_tables(g);
	free(g);
}

/* ---- the table ---- */
static bool gap_slot_is_used(const struct gap_inst *e)
{
	return e->times[TWIN_A] || e->times[TWIN_B];
}

static struct gap_inst *gap_find_slot(struct gap_inst *table, size_t room, uint64_t pc)
{
	size_t i = hash_word(HASH_WORDS_START, pc) & (room - 1);
	while (gap_slot_is_used(&table[i]) && table[i].pc != pc)
		i = (i + 1) & (room - 1);
	return &table[i];
}

static bool gap_grow_table(struct gap *g)
{
	const size_t room = g->room ? 2 * g->room : 1024;
	struct gap_inst *table = alloc_zeroed(room, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < g->room; i++)
		if (gap_slot_is_used(&g->table[i]))
			*gap_find_slot(table, room, g->table[i].pc) = g->table[i];
	free(g->table);
	g->table = table;
	g->room = room;
	return true;
}

static struct gap_inst *gap_count_inst(struct gap *g, unsigned machine, const struct committed *i)
{
	if (2 * (g->count + 1) > g->room && !gap_grow_table(g))
		return NULL;
	struct gap_inst *e = gap_find_slot(g->table, g->room, i->pc);
	g->count += !gap_slot_is_used(e);
	e->pc = i->pc;
	e->times[machine]++;
	e->cycles[machine] += i->cycles;
	e->put_in += i->put_in;
	g->put_in += i->put_in_insts;
	g->cycles[machine] += i->cycles;
	return e;
}

static void note_instance(struct gap_inst *e, int64_t lost, uint64_t seq)
{
	if (!e->most_seq || lost > e->most) {
		e->most = lost;
		e->most_seq = seq;
	}
	if (!e->least_seq || lost < e->least) {
		e->least = lost;
		e->least_seq = seq;
	}
}

/* ---- going through ---- */
static bool gap_reset_streams(struct gap *g, const struct twin *t,
                              const uint64_t cuts[TWIN_MACHINES], struct err *err)
{
	gap_free_tables(g);
	const size_t room = PIECE + COMMITS_CARRY;
	g->buffers = alloc_bytes(TWIN_MACHINES * room * sizeof *g->buffers);
	if (!g->buffers)
		return err_set(err, "out of memory for the gap");
	g->stream[TWIN_A].all = g->buffers;
	g->stream[TWIN_B] = (struct commits){.code = t->code, .all = g->buffers + room};
	memcpy(g->cuts, cuts, sizeof g->cuts);
	return true;
}

/* Counts the next n instructions of one machine, which the other does not execute. */
static bool count_alone(struct gap *g, const struct session *const of[TWIN_MACHINES],
                        unsigned machine, size_t n, struct err *err)
{
	struct commits *c = &g->stream[machine];
	if (!commits_read(c, of[machine]->run, n, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!gap_count_inst(g, machine, &c->all[i]))
			return err_set(err, "out of memory for the gap");
	commits_drop(c, n);
	return true;
}

/* Counts the next n instructions of both. */
static bool count_piece(struct gap *g, const struct session *const of[TWIN_MACHINES], size_t n,
                        struct err *err)
{
	for (unsigned i = 0; i < TWIN_MACHINES; i++)
		if (!commits_read(&g->stream[i], of[i]->run, n, err))
			return false;
	for (size_t i = 0; i < n; i++) {
		const struct committed *a = &g->stream[TWIN_A].all[i],
				       *b = &g->stream[TWIN_B].all[i];
		struct gap_inst *e = gap_count_inst(g, TWIN_A, a);
		e = e ? gap_count_inst(g, TWIN_B, b) : NULL;
		if (!e)
			return err_set(err, "out of memory for the gap");
		g->number++;
		if (a->pc == b->pc)
			note_instance(e, (int64_t)(b->cycles - a->cycles), a->seq);
		else if (!g->parted)
			g->parted = g->number;
	}
	for (unsigned i = 0; i < TWIN_MACHINES; i++)
		commits_drop(&g->stream[i], n);
	return true;
}

/* Counts up to the point where both machines execute the same again, if A has reached it. Until
 * then A's separate instructions are not counted. */
static bool over_split(struct gap *g, const struct session *const of[TWIN_MACHINES],
                       const struct pairing_split *next, struct err *err)
{
	g->number += next->alone_a;
	g->splits++;
	return count_alone(g, of, TWIN_A, next->alone_a, err) &&
	       count_alone(g, of, TWIN_B, next->alone_b, err);
}

/* An interrupted piece is begun anew. */
static bool go_through(struct gap *g, const struct session *const of[TWIN_MACHINES],
                       const struct pairing *pairing, uint64_t number, struct err *err)
{
	bool ok = true;
	while (ok && g->number < number) {
		const struct pairing_split *next = pairing && g->splits + 1 < pairing->count
		                                           ? &pairing->splits[g->splits + 1] : NULL;
		const uint64_t same = next ? next->a - next->alone_a - 1 - g->number : UINT64_MAX,
			       left = number - g->number,
			       n = left < same ? left : same;
		if (n)
			ok = count_piece(g, of, n < PIECE ? (size_t)n : PIECE, err);
		else if (next->a - 1 > number)
			break;
		else
			ok = over_split(g, of, next, err);
	}
	if (!ok)
		gap_free_tables(g);
	return ok;
}

ORDER(by_pc, struct gap_inst, UP(pc))

static bool gap_sort_table(struct gap *g, struct err *err)
{
	size_t n = 0;
	free(g->sorted);
	g->sorted = alloc_bytes((g->count + 1) * sizeof *g->sorted);
	if (!g->sorted)
		return err_set(err, "out of memory for the gap");
	for (size_t i = 0; i < g->room; i++)
		if (gap_slot_is_used(&g->table[i]))
			g->sorted[n++] = g->table[i];
	if (n)
		sort_stable(g->sorted, n, sizeof *g->sorted, by_pc);
	return true;
}

/* Counts A's comparable instructions: not those since the two machines diverged, until they execute
 * the same again. */
static uint64_t gap_count_comparable_insts(const struct twin *t, const struct twin_place *place)
{
	const struct pairing *l = t->pairing;
	const uint64_t known = !l || l->parted ? UINT64_MAX : l->passed[TWIN_A];
	return place->common < known ? place->common : known;
}

bool gap_take(const struct session *s, bool run, const struct twin_place *place,
              struct gap_sums *out, struct err *err)
{
	struct gap *g = s->twin->gap;
	const struct session *const of[TWIN_MACHINES] = {s, s->twin->session};
	uint64_t cuts[TWIN_MACHINES];
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		struct run_history h;
		run_history(of[i]->run, &h);
		cuts[i] = h.cuts;
	}
	const bool back = !run && place->common < g->number;
	if ((!g->buffers || back || memcmp(cuts, g->cuts, sizeof cuts) != 0) &&
	    !gap_reset_streams(g, s->twin, cuts, err))
		return false;
	if (!go_through(g, of, s->twin->pairing, gap_count_comparable_insts(s->twin, place), err) ||
	    !gap_sort_table(g, err))
		return false;
	*out = (struct gap_sums){.insts = g->sorted, .count = g->count, .number = g->number,
	                         .put_in = g->put_in, .parted = g->parted,
	                         .cycles = {g->cycles[TWIN_A], g->cycles[TWIN_B]}};
	return true;
}
