/* Signals of the guest, between two cycles: the pipeline is emptied, as by an interrupt, and fetch
 * begins at the handler `bpred.penalty` later. The system implements the effects of a signal
 * (struct os_port). */
#ifndef CYCLOPS_CORE_PIPE_SIGNALS_H
#define CYCLOPS_CORE_PIPE_SIGNALS_H

#include "core/pipe/pipe.h"

/* True if the program has a handler for its fault; makes signals due now. */
bool signals_catch(struct pipe *p, const struct uop *u);
/* Checks and applies signals. Call in a cycle in which they are due. */
void signals_look(struct pipe *p);
/* Updates the cycle in which signals are due next. Call after a system call has been served. */
void signals_after_call(struct pipe *p);

#endif
