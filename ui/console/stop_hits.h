/* The stop points hit where a motion ended. */
#ifndef CYCLOPS_UI_CONSOLE_STOP_HITS_H
#define CYCLOPS_UI_CONSOLE_STOP_HITS_H

#include "core/run/run.h"

struct stop_hits {
	bool placed; /* the motion itself sets the hits and the place */
	unsigned n;  /* may exceed the room */
	struct run_stop_info hit[RUN_ALSO_MAX + 1];
};

/* Reads the hits of the cycle in which run control's last motion stopped; none if it did not stop
 * at a stop point. Not placed. */
void stop_hits_read(struct stop_hits *h, const struct run *r, const struct run_stop_info *info);

#endif
