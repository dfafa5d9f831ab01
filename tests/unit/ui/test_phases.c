/* Basic-block vectors against counts of every instruction, and k-means on known groups. */
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "core/machine/run_blocks.h"
#include "core/run/phases.h"
#include "loader/launch.h"
#include "tests/cases.h"

/* ---- vectors ---- */
struct guest {
	struct program *p;
	struct machine *m;
};

static struct guest phases_start_guest(void)
{
	static char *words[] = {"build/demos/sort", "demos/programs/input/words.txt", NULL};
	struct guest g;
	struct config cfg;
	struct err err = {""};
	const struct launch l = {
		.path = words[0], .argc = 2, .argv = words, .stdin_fd = -1, .output = os_no_output};
	config_default(&cfg);
	g.p = launch_program(&l, &err);
	g.m = g.p ? launch_machine(&l, g.p, &cfg, &err) : NULL;
	if (!g.m)
		fail_msg("%s", err.msg);
	return g;
}

static void phases_release_guest(struct guest *g)
{
	machine_free(g->m);
	program_free(g->p);
}

enum { STEPS = 30000, HEARD = 20000 };

struct heard {
	size_t count;
	uint64_t pc[HEARD], insts[HEARD];
};

static void phases_record_block(void *ctx, uint64_t pc, uint64_t insts)
{
	struct heard *h = ctx;
	assert_true(h->count < HEARD);
	h->pc[h->count] = pc;
	h->insts[h->count++] = insts;
}

/* Single steps: each instruction that does not fall through is a branch or a jump with an event;
 * nothing else differs. */
TEST(branches_are_heard_where_they_are)
{
	struct heard *h = calloc(1, sizeof *h);
	struct guest fast = phases_start_guest(), steps = phases_start_guest();
	assert_non_null(h);
	for (int i = 0; i < 3; i++)
		assert_int_equal(machine_run_blocks(fast.m, STEPS / 3, phases_record_block, h),
		                 STEPS / 3);
	size_t next = 0, far = 0;
	for (uint64_t i = 0; i < STEPS; i++) {
		const uint64_t pc = machine_pc(steps.m);
		const bool told = next < h->count && h->insts[next] == i;
		assert_int_equal(machine_run_functional(steps.m, 1, false), 1);
		const uint64_t gone = machine_pc(steps.m) - pc;
		if (told)
			assert_true(h->pc[next++] == pc);
		else if (gone != 2 && gone != 4)
			fail_msg("instruction %llu at %llx went %llx further, unheard",
			         (unsigned long long)i, (unsigned long long)pc,
			         (unsigned long long)gone);
		far += gone != 2 && gone != 4;
	}
	assert_int_equal(next, h->count);
	assert_true(far > 1000);
	assert_true(machine_hash(fast.m) == machine_hash(steps.m));
	phases_release_guest(&fast);
	phases_release_guest(&steps);
	free(h);
}

/* The vector of two joined intervals is the mean of theirs, except for blocks that the borders
 * cut. */
TEST(longer_intervals_are_means_of_shorter)
{
	struct phases shorter = {0}, longer = {0};
	struct guest a = phases_start_guest(), b = phases_start_guest();
	assert_true(phases_collect(&shorter, a.m, 100000, 2000000));
	assert_true(phases_collect(&longer, b.m, 200000, 2000000));
	assert_int_equal(shorter.count, 20);
	assert_int_equal(longer.count, 10);
	double most = 0;
	for (size_t i = 0; i < longer.count; i++) {
		assert_int_equal(longer.interval[i].insts, 200000);
		for (int d = 0; d < PHASE_DIMS; d++) {
			const double mean = (shorter.interval[2 * i].at[d] +
			                     shorter.interval[2 * i + 1].at[d]) /
			                    2;
			assert_true(fabs(longer.interval[i].at[d] - mean) < 0.002);
			most = fmax(most, fabs(mean));
		}
	}
	assert_true(most > 0.1);
	/* the last interval ends with the program */
	struct phases whole = {0};
	struct guest c = phases_start_guest();
	assert_true(phases_collect(&whole, c.m, 10000000, UINT64_MAX));
	assert_int_equal(whole.count, 5);
	assert_true(whole.interval[4].insts < 10000000);
	phases_deinit(&whole);
	phases_release_guest(&c);
	phases_deinit(&shorter);
	phases_deinit(&longer);
	phases_release_guest(&a);
	phases_release_guest(&b);
}

/* ---- groups ---- */
/* Interval i of group g lies within 0.2 of 10 g. */
static struct phases phases_make_known_groups(size_t count, const unsigned group[])
{
	struct phases p = {.count = count, .cap = count};
	p.interval = calloc(count, sizeof *p.interval);
	assert_non_null(p.interval);
	for (size_t i = 0; i < count; i++) {
		p.interval[i].insts = 1000;
		for (int d = 0; d < PHASE_DIMS; d++)
			p.interval[i].at[d] =
				10.0 * group[i] + 0.05 * (double)((i + (size_t)d) % 5);
	}
	return p;
}

TEST(known_groups_are_found)
{
	enum { COUNT = 40 };
	unsigned group[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		group[i] = i < 20 ? 0 : i < 30 ? 2 : i % 2 ? 1 : 5;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct phases p = phases_make_known_groups(COUNT, group);
		assert_true(phases_group(&p, 4, seed));
		assert_int_equal(p.k, 4);
		double all = 0;
		for (unsigned k = 0; k < p.k; k++) {
			const unsigned of = group[p.middle[k]];
			assert_int_equal(p.phase[p.middle[k]], k);
			assert_true(fabs(p.weight[k] - (of == 0 ? 0.5 : of == 2 ? 0.25 : 0.125)) <
			            1e-12);
			assert_true(p.spread[k] < 0.4);
			all += p.weight[k];
		}
		assert_true(fabs(all - 1) < 1e-12);
		for (size_t i = 0; i < COUNT; i++)
			for (size_t j = 0; j < COUNT; j++)
				assert_int_equal(p.phase[i] == p.phase[j], group[i] == group[j]);
		phases_deinit(&p);
	}
}

/* More phases than different intervals; one interval; none. */
TEST(no_more_phases_than_kinds)
{
	static const unsigned same[3] = {1, 1, 1};
	struct phases p = phases_make_known_groups(3, same), none = {0};
	for (size_t i = 0; i < 3; i++)
		p.interval[i] = p.interval[0];
	assert_true(phases_group(&p, 10, 1));
	assert_int_equal(p.k, 1);
	assert_true(p.weight[0] == 1 && p.spread[0] < 1e-9);
	p.interval[2].at[3] += 1;
	p.interval[2].insts = 500;
	assert_true(phases_group(&p, 10, 1));
	assert_int_equal(p.k, 2);
	assert_true(fabs(p.weight[p.phase[2]] - 0.2) < 1e-12);
	assert_true(phases_group(&p, 1, 1));
	assert_int_equal(p.k, 1);
	assert_int_equal(p.middle[0], 0);
	assert_true(phases_group(&none, 3, 1));
	assert_int_equal(none.k, 0);
	phases_deinit(&p);
}
