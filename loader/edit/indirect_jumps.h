/* Where jumps through registers lead within their function: dispatch tables of switches, and
 * computed gotos.
 *
 * What a register holds follows from the function's instructions: constants, addresses in tables,
 * what was loaded from them. A table's entries are what relocations say of its words, absolute ones
 * or distances, as many as the comparison before the jump lets through, or up to the next table.
 * What registers hold at its places is what they hold at the jumps that lead there, where table and
 * comparison are known. A jump of which that isn't known may lead to any place of its function
 * whose address anybody knows, or away; it is certain that it doesn't go away if it has a frame of
 * its own, or jumps to a label. Nobody else goes to such places, but who throws, and gotos out of
 * nested functions. */
#ifndef CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_H
#define CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_H

#include "loader/edit/edit.h"

struct way {
	uint32_t jump;         /* instruction */
	uint32_t first, count; /* in targets[], of instructions: rising */
	/* in sets[]: of the function's ways, those that share places, and that share places with
	 * these */
	uint32_t set;
	bool certain;          /* it leads to these and nowhere else */
	bool resolved;         /* by its table alone */
};

/* Who arrives at a place by its address may have come by any way of the place's set. */
struct way_set {
	uint32_t first, count; /* in targets[]: the places of all of them, rising */
};

struct ways {
	struct way *all;       /* [count], owned: by jump */
	uint32_t count, room;
	struct way_set *sets;  /* [set_count], owned: by the first of their ways */
	uint32_t set_count, set_room;
	uint32_t *targets;     /* [target_count], owned */
	uint32_t target_count, target_room;
	/* [instructions], owned: a way leads there, and whoever comes by its address comes by one
	 */
	uint8_t *aimed;
	uint8_t *open;         /* [functions], owned: a jump of it is not certain */
};

/* False with *err if memory is out. */
bool ways_of(const struct edit *e, struct ways *out, struct err *err);
void ways_free(struct ways *w);
/* Ways of jumps from instruction `first` on: their number in all[], count if there are none. */
uint32_t ways_from(const struct ways *w, uint32_t first);
/* Whether anybody sets the stack pointer and then jumps through a register: __builtin_longjmp(), a
 * goto out of a nested function. Who doesn't leads to no label of another function. */
bool edit_leaps_out(const struct edit *e);

#endif
