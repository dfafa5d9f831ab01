/* A program's history, computed from events: the expected contents of the oracle's tables. */
#ifndef CYCLOPS_TESTS_REVERSE_ACCOUNT_H
#define CYCLOPS_TESTS_REVERSE_ACCOUNT_H

#include "tests/reverse/rig.h"
#include "core/machine/machine.h"

struct line {
	uint64_t key[2], aux, words[3];
};

/* Occurrences; after sorting and merging, a line for each key with its count in words[0]. */
struct list {
	struct line *line; /* owned */
	size_t n, room;
};

struct path {
	uint64_t callee, insts, calls;
	size_t parent;
};

struct account {
	struct list insts, edges, values, addresses, loads, decoded;
	uint64_t n, wrong, squashed;
	/* contexts */
	struct path *path; /* owned; [paths], 0: the root */
	size_t paths, at, frames, room;
	struct open {
		uint64_t back, sp;
		size_t path;
	} * frame; /* owned */
	uint64_t sp;
	bool loaded;          /* sp, set by the last instruction that wrote to it */
	uint64_t *procedures; /* owned; [procedure_count], as program_procedures() has them */
	size_t procedure_count;
};

void list_put_together(struct list *l);
void account_hear(void *ctx, const struct machine *m, const struct event *ev);
void account_free(struct account *a);

#endif
