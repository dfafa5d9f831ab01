/* Targets of jumps through registers within their function: jump tables of switches, and computed
 * gotos.
 *
 * Register values follow from the function's instructions: constants, addresses in tables, loads
 * from those. A table's entries are given by relocations of its words, absolute or as distances;
 * their number is bounded by the comparison before the jump, or else by the next table. Register
 * values at its targets are those at the jumps there, if table and bound are known. A jump with an
 * unknown table may lead to any place of its function whose address is known, or leave the
 * function; it certainly stays if the function's frame is in place, or if it jumps to a label. Only
 * exceptions, and gotos out of nested functions, reach such places otherwise. */
#ifndef CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_H
#define CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_H

#include "loader/edit/edit.h"

struct way {
	uint32_t jump;         /* instruction */
	uint32_t first, count; /* in targets[], of instructions: rising */
	/* in sets[]: the function's ways that share places, directly or through others */
	uint32_t set;
	bool certain;          /* it leads only to these */
	bool resolved;         /* by its table alone */
};

/* Control that arrives at a place by its address may come through any way of the place's set. */
struct way_set {
	uint32_t first, count; /* in targets[]: places of all its ways, rising */
};

struct ways {
	struct way *all;       /* [count], owned: by jump */
	uint32_t count, room;
	struct way_set *sets;  /* [set_count], owned: by the first of their ways */
	uint32_t set_count, set_room;
	uint32_t *targets;     /* [target_count], owned */
	uint32_t target_count, target_room;
	/* [instructions], owned: true if an indirect jump leads there; all arrivals by address
	 * share one entry */
	uint8_t *aimed;
	uint8_t *open;         /* [functions], owned: true if it has a jump that is not certain */
};

/* Finds the ways of all functions. False with *err if memory is out. */
bool ways_of(const struct edit *e, struct ways *out, struct err *err);
void ways_free(struct ways *w);
/* The index in all[] of the first way whose jump is at instruction `first` or later; count if
 * none. */
uint32_t ways_from(const struct ways *w, uint32_t first);
/* Whether some code sets the stack pointer and then jumps through a register: __builtin_longjmp(),
 * a goto out of a nested function. Without such code no jump leads to another function's label. */
bool edit_leaps_out(const struct edit *e);

#endif
