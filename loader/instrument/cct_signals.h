/* Writes the calling context tree when a signal ends the program; the program then ends as without
 * instrumentation.
 *
 * As the program begins, each signal whose default action would end it gets a handler, on a stack
 * of its own in case the program's is full. Ignored signals stay ignored. The program's own
 * handlers replace ours; when it requests the default action again, ours is installed again, and
 * reported to it as the default action. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_SIGNALS_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_SIGNALS_H

#include "loader/edit/writer.h"

/* Routines, by their names for struct edit_code. */
struct cct_signals {
	/* writes the tree; called through t0. All routines preserve all other registers */
	uint64_t save;
	uint64_t handler; /* a signal handler, called by the kernel */
	uint64_t catch;   /* installs the handler for signals with the default action */
	uint64_t behind;  /* to be called after rt_sigaction */
};

/* Adds the routines. False with *err. */
bool cct_signals_put(struct edit *e, uint64_t save, struct cct_signals *out, struct err *err);
/* Writes the code executed once at the program's start: the handler's stack, and all signals.
 * Overwrites t0 and a0 to a7. */
void cct_signals_begin(struct writer *w, struct edit *e, const struct cct_signals *s);

#endif
