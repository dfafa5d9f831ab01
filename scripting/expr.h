/* Expressions: what `print`, conditions, watchpoints and displays compute. Lua 5.4, reading only.
 *
 * Names stand for what is in the machine now: registers (a0, sp, pc; fa0 is its value as a number), symbols (their
 * address), cycle and insts, statistics (sim.ipc), queues (rob.count, rob[1].state), parameters (pipe.rob_size) and
 * views as tables (view.ras[1].returns_to). Functions read memory: mem64(sp), str(a0). `sym "name"` is for symbols that
 * something else shadows. Arithmetic is Lua's: 64-bit integers that wrap, `//` and `%` round downwards.
 *
 * A C programmer's `$a0`, `!=`, `*ADDRESS` and `*(u32 *)ADDRESS` at the beginning are understood as well.
 *
 * An expression changes nothing, reaches nothing outside, and is stopped when it computes for too long or takes too
 * much memory. One thread. */
#ifndef CYCLOPS_SCRIPTING_EXPR_H
#define CYCLOPS_SCRIPTING_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/events.h"

struct exprs; /* the Lua state in which a session's expressions run */
struct expr;  /* one compiled expression */
struct machine;
struct session;

/* `s` is borrowed, and its addresses may be expressions from now on; NULL: only arithmetic works. NULL with *err. */
struct exprs *exprs_new(struct session *s, struct err *err);
void exprs_free(struct exprs *x); /* all its expressions must be freed before */

enum expr_type { EXPR_NIL, EXPR_BOOL, EXPR_INT, EXPR_FLOAT, EXPR_STRING, EXPR_OTHER };

struct expr_value {
	enum expr_type type;
	int64_t i;      /* INT, BOOL */
	double d;       /* FLOAT */
	char text[512]; /* STRING, OTHER: as Lua would show it, truncated */
};

/* Ends the evaluation under way, if there is one, with an error; safe in a signal handler. */
void exprs_interrupt(struct exprs *x);

/* NULL with *err, which quotes what Lua objects to. */
struct expr *expr_compile(struct exprs *x, const char *text, struct err *err);
void expr_free(struct expr *e); /* takes NULL */
/* Evaluates on `m`, NULL: the session's machine. False with *err: *out is unchanged. */
bool expr_eval(struct expr *e, const struct machine *m, struct expr_value *out, struct err *err);
/* The same about an event, while a listener runs: its fields are words (level, addr), and so are those of its
 * instruction (op, pc, seq, wrong_path; hwviews/uop_fields.def); `event` is all of it as a table. They come before
 * symbols of the program. */
bool expr_eval_event(struct expr *e, const struct machine *m, const struct event *ev, struct expr_value *out,
                     struct err *err);
/* Whether every name in it means something, also where it has not been evaluated yet. (Not in functions that it defines.) */
bool expr_knows_names(struct expr *e, struct err *err);
/* Whether it can be evaluated at all: its names, and a try on the session's machine. */
bool expr_try(struct expr *e, struct err *err);
/* The same about such an event: tries it with one that means nothing. */
bool expr_try_event(struct expr *e, enum event_id id, struct err *err);
/* Compiles, evaluates and forgets. */
bool expr_once(struct exprs *x, const char *text, struct expr_value *out, struct err *err);
/* The same for a count or an address: an integer is needed. */
bool expr_integer(struct exprs *x, const char *text, int64_t *out, struct err *err);

/* A condition holds: not nil, false or a zero. */
bool expr_true(const struct expr_value *v);
/* 64 bits that differ when values do (a text: its hash). */
uint64_t expr_bits(const struct expr_value *v);

/* Whether text names memory: `mem32(EXPR)` and kin, `*EXPR`, `*(u32)EXPR`. Then *operand is EXPR (malloc'd) and *size its
 * bytes, 0 for plain `*EXPR`: as many as the symbol there has. */
bool expr_is_memory(const char *text, char **operand, unsigned *size);

/* Names of the functions and values of expressions, NULL behind the last; for completion and help. */
const char *expr_name(unsigned i, const char **help);

#endif
