/* Procedures, and where the stack was when they were entered.
 *
 * A procedure begins at a function's first instruction; parts of it may lie elsewhere: functions
 * whose names say so (f.cold), and those whose middle it jumps to. What shares code is one group,
 * with as many procedures as it has entries.
 *
 * The stack pointer at a procedure's entry tells its activations apart. Anywhere in it, it is what
 * sp or s0 holds, and a distance, which follows from what its instructions do to them; where it
 * doesn't follow, it is not known. */
#ifndef CYCLOPS_LOADER_EDIT_ACTIVATION_H
#define CYCLOPS_LOADER_EDIT_ACTIVATION_H

#include "loader/edit/edit.h"

enum { ACTIVATION_UNKNOWN = INT32_MIN, ACTIVATION_CONSTANTS = 16 };

/* Before an instruction. */
struct activation {
	/* sp and s0, less the stack pointer at the entry, bytes; ACTIVATION_UNKNOWN */
	int32_t sp, fp;
	/* of registers below that: what they hold, if it is known */
	int32_t value[ACTIVATION_CONSTANTS];
	uint16_t constants; /* bit r: value[r] is known */
	bool reached;      /* from an entry, as far as is known */
};

struct activations {
	struct activation *at;   /* [instructions], owned */
	uint32_t *group;         /* [functions], owned: one function that stands for the group */
	uint8_t *entry;          /* [functions], owned: a procedure begins with it */
};

/* False with *err if memory is out. */
bool activations_of(const struct edit *e, struct activations *out, struct err *err);
void activations_free(struct activations *a);

/* Behind instruction i, for who goes on without a jump or call. */
struct activation activation_behind(const struct edit *e, const struct activations *a, uint32_t i);
/* The register by which the stack pointer at the entry is known, and what it is more than that
 * register: 0 if it isn't known. */
unsigned activation_base(const struct activation *s, int32_t *more);
/* The function that instruction i, a branch or jump that doesn't link or what goes on behind its
 * function's end, leads to as another procedure: a tail call. EDIT_NONE: it doesn't, or nobody
 * knows. */
uint32_t activation_tail_call(const struct edit *e, const struct activations *a, uint32_t i);
/* Whether it jumps through a register, neither back nor within its function: a tail call of who
 * knows what. */
bool activation_indirect_tail_call(const struct edit *e, const struct activations *a, uint32_t i);

#endif
