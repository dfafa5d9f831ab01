#include "core/pipe/memdep.h"

#include <string.h>

#include "core/defs/config_fields.h"

void memdep_place(struct memdep *d, const struct config *cfg, struct arena *a)
{
	*d = (struct memdep){
		.kind = cfg->lsq_speculate ? (enum memdep_kind)cfg->lsq_predictor : MEMDEP_NONE,
		.clear = (uint64_t)cfg->lsq_predictor_clear,
	};
	if (d->kind != MEMDEP_NONE)
		d->mask = (uint32_t)cfg->lsq_predictor_size - 1;
	if (d->kind == MEMDEP_STORE_SETS)
		d->set_mask = (uint32_t)cfg->lsq_store_sets - 1;
	d->st = arena_take(a, "dependence predictor", 1, sizeof *d->st);
	d->table = arena_take(a, "dependence table", (size_t)d->mask + 1, sizeof *d->table);
	d->last = arena_take(a, "last stores of store sets", (size_t)d->set_mask + 1,
	                     sizeof *d->last);
}

static void memdep_clear_tables(struct memdep *d)
{
	memset(d->table, 0, ((size_t)d->mask + 1) * sizeof *d->table);
	memset(d->last, 0, ((size_t)d->set_mask + 1) * sizeof *d->last);
}

void memdep_reset(struct memdep *d)
{
	d->st->interval = 0;
	memdep_clear_tables(d);
}

/* The entry of this address, after any clearing that is due. */
static uint16_t *memdep_lookup_entry(struct memdep *d, uint64_t pc, uint64_t now)
{
	uint64_t interval = d->clear ? now / d->clear : 0;
	if (interval != d->st->interval) {
		memdep_clear_tables(d);
		d->st->interval = interval;
	}
	return &d->table[pc >> 1 & d->mask];
}

bool memdep_load_waits(struct memdep *d, uint64_t pc, uint64_t now)
{
	return *memdep_lookup_entry(d, pc, now);
}

struct memdep_store memdep_last_store(struct memdep *d, uint64_t pc, uint64_t now)
{
	uint16_t set = *memdep_lookup_entry(d, pc, now);
	return set ? d->last[set - 1] : (struct memdep_store){0};
}

void memdep_enter_store(struct memdep *d, uint64_t pc, struct memdep_store store, uint64_t now)
{
	uint16_t set = *memdep_lookup_entry(d, pc, now);
	if (set)
		d->last[set - 1] = store;
}

/* If neither has a set, both get a new one, numbered by the load's pc. If one has, the other joins
 * it. If both have, both get the lower number. */
void memdep_learn(struct memdep *d, uint64_t load_pc, uint64_t store_pc, uint64_t now)
{
	uint16_t *load = memdep_lookup_entry(d, load_pc, now),
		 *store = memdep_lookup_entry(d, store_pc, now);
	if (d->kind == MEMDEP_WAIT_TABLE) {
		*load = 1;
		return;
	}
	uint16_t set =
		*load && *store ? (*load < *store ? *load : *store) : (uint16_t)(*load | *store);
	if (!set)
		set = (uint16_t)((load_pc >> 1 & d->set_mask) + 1);
	*load = *store = set;
}
