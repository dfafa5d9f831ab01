/* The record of the run: in any order of motions, after changes, hooks, checkpoints and lost
 * snapshots it equals the counts, in these cycles, of a machine that goes forwards only.
 */
#include "tests/reverse/rig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/change.h"
#include "core/run/run_priv.h"
#include "hwviews/session/timeline.h"
#include "ui/checkpoint/checkpoint.h"

enum { CHANGES_MOST = 64, REG_T6 = 31 };

/* Changes by hand of a register, in the order of their cycles. */
struct changed {
	unsigned count;
	struct {
		uint64_t cycle, value;
	} at[CHANGES_MOST];
};

static struct subject timeline_test_long_subject(void)
{
	struct subject how = guest;
	how.program = "build/tests/bench/large";
	how.arguments = "6";
	return how;
}

/* A machine that goes forwards only. */
struct forwards {
	struct rig *g;
	const struct changed *changed;
	unsigned made;
};

static struct forwards forwards_new(const struct subject *how, const struct changed *changed)
{
	struct subject quiet = *how;
	quiet.history = (struct run_options){.history = false};
	return (struct forwards){rig_open(&quiet), changed, 0};
}

static struct timeline_point forwards_at(struct forwards *f, uint64_t cycle)
{
	struct machine *m = f->g->s->machine;
	struct timeline_point p;
	struct err err;
	for (; f->made < f->changed->count && f->changed->at[f->made].cycle <= cycle; f->made++) {
		machine_run(m, f->changed->at[f->made].cycle, UINT64_MAX);
		assert_true(machine_change(m,
		                           &(struct change){.kind = JOURNAL_REG,
		                                            .a = REG_T6,
		                                            .b = f->changed->at[f->made].value},
		                           &err));
	}
	machine_run(m, cycle, UINT64_MAX);
	timeline_look(m, &p);
	return p;
}

static void timeline_test_assert_same_point(const struct timeline_point *is,
                                            const struct timeline_point *should)
{
	if (memcmp(is, should, sizeof *is) != 0)
		fail_msg("the point of cycle %llu (%llu) is another: %llu instructions, not %llu; "
		         "pc %llx, not %llx",
		         (unsigned long long)is->cycle, (unsigned long long)should->cycle,
		         (unsigned long long)is->count[0], (unsigned long long)should->count[0],
		         (unsigned long long)is->pc, (unsigned long long)should->pc);
}

static struct timeline_span timeline_test_span(const struct rig *g)
{
	struct timeline_span span;
	run_timeline(g->r, &span);
	return span;
}

/* The whole record of the run so far. */
static void assert_record(const struct rig *g, const struct subject *how,
                          const struct changed *changed)
{
	const struct timeline_span span = timeline_test_span(g);
	const uint64_t bins = (span.newest - span.first) / span.width;
	struct forwards f = forwards_new(how, changed);
	struct timeline_point is, should;
	assert_true(bins <= TIMELINE_BINS);
	assert_true(span.width == 1 || span.newest - span.first > span.width * TIMELINE_BINS / 2);
	for (uint64_t c = span.first; c <= span.newest; c += span.width) {
		should = forwards_at(&f, c);
		if (!run_timeline_at(g->r, c, &is))
			fail_msg("no point of cycle %llu, of %llu", (unsigned long long)c,
			         (unsigned long long)span.newest);
		timeline_test_assert_same_point(&is, &should);
	}
	should = forwards_at(&f, span.newest);
	assert_true(run_timeline_at(g->r, span.newest, &is));
	timeline_test_assert_same_point(&is, &should);
	rig_close(f.g);
}

static const struct changed none;

/* The row of a cycle that is no multiple of the width is right, too. */
static void assert_between(const struct rig *g, const struct subject *how)
{
	struct forwards f = forwards_new(how, &none);
	for (uint64_t c = 1; c < 600; c += 7) {
		struct timeline_point is, should = forwards_at(&f, c);
		if (run_timeline_at(g->r, c, &is))
			timeline_test_assert_same_point(&is, &should);
	}
	rig_close(f.g);
}

TEST(forwards_only)
{
	struct subject how = timeline_test_long_subject();
	rig_go_top();
	struct rig *g = rig_open(&how);
	assert_record(g, &how, &none);
	static const uint64_t ends[] = {1, 200, 511, 512, 513, 1023, 1024, 1025, 5000, 100001};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		rig_goto(g, ends[i]);
		assert_int_equal(timeline_test_span(g).newest, ends[i]);
		assert_record(g, &how, &none);
	}
	assert_int_equal(timeline_test_span(g).width, 256);
	rig_close(g);
}

TEST(in_any_order)
{
	struct subject how = timeline_test_long_subject();
	rig_go_top();
	struct rig *g = rig_open(&how);
	uint64_t random = 5;
	for (unsigned i = 0; i < (rig_small() ? 20 : 120); i++) {
		const uint64_t newest = timeline_test_span(g).newest;
		switch (random_below(&random, 5)) {
		case 0:
			rig_goto(g, random_below(&random, newest + 1));
			break;
		case 1:
			rig_back_cycles(g, random_below(&random, 3000));
			break;
		case 2:
			rig_back_insts(g, random_below(&random, 300));
			break;
		case 3:
			rig_insts(g, random_below(&random, 3000));
			break;
		default:
			rig_cycles(g, random_below(&random, 5000));
		}
		if (i % 20 == 0)
			assert_record(g, &how, &none);
	}
	assert_record(g, &how, &none);
	rig_close(g);
}

/* A change cuts the recorded future: no bin of it remains, and the width is that of the shorter
 * run. */
TEST(behind_changes)
{
	struct subject how = timeline_test_long_subject();
	struct changed changed = {0};
	struct err err;
	rig_go_top();
	struct rig *g = rig_open(&how);
	uint64_t random = 3;
	rig_goto(g, 60000);
	for (unsigned i = 0; i < 12; i++) {
		const uint64_t newest = timeline_test_span(g).newest,
			       at = i % 3 ? newest - random_below(&random, newest / 2)
		                          : newest & ~UINT64_C(1023);
		rig_goto(g, at);
		while (changed.count && changed.at[changed.count - 1].cycle > at)
			changed.count--;
		changed.at[changed.count].cycle = at;
		changed.at[changed.count++].value = 4711 + i;
		assert_true(run_change(
			g->r, &(struct change){.kind = JOURNAL_REG, .a = REG_T6, .b = 4711 + i},
			&err));
		assert_int_equal(timeline_test_span(g).newest, at);
		assert_record(g, &how, &changed);
		rig_cycles(g, random_below(&random, 30000));
		rig_back_cycles(g, random_below(&random, 100));
		assert_record(g, &how, &changed);
	}
	rig_close(g);
}

/* A hook set in the past changes the run in the middle of a motion, which continues. */
struct hook {
	uint64_t from;
	bool done;
	struct changed *changed;
};

static void change_once(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hook *h = ctx;
	struct err err;
	(void)ev;
	if (h->done || machine_cycle(m) < h->from)
		return;
	h->done = true;
	assert_true(machine_change_later(
		(struct machine *)(uintptr_t)m,
		&(struct change){.kind = JOURNAL_REG, .a = REG_T6, .b = 99}, &err));
	h->changed->at[0].cycle = machine_cycle(m);
	h->changed->at[0].value = 99;
	h->changed->count = 1;
}

TEST(behind_a_hook)
{
	struct subject how = timeline_test_long_subject();
	rig_go_top();
	for (uint64_t from = 3000; from < 3600; from += 97) {
		struct changed changed = {0};
		struct hook hook = {.from = from, .changed = &changed};
		const struct event_filter commits = {.mask = ~UINT64_C(0)};
		struct rig *g = rig_open(&how);
		rig_goto(g, 40000);
		rig_goto(g, 2500);
		const int id = machine_listen(g->s->machine, &commits, change_once, &hook);
		rig_cycles(g, 2000 + from);
		machine_unlisten(g->s->machine, id);
		assert_true(hook.done && timeline_test_span(g).newest == 4500 + from);
		assert_record(g, &how, &changed);
		rig_close(g);
	}
}

/* Next to no snapshots are left; the record is. */
TEST(without_snapshots)
{
	struct subject how = timeline_test_long_subject();
	how.history.budget_bytes = 1 << 20;
	how.history.first_spacing = 5000;
	rig_go_top();
	struct rig *g = rig_open(&how);
	struct run_history h;
	rig_goto(g, 200000);
	run_history(g->r, &h);
	assert_true(h.spent);
	assert_record(g, &how, &none);
	rig_goto(g, 150000);
	rig_cycles(g, 70000);
	assert_record(g, &how, &none);
	run_history(g->r, &h);
	assert_int_equal(h.bytes, run_recount(g->r)); /* the record is in the account, once */
	rig_close(g);
	how.history = (struct run_options){.history = false};
	g = rig_open(&how);
	rig_cycles(g, 50000);
	assert_record(g, &how, &none);
	rig_close(g);
}

/* It takes its stated memory: so much for a doubling. */
TEST(in_the_account)
{
	struct subject how = timeline_test_long_subject();
	rig_go_top();
	struct rig *g = rig_open(&how);
	struct run_history before, after;
	rig_goto(g, 3);
	run_history(g->r, &before);
	rig_cycles(g, 509);
	run_history(g->r, &after);
	assert_true(after.bytes >= before.bytes + 500 * sizeof(struct timeline_point));
	assert_int_equal(after.bytes, run_recount(g->r));
	rig_close(g);
}

TEST(in_checkpoints)
{
	static const uint64_t ends[] = {700, 1024, 70001, 131072};
	struct subject how = timeline_test_long_subject();
	struct err err;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		rig_go_top();
		struct rig *g = rig_open(&how);
		rig_goto(g, ends[i] + 5000);
		rig_goto(g, ends[i]); /* the recorded future is not saved */
		rig_go_data();
		assert_true(checkpoint_save(g->s, "point", &err));
		rig_go_top();
		rig_close(g);
		g = rig_open(&how);
		rig_cycles(g, 10);
		rig_go_data();
		struct machine *m = checkpoint_load(g->s, "point", &err);
		if (!m)
			fail_msg("%s", err.msg);
		rig_go_top();
		session_adopt(g->s, m);
		assert_int_equal(timeline_test_span(g).first, 0);
		assert_int_equal(timeline_test_span(g).newest, ends[i]);
		assert_record(g, &how, &none);
		assert_between(g, &how);
		rig_cycles(g, 3000);
		rig_back_cycles(g, 100);
		assert_record(g, &how, &none);
		/* Saved again, and begun anew. */
		rig_go_data();
		assert_true(checkpoint_save(g->s, "point", &err));
		m = checkpoint_load(g->s, "point", &err);
		assert_non_null(m);
		rig_go_top();
		session_adopt(g->s, m);
		assert_int_equal(timeline_test_span(g).newest, ends[i] + 2900);
		assert_record(g, &how, &none);
		assert_true(session_restart(g->s, &err));
		assert_int_equal(timeline_test_span(g).newest, 0);
		rig_cycles(g, 2000);
		assert_record(g, &how, &none);
		rig_close(g);
	}
	rig_go_data();
	unlink("point");
}

/* A record in a file may be anything: it is accepted or refused, and an accepted one has points
 * everywhere. */
TEST(timeline_test_damaged_record)
{
	struct subject how = timeline_test_long_subject();
	struct err err;
	uint64_t random = 7, taken = 0, refused = 0;
	size_t n;
	rig_go_top();
	struct rig *g = rig_open(&how);
	rig_goto(g, 3000);
	uint8_t *bytes = timeline_pack(&g->r->timeline, 3000, &n);
	assert_true(bytes && n > 500);
	for (unsigned i = 0; i < (rig_small() ? 300 : 20000); i++) {
		struct timeline_record t = {0};
		size_t length = i % 3 ? n : random_below(&random, n + 1);
		uint8_t *copy = malloc(length + 1);
		assert_non_null(copy);
		memcpy(copy, bytes, length);
		for (uint64_t k = length ? 1 + random_below(&random, 3) : 0; k > 0; k--)
			copy[random_below(&random, i % 2 && length > 8 ? 8 : length)] =
				(uint8_t)random_below(&random, 256);
		if (timeline_unpack(&t, copy, length, &err)) {
			taken++;
			assert_true(t.count <= TIMELINE_SLOTS && (t.count == 0 || t.fresh));
			for (uint64_t c = 0; t.count && c <= t.loaded - t.first;
			     c += t.loaded_width)
				assert_int_equal(t.point[timeline_slot(c)].cycle, t.first + c);
		} else {
			refused++;
			assert_int_equal(t.count, 0);
		}
		free(t.point);
		free(copy);
	}
	assert_true(taken && refused);
	free(bytes);
	rig_close(g);
}

/* Bins of any stretch, from the record or executed again, are differences of what a machine counted
 * at their ends. */
TEST(in_bins)
{
	struct subject how = timeline_test_long_subject();
	struct err err;
	uint64_t random = 9;
	rig_go_top();
	struct rig *g = rig_open(&how);
	rig_goto(g, 100000);
	rig_goto(g, 30000);
	for (unsigned i = 0; i < 40; i++) {
		const uint64_t from = random_below(&random, 90000),
			       to = from + random_below(&random, i % 2 ? 3000 : 100000 - from);
		const size_t most = 1 + random_below(&random, 70);
		struct timeline_bins bins;
		struct forwards f = forwards_new(&how, &none);
		struct timeline_point before = forwards_at(&f, from), after;
		if (!timeline_bins(g->s, from, to, most, 1, &bins, &err))
			fail_msg("%s", err.msg);
		assert_true(bins.count <= most && (bins.count || from == to));
		uint64_t at = from;
		for (size_t b = 0; b < bins.count; b++) {
			assert_int_equal(bins.bin[b].from, at);
			at = bins.bin[b].to;
			assert_true(b + 1 == bins.count
			                    ? at == to
			                    : at % bins.width == 0 && at > bins.bin[b].from);
			after = forwards_at(&f, at);
			for (unsigned k = 0; k < TIMELINE_WORDS; k++)
				assert_int_equal(bins.bin[b].count[k],
				                 after.count[k] - before.count[k]);
			before = after;
		}
		timeline_bins_free(&bins);
		rig_close(f.g);
		assert_int_equal(rig_cycle(g), 30000); /* looking moves nothing */
	}
	assert_false(timeline_bins(g->s, 99999, 100001, 8, 1, &(struct timeline_bins){0}, &err));
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
