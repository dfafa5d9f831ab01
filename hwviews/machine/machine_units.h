/* The functional units among the machine's boxes. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_UNITS_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_UNITS_H

#include "hwviews/machine/machine_box.h"

/* The oldest that still executes on a unit, and how many are behind it in its pipeline. */
struct unit_tenants {
	const struct uop *first;
	unsigned others;
};

struct unit_tenants unit_tenants(const struct pipe *p, unsigned pool, unsigned unit);
void machine_units_read(struct machine_boxes *m, const struct pipe *p);
/* A unit that can't take another, one that executes and can, one that is idle. */
const char *machine_unit_mark(const struct pipe *p, enum machine_box_id id, unsigned unit);

#endif
