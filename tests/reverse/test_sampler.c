/* The sampler's exact counts against an independent account of the same run: tuples and messages
 * from events, counted again with a plain list; against what is read without timing; and in the
 * past. */
#include "tests/reverse/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "tests/scale.h"
#include "ui/checkpoint/checkpoint.h"

#define ON "sampler.enable=1 sampler.compressor=H(P(4),64),A(4) "

/* ---- the account ---- */
enum { ACCOUNT_MAX = 2000000 };

struct line {
	uint64_t pc, value, count;
};

struct account {
	struct line *tuple, *message; /* owned; in their order */
	size_t tuples, messages, lost;
};

static void sampler_test_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct account *a = ctx;
	(void)m;
	assert_true(a->tuples < ACCOUNT_MAX && a->messages < ACCOUNT_MAX);
	if (ev->id == EV_TUPLE)
		a->tuple[a->tuples++] = (struct line){ev->pc, ev->tuple.value, 1};
	else if (!ev->message.dropped)
		a->message[a->messages++] =
			(struct line){ev->pc, ev->message.value, ev->message.count};
	else
		a->lost++;
}

static const struct prof *sampler_test_devices(const struct rig *g)
{
	return machine_pipe(g->s->machine)->prof;
}

static const struct sampler_exact *sampler_test_exact(const struct rig *g)
{
	return sampler_exact_of(sampler_test_devices(g));
}

static struct rig *sampler_test_run_all(const char *program, const char *settings,
                                        struct account *a)
{
	struct subject how = {.program = program, .settings = settings, .stdin_fd = -1};
	const struct event_filter f = {.mask = EV_BIT(TUPLE) | EV_BIT(MESSAGE)};
	struct rig *g = rig_open(&how);
	if (a) {
		*a = (struct account){calloc(ACCOUNT_MAX, sizeof *a->tuple),
		                      calloc(ACCOUNT_MAX, sizeof *a->message), 0, 0, 0};
		assert_true(a->tuple && a->message);
		assert_true(machine_listen(g->s->machine, &f, sampler_test_on_event, a) > 0);
	}
	/* a part of it is enough */
	if (strstr(program, "matmul") && !strstr(settings, "memory") && !scale_is("long"))
		machine_run(g->s->machine, 300000, UINT64_MAX);
	else
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
	return g;
}

static void account_free(struct account *a)
{
	free(a->tuple);
	free(a->message);
}

static int sampler_test_compare_by_key(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1)
	                      : (x->value > y->value) - (x->value < y->value);
}

/* Sorts lines and merges those of equal tuples; returns the new number. */
static size_t sampler_test_merge_lines(struct line *l, size_t n)
{
	size_t last = 0;
	qsort(l, n, sizeof *l, sampler_test_compare_by_key);
	for (size_t i = 1; i < n; i++) {
		if (sampler_test_compare_by_key(&l[last], &l[i]) == 0)
			l[last].count += l[i].count;
		else
			l[++last] = l[i];
	}
	return n ? last + 1 : 0;
}

TEST(counts_what_was_selected_and_told)
{
	static const char *const programs[] = {"build/tests/reverse/guest", "build/demos/longjmp",
	                                       "build/demos/matmul"};
	for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
		struct account a;
		struct rig *g = sampler_test_run_all(
			programs[p], ON "sampler.service=40 sampler.message_queue=3", &a);
		const struct sampler_exact *x = sampler_test_exact(g);
		const struct stats *s = machine_stats(g->s->machine);
		assert_true(a.tuples > 10 && s->sampler_read > 0);
		assert_true(p != 2 || a.lost > 0); /* the queue was full now and then */
		assert_int_equal(x->head.selected, a.tuples);
		assert_int_equal(x->head.read, s->sampler_read);
		assert_in_range(s->sampler_read, a.messages - 3, a.messages);
		size_t n = sampler_test_merge_lines(a.tuple, a.tuples),
		       m = sampler_test_merge_lines(a.message, s->sampler_read);
		assert_int_equal(x->head.entries, n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(sampler_exact_find(
						 x, (struct tuple){a.tuple[i].pc, a.tuple[i].value})
			                         .selected,
			                 a.tuple[i].count);
		uint64_t told = 0;
		for (size_t i = 0; i < m; told += a.message[i++].count)
			assert_int_equal(sampler_exact_find(x, (struct tuple){a.message[i].pc,
			                                                      a.message[i].value})
			                         .told,
			                 a.message[i].count);
		assert_int_equal(x->head.told, told);
		assert_int_equal(x->head.lost + x->head.lost_told, 0);
		assert_null(sampler_exact_check(x));
		rig_close(g);
		account_free(&a);
	}
}

/* The error, computed again: with a list of tuples instead of chains. */
TEST(error_is_the_paper_s)
{
	struct account a;
	struct rig *g = sampler_test_run_all(
		"build/demos/matmul",
		ON "sampler.min_count=20 sampler.invariant=5 sampler.covered=30", &a);
	const struct sampler_exact *x = sampler_test_exact(g);
	const struct tuple_thresholds limits = sampler_thresholds(sampler_test_devices(g)->cfg);
	struct tuple_error e;
	double sum = 0, weight = 0;
	size_t n = sampler_test_merge_lines(a.tuple, a.tuples), next;
	assert_true(limits.min_count == 20 && limits.invariant == 0.05 && limits.covered == 0.30);
	for (size_t i = 0; i < n; i = next) {
		double all = 0, seen = 0, covered = 0;
		for (next = i; next < n && a.tuple[next].pc == a.tuple[i].pc; next++) {
			all += (double)a.tuple[next].count;
			seen += (double)sampler_exact_find(
					x, (struct tuple){a.tuple[next].pc, a.tuple[next].value})
			                .told;
		}
		for (size_t k = i; k < next; k++)
			covered += (double)a.tuple[k].count >= 0.05 * all ? (double)a.tuple[k].count
			                                                  : 0;
		if (all < 20 || covered < 0.30 * all)
			continue;
		for (size_t k = i; k < next; k++) {
			double f = (double)a.tuple[k].count,
			       told = (double)sampler_exact_find(
					      x, (struct tuple){a.tuple[k].pc, a.tuple[k].value})
			                      .told;
			if (f < 0.05 * all)
				continue;
			sum += f * fabs(f / all - (seen > 0 ? told / seen : 0));
			weight += f;
		}
	}
	assert_true(sampler_exact_error(sampler_test_exact(g), &limits, &e));
	assert_true(weight > 0 && sum > 0);
	assert_true(fabs(e.error - sum / weight) < 1e-12);
	assert_int_equal(e.weight, weight);
	rig_close(g);
	account_free(&a);
}

TEST(buckets_are_of_their_tuples)
{
	static const char *const compressors[] = {"H(P(4),64),A(4)", "T(64,ways=4,tag=2)"};
	for (unsigned k = 0; k < 2; k++) {
		char settings[96];
		struct account a;
		snprintf(settings, sizeof settings, "sampler.enable=1 sampler.compressor=%s",
		         compressors[k]);
		struct rig *g = sampler_test_run_all("build/demos/matmul", settings, &a);
		const struct compressor *c = &sampler_test_devices(g)->sampler->compressor;
		struct exact_bucket all[64];
		const uint32_t buckets = k ? 16 : 64;
		size_t n = sampler_test_merge_lines(a.tuple, a.tuples);
		assert_int_equal(sampler_exact_buckets(c, 0), buckets);
		sampler_exact_fill(sampler_test_exact(g), c, 0, all);
		for (uint32_t b = 0; b < buckets; b++) {
			uint64_t distinct = 0, sum = 0, most = 0;
			double entropy = 0;
			for (size_t i = 0; i < n; i++) {
				if (compressor_index(
					    c, 0,
					    (struct tuple){a.tuple[i].pc, a.tuple[i].value}) != b)
					continue;
				distinct++;
				sum += a.tuple[i].count;
				most = a.tuple[i].count > most ? a.tuple[i].count : most;
			}
			for (size_t i = 0; i < n; i++) {
				double part = (double)a.tuple[i].count / (double)sum;
				if (compressor_index(
					    c, 0,
					    (struct tuple){a.tuple[i].pc, a.tuple[i].value}) == b)
					entropy -= part * log2(part);
			}
			const struct exact_bucket one =
				sampler_exact_bucket(sampler_test_exact(g), c, 0, b);
			assert_int_equal(all[b].distinct, distinct);
			assert_int_equal(all[b].selected, sum);
			assert_int_equal(all[b].most, most);
			assert_true(fabs(all[b].entropy - entropy) < 1e-6);
			assert_true(!sum || fabs(all[b].bias - (double)most / (double)sum) < 1e-12);
			assert_memory_equal(&one, &all[b], sizeof one);
		}
		rig_close(g);
		account_free(&a);
	}
}

TEST(sampler_observed_is_unobserved)
{
	struct rig *without =
			   sampler_test_run_all("build/demos/matmul", ON "sampler.exact=0", NULL),
		   *with = sampler_test_run_all("build/demos/matmul", ON, NULL);
	assert_null(sampler_test_exact(without));
	assert_int_equal(rig_cycle(with), rig_cycle(without));
	assert_int_equal(rig_hash(with), rig_hash(without));
	rig_close(without);
	rig_close(with);
}

/* ---- the past ---- */
static uint64_t exact_now(const struct rig *g)
{
	assert_int_equal(sampler_test_exact(g)->head.selected,
	                 machine_stats(g->s->machine)->sampler_selected);
	assert_null(sampler_exact_check(sampler_test_exact(g)));
	return sampler_exact_hash(sampler_test_exact(g));
}

TEST(sampler_past_has_its_own_counts)
{
	struct subject how = guest;
	how.settings = ON;
	rig_assert_past(&how, rig_small() ? 30 : 150, exact_now);
}

TEST(sampler_checkpoints_hold_counts)
{
	struct subject how = guest;
	struct err err = {""};
	how.settings = ON "oracle.enable=1";
	struct rig *g = rig_open(&how), *h = rig_open(&how);
	rig_goto(g, 9000);
	uint64_t hash = sampler_exact_hash(sampler_test_exact(g));
	if (!checkpoint_save(g->s, "sampler.checkpoint", &err))
		fail_msg("%s", err.msg);
	struct machine *m = checkpoint_load(h->s, "sampler.checkpoint", &err);
	if (!m)
		fail_msg("%s", err.msg);
	session_adopt(h->s, m);
	assert_int_equal(sampler_exact_hash(sampler_test_exact(h)), hash);
	rig_goto(g, 15000);
	machine_run(h->s->machine, 15000, UINT64_MAX);
	assert_int_equal(sampler_exact_hash(sampler_test_exact(h)),
	                 sampler_exact_hash(sampler_test_exact(g)));
	assert_int_not_equal(sampler_exact_hash(sampler_test_exact(h)), hash);
	remove("sampler.checkpoint");
	rig_close(g);
	rig_close(h);
}

/* ---- memory ---- */
TEST(sampler_overflow_is_lost)
{
	struct account a;
	struct rig *g = sampler_test_run_all("build/demos/matmul",
	                                     ON "sampler.select=value sampler.memory=1M", &a);
	const struct sampler_exact *x = sampler_test_exact(g);
	size_t n = sampler_test_merge_lines(a.tuple, a.tuples);
	uint64_t lost = 0;
	assert_int_equal(x->head.entries, x->table.capacity);
	assert_true(n > x->table.capacity && x->head.starved == 0);
	assert_null(sampler_exact_check(x));
	assert_true(cow_bytes(x->store.cow) < (1 << 20) * 5 / 4);
	for (size_t i = 0; i < n; i++) {
		const struct exact_tuple t =
			sampler_exact_find(x, (struct tuple){a.tuple[i].pc, a.tuple[i].value});
		assert_true(!t.selected || t.selected == a.tuple[i].count);
		lost += t.selected ? 0 : a.tuple[i].count;
	}
	assert_int_equal(lost, x->head.lost);
	rig_close(g);
	account_free(&a);
}

TEST_GROUP(rig_enter, rig_leave)
