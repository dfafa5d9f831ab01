/* Conditions of breakpoints, which gdb sends as agent expressions (its manual, appendix F): code of
 * a machine with a stack of numbers. Code that fails counts as true: gdb evaluates the condition
 * again at each stop, and shows the error. */
#include "ui/gdb/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/gdb/answer.h"

enum { STACK_MAX = 64, STEPS_MAX = 10000 };

enum agent_op {
	AGENT_ADD = 0x02,
	AGENT_SUB,
	AGENT_MUL,
	AGENT_DIV_SIGNED,
	AGENT_DIV_UNSIGNED,
	AGENT_REM_SIGNED,
	AGENT_REM_UNSIGNED,
	AGENT_LSH,
	AGENT_RSH_SIGNED,
	AGENT_RSH_UNSIGNED,
	AGENT_LOG_NOT = 0x0e,
	AGENT_AND,
	AGENT_OR,
	AGENT_XOR,
	AGENT_NOT,
	AGENT_EQUAL,
	AGENT_LESS_SIGNED,
	AGENT_LESS_UNSIGNED,
	AGENT_EXT,
	AGENT_REF8,
	AGENT_REF16,
	AGENT_REF32,
	AGENT_REF64,
	AGENT_IF_GOTO = 0x20,
	AGENT_GOTO,
	AGENT_CONST8,
	AGENT_CONST16,
	AGENT_CONST32,
	AGENT_CONST64,
	AGENT_REG,
	AGENT_END,
	AGENT_DUP,
	AGENT_POP,
	AGENT_ZERO_EXT,
	AGENT_SWAP,
	AGENT_PICK = 0x32,
	AGENT_ROT
};

/* ---- the table ---- */
struct condition {
	unsigned type; /* of its breakpoint, with addr */
	uint64_t addr;
	uint8_t *code; /* owned; [n] */
	size_t n;
};

static bool conditions_are_of(const struct condition *c, const struct point *p)
{
	return !p || (c->type == p->type && c->addr == p->addr);
}

void conditions_drop(struct conditions *all, const struct point *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->n; i++)
		if (conditions_are_of(&all->all[i], p))
			free(all->all[i].code);
		else
			all->all[kept++] = all->all[i];
	all->n = kept;
}

void conditions_deinit(struct conditions *all)
{
	conditions_drop(all, NULL);
	free(all->all);
	*all = (struct conditions){0};
}

/* Adds the condition "X3,220127" at *text, and moves *text past it. */
static bool conditions_add(struct conditions *all, const struct point *p, const char **text)
{
	struct condition c = {.type = p->type, .addr = p->addr};
	uint64_t n;
	if (!take_text(text, "X") || !take_number(text, &n) || !take_text(text, ",") || !n ||
	    n > strlen(*text) / 2)
		return false;
	char *hex = alloc_text_n(*text, (size_t)(2 * n));
	struct condition *grown = alloc_grow(all->all, all->n, &all->room, sizeof *grown, 8);
	if (grown)
		all->all = grown;
	c.code = alloc_bytes((size_t)n);
	c.n = (size_t)n;
	const bool ok = hex && grown && c.code && from_hex(hex, c.code, c.n) == (long)c.n;
	free(hex);
	if (ok)
		all->all[all->n++] = c;
	else
		free(c.code);
	*text += 2 * n;
	return ok;
}

bool conditions_set(struct conditions *all, struct point *p, const char *list)
{
	conditions_drop(all, p);
	p->conditional = false;
	while (*list) {
		take_text(&list, ";");
		if (!conditions_add(all, p, &list)) {
			conditions_drop(all, p);
			return false;
		}
		p->conditional = true;
	}
	return true;
}

/* ---- the machine ---- */
struct agent {
	const struct conditions_place *place;
	const uint8_t *code;
	size_t n, at;
	uint64_t stack[STACK_MAX]; /* [depth] */
	unsigned depth;
	bool failed;
};

static void agent_push(struct agent *x, uint64_t value)
{
	if (x->depth == STACK_MAX)
		x->failed = true;
	else
		x->stack[x->depth++] = value;
}

static uint64_t agent_pop(struct agent *x)
{
	x->failed |= !x->depth;
	return x->depth ? x->stack[--x->depth] : 0;
}

/* An operand in the code, whose first byte is the highest. */
static uint64_t agent_operand(struct agent *x, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes && !x->failed; i++) {
		x->failed = x->at == x->n;
		value = value << 8 | (x->failed ? 0 : x->code[x->at++]);
	}
	return value;
}

static uint64_t agent_extend(uint64_t value, uint64_t bits, bool is_signed)
{
	if (!bits || bits >= 64)
		return value;
	value &= (UINT64_C(1) << bits) - 1;
	return is_signed && value >> (bits - 1) ? value | ~((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t agent_divide(struct agent *x, enum agent_op op, uint64_t a, uint64_t b)
{
	x->failed |= !b;
	if (!b)
		return 0;
	switch (op) {
	case AGENT_DIV_UNSIGNED:
		return a / b;
	case AGENT_REM_UNSIGNED:
		return a % b;
	case AGENT_DIV_SIGNED: /* the least number has no counterpart */
		return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	default:
		return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	}
}

static uint64_t agent_shift(enum agent_op op, uint64_t a, uint64_t b)
{
	const bool minus = op == AGENT_RSH_SIGNED && (int64_t)a < 0;
	if (b >= 64)
		return minus ? UINT64_MAX : 0;
	return op == AGENT_LSH ? a << b : minus ? ~(~a >> b) : a >> b;
}

/* False: the operation does not take two numbers. */
static bool agent_takes_two(enum agent_op op)
{
	return (op >= AGENT_ADD && op <= AGENT_RSH_UNSIGNED) ||
	       (op >= AGENT_AND && op <= AGENT_XOR) ||
	       (op >= AGENT_EQUAL && op <= AGENT_LESS_UNSIGNED);
}

static uint64_t agent_two(struct agent *x, enum agent_op op)
{
	const uint64_t b = agent_pop(x), a = agent_pop(x);
	switch (op) {
	case AGENT_ADD:
		return a + b;
	case AGENT_SUB:
		return a - b;
	case AGENT_MUL:
		return a * b;
	case AGENT_AND:
		return a & b;
	case AGENT_OR:
		return a | b;
	case AGENT_XOR:
		return a ^ b;
	case AGENT_EQUAL:
		return a == b;
	case AGENT_LESS_SIGNED:
		return (int64_t)a < (int64_t)b;
	case AGENT_LESS_UNSIGNED:
		return a < b;
	case AGENT_LSH:
	case AGENT_RSH_SIGNED:
	case AGENT_RSH_UNSIGNED:
		return agent_shift(op, a, b);
	default:
		return agent_divide(x, op, a, b);
	}
}

static uint64_t agent_read(struct agent *x, unsigned bytes)
{
	const uint64_t addr = agent_pop(x);
	uint64_t value = 0;
	x->failed |= spot_read(x->place->at, addr, &value, bytes) != bytes;
	return value;
}

static uint64_t agent_register(struct agent *x, uint64_t number)
{
	uint64_t value = 0;
	x->failed |= !x->place->reg(x->place->ctx, (unsigned)number, &value);
	return value;
}

/* Moves entries of the stack. */
static void agent_arrange(struct agent *x, enum agent_op op, unsigned pick)
{
	const unsigned needs = op == AGENT_ROT ? 3 : op == AGENT_SWAP ? 2 : pick + 1;
	if (x->depth < needs) {
		x->failed = true;
		return;
	}
	uint64_t *const top = &x->stack[x->depth - needs];
	const uint64_t last = top[needs - 1];
	if (op != AGENT_ROT && op != AGENT_SWAP) {
		agent_push(x, top[0]);
		return;
	}
	memmove(top + 1, top, (needs - 1) * sizeof *top);
	top[0] = last;
}

static void agent_jump(struct agent *x, bool jumps)
{
	const uint64_t to = agent_operand(x, 2);
	if (jumps)
		x->at = (size_t)to;
}

static void agent_step(struct agent *x, enum agent_op op)
{
	if (agent_takes_two(op)) {
		agent_push(x, agent_two(x, op));
		return;
	}
	switch (op) {
	case AGENT_LOG_NOT:
		agent_push(x, !agent_pop(x));
		break;
	case AGENT_NOT:
		agent_push(x, ~agent_pop(x));
		break;
	case AGENT_EXT:
	case AGENT_ZERO_EXT: {
		const uint64_t bits = agent_operand(x, 1);
		agent_push(x, agent_extend(agent_pop(x), bits, op == AGENT_EXT));
		break;
	}
	case AGENT_REF8:
	case AGENT_REF16:
	case AGENT_REF32:
	case AGENT_REF64:
		agent_push(x, agent_read(x, 1U << (op - AGENT_REF8)));
		break;
	case AGENT_CONST8:
	case AGENT_CONST16:
	case AGENT_CONST32:
	case AGENT_CONST64:
		agent_push(x, agent_operand(x, 1U << (op - AGENT_CONST8)));
		break;
	case AGENT_REG:
		agent_push(x, agent_register(x, agent_operand(x, 2)));
		break;
	case AGENT_GOTO:
		agent_jump(x, true);
		break;
	case AGENT_IF_GOTO:
		agent_jump(x, agent_pop(x) != 0);
		break;
	case AGENT_POP:
		agent_pop(x);
		break;
	case AGENT_DUP:
	case AGENT_SWAP:
	case AGENT_ROT:
		agent_arrange(x, op, 0);
		break;
	case AGENT_PICK:
		agent_arrange(x, op, (unsigned)agent_operand(x, 1));
		break;
	default:
		x->failed = true;
	}
}

static bool conditions_holds_one(const struct condition *c, const struct conditions_place *place)
{
	struct agent x = {.place = place, .code = c->code, .n = c->n};
	for (unsigned i = 0; i < STEPS_MAX && x.at < x.n && !x.failed; i++) {
		const enum agent_op op = (enum agent_op)x.code[x.at++];
		if (op == AGENT_END)
			return !x.depth || agent_pop(&x);
		agent_step(&x, op);
	}
	return true;
}

bool conditions_hold(const struct conditions *all, const struct point *p,
                     const struct conditions_place *place)
{
	bool any = false;
	for (size_t i = 0; i < all->n; i++) {
		if (!conditions_are_of(&all->all[i], p))
			continue;
		if (conditions_holds_one(&all->all[i], place))
			return true;
		any = true;
	}
	return !any;
}
