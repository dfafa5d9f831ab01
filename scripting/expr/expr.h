/* Expressions: what `print`, `x`, `set`, conditions, watchpoints, displays and Lua's m:eval
 * compute.
 *
 * C, with the program's types (scripting/c/c.h), in which the inspector's words are values:
 * registers (a0, sp, pc; fa0 is its value as a number), symbols that are no variables (their
 * address), cycle and insts, statistics (sim.ipc), queues (rob.count, rob[1].state), parameters
 * (pipe.rob_size) and views as tables (view.ras[1].returns_to). Functions read memory: mem64(sp),
 * str(a0). `sym "name"` is for symbols that something else shadows. `and`, `or`, `not` and `~=` are
 * read as well.
 *
 * What C can't read is Lua 5.4 with the same words: tables, functions, `..`, `//`, `#`.
 *
 * An expression changes nothing, unless it may assign, reaches nothing outside, and is stopped when
 * it computes for too long or takes too much memory. One thread. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"

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
/* Whether it is C, and no word alone or Lua. */
bool expr_is_c(const struct expr *e);
/* Whether it has variables of the program, or something else that only C has. */
bool expr_has_variables(const struct expr *e);
/* Whether it is about words of the inspector and no variables: a comparison is true or false then,
 * where C has 1 and 0. */
bool expr_is_of_words(const struct expr *e);
/* Whether it assigns. */
bool expr_assigns(const struct expr *e);
/* Whether scripting/expr/where.h, if it can read the text, computes the same. */
bool expr_is_plain(const struct expr *e);
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

/* ---- values with their types: print, x, set ---- */
struct c_limits;
struct change;
/* How an assignment is made. False with *err. */
typedef bool expr_change_fn(void *ctx, const struct change *c, struct err *err);
/* From now on, what expr_compile_assigning() has compiled may assign. */
void exprs_let_assign(struct exprs *x, expr_change_fn *fn, void *ctx);
struct expr *expr_compile_assigning(struct exprs *x, const char *text, struct err *err);
/* Evaluates once, and keeps the value for the functions below. False with *err, also if its memory
 * can't be read. */
bool expr_compute(struct expr *e, struct err *err);
/* Makes a word's value the computed one; true. */
bool expr_take(struct exprs *x, const struct expr_value *v);
bool expr_computed(const struct exprs *x, struct expr_value *out, struct err *err);
/* As C, or a format of print's (x, d, ..., 0: none), writes it: "{value = 3, next = 0x0}"; limits
 * NULL: those that are set. Returns buf. */
char *expr_computed_text(const struct exprs *x, char letter, const struct c_limits *limits,
                         char *buf, size_t n);
/* The text of characters of 1, 2 or 4 bytes that begins at an address, as `x/s` shows it; returns
 * the address behind what is shown of it. */
uint64_t expr_text_at(struct exprs *x, uint64_t addr, unsigned width, char *buf, size_t n);
/* How much of a type is told: its name, its members, and where these lie. */
enum expr_type_text { EXPR_TYPE_NAME, EXPR_TYPE_WHOLE, EXPR_TYPE_LAYOUT };
/* Returns buf. */
char *expr_computed_type(const struct exprs *x, enum expr_type_text how, char *buf, size_t n);
/* The value as an address: an array's and a function's is where it is. False with *err. */
bool expr_computed_address(const struct exprs *x, uint64_t *addr, bool *is_code, struct err *err);
/* What the computed value consists of: */
enum expr_parts {
	EXPR_WHOLE,    /* of nothing */
	EXPR_MEMBERS,  /* `(e).name` */
	EXPR_ELEMENTS, /* `(e)[0]` to `(e)[count - 1]` */
	EXPR_POINTS    /* `*(e)` */
};
struct expr_shape {
	enum expr_parts kind;
	uint64_t count;
	bool in_memory;      /* at addr; a pointer: what it points to */
	uint64_t addr, size; /* bytes */
};
struct expr_shape expr_computed_shape(const struct exprs *x);
/* The names of its members, those of unnamed ones too, until fn is false. */
typedef bool expr_member_fn(void *ctx, const char *name);
void expr_each_member(const struct exprs *x, expr_member_fn *fn, void *ctx);
/* What the function that begins there has returned in these registers, as its type says; false:
 * nothing, or it is not known. */
bool expr_returned(struct exprs *x, uint64_t function, const uint64_t a[2], const uint64_t fa[2]);
/* Into the history of values: its number, 0: there is no room. */
size_t expr_keep(struct exprs *x);
/* Makes that one the computed value; false if there is none. */
bool expr_kept(struct exprs *x, size_t number);
size_t exprs_kept(const struct exprs *x);
/* The same of the i-th variable of the inspector's own; its name, NULL behind the last. */
const char *expr_kept_variable(struct exprs *x, size_t i);
/* Sets one to a number. */
void expr_keep_variable(struct exprs *x, const char *name, int64_t v);
/* How much of values is shown; to be changed in place. */
struct c_limits *exprs_limits(struct exprs *x);
/* The youngest instruction in flight that writes what an expression names: its seq, and what it
 * will be then, *buf '\0' if that isn't known yet. 0: none. */
uint64_t expr_coming(struct expr *e, char letter, char *buf, size_t n);
/* The type of a C expression, or the type of that name ("struct node"). False with *err. */
bool expr_c_type(struct exprs *x, const char *text, enum expr_type_text how, char *buf, size_t n,
                 struct err *err);
/* The tables of virtual functions of the computed value, an object or a pointer to one: its class,
 * where the table and the part of the object are, and how many entries it has. False with *err. */
typedef void expr_vtable_fn(void *ctx, const char *class, uint64_t table, uint64_t object,
                            unsigned entries);
bool expr_each_vtable(struct exprs *x, expr_vtable_fn *fn, void *ctx, struct err *err);
/* Where a C value is in memory; false with *err if it has no address. */
struct expr_place {
	uint64_t addr, size; /* bytes */
	bool is_float, is_unsigned; /* an integer without a sign */
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
	bool outer;              /* of a function into which the frame's own was inlined */
	/* seq of the youngest instruction in flight that writes it; 0: none */
	uint64_t writer;
	const char *coming; /* what it will be then, NULL: not known yet */
};
/* false: no more. */
typedef bool expr_variable_fn(void *ctx, const struct expr_variable *v);
/* Its parameters, or all others, innermost block first, then those of functions outside. False if
 * there is no debug information about the call's function. */
bool expr_each_variable(struct exprs *x, bool parameters, expr_variable_fn *fn, void *ctx);

/* What is declared in the blocks around an address, innermost first, with its type; until fn is
 * false. False: nothing is known of the address. */
typedef bool expr_declared_fn(void *ctx, const char *name, bool parameter, const char *type,
                              uint64_t size);
bool expr_each_declared(struct exprs *x, uint64_t addr, expr_declared_fn *fn, void *ctx);
/* " (v=1, text=0x52550 \"one\")" of a call, 0 the innermost: structs, unions and arrays are `...`;
 * "" if nothing is known of its function. Returns buf. */
char *expr_arguments(struct exprs *x, unsigned level, char *buf, size_t n);

/* Names of the functions and values of expressions, NULL behind the last; for completion and help.
 */
const char *expr_name(unsigned i, const char **help);

#endif
