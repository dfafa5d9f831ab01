/* The user's choice of the twin's program: the session's with counting code inserted, "bb,edge", or
 * a file made by `cyclops instrument`. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_PROGRAM_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_PROGRAM_H

#include "core/base/err.h"
#include "hwviews/session/session.h"
#include "loader/instrument/instrument.h"

struct twin_program {
	struct instrument_options instrument; /* count 0: none */
	char file[256];                       /* empty: none */
	const struct plugins *plugins;        /* of the twin, borrowed; NULL: the session's */
};

/* True if word is "instrument=KINDS" or "program=FILE"; *out has it then. *bad: its value is
 * invalid, with the reason in *err. */
bool twin_program_word(struct twin_program *out, const char *word, bool *bad, struct err *err);
/* twin_open() on that program; NULL: the session's. */
bool twin_open_on(struct session *s, const struct config *cfg, const struct twin_program *p,
                  const char *what, struct err *err);

#endif
