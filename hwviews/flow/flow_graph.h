/* A function's flow graph, its counts and the labels of its edges: the types. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_GRAPH_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_GRAPH_H

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

#endif
