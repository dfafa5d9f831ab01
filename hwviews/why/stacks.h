/* Both stacks of a part of the program, and by its parts: shared by `view slots` and `view cpi`.
 *
 *   of find, of words.c:41, of loop find+0x10    of a function, a line, the innermost loop around
 *                                                an address
 *   functions, lines, instructions               a row for each
 *
 * Sums are those of hwviews/why/charges.h: all functions together are the whole stack, exactly. A
 * loop is its instructions in its function's flow graph, without callees. */
#ifndef CYCLOPS_HWVIEWS_WHY_STACKS_H
#define CYCLOPS_HWVIEWS_WHY_STACKS_H

#include "hwviews/why/hot.h"
#include "hwviews/why/what_if.h"

enum stack_of { STACK_OF_ALL, STACK_OF_FUNCTION, STACK_OF_LINE, STACK_OF_LOOP };
enum stack_by { STACK_WHOLE, STACK_BY_FUNCTION, STACK_BY_LINE, STACK_BY_INSTRUCTION };

struct stack_asked {
	enum stack_of of;
	enum stack_by by;
	bool all;               /* no limit of rows */
	uint64_t addr;          /* of the function, or in the line */
	const char *file;       /* of a line; borrowed from the program */
	unsigned line;
	struct stack_range {
		uint64_t lo, hi;
	} *range;               /* of a loop's blocks: owned, [ranges] */
	unsigned ranges;
	char text[96];          /* "of find"; "" for the whole program */
};

#define STACK_ARGS                                                                                 \
	"[of FUNCTION | of FILE:LINE | of loop ADDRESS] [functions | lines | instructions] "       \
	"[all] " REGION_THREAD_ARGS

/* Parses the words that region_take() left. False with *err, and nothing to free. */
bool stack_take(const struct session *s, const struct region *r, const char *view,
                struct stack_asked *out, struct err *err);
void stack_asked_deinit(struct stack_asked *a);
/* True if the answer needs hot_take(), not only statistics. */
bool stack_is_charged(const struct stack_asked *a);

/* Sums the selected part into all rows. */
void stack_sum(const struct session *s, const struct hot_profile *p, const struct stack_asked *a,
               int64_t row[CHARGE_ROWS]);

/* The meaning of a row of the slot stack: its words name no part that a machine of cfg lacks. */
const char *stack_slot_help(const struct config *cfg, enum slot_row row);

/* A kind of stack: its rows, and the set of rows with useful slots. */
struct stack_kind {
	const char *title;         /* "Slot stack" */
	unsigned first, count;     /* rows */
	uint64_t used;             /* bit i: row first + i is useful */
	uint64_t width;            /* slots in a cycle */
};
/* Fills in first, count, used and width of the slot stack or, `cpi`, the CPI stack. */
struct stack_kind stack_kind_of(const struct session *s, bool cpi);

/* Builds a view of a stack: `whole` from a region's statistics, `part` for a part of the program;
 * rows of places are alike in both views. False with *err. */
typedef bool stack_whole_fn(const struct session *s, const struct region *r, struct grid *out,
                            struct err *err);
typedef void stack_part_fn(const struct session *s, const struct hot_profile *p,
                           const struct stack_asked *a, const char *region, struct grid *out);
bool stack_view_build(const struct session *s, const struct view_args *args, bool cpi,
                      stack_whole_fn *whole, stack_part_fn *part, struct grid *out,
                      struct err *err);

/* Adds the charges of the instruction at pc to row. */
void stack_add(const struct hot_profile *p, uint64_t pc, int64_t row[CHARGE_ROWS]);

/* A cause of lost dispatch slots: the rows of the slot stack that one remedy removes. */
struct stack_cause {
	const struct what_if_remedy *remedy; /* NULL: no parameter removes its only row */
	unsigned most;                       /* its largest row, of charge_stat() */
	unsigned rows;                       /* those that are not 0 */
	int64_t slots;                       /* of all its rows; 0: no slot is lost */
};
/* Finds the cause that lost most of these slots: the one answer for a place, in the first words of
 * `view slots` of it, the opening, the end page, `slow`, `view hot` and the source.
 * cfg not NULL: only among causes that a parameter of that machine could shorten. */
struct stack_cause stack_find_cause(const int64_t row[CHARGE_CPI], const struct config *cfg);
/* True if the row is one of the cause's. */
bool stack_cause_has_row(const struct stack_cause *c, unsigned row);
/* "unit_imuldiv" of slots.unit_imuldiv. */
const char *stack_row_name(unsigned row);

/* An instruction's dispatch slots, with those of code without lines that it calls. */
struct stack_share {
	uint64_t pc;
	struct code_place at; /* code_place_own() */
	int64_t slots;
	int64_t row[CHARGE_CPI];
};
/* Calls put() for each instruction that has slots, by address: together they have all slots of the
 * profile exactly. Slots of called code are distributed over the calls as its commit slots are. */
void stack_each_share(const struct session *s, const struct hot_profile *p,
                      void (*put)(void *ctx, const struct stack_share *one), void *ctx);

/* The largest loss of a place, in dispatch slots. */
struct stack_loss {
	unsigned row;  /* its cause's largest row; CHARGE_ROWS: none, the place mostly commits */
	int64_t slots; /* lost to that row; to a wrong prediction: to all of it */
	int64_t held;  /* lost to all rows */
};
/* Finds it for a place that has `slots` in all, by stack_find_cause(). If no parameter of cfg
 * shortens that cause, and one shortens another with at least a third of its slots: the latter.
 * None if the largest cause has less than a tenth of them, and all at most half. */
struct stack_loss stack_largest_loss(const int64_t row[CHARGE_CPI], int64_t slots,
                                     const struct config *cfg);
/* Writes it with its share of `all` dispatch slots, "21 % l2"; empty if there is none, or 0 %. */
void cell_largest_loss(struct grid *g, const struct stack_loss *loss, double all);
/* Writes the largest row of the largest cause, "latency imuldiv"; empty if there is none. */
void cell_largest(struct grid *g, const int64_t row[CHARGE_CPI]);

/* "; the last 25,088 cycles differ (since -25088)", if the CPI stack of the run's last eighth has
 * at least a sixth of its slots in other rows than the whole run's; else "". The program's start is
 * part of the whole, and may hide its present limits. */
char *stack_lately(const struct session *s, char out[96]);

/* The columns of stack_places(), their table in the help of both views, and its introduction. */
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
	"That part of the run is executed once more with counters, and each\n"                     \
	"slot of each cycle is charged to one instruction, so all places together are\n"           \
	"the whole stack exactly.\n"

#endif
