/* Expressions: what `print`, conditions, watchpoints and displays compute. Lua 5.4, reading only.
 *
 * Names stand for what is in the machine now: registers (a0, sp, pc; fa0 is its value as a number),
 * symbols (their address), cycle and insts, statistics (sim.ipc), queues (rob.count, rob[1].state),
 * parameters (pipe.rob_size) and views as tables (view.ras[1].returns_to). Functions read memory:
 * mem64(sp), str(a0). `sym "name"` is for symbols that something else shadows. Arithmetic is Lua's:
 * 64-bit integers that wrap, `//` and `%` round downwards.
 *
 * A C programmer's `$a0`, `!=`, `*ADDRESS` and `*(u32 *)ADDRESS` at the beginning are understood as
 * well.
 *
 * An expression changes nothing, reaches nothing outside, and is stopped when it computes for too
 * long or takes too much memory. One thread. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"

/* In what has a variable of the program in it, all is C: its operators and types (scripting/c/c.h).
 */
struct exprs; /* the Lua state in which a session's expressions run */
struct expr;  /* one compiled expression */
struct machine;
struct session;

/* `s` is borrowed, and its addresses may be expressions from now on; NULL: only arithmetic works.
 * NULL with *err. */
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

/* Whose variables are names from now on, up to the end of the cycle: those of a call, 0 the
 * innermost. */
void exprs_select_frame(struct exprs *x, unsigned level, uint64_t cycle);

/* Where variables are looked up. */
enum expr_scope {
	EXPR_FRAME, /* in the selected call */
	/* at an address of the program; their values are those in the innermost call of its
	   function */
	EXPR_PLACE,
	EXPR_NOWHERE /* names are never variables */
};

/* NULL with *err, which quotes what Lua objects to. */
struct expr *expr_compile(struct exprs *x, const char *text, struct err *err);
struct expr *expr_compile_in(struct exprs *x, const char *text, enum expr_scope scope,
                             uint64_t addr, struct err *err);
/* Whether it is read as C. */
bool expr_is_c(const struct expr *e);
void expr_free(struct expr *e); /* takes NULL */
/* Evaluates on `m`, NULL: the session's machine. False with *err: *out is unchanged. */
bool expr_eval(struct expr *e, const struct machine *m, struct expr_value *out, struct err *err);
/* The same about an event, while a listener runs: its fields are words (level, addr), and so are
 * those of its instruction (op, pc, seq, wrong_path; hwviews/session/uop_fields.def); `event` is
 * all of it as a table. They come before symbols of the program. */
bool expr_eval_event(struct expr *e, const struct machine *m, const struct event *ev,
                     struct expr_value *out, struct err *err);
/* Whether every name in it means something, also where it has not been evaluated yet. (Not in
 * functions that it defines.) */
bool expr_knows_names(struct expr *e, struct err *err);
/* Whether it can be evaluated at all: its names, and a try on the session's machine. */
bool expr_try(struct expr *e, struct err *err);
/* The same about such an event: tries it with one that means nothing. */
bool expr_try_event(struct expr *e, enum event_id id, struct err *err);
/* Compiles, evaluates and forgets. */
bool expr_once(struct exprs *x, const char *text, struct expr_value *out, struct err *err);
/* The same for a count or an address: an integer is needed. */
bool expr_integer(struct exprs *x, const char *text, int64_t *out, struct err *err);
/* The same where names of the program are addresses: what expr_is_memory() found. */
bool expr_address(struct exprs *x, const char *text, uint64_t *out, struct err *err);

/* A condition holds: not nil, false or a zero. */
bool expr_true(const struct expr_value *v);
/* 64 bits that differ when values do (a text: its hash). */
uint64_t expr_bits(const struct expr_value *v);

/* Whether text names memory: `mem32(EXPR)` and kin, `*EXPR`, `*(u32)EXPR`. Then *operand is EXPR
 * (malloc'd) and *size its bytes, 0 for plain `*EXPR`: as many as the symbol there has. */
bool expr_is_memory(const char *text, char **operand, unsigned *size);

/* How a number of a C value is shown in a format (x, d, ...); size in bytes. */
typedef char *expr_scalar_text(const void *ctx, uint64_t bits, unsigned size, char letter,
                               char *buf, size_t n);
/* What is C, as C writes it: "{value = 3, next = 0x0}". letter 0: as the types say. False with
 * *err. */
bool expr_c_text(struct expr *e, char letter, expr_scalar_text *scalar, const void *ctx, char *buf,
                 size_t n, struct err *err);
/* The youngest instruction in flight that writes what a C expression names: its seq, and what it
 * will be then, *buf '\0' if that isn't known yet. 0: none. */
uint64_t expr_c_coming(struct expr *e, char letter, expr_scalar_text *scalar, const void *ctx,
                       char *buf, size_t n);
/* The type of a C expression, or the type of that name ("struct node"); `all`: with its members.
 * False with *err. */
bool expr_c_type(struct exprs *x, const char *text, bool all, char *buf, size_t n, struct err *err);
/* Where a C value is in memory; false with *err if it has no address. */
struct expr_place {
	uint64_t addr, size; /* bytes */
	bool is_float;
	/* only as long as the call lasts: the name of a variable of its own is in it */
	bool of_call;
};
bool expr_c_place(struct expr *e, struct expr_place *out, struct err *err);
/* Whether the call that it is about goes on. */
bool expr_c_lasts(struct expr *e, const struct machine *m);
/* Where it begins and ends. False: it doesn't go on. */
struct expr_call {
	/* its frame, bytes: what sp is before its first instruction and behind its last */
	uint64_t cfa;
	uint64_t first; /* its function's first instruction */
	uint64_t back;  /* what it returns to, 0: nothing is known of that */
};
bool expr_c_call(struct expr *e, const struct machine *m, struct expr_call *out);

/* A variable of the selected call. */
struct expr_variable {
	const char *name, *text; /* with its value as C writes it */
	const char *inlined;     /* of which function inlined there, NULL: the call's own */
	bool hidden;             /* one of an inner block has the name */
	/* seq of the youngest instruction in flight that writes it; 0: none */
	uint64_t writer;
	const char *coming;      /* what it will be then, NULL: not known yet */
};
/* false: no more. */
typedef bool expr_variable_fn(void *ctx, const struct expr_variable *v);
/* Its parameters, or all others, innermost block first. False if there is no debug information
 * about the call's function. */
bool expr_each_variable(struct exprs *x, bool parameters, expr_variable_fn *fn, void *ctx);

/* Names of the functions and values of expressions, NULL behind the last; for completion and help.
 */
const char *expr_name(unsigned i, const char **help);

#endif
