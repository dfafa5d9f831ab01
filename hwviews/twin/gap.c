#include "hwviews/twin/gap.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "hwviews/session/session.h"

enum {
	PIECE = 1 << 17, /* instructions that are gone through at once */
	CARRY = 256      /* at most so many commit in a cycle beyond those */
};

/* One that committed. */
struct committed {
	uint64_t pc, seq, cycles; /* since the one before it */
};

/* What one machine has committed, told in pieces. */
struct stream {
	uint64_t from;      /* the next cycle to go through */
	uint64_t last;      /* cycles done when the last one that was told had committed */
	struct committed *buffer; /* [PIECE + CARRY] */
	size_t count, wanted;
};

struct gap {
	struct stream stream[TWIN_MACHINES];
	struct committed *buffers; /* owned: of both */
	uint64_t number, parted, cycles[TWIN_MACHINES];
	uint64_t cuts[TWIN_MACHINES]; /* of their histories, when begun */
	struct gap_inst *table;       /* owned; [room], a power of two: by hash, times 0: free */
	size_t count, room;
	struct gap_inst *sorted;      /* owned */
};

static void clear(struct gap *g)
{
	free(g->table);
	free(g->sorted);
	free(g->buffers);
	*g = (struct gap){0};
}

static void gap_free(struct gap *g)
{
	clear(g);
	free(g);
}

/* ---- the table ---- */
static bool used(const struct gap_inst *e)
{
	return e->times[TWIN_A] || e->times[TWIN_B];
}

static struct gap_inst *place_of(struct gap_inst *table, size_t room, uint64_t pc)
{
	size_t i = hash_word(HASH_WORDS_START, pc) & (room - 1);
	while (used(&table[i]) && table[i].pc != pc)
		i = (i + 1) & (room - 1);
	return &table[i];
}

static bool grow(struct gap *g)
{
	const size_t room = g->room ? 2 * g->room : 1024;
	struct gap_inst *table = calloc(room, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < g->room; i++)
		if (used(&g->table[i]))
			*place_of(table, room, g->table[i].pc) = g->table[i];
	free(g->table);
	g->table = table;
	g->room = room;
	return true;
}

static struct gap_inst *count_one(struct gap *g, unsigned machine, const struct committed *i)
{
	if (2 * (g->count + 1) > g->room && !grow(g))
		return NULL;
	struct gap_inst *e = place_of(g->table, g->room, i->pc);
	g->count += !used(e);
	e->pc = i->pc;
	e->times[machine]++;
	e->cycles[machine] += i->cycles;
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
/* The rest of a cycle in which enough have committed is kept for the next piece. */
static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct stream *t = ctx;
	const uint64_t done = ev->cycle + 1;
	if (t->count < PIECE + CARRY)
		t->buffer[t->count++] = (struct committed){ev->pc, ev->seq, done - t->last};
	t->last = t->from = done;
	if (t->count >= t->wanted)
		machine_request_stop(m);
}

static bool read_piece(struct stream *t, const struct session *s, size_t wanted, struct err *err)
{
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	t->wanted = wanted;
	if (t->count >= wanted)
		return true;
	if (!run_replay(s->run, t->from, UINT64_MAX, &commits, hear, t, err))
		return false;
	return t->count >= wanted || err_set(err, "interrupted");
}

static void drop_piece(struct stream *t, size_t n)
{
	t->count -= n;
	memmove(t->buffer, t->buffer + n, t->count * sizeof *t->buffer);
}

static bool begin(struct gap *g, const uint64_t cuts[TWIN_MACHINES], struct err *err)
{
	clear(g);
	g->buffers = malloc(TWIN_MACHINES * (PIECE + CARRY) * sizeof *g->buffers);
	if (!g->buffers)
		return err_set(err, "out of memory for the gap");
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		g->stream[i].buffer = g->buffers + i * (PIECE + CARRY);
		g->cuts[i] = cuts[i];
	}
	return true;
}

static bool count_piece(struct gap *g, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct committed *a = &g->stream[TWIN_A].buffer[i],
				       *b = &g->stream[TWIN_B].buffer[i];
		struct gap_inst *e = count_one(g, TWIN_A, a);
		e = e ? count_one(g, TWIN_B, b) : NULL;
		if (!e)
			return err_set(err, "out of memory for the gap");
		g->number++;
		if (a->pc == b->pc)
			note_instance(e, (int64_t)(b->cycles - a->cycles), a->seq);
		else if (!g->parted)
			g->parted = g->number;
	}
	return true;
}

/* What is half done is begun anew. */
static bool go_through(struct gap *g, const struct session *const of[TWIN_MACHINES],
                       uint64_t number, struct err *err)
{
	while (g->number < number) {
		const size_t n = number - g->number < PIECE ? (size_t)(number - g->number) : PIECE;
		for (unsigned i = 0; i < TWIN_MACHINES; i++)
			if (!read_piece(&g->stream[i], of[i], n, err)) {
				clear(g);
				return false;
			}
		if (!count_piece(g, n, err)) {
			clear(g);
			return false;
		}
		for (unsigned i = 0; i < TWIN_MACHINES; i++)
			drop_piece(&g->stream[i], n);
	}
	return true;
}

static int by_pc(const void *a, const void *b)
{
	const uint64_t x = ((const struct gap_inst *)a)->pc, y = ((const struct gap_inst *)b)->pc;
	return (x > y) - (x < y);
}

static bool sort(struct gap *g, struct err *err)
{
	size_t n = 0;
	free(g->sorted);
	g->sorted = malloc((g->count + 1) * sizeof *g->sorted);
	if (!g->sorted)
		return err_set(err, "out of memory for the gap");
	for (size_t i = 0; i < g->room; i++)
		if (used(&g->table[i]))
			g->sorted[n++] = g->table[i];
	if (n)
		qsort(g->sorted, n, sizeof *g->sorted, by_pc);
	return true;
}

bool gap_take(const struct session *s, bool run, struct twin_place *place, struct gap_sums *out,
              struct err *err)
{
	if (!twin_bring(s, place, err))
		return false;
	struct twin *t = s->twin;
	if (!t->gap) {
		t->gap = calloc(1, sizeof *t->gap);
		t->gap_free = gap_free;
	}
	struct gap *g = t->gap;
	if (!g)
		return err_set(err, "out of memory for the gap");
	const struct session *const of[TWIN_MACHINES] = {s, s->twin->session};
	uint64_t cuts[TWIN_MACHINES];
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		struct run_history h;
		run_history(of[i]->run, &h);
		cuts[i] = h.cuts;
	}
	const bool back = !run && place->common < g->number;
	if ((!g->buffers || back || memcmp(cuts, g->cuts, sizeof cuts) != 0) &&
	    !begin(g, cuts, err))
		return false;
	if (!go_through(g, of, place->common, err) || !sort(g, err))
		return false;
	*out = (struct gap_sums){.insts = g->sorted,
	                         .count = g->count,
	                         .number = g->number,
	                         .parted = g->parted,
	                         .cycles = {g->cycles[TWIN_A], g->cycles[TWIN_B]}};
	return true;
}
