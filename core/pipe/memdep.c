#include "core/pipe/memdep.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"

#define DECLARE(id, name, ...) extern const struct memdep_kind memdep_##name;
MEMDEP_ROWS(DECLARE, DECLARE)

void memdep_place(struct memdep *d, const struct config *cfg, struct arena *a)
{
	static const struct memdep_kind *const kinds[MEMDEP_KINDS] = {
#define ROW(id, name, ...) &memdep_##name,
		MEMDEP_ROWS(ROW, ROW)
	};
	const struct memdep_kind *by = kinds[cfg->lsq_speculate ? cfg->lsq_predictor : MEMDEP_NONE];
	*d = (struct memdep){
		.by = by->learn || by->foresees ? by : NULL,
		.clear = (uint64_t)cfg->lsq_predictor_clear,
	};
	if (by->learn) {
		d->mask = (uint32_t)cfg->lsq_predictor_size - 1;
		d->most = 1;
	}
	if (by->store_sets) {
		d->set_mask = (uint32_t)cfg->lsq_store_sets - 1;
		d->most = (uint16_t)cfg->lsq_store_sets;
	}
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

uint16_t *memdep_entry(struct memdep *d, uint64_t pc, uint64_t now)
{
	uint64_t interval = d->clear ? now / d->clear : 0;
	if (interval != d->st->interval) {
		memdep_clear_tables(d);
		d->st->interval = interval;
	}
	return &d->table[pc >> 1 & d->mask];
}
