/* Shared by the files that evaluate C expressions: eval.c, arith.c, assign.c,
 * invoke.c and overloads.c. */
#ifndef CYCLOPS_SCRIPTING_C_EVAL_H
#define CYCLOPS_SCRIPTING_C_EVAL_H

#include "scripting/c/node.h"

struct eval {
	struct c_expr *e;
	struct c_calls *calls;
	struct place_frame frame;
	bool no_calls; /* functions of the program give only their type, as in sizeof */
	struct err why;
};

/* False with x->why. */
bool eval_at(struct eval *x, uint16_t i, struct c_value *out);
/* The same, and follows a reference. */
bool eval_operand(struct eval *x, uint16_t i, struct c_value *out);
/* Finds the frame of the call that names belong to. */
bool eval_find_call(struct eval *x, size_t *at, struct err *err);

/* ---- arith.c: operators of one and two operands; false with *err ---- */
bool eval_one(struct eval *x, enum c_op op, const struct c_value *v, struct c_value *out,
              struct err *err);
bool eval_two(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
              struct c_value *out, struct err *err);
bool eval_is_true(struct eval *x, const struct c_value *v, bool *b, struct err *err);
struct c_value eval_truth(bool b);

/* ---- assign.c: x = 5, x += 5, x++ ---- */
bool eval_assign(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err);

/* ---- invoke.c: f(3). as: the type that the result is cast to, NULL: none; its own if the
 * function's is not known ---- */
bool eval_invoke(struct eval *x, const struct c_node *n, const struct ctype *as,
                 struct c_value *out, struct err *err);

/* ---- overloads.c: functions of C++ with one name ---- */
/* Whether further functions have the name of the one at addr. */
bool eval_has_overloads(const struct eval *x, uint64_t addr);
/* Replaces the function at *addr by the one of its name that the n arguments fit best; the leading
 * `first` are the object. False with *err: several fit equally, or none. */
bool eval_overload(const struct eval *x, const struct c_value *arg, unsigned n, unsigned first,
                   uint64_t *addr, struct ctype *type, struct err *err);

#endif
