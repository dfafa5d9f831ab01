/* Types: a cycle at which the machine stopped, and a session's list of such cycles. */
#ifndef CYCLOPS_HWVIEWS_SESSION_STOP_PLACE_H
#define CYCLOPS_HWVIEWS_SESSION_STOP_PLACE_H

#include <stdint.h>

enum { STOP_PLACES = 128 };

/* A cycle with several kinds has the last of them. */
enum place_kind { PLACE_STOP, PLACE_HIT, PLACE_STEP };

struct stop_place {
	uint64_t cycle;
	enum place_kind kind; /* stopped; at a stop point; a step of a tour ended here */
};

struct places {
	struct stop_place place[STOP_PLACES]; /* [count] */
	unsigned count;
};

#endif
