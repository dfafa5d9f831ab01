/* The calling context tree built step by step from its definition, as the reference for contexts.c.
 */
#ifndef CYCLOPS_TESTS_EDIT_CONTEXTS_REFERENCE_H
#define CYCLOPS_TESTS_EDIT_CONTEXTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/context_tree.h"

struct slot {
	uint32_t node;
	uint64_t site;
};

struct active {
	uint64_t back, sp;
	struct slot slot;  /* of its caller */
	uint32_t node;     /* CONTEXT_NONE: it is left alone */
};

struct reference {
	struct context_tree t;
	uint32_t node_room, back_room;
	const uint8_t *alone; /* [functions], NULL: none is */
	bool alone_ran;       /* one of them was called */
	bool merged;
	struct active *stack;
	size_t depth, room;
};

/* Functions that are left alone, borrowed; NULL: none. */
void reference_begin(struct reference *r, const uint8_t *alone, bool merged);
void reference_call(struct reference *r, uint64_t back, uint64_t sp, uint64_t site);
void reference_return(struct reference *r, uint64_t to, uint64_t sp);
/* Control enters a procedure's first instruction from other code. */
void reference_arrive(struct reference *r, uint32_t function, uint64_t at);

/* Ends the program, with a message. */
_Noreturn void die(const char *what);
/* An array with room for one more than count. */
void *more(void *old, uint32_t count, uint32_t *room, size_t size);

#endif
