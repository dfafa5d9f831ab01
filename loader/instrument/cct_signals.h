/* Writes the calling context tree when a signal ends the program, which then ends as it would have.
 *
 * As the program begins, each signal by whose default action it would end gets a handler, on a
 * stack of its own where a full one left no room. One that is ignored is left so. The program's own
 * handlers take its place, and where it asks for the default action again it gets the handler
 * again; it is told that the action is the default one. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_SIGNALS_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_SIGNALS_H

#include "loader/edit/writer.h"

/* Routines; names for struct edit_code. */
struct cct_signals {
	/* writes the tree: called through t0, all other registers are as before, and so of all
	 * these */
	uint64_t save;
	uint64_t handler; /* no routine: the kernel calls it */
	uint64_t catch;   /* signals that have the default action get the handler */
	uint64_t behind;  /* to be called behind rt_sigaction */
};

/* False with *err. */
bool cct_signals_put(struct edit *e, uint64_t save, struct cct_signals *out, struct err *err);
/* What is executed once, as the program begins: the handler's stack, and all signals. t0 and a0 to
 * a7 are lost. */
void cct_signals_begin(struct writer *w, struct edit *e, const struct cct_signals *s);

#endif
