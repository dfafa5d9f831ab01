/* The user's stops: cycles at which the machine stopped, with the reason, newest last. A fixed
 * number; plain stops are dropped first. */
#ifndef CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H
#define CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H

#include "hwviews/session/stop_place.h"

struct session;

/* Records the machine's present place as a stop. */
void places_note(struct session *s, enum place_kind kind);
/* The i-th, by age; NULL after the last. */
const struct stop_place *places_at(const struct session *s, unsigned i);

#endif
