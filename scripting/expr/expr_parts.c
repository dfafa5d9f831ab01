/* Parts of the computed value: members, elements, the target of a pointer. */
#include "scripting/expr/expr_priv.h"

struct expr_shape expr_computed_shape(const struct exprs *x)
{
	const struct c_value *v = &x->last;
	struct expr_shape s = {.kind = EXPR_WHOLE};
	if (v->where == C_TEXT || v->where == C_OUT)
		return s;
	s.in_memory = v->where == C_MEMORY && !v->bit_size;
	s.addr = v->addr;
	s.size = v->type.size;
	if (v->type.kind == CTYPE_STRUCT || v->type.kind == CTYPE_UNION) {
		s.kind = EXPR_MEMBERS;
	} else if (v->type.kind == CTYPE_ARRAY && v->type.count_known) {
		s.kind = EXPR_ELEMENTS;
		s.count = v->type.count;
	} else if (v->type.kind == CTYPE_POINTER) {
		const struct ctype to = ctype_target(&v->type);
		struct err err;
		s.in_memory = c_bits(&x->calls, v, &s.addr, &err);
		s.size = to.size;
		if (s.addr && to.kind != CTYPE_VOID && to.kind != CTYPE_FUNCTION &&
		    to.kind != CTYPE_UNKNOWN)
			s.kind = EXPR_POINTS;
	}
	return s;
}

static bool expr_parts_each_member(const struct ctype *t, struct dwarf_walk *walk, unsigned depth,
                                   expr_member_fn *fn, void *ctx)
{
	enum { DEPTH_MAX = 8 };
	struct cmembers all = ctype_members(t, walk);
	struct cmember m;
	while (cmember_next(&all, &m)) {
		const bool whole = m.type.kind == CTYPE_STRUCT || m.type.kind == CTYPE_UNION;
		if (m.name ? !fn(ctx, m.name)
		           : whole && depth < DEPTH_MAX &&
		                     !expr_parts_each_member(&m.type, walk, depth + 1, fn, ctx))
			return false;
	}
	return true;
}

void expr_each_member(const struct exprs *x, expr_member_fn *fn, void *ctx)
{
	const struct ctype t = x->last.type; /* fn may compute others */
	struct dwarf_walk walk = walk_of_type();
	expr_parts_each_member(&t, &walk, 0, fn, ctx);
}
