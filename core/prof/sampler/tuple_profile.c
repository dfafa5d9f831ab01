#include "core/prof/sampler/tuple_profile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/hash.h"

enum { ROOM_AT_FIRST = 64, ENTRIES_MOST = 1 << 30 };

const struct tuple_thresholds tuple_thresholds_paper = {
	.min_count = 1000, .invariant = 0.10, .covered = 0.40, .tag = -1};

void tuple_profile_init(struct tuple_profile *p, struct tuple_memory memory)
{
	*p = (struct tuple_profile){.memory = memory};
}

static void tuple_profile_release_array(const struct tuple_memory *m, void *at, size_t bytes)
{
	if (at)
		m->resize(m->ctx, at, bytes, 0);
}

void tuple_profile_deinit(struct tuple_profile *p)
{
	tuple_profile_release_array(&p->memory, p->tuple, p->tuple_room * sizeof *p->tuple);
	tuple_profile_release_array(&p->memory, p->pc, p->pc_room * sizeof *p->pc);
	tuple_profile_release_array(&p->memory, p->tuple_slots.at,
	                            p->tuple_slots.count * sizeof *p->tuple_slots.at);
	tuple_profile_release_array(&p->memory, p->pc_slots.at,
	                            p->pc_slots.count * sizeof *p->pc_slots.at);
	*p = (struct tuple_profile){.memory = p->memory};
}

static void empty_slots(struct tuple_slots *s)
{
	if (s->at)
		memset(s->at, 0xff, s->count * sizeof *s->at);
}

void tuple_profile_clear(struct tuple_profile *p)
{
	empty_slots(&p->tuple_slots);
	empty_slots(&p->pc_slots);
	p->tuples = p->pcs = 0;
	p->total = 0;
}

/* ---- slots ---- */
static uint64_t hash_tuple(struct tuple t)
{
	return hash_word(hash_word(HASH_WORDS_START, t.pc), t.value);
}

static uint64_t hash_pc(uint64_t pc)
{
	return hash_word(HASH_WORDS_START, pc);
}

/* The slot of this tuple, or the free one where it would be. There is at least one free slot. */
static uint32_t *tuple_slot(const struct tuple_profile *p, struct tuple t)
{
	const struct tuple_slots *s = &p->tuple_slots;
	size_t i = hash_tuple(t) & (s->count - 1);
	for (; s->at[i] != TUPLE_NONE; i = (i + 1) & (s->count - 1)) {
		const struct tuple *there = &p->tuple[s->at[i]].tuple;
		if (there->pc == t.pc && there->value == t.value)
			break;
	}
	return &s->at[i];
}

static uint32_t *pc_slot(const struct tuple_profile *p, uint64_t pc)
{
	const struct tuple_slots *s = &p->pc_slots;
	size_t i = hash_pc(pc) & (s->count - 1);
	while (s->at[i] != TUPLE_NONE && p->pc[s->at[i]].pc != pc)
		i = (i + 1) & (s->count - 1);
	return &s->at[i];
}

const struct tuple_count *tuple_profile_find(const struct tuple_profile *p, struct tuple t)
{
	const uint32_t *slot = p->tuples ? tuple_slot(p, t) : NULL;
	return slot && *slot != TUPLE_NONE ? &p->tuple[*slot] : NULL;
}

const struct pc_count *tuple_profile_find_pc(const struct tuple_profile *p, uint64_t pc)
{
	const uint32_t *slot = p->pcs ? pc_slot(p, pc) : NULL;
	return slot && *slot != TUPLE_NONE ? &p->pc[*slot] : NULL;
}

/* ---- room ---- */
/* Makes room for one more than `count` entries of `each` bytes. */
static bool more_entries(const struct tuple_memory *m, void **at, size_t each, uint32_t count,
                         uint32_t *room)
{
	if (count < *room)
		return true;
	uint32_t n = *room ? *room * 2 : ROOM_AT_FIRST;
	void *p = n <= ENTRIES_MOST ? m->resize(m->ctx, *at, *room * each, n * each) : NULL;
	if (!p)
		return false;
	*at = p;
	*room = n;
	return true;
}

/* Allocates twice as many slots as there may be entries, all free; releases the old ones. */
static bool more_slots(const struct tuple_memory *m, struct tuple_slots *s, uint32_t room)
{
	size_t n = (size_t)room * 2;
	uint32_t *at = m->resize(m->ctx, NULL, 0, n * sizeof *at);
	if (!at)
		return false;
	tuple_profile_release_array(m, s->at, s->count * sizeof *s->at);
	*s = (struct tuple_slots){at, n};
	empty_slots(s);
	return true;
}

static bool room_for_tuple(struct tuple_profile *p)
{
	void *at = p->tuple;
	bool ok = more_entries(&p->memory, &at, sizeof *p->tuple, p->tuples, &p->tuple_room);
	p->tuple = at;
	assert(!ok || p->tuple);
	if (!ok || p->tuple_slots.count >= (size_t)p->tuple_room * 2)
		return ok;
	if (!more_slots(&p->memory, &p->tuple_slots, p->tuple_room))
		return false;
	for (uint32_t i = 0; i < p->tuples; i++)
		*tuple_slot(p, p->tuple[i].tuple) = i;
	return true;
}

static bool room_for_pc(struct tuple_profile *p)
{
	void *at = p->pc;
	bool ok = more_entries(&p->memory, &at, sizeof *p->pc, p->pcs, &p->pc_room);
	p->pc = at;
	assert(!ok || p->pc);
	if (!ok || p->pc_slots.count >= (size_t)p->pc_room * 2)
		return ok;
	if (!more_slots(&p->memory, &p->pc_slots, p->pc_room))
		return false;
	for (uint32_t i = 0; i < p->pcs; i++)
		*pc_slot(p, p->pc[i].pc) = i;
	return true;
}

/* ---- counting ---- */
/* Makes the entry of this tuple, for which there is room. */
static struct tuple_count *tuple_profile_insert_count(struct tuple_profile *p, struct tuple t)
{
	uint32_t *slot = pc_slot(p, t.pc), number = p->tuples++;
	assert(p->tuple && p->pc);
	if (*slot == TUPLE_NONE) {
		*slot = p->pcs++;
		p->pc[*slot] = (struct pc_count){.pc = t.pc, .first = number};
	} else {
		p->tuple[p->pc[*slot].last].next = number;
	}
	p->pc[*slot].last = number;
	p->pc[*slot].values++;
	p->tuple[number] = (struct tuple_count){.tuple = t, .pc = *slot, .next = TUPLE_NONE};
	*tuple_slot(p, t) = number;
	return &p->tuple[number];
}

bool tuple_profile_add(struct tuple_profile *p, struct tuple t, uint64_t count)
{
	const struct tuple_count *there = tuple_profile_find(p, t);
	if (!there && !(room_for_tuple(p) && room_for_pc(p)))
		return false;
	struct tuple_count *e =
		there ? &p->tuple[there - p->tuple] : tuple_profile_insert_count(p, t);
	e->count += count;
	p->pc[e->pc].count += count;
	p->total += count;
	return true;
}

/* ---- error ---- */
static double tuple_profile_fraction(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

static bool tuple_profile_is_invariant(const struct tuple_count *t, const struct pc_count *pc,
                                       const struct tuple_thresholds *limits)
{
	return tuple_profile_fraction(t->count, pc->count) >= limits->invariant;
}

static bool tuple_profile_pc_is_selected(const struct tuple_profile *p, const struct pc_count *pc,
                                         const struct tuple_thresholds *limits)
{
	uint64_t covered = 0;
	if (!pc->count || pc->count < limits->min_count)
		return false;
	for (uint32_t i = pc->first; i != TUPLE_NONE; i = p->tuple[i].next)
		if (tuple_profile_is_invariant(&p->tuple[i], pc, limits))
			covered += p->tuple[i].count;
	return tuple_profile_fraction(covered, pc->count) >= limits->covered;
}

/* Adds the weighted difference of one tuple of a selected pc, for each estimate. */
static void tuple_profile_add_error(const struct tuple_count *v, const struct pc_count *pc,
                                    const struct tuple_profile *const *estimate, size_t n,
                                    struct tuple_error *out)
{
	for (size_t k = 0; k < n; k++) {
		const struct pc_count *seen = tuple_profile_find_pc(estimate[k], pc->pc);
		const struct tuple_count *guess =
			seen ? tuple_profile_find(estimate[k], v->tuple) : NULL;
		double there = guess ? tuple_profile_fraction(guess->count, seen->count) : 0;
		out[k].error += (double)v->count *
		                fabs(tuple_profile_fraction(v->count, pc->count) - there);
		out[k].tuples++;
		out[k].weight += v->count;
	}
}

static void tuple_profile_add_pc_errors(const struct tuple_profile *ideal,
                                        const struct pc_count *pc,
                                        const struct tuple_profile *const *estimate, size_t n,
                                        const struct tuple_thresholds *limits,
                                        struct tuple_error *out)
{
	for (uint32_t i = pc->first; i != TUPLE_NONE; i = ideal->tuple[i].next)
		if (tuple_profile_is_invariant(&ideal->tuple[i], pc, limits))
			tuple_profile_add_error(&ideal->tuple[i], pc, estimate, n, out);
	for (size_t k = 0; k < n; k++) {
		const struct pc_count *seen = tuple_profile_find_pc(estimate[k], pc->pc);
		out[k].pcs++;
		out[k].unseen += !seen || !seen->count;
	}
}

void tuple_profile_errors(const struct tuple_profile *ideal,
                          const struct tuple_profile *const *estimate, size_t n,
                          const struct tuple_thresholds *limits, struct tuple_error *out)
{
	uint64_t total = 0;
	for (size_t k = 0; k < n; k++)
		out[k] = (struct tuple_error){0};
	for (uint32_t i = 0; i < ideal->pcs; i++) {
		const struct pc_count *pc = &ideal->pc[i];
		if (limits->tag >= 0 && (uint64_t)limits->tag != pc->pc >> TUPLE_TAG_SHIFT)
			continue;
		total += pc->count;
		if (tuple_profile_pc_is_selected(ideal, pc, limits))
			tuple_profile_add_pc_errors(ideal, pc, estimate, n, limits, out);
	}
	for (size_t k = 0; k < n; k++) {
		out[k].total = total;
		out[k].error = out[k].weight ? out[k].error / (double)out[k].weight : NAN;
	}
}

void tuple_profile_error(const struct tuple_profile *ideal, const struct tuple_profile *estimate,
                         const struct tuple_thresholds *limits, struct tuple_error *out)
{
	tuple_profile_errors(ideal, &estimate, 1, limits, out);
}
