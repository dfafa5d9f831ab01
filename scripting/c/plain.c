/* Finds expressions that mean the same with and without C's types. */
#include "scripting/c/node.h"

/* A number that both languages read alike. */
static bool c_plain_is_number(const struct c_node *n)
{
	return n->op == C_NUMBER && n->value.where == C_BYTES && !*n->value.text &&
	       n->value.type.kind == CTYPE_INT && n->value.type.is_signed;
}

static bool c_plain_is_text(const struct c_node *n)
{
	return n->op == C_NUMBER && n->value.where == C_TEXT;
}

static bool c_plain_is_function(const struct c_node *n)
{
	return n->op == C_VARIABLE && n->name.kind == SCOPE_FUNCTION;
}

/* *wide: the value has 64 bits. */
static bool is_value(const struct c_expr *e, uint16_t i, bool *wide)
{
	const struct c_node *n = &e->nodes[i];
	bool a, b;
	*wide = n->op == C_WORD || c_plain_is_function(n) ||
	        (c_plain_is_number(n) && n->value.type.size == 8);
	switch (n->op) {
	case C_NEGATE:
		return is_value(e, n->arg[0], wide);
	case C_ADD:
	case C_SUB:
	case C_MUL:
		if (!is_value(e, n->arg[0], &a) || !is_value(e, n->arg[1], &b))
			return false;
		*wide = true;
		return a || b;
	default:
		return *wide || c_plain_is_number(n);
	}
}

static bool is_compared(const struct c_expr *e, const struct c_node *n)
{
	const bool same = n->op == C_EQ || n->op == C_NE;
	bool wide;
	for (unsigned i = 0; i < 2; i++)
		if (!is_value(e, n->arg[i], &wide) &&
		    !(same && c_plain_is_text(&e->nodes[n->arg[i]])))
			return false;
	return true;
}

static bool is_condition(const struct c_expr *e, uint16_t i)
{
	const struct c_node *n = &e->nodes[i];
	switch (n->op) {
	case C_LT:
	case C_GT:
	case C_LE:
	case C_GE:
	case C_EQ:
	case C_NE:
		return is_compared(e, n);
	case C_BOTH:
	case C_EITHER:
		return is_condition(e, n->arg[0]) && is_condition(e, n->arg[1]);
	case C_NOT:
		return is_condition(e, n->arg[0]);
	default:
		return false;
	}
}

bool c_is_plain(const struct c_expr *e)
{
	bool wide;
	return is_condition(e, e->root) || is_value(e, e->root, &wide);
}
