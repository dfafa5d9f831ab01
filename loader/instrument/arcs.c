#include "loader/instrument/arcs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/edit/moved_code.h"

#define MAGIC UINT64_C(0x3153435241435943) /* "CYCARCS1" */

/* Finds the hash table's address and shape. False if p counts no arcs, or the section is
 * damaged. */
static bool program_arcs(const struct program *p, uint64_t *table, struct path_table *shape)
{
	uint64_t bytes, words[3];
	const void *section = program_section(p, ARCS_SECTION, &bytes);
	if (!section || bytes != sizeof words)
		return false;
	memcpy(words, section, sizeof words);
	*table = words[1];
	*shape = (struct path_table){.paths = UINT64_MAX, .words = 1, .log2 = (uint32_t)words[2]};
	return words[0] == MAGIC && words[2] > 0 && words[2] < 32;
}

/* ---- reading ---- */
struct reader {
	struct moved_code moved;
	struct arcs *out;
	uint64_t room;
	bool failed;
};

/* The call before the return address `back`, in the original program. */
static uint64_t arcs_call_before_return(const struct moved_code *m, uint64_t back)
{
	const uint64_t k = moved_index(m, back);
	return k && k <= m->count ? m->pairs[2 * (k - 1) + 1] : 0;
}

/* The procedure whose first instruction follows `back`, the routine's return address. */
static uint64_t procedure_behind(const struct moved_code *m, uint64_t back)
{
	const uint64_t k = moved_index(m, back);
	return k < m->count ? m->pairs[2 * k + 1] : 0;
}

static void take_arc(void *ctx, uint64_t key, const uint64_t *words)
{
	struct reader *r = ctx;
	if (r->out->n == r->room) {
		const uint64_t room = 2 * r->room + 256;
		struct arc *more = alloc_resize(r->out->all, room * sizeof *more);
		if (!more) {
			r->failed = true;
			return;
		}
		r->out->all = more;
		r->room = room;
	}
	const uint64_t site = key >> 32 ? arcs_call_before_return(&r->moved, key >> 32) : 0;
	r->out->all[r->out->n++] =
		(struct arc){site, procedure_behind(&r->moved, key & UINT32_MAX), words[0]};
}

static int arcs_compare_by_site(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

bool arcs_read(const struct program *p, path_read_fn *read, void *ctx, struct arcs *out,
               struct err *err)
{
	struct reader r = {.out = out};
	struct path_table shape;
	uint64_t table, lost[PATH_WORDS_MAX] = {0};
	*out = (struct arcs){0};
	if (!program_arcs(p, &table, &shape) || !program_moved_code(p, &r.moved))
		return err_set(err, "the program counts no calls; use --instrument callgraph, "
		                    "or one that `cyclops instrument --kind callgraph` has made");
	bool ok = path_table_each(&shape, table, read, ctx, take_arc, &r, lost) ||
	          err_set(err, "the program's table of calls is damaged");
	ok = ok && (!r.failed || err_set(err, "out of memory for arcs"));
	out->lost = lost[0];
	if (!ok)
		arcs_free(out);
	else if (out->n)
		sort_stable(out->all, out->n, sizeof *out->all, arcs_compare_by_site);
	return ok;
}

void arcs_free(struct arcs *a)
{
	free(a->all);
	*a = (struct arcs){0};
}
