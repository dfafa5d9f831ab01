/* The table of stop points. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/run/run_priv.h"

static void entry_free(struct stop_entry *e)
{
	if (e->sp.free_ctx)
		e->sp.free_ctx(e->sp.ctx);
	free(e->bytes);
	free(e);
}

void stops_free(struct run *r)
{
	for (size_t i = 0; i < r->stop_count; i++)
		entry_free(r->stop[i]);
	free(r->stop);
	stop_index_free(r);
	r->stop = NULL;
	r->stop_count = r->stop_room = 0;
}

int run_add_stop(struct run *r, const struct stop_point *sp)
{
	struct stop_entry **grown =
		alloc_grow(r->stop, r->stop_count, &r->stop_room, sizeof *grown, 8);
	if (!grown)
		return 0;
	r->stop = grown;
	struct stop_entry *e = alloc_zeroed(1, sizeof *e);
	uint8_t *bytes =
		sp->kind == STOP_POINT_MEMORY ? alloc_zeroed(1, sp->size ? sp->size : 1) : NULL;
	if (!e || (sp->kind == STOP_POINT_MEMORY && !bytes)) {
		free(e);
		free(bytes);
		return 0;
	}
	e->sp = *sp;
	e->sp.id = sp->internal ? --r->last_internal_id : ++r->last_id;
	e->bytes = bytes;
	e->hit_cycle = UINT64_MAX;
	size_t at = r->stop_count++;
	for (; sp->internal && at; at--)
		r->stop[at] = r->stop[at - 1];
	r->stop[at] = e;
	return e->sp.id;
}

static struct stop_entry *stops_find_by_id(const struct run *r, int id, size_t *index)
{
	for (size_t i = 0; i < r->stop_count; i++)
		if (r->stop[i]->sp.id == id && !r->stop[i]->deleted) {
			*index = i;
			return r->stop[i];
		}
	return NULL;
}

static void stops_remove_entry(struct run *r, size_t i)
{
	entry_free(r->stop[i]);
	memmove(&r->stop[i], &r->stop[i + 1], (--r->stop_count - i) * sizeof(struct stop_entry *));
}

bool run_delete_stop(struct run *r, int id)
{
	size_t i;
	struct stop_entry *e = stops_find_by_id(r, id, &i);
	if (!e)
		return false;
	if (r->moving)
		e->deleted = r->deleted_stops = true; /* its own condition may be running */
	else
		stops_remove_entry(r, i);
	return true;
}

struct stop_point *run_stop(struct run *r, int id)
{
	size_t i;
	struct stop_entry *e = stops_find_by_id(r, id, &i);
	return e ? &e->sp : NULL;
}

const struct stop_point *run_stop_at(const struct run *r, unsigned i)
{
	if (!r->deleted_stops && !r->last_internal_id)
		return i < r->stop_count ? &r->stop[i]->sp : NULL;
	for (size_t k = 0; k < r->stop_count; k++)
		if (!r->stop[k]->deleted && !r->stop[k]->sp.internal && i-- == 0)
			return &r->stop[k]->sp;
	return NULL;
}

const struct run_stop_info *run_also_hit(const struct run *r, unsigned *count)
{
	*count = r->also_count;
	return r->also;
}

static bool is_over(const struct run *r, const struct stop_entry *e, uint64_t cycle,
                    const struct run_stop_info *out)
{
	return e->sp.temporary && !r->keeps_temporary && out->reason == STOPPED_BREAK &&
	       e->hit_cycle == cycle;
}

static void delete_set(struct run *r, int set)
{
	for (size_t i = 0; set && i < r->stop_count; i++)
		if (r->stop[i]->sp.set == set)
			r->stop[i]->deleted = r->deleted_stops = true;
}

void stops_sweep(struct run *r, uint64_t cycle, struct run_stop_info *out)
{
	for (size_t i = 0; i < r->stop_count; i++)
		if (is_over(r, r->stop[i], cycle, out))
			delete_set(r, r->stop[i]->sp.set);
	for (size_t i = r->stop_count; i-- > 0;) {
		struct stop_entry *e = r->stop[i];
		if (e->left && out->reason == STOPPED_BREAK && e->hit_cycle == cycle)
			e->sp.enabled = false;
		const bool over = is_over(r, e, cycle, out);
		if (over && e->sp.id == out->stop_id)
			out->temporary_deleted = true;
		if (over || e->deleted)
			stops_remove_entry(r, i);
	}
	r->deleted_stops = false;
}

void run_keep_temporary(struct run *r, bool keep)
{
	r->keeps_temporary = keep;
}

bool run_end_temporary(struct run *r, int id)
{
	const struct stop_point *sp = run_stop(r, id);
	const int set = sp ? sp->set : 0;
	if (!sp || !sp->temporary || r->moving)
		return false;
	run_delete_stop(r, id);
	for (size_t i = r->stop_count; set && i-- > 0;)
		if (r->stop[i]->sp.set == set)
			stops_remove_entry(r, i);
	return true;
}
