/* Text that is assembled on a condition: .if and its kin, .else, .elseif, .endif. */
#include <string.h>

#include "loader/asm/asm_priv.h"

bool condition_holds(const struct assembler *a)
{
	return !a->condition_depth || a->conditions[a->condition_depth - 1].now;
}

/* Whether the symbol is defined, or a register's name. */
static bool condition_defined(struct assembler *a, struct span name)
{
	for (uint32_t i = 1; i < a->symbol_count; i++)
		if (span_is(name, a->symbols[i].name))
			return a->symbols[i].state != SYMBOL_UNDEFINED;
	return register_of(name) >= 0;
}

static bool condition_compare(int64_t v, const char *kind)
{
	return !strcmp(kind, "eq")   ? v == 0
	       : !strcmp(kind, "gt") ? v > 0
	       : !strcmp(kind, "ge") ? v >= 0
	       : !strcmp(kind, "lt") ? v < 0
	       : !strcmp(kind, "le") ? v <= 0
	                             : v != 0;
}

/* Evaluates the condition of .ifKIND. */
static bool condition_evaluate(struct assembler *a, const char *kind, struct span rest, bool *out)
{
	struct span o[ASM_OPERANDS_MAX];
	unsigned count;
	int64_t v;
	if (!strcmp(kind, "b") || !strcmp(kind, "nb")) {
		*out = (rest.n == 0) == (*kind == 'b');
		return true;
	}
	if (!strcmp(kind, "def") || !strcmp(kind, "ndef") || !strcmp(kind, "notdef")) {
		*out = condition_defined(a, rest) == (*kind == 'd');
		return rest.n || asm_fault(a, a->statement.at, "expected .ifdef SYMBOL");
	}
	if (!strcmp(kind, "c") || !strcmp(kind, "nc") || !strcmp(kind, "eqs") ||
	    !strcmp(kind, "nes")) {
		if (!scan_operands(a, rest, o, &count))
			return false;
		if (count != 2)
			return asm_fault(a, a->statement.at, "expected two texts");
		*out = (o[0].n == o[1].n && !memcmp(o[0].at, o[1].at, o[0].n)) == (*kind != 'n');
		return true;
	}
	if (!expr_constant(a, rest, &v))
		return false;
	*out = condition_compare(v, kind);
	return true;
}

static bool condition_else(struct assembler *a, struct span rest, bool with)
{
	if (!a->condition_depth)
		return asm_fault(a, a->statement.at, ".else without .if");
	const unsigned at = a->condition_depth - 1;
	bool now = a->conditions[at].outside && !a->conditions[at].before;
	if (now && with && !condition_evaluate(a, "ne", rest, &now))
		return false;
	a->conditions[at].now = now;
	a->conditions[at].before |= now;
	return true;
}

static bool condition_begin(struct assembler *a, const char *kind, struct span rest)
{
	bool now = false;
	if (a->condition_depth == ASM_NESTING_MAX) {
		a->stop = true;
		return asm_fault(a, a->statement.at, ".if nested too deep; at most %d",
		                 ASM_NESTING_MAX);
	}
	const bool outside = condition_holds(a) && !a->macro_left;
	const bool ok = !outside || condition_evaluate(a, kind, rest, &now);
	const unsigned at = a->condition_depth++;
	a->conditions[at].outside = outside;
	a->conditions[at].now = a->conditions[at].before = now;
	a->conditions[at].line = a->line;
	return ok;
}

bool condition_directive(struct assembler *a, struct span name, struct span rest, bool *done)
{
	static const char *const kinds[] = {"",    "ne",  "eq",   "gt",    "ge", "lt",
	                                    "le",  "b",   "nb",   "c",     "nc", "eqs",
	                                    "nes", "def", "ndef", "notdef"};
	*done = true;
	if (span_is(name, ".else") || span_is(name, ".elseif") || span_is(name, ".elsec"))
		return condition_else(a, rest, span_is(name, ".elseif"));
	if (span_is(name, ".endif") || span_is(name, ".endc")) {
		if (!a->condition_depth)
			return asm_fault(a, a->statement.at, ".endif without .if");
		a->condition_depth--;
		return true;
	}
	if (name.n >= 3 && !memcmp(name.at, ".if", 3))
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (span_is((struct span){name.at + 3, name.n - 3}, kinds[i]))
				return condition_begin(a, kinds[i], rest);
	*done = false;
	return true;
}
