/* Notes that the host is out of memory, so that a run ends before its next cycle. The machine then
 * frees memory, or waits (core/machine/machine_memory.c). */
#ifndef CYCLOPS_CORE_BASE_HOST_MEMORY_H
#define CYCLOPS_CORE_BASE_HOST_MEMORY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct host_memory {
	volatile sig_atomic_t *stop; /* borrowed; set to 1 with each of the following */
	bool dipped;                 /* the reserve is in use; nothing failed */
	bool refused;                /* a step was not done, and must be tried again */
	/* waits for the user: memory does not help; `what` is the whole reason */
	bool waits;
	const char *what;            /* what the memory was for; NULL: no shortage */
	/* if `waits`: the machine's next action if it does not retry; NULL: it retries */
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

/* A step was not done, and can't be until the user has acted. */
static inline void host_memory_wait(struct host_memory *s, const char *what)
{
	host_memory_refuse(s, what);
	if (s)
		s->waits = true;
}

#endif
