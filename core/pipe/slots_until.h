/* Foresees when the row of the slot stack (slots.h) may change though no instruction moves, so that
 * idle cycles are charged in one step. */
#ifndef CYCLOPS_CORE_PIPE_SLOTS_UNTIL_H
#define CYCLOPS_CORE_PIPE_SLOTS_UNTIL_H

#include "core/pipe/pipe.h"

/* The first cycle from `now` on in which the row may change; UINT64_MAX if there is none. */
uint64_t slots_row_until(const struct pipe *p, uint64_t now);

#endif
