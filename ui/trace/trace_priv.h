/* Shared by the formats. */
#ifndef CYCLOPS_UI_TRACE_TRACE_PRIV_H
#define CYCLOPS_UI_TRACE_TRACE_PRIV_H

#include "core/pipe/pipe.h"
#include "hwviews/session/session.h"
#include "ui/trace/flight.h"
#include "ui/trace/label.h"
#include "ui/trace/out.h"

struct trace {
	const struct trace_writer *writer;
	const struct session *s;  /* borrowed */
	struct trace_out out;
	char *path;               /* owned */
	uint64_t from, to;
	uint64_t cycle;           /* of the last event taken; NO_CYCLE before the first */
	uint64_t events;          /* taken so far */
	bool again;               /* events until `cycle` are repeated: skip them */
	bool done;                /* ignores further events: range complete, or failed */
	bool no_memory;
	int listener;             /* on the session's machine; 0: none */
	struct flight flight;
	struct labels labels;
	/* owned, [ending_room]: seqs committed in this cycle, oldest first */
	uint64_t *ending;
	uint32_t ending_count, ending_room;
	uint64_t next_id, retired;
	/* last numbers written: cycles, seqs, and retired instructions or arrows */
	struct out_near cycles, seqs, counted;
	/* reorder buffer, load/store queue, fetch queue as last written */
	uint32_t counts[3];
};

struct trace_writer {
	bool json;                /* labels are JSON strings */
	/* call `ended` at the commit, with the next cycle; else in the next cycle */
	bool at_commit;
	void (*begin)(struct trace *t, uint64_t cycle);
	/* The cycle is over; `next` is the next one with events. */
	void (*advance)(struct trace *t, const struct machine *m, uint64_t next);
	void (*fetched)(struct trace *t, const struct traced *x, const struct uop *u);
	/* x->stage is over, `next` begins. */
	void (*stage)(struct trace *t, const struct traced *x, enum trace_stage next);
	/* x was committed or squashed in `cycle`. u may be NULL if its slot is gone. */
	void (*ended)(struct trace *t, const struct traced *x, const struct uop *u, bool squashed,
	              uint64_t cycle);
	void (*finish)(struct trace *t);
};

extern const struct trace_writer trace_konata, trace_chrome;

#endif
