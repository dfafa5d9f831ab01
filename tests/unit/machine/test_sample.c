/* Units of a program of unknown length: where they lie, which are pairs, what is dropped
 * when they are too many, and that output is made once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/defs/config.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/run/sample.h"
#include "loader/launch.h"

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
                                         .offset = 7000,
                                         .check = 15000,
                                         .pair_every = 3};

static void sample_check_whole_run(uint64_t most, uint64_t until, const struct heard *plain,
                                   uint64_t length)
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
	while (sample_fits(&(struct sample_plan){.unit = 500, .every = every, .offset = 7000},
	                   length) > most)
		every *= 2;
	assert_int_equal(plan.every, every);
	assert_in_range(s.count, (length - 7000 - 1000) / every, most);
	for (size_t i = 0; i < s.count; i++) {
		assert_in_range(s.at[i], 7000 + i * every, 7000 + i * every + 64);
		assert_in_range(STAT(sample_unit(&s, i), insts), 500, 564);
	}
	assert_int_equal(s.pairs, (s.count + 2) / 3);
	for (size_t i = 0; i < s.pairs; i++) {
		assert_int_equal(s.pair_unit[i], 3 * i);
		assert_in_range(STAT(sample_pair(&s, i), insts), 500, 564);
	}
	sample_deinit(&s);
	sample_release_guest(&g);
}

static void units_are_even_and_output_is_made_once(void **state)
{
	(void)state;
	struct guest g;
	sample_start_guest(&g);
	machine_run_functional(g.m, UINT64_MAX, false);
	const uint64_t length = machine_insts(g.m);
	const struct heard plain = g.heard;
	sample_release_guest(&g);
	assert_true(plain.bytes > 0 && length > 1000000);
	sample_check_whole_run(1000000, UINT64_MAX, &plain, length);
	sample_check_whole_run(32, UINT64_MAX, &plain, length);
	sample_check_whole_run(10, UINT64_MAX, &plain, length);
	sample_check_whole_run(32, 500000, NULL, 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_even_and_output_is_made_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
