/* Where a person has been: cycles at which the machine stopped, for what, newest last. A fixed
 * number; plain stops go first. */
#ifndef CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H
#define CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H

#include "hwviews/session/stop_place.h"

struct session;

/* The machine has stopped here. */
void places_note(struct session *s, enum place_kind kind);
/* The i-th, by age; NULL behind the last. */
const struct stop_place *places_at(const struct session *s, unsigned i);

#endif
