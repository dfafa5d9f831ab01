/* Instrumentation of kind callgraph: each procedure first calls _mcount, a routine that counts an
 * arc, given by two return addresses (loader/instrument/arcs.h): the procedure's and its own. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/activation.h"
#include "loader/instrument/arcs.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/path_code.h"

enum { RA = 1, SP = 2, T0 = 5, T1, T2, T3 = 28, T4, T5 };

#define MAGIC UINT64_C(0x3153435241435943) /* "CYCARCS1" */

static const uint8_t kept[] = {T0, T2, T3, T4, T5};
enum { KEPT = sizeof kept, KEPT_BYTES = 48 };

/* Adds the routine. It is called through t0, with the procedure's return address in t1, which it
 * changes. */
static uint64_t put_mcount(struct job *j, uint64_t table, const struct path_table *shape)
{
	struct writer w;
	writer_init(&w, -1);
	const uint64_t hash = path_put_hash(j, shape);
	if (!hash)
		return 0;
	writer_put(&w, OP_ADDI, SP, SP, 0, -KEPT_BYTES);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(&w, OP_SD, REG_SINK, SP, kept[i], 8 * (int32_t)i);
	writer_put(&w, OP_SLLI, T2, T1, 0, 32);
	writer_put(&w, OP_OR, T2, T2, T0, 0);
	writer_put_ref(&w, OP_AUIPC, T1, 0, 0, REF_HIGH, table);
	writer_put_ref(&w, OP_ADDI, T1, T1, 0, REF_LOW, 0);
	writer_call(&w, T0, hash);
	writer_add_one(&w, j->o->atomic, T1, 0, T2);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(&w, OP_LD, kept[i], SP, 0, 8 * (int32_t)i);
	writer_put(&w, OP_ADDI, SP, SP, 0, KEPT_BYTES);
	writer_return(&w, T0);
	return edit_routine(j->e, w.code, w.n, j->err);
}

/* The link register of each function: t0 if any call uses it, as prologues do that save registers
 * by a routine; else ra. */
static uint8_t *find_links(const struct job *j, uint32_t functions)
{
	uint8_t *link = alloc_bytes(functions + (size_t)1);
	if (!link)
		return NULL;
	memset(link, RA, functions);
	for (uint32_t i = 0; i < j->count; i++) {
		const struct edit_inst *in = &j->insts[i];
		const uint32_t to =
			!(in->flags & EDIT_DATA) && in->ref == REF_NEAR && in->in.rd == T0
				? edit_inst_at(j->e, in->target)
				: EDIT_NONE;
		if (to != EDIT_NONE)
			link[j->insts[to].function] = T0;
	}
	return link;
}

static bool put_entry(struct job *j, const struct edit_function *f, unsigned link, uint64_t mcount)
{
	struct writer w;
	writer_init(&w, j->type);
	writer_begin_fixed(&w, 1 << T0 | 1 << T1, job_live_at(j, f->first), 0);
	writer_put(&w, OP_ADDI, T1, link, 0, 0);
	writer_call(&w, T0, mcount);
	writer_end(&w);
	j->sum->spilled += w.spilled;
	return edit_enter(j->e, f->first, w.code, w.n, j->err);
}

bool count_arcs(struct job *j)
{
	const struct path_table shape = {.paths = UINT64_MAX, .words = 1, .log2 = ARCS_LOG2};
	struct activations act;
	uint32_t count;
	const struct edit_function *functions = edit_functions(j->e, &count);
	const uint64_t table = edit_memory(j->e, (size_t)path_table_bytes(&shape)),
		       words[3] = {MAGIC, table, ARCS_LOG2};
	if (table > UINT32_MAX / 2)
		return err_set(j->err,
		               "code lies above 2 GB, where arcs have no room for addresses");
	if (!activations_of(j->e, &act, j->err))
		return false;
	uint8_t *link = find_links(j, count);
	const uint64_t mcount = link ? put_mcount(j, table, &shape) : 0;
	bool ok = mcount || (!link && err_set(j->err, "out of memory for arcs"));
	for (uint32_t f = 0; ok && f < count; f++)
		ok = !act.entry[f] || job_untouched(&functions[f]) != LEFT_WHY_COUNT ||
		     put_entry(j, &functions[f], link[f], mcount);
	free(link);
	activations_free(&act);
	return ok && edit_section(j->e, ARCS_SECTION, words, sizeof words, j->err);
}
