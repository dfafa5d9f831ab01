/* Expressions: the language of `print`, `x`, `set`, conditions, watchpoints, displays and Lua's
 * m:eval.
 *
 * C, with the program's types (scripting/c/c.h), extended by the inspector's words as values:
 * registers (a0, sp, pc; fa0 is its value as a number), symbols other than variables (their
 * address), cycle and insts, statistics (sim.ipc), queues (rob.count, rob[1].state), parameters
 * (pipe.rob_size) and views as tables (view.ras[1].returns_to). Functions read memory: mem64(sp),
 * str(a0). `sym "name"` is for symbols shadowed by another name. `and`, `or`, `not` and `~=` are
 * accepted as well.
 *
 * Expressions that are not C are Lua 5.4 with the same words: tables, functions, `..`, `//`, `#`.
 *
 * An expression changes nothing, unless it may assign, has no access outside, and is stopped when
 * it runs too long or takes too much memory. One thread. */
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

/* Borrows s, and sets s->evaluate, so that addresses may be expressions; s NULL: only arithmetic.
 * NULL with *err. */
struct exprs *exprs_new(struct session *s, struct err *err);
void exprs_free(struct exprs *x); /* free all its expressions first */

enum expr_type { EXPR_NIL, EXPR_BOOL, EXPR_INT, EXPR_FLOAT, EXPR_STRING, EXPR_OTHER };

struct expr_value {
	enum expr_type type;
	int64_t i;      /* INT, BOOL */
	double d;       /* FLOAT */
	char text[512]; /* STRING, OTHER: as Lua prints it, truncated */
};

/* Ends the evaluation under way, if there is one, with an error; safe in a signal handler. */
void exprs_interrupt(struct exprs *x);

/* Selects the call whose variables are names, 0 the innermost, until the end of the cycle. */
void exprs_select_frame(struct exprs *x, unsigned level, uint64_t cycle);

/* Scope in which variables are looked up. */
enum expr_scope {
	EXPR_FRAME, /* in the selected call */
	/* at an address of the program; values come from the innermost call of its function */
	EXPR_PLACE,
	EXPR_NOWHERE /* names are never variables */
};

/* NULL with *err, which quotes Lua's complaint. */
struct expr *expr_compile(struct exprs *x, const char *text, struct err *err);
struct expr *expr_compile_in(struct exprs *x, const char *text, enum expr_scope scope,
                             uint64_t addr, struct err *err);
/* True if the expression is C, not a single word or Lua. */
bool expr_is_c(const struct expr *e);
/* True if the expression has variables of the program, or other elements that only C has. */
bool expr_has_variables(const struct expr *e);
/* True if the name is a variable of the program in the selected call, which hides a register of
 * that name. */
bool expr_is_variable(struct exprs *x, const char *name);
/* True if the expression uses words of the inspector and no variables: comparisons then yield true
 * or false, not 1 or 0 as in C. */
bool expr_is_of_words(const struct expr *e);
/* True if the expression assigns, or calls functions of the program. */
bool expr_assigns(const struct expr *e);
void expr_free(struct expr *e); /* takes NULL */
/* Evaluates on `m`, NULL: the session's machine. False with *err: *out is unchanged. */
bool expr_eval(struct expr *e, const struct machine *m, struct expr_value *out, struct err *err);
/* Evaluates for an event, while a listener runs. Words are the event's fields (level, addr) and
 * those of its instruction (op, pc, seq, wrong_path; hwviews/session/uop_fields.def); `event` is
 * the whole event as a table. These words hide symbols of the program. */
bool expr_eval_event(struct expr *e, const struct machine *m, const struct event *ev,
                     struct expr_value *out, struct err *err);
/* True if every name in the expression has a meaning, also in parts not evaluated yet; functions
 * that it defines are not checked. */
bool expr_knows_names(struct expr *e, struct err *err);
/* True if the expression can be evaluated: checks its names, and evaluates it on the session's
 * machine. */
bool expr_try(struct expr *e, struct err *err);
/* Like expr_try(), for events of this kind: evaluates with an empty event. */
bool expr_try_event(struct expr *e, enum event_id id, struct err *err);
/* Compiles, evaluates and frees an expression. */
bool expr_once(struct exprs *x, const char *text, struct expr_value *out, struct err *err);
/* Like expr_once(), for a count or an address: the value must be an integer. */
bool expr_integer(struct exprs *x, const char *text, int64_t *out, struct err *err);
/* Like expr_integer(), with the program's names as addresses: for the operand that expr_is_memory()
 * found. */
bool expr_address(struct exprs *x, const char *text, uint64_t *out, struct err *err);

/* True if a condition with this value holds: not nil, false or zero. */
bool expr_true(const struct expr_value *v);
/* 64 bits that change with the value (of a text: its hash). */
uint64_t expr_bits(const struct expr_value *v);

/* ---- values with their types: print, x, set ---- */
struct c_limits;
struct change;
/* Makes an assignment. False with *err. */
typedef bool expr_change_fn(void *ctx, const struct change *c, struct err *err);
struct c_invocation;
/* Calls a function of the program. False with *err. */
typedef bool expr_call_fn(void *ctx, struct c_invocation *call, struct err *err);
/* Sets the functions with which expressions of expr_compile_assigning() assign, and call functions
 * of the program; NULL: they don't. */
void exprs_let_assign(struct exprs *x, expr_change_fn *fn, expr_call_fn *call, void *ctx);
struct expr *expr_compile_assigning(struct exprs *x, const char *text, struct err *err);
/* Evaluates once, and keeps the computed value for the functions below. False with *err, also if
 * the value's memory can't be read. */
bool expr_compute(struct expr *e, struct err *err);
/* Makes a number or text the computed value; true. */
bool expr_take(struct exprs *x, const struct expr_value *v);
bool expr_computed(const struct exprs *x, struct expr_value *out, struct err *err);
/* Prints the computed value as C, or in a format of print's (x, d, ..., 0: none): "{value = 3, next
 * = 0x0}"; limits NULL: exprs_limits(). Returns buf. */
char *expr_computed_text(const struct exprs *x, char letter, const struct c_limits *limits,
                         char *buf, size_t n);
/* Prints the text of characters of 1, 2 or 4 bytes at an address, as `x/s` does; returns the
 * address after the printed part. */
uint64_t expr_text_at(struct exprs *x, uint64_t addr, unsigned width, char *buf, size_t n);
/* Detail of a type's text: name; also members; also their offsets. */
enum expr_type_text { EXPR_TYPE_NAME, EXPR_TYPE_WHOLE, EXPR_TYPE_LAYOUT };
/* Returns buf. */
char *expr_computed_type(const struct exprs *x, enum expr_type_text how, char *buf, size_t n);
/* The computed value as an address; of an array or function, its own address. False with *err. */
bool expr_computed_address(const struct exprs *x, uint64_t *addr, bool *is_code, struct err *err);
/* Parts of the computed value: */
enum expr_parts {
	EXPR_WHOLE,    /* none */
	EXPR_MEMBERS,  /* `(e).name` */
	EXPR_ELEMENTS, /* `(e)[0]` to `(e)[count - 1]` */
	EXPR_POINTS    /* `*(e)` */
};
struct expr_shape {
	enum expr_parts kind;
	uint64_t count;
	bool in_memory;      /* at addr; of a pointer: its target */
	uint64_t addr, size; /* bytes */
};
struct expr_shape expr_computed_shape(const struct exprs *x);
/* Calls fn with the names of the computed value's members, and those of unnamed members' members,
 * until fn returns false. */
typedef bool expr_member_fn(void *ctx, const char *name);
void expr_each_member(const struct exprs *x, expr_member_fn *fn, void *ctx);
/* Makes the return value of the function at this address the computed value, from these registers
 * and by its type; false: no value, or not known. *in_a0: a0 may be it, or a part of it. */
bool expr_returned(struct exprs *x, uint64_t function, const uint64_t a[2], const uint64_t fa[2],
                   bool *in_a0);
/* Computes the text as the value that the function around this address returns: its registers are
 * in out->set and out->reg. False with *err. */
bool expr_given_back(struct exprs *x, uint64_t addr, const char *text, struct c_invocation *out,
                     struct err *err);
/* Adds the computed value to the value history: its number, 0: out of memory. */
size_t expr_keep(struct exprs *x);
/* Makes value `number` of the history the computed value; false if there is none. */
bool expr_kept(struct exprs *x, size_t number);
size_t exprs_kept(const struct exprs *x);
/* Makes the i-th of the inspector's own variables the computed value; returns its name, NULL if i
 * is too large. */
const char *expr_kept_variable(struct exprs *x, size_t i);
/* Sets an own variable of the inspector to a number. */
void expr_keep_variable(struct exprs *x, const char *name, int64_t v);
/* Limits on the values shown; changed in place. */
struct c_limits *exprs_limits(struct exprs *x);
/* seq of the youngest instruction in flight that writes to the place that an expression names, 0:
 * none. buf receives the value to be written, "" if not known yet. */
uint64_t expr_coming(struct expr *e, char letter, char *buf, size_t n);
/* The type of a C expression, or the type named by the text ("struct node"). False with *err. */
bool expr_c_type(struct exprs *x, const char *text, enum expr_type_text how, char *buf, size_t n,
                 struct err *err);
/* Calls fn with each virtual table of the computed value (an object, or a pointer to one): class,
 * addresses of the table and of its subobject, number of entries. False with *err. */
typedef void expr_vtable_fn(void *ctx, const char *class, uint64_t table, uint64_t object,
                            unsigned entries);
bool expr_each_vtable(struct exprs *x, expr_vtable_fn *fn, void *ctx, struct err *err);
/* Place of a C value in memory; false with *err if it has no address. */
struct expr_place {
	uint64_t addr, size; /* bytes */
	bool is_float, is_unsigned; /* an unsigned integer */
	/* valid only during the call: depends on local variables of the call */
	bool of_call;
};
bool expr_c_place(struct expr *e, struct expr_place *out, struct err *err);
/* True while the call that the expression depends on has not returned. */
bool expr_c_lasts(struct expr *e, const struct machine *m);
enum { EXPR_OUTER_MAX = 64 };
/* Frame and code of the call that the expression depends on. False: the call has ended. */
struct expr_call {
	/* the frame: sp before the call's first instruction and after its last */
	uint64_t cfa;
	uint64_t first; /* its function's first instruction */
	uint64_t back;  /* its return address, 0: unknown */
	uint64_t outer[EXPR_OUTER_MAX]; /* [outers]: the frames around it, innermost first */
	size_t outers;
	uint32_t tid;   /* its thread */
};
bool expr_c_call(struct expr *e, const struct machine *m, struct expr_call *out);

/* A variable of the selected call. */
struct expr_variable {
	const char *name, *text; /* text: its value as C */
	const char *inlined;     /* function inlined there, NULL: the call's own */
	bool hidden;             /* hidden by a variable of an inner block */
	bool outer;              /* of a function into which the frame's own was inlined */
	/* seq of the youngest instruction in flight that writes to it; 0: none */
	uint64_t writer;
	const char *coming; /* its value then, NULL: not known yet */
};
/* false: no more. */
typedef bool expr_variable_fn(void *ctx, const struct expr_variable *v);
/* Calls fn with the call's parameters, or with all others, innermost block first, those of outer
 * functions last. False if there is no debug information about the call's function. */
bool expr_each_variable(struct exprs *x, bool parameters, expr_variable_fn *fn, void *ctx);

/* Calls fn with the declarations in the blocks around an address, innermost first, until fn returns
 * false. False: no debug information about the address. */
typedef bool expr_declared_fn(void *ctx, const char *name, bool parameter, const char *type,
                              uint64_t size);
bool expr_each_declared(struct exprs *x, uint64_t addr, expr_declared_fn *fn, void *ctx);
/* Arguments of a call, 0 the innermost, " (v=1, text=0x52550 \"one\")": structs, unions and arrays
 * are `...`; "" if its function is unknown. Returns buf. again: the machine has not moved since the
 * previous call, which was for another level. */
char *expr_arguments(struct exprs *x, unsigned level, bool again, char *buf, size_t n);

/* Names of the functions and values of expressions, NULL if i is too large; for completion and
 * help. */
const char *expr_name(unsigned i, const char **help);

#endif
