/* A function's flow graph with what a session knows of it: who executed which block and edge how
 * often, and where the program is.
 *
 * Of a program that the editor has laid out again, it is the graph of the program as it was:
 * without what was put in. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H

#include "hwviews/session/session.h"
#include "loader/edit/moved_code.h"
#include "loader/flow.h"

/* Of an edge on which paths are numbered: labels of Ammons, Ball and Larus, section 2. */
struct flow_label {
	bool there, cut;
	int64_t value;      /* added on it */
	/* of one that is cut: the path + end is counted, and another begins with start */
	int64_t end, start;
};

struct flow_picture {
	struct flow graph;           /* addresses of the program as it was */
	const struct symbol *symbol; /* where it is now */
	struct moved_code moved;
	bool laid_out;               /* by the editor */
	/* what counted, static: "the oracle", "its paths"; NULL: nothing */
	const char *counts;
	/* why instrumentation left it alone, static; NULL: it didn't */
	const char *left;
	/* the block that the next instruction to commit is in; FLOW_NONE */
	uint32_t here;
	/* [graph.edge_count], owned; NULL: paths are not counted in it */
	struct flow_label *labels;
	uint64_t paths;              /* how many there may be */
};

/* Of the function that holds addr; its counts only if they are asked for. False with *err: there is
 * none, or memory is out. */
bool flow_picture_of(const struct session *s, uint64_t addr, bool counted, struct flow_picture *out,
                     struct err *err);
void flow_picture_free(struct flow_picture *p);
/* Where the instruction is that was at `was`. */
uint64_t flow_picture_now(const struct flow_picture *p, uint64_t was);

#endif
