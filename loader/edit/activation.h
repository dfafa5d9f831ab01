/* Procedures, and the stack pointer at their entry.
 *
 * A procedure begins at a function's first instruction; parts of it may lie elsewhere: functions
 * named as such (f.cold), and those into whose middle it jumps. Functions that share code are one
 * group, with as many procedures as it has entries.
 *
 * The stack pointer at the entry identifies an activation. Anywhere in the procedure it is sp or s0
 * plus a distance, which follows from the instructions that change them; where it does not follow,
 * it is not known. */
#ifndef CYCLOPS_LOADER_EDIT_ACTIVATION_H
#define CYCLOPS_LOADER_EDIT_ACTIVATION_H

#include "loader/edit/edit.h"

enum { ACTIVATION_UNKNOWN = INT32_MIN, ACTIVATION_CONSTANTS = 16 };

/* The state before an instruction. */
struct activation {
	/* sp and s0, less the stack pointer at the entry, bytes; ACTIVATION_UNKNOWN */
	int32_t sp, fp;
	/* of registers below that: their values, if known */
	int32_t value[ACTIVATION_CONSTANTS];
	uint16_t constants; /* bit r: value[r] is known */
	bool reached;      /* from an entry, on a known path */
};

struct activations {
	struct activation *at;   /* [instructions], owned */
	uint32_t *group;         /* [functions], owned: the representative function of its group */
	uint8_t *entry;          /* [functions], owned: a procedure begins with it */
	/* [functions], owned: by group: may return; exit() and its kin don't */
	uint8_t *returns;
};

/* False with *err if memory is out. */
bool activations_of(const struct edit *e, struct activations *out, struct err *err);
void activations_free(struct activations *a);

/* The state after instruction i when control falls through. */
struct activation activation_behind(const struct edit *e, const struct activations *a, uint32_t i);
/* The register from which the stack pointer at the entry can be computed; *more receives the
 * distance. 0 if it is not known. */
unsigned activation_base(const struct activation *s, int32_t *more);
/* The function whose procedure instruction i enters by a tail call: i is a branch or jump that does
 * not link, or falls off its function's end. EDIT_NONE: it does not, or the target is not known. */
uint32_t activation_tail_call(const struct edit *e, const struct activations *a, uint32_t i);
/* Whether control never comes back to its function from call i: the callee is a procedure that does
 * not return, or the call ends the function, and the function has no landing pads. Such a call may
 * come before a frame, as clang's calls of abort() and the like do. */
bool activation_call_is_last(const struct edit *e, const struct activations *a, uint32_t i);
/* Whether instruction i is an indirect tail call: a jump through a register that is neither a
 * return nor within its function. */
bool activation_indirect_tail_call(const struct edit *e, const struct activations *a, uint32_t i);

#endif
