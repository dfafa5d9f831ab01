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
	int id;        /* as the editor knows it */
	bool set;      /* it stands in the program */
	char *path;    /* owned: of its source, a function's name, a filter's */
	unsigned type; /* as of struct point */
	uint64_t addr, size;
	char *condition, *hit, *log; /* owned; NULL: none */
	struct expr *test;           /* owned: the condition */
	uint64_t hits; /* times that it was reached going forward, the condition held */
	bool stopped;  /* the last motion, by its terms */
	int stop_id;   /* of BREAKPOINT_EVENT */
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
/* Takes those of a kind, and of this path, NULL: any, out; to be dropped when their successors are
 * there. */
struct breakpoints breakpoints_take(struct dap *d, enum breakpoint_kind kind, const char *path);
void breakpoints_drop(struct dap *d, struct breakpoints *old);
/* Sets *b, complete but for its terms, which are in `from`; it is taken over. What the editor is
 * told of it. */
json_t *breakpoints_set(struct dap *d, struct breakpoint *b, const json_t *from,
                        const struct breakpoints *before);
/* The same in n places, at least one, of which the editor is told the first. */
json_t *breakpoints_set_all(struct dap *d, struct breakpoint *b, const uint64_t *at, size_t n,
                            const json_t *from, const struct breakpoints *before);
/* What it is told of one that can't be set; *b is freed. */
json_t *breakpoints_refuse(struct breakpoint *b, const struct err *err);
/* All of a kind are set, and list says what became of each; drops those of before. */
void breakpoints_answer(struct dap *d, const json_t *request, json_t *list,
                        struct breakpoints *old);
/* Whether its hit condition holds for its hits. */
bool breakpoints_hit(const struct breakpoint *b);

extern const struct request stops_requests[];

#endif
