/* Conditions in C against the same conditions in Lua: random ones, about made-up events and about
 * those of a run. */
#include "core/isa/op.h"
#include "scripting/expr/where.h"

#include "tests/unit/ui/console_fixture.h"

#include <stdlib.h>

#include "core/pipe/pipe.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/expr/expr.h"

enum { CONDITIONS = 4000, EVENTS_EACH = 12, TEXT_MAX = 4096, LIVE = 120 };
static uint64_t seed = 88172645463325252u;

static uint64_t where_random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

/* ---- random conditions, all in the subset ---- */
struct text {
	char s[TEXT_MAX];
	size_t n;
};

static void where_append_text(struct text *t, const char *s)
{
	size_t n = strlen(s);
	assert_true(t->n + n < TEXT_MAX);
	memcpy(t->s + t->n, s, n + 1);
	t->n += n;
}

static const char *where_pick_word(const char *const *words, size_t n)
{
	return words[where_random_below(n)];
}

#define PICK(words) where_pick_word(words, sizeof(words) / sizeof *(words))

/* About no event. */
static void put_word_alone(struct text *t)
{
	static const char *const words[] = {"pc",
	                                    "cycle",
	                                    "insts",
	                                    "a5",
	                                    "$sp",
	                                    "s1",
	                                    "twice",
	                                    "main",
	                                    "counter",
	                                    "rob.count",
	                                    "lsq.count",
	                                    "fetchq.count",
	                                    "sim.ipc",
	                                    "sim.cycles",
	                                    "bpred.dir_rate",
	                                    "l1d.misses",
	                                    "fetchq.occupancy",
	                                    "rob.occupancy_sum",
	                                    "cpi.base"};
	static const char *const queues[] = {"rob[", "lsq[", "fetchq["};
	static const char *const places[] = {"0].", "1].", "2].", "17].", "64].", "65]."};
	unsigned f;
	if (where_random_below(3)) {
		where_append_text(t, PICK(words));
		return;
	}
	while (uop_field_info[f = (unsigned)where_random_below(UOP_FIELD_COUNT)].type ==
	               FIELD_INST ||
	       f == UOP_FIELD_thread)
		;
	where_append_text(t, PICK(queues));
	where_append_text(t, PICK(places));
	where_append_text(t, uop_field_info[f].name);
}

static void where_append_word(struct text *t, enum event_id id)
{
	static const char *const words[] = {"seq", "pc",  "op",    "cycle", "insts",
	                                    "a5",  "$sp", "twice", "main",  "counter"};
	if (id == EV_COUNT) {
		put_word_alone(t);
		return;
	}
	unsigned fields = event_info[id].field_count;
	uint64_t which = where_random_below(4);
	if (which < 2 && fields) {
		where_append_text(t, event_info[id].fields[where_random_below(fields)].name);
	} else if (which == 2) {
		unsigned f;
		/* the running thread is left to Lua */
		while (uop_field_info[f = (unsigned)where_random_below(UOP_FIELD_COUNT)].type ==
		               FIELD_INST ||
		       f == UOP_FIELD_thread)
			;
		where_append_text(t, uop_field_info[f].name);
	} else {
		where_append_text(t, PICK(words));
	}
}

static void where_append_constant(struct text *t)
{
	static const char *const constants[] = {"0",
	                                        "1",
	                                        "2",
	                                        "3",
	                                        "7",
	                                        "50",
	                                        "63",
	                                        "64",
	                                        "65",
	                                        "0x1000",
	                                        "9223372036854775807",
	                                        "0x8000000000000000",
	                                        "0xffffffffffffffff",
	                                        "0x1ffffffffffffffff",
	                                        "'memory'",
	                                        "\"l1\"",
	                                        "'ld'",
	                                        "'addi'",
	                                        "'none'",
	                                        "'mem'",
	                                        "\"it's\"",
	                                        "''",
	                                        "true",
	                                        "false",
	                                        "nil"};
	where_append_text(t, PICK(constants));
}

static void put_expression(struct text *t, enum event_id id, unsigned depth)
{
	static const char *const binary[] = {" or ", " and ", "<",     " > ",  "<=",  ">= ",
	                                     " ~= ", "!=",    "==",    " == ", "|",   " ~ ",
	                                     "&",    "<<",    " >> ",  "+",    " - ", "*",
	                                     "//",   " % ",   " and ", " or ", "=="};
	static const char *const unary[] = {"not ", "- ", "~"};
	uint64_t which = where_random_below(8);
	if (!depth || which == 0) {
		if (where_random_below(3))
			where_append_word(t, id);
		else
			where_append_constant(t);
	} else if (which == 1) {
		where_append_text(t, PICK(unary));
		put_expression(t, id, depth - 1);
	} else if (which == 2) {
		where_append_text(t, "(");
		put_expression(t, id, depth - 1);
		where_append_text(t, ")");
	} else {
		put_expression(t, id, depth - 1);
		where_append_text(t, PICK(binary));
		put_expression(t, id, depth - 1);
	}
}

/* A chain of comparisons, as users write it. */
static void put_chain(struct text *t, enum event_id id)
{
	static const char *const compare[] = {" == ", " ~= ", " < ", " <= ", " > ", " >= "};
	for (uint64_t n = 1 + where_random_below(4); n--;) {
		bool turned = where_random_below(4) == 0;
		if (turned)
			where_append_constant(t);
		else
			where_append_word(t, id);
		where_append_text(t, PICK(compare));
		if (turned)
			where_append_word(t, id);
		else
			where_append_constant(t);
		where_append_text(t, !n ? "" : where_random_below(5) ? " and " : " or ");
	}
}

static void where_make_random_condition(struct text *t, enum event_id id)
{
	t->n = 0;
	if (where_random_below(2))
		put_chain(t, id);
	else
		put_expression(t, id, 1 + (unsigned)where_random_below(4));
}

/* ---- the comparison ---- */
struct tallies {
	uint64_t yes, no, lua, passed;
};

static void where_compare_with_lua(struct fixture *f, const struct where *w, struct expr *e,
                                   const struct event *ev, const char *text, struct tallies *n)
{
	const struct machine *m = f->s->machine;
	struct event_filter filter = {.mask = UINT64_C(1) << ev->id};
	struct expr_value v;
	struct err err = {""};
	bool fine = expr_eval_event(e, m, ev, &v, &err);
	enum where_answer a = where_test(w, m, ev);
	if (a == WHERE_ASK_LUA ? fine && ev->seq : !fine || expr_true(&v) != (a == WHERE_YES))
		fail_msg("%s of %s at pc %#llx: C says %d, Lua %s", text, event_info[ev->id].name,
		         (unsigned long long)ev->pc, (int)a,
		         fine ? expr_true(&v) ? "yes" : "no" : err.msg);
	n->yes += a == WHERE_YES;
	n->no += a == WHERE_NO;
	n->lua += a == WHERE_ASK_LUA;
	where_narrow(w, &filter);
	/* Only interrupts and output have no instruction. */
	bool passes = event_passes(&filter, ev) ||
	              (!ev->seq && ev->id != EV_INTERRUPT && ev->id != EV_OUTPUT);
	if (!passes && (!fine || expr_true(&v)))
		fail_msg("%s of %s at pc %#llx: filtered out, but Lua says %s", text,
		         event_info[ev->id].name, (unsigned long long)ev->pc,
		         fine ? "yes" : err.msg);
	n->passed += passes;
}

static uint64_t some_word(enum field_type type)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 50, 63, 64, 0x1000, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
	switch (type) {
	case FIELD_FLAG:
		return where_random_below(2);
	case FIELD_LEVEL:
	case FIELD_POOL:
	case FIELD_TRAP:
		return where_random_below(7);
	case FIELD_SIGNAL:
		return where_random_below(70);
	case FIELD_SYSCALL:
		return where_random_below(300);
	default:
		return where_random_below(3)
		               ? values[where_random_below(sizeof values / sizeof *values)]
		               : seed;
	}
}

/* A random event of an instruction that is in flight, has left, or does not exist. */
static struct event some_event(const struct fixture *f, enum event_id id, uint64_t code)
{
	const struct pipe *p = machine_pipe(f->s->machine);
	struct event ev = {
		.id = (uint16_t)id, .slot = EVENT_NO_SLOT, .cycle = where_random_below(1000)};
	if (where_random_below(5)) {
		ev.slot = (uint32_t)where_random_below(p->pool_size);
		ev.seq = p->pool[ev.slot].seq ? p->pool[ev.slot].seq + !where_random_below(4) : 1;
		ev.op = where_random_below(4) ? p->pool[ev.slot].inst.op
		                              : (uint16_t)where_random_below(OP_COUNT);
		ev.pc = where_random_below(6) ? code + 2 * where_random_below(100) : seed;
	}
	for (unsigned i = 0; i < event_info[id].field_count; i++)
		ev.word[i] = some_word(event_info[id].fields[i].type);
	return ev;
}

TEST(test_where_random)
{
	struct fixture *f = fixture_of(state);
	struct tallies n = {0};
	struct text t;
	struct err err;
	const struct symbol *code = program_symbol_by_name(f->s->program, "twice");
	console_fixture_answer(f, "starti; delete; step 330");
	for (int i = 0; i < CONDITIONS; i++) {
		enum event_id id = (enum event_id)where_random_below(EV_COUNT);
		where_make_random_condition(&t, id);
		struct where *w = where_compile(f->s, id, t.s, &err);
		if (!w)
			fail_msg("%s: %s", t.s, err.msg);
		struct expr *e = expr_compile_in(f->c.exprs, t.s, EXPR_NOWHERE, 0, &err);
		if (!e)
			fail_msg("%s: %s", t.s, err.msg);
		for (int k = 0; k < EVENTS_EACH; k++) {
			struct event ev = some_event(f, id, code->addr);
			where_compare_with_lua(f, w, e, &ev, t.s, &n);
		}
		expr_free(e);
		where_free(w);
	}
	assert_true(n.yes > 2000 && n.no > 2000 && n.lua > 2000 &&
	            n.passed < CONDITIONS * EVENTS_EACH);
}

/* Quotients are rounded downwards and remainders have the divisor's sign, whole ones too. */
TEST(test_quotients)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; step 330");
	for (int a = -9; a <= 9; a++)
		for (int b = -4; b <= 4; b++) {
			char text[100];
			struct expr_value v;
			struct err err;
			int q = -40; /* the largest integer not above a / b */
			if (!b)
				continue;
			while ((q + 1) * abs(b) <= (b < 0 ? -a : a))
				q++;
			snprintf(text, sizeof text, "(%d) // (%d) * 1000 + (%d) %% (%d)", a, b, a,
			         b);
			struct where *w = where_compile(f->s, EV_COUNT, text, &err);
			assert_non_null(w);
			assert_true(where_value(w, f->s->machine, &v));
			assert_int_equal((int64_t)expr_bits(&v), q * 1000 + a - q * b);
			where_free(w);
		}
}

struct live {
	struct fixture *f;
	struct where *w[LIVE];
	struct expr *e[LIVE];
	char *text[LIVE];
	enum event_id id[LIVE];
	struct tallies n;
};

static void where_check_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct live *l = ctx;
	(void)m;
	for (int i = 0; i < LIVE; i++)
		if (l->id[i] == ev->id)
			where_compare_with_lua(l->f, l->w[i], l->e[i], ev, l->text[i], &l->n);
}

TEST(test_live)
{
	struct fixture *f = fixture_of(state);
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	struct live l = {.f = f};
	struct text t;
	struct err err;
	console_fixture_answer(f, "starti; delete");
	for (int i = 0; i < LIVE; i++) {
		l.id[i] = (enum event_id)(i % EV_COUNT);
		where_make_random_condition(&t, l.id[i]);
		l.text[i] = strdup(t.s);
		l.w[i] = where_compile(f->s, l.id[i], t.s, &err);
		l.e[i] = expr_compile_in(f->c.exprs, t.s, EXPR_NOWHERE, 0, &err);
		assert_true(l.text[i] && l.w[i] && l.e[i]);
	}
	int id = machine_listen(f->s->machine, &all, where_check_event, &l);
	console_fixture_answer(f, "continue");
	machine_unlisten(f->s->machine, id);
	assert_true(l.n.yes > 100 && l.n.no > 100);
	for (int i = 0; i < LIVE; i++) {
		where_free(l.w[i]);
		expr_free(l.e[i]);
		free(l.text[i]);
	}
}

/* ---- without an event: values and conditions of the machine ---- */
static void compare_values(struct fixture *f, const struct where *w, struct expr *e,
                           const char *text, struct tallies *n)
{
	const struct machine *m = f->s->machine;
	struct expr_value lua, c;
	struct err err = {""};
	uint64_t bits = 0;
	const bool fine = expr_eval(e, m, &lua, &err), fast = where_value(w, m, &c);
	const enum where_answer a = where_holds(w, m);
	assert_int_equal(where_bits(w, m, &bits), fast);
	assert_int_equal(a == WHERE_ASK_LUA, !fast);
	n->lua += !fast;
	n->yes += a == WHERE_YES;
	n->no += a == WHERE_NO;
	if (!fast)
		return;
	if (!fine || lua.type != c.type || expr_bits(&lua) != expr_bits(&c) ||
	    expr_bits(&lua) != bits || strcmp(lua.text, c.text) != 0 ||
	    expr_true(&lua) != (a == WHERE_YES))
		fail_msg("%s in cycle %llu: C has %d %lld %g '%s', Lua %d %lld %g '%s' %s", text,
		         (unsigned long long)machine_cycle(m), c.type, (long long)c.i, c.d, c.text,
		         lua.type, (long long)lua.i, lua.d, lua.text, err.msg);
}

TEST(test_values)
{
	struct fixture *f = fixture_of(state);
	static const char *const places[] = {"starti; delete", "step 40",  "step 61", "step 229",
	                                     "step 33",        "goto 600", "goto 90"};
	static const char *const outside[] = {"rob",
	                                      "rob[1]",
	                                      "rob[1].inst",
	                                      "rob[1].text",
	                                      "rob[x].pc",
	                                      "rob.nosuch",
	                                      "rob.count.x",
	                                      "sim",
	                                      "sim.nosuch",
	                                      "sampler.selected",
	                                      "fa0",
	                                      "newest",
	                                      "mem64(sp)",
	                                      "pipe.rob_size",
	                                      "view.ras[1].returns_to",
	                                      "btb.count",
	                                      "mstatus",
	                                      "pflag[0]",
	                                      "main.x",
	                                      "1.x",
	                                      "3..x",
	                                      "rob[1].pc[2]",
	                                      "rob[1.5].pc",
	                                      "rob[-1].pc",
	                                      "stat['sim.ipc']",
	                                      "level",
	                                      "seq",
	                                      "op"};
	struct tallies n = {0};
	struct text t;
	struct err err;
	for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
		console_fixture_answer(f, places[k]);
		for (int i = 0; i < 2000; i++) {
			where_make_random_condition(&t, EV_COUNT);
			struct where *lua = where_compile(f->s, EV_COUNT, t.s, &err);
			struct expr *e = expr_compile(f->c.exprs, t.s, &err);
			/* C has no number of more than 64 bits */
			if (!lua || (!e && !strstr(t.s, "counter") && !strstr(t.s, "0x1fffff")))
				fail_msg("%s: %s", t.s, err.msg);
			/* NULL: C's types matter, or the text is Lua */
			struct where *w = e ? where_compile_value(e, &err) : NULL;
			if (w)
				compare_values(f, w, e, t.s, &n);
			expr_free(e);
			where_free(w);
			where_free(lua);
		}
	}
	assert_true(n.yes > 300 && n.no > 300 && n.lua > 20);
	for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
		struct expr *e = expr_compile(f->c.exprs, outside[i], &err);
		if (e && where_compile_value(e, &err))
			fail_msg("'%s' should be left to Lua", outside[i]);
		expr_free(e);
	}
}

/* Numbers and texts as C reads them. */
TEST(test_c_constants)
{
	struct fixture *f = fixture_of(state);
	static const char *const texts[] = {"010 == 8",   "010 == 10",    "0b11 < 4",
	                                    "1,000 > 999", "t3 + 010 == 8", "not(1 == 0x1)",
	                                    "rob.count < 020"};
	struct tallies n = {0};
	struct err err;
	console_fixture_answer(f, "starti; delete");
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct expr *e = expr_compile(f->c.exprs, texts[i], &err);
		struct where *w = e ? where_compile_value(e, &err) : NULL;
		if (!w)
			fail_msg("%s: %s", texts[i], err.msg);
		compare_values(f, w, e, texts[i], &n);
		expr_free(e);
		where_free(w);
	}
	assert_int_equal(n.lua, 0);
	assert_int_equal(n.yes, 5);
}

TEST_GROUP(fixture_up, fixture_down)
