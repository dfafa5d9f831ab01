#include "hwviews/cop/cop_slots.h"

#include <string.h>

enum { DEPTH = 8 }; /* limit for ratios of ratios */

static unsigned address_of(const struct micro *m, const struct micro_column *c, unsigned entry)
{
	return m->st->b[c->base % MICRO_BASES] + entry;
}

static struct slot_value cop_slots_column_value(const struct micro *m,
                                                const struct micro_image *image, unsigned column,
                                                unsigned entry, unsigned depth)
{
	const struct micro_column *c = &image->columns[column];
	struct slot_value v = {.known = true};
	if (c->kind == MICRO_COLUMN_CAM) {
		v.n = m->cam[entry];
	} else if (c->kind == MICRO_COLUMN_DATA) {
		const unsigned at = address_of(m, c, entry);
		v.known = at < m->data_n;
		v.n = v.known ? m->data[at] >> (c->lane * c->width) &
		                        (UINT32_MAX >> (32 - c->width)) : 0;
	} else if (depth == DEPTH) {
		v.known = false;
	} else {
		const struct slot_value a = cop_slots_column_value(m, image, c->a, entry,
		                                                   depth + 1),
					b = cop_slots_column_value(m, image, c->b, entry,
		                                                   depth + 1);
		const double over = b.ratio ? b.d : (double)b.n;
		v = (struct slot_value){.known = a.known && b.known && over > 0, .ratio = true};
		v.d = v.known ? (a.ratio ? a.d : (double)a.n) / over : 0;
	}
	return v;
}

struct slot_value slot_value(const struct micro *m, const struct micro_image *image,
                             unsigned column, unsigned entry)
{
	return cop_slots_column_value(m, image, column, entry, 0);
}

bool slot_valid(const struct micro *m, unsigned entry)
{
	return m->valid[entry / 64] >> entry % 64 & 1;
}

bool slot_used(const struct micro *m, const struct micro_image *image, unsigned entry)
{
	bool counts = false;
	if (slot_valid(m, entry))
		return true;
	for (unsigned i = 0; image && i < image->column_count; i++) {
		if (image->columns[i].kind != MICRO_COLUMN_DATA)
			continue;
		if (slot_value(m, image, i, entry).n)
			return true;
		counts = true;
	}
	return !counts && m->cam[entry];
}

bool slot_has_word(const struct micro *m, const struct micro_image *image, unsigned entry,
                   unsigned address)
{
	for (unsigned i = 0; image && i < image->column_count; i++)
		if (image->columns[i].kind == MICRO_COLUMN_DATA &&
		    address_of(m, &image->columns[i], entry) == address)
			return true;
	return false;
}

int slot_column(const struct micro_image *image, const char *name)
{
	for (unsigned i = 0; image && i < image->column_count; i++)
		if (!strcmp(image->columns[i].name, name))
			return (int)i;
	return -1;
}
