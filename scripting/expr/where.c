/* Evaluation of conditions. */
#include "core/defs/event_fields.h"
#include "scripting/expr/where.h"

#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/defs/stats.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "scripting/expr/expr.h"
#include "scripting/expr/where_priv.h"

enum kind { IS_NIL, IS_BOOL, IS_INT, IS_FLOAT, IS_TEXT };

struct value {
	enum kind kind;
	int64_t i; /* BOOL, INT */
	double d;  /* FLOAT */
	const char *text;
};

/* Context of an evaluation. */
struct about {
	const struct where *w;
	const struct machine *m; /* NULL: only words of the event are used */
	const struct event *ev;
};

static struct value where_bool_value(bool b)
{
	return (struct value){.kind = IS_BOOL, .i = b};
}

static struct value where_int_value(uint64_t i)
{
	return (struct value){.kind = IS_INT, .i = (int64_t)i};
}

static struct value where_float_value(double d)
{
	return (struct value){.kind = IS_FLOAT, .d = d};
}

static struct value text_value(const char *text)
{
	return (struct value){.kind = IS_TEXT, .text = text};
}

static struct value where_field_value(enum field_type type, uint64_t word)
{
	struct field_value v = field_value(type, word);
	return v.kind == FIELD_IS_TEXT   ? text_value(v.text)
	       : v.kind == FIELD_IS_BOOL ? where_bool_value(v.word)
	                                 : where_int_value(v.word);
}

static bool where_is_truthy(struct value v)
{
	return v.kind != IS_NIL && (v.kind != IS_BOOL || v.i);
}

/* ---- words ---- */
/* Valid even if the slot has been reused. */
static struct value op_of(const struct event *ev)
{
	return ev->slot != EVENT_NO_SLOT ? text_value(op_info[ev->op].mnemonic) : (struct value){0};
}

static struct value uop_word(const struct about *a, const struct where_node *n)
{
	const struct pipe *p = machine_pipe(a->m);
	uint64_t word;
	if (a->ev->slot == EVENT_NO_SLOT)
		return (struct value){0};
	const struct uop *u = pipe_uop(p, (uint16_t)a->ev->slot);
	if (u->seq != a->ev->seq || !uop_field(p, u, (enum uop_field)n->a, &word))
		return (struct value){0};
	return where_field_value((enum field_type)n->type, word);
}

static uint32_t where_queue_count(const struct pipe *p, unsigned queue)
{
	return queue == QUEUE_ROB   ? p->st->rob_count
	       : queue == QUEUE_LSQ ? p->st->lsq_count
	                            : p->st->fetchq_count;
}

/* Field of a queue's entry; nil if the entry is empty. */
static struct value entry_word(const struct about *a, const struct where_node *n)
{
	const struct pipe *p = machine_pipe(a->m);
	uint64_t word;
	if (n->i < 1 || n->i > where_queue_count(p, n->b))
		return (struct value){0};
	const uint32_t i = (uint32_t)n->i - 1;
	const struct uop *u = n->b == QUEUE_ROB   ? pipe_rob_at(p, i)
	                      : n->b == QUEUE_LSQ ? pipe_lsq_at(p, i)
	                                          : pipe_fetchq_at(p, i);
	return uop_field(p, u, (enum uop_field)n->a, &word)
	               ? where_field_value((enum field_type)n->type, word)
	               : (struct value){0};
}

static struct value where_counter_value(const struct about *a, const struct where_node *n)
{
	return where_int_value(*(const uint64_t *)(const void *)((const char *)machine_stats(a->m) +
	                                                         stat_rows[n->a].offset));
}

static struct value word_of(const struct about *a, const struct where_node *n)
{
	const struct event *ev = a->ev;
	switch (n->op) {
	case W_FIELD:
		return where_field_value((enum field_type)n->type, ev->word[n->a]);
	case W_SEQ:
		return ev->seq ? where_int_value(ev->seq) : (struct value){0};
	case W_PC:
		return ev->seq || ev->pc ? where_int_value(ev->pc) : (struct value){0};
	case W_OP:
		return op_of(ev);
	case W_UOP:
		return uop_word(a, n);
	case W_REG:
		return where_int_value(machine_seen_reg(a->m, n->a));
	case W_CYCLE:
		return where_int_value(machine_cycle(a->m));
	case W_INSTS:
		return where_int_value(machine_insts(a->m));
	case W_PLACE:
		return where_int_value(machine_seen_pc(a->m));
	case W_COUNT:
		return where_int_value(where_queue_count(machine_pipe(a->m), n->a));
	case W_ENTRY:
		return entry_word(a, n);
	case W_COUNTER:
		return where_counter_value(a, n);
	case W_RATIO:
		return where_float_value(stat_value(machine_stats(a->m), &stat_rows[n->a]));
	case W_BOOL:
		return where_bool_value(n->i);
	case W_INT:
		return where_int_value((uint64_t)n->i);
	case W_TEXT:
		return text_value(n->text);
	default:
		return (struct value){0};
	}
}

/* ---- operators ---- */
static int64_t shifted_left(int64_t a, int64_t n)
{
	if (n <= -64 || n >= 64)
		return 0;
	return (int64_t)(n < 0 ? (uint64_t)a >> -n : (uint64_t)a << n);
}

/* Rounds downwards. */
static int64_t where_floor_divide(int64_t a, int64_t b)
{
	int64_t q;
	if (b == -1)
		return (int64_t)(0 - (uint64_t)a);
	q = a / b;
	return (a ^ b) < 0 && q * b != a ? q - 1 : q;
}

static int64_t where_remainder(int64_t a, int64_t b)
{
	int64_t r = b == -1 ? 0 : a % b;
	return r && (r ^ b) < 0 ? r + b : r;
}

bool where_arithmetic(enum where_op op, int64_t a, int64_t b, int64_t *out)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	if ((op == W_IDIV || op == W_MOD) && !b)
		return false;
	*out = op == W_ADD    ? (int64_t)(x + y)
	       : op == W_SUB  ? (int64_t)(x - y)
	       : op == W_MUL  ? (int64_t)(x * y)
	       : op == W_BAND ? a & b
	       : op == W_BOR  ? a | b
	       : op == W_XOR  ? a ^ b
	       : op == W_SHL  ? shifted_left(a, b)
	       : op == W_SHR  ? shifted_left(a, (int64_t)(0 - y))
	       : op == W_IDIV ? where_floor_divide(a, b)
	                      : where_remainder(a, b);
	return true;
}

static bool where_order_holds(unsigned how, int64_t c)
{
	return how == W_LT ? c < 0 : how == W_GT ? c > 0 : how == W_LE ? c <= 0 : c >= 0;
}

static bool where_compare_ints(unsigned how, int64_t a, int64_t b)
{
	return how == W_EQ   ? a == b
	       : how == W_NE ? a != b
	                     : where_order_holds(how, (a > b) - (a < b));
}

/* Equality in C compares true and false as 1 and 0; in Lua, the language of conditions on events,
 * no number equals a boolean. */
static bool where_values_equal(struct value a, struct value b, bool as_c)
{
	if (as_c && (a.kind == IS_BOOL || a.kind == IS_INT) &&
	    (b.kind == IS_BOOL || b.kind == IS_INT))
		return a.i == b.i;
	return a.kind == b.kind &&
	       (a.kind == IS_TEXT ? !strcmp(a.text, b.text) : a.kind == IS_NIL || a.i == b.i);
}

/* Converts to a float without rounding; false for integers that need Lua's comparison. */
static bool as_float(struct value v, double *out)
{
	*out = v.kind == IS_INT ? (double)v.i : v.d;
	return v.kind == IS_FLOAT ||
	       (v.kind == IS_INT && v.i <= INT64_C(1) << 53 && v.i >= -(INT64_C(1) << 53));
}

/* Compares if one operand is a float. */
static bool apply_floats(enum where_op op, struct value a, struct value b, struct value *out)
{
	double x, y;
	if (op < W_LT || op > W_EQ || !as_float(a, &x) || !as_float(b, &y))
		return false;
	*out = where_bool_value(op == W_LT   ? x < y
	                        : op == W_GT ? x > y
	                        : op == W_LE ? x <= y
	                        : op == W_GE ? x >= y
	                                     : (x < y || x > y) == (op == W_NE));
	return true;
}

/* False: leave it to Lua, which reports an error or converts (a text that reads as a number). */
static bool where_apply_binary(enum where_op op, struct value a, struct value b, bool as_c,
                               struct value *out)
{
	int64_t i;
	if (a.kind == IS_FLOAT || b.kind == IS_FLOAT)
		return apply_floats(op, a, b, out);
	if (op == W_EQ || op == W_NE) {
		*out = where_bool_value(where_values_equal(a, b, as_c) == (op == W_EQ));
		return true;
	}
	if (op <= W_GE && a.kind == IS_TEXT && b.kind == IS_TEXT) {
		*out = where_bool_value(
			where_order_holds(op, strcoll(a.text, b.text))); /* as Lua does */
		return true;
	}
	if (a.kind != IS_INT || b.kind != IS_INT)
		return false;
	if (op <= W_GE) {
		*out = where_bool_value(where_compare_ints(op, a.i, b.i));
		return true;
	}
	if (!where_arithmetic(op, a.i, b.i, &i))
		return false;
	*out = where_int_value((uint64_t)i);
	return true;
}

static bool apply_unary(enum where_op op, struct value a, struct value *out)
{
	if (op == W_NOT)
		*out = where_bool_value(!where_is_truthy(a));
	else if (a.kind == IS_INT)
		*out = where_int_value(op == W_NEG ? 0 - (uint64_t)a.i : ~(uint64_t)a.i);
	return op == W_NOT || a.kind == IS_INT;
}

/* Compares a word with a constant. */
static inline bool where_test_fused(const struct where_node *n, const struct event *ev)
{
	if (n->op == W_FIELD_EQ)
		return ev->word[n->a] == (uint64_t)n->i;
	if (n->op < W_FIELD_EQ)
		return where_compare_ints(n->op - W_FIELD_LT + W_LT, (int64_t)ev->word[n->a], n->i);
	if (n->op == W_OP_IS)
		return (ev->op == n->i || ev->op == n->a) && ev->slot != EVENT_NO_SLOT;
	return where_compare_ints(n->op - W_PC_LT + W_LT, (int64_t)ev->pc, n->i);
}

/* Whether the word exists: an event without an instruction may have no pc, and nil is left to
 * Lua. */
static inline bool is_clear(const struct where_node *n, const struct event *ev)
{
	return n->op <= W_FIELD_EQ || n->op == W_OP_IS || ev->seq;
}

static bool where_eval_node(const struct about *a, unsigned at, struct value *out)
{
	const struct where_node *n = &a->w->node[at];
	struct value x, y;
	if (n->op >= W_FIELD_LT) {
		*out = where_bool_value(where_test_fused(n, a->ev));
		return is_clear(n, a->ev);
	}
	if (n->op < W_OR) {
		*out = word_of(a, n);
		return true;
	}
	if (!where_eval_node(a, n->a, &x))
		return false;
	if (n->op >= W_NOT)
		return apply_unary(n->op, x, out);
	if (n->op <= W_AND) {
		*out = x;
		return where_is_truthy(x) == (n->op == W_OR) || where_eval_node(a, n->b, out);
	}
	return where_eval_node(a, n->b, &y) &&
	       where_apply_binary(n->op, x, y, a->w->id == EV_COUNT, out);
}

/* Tests from part `i` on, which is not a comparison of a word with a constant. */
static __attribute__((noinline)) enum where_answer test_from(const struct about *a, unsigned i)
{
	const struct where *w = a->w;
	struct value v = {0};
	for (; i < w->parts; i++) {
		if (!where_eval_node(a, w->part[i], &v))
			return WHERE_ASK_LUA;
		if (!where_is_truthy(v))
			return WHERE_NO;
	}
	/* a condition that is 0 does not hold */
	return v.kind == IS_INT && !v.i ? WHERE_NO : WHERE_YES;
}

/* Fast path: most conditions fail at their first part, a comparison of a word with a constant. */
static inline enum where_answer where_test_event(const struct where *w, const struct machine *m,
                                                 const struct event *ev)
{
	if (ev->id != w->id)
		return WHERE_ASK_LUA;
	for (unsigned i = 0; i < w->parts; i++) {
		const struct where_node *n = &w->node[w->part[i]];
		if (n->op < W_FIELD_LT)
			return test_from(&(struct about){w, m, ev}, i);
		if (!is_clear(n, ev))
			return WHERE_ASK_LUA;
		if (!where_test_fused(n, ev))
			return WHERE_NO;
	}
	return WHERE_YES;
}

enum where_answer where_test(const struct where *w, const struct machine *m, const struct event *ev)
{
	return where_test_event(w, m, ev);
}

/* ---- without an event ---- */
static bool value_now(const struct where *w, const struct machine *m, struct value *out)
{
	return where_eval_node(&(struct about){w, m, NULL}, w->top, out);
}

bool where_value(const struct where *w, const struct machine *m, struct expr_value *out)
{
	struct value v;
	if (!value_now(w, m, &v))
		return false;
	out->type = v.kind == IS_NIL     ? EXPR_NIL
	            : v.kind == IS_BOOL  ? EXPR_BOOL
	            : v.kind == IS_INT   ? EXPR_INT
	            : v.kind == IS_FLOAT ? EXPR_FLOAT
	                                 : EXPR_STRING;
	out->i = v.kind == IS_BOOL || v.kind == IS_INT ? v.i : 0;
	out->d = v.kind == IS_INT ? (double)v.i : v.kind == IS_FLOAT ? v.d : 0;
	snprintf(out->text, sizeof out->text, "%s", v.kind == IS_TEXT ? v.text : "");
	return true;
}

bool where_bits(const struct where *w, const struct machine *m, uint64_t *out)
{
	struct value v;
	if (!value_now(w, m, &v))
		return false;
	if (v.kind == IS_FLOAT)
		memcpy(out, &v.d, sizeof *out);
	else
		*out = v.kind == IS_TEXT  ? hash_text(v.text)
		       : v.kind == IS_NIL ? expr_bits(&(struct expr_value){.type = EXPR_NIL})
		                          : (uint64_t)v.i;
	return true;
}

static bool where_stop_source(const struct where_node *n, struct stop_source *out)
{
	static const enum stop_source_kind queues[] = {
		[QUEUE_ROB] = SOURCE_ROB, [QUEUE_LSQ] = SOURCE_LSQ, [QUEUE_FETCHQ] = SOURCE_FETCHQ};
	if (n->op == W_REG)
		*out = (struct stop_source){SOURCE_REG, n->a};
	else if (n->op == W_PLACE)
		*out = (struct stop_source){.kind = SOURCE_PC};
	else if (n->op == W_COUNT)
		*out = (struct stop_source){.kind = queues[n->a]};
	else if (n->op == W_COUNTER && stat_device(&stat_rows[n->a]) == DEVICE_COUNT)
		*out = (struct stop_source){SOURCE_COUNTER, (unsigned)stat_rows[n->a].offset};
	else
		return false;
	return true;
}

unsigned where_sources(const struct where *w, struct stop_source *out, unsigned room)
{
	unsigned count = 0;
	for (unsigned i = 0; i < w->count; i++) {
		const struct where_node *n = &w->node[i];
		struct stop_source s;
		if (n->op <= W_TEXT || n->op >= W_OR)
			continue;
		if (count == room || !where_stop_source(n, &s))
			return 0;
		out[count++] = s;
	}
	return count;
}

enum where_answer where_holds(const struct where *w, const struct machine *m)
{
	struct value v;
	if (!value_now(w, m, &v))
		return WHERE_ASK_LUA;
	const bool zero =
		(v.kind == IS_INT && !v.i) || (v.kind == IS_FLOAT && !(v.d < 0 || v.d > 0));
	return where_is_truthy(v) && !zero ? WHERE_YES : WHERE_NO;
}

/* ---- as a filter ---- */
static bool where_may_hold(const void *w, const struct event *ev)
{
	return where_test_event(w, NULL, ev) != WHERE_NO;
}

/* Narrows [*lo, *hi] to the pcs, as signed numbers, for which the comparison holds. */
static void where_narrow_pc_range(const struct where_node *n, int64_t *lo, int64_t *hi)
{
	int64_t from = INT64_MIN, to = INT64_MAX;
	if (n->op == W_PC_EQ)
		from = to = n->i;
	else if (n->op == W_PC_GE)
		from = n->i;
	else if (n->op == W_PC_LE)
		to = n->i;
	else if (n->op == W_PC_GT && n->i < INT64_MAX)
		from = n->i + 1;
	else if (n->op == W_PC_LT && n->i > INT64_MIN)
		to = n->i - 1;
	*lo = from > *lo ? from : *lo;
	*hi = to < *hi ? to : *hi;
}

static void narrow_pc(struct event_filter *f, uint64_t lo, uint64_t hi)
{
	if (f->pc_hi) {
		lo = f->pc_lo > lo ? f->pc_lo : lo;
		hi = f->pc_hi < hi ? f->pc_hi : hi;
	}
	f->pc_lo = lo;
	f->pc_hi = hi ? hi : 1; /* 0 means any */
}

void where_narrow(const struct where *w, struct event_filter *f)
{
	/* These also occur without an instruction, and a nil pc is left to Lua. */
	bool always = w->id != EV_INTERRUPT && w->id != EV_OUTPUT;
	int64_t lo = INT64_MIN, hi = INT64_MAX;
	/* Stop at a part that may raise an error: filtering on a later one would lose the error. */
	for (unsigned i = 0; always && i < w->parts; i++) {
		const struct where_node *n = &w->node[w->part[i]];
		const bool is_op = n->op == W_OP_IS && inst_kind((unsigned)n->i) == inst_kind(n->a);
		const uint32_t kind = is_op ? 1u << inst_kind(n->a) : 0;
		if (n->op < W_FIELD_LT)
			break;
		if (n->op >= W_PC_LT && n->op <= W_PC_EQ)
			where_narrow_pc_range(n, &lo, &hi);
		else if (kind && (!f->kinds || (f->kinds & kind)))
			f->kinds = kind;
	}
	if (lo >= 0)
		narrow_pc(f, (uint64_t)lo, lo <= hi ? (uint64_t)hi + 1 : (uint64_t)lo);
	if (w->own) {
		f->where = where_may_hold;
		f->where_ctx = w;
	}
}
