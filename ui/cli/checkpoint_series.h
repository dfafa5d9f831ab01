/* Periodic checkpoints of a long run: when they are due, their names, and which are kept.
 *
 * A checkpoint is due at every multiple of --save-every, counted from the program's beginning: a
 * restored run saves where the whole run would have. A file appears under its name only when it is
 * complete; then older files of this run are removed. A failed save is reported and the run goes
 * on: its results are unaffected, and the older files stay.
 *
 * Lifetime: checkpoint_series_init(), use, checkpoint_series_deinit(). Options and session are
 * borrowed throughout. */
#ifndef CYCLOPS_UI_CLI_CHECKPOINT_SERIES_H
#define CYCLOPS_UI_CLI_CHECKPOINT_SERIES_H

#include "core/base/err.h"
#include "hwviews/session/session.h"
#include "ui/cli/options.h"

struct checkpoint_series {
	const struct options *o;
	const struct session *s;
	const char *pattern;
	char *kept[OPTIONS_KEEP_MAX]; /* owned; [kept_count], the oldest first */
	unsigned kept_count;
	unsigned failures;            /* saves that failed */
};

/* False with *err if the pattern is invalid or its folder can't be written to. */
bool checkpoint_series_init(struct checkpoint_series *v, const struct options *o,
                            const struct session *s, struct err *err);
void checkpoint_series_deinit(struct checkpoint_series *v);

/* Lowers *until (cycles if o->save_cycles, else instructions, as the machine counts them) to the
 * next due checkpoint. */
void checkpoint_series_due(const struct checkpoint_series *v, uint64_t now, uint64_t *until);
/* Saves the present state. Counts failures and prints the first to stderr. */
void checkpoint_series_save(struct checkpoint_series *v);

#endif
