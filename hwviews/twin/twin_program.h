/* What a person says of the twin's program: the session's with code that counts put in, "bb,edge",
 * or a file that `cyclops instrument` has made of it. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_PROGRAM_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_PROGRAM_H

#include "core/base/err.h"
#include "hwviews/session/session.h"
#include "loader/instrument/instrument.h"

struct twin_program {
	struct instrument_options instrument; /* count 0: none */
	char file[256];                       /* empty: none */
};

/* Whether "instrument=KINDS" or "program=FILE" is said, which *out then has; with *bad it is none
 * that there can be, and *err says why. */
bool twin_program_word(struct twin_program *out, const char *word, bool *bad, struct err *err);
/* twin_open() on that program; NULL: the session's. */
bool twin_open_on(struct session *s, const struct config *cfg, const struct twin_program *p,
                  const char *what, struct err *err);

#endif
