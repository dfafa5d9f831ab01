/* Where a person has been: cycles at which the machine stopped, for what, newest last. A fixed
 * number; plain stops go first. */
#ifndef CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H
#define CYCLOPS_HWVIEWS_SESSION_STOP_HISTORY_H

#include <stdint.h>

struct session;

enum { STOP_PLACES = 128 };

/* A cycle that is a place of several kinds is one of the last of them. */
enum place_kind { PLACE_STOP, PLACE_HIT, PLACE_STEP };

struct stop_place {
	uint64_t cycle;
	enum place_kind kind; /* stopped; at a stop point; a step of a tour ended here */
};

struct places {
	struct stop_place place[STOP_PLACES]; /* [count] */
	unsigned count;
};

/* The machine has stopped here. */
void places_note(struct session *s, enum place_kind kind);
/* The i-th, by age; NULL behind the last. */
const struct stop_place *places_at(const struct session *s, unsigned i);

#endif
