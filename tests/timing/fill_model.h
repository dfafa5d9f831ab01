/* Reference models of replacement and prefetching, as in textbooks: `model_NAME` in model_NAME.c
 * for each row of REPLACE_ROWS and PREFETCH_ROWS (core/defs/kinds.h) that does not stand apart.
 * They share nothing with core/. */
#ifndef TESTS_TIMING_FILL_MODEL_H
#define TESTS_TIMING_FILL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_WAYS = 4, MODEL_ENTRIES = 16, MODEL_LINES = 16 };

/* One set. */
struct model_set {
	int line[MODEL_WAYS];  /* -1: empty */
	int queue[MODEL_WAYS]; /* ways 0 to 3 at first; a model's own order */
	uint64_t seed;         /* sim.seed */
	int own[MODEL_WAYS];   /* a model's own numbers, 0 at first */
};

struct replacement_model {
	/* The way that goes from a full set. */
	int (*victim)(struct model_set *s);
	/* A line was used; or filled, and no other call is about that use. May be NULL. */
	void (*used)(struct model_set *s, int way);
	void (*filled)(struct model_set *s, int way);
};

struct model_access {
	uint64_t pc, addr, line; /* line: number */
	unsigned line_bytes;
	bool hit, first_use; /* first_use: of a prefetched line */
};

/* Numbers of a prefetcher with MODEL_ENTRIES entries, 0 at first. */
struct prefetch_table {
	int64_t own[MODEL_ENTRIES][4];
};

struct prefetch_model {
	/* Writes the lines that are prefetched in order; how many. */
	unsigned (*access)(struct prefetch_table *t, const struct model_access *a, unsigned degree,
	                   uint64_t out[MODEL_LINES]);
};

static inline void model_move_to_end(struct model_set *s, int way)
{
	int at = 0;
	while (s->queue[at] != way)
		at++;
	for (; at + 1 < MODEL_WAYS; at++)
		s->queue[at] = s->queue[at + 1];
	s->queue[MODEL_WAYS - 1] = way;
}

#endif
