/* Which instructions decode tags for the co-processor. */
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/isa/op.h"
#include "core/pipe/uop.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"

uint64_t cop_region_hash(uint64_t pc, uint64_t shift)
{
	const uint64_t p = pc >> 1;
	return shift ? p ^ p >> shift : p;
}

uint64_t cop_table_bit(const struct config *cfg, uint64_t pc, unsigned hash)
{
	const uint64_t p = pc >> 1;
	return (p ^ p >> (5 + 2 * hash)) & ((uint64_t)cfg->cop_filter - 1);
}

bool cop_masks(const struct prof *d, enum cop_table t, uint64_t pc)
{
	for (unsigned i = 0; i < (unsigned)d->cfg->cop_filter_hashes; i++) {
		const uint64_t bit = cop_table_bit(d->cfg, pc, i);
		if (!(d->cop->table[t][bit / 64] >> bit % 64 & 1))
			return false;
	}
	return true;
}

bool cop_wants(const struct prof *d, unsigned kind, uint64_t pc)
{
	const struct cop_state *st = d->cop->st;
	if (!(st->control & COP_TAG) || !(st->classes >> kind & 1))
		return false;
	if ((cop_region_hash(pc, st->shift) & st->mask) != st->match)
		return false;
	for (unsigned t = 0; t < COP_TABLE_COUNT; t++)
		if ((st->tables >> t & 1) && cop_masks(d, (enum cop_table)t, pc))
			return false;
	return true;
}

void cop_clear_table(struct prof *d, enum cop_table t)
{
	memset(d->cop->table[t], 0, (size_t)d->cfg->cop_filter / 8);
}

void cop_new_code(struct prof *d)
{
	for (unsigned t = 0; t < COP_TABLE_COUNT; t++)
		cop_clear_table(d, (enum cop_table)t);
}

void cop_filter_changed(struct cop_state *st)
{
	st->ops = (struct op_set){0};
	for (unsigned op = OP_ILLEGAL + 1; (st->control & COP_TAG) && op < OP_COUNT; op++)
		if (st->classes >> inst_kind(op) & 1)
			op_set_add(&st->ops, op);
}
