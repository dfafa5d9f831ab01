/* Instrumentation of kind edge: jumps through registers that lead to known places
 * (loader/edit/indirect_jumps.h). */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/edit/indirect_jumps.h"
#include "loader/instrument/kind.h"

/* Edges of jumps through registers are counted at their targets, in a row of counters that the jump
 * selects. Each jump has a row with a column for each place of its set. Other arrivals have a row
 * of their own. */
struct rows {
	const struct ways *ways;
	uint32_t *column;  /* [j->count], owned: of places: column + 1 */
	uint64_t chosen;   /* address of the word that selects the row */
	uint64_t others;   /* address of the row of other arrivals */
};

static void kind_edge_emit_row_address(struct writer *w, const struct rows *r, uint64_t row)
{
	const unsigned cell = w->temporary[0], value = w->temporary[1];
	writer_put_ref(w, OP_AUIPC, value, 0, 0, REF_HIGH, row);
	writer_put_ref(w, OP_ADDI, value, value, 0, REF_LOW, 0);
	writer_put_ref(w, OP_AUIPC, cell, 0, 0, REF_HIGH, r->chosen);
	writer_put_ref(w, OP_SD, REG_SINK, cell, value, REF_LOW, r->chosen);
}

static bool choose_row(struct job *j, const struct rows *r, uint32_t jump, uint64_t row)
{
	struct writer w;
	writer_init(&w, j->type);
	writer_begin(&w, job_live_at(j, jump), 0);
	kind_edge_emit_row_address(&w, r, row);
	writer_end(&w);
	j->sum->spilled += w.spilled;
	return edit_before(j->e, jump, w.code, w.n, j->err);
}

static bool count_arrival(struct job *j, const struct rows *r, uint32_t place, uint32_t column)
{
	struct writer w;
	writer_init(&w, j->type);
	writer_begin_with(&w, 3, job_live_at(j, place), 0);
	const unsigned cell = w.temporary[0], row = w.temporary[1], value = w.temporary[2];
	const int32_t offset = column < 256 ? 8 * (int32_t)column : 0;
	writer_put_ref(&w, OP_AUIPC, cell, 0, 0, REF_HIGH, r->chosen);
	writer_put_ref(&w, OP_LD, row, cell, 0, REF_LOW, r->chosen);
	if (column >= 256) {
		writer_put_constant(&w, value, 8 * (int64_t)column);
		writer_put(&w, OP_ADD, row, row, value, 0);
	}
	writer_add_one(&w, j->o->atomic, row, offset, value);
	kind_edge_emit_row_address(&w, r, r->others);
	writer_end(&w);
	j->sum->spilled += w.spilled;
	return edit_enter(j->e, place, w.code, w.n, j->err);
}

/* Selects the row of other arrivals at the program's start. */
static bool begin_rows(struct job *j, const struct rows *r)
{
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	struct writer w;
	writer_init(&w, -1);
	writer_begin(&w, job_live_at(j, entry), 0);
	kind_edge_emit_row_address(&w, r, r->others);
	writer_end(&w);
	return edit_enter(j->e, entry, w.code, w.n, j->err);
}

/* Counts the ways [first, end) of one function. */
static bool count_ways_of(struct job *j, const struct rows *r, uint32_t first, uint32_t end)
{
	const struct ways *ways = r->ways;
	bool ok = true;
	for (uint32_t k = first; ok && k < end; k++) {
		const uint32_t jump = ways->all[k].jump;
		const struct way_set *s = &ways->sets[ways->all[k].set];
		uint64_t row;
		ok = job_counters(j, j->insts[jump].addr, 0, s->count, &row) &&
		     choose_row(j, r, jump, j->memory + 8 * row);
		for (uint32_t t = 0; ok && t < s->count; t++) {
			r->column[ways->targets[s->first + t]] = t + 1;
			j->counters[row + t].to = j->insts[ways->targets[s->first + t]].addr;
		}
	}
	for (uint32_t k = first; ok && k < end; k++)
		for (uint32_t t = 0; ok && t < ways->all[k].count; t++) {
			const uint32_t place = ways->targets[ways->all[k].first + t];
			ok = !r->column[place] || count_arrival(j, r, place, r->column[place] - 1);
			r->column[place] = 0; /* once */
		}
	return ok;
}

/* The end of one function's ways. */
static uint32_t end_of_function(const struct job *j, const struct ways *ways, uint32_t first)
{
	uint32_t end = first;
	while (end < ways->count &&
	       j->insts[ways->all[end].jump].function == j->insts[ways->all[first].jump].function)
		end++;
	return end;
}

bool count_ways(struct job *j)
{
	struct ways ways;
	if (!ways_of(j->e, &ways, j->err))
		return false;
	struct rows r = {.ways = &ways,
	                 .column = alloc_zeroed(j->count + (size_t)1, sizeof *r.column)};
	bool ok = r.column || err_set(j->err, "out of memory for instrumentation");
	uint32_t most = 0;
	for (uint32_t first = 0, end; ok && first < ways.count; first = end) {
		uint32_t n = 0;
		const bool wanted = j->wanted[j->insts[ways.all[first].jump].function];
		for (end = end_of_function(j, &ways, first); first < end; first++)
			n = ways.sets[ways.all[first].set].count > n
			            ? ways.sets[ways.all[first].set].count
			            : n;
		most = wanted && n > most ? n : most;
	}
	/* Reserve the rows' own words, before the counters in memory. */
	if (ok && most) {
		r.chosen = edit_memory(j->e, 8);
		r.others = edit_memory(j->e, 8 * (size_t)most);
		j->memory = edit_memory_here(j->e);
		ok = begin_rows(j, &r);
	}
	for (uint32_t first = 0, end; ok && first < ways.count; first = end) {
		end = end_of_function(j, &ways, first);
		ok = !j->wanted[j->insts[ways.all[first].jump].function] ||
		     count_ways_of(j, &r, first, end);
	}
	free(r.column);
	ways_free(&ways);
	return ok;
}
