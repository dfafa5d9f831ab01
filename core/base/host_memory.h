/* Notes that the host is out of memory, so that a run ends before its next cycle.
 * Then memory is found, or the machine waits (core/machine/machine_memory.c). */
#ifndef CYCLOPS_CORE_BASE_HOST_MEMORY_H
#define CYCLOPS_CORE_BASE_HOST_MEMORY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct host_memory {
	volatile sig_atomic_t *stop; /* borrowed; set to 1 with each of the following */
	bool dipped;                 /* the reserve is in use; all was done */
	bool refused;                /* something was not done, and must be tried again */
	/* for a person: no memory helps, and `what` is all there is to say */
	bool waits;
	const char *what;            /* what there was no memory for; NULL: neither of them */
	/* of what waits for a person: what happens next, if it isn't tried again; NULL: it is */
	const char *then;
};

static inline void host_memory_dip(struct host_memory *s, const char *what)
{
	if (!s)
		return;
	s->dipped = true;
	s->what = what;
	*s->stop = 1;
}

static inline void host_memory_refuse(struct host_memory *s, const char *what)
{
	if (!s)
		return;
	s->refused = true;
	s->what = what;
	*s->stop = 1;
}

/* Something was not done, and can't be before a person has seen to it. */
static inline void host_memory_wait(struct host_memory *s, const char *what)
{
	host_memory_refuse(s, what);
	if (s)
		s->waits = true;
}

#endif
