/* The remaining budget of a walk over debug information (walk.h). */
#ifndef CYCLOPS_LOADER_DWARF_WALK_STATE_H
#define CYCLOPS_LOADER_DWARF_WALK_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct program;

/* Bytes that the queries of one command may pass over, for a program and for a type: many times a
 * unit's. */
#define WALK_BYTES (UINT64_C(64) << 20)
#define WALK_TYPE_BYTES (UINT64_C(256) << 10)
/* The same for finding the namespaces of types in a text, which goes through a unit for each. */
#define WALK_NAMES_BYTES (UINT64_C(16) << 20)

struct dwarf_walk {
	uint64_t left;
	bool ended; /* something was left out */
	/* The budget of looking up scopes (scoped.c), and the last result. */
	uint64_t names_left;
	const void *named; /* a DIE's address */
	char scope[256];   /* "geo::" */
};

/* Begins a query on the program, its firmware and its libraries. */
void walk_begin(const struct program *p);

#endif
