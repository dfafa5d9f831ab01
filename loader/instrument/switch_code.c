/* Inserts the code that switches profile flags: at functions' entries and exits, and in their units
 * of code (switches.h). */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/instrument/switch_plan.h"
#include "loader/profile_code.h"

static void switch_code_append_hint(struct writer *w, unsigned s)
{
	struct edit_code *c = &w->code[w->n++];
	*c = (struct edit_code){0};
	inst_decode(flag_hint(s), &c->in);
}

/* The profile types of all kinds. */
static unsigned types_of(const struct job *j)
{
	unsigned types = 0;
	for (unsigned i = 0; i < j->o->count; i++)
		types |= j->o->what[i].type >= 0 ? 1u << j->o->what[i].type : 0;
	return types;
}

/* The types that are switched at functions' entries only. */
static unsigned nested_types_of(const struct job *j)
{
	unsigned types = 0;
	for (unsigned i = 0; i < j->o->count; i++)
		types |= j->o->what[i].type >= 0 && instrument_is_nested(j->o->what[i].kind)
		                 ? 1u << j->o->what[i].type
		                 : 0;
	return types;
}

/* The operand s of the hint for one type, or of that for all. */
static unsigned stack_hint(unsigned types, unsigned one, unsigned all)
{
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		if (types == 1u << k)
			return one + k;
	return all;
}

static void put_flags(struct writer *w, unsigned types, unsigned s)
{
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		if (types >> k & 1)
			switch_code_append_hint(w, s + k);
}

/* Sets flags in `length` of `period` checks: while a number that counts down from period is below
 * length. */
static void put_check(const struct job *j, struct writer *w, uint32_t i, unsigned types,
                      uint64_t number)
{
	const struct switch_options *o = &j->o->switches;
	writer_begin(w, job_live_at(j, i), 0);
	const unsigned at = w->temporary[0], value = w->temporary[1], end = writer_new_label(w);
	put_flags(w, types, HINT_RESETPF);
	writer_put_ref(w, OP_AUIPC, at, 0, 0, REF_HIGH, number);
	writer_put_ref(w, OP_LD, value, at, 0, REF_LOW, number);
	writer_put(w, OP_ADDI, value, value, 0, -1);
	writer_put_ref(w, OP_SD, REG_SINK, at, value, REF_LOW, number);
	writer_put_constant(w, at, (int64_t)o->length);
	writer_branch(w, OP_BGE, value, at, end);
	put_flags(w, types, HINT_SETPF);
	writer_branch(w, OP_BLT, 0, value, end);
	writer_put_constant(w, value, (int64_t)o->period);
	writer_put_ref(w, OP_AUIPC, at, 0, 0, REF_HIGH, number);
	writer_put_ref(w, OP_SD, REG_SINK, at, value, REF_LOW, number);
	writer_here(w, end);
	writer_end(w);
	j->sum->spilled += w->spilled;
}

/* Whether the flag is set anew at i, even for control from inside the function. */
static bool has_flag_within(const struct job *j, uint32_t i)
{
	return j->plan->places[i] &
	       (j->o->switches.period ? PLACE_CHECK : PLACE_FLAG | PLACE_ROUND);
}

static bool has_flag(const struct job *j, uint32_t i)
{
	return has_flag_within(j, i) || (j->plan->places[i] & PLACE_ENTER);
}

/* The types whose flags are set for control from inside the function. After an exception or
 * non-local jump all are. */
static unsigned types_within(const struct job *j, uint32_t i, unsigned types)
{
	return j->plan->places[i] & PLACE_FLAG ? types : types & ~nested_types_of(j);
}

static void put_flags_of(const struct job *j, struct writer *w, uint32_t i, unsigned types,
                         uint64_t number)
{
	writer_init(w, -1);
	if (number && types)
		put_check(j, w, i, types, number);
	else
		put_flags(w, types, j->o->switches.on ? HINT_SETPF : HINT_RESETPF);
}

static bool switch_code_insert_place_code(const struct job *j, uint32_t i, unsigned types,
                                          uint64_t number)
{
	struct writer w;
	if (j->plan->places[i] & PLACE_ENTER) {
		writer_init(&w, -1);
		switch_code_append_hint(&w, stack_hint(types, HINT_PUSHPF, HINT_PUSHPF_ALL));
		if (!edit_enter(j->e, i, w.code, w.n, j->err))
			return false;
		put_flags_of(j, &w, i, types, number);
		if (!edit_enter(j->e, i, w.code, w.n, j->err))
			return false;
	}
	const unsigned within = has_flag_within(j, i) ? types_within(j, i, types) : 0;
	if (!within)
		return true;
	put_flags_of(j, &w, i, within, number);
	return edit_before(j->e, i, w.code, w.n, j->err);
}

/* Initialises the number that checks count down; if `on`, sets the first flag at the program's
 * entry where no other code does. */
static bool put_beginning(const struct job *j, uint64_t number)
{
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	struct writer w;
	writer_init(&w, -1);
	if (j->o->switches.on && !(j->plan->places[entry] & PLACE_ENTER)) {
		j->plan->places[entry] |= PLACE_FLAG;
		j->plan->unit[entry] = entry;
	}
	if (!number)
		return true;
	writer_begin(&w, job_live_at(j, entry), 0);
	writer_put_constant(&w, w.temporary[1], (int64_t)j->o->switches.period);
	writer_put_ref(&w, OP_AUIPC, w.temporary[0], 0, 0, REF_HIGH, number);
	writer_put_ref(&w, OP_SD, REG_SINK, w.temporary[0], w.temporary[1], REF_LOW, number);
	writer_end(&w);
	return edit_enter(j->e, entry, w.code, w.n, j->err);
}

/* Writes the section. */
static bool switch_code_write_section(const struct job *j, unsigned types)
{
	uint32_t n = 0, unused;
	const struct edit_function *functions = edit_functions(j->e, &unused);
	struct flag_place *all = alloc_zeroed(j->sum->flags + 1, sizeof *all);
	if (!all)
		return err_set(j->err, "out of memory for profile flags");
	for (uint32_t i = 0; i < j->count; i++) {
		const uint32_t unit = j->plan->unit[i];
		if (has_flag(j, i) &&
		    ((j->plan->places[i] & PLACE_ENTER) || types_within(j, i, types)))
			all[n++] = (struct flag_place){
				.at = j->insts[i].addr,
				.unit = j->insts[unit].addr,
				.types = (uint16_t)(j->plan->places[i] & PLACE_ENTER
			                                    ? types
			                                    : types_within(j, i, types)),
				.check = j->o->switches.period != 0,
				.entry = (j->plan->places[i] & PLACE_ENTER) != 0,
				.function = j->insts[functions[j->insts[i].function].first].addr,
				.units = (uint8_t)(functions[j->insts[i].function].first == unit &&
			                                           j->units != UNITS_BLOCKS
			                                   ? UNITS_METHODS
			                                   : j->units),
			};
	}
	bool ok = edit_section(j->e, FLAGS_SECTION, all, n * sizeof *all, j->err);
	free(all);
	return ok;
}

bool switches_enter(struct job *j)
{
	const unsigned types = types_of(j);
	const uint64_t number = j->o->switches.period ? edit_memory(j->e, 8) : 0;
	bool ok = put_beginning(j, number);
	for (uint32_t i = 0; ok && i < j->count; i++) {
		j->sum->flags += has_flag(j, i);
		j->sum->controlled += (j->plan->places[i] & PLACE_ENTER) != 0;
		ok = switch_code_insert_place_code(j, i, types, number);
	}
	return ok && switch_code_write_section(j, types);
}

/* Whether only blocks and edges are counted: then no counting comes after the beginning of a last
 * block. */
static bool may_leave_early(const struct job *j)
{
	bool may = true;
	for (unsigned i = 0; i < j->o->count; i++) {
		const enum instrument_kind kind = j->o->what[i].kind;
		may &= j->o->what[i].type < 0 || kind == INSTRUMENT_BB || kind == INSTRUMENT_EDGE ||
		       kind == INSTRUMENT_NOTHING;
	}
	return may;
}

bool switches_leave(struct job *j)
{
	const bool may = may_leave_early(j);
	uint32_t early = EDIT_NONE;
	struct writer w;
	writer_init(&w, -1);
	bool ok = true;
	switch_code_append_hint(&w, stack_hint(types_of(j), HINT_POPPF, HINT_POPPF_ALL));
	for (uint32_t i = 0; ok && i < j->count; i++) {
		const uint8_t place = j->plan->places[i];
		if (place & PLACE_LEAVE_EARLY)
			early = i;
		/* poppf is a load, for which decode may have to wait: insert it as early as
		 * possible. */
		if (place & PLACE_LEAVE) {
			ok = edit_before(j->e, may && early != EDIT_NONE ? early : i, w.code, w.n,
			                 j->err);
			early = EDIT_NONE;
		}
		if (ok && (place & PLACE_LEAVE_BEHIND))
			ok = edit_behind(j->e, i, w.code, w.n, j->err);
		if (ok && (place & PLACE_LEAVE_TAKEN))
			ok = edit_taken(j->e, i, w.code, w.n, j->err);
	}
	return ok;
}

bool job_is_steady(const struct job *j)
{
	return j->plan && !j->plan->astray && j->type >= 0;
}

bool job_is_switched(const struct job *j, uint32_t i)
{
	return job_is_steady(j) && has_flag_within(j, i);
}

bool job_keeps_flag(const struct job *j, uint32_t f)
{
	return job_is_steady(j) && !j->plan->catches[f];
}
