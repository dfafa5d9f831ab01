/* Listeners: any number, coming and going during events, staying when the machine
 * is replaced. */
#include "core/defs/events.h"

#include "core/isa/op.h"
#include "tests/unit/ui/console_fixture.h"

enum { MANY = 200 };

struct ear {
	const struct machine *m; /* last seen */
	uint64_t heard, last_cycle;
	int id;
	/* its action on an event */
	struct ear *silence, *rouse;
	struct machine *of;
};

static void listen_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	static const struct event_filter fetches = {.mask = EV_BIT(FETCH)};
	struct ear *e = ctx;
	e->heard++;
	e->m = m;
	e->last_cycle = ev->cycle;
	if (e->silence)
		machine_unlisten(e->of, e->silence->id);
	if (e->rouse && !e->rouse->id)
		e->rouse->id = machine_listen(e->of, &fetches, listen_on_event, e->rouse);
}

static int listen_attach_ear(struct fixture *f, const struct event_filter *filter, struct ear *e)
{
	e->of = f->s->machine;
	e->id = machine_listen(f->s->machine, filter, listen_on_event, e);
	assert_true(e->id > 0);
	return e->id;
}

static const struct event_filter fetches = {.mask = EV_BIT(FETCH)};

TEST(test_many)
{
	struct fixture *f = fixture_of(state);
	struct ear ears[MANY] = {0};
	console_fixture_answer(f, "starti");
	for (int i = 0; i < MANY; i++)
		assert_int_not_equal(listen_attach_ear(f, &fetches, &ears[i]),
		                     i ? ears[i - 1].id : 0);
	console_fixture_answer(f, "step 300");
	assert_true(ears[0].heard > 0);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(ears[i].heard, ears[0].heard);
		machine_unlisten(f->s->machine, ears[i].id);
	}
	uint64_t before = ears[0].heard;
	console_fixture_answer(f, "step 300");
	assert_int_equal(ears[0].heard, before);
}

/* The first listener removes itself and the third, and adds the fourth; the second is called
 * nevertheless. */
TEST(test_while_told)
{
	struct fixture *f = fixture_of(state);
	struct ear first = {0}, second = {0}, third = {0}, fourth = {0};
	console_fixture_answer(f, "starti");
	first.silence = &third;
	first.rouse = &fourth;
	listen_attach_ear(f, &fetches, &first);
	listen_attach_ear(f, &fetches, &second);
	listen_attach_ear(f, &fetches, &third);
	while (!first.heard)
		machine_step(f->s->machine);
	assert_int_equal(third.heard, 0);
	assert_true(first.heard > 1); /* several in one cycle */
	assert_int_equal(second.heard, first.heard);
	assert_int_equal(fourth.heard, 0); /* from the next cycle on */
	first.silence = &first;
	uint64_t before = second.heard, of_first = first.heard, cycle = first.last_cycle;
	while (second.last_cycle == cycle)
		machine_step(f->s->machine);
	assert_int_equal(first.heard, of_first + 1);
	assert_true(second.heard > before);
	assert_int_equal(fourth.heard, second.heard - before);
	machine_unlisten(f->s->machine, second.id);
	machine_unlisten(f->s->machine, fourth.id);
}

TEST(test_muted)
{
	struct fixture *f = fixture_of(state);
	struct ear old = {0}, new = {0};
	console_fixture_answer(f, "starti");
	listen_attach_ear(f, &fetches, &old);
	machine_mute(f->s->machine, true);
	listen_attach_ear(f, &fetches, &new);
	for (int i = 0; i < 200; i++)
		machine_step(f->s->machine);
	assert_int_equal(old.heard, 0);
	assert_true(new.heard > 0);
	machine_mute(f->s->machine, false);
	console_fixture_answer(f, "starti; step 200");
	assert_true(old.heard > 0);
	machine_unlisten(f->s->machine, old.id);
	machine_unlisten(f->s->machine, new.id);
}

TEST(test_replaced)
{
	struct fixture *f = fixture_of(state);
	struct ear e = {0};
	char line[300];
	console_fixture_answer(f, "starti");
	listen_attach_ear(f, &fetches, &e);
	console_fixture_answer(f, "step 200");
	uint64_t once = e.heard;
	const struct machine *old = e.m;
	assert_ptr_equal(old, f->s->machine);
	snprintf(line, sizeof line, "save %s.point; starti; step 200", f->cross.program);
	console_fixture_answer(f, line);
	assert_ptr_equal(e.m, f->s->machine);
	assert_int_equal(e.heard, 2 * once);
	snprintf(line, sizeof line, "restore %s.point; step 400", f->cross.program);
	console_fixture_answer(f, line);
	assert_ptr_equal(e.m, f->s->machine);
	assert_true(e.last_cycle >= 200);
	machine_unlisten(f->s->machine, e.id);
	once = e.heard;
	console_fixture_answer(f, "starti; step 200");
	assert_int_equal(e.heard, once);
	snprintf(line, sizeof line, "%s.point", f->cross.program);
	remove(line);
}

/* Kinds of instructions partition events: a listener to all kinds gets as many events as the
 * listeners to single kinds together. */
TEST(test_kinds)
{
	struct fixture *f = fixture_of(state);
	const struct event_filter commits = {.mask = EV_BIT(COMMIT)};
	struct ear all = {0}, kind[INST_KIND_COUNT] = {0};
	uint64_t sum = 0;
	console_fixture_answer(f, "starti");
	listen_attach_ear(f, &commits, &all);
	for (unsigned k = 0; k < INST_KIND_COUNT; k++)
		listen_attach_ear(f,
		                  &(struct event_filter){.mask = EV_BIT(COMMIT), .kinds = 1u << k},
		                  &kind[k]);
	console_fixture_answer(f, "delete; continue");
	const struct stats *s = machine_stats(f->s->machine);
	assert_int_equal(all.heard, s->insts);
	assert_int_equal(kind[INST_LOAD].heard, s->commit_loads);
	assert_int_equal(kind[INST_STORE].heard, s->commit_stores);
	assert_int_equal(kind[INST_BRANCH].heard, s->commit_branches);
	assert_int_equal(kind[INST_JUMP].heard, s->commit_jumps);
	assert_int_equal(kind[INST_SYSTEM].heard, 1);
	for (unsigned k = 0; k < INST_KIND_COUNT; k++) {
		sum += kind[k].heard;
		machine_unlisten(f->s->machine, kind[k].id);
	}
	assert_int_equal(sum, all.heard);
	machine_unlisten(f->s->machine, all.id);
}

enum { FILTERS = 6, ROUNDS = 60 };

struct sieve {
	struct event_filter filter[FILTERS];
	uint64_t heard[FILTERS], digest[FILTERS]; /* of what passes */
	unsigned count;
};

static void listen_digest_event(struct sieve *v, unsigned i, const struct event *ev)
{
	v->heard[i]++;
	v->digest[i] = (v->digest[i] ^ ev->id ^ ev->cycle << 8 ^ ev->pc << 24 ^ ev->word[0] << 40 ^
	                ev->word[1]) *
	               UINT64_C(0x100000001b3);
}

/* The expected result of event_passes(). */
static bool listen_filter_matches(const struct event_filter *f, const struct event *ev)
{
	bool place = !f->pc_hi || (ev->pc >= f->pc_lo && ev->pc < f->pc_hi);
	bool kind = !f->kinds ||
	            (ev->slot != EVENT_NO_SLOT && (f->kinds & 1u << inst_kind(ev->op)));
	return (f->mask & UINT64_C(1) << ev->id) && place && kind &&
	       (!f->where || f->where(f->where_ctx, ev));
}

/* Listens to everything and filters by itself. */
static void listen_filter_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct sieve *v = ctx;
	(void)m;
	for (unsigned i = 0; i < v->count; i++)
		if (listen_filter_matches(&v->filter[i], ev))
			listen_digest_event(v, i, ev);
}

struct hole {
	struct sieve *v;
	unsigned i;
};

static void listen_on_filtered_event(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct hole *h = ctx;
	(void)m;
	assert_true(listen_filter_matches(&h->v->filter[h->i], ev));
	listen_digest_event(h->v, h->i, ev);
}

static uint64_t listen_random_below(uint64_t *x, uint64_t n)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (*x >> 11) % n;
}

static bool listen_event_is_odd(const void *ctx, const struct event *ev)
{
	const uint64_t *mask = ctx;
	return ((ev->word[0] ^ ev->pc >> 1) & *mask) == 1;
}

static const uint64_t odd_masks[] = {7, 3, 1};

/* Ranges about the program's code, one in four of them empty or of all memory. */
static struct event_filter some_filter(uint64_t *x, uint64_t code, uint64_t bytes)
{
	struct event_filter f = {0};
	for (uint64_t n = 1 + listen_random_below(x, 3); n--;)
		f.mask |= UINT64_C(1) << listen_random_below(x, EV_COUNT);
	if (listen_random_below(x, 4)) {
		f.pc_lo = code + listen_random_below(x, bytes);
		f.pc_hi = listen_random_below(x, 8) ? f.pc_lo + listen_random_below(x, bytes)
		                                    : UINT64_MAX;
	}
	for (uint64_t n = listen_random_below(x, 3); n--;)
		f.kinds |= 1u << listen_random_below(x, INST_KIND_COUNT);
	if (listen_random_below(x, 3) == 0) {
		f.where = listen_event_is_odd;
		f.where_ctx = &odd_masks[listen_random_below(x, 3)];
	}
	return f;
}

/* Stages omit only events without a listener: a few listeners with filters get exactly the events
 * that these filters select from all events. */
TEST(test_listen_narrow)
{
	struct fixture *f = fixture_of(state);
	const struct event_filter everything = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	const struct symbol *code = program_symbol_by_name(f->s->program, "twice");
	uint64_t x = 88172645463325252u, sum = 0;
	assert_non_null(code);
	for (int round = 0; round < ROUNDS; round++) {
		struct sieve whole = {.count = 1 + (unsigned)round % FILTERS}, parts;
		struct hole hole[FILTERS];
		int id[FILTERS];
		for (unsigned i = 0; i < whole.count; i++)
			whole.filter[i] =
				round % 4 ? some_filter(&x, code->addr, 160)
					  : (struct event_filter){.mask = EV_BIT(COMMIT),
			                                          .where = listen_event_is_odd,
			                                          .where_ctx = &odd_masks[i % 3]};
		parts = whole;
		console_fixture_answer(f, "starti; delete");
		id[0] = machine_listen(f->s->machine, &everything, listen_filter_event, &whole);
		console_fixture_answer(f, "continue");
		machine_unlisten(f->s->machine, id[0]);
		console_fixture_answer(f, "starti");
		for (unsigned i = 0; i < parts.count; i++) {
			hole[i] = (struct hole){&parts, i};
			id[i] = machine_listen(f->s->machine, &parts.filter[i],
			                       listen_on_filtered_event, &hole[i]);
		}
		console_fixture_answer(f, round % 2 ? "continue" : "step 100000");
		for (unsigned i = 0; i < parts.count; i++) {
			machine_unlisten(f->s->machine, id[i]);
			assert_int_equal(parts.heard[i], whole.heard[i]);
			assert_int_equal(parts.digest[i], whole.digest[i]);
			sum += parts.heard[i];
		}
	}
	assert_true(sum > 1000);
}

/* A widened filter passes the events that either filter passes, and no event far from both. */
TEST(test_widened)
{
	uint64_t x = 88172645463325252u, through = 0;
	(void)state;
	for (int round = 0; round < 25000; round++) {
		struct event_filter a = some_filter(&x, 0x1000, 160),
				    b = some_filter(&x, 0x1000, 160), w = {0};
		struct event ev = {.id = (uint16_t)listen_random_below(&x, EV_COUNT),
		                   .pc = 0x1000 + listen_random_below(&x, 320),
		                   .op = (uint16_t)listen_random_below(&x, OP_COUNT)};
		a.where = b.where = NULL;
		event_filter_widen(&w, &a);
		assert_int_equal(listen_filter_matches(&w, &ev), listen_filter_matches(&a, &ev));
		event_filter_widen(&w, &b);
		assert_true(listen_filter_matches(&w, &ev) ||
		            !(listen_filter_matches(&a, &ev) || listen_filter_matches(&b, &ev)));
		through += listen_filter_matches(&w, &ev);
		ev.op = OP_ADD;
		ev.pc = 0x900;
		assert_true(!a.pc_hi || !b.pc_hi || !listen_filter_matches(&w, &ev));
		ev.pc = 0x1000;
		assert_true(!a.kinds || !b.kinds || ((a.kinds | b.kinds) & 1u << INST_INT) ||
		            !listen_filter_matches(&w, &ev));
	}
	assert_true(through > 1000);
}

TEST_GROUP(fixture_up, fixture_down)
