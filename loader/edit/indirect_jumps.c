#include "loader/edit/indirect_jumps_priv.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/edit/liveness.h"

/* ---- ways ---- */
static int indirect_jumps_compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void indirect_jumps_append_target(struct finder *f, uint32_t i)
{
	struct ways *w = f->out;
	if (w->target_count == w->target_room) {
		const uint32_t room = 2 * w->target_room + 256;
		uint32_t *more = alloc_resize(w->targets, room * sizeof *more);
		if (!more) {
			f->failed = true;
			return;
		}
		w->targets = more;
		w->target_room = room;
	}
	w->targets[w->target_count++] = i;
}

/* Reads a way's targets from its jump table. False if no known table has them. */
static bool indirect_jumps_read_jump_table(struct finder *f, struct way *w, const struct value *v,
                                           const uint64_t *starts, uint32_t start_count)
{
	const struct edit *e = f->e;
	const struct edit_section *s =
		v->kind == ENTRY || v->kind == DISTANCE ? jumps_data_section(e, v->at) : NULL;
	const uint64_t bound = s ? jumps_bound(f, w->jump) : 0;
	if (!s)
		return false;
	for (uint64_t k = 0; k < (bound ? bound : SLOTS_MOST); k++) {
		bool other = false; /* another table begins here */
		for (uint32_t t = 0; !bound && k && t < start_count; t++)
			other |= starts[t] == v->at + k * v->width;
		const uint32_t to =
			other ? EDIT_NONE : jumps_slot_target(e, (uint32_t)(s - e->sections), v, k);
		const bool here = jumps_inside(f, to) && jumps_is_place(f, to);
		if (!bound &&
		    (to == EDIT_NONE ||
		     (!here && !strstr(e->functions[e->insts[to].function].name, ".cold"))))
			return k > 0;
		if (to == EDIT_NONE)
			return false;
		if (!here || !jumps_is_aimable(f, to))
			w->certain = false;
		else
			indirect_jumps_append_target(f, to);
	}
	return true;
}

static void take_all_places(struct finder *f, struct way *w)
{
	for (uint32_t i = f->f->first + 1; i < f->f->first + f->f->count; i++) {
		if (!jumps_is_place(f, i))
			continue;
		if (jumps_is_aimable(f, i))
			indirect_jumps_append_target(f, i);
		else
			w->certain = false;
	}
}

static void sort_targets(struct finder *f, struct way *w)
{
	uint32_t *all = f->out->targets + w->first, n = 0;
	w->count = f->out->target_count - w->first;
	if (w->count)
		sort_stable(all, w->count, sizeof *all, indirect_jumps_compare_numbers);
	for (uint32_t k = 0; k < w->count; k++)
		if (!n || all[n - 1] != all[k])
			all[n++] = all[k];
	w->count = n;
	f->out->target_count = w->first + n;
}

/* Grows a list; NULL if memory is out. */
static void *indirect_jumps_grow_list(void *list, uint32_t *room, size_t size)
{
	const uint32_t more_room = 2 * *room + 64;
	void *more = alloc_resize(list, more_room * size);
	*room = more ? more_room : *room;
	return more;
}

static uint32_t indirect_jumps_find_set_root(uint32_t *parent, uint32_t k)
{
	while (parent[k] != k)
		k = parent[k] = parent[parent[k]];
	return k;
}

static bool indirect_jumps_append_target_set(struct finder *f, uint32_t first_way,
                                             const uint32_t *root, uint32_t k)
{
	struct ways *out = f->out;
	if (out->set_count == out->set_room) {
		struct way_set *more =
			indirect_jumps_grow_list(out->sets, &out->set_room, sizeof *more);
		if (!more)
			return false;
		out->sets = more;
	}
	struct way all = {.first = out->target_count};
	for (uint32_t i = k; i < out->count; i++) {
		if (root[i - first_way] != root[k - first_way])
			continue;
		out->all[i].set = out->set_count;
		for (uint32_t t = 0; t < out->all[i].count; t++)
			indirect_jumps_append_target(f, out->targets[out->all[i].first + t]);
	}
	sort_targets(f, &all);
	out->sets[out->set_count++] = (struct way_set){all.first, all.count};
	return !f->failed;
}

/* Puts ways that share a place into one set. */
static bool find_sets(struct finder *f, uint32_t first_way)
{
	struct ways *out = f->out;
	const uint32_t n = out->count - first_way;
	uint32_t *parent = alloc_bytes((n + (size_t)1) * sizeof *parent),
		 *owner = alloc_zeroed(f->f->count + (size_t)1, sizeof *owner);
	bool ok = parent && owner;
	for (uint32_t k = 0; ok && k < n; k++) {
		const struct way *w = &out->all[first_way + k];
		parent[k] = k;
		for (uint32_t t = 0; t < w->count; t++) {
			uint32_t *of = &owner[out->targets[w->first + t] - f->f->first];
			if (*of)
				parent[indirect_jumps_find_set_root(parent, k)] =
					indirect_jumps_find_set_root(parent, *of - 1);
			*of = k + 1;
		}
	}
	for (uint32_t k = 0; ok && k < n; k++)
		parent[k] = indirect_jumps_find_set_root(parent, k);
	for (uint32_t k = 0; ok && k < n; k++) {
		bool new = true;
		for (uint32_t i = 0; i < k && new; i++)
			new = parent[i] != parent[k];
		ok = !new || indirect_jumps_append_target_set(f, first_way, parent, first_way + k);
	}
	free(parent);
	free(owner);
	return ok;
}

static bool indirect_jumps_append_jump(struct finder *f, const struct way *w)
{
	struct ways *out = f->out;
	if (out->count == out->room) {
		struct way *more = indirect_jumps_grow_list(out->all, &out->room, sizeof *more);
		if (!more)
			return false;
		out->all = more;
	}
	out->all[out->count++] = *w;
	for (uint32_t k = 0; k < w->count; k++)
		out->aimed[out->targets[w->first + k]] = 1;
	return true;
}

/* Finds the values that all indirect jumps use, and the tables that they are loaded from. */
static bool find_ways(struct finder *f, uint32_t function)
{
	const uint32_t first_way = f->out->count;
	struct value *values = alloc_bytes((f->count + 1) * sizeof *values);
	uint64_t *starts = alloc_bytes((f->count + 1) * sizeof *starts);
	uint32_t n = 0;
	bool ok = values && starts;
	for (uint32_t k = 0; ok && k < f->count; k++) {
		const uint32_t last = f->first[k + 1] - 1;
		if (!jumps_is_leap(&f->e->insts[last]))
			continue;
		const struct state s = jumps_state_behind(f, k);
		values[k] = f->in[k].seen ? jumps_value(&s, f->e->insts[last].in.rs1)
		                          : (struct value){0};
		if (values[k].kind == ENTRY || values[k].kind == DISTANCE)
			starts[n++] = values[k].at;
	}
	for (uint32_t k = 0; ok && k < f->count; k++) {
		const uint32_t last = f->first[k + 1] - 1;
		if (!jumps_is_leap(&f->e->insts[last]))
			continue;
		struct way w = {.jump = last, .first = f->out->target_count, .certain = true};
		w.resolved = indirect_jumps_read_jump_table(f, &w, &values[k], starts, n);
		if (!w.resolved) {
			const struct state s = jumps_state_behind(f, k);
			f->out->target_count = w.first;
			w.certain = (s.reg[SP].kind == STACK && (int64_t)s.reg[SP].at < 0) ||
			            jumps_is_label(f, &values[k]);
			take_all_places(f, &w);
		}
		sort_targets(f, &w);
		f->out->open[function] |= !w.certain;
		if (!w.count)
			continue;
		ok = indirect_jumps_append_jump(f, &w);
	}
	free(values);
	free(starts);
	return ok && !f->failed && find_sets(f, first_way);
}

/* Whether a function jumps through a register and has possible targets, and is not too large. */
static bool is_worth_it(const struct finder *f, const struct edit_function *function)
{
	bool leaps = false, places = false;
	for (uint32_t i = function->first;
	     i < function->first + function->count && !(leaps && places); i++) {
		leaps |= jumps_is_leap(&f->e->insts[i]);
		places |= i > function->first && jumps_is_place(f, i);
	}
	return leaps && places;
}

void ways_free(struct ways *w)
{
	free(w->all);
	free(w->sets);
	free(w->targets);
	free(w->aimed);
	free(w->open);
	*w = (struct ways){0};
}

bool ways_of(const struct edit *e, struct ways *out, struct err *err)
{
	struct finder f = {
		.e = e, .out = out, .pads = edit_pads(e), .leaps_out = edit_leaps_out(e)};
	uint32_t most = 0;
	*out = (struct ways){.aimed = alloc_zeroed(e->inst_count + (size_t)1, 1),
	                     .open = alloc_zeroed(e->function_count + (size_t)1, 1)};
	bool ok = f.pads && out->aimed && out->open;
	for (uint32_t k = 0; ok && k < e->function_count; k++)
		if (e->functions[k].count > most && is_worth_it(&f, &e->functions[k]))
			most = e->functions[k].count;
	if (ok && most) {
		f.first = alloc_bytes((most + (size_t)1) * sizeof *f.first);
		f.block = alloc_bytes((most + (size_t)1) * sizeof *f.block);
		f.from = alloc_bytes((most + (size_t)1) * sizeof *f.from);
		f.froms = alloc_bytes(most + (size_t)1);
		ok = f.first && f.block && f.from && f.froms;
	}
	for (uint32_t k = 0; ok && most && k < e->function_count; k++) {
		f.f = &e->functions[k];
		if (!is_worth_it(&f, f.f) || f.f->fixed)
			continue;
		uint32_t blocks = 0;
		for (uint32_t i = f.f->first; i < f.f->first + f.f->count; i++)
			blocks += i == f.f->first || !jumps_is_code(e, i) || edit_is_leader(e, i);
		f.in = alloc_bytes((blocks + (size_t)1) * sizeof *f.in);
		ok = f.in;
		if (ok) {
			jumps_find_blocks(&f);
			jumps_follow(&f);
			ok = find_ways(&f, k);
		}
		free(f.in);
	}
	free(f.pads);
	free(f.first);
	free(f.block);
	free(f.from);
	free(f.froms);
	if (ok)
		return true;
	ways_free(out);
	return err_set(err, "out of memory for the jumps of %s", e->p->path);
}

uint32_t ways_from(const struct ways *w, uint32_t first)
{
	uint32_t lo = 0, hi = w->count;
	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (w->all[mid].jump < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
