/* Both stacks of a part of the program, and by its parts: what `view slots` and `view cpi` share.
 *
 *   of find, of words.c:41, of loop find+0x10    of a function, a line, the innermost loop around
 *                                                an address
 *   functions, lines, instructions               a row for each
 *
 * Sums are those of hwviews/why/charges.h: all functions together are the whole stack, exactly. A
 * loop is the instructions of its function's flow graph that are in it, not what they call. */
#ifndef CYCLOPS_HWVIEWS_WHY_STACKS_H
#define CYCLOPS_HWVIEWS_WHY_STACKS_H

#include "hwviews/why/hot.h"

enum stack_of { STACK_OF_ALL, STACK_OF_FUNCTION, STACK_OF_LINE, STACK_OF_LOOP };
enum stack_by { STACK_WHOLE, STACK_BY_FUNCTION, STACK_BY_LINE, STACK_BY_INSTRUCTION };

struct stack_asked {
	enum stack_of of;
	enum stack_by by;
	bool all;               /* a row for each, however many */
	uint64_t addr;          /* its function, or an address of its line */
	const char *file;       /* of a line; borrowed from the program */
	unsigned line;
	struct stack_range {
		uint64_t lo, hi;
	} *range;               /* of a loop: owned, [ranges] */
	unsigned ranges;
	char text[96];          /* "of find"; "" of all */
};

#define STACK_ARGS                                                                                 \
	"[of FUNCTION | of FILE:LINE | of loop ADDRESS] [functions | lines | instructions] "       \
	"[all] " REGION_THREAD_ARGS

/* Of the words that region_take() left. False with *err, and nothing to free. */
bool stack_take(const struct session *s, const struct region *r, const char *view,
                struct stack_asked *out, struct err *err);
void stack_asked_deinit(struct stack_asked *a);
/* Whether it asks for more than the statistics say: then hot_take() is needed. */
bool stack_is_charged(const struct stack_asked *a);

/* All rows of what is asked for. */
void stack_sum(const struct session *s, const struct hot_profile *p, const struct stack_asked *a,
               int64_t row[CHARGE_ROWS]);

/* Which rows, and which of them are of use. */
struct stack_kind {
	const char *title;         /* "Slot stack" */
	unsigned first, count;     /* rows */
	uint64_t used;             /* bit i: of row first + i */
	uint64_t width;            /* slots of a cycle */
};
/* Fills in first, count, used and width of the slot stack or, `cpi`, the CPI stack. */
struct stack_kind stack_kind_of(const struct session *s, bool cpi);

/* Builds a view of a stack: of what a region's statistics say it is `whole`, of a part of the
 * program `part`; rows of places are the same in both views. False with *err. */
typedef bool stack_whole_fn(const struct session *s, const struct region *r, struct grid *out,
                            struct err *err);
typedef void stack_part_fn(const struct session *s, const struct hot_profile *p,
                           const struct stack_asked *a, const char *region, struct grid *out);
bool stack_view_build(const struct session *s, const struct view_args *args, bool cpi,
                      stack_whole_fn *whole, stack_part_fn *part, struct grid *out,
                      struct err *err);

/* What the instruction at pc is charged with, added to row. */
void stack_add(const struct hot_profile *p, uint64_t pc, int64_t row[CHARGE_ROWS]);
/* "latency imuldiv": the largest row that is not of use; empty if there is none. */
void cell_largest(struct grid *g, const struct stack_kind *k, const int64_t row[CHARGE_ROWS]);

/* "; the last 25,088 cycles differ (since -25088)", if the CPI stack of the run's last eighth has
 * at least a sixth of its slots in other rows than the whole run's; else "". What a program does
 * when it begins is in the whole, and may hide what limits it now. */
char *stack_lately(const struct session *s, char out[96]);

/* The columns of stack_places(), their table in the help of both views, and what that says of
 * them. */
enum { STACK_COLUMNS = 7 };
extern const struct grid_column stack_columns[STACK_COLUMNS];
/* clang-format off */
#define STACK_TABLE                                                                                \
	{GRID_TABLE(stack_columns), .indent = 11,                                                  \
	 .before = "\nOf a function, a line or the innermost loop around an address: `of find`,\n" \
	           "`of words.c:41`, `of loop find+0x10`. A row for each: `functions`, `lines`,\n" \
	           "`instructions`, which have columns of their own:\n"                            \
	           "\n"}
/* clang-format on */
#define STACK_HELP                                                                                 \
	"That part of the run is executed once more with somebody who counts, and each\n"          \
	"slot of each cycle is charged to one instruction, so all places together are\n"           \
	"the whole stack exactly.\n"

#endif
