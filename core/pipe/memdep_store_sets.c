/* Store sets (Chrysos and Emer, ISCA 1998): loads and stores that once conflicted belong to one set
 * (SSIT, by address: the set + 1); a table has the last dispatched store of each set (LFST), and
 * the next load or store of the set waits until that store has its address. */
#include "core/pipe/memdep.h"

static struct memdep_store store_sets_waits_for(struct memdep *d, uint64_t pc, uint64_t now)
{
	uint16_t set = *memdep_entry(d, pc, now);
	return set ? d->last[set - 1] : (struct memdep_store){0};
}

static void store_sets_enter_store(struct memdep *d, uint64_t pc, struct memdep_store store,
                                   uint64_t now)
{
	uint16_t set = *memdep_entry(d, pc, now);
	if (set)
		d->last[set - 1] = store;
}

/* If neither has a set, both get a new one, numbered by the load's pc. If one has, the other joins
 * it. If both have, both get the lower number. */
static void store_sets_learn(struct memdep *d, uint64_t load_pc, uint64_t store_pc, uint64_t now)
{
	uint16_t *load = memdep_entry(d, load_pc, now), *store = memdep_entry(d, store_pc, now);
	uint16_t set =
		*load && *store ? (*load < *store ? *load : *store) : (uint16_t)(*load | *store);
	if (!set)
		set = (uint16_t)((load_pc >> 1 & d->set_mask) + 1);
	*load = *store = set;
}

const struct memdep_kind memdep_store_sets = {
	.waits_for = store_sets_waits_for,
	.enter_store = store_sets_enter_store,
	.learn = store_sets_learn,
	.store_sets = true,
};
