/* Breakpoints of an editor, and the decision whether they stop the program. */
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
	int id;        /* its id in the protocol */
	bool set;      /* it is set in the program */
	char *path;    /* owned: path of its source, or name of its function or filter */
	unsigned type; /* as of struct point */
	uint64_t addr, size;
	char *condition, *hit, *log; /* owned; NULL: none */
	struct expr *test;           /* owned: the condition */
	uint64_t hits; /* times it was reached going forward with its condition true */
	bool stopped;  /* it stopped the last motion */
	int stop_id;   /* of BREAKPOINT_EVENT */
};

struct breakpoints {
	struct breakpoint *all; /* owned; [n] */
	size_t n;
	int last_id;
};

/* Adds *b and takes it over, with the number and hits of an equal breakpoint in `before`. NULL if
 * there is no room; b's texts are freed then. */
struct breakpoint *breakpoints_add(struct dap *d, struct breakpoint *b,
                                   const struct breakpoints *before);
/* Removes and returns the breakpoints of a kind and path (NULL: any). The caller drops them after
 * setting their successors. */
struct breakpoints breakpoints_take(struct dap *d, enum breakpoint_kind kind, const char *path);
void breakpoints_drop(struct dap *d, struct breakpoints *old);
/* Sets *b and takes it over, with the terms (condition, hits, log) read from `from`. Returns the
 * description for the editor. */
json_t *breakpoints_set(struct dap *d, struct breakpoint *b, const json_t *from,
                        const struct breakpoints *before);
/* Sets *b at n addresses, at least one, as one breakpoint. Returns the description of the first. */
json_t *breakpoints_set_all(struct dap *d, struct breakpoint *b, const uint64_t *at, size_t n,
                            const json_t *from, const struct breakpoints *before);
/* Frees *b, which can't be set, and returns its description for the editor. */
json_t *breakpoints_refuse(struct breakpoint *b, const struct err *err);
/* Answers a request that set all breakpoints of a kind, with their descriptions in list; drops the
 * old ones. */
void breakpoints_answer(struct dap *d, const json_t *request, json_t *list,
                        struct breakpoints *old);
/* True if the breakpoint's hit condition holds for its hits. */
bool breakpoints_hit(const struct breakpoint *b);

extern const struct request stops_requests[];

#endif
