#include "loader/instrument/instrument.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/liveness.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/switch_plan.h"

/* Whether a list of names and wildcards contains the name; a separate part of a function matches by
 * the function's name. */
static bool instrument_list_matches_name(const char *list, const char *name)
{
	char pattern[256], base[256];
	snprintf(base, sizeof base, "%.*s",
	         (int)(strstr(name, ".cold") ? strstr(name, ".cold") - name : 255), name);
	for (; *list; list += *list == ',') {
		const size_t n = strcspn(list, ",");
		snprintf(pattern, sizeof pattern, "%.*s",
		         (int)(n < sizeof pattern ? n : sizeof pattern - 1), list);
		if (!fnmatch(pattern, name, 0) || !fnmatch(pattern, base, 0))
			return true;
		list += n;
	}
	return false;
}

static bool instrument_function_is_selected(const struct job *j, const struct edit_function *f)
{
	return (!j->o->functions || instrument_list_matches_name(j->o->functions, f->name)) &&
	       (!j->o->except || !instrument_list_matches_name(j->o->except, f->name));
}

static bool find_wanted(struct job *j)
{
	const struct edit_function *functions = edit_functions(j->e, &(uint32_t){0});
	uint32_t n = 0;
	j->wanted = alloc_zeroed(j->sum->functions + 1, 1);
	if (!j->wanted)
		return err_set(j->err, "out of memory for instrumentation");
	for (uint32_t f = 0; f < j->sum->functions; f++) {
		const bool asked = instrument_function_is_selected(j, &functions[f]);
		j->wanted[f] = asked && job_untouched(&functions[f]) == LEFT_WHY_COUNT;
		n += asked;
	}
	return n || err_set(j->err, "no function is left to instrument; expected names as `nm` has "
	                            "them, and wildcards: 'main,do_*'");
}

/* ---- blocks and edges ---- */
static uint64_t instrument_inst_end(const struct edit_inst *i)
{
	return i->addr + i->in.len;
}

static bool add_counter(struct job *j, uint32_t i, put_fn *place, uint32_t live, uint64_t to)
{
	struct writer w;
	writer_init(&w, j->type);
	uint64_t k;
	if (!job_counters(j, j->insts[i].addr, to, 1, &k))
		return false;
	writer_count(&w, j->o->atomic, j->memory + 8 * k, live);
	j->sum->spilled += w.spilled;
	return place(j->e, i, w.code, w.n, j->err);
}

static bool instrument_inst_is_code(const struct job *j, uint32_t i)
{
	return !(j->insts[i].flags & EDIT_DATA);
}

static uint64_t instrument_block_end(const struct job *j, uint32_t i)
{
	while (i + 1 < j->count && instrument_inst_is_code(j, i + 1) &&
	       !edit_begins_block(j->e, i + 1))
		i++;
	return instrument_inst_end(&j->insts[i]);
}

static bool instrument_insert_block_counters(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++)
		if (instrument_inst_is_code(j, i) && j->wanted[j->insts[i].function] &&
		    edit_begins_block(j->e, i) &&
		    !add_counter(j, i, edit_before, j->live[i], instrument_block_end(j, i)))
			return false;
	return true;
}

static bool instrument_insert_edge_counters(struct job *j)
{
	if (!count_ways(j))
		return false;
	for (uint32_t i = 0; i < j->count; i++) {
		const struct edit_inst *at = &j->insts[i];
		const unsigned flags = inst_flags(&at->in);
		if (!instrument_inst_is_code(j, i) || !j->wanted[at->function] ||
		    at->ref != REF_NEAR)
			continue;
		/* A jump is always taken: count before it. Counting before also suits a call, which
		 * writes its link register. */
		if (flags & OPF_JUMP) {
			if (!add_counter(j, i, edit_before, j->live[i], at->target))
				return false;
			continue;
		}
		/* Of an atomic sequence only edges that leave it are counted. */
		if ((edit_may_insert_taken(j->e, i) &&
		     !add_counter(j, i, edit_taken, job_live_taken(j, i), at->target)) ||
		    (edit_may_insert_behind(j->e, i) &&
		     !add_counter(j, i, edit_behind, job_live_behind(j, i),
		                  instrument_inst_end(at))))
			return false;
	}
	return true;
}

/* ---- a program ---- */
static bool count_kind(struct job *j)
{
	switch (j->kind) {
	case INSTRUMENT_BB:
		return instrument_insert_block_counters(j);
	case INSTRUMENT_EDGE:
		return instrument_insert_edge_counters(j);
	case INSTRUMENT_PATH:
	case INSTRUMENT_PATH_HW:
		return count_paths(j);
	case INSTRUMENT_CALLGRAPH:
		return count_arcs(j);
	case INSTRUMENT_CCT:
	case INSTRUMENT_CCT_HW:
	case INSTRUMENT_CCT_PATH:
		return count_contexts(j);
	default:
		return true;
	}
}

/* The section being built. */
struct tables {
	uint8_t *bytes; /* [n], owned */
	size_t n;
};

static bool add_bytes(struct tables *t, const void *bytes, size_t n, struct err *err)
{
	uint8_t *more = alloc_resize(t->bytes, t->n + n + 1);
	if (!more)
		return err_set(err, "out of memory for instrumentation");
	t->bytes = more;
	if (n)
		memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	return true;
}

/* The value of struct counters.whole. */
static bool instrument_job_is_whole(const struct job *j)
{
	return job_is_steady(j) && !j->o->steady && j->kind != INSTRUMENT_BB &&
	       j->kind != INSTRUMENT_EDGE && j->kind != INSTRUMENT_CALLGRAPH;
}

static bool leave_untouched(struct job *j)
{
	const struct edit_function *functions = edit_functions(j->e, &(uint32_t){0});
	bool ok = true;
	for (uint32_t f = 0; ok && f < j->sum->functions; f++) {
		const enum skip_reason why = job_untouched(&functions[f]);
		if (why != LEFT_WHY_COUNT && instrument_function_is_selected(j, &functions[f]))
			ok = job_leave(j, &functions[f], why);
	}
	return ok;
}

static bool put_kind(struct job *j, const struct instrument_what *what, struct tables *t)
{
	j->kind = what->kind;
	j->type = what->type;
	j->words = what->kind == INSTRUMENT_PATH_HW ? 1 + INSTRUMENT_METRICS : 1;
	j->memory = edit_memory_here(j->e);
	j->counter_count = 0;
	if (!leave_untouched(j) || !count_kind(j))
		return false;
	for (uint32_t i = 0; i < j->count; i++)
		j->live[i] |= j->reserved[j->insts[i].function];
	edit_memory(j->e, 8 * (size_t)(j->words * j->counter_count));
	const uint64_t flags = (instrument_job_is_whole(j) ? COUNTERS_WHOLE : 0) |
	                       (j->o->atomic ? COUNTERS_ATOMIC : 0);
	const struct counters_header head = {j->kind,          j->memory, j->words,
	                                     j->counter_count, j->type,   flags};
	return add_bytes(t, &head, sizeof head, j->err) &&
	       add_bytes(t, j->counters, j->counter_count * sizeof *j->counters, j->err);
}

/* Whether the kind reserves a register: see job_reserve(). At most one such kind is used, and it is
 * put in first. */
static bool instrument_kind_reserves_register(enum instrument_kind kind)
{
	return kind == INSTRUMENT_PATH || kind == INSTRUMENT_PATH_HW || kind == INSTRUMENT_CCT_PATH;
}

/* Plans where flags change, and the code that saves and switches them. */
static bool find_flags(struct job *j)
{
	const struct switch_options *s = &j->o->switches;
	bool typed = false;
	for (unsigned i = 0; i < j->o->count; i++)
		typed |= j->o->what[i].type >= 0;
	j->units = s->units != UNITS_UNSAID ? s->units : typed ? UNITS_METHODS : UNITS_NONE;
	if (j->units == UNITS_NONE)
		return true;
	j->kind = j->o->what[0].kind;
	j->plan = alloc_bytes(sizeof *j->plan);
	if (!j->plan)
		return err_set(j->err, "out of memory for profile flags");
	return switch_plan_make(j, j->units, s->min_loop, j->plan) && switches_enter(j);
}

static bool put_in(struct job *j)
{
	const uint64_t magic = COUNTERS_MAGIC;
	struct tables t = {0};
	j->live = edit_liveness(j->e);
	j->reserved = alloc_zeroed(j->sum->functions + 1, sizeof *j->reserved);
	if (!j->live || !j->reserved)
		return err_set(j->err, "out of memory for instrumentation");
	bool ok = find_wanted(j) && find_flags(j) && add_bytes(&t, &magic, sizeof magic, j->err);
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; ok && i < j->o->count; i++)
			if (instrument_kind_reserves_register(j->o->what[i].kind) == !pass)
				ok = put_kind(j, &j->o->what[i], &t);
	ok = ok && (!j->plan || switches_leave(j));
	ok = ok && edit_section(j->e, COUNTERS_SECTION, t.bytes, t.n, j->err);
	free(t.bytes);
	return ok && edit_section(j->e, LEFT_SECTION, j->left ? (const void *)j->left : "",
	                          j->left_count * sizeof *j->left, j->err);
}

struct program *instrument_program(const struct program *p, const struct instrument_options *o,
                                   struct instrument_summary *sum, void **file, size_t *n,
                                   struct err *err)
{
	struct instrument_summary unseen;
	if (!instrument_check(o, err))
		return NULL;
	struct job j = {.e = edit_open(p, err), .o = o, .sum = sum ? sum : &unseen, .err = err};
	if (!j.e)
		return NULL;
	*j.sum = (struct instrument_summary){0};
	j.insts = edit_insts(j.e, &j.count);
	edit_functions(j.e, &j.sum->functions);
	for (uint32_t i = 0; i < j.count; i++) {
		j.sum->insts += instrument_inst_is_code(&j, i);
		j.sum->code_before += j.insts[i].in.len;
	}
	struct program *q = put_in(&j) ? edit_finish(j.e, err) : NULL;
	if (q) {
		j.sum->code_after = edit_code_bytes(j.e);
		const void *bytes = edit_file(j.e, n ? n : &(size_t){0});
		if (file && (*file = alloc_bytes(*n)))
			memcpy(*file, bytes, *n);
	}
	if (q && file && !*file) {
		err_format(err, "out of memory for the new file");
		program_free(q);
		q = NULL;
	}
	free(j.live);
	free(j.reserved);
	free(j.wanted);
	if (j.plan)
		switch_plan_free(j.plan);
	free(j.plan);
	free(j.counters);
	free(j.left);
	edit_free(j.e);
	return q;
}

struct program *instrument_edit(struct program *p, void *ctx, struct err *err)
{
	struct program *q = instrument_program(p, ctx, NULL, NULL, NULL, err);
	program_free(p);
	return q;
}
