/* Conditions of breakpoints that the server evaluates itself, where a breakpoint would stop, on
 * motions back: they end only where one holds. */
#ifndef CYCLOPS_UI_GDB_CONDITIONS_H
#define CYCLOPS_UI_GDB_CONDITIONS_H

#include "ui/remote/mover.h"

struct condition;

/* Zeroed: none. */
struct conditions {
	struct condition *all; /* owned; [n] */
	size_t n, room;
};

void conditions_deinit(struct conditions *all);
/* Replaces the conditions of a breakpoint by a list as in packet Z0, ";X3,220127...", of which one
 * has to hold; sets p->conditional. False, and it has none: the list is malformed, or memory is
 * short. */
bool conditions_set(struct conditions *all, struct point *p, const char *list);
/* p NULL: those of all breakpoints. */
void conditions_drop(struct conditions *all, const struct point *p);

/* The place before the breakpoint's instruction. */
struct conditions_place {
	const struct spot *at;
	/* reads the register of a number of gdb's; false: there is none */
	bool (*reg)(void *ctx, unsigned number, uint64_t *value);
	void *ctx;
};
/* True if one of the point's conditions holds at the place, or the point has none. */
bool conditions_hold(const struct conditions *all, const struct point *p,
                     const struct conditions_place *place);

#endif
