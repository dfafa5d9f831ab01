/* The places of flags in a program (loader/instrument/switches.h), planned before anything is
 * inserted. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_H
#define CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_H

#include "loader/instrument/kind.h"

enum switch_place {
	PLACE_ENTER = 1 << 0, /* before it: function entry */
	PLACE_FLAG = 1 << 1,  /* before it: a flag, of all types */
	PLACE_ROUND = 1 << 2, /* before it: a flag, of types switched within functions */
	PLACE_CHECK = 1 << 3, /* where a round begins: place of a check */
	PLACE_LEAVE = 1 << 4, /* before it: function exit */
	PLACE_LEAVE_BEHIND = 1 << 5,
	PLACE_LEAVE_TAKEN = 1 << 6,
	/* before it: exit, if only blocks and edges are counted; else exit at the return */
	PLACE_LEAVE_EARLY = 1 << 7,
};

struct switch_plan {
	uint8_t *places;   /* [inst_count], owned: enum switch_place */
	/* [inst_count], owned: of places with a flag, the first instruction of their unit */
	uint32_t *unit;
	/* [function_count], owned: functions that have flags of their own */
	uint8_t *controlled;
	/* [function_count], owned: functions to which control may come back from anywhere: landing
	 * pads, setjmp() */
	uint8_t *catches;
	/* a function in catches[] without flags of its own; EDIT_NONE */
	uint32_t catcher;
	/* flags may change elsewhere as well: functions without flags catch exceptions, or the
	 * program switches flags itself */
	bool astray;
};

/* Makes the plan. False with *err if memory is out. */
bool switch_plan_make(struct job *j, enum switch_units units, uint32_t min_loop,
                      struct switch_plan *out);
void switch_plan_free(struct switch_plan *p);

/* switch_code.c: inserts the code for functions' entries and units of code, before all other code,
 * and describes it; and the code for exits, after all other code. False with *err. */
bool switches_enter(struct job *j);
bool switches_leave(struct job *j);

#endif
