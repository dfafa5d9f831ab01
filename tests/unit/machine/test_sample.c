/* Places of units: at random in strata, also while the program's length is unknown; pairs; dropped
 * units when there are too many; output made once. */
#include <stdint.h>

#include "core/defs/config.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/run/sample.h"
#include "loader/launch.h"
#include "tests/cases.h"

/* The guest's output. */
struct heard {
	uint64_t bytes, digest;
};

static void sample_digest_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct heard *h = ctx;
	const unsigned char *at = bytes;
	(void)fd;
	for (size_t i = 0; i < n; i++)
		h->digest = (h->digest ^ at[i]) * UINT64_C(0x100000001b3);
	h->bytes += n;
}

struct guest {
	struct heard heard;
	struct program *p;
	struct machine *m;
};

/* Prints a line for each of a few expressions. */
static void sample_start_guest(struct guest *g)
{
	static char *words[] = {"build/demos/lisp", "demos/programs/input/deriv.lisp",
	                        "demos/programs/input/meta.lisp", NULL};
	struct err err = {""};
	struct config cfg;
	struct launch l = {.path = words[0],
	                   .argc = 3,
	                   .argv = words,
	                   .stdin_fd = -1,
	                   .output = sample_digest_output,
	                   .output_ctx = &g->heard};
	config_default(&cfg);
	g->heard = (struct heard){0, 0};
	g->p = launch_program(&l, &err);
	g->m = g->p ? launch_machine(&l, g->p, &cfg, &err) : NULL;
	if (!g->m)
		fail_msg("%s", err.msg);
}

static void sample_release_guest(struct guest *g)
{
	machine_free(g->m);
	program_free(g->p);
}

static const struct sample_plan shape = {.unit = 500,
                                         .warm = 1000,
                                         .every = 20000,
                                         .finest = 20000,
                                         .seed = 7,
                                         .offset = 7000,
                                         .check = 15000};

static void sample_check_whole_run(uint64_t most, uint64_t until, const struct heard *plain,
                                   uint64_t length, size_t *pairs)
{
	struct guest g;
	struct sample s = {0};
	struct sample_plan plan = shape;
	sample_start_guest(&g);
	assert_int_equal(sample_all(g.m, &plan, most, &until, &s), SAMPLE_DONE);
	assert_true(machine_insts(g.m) >= length && machine_insts(g.m) < length + 64);
	if (until == UINT64_MAX)
		assert_memory_equal(&g.heard, plain, sizeof *plain);
	/* the least doubling of the distance with which no more than `most` fit */
	uint64_t every = shape.every;
	for (;; every *= 2) {
		struct sample_plan coarser = shape;
		coarser.every = every;
		if (sample_fits(&coarser, length) <= most)
			break;
	}
	assert_int_equal(plan.every, every);
	assert_in_range(s.count, (length - 7000 - 1000) / every, most);
	for (size_t i = 0; i < s.count; i++) {
		/* the place lies in its stratum, and is one of the first plan */
		const uint64_t place = sample_position(&plan, i);
		assert_in_range(place, 7000 + i * every, 7000 + (i + 1) * every - 1);
		assert_int_equal(sample_position(&shape, (place - 7000) / 20000), place);
		assert_in_range(s.at[i], place, place + 64);
		assert_in_range(STAT(sample_unit(&s, i), insts), 500, 564);
	}
	assert_int_equal(plan.pair_every, sample_pair_every(s.count));
	/* each group of the first plan has one pair; thinning drops some */
	const size_t groups = s.count / plan.pair_every;
	assert_in_range(s.pairs, every == shape.every ? groups : 0, groups + 4);
	for (size_t i = 0; i < s.pairs; i++) {
		assert_in_range(s.pair_unit[i], i ? s.pair_unit[i - 1] + 1 : 0, s.count - 1);
		assert_in_range(STAT(sample_pair(&s, i), insts), 500, 564);
	}
	*pairs += s.pairs;
	sample_deinit(&s);
	sample_release_guest(&g);
}

TEST(units_lie_in_strata_and_output_is_made_once)
{
	struct guest g;
	sample_start_guest(&g);
	machine_run_functional(g.m, UINT64_MAX, false);
	const uint64_t length = machine_insts(g.m);
	const struct heard plain = g.heard;
	sample_release_guest(&g);
	assert_true(plain.bytes > 0 && length > 1000000);
	size_t pairs = 0, thinned = 0, once = 0;
	sample_check_whole_run(1000000, UINT64_MAX, &plain, length, &pairs);
	sample_check_whole_run(32, UINT64_MAX, &plain, length, &thinned);
	sample_check_whole_run(10, UINT64_MAX, &plain, length, &thinned);
	sample_check_whole_run(32, 500000, NULL, 500000, &thinned);
	sample_check_whole_run(998, UINT64_MAX, &plain, length, &once);
	assert_in_range(once, 25, 50); /* a half of 50, and one for 20 further units */
	assert_true(pairs > 3 && thinned > 0);
}

/* Units of strata hardly longer than a unit overlap, and are measured whole; afterwards the machine
 * is where it would be without them. */
TEST(units_may_overlap)
{
	struct guest g;
	struct sample s = {0};
	const struct sample_plan tight = {
		.unit = 500, .warm = 1000, .every = 1600, .finest = 1600, .seed = 3};
	size_t overlapping = 0;
	sample_start_guest(&g);
	assert_int_equal(sample_units(g.m, &tight, 0, 200, 0, &s), SAMPLE_DONE);
	assert_int_equal(s.count, 200);
	for (size_t i = 0; i < s.count; i++) {
		const uint64_t place = sample_position(&tight, i);
		assert_in_range(s.at[i], place, place + 64);
		assert_in_range(STAT(sample_unit(&s, i), insts), 500, 564);
		overlapping += i && s.at[i] < s.at[i - 1] + 500;
	}
	assert_in_range(overlapping, 1, 60);
	sample_deinit(&s);
	sample_release_guest(&g);
}

/* Places are uniform over strata, also after the plan was thinned. */
TEST(places_are_uniform)
{
	enum { CELLS = 16, DRAWS = 16000 };
	for (uint64_t every = 4800; every <= 4 * 4800; every *= 2) {
		const struct sample_plan p = {.unit = 1, .every = every, .finest = 4800, .seed = 5};
		unsigned seen[CELLS] = {0};
		double squares = 0;
		for (uint64_t k = 0; k < DRAWS; k++)
			seen[(sample_position(&p, k) - k * every) * CELLS / every]++;
		for (int i = 0; i < CELLS; i++) {
			const double away = seen[i] - (double)DRAWS / CELLS;
			squares += away * away / ((double)DRAWS / CELLS);
		}
		/* chi-squared with 15 degrees of freedom exceeds it once in 10,000 */
		assert_true(squares < 44.3);
	}
}
