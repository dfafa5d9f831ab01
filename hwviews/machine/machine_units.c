/* Maps instructions in flight to functional units. */
#include "hwviews/machine/machine_box.h"

#include <stdio.h>

struct unit_tenants unit_tenants(const struct pipe *p, unsigned pool, unsigned unit)
{
	struct unit_tenants t = {0};
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state != UOP_EXECUTING || u->at.pool != pool || u->at.unit != unit)
			continue;
		/* A store that waits for its data has left the unit. */
		if (u->flags & UF_ADDR_KNOWN)
			continue;
		if (t.first)
			t.others++;
		else
			t.first = u;
	}
	return t;
}

static const uint8_t box_of[FU_POOL_COUNT] = {
	[FU_INT] = BOX_INT,         [FU_IMULDIV] = BOX_IMULDIV, [FU_FADD] = BOX_FADD,
	[FU_FMULDIV] = BOX_FMULDIV, [FU_MEM] = BOX_MEMPORT,     [FU_DIV] = BOX_DIV};

void machine_units_read(struct machine_boxes *m, const struct pipe *p)
{
	const struct config *c = p->cfg;
	const int64_t latency[FU_POOL_COUNT] = {
		[FU_INT] = CONFIG(c, lat_int),   [FU_IMULDIV] = CONFIG(c, lat_imul),
		[FU_FADD] = CONFIG(c, lat_fadd), [FU_FMULDIV] = CONFIG(c, lat_fmul),
		[FU_MEM] = CONFIG(c, lsq_agen),  [FU_DIV] = CONFIG(c, lat_idiv)};
	for (unsigned pool = 0; pool < FU_POOL_COUNT; pool++) {
		struct machine_box *b = &m->box[box_of[pool]];
		b->there = b->counted = p->fu_count[pool];
		b->size = p->fu_count[pool];
		b->latency = latency[pool];
		for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
			const struct unit_tenants t = unit_tenants(p, pool, unit);
			const bool taken = p->st->fu[pool][unit].busy_until > p->st->cycle;
			b->held += taken || t.first;
			b->busy += taken;
			if (t.first && (!b->oldest || t.first->seq < b->oldest->seq))
				b->oldest = t.first;
		}
		if (p->st->denied >> pool & 1) {
			b->waits = true;
			snprintf(b->stalled, sizeof b->stalled, "%u ready found none",
			         p->st->denied_count[pool]);
		}
	}
}

const char *machine_unit_mark(const struct pipe *p, enum machine_box_id id, unsigned unit)
{
	unsigned pool = 0;
	while (pool + 1 < FU_POOL_COUNT && box_of[pool] != id)
		pool++;
	return p->st->fu[pool][unit].busy_until > p->st->cycle ? "●"
	       : unit_tenants(p, pool, unit).first ? "◐" : "○";
}
