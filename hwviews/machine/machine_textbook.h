/* The five stages of the textbook's pipeline and its forwarding paths, of machines that are one:
 * one instruction a stage, in order, with a memory stage. Stages are those of `view pipe`'s
 * letters. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_TEXTBOOK_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_TEXTBOOK_H

#include "hwviews/machine/machine_box.h"

bool machine_is_textbook(const struct pipe *p);
/* Behind all other boxes: puts the stages in the place of fetch, queues and decode. */
void machine_textbook_read(struct machine_boxes *m, const struct pipe *p);

#endif
