/* The graphs of the section .cyclops.paths of an instrumented program, with their paths numbered
 * again as Ball and Larus do it: for tests of cells. */
#ifndef CYCLOPS_TESTS_UNIT_PATH_MODEL_H
#define CYCLOPS_TESTS_UNIT_PATH_MODEL_H

#include "tests/unit/cells/flow_model.h"

enum {
	FUNCTIONS = 16,
	EDGES = 64,
	VERTICES = 64,
	ARCS = 128,
	COUNTED = 256,
	ENTRY = 0,
	EXIT = 1,
	FIRST = 2,
	WAY = 64,
	VALUES = 4,
	INSTS = 3
};

/* A path's possible next step: an edge, or half of a cut edge: the end of a path, or the beginning
 * of one. */
struct arc {
	unsigned from, to, edge;
	bool begins;
	int64_t label;
};

struct procedure {
	uint64_t at, first, start[VERTICES], end[VERTICES];
	unsigned vertices, edges, arcs;
	struct { unsigned from, to; bool cut; } edge[EDGES];
	/* grouped by vertex, in order; the entry's arcs that begin paths come last */
	struct arc arc[ARCS];
	uint64_t paths[VERTICES];
	const char *name;
	struct flow_model flow;
};

struct counted {
	unsigned f; /* procedure */
	uint64_t path, value[VALUES]; /* count, two metrics, instructions */
};

struct model {
	const struct guest *g;
	struct procedure f[FUNCTIONS];
	unsigned functions, metrics, n;
	struct counted all[COUNTED]; /* by procedure, then number */
	uint64_t sum[VALUES];
};

/* ---- the graph ---- */
static inline uint64_t paths_from(struct procedure *f, unsigned v)
{
	uint64_t n = v == EXIT;
	for (unsigned a = 0; !f->paths[v] && a < f->arcs; a++)
		if (f->arc[a].from == v) {
			f->arc[a].label = (int64_t)n;
			n += paths_from(f, f->arc[a].to);
		}
	if (!f->paths[v])
		f->paths[v] = n;
	return f->paths[v];
}

static inline void read_procedures(struct model *m)
{
	uint64_t bytes;
	const uint64_t *w = program_section(m->g->s->program, ".cyclops.paths", &bytes),
		       *end = w + bytes / 8;
	while (w < end) {
		struct procedure *f = &m->f[m->functions++];
		assert_true(m->functions < FUNCTIONS && w[4] < VERTICES && w[5] < EDGES &&
		            w[2] == 0);
		f->at = w[0];
		f->first = w[1];
		f->vertices = (unsigned)w[4];
		f->edges = (unsigned)w[5];
		w += 6;
		for (unsigned v = FIRST; v < f->vertices; v++, w += 2) {
			f->start[v] = w[0];
			f->end[v] = w[1];
		}
		for (unsigned e = 0; e < f->edges; e++, w += 2) {
			f->edge[e].from = (unsigned)(w[0] & UINT32_MAX);
			f->edge[e].to = (unsigned)(w[0] >> 32);
			f->edge[e].cut = w[1] & 1;
		}
		for (unsigned e = 0; e < f->edges; e++)
			f->arc[f->arcs++] =
				(struct arc){f->edge[e].from, f->edge[e].cut ? EXIT : f->edge[e].to,
			                     e, false, 0};
		for (unsigned e = 0; e < f->edges; e++) {
			/* edges to the same vertex begin the same paths */
			bool first = f->edge[e].cut;
			for (unsigned k = 0; k < e; k++)
				first &= !(f->edge[k].cut && f->edge[k].to == f->edge[e].to);
			if (first)
				f->arc[f->arcs++] = (struct arc){ENTRY, f->edge[e].to, e, true, 0};
		}
		assert_true(paths_from(f, ENTRY) > 0);
		f->name = guest_name(m->g, f->at);
		flow_read(&f->flow, m->g->s, m->g, f->name);
	}
}

#endif
