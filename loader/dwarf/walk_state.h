/* How far a walk over debug information may still go (walk.h). */
#ifndef CYCLOPS_LOADER_DWARF_WALK_STATE_H
#define CYCLOPS_LOADER_DWARF_WALK_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct program;

/* Bytes that the questions of one command may pass over, of a program and of a type: a unit's own
 * many times. */
#define WALK_BYTES (UINT64_C(64) << 20)
#define WALK_TYPE_BYTES (UINT64_C(256) << 10)
/* To find what namespaces the types of a text are in, a unit is gone through for each. */
#define WALK_NAMES_BYTES (UINT64_C(16) << 20)

struct dwarf_walk {
	uint64_t left;
	bool ended; /* something was left out */
	/* The same for looking for scopes (scoped.c), and what the last one's was. */
	uint64_t names_left;
	const void *named; /* a DIE's address */
	char scope[256];   /* "geo::" */
};

/* A question begins, of the program and its firmware. */
void walk_begin(const struct program *p);

#endif
