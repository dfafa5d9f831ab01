/* Where flags go in a program (loader/instrument/switches.h), found before anything is put in. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_H
#define CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_H

#include "loader/instrument/kind.h"

enum switch_place {
	PLACE_ENTER = 1 << 0, /* before it: a function is entered */
	PLACE_FLAG = 1 << 1,  /* before it: a flag, of all types */
	PLACE_ROUND = 1 << 2, /* before it: a flag, of types that are switched within functions */
	PLACE_CHECK = 1 << 3, /* where a round begins: what a check stands at */
	PLACE_LEAVE = 1 << 4, /* before it: the function is left */
	PLACE_LEAVE_BEHIND = 1 << 5,
	PLACE_LEAVE_TAKEN = 1 << 6,
	/* before it: the function is left, if only blocks and edges are counted; else at its return
	 */
	PLACE_LEAVE_EARLY = 1 << 7,
};

struct switch_plan {
	uint8_t *places;   /* [inst_count], owned: enum switch_place */
	/* [inst_count], owned: of places with a flag, the first instruction of the unit of code */
	uint32_t *unit;
	/* [function_count], owned: whether functions have flags of their own */
	uint8_t *controlled;
	/* [function_count], owned: whether somebody may come back to functions from anywhere:
	 * landing pads, setjmp() */
	uint8_t *catches;
	/* function that has no flags of its own and to which somebody may come back from anywhere;
	 * EDIT_NONE */
	uint32_t catcher;
	/* flags may change elsewhere as well: functions that have none of their own catch what is
	 * thrown, or the program switches them itself */
	bool astray;
};

/* False with *err if memory is out. */
bool switch_plan_make(struct job *j, enum switch_units units, uint32_t min_loop,
                      struct switch_plan *out);
void switch_plan_free(struct switch_plan *p);

/* switches.c: puts in what stands where functions are entered and units of code begin, before all
 * else, and describes it; and what stands where functions are left, behind all else. False with
 * *err. */
bool switches_enter(struct job *j);
bool switches_leave(struct job *j);

#endif
