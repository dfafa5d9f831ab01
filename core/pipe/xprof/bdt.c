#include "core/pipe/xprof/bdt.h"

#include <string.h>

#include "core/defs/config_fields.h"

const char *const bdt_action_name[BDT_ACTION_COUNT] = {
#define A(id, name) name,
	BDT_ACTIONS(A)
#undef A
};

void bdt_place(struct bdt *t, const struct config *cfg, struct arena *a)
{
	bool exists = cfg->xprof && cfg->bdt_sets;
	*t = (struct bdt){
		.mask = exists ? (uint32_t)cfg->bdt_sets - 1 : 0,
		.ways = exists ? (uint32_t)cfg->bdt_ways : 0,
		.least = (uint32_t)cfg->bdt_min_block,
		.replacement = (enum bdt_replacement)cfg->bdt_replacement,
	};
	t->st = arena_take(a, "block descriptor state", 1, sizeof *t->st);
	t->entry = arena_take(a, "block descriptor table", ((size_t)t->mask + 1) * t->ways,
	                      sizeof *t->entry);
}

static struct bdt_entry *bdt_set_entries(const struct bdt *t, uint64_t leader)
{
	return t->entry + (size_t)bdt_set(t, leader) * t->ways;
}

struct bdt_entry *bdt_find(const struct bdt *t, uint64_t leader)
{
	struct bdt_entry *set = bdt_set_entries(t, leader);
	for (uint32_t w = 0; w < t->ways; w++)
		if (set[w].leader == leader)
			return &set[w];
	return NULL;
}

static void bdt_touch_entry(struct bdt *t, struct bdt_entry *e, uint64_t now)
{
	if (t->replacement == BDT_LRU)
		e->used = ++t->st->clock;
	e->touched = now;
}

struct bdt_entry *bdt_known(struct bdt *t, uint64_t leader, uint64_t now)
{
	struct bdt_entry *e = bdt_find(t, leader);
	if (!e)
		return NULL;
	bdt_touch_entry(t, e, now);
	return !e->locked && e->count >= t->least ? e : NULL;
}

static struct bdt_entry *bdt_allocate_entry(struct bdt *t, const struct bdt_seen *seen,
                                            uint64_t now)
{
	struct bdt_entry *set = bdt_set_entries(t, seen->leader), *victim = set;
	for (uint32_t w = 1; w < t->ways; w++)
		if (set[w].used < victim->used)
			victim = &set[w];
	*victim = (struct bdt_entry){
		.leader = seen->leader,
		.follow = seen->end,
		.count = seen->count,
		.locked = 1,
		.used = ++t->st->clock,
		.touched = now,
	};
	return victim;
}

enum bdt_action bdt_learn(struct bdt *t, const struct bdt_seen *seen, uint64_t now,
                          struct bdt_entry **entry)
{
	struct bdt_entry *e = *entry = bdt_find(t, seen->leader);
	enum bdt_action done = BDT_NOTHING;
	if (!e) {
		if (seen->on || !t->ways)
			return BDT_NOTHING;
		*entry = bdt_allocate_entry(t, seen, now);
		return BDT_MADE;
	}
	bdt_touch_entry(t, e, now);
	if (e->on != seen->on) {
		e->on = seen->on;
		done = BDT_UPDATED;
	}
	/* Its follow was this instruction, which now turns out to belong to the block. */
	if (e->locked && seen->pc >= e->follow) {
		e->follow = seen->end;
		e->count = seen->count;
		done = BDT_GREW;
	}
	if (e->locked && seen->pc == e->leader) {
		e->locked = 0;
		done = BDT_UNLOCKED;
	}
	return done;
}

struct bdt_entry *bdt_stale(const struct bdt *t, uint64_t leader, uint64_t follow)
{
	struct bdt_entry *e = bdt_find(t, leader);
	return e && !e->locked && e->follow != follow ? e : NULL;
}

void bdt_drop(struct bdt_entry *e)
{
	*e = (struct bdt_entry){0};
}

struct bdt_entry *bdt_next_within(const struct bdt *t, const struct bdt_entry *e, uint64_t at,
                                  size_t n)
{
	struct bdt_entry *end = t->entry + ((size_t)t->mask + 1) * t->ways;
	for (struct bdt_entry *i = e ? t->entry + (e - t->entry) + 1 : t->entry; i < end; i++)
		if (i->leader && i->leader < at + n && i->follow > at)
			return i;
	return NULL;
}

void bdt_clear(struct bdt *t)
{
	memset(t->entry, 0, ((size_t)t->mask + 1) * t->ways * sizeof *t->entry);
}
