/* The co-processor changes nothing of the machine, and tags nothing without timing. */
#include "tests/by_hand.h"
#include "tests/unit/prof/cop_subjects.h"

/* ---- effects on the machine ---- */
/* Compares statistics, except the co-processor's own. */
static void cop_untouched_expect_same_stats(const struct machine *a, const struct machine *b)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		if (strncmp(stat_rows[i].name, "cop.", 4) == 0)
			continue;
		const double x = stat_value(machine_stats(a), &stat_rows[i]),
			     y = stat_value(machine_stats(b), &stat_rows[i]);
		if (x < y || x > y)
			fail_msg("%s: %g and %g", stat_rows[i].name, x, y);
	}
}

static struct machine *cop_untouched_run_machine(const struct subject *how, bool loaded,
                                                 struct program **p)
{
	struct micro_image image = {0};
	struct err err;
	ref = (struct reference){0};
	struct machine *m = cop_subjects_launch_machine(how, p);
	assert_true(micro_assemble(everything, strlen(everything), "text", NULL, 0, &image, &err));
	/* a change empties the pipeline, in all three machines */
	assert_true(machine_set_reg(m, 31, 0, &err));
	if (loaded)
		cop_subjects_configure_cop(how, m, &image);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	micro_image_free(&image);
	return m;
}

TEST(the_machine_does_the_same)
{
	const struct subject with = {.program = "build/demos/longjmp",
	                             .settings = {"cop.bus=4", NULL}},
			     without = {.program = "build/demos/longjmp",
	                                .settings = {"cop.enable=false", NULL}};
	struct program *p[3];
	struct machine *m[] = {cop_untouched_run_machine(&without, false, &p[0]),
	                       cop_untouched_run_machine(&with, false, &p[1]),
	                       cop_untouched_run_machine(&with, true, &p[2])};
	assert_int_equal(machine_stats(m[1])->cop_tagged, 0);
	assert_true(machine_stats(m[2])->cop_records > 10000);
	cop_untouched_expect_same_stats(m[0], m[1]);
	cop_untouched_expect_same_stats(m[0], m[2]);
	for (unsigned i = 0; i < 3; i++) {
		machine_free(m[i]);
		program_free(p[i]);
	}
}

TEST(nothing_is_tagged_without_timing)
{
	const struct subject how = {.program = "build/demos/fib", .text = slow};
	struct micro_image image = {0};
	struct program *p;
	struct err err;
	ref = (struct reference){0};
	struct machine *m = cop_subjects_launch_machine(&how, &p);
	assert_true(micro_assemble(slow, strlen(slow), "text", NULL, 0, &image, &err));
	cop_subjects_configure_cop(&how, m, &image);
	machine_run(m, 3000, UINT64_MAX);
	while (!cop_of(machine_pipe(m)->prof)->st->way_count)
		assert_true(machine_step(m));
	const uint64_t tagged = machine_stats(m)->cop_tagged,
		       samples = machine_stats(m)->cop_samples;
	const struct cop_state was = *cop_of(machine_pipe(m)->prof)->st;
	assert_true(tagged > 100 && was.way_count);
	assert_true(machine_set_reg(m, 31, machine_reg(m, 31), &err)); /* empties the pipeline */
	machine_run_functional(m, 20000, true);
	assert_int_equal(machine_stats(m)->cop_tagged, tagged);
	assert_int_equal(machine_stats(m)->cop_samples, samples);
	assert_memory_equal(cop_of(machine_pipe(m)->prof)->st, &was, sizeof was);
	machine_run(m, machine_cycle(m) + 3000, UINT64_MAX);
	assert_true(machine_stats(m)->cop_samples > samples + 100);
	assert_null(prof_check(machine_pipe(m)->prof));
	machine_free(m);
	program_free(p);
	micro_image_free(&image);
}

TEST_GROUP(guests_are_there, NULL)
