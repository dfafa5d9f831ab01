#include "loader/edit/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "loader/edit/kind.h"
#include "loader/edit/liveness.h"
#include "loader/edit/moved.h"

#define SECTION ".cyclops.counters"
#define MAGIC UINT64_C(0x324e554f43435943) /* "CYCCOUN2" */

/* The section: this, and the counters behind it. */
struct counters_header {
	uint64_t magic, kind, memory, words, count;
};

const char *const instrument_name[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) name,
	INSTRUMENT_KINDS(K)
#undef K
};

const char *const instrument_help[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) help,
	INSTRUMENT_KINDS(K)
#undef K
};

const char *const instrument_metrics[INSTRUMENT_METRICS] = {"sim.cycles", "l1d.misses"};

bool instrument_parse(const char *text, enum instrument_kind *out, struct err *err)
{
	struct nearest near;
	nearest_init(&near, text);
	for (unsigned i = 0; i < INSTRUMENT_KIND_COUNT; i++) {
		if (!strcmp(text, instrument_name[i])) {
			*out = (enum instrument_kind)i;
			return true;
		}
		nearest_offer(&near, instrument_name[i]);
	}
	return near.best ? err_set(err, "no kind of instrumentation is called '%s'; did you mean '%s'?", text, near.best)
	                 : err_set(err, "no kind of instrumentation is called '%s'; there are bb, edge, path, path+hw and nothing", text);
}

/* ---- what kinds share ---- */
bool job_counters(struct job *j, uint64_t at, uint64_t to, uint64_t n, uint64_t *first)
{
	if (n > j->counter_room - j->sum->counters) {
		size_t room = 2 * (j->counter_room + n) + 1024;
		struct counter *more = realloc(j->counters, room * sizeof *more);
		if (!more)
			return err_set(j->err, "out of memory for instrumentation");
		j->counters = more;
		j->counter_room = room;
	}
	*first = j->sum->counters;
	for (uint64_t k = 0; k < n; k++)
		j->counters[j->sum->counters++] = (struct counter){at, to};
	return true;
}

uint32_t job_live_at(const struct job *j, uint32_t i)
{
	return i < j->count && !(j->insts[i].flags & EDIT_DATA) ? j->live[i] : UINT32_MAX;
}

uint32_t job_live_behind(const struct job *j, uint32_t i)
{
	return job_live_at(j, i + 1);
}

uint32_t job_live_taken(const struct job *j, uint32_t i)
{
	return job_live_at(j, edit_inst_at(j->e, j->insts[i].target));
}

/* ---- blocks and edges ---- */
static uint64_t end_of(const struct edit_inst *i)
{
	return i->addr + i->in.len;
}

static bool add_counter(struct job *j, uint32_t i, put_fn *place, uint32_t live, uint64_t to)
{
	struct writer w = {.type = j->o->type};
	uint64_t k;
	if (!job_counters(j, j->insts[i].addr, to, 1, &k))
		return false;
	writer_count(&w, j->memory + 8 * k, live);
	j->sum->spilled += w.spilled;
	return place(j->e, i, w.code, w.n, j->err);
}

static bool is_code(const struct job *j, uint32_t i)
{
	return !(j->insts[i].flags & EDIT_DATA);
}

static uint64_t block_end(const struct job *j, uint32_t i)
{
	while (i + 1 < j->count && is_code(j, i + 1) && !edit_is_leader(j->e, i + 1))
		i++;
	return end_of(&j->insts[i]);
}

static bool count_blocks(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++)
		if (is_code(j, i) && edit_is_leader(j->e, i) && !add_counter(j, i, edit_before, j->live[i], block_end(j, i)))
			return false;
	return true;
}

static bool count_edges(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++) {
		const struct edit_inst *at = &j->insts[i];
		const unsigned flags = inst_flags(&at->in);
		if (!is_code(j, i) || at->ref != REF_NEAR)
			continue;
		/* A jump always goes there: it is counted before it. Of a call, which writes its link register, that is so as well. */
		if (flags & OPF_JUMP) {
			if (!add_counter(j, i, edit_before, j->live[i], at->target))
				return false;
			continue;
		}
		if (!add_counter(j, i, edit_taken, job_live_taken(j, i), at->target) ||
		    !add_counter(j, i, edit_behind, job_live_behind(j, i), end_of(at)))
			return false;
	}
	return true;
}

/* ---- a program ---- */
static bool put_in(struct job *j)
{
	j->live = edit_liveness(j->e);
	if (!j->live)
		return err_set(j->err, "out of memory for instrumentation");
	j->memory = edit_memory_here(j->e);
	switch (j->o->kind) {
	case INSTRUMENT_BB:
		return count_blocks(j);
	case INSTRUMENT_EDGE:
		return count_edges(j);
	case INSTRUMENT_PATH:
	case INSTRUMENT_PATH_HW:
		return count_paths(j);
	default:
		return true;
	}
}

static bool describe(struct job *j)
{
	const struct counters_header head = {MAGIC, j->o->kind, j->memory, j->words, j->sum->counters};
	const size_t n = sizeof head + j->sum->counters * sizeof *j->counters;
	uint8_t *bytes = malloc(n);
	if (!bytes)
		return err_set(j->err, "out of memory for instrumentation");
	memcpy(bytes, &head, sizeof head);
	if (j->sum->counters)
		memcpy(bytes + sizeof head, j->counters, n - sizeof head);
	bool ok = edit_section(j->e, SECTION, bytes, n, j->err);
	free(bytes);
	return ok && edit_section(j->e, LEFT_SECTION, j->left ? (const void *)j->left : "", j->left_count * sizeof *j->left, j->err);
}

struct program *instrument_program(const struct program *p, const struct instrument_options *o, struct instrument_summary *sum,
                                   void **file, size_t *n, struct err *err)
{
	struct instrument_summary unseen;
	struct job j = {.e = edit_open(p, err), .o = o, .words = o->kind == INSTRUMENT_PATH_HW ? 1 + INSTRUMENT_METRICS : 1, .sum = sum ? sum : &unseen, .err = err};
	if (!j.e)
		return NULL;
	*j.sum = (struct instrument_summary){0};
	j.insts = edit_insts(j.e, &j.count);
	edit_functions(j.e, &j.sum->functions);
	for (uint32_t i = 0; i < j.count; i++) {
		j.sum->insts += is_code(&j, i);
		j.sum->code_before += j.insts[i].in.len;
	}
	struct program *q = NULL;
	if (put_in(&j)) {
		edit_memory(j.e, 8 * (size_t)(j.words * j.sum->counters));
		if (describe(&j))
			q = edit_finish(j.e, err);
	}
	if (q) {
		j.sum->code_after = edit_code_bytes(j.e);
		const void *bytes = edit_file(j.e, n ? n : &(size_t){0});
		if (file && (*file = malloc(*n)))
			memcpy(*file, bytes, *n);
	}
	if (q && file && !*file) {
		err_format(err, "out of memory for the new file");
		program_free(q);
		q = NULL;
	}
	free(j.live);
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

/* ---- reading ---- */
bool program_counters(const struct program *p, struct counters *out)
{
	struct counters_header h;
	uint64_t bytes;
	const uint8_t *section = program_section(p, SECTION, &bytes);
	if (!section || bytes < sizeof h)
		return false;
	memcpy(&h, section, sizeof h);
	if (h.magic != MAGIC || h.kind >= INSTRUMENT_KIND_COUNT || !h.words || h.count != (bytes - sizeof h) / sizeof(struct counter))
		return false;
	*out = (struct counters){
		.kind = (enum instrument_kind)h.kind, .memory = h.memory, .words = h.words, .count = h.count,
		.all = (const struct counter *)(const void *)(section + sizeof h),
	};
	return true;
}
