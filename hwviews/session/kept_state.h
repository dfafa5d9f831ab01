/* A state of a session's machine to return to, also after that part of history was cut. */
#ifndef CYCLOPS_HWVIEWS_SESSION_KEPT_STATE_H
#define CYCLOPS_HWVIEWS_SESSION_KEPT_STATE_H

#include "hwviews/session/session.h"

struct kept_state {
	const struct machine *of;  /* compared only */
	struct snapshot *state;    /* owned; NULL: dropped */
	struct config cfg;         /* the machine's at that time */
	uint64_t cycle, cuts;
	void *journal, *output, *files; /* owned */
	size_t journal_n, output_n, files_n;
};

/* Keeps the present. False with *err: nothing is kept. */
bool kept_state_take(struct kept_state *k, const struct session *s, struct err *err);
void kept_state_drop(struct kept_state *k);
/* True if the session's machine is still the one of this state. */
bool kept_state_serves(const struct kept_state *k, const struct session *s);
enum kept_way {
	KEPT_VISITED, /* history still has the state */
	KEPT_UNDONE,  /* changes in the state's cycle, and what followed, are undone */
	KEPT_REVIVED, /* an earlier cycle was changed: history is the state's own again */
	KEPT_ALONE    /* history begins there */
};
/* Goes to the state. *way: how. False with *err, and nothing changed. */
bool kept_state_return(const struct kept_state *k, struct session *s, enum kept_way *way,
                       struct err *err);

#endif
