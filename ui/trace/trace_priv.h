/* Shared by the formats. */
#ifndef CYCLOPS_UI_TRACE_TRACE_PRIV_H
#define CYCLOPS_UI_TRACE_TRACE_PRIV_H

#include <stdio.h>

#include "core/pipe/pipe.h"
#include "ui/trace/trace.h"

/* An instruction in flight that the file knows. */
struct traced {
	uint64_t seq;
	uint32_t slot;          /* of its uop, as long as that has this seq */
	uint64_t id;            /* in the file: 0, 1, 2, ... */
	const char *stage;      /* that it is in, NULL if none began; static */
	bool ends;              /* it committed: leaves in the next cycle */
	unsigned lane;          /* row of its own while it lives */
	uint64_t src_seq[3];    /* producers that the file knows, 0: none */
	unsigned src_lane[3];
	uint64_t src_cycle[3];  /* when their result came, NO_CYCLE: not yet */
};

struct trace {
	const struct trace_writer *writer;
	const struct session *s;  /* borrowed */
	FILE *f;                  /* owned */
	char *path;               /* owned */
	uint64_t from, to;
	uint64_t cycle;           /* of the last event taken; NO_CYCLE before the first */
	bool again;               /* events up to `cycle` are repetitions */
	bool done, failed;
	int listener;             /* to the session's machine; 0: none */
	struct traced *live;      /* owned; [live_count] by seq */
	size_t live_count, live_room;
	uint64_t next_id, retired;
	uint64_t lanes[64];       /* bitmap of those taken */
	uint32_t counts[3];       /* reorder buffer, load/store queue, fetch queue as last written */
	bool comma;
};

struct trace_writer {
	void (*begin)(struct trace *t, uint64_t cycle);
	/* The cycle is over, the next with events is `next`. */
	void (*advance)(struct trace *t, const struct machine *m, uint64_t next);
	void (*fetched)(struct trace *t, struct traced *x, const struct uop *u);
	void (*stage)(struct trace *t, struct traced *x, const struct uop *u, const char *name, uint64_t cycle);
	/* Committed or squashed in `cycle`. u may be NULL if its slot is gone. */
	void (*ended)(struct trace *t, struct traced *x, const struct uop *u, bool squashed, uint64_t cycle);
	void (*finish)(struct trace *t);
};

extern const struct trace_writer trace_konata, trace_chrome;

/* The one with this seq, or NULL. */
struct traced *trace_find(struct trace *t, uint64_t seq);
/* "find+0x10: addi a0,a0,1". Returns buf. */
char *trace_label(const struct trace *t, const struct uop *u, char *buf, size_t n);

#endif
