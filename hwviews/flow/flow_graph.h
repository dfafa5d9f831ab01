/* A function's flow graph, its counts and the labels of its edges: the types. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_GRAPH_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_GRAPH_H

#include "hwviews/session/session.h"
#include "loader/edit/moved_code.h"
#include "loader/flow.h"

/* Label of an edge by which paths are numbered (Ammons, Ball and Larus, section 2). */
struct flow_label {
	bool there, cut;
	int64_t value;      /* added when it is taken */
	/* if cut: counts the path + end, and starts another with start */
	int64_t end, start;
};

struct flow_picture {
	struct flow graph;           /* addresses of the program as it was */
	const struct symbol *symbol; /* with its present address */
	struct moved_code moved;
	bool laid_out;               /* moved by the editor */
	/* source of the counts, static: "the oracle", "its paths"; NULL: none */
	const char *counts;
	/* reason why instrumentation skipped the function, static; NULL: instrumented */
	const char *left;
	/* block of the next instruction to commit; FLOW_NONE */
	uint32_t here;
	/* [graph.edge_count], owned; NULL: paths are not counted in it */
	struct flow_label *labels;
	uint64_t paths;              /* number of possible paths */
};

#endif
