/* The parts of the machine as boxes: how full each is, what works there, what holds it up, and
 * which of the slots of the cycle just done were lost to it. `view machine` makes rows and a
 * picture of them.
 *
 * All is read from the state behind that cycle, and is what the part's own view says. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOXES_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOXES_H

#include "hwviews/machine/machine_box.h"

void machine_boxes_read(const struct session *s, struct machine_boxes *m);

/* Of a queue that holds instructions, oldest first: the i-th, NULL if there is none. */
const struct uop *machine_box_inst(const struct pipe *p, enum machine_box_id id, unsigned i);

#endif
