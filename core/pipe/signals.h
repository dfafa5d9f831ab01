/* Signals of the guest, between two cycles: the pipeline is emptied, as by an interrupt, and fetch
 * begins at the handler `bpred.penalty` later. What a signal does is the system's business (struct
 * os_port). */
#ifndef CYCLOPS_CORE_PIPE_SIGNALS_H
#define CYCLOPS_CORE_PIPE_SIGNALS_H

#include "core/pipe/pipe.h"

/* Whether a fault of the program's is for a handler: then signals are due. */
bool signals_catch(struct pipe *p, const struct uop *u);
/* In a cycle in which signals are due. */
void signals_look(struct pipe *p);
/* A call has been served: when they are due next. */
void signals_after_call(struct pipe *p);

#endif
