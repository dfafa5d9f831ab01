/* Random walks through time. Where each move lands is checked against its definition, by a reference that stepped a
 * machine forwards only; the states seen there are compared with that of a machine that did not travel. */
#include "tests/reverse/rig.h"

#include <stdlib.h>

enum { MOVES = 12, WALKS_PER_SESSION = 10, LANDINGS_MAX = 1 << 16 };

struct landing {
	uint64_t cycle, hash;
};

struct walker {
	struct rig *g;
	const struct reference *ref;
	uint64_t random;
	struct landing *seen; /* [LANDINGS_MAX] */
	size_t count;
};

/* First cycle > from with at least `insts` committed; the end if there is none. */
static uint64_t forward_to(const struct reference *ref, uint64_t from, uint64_t insts)
{
	uint64_t c = from;
	while (c < ref->end && ref->insts[c] < insts)
		c++;
	return c;
}

/* Latest cycle < from that committed something and had at most `insts`; the beginning if there is none. */
static uint64_t back_to(const struct reference *ref, uint64_t from, uint64_t insts)
{
	for (uint64_t c = from; c-- > 1;)
		if (ref->insts[c] > ref->insts[c - 1] && ref->insts[c] <= insts)
			return c;
	return 0;
}

static uint64_t fetched_in(const struct reference *ref, uint64_t seq)
{
	uint64_t c = 0;
	while (c < ref->end && ref->next_seq[c] <= seq)
		c++;
	return c;
}

static uint64_t last_hit(const struct reference *ref, uint64_t before)
{
	for (uint64_t c = before; c-- > 1;)
		if (ref->hit[c])
			return c;
	return 0;
}

static uint64_t next_hit(const struct reference *ref, uint64_t after)
{
	for (uint64_t c = after + 1; c <= ref->end; c++)
		if (ref->hit[c])
			return c;
	return ref->end;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Makes one move; returns the cycle in which it must have ended. */
static uint64_t move(struct walker *w)
{
	const struct reference *ref = w->ref;
	uint64_t now = rig_cycle(w->g), insts = ref->insts[now], n, seq;
	struct err err;
	/* Far or near. */
	uint64_t reach = random_below(&w->random, 4) ? 50 : ref->end / 3;
	switch (random_below(&w->random, 8)) {
	case 0:
		rig_cycles(w->g, n = random_below(&w->random, reach));
		return least(now + n, ref->end);
	case 1:
		rig_back_cycles(w->g, n = random_below(&w->random, reach));
		return now > n ? now - n : 0;
	case 2:
		rig_insts(w->g, n = 1 + random_below(&w->random, reach));
		return forward_to(ref, now, insts + n);
	case 3:
		rig_back_insts(w->g, n = 1 + random_below(&w->random, reach));
		return now && insts >= n ? back_to(ref, now, insts - n) : 0;
	case 4:
		rig_goto(w->g, n = random_below(&w->random, ref->end + ref->end / 20));
		return least(n, ref->end);
	case 5:
		seq = 1 + random_below(&w->random, ref->next_seq[ref->end] + 20);
		if (!run_goto_seq(w->g->r, seq, &rig_info, &err))
			fail_msg("%s", err.msg);
		return fetched_in(ref, seq);
	case 6:
		rig_back_continue(w->g);
		return last_hit(ref, now);
	default:
		rig_continue(w->g);
		return next_hit(ref, now);
	}
}

static void walk(struct walker *w)
{
	for (int i = 0; i < MOVES; i++) {
		uint64_t must = move(w);
		assert_int_equal(rig_cycle(w->g), must);
	}
	assert_true(w->count < LANDINGS_MAX);
	w->seen[w->count++] = (struct landing){rig_cycle(w->g), rig_hash(w->g)};
}

static int by_cycle(const void *a, const void *b)
{
	const struct landing *x = a, *y = b;
	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

/* A machine that goes forwards once, through all the cycles where walks ended. */
static void check_landings(const struct subject *how, struct walker *w)
{
	struct subject plain = *how;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	qsort(w->seen, w->count, sizeof *w->seen, by_cycle);
	for (size_t i = 0; i < w->count; i++) {
		machine_run(g->s->machine, w->seen[i].cycle, UINT64_MAX);
		assert_int_equal(rig_cycle(g), w->seen[i].cycle);
		assert_int_equal(rig_hash(g), w->seen[i].hash);
	}
	rig_close(g);
}

struct place {
	const char *symbol;
	int heard;
};

static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct place *p = ctx;
	(void)m;
	(void)ev;
	p->heard = 2;
}

static bool commits_there(void *ctx, const struct rig *g)
{
	struct place *p = ctx;
	uint64_t pc = rig_symbol(g, p->symbol);
	const struct event_filter f = {.mask = EV_BIT(COMMIT), .pc_lo = pc, .pc_hi = pc + 1};
	if (!p->heard)
		assert_true(machine_listen(g->s->machine, &f, hear, p) > 0);
	bool hit = p->heard == 2;
	p->heard = 1;
	return hit;
}

static void walks(const struct subject *how, const char *symbol, unsigned count)
{
	struct place p = {.symbol = symbol};
	struct walker w = {.random = 88172645463325252u + count, .seen = calloc(LANDINGS_MAX, sizeof(struct landing))};
	struct reference *ref = reference_new(how, UINT64_MAX, commits_there, &p);
	assert_non_null(w.seen);
	w.ref = ref;
	if (rig_small())
		count = count / 50 + 1;
	struct subject each = *how;
	for (unsigned i = 0; i < count; i++) {
		if (i % WALKS_PER_SESSION == 0) {
			if (w.g)
				rig_close(w.g);
			/* From dense to so sparse that little is left, and with a budget that is always used up. */
			static const uint64_t spacings[] = {0, 300, 1000, 5000, 20000};
			each.history.first_spacing = spacings[i / WALKS_PER_SESSION % 5];
			each.history.budget_bytes = i / WALKS_PER_SESSION % 3 == 2 ? 1 << 20 : 0;
			w.g = rig_open(&each);
			rig_break(w.g, symbol, STAGE_COMMIT);
		}
		walk(&w);
	}
	rig_close(w.g);
	check_landings(how, &w);
	reference_free(ref);
	free(w.seen);
}

static void default_machine(void **state)
{
	(void)state;
	rig_go_data();
	walks(&guest, "tick", 400);
}

static void small_speculating_machine(void **state)
{
	(void)state;
	struct subject how = guest;
	how.settings = "pipe.rob_size=12 lsq.size=5 pipe.fetch_queue=4 lsq.speculate=1 l1d.size=1K l2.size=8K "
		       "bpred.update=commit pipe.issue_queue=6";
	rig_go_data();
	walks(&how, "wrong_path", 250); /* never commits: every continue goes to an end */
}

static void one_wide_in_order(void **state)
{
	(void)state;
	struct subject how = guest;
	how.settings = "pipe.fetch_width=1 pipe.decode_width=1 pipe.issue_width=1 pipe.commit_width=1 pipe.in_order=1 "
		       "pipe.memory_stage=1 l2.size=64K";
	rig_go_data();
	walks(&how, "tick", 250);
}

static void a_program_with_a_c_library(void **state)
{
	(void)state;
	struct subject how = guest;
	how.program = "build/demos/selfmod";
	rig_go_top();
	walks(&how, "main", 100);
}

static void code_on_the_stack(void **state)
{
	(void)state;
	struct subject how = guest;
	how.program = "build/tests/diff/os/stack";
	how.arguments = "patch";
	rig_go_top();
	walks(&how, "patched", 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_machine),
		cmocka_unit_test(small_speculating_machine),
		cmocka_unit_test(one_wide_in_order),
		cmocka_unit_test(a_program_with_a_c_library),
		cmocka_unit_test(code_on_the_stack),
	};
	return cmocka_run_group_tests(tests, rig_enter, rig_leave);
}
