/* Breakpoints of an editor, and whether they stop the program. */
#ifndef CYCLOPS_UI_DAP_BREAKPOINTS_H
#define CYCLOPS_UI_DAP_BREAKPOINTS_H

#include "scripting/expr/expr.h"
#include "ui/dap/dap.h"

enum breakpoint_kind {
	BREAKPOINT_LINE,
	BREAKPOINT_FUNCTION,
	BREAKPOINT_INSTRUCTION,
	BREAKPOINT_DATA,
	BREAKPOINT_EVENT /* an exception filter: a stop point of the session's own */
};

struct breakpoint {
	enum breakpoint_kind kind;
	int id;               /* as the editor knows it */
	bool set;             /* it stands in the program */
	char *path;           /* owned: of its source, a function's name, a filter's */
	unsigned type;        /* as of struct point */
	uint64_t addr, size;
	char *condition, *hit, *log; /* owned; NULL: none */
	struct expr *test;    /* owned: the condition */
	uint64_t hits;        /* times that it was reached going forward, the condition held */
	bool stopped;         /* the last motion, by its terms */
	int stop_id;          /* of BREAKPOINT_EVENT */
};

struct breakpoints {
	struct breakpoint *all; /* owned; [n] */
	size_t n;
	int last_id;
};

/* Adds *b, which is taken over, with the number and the hits of an equal one of before; NULL: there
 * is no room. */
struct breakpoint *breakpoints_add(struct dap *d, struct breakpoint *b,
                                   const struct breakpoints *before);
/* Takes those of a kind out; to be dropped when their successors are there. */
struct breakpoints breakpoints_take(struct dap *d, enum breakpoint_kind kind);
void breakpoints_drop(struct dap *d, struct breakpoints *old);
/* Whether its hit condition holds for its hits. */
bool breakpoints_hit(const struct breakpoint *b);

extern const struct request stops_requests[];

#endif
