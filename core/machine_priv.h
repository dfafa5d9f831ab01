/* struct machine, for core/ only. */
#ifndef CYCLOPS_CORE_MACHINE_PRIV_H
#define CYCLOPS_CORE_MACHINE_PRIV_H

#include <signal.h>

#include "core/arena.h"
#include "core/machine.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"

enum { LISTENERS_MAX = 16, EVENTS_PER_CYCLE_MAX = 8192 };

struct listener {
	int id; /* 0: free */
	bool muted;
	struct event_filter filter;
	event_fn *fn;
	void *ctx;
};

struct machine {
	struct config cfg;
	struct arena arena; /* base owned; used = its size */
	struct pipe pipe;   /* pointers into the arena */
	struct stats *stats;
	struct mem *mem;    /* owned */
	struct os *os;      /* owned */

	volatile sig_atomic_t interrupt;
	bool stop_request; /* by a listener, during this run */

	struct event_sink events; /* filled during a watched cycle; mask and span: the union of the listeners' */
	struct os_port os_port;
	struct listener listeners[LISTENERS_MAX];
	int last_listener;
};

/* Tells the listeners what the sink holds. */
void events_deliver(struct machine *m);

#endif
