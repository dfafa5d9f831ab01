/* Conditions of breakpoints that the server evaluates itself, where a breakpoint would stop: gdb is
 * asked only where one holds, forwards and backwards. */
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

/* The mover's callbacks; ctx: the server. */
bool conditions_hold(void *ctx, const struct point *p);
bool conditions_stop(void *ctx, const struct point *p, bool forward);

#endif
