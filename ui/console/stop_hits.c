#include "ui/console/stop_hits.h"

void stop_hits_read(struct stop_hits *h, const struct run *r, const struct run_stop_info *info)
{
	unsigned also;
	const struct run_stop_info *other = run_also_hit(r, &also);
	*h = (struct stop_hits){0};
	if (info->reason != STOPPED_BREAK)
		return;
	h->hit[0] = *info;
	for (unsigned i = 0; i < also && i < RUN_ALSO_MAX; i++)
		h->hit[i + 1] = other[i];
	h->n = also + 1;
}
