/* Live points: a machine with another core that reads them has the state of the machine that wrote
 * them; damaged files are reported. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/machine/warm_state.h"
#include "core/mem/mem.h"
#include "core/run/live_points.h"
#include "loader/launch.h"
#include "tests/cases.h"

struct guest {
	struct program *p;
	struct machine *m;
};

static struct guest live_points_start_guest(char *const words[], const char *option)
{
	struct guest g;
	struct config cfg;
	struct err err = {""};
	struct launch l = {.path = words[0],
	                   .argv = (char **)(uintptr_t)words,
	                   .stdin_fd = -1,
	                   .output = os_no_output};
	while (words[l.argc])
		l.argc++;
	config_default(&cfg);
	if (option && !config_set_assignment(&cfg, option, &err))
		fail_msg("%s", err.msg);
	g.p = launch_program(&l, &err);
	g.m = g.p ? launch_machine(&l, g.p, &cfg, &err) : NULL;
	if (!g.m)
		fail_msg("%s", err.msg);
	return g;
}

static void live_points_release_guest(struct guest *g)
{
	machine_free(g->m);
	program_free(g->p);
}

static char *const sort[] = {"build/demos/sort", "demos/programs/input/words.txt", NULL};
static char *const lisp[] = {"build/demos/lisp", "demos/programs/input/queens.lisp", NULL};

enum { POINTS = 6, FAR = 60000 };

/* The machine's state, but for its output. */
static uint64_t live_points_hash_machine(struct machine *m)
{
	struct warm_span span[WARM_SPANS];
	uint64_t h = mem_hash(machine_mem(m));
	const unsigned n = machine_warm_spans(m, span);
	assert_true(n >= 15);
	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; strcmp(span[i].name, "system") != 0 && k < span[i].words; k++)
			h = (h ^ span[i].at[k]) * UINT64_C(0x100000001b3);
	}
	return h;
}

/* A file of points, the digests at each. */
static FILE *live_points_write_file(char *const words[], uint64_t digests[POINTS])
{
	struct err err = {""};
	struct guest g = live_points_start_guest(words, NULL);
	FILE *f = tmpfile();
	assert_non_null(f);
	struct live_points *p = live_points_new(g.m, f, true);
	assert_non_null(p);
	machine_forget_past(g.m);
	for (int i = 0; i < POINTS; i++) {
		assert_int_equal(machine_run_functional(g.m, FAR, true), FAR);
		assert_true(live_points_put(p, &err));
		digests[i] = live_points_hash_machine(g.m);
	}
	live_points_close(p);
	live_points_free(p);
	live_points_release_guest(&g);
	assert_int_equal(fflush(f), 0);
	rewind(f);
	return f;
}

/* Between two points the machine runs on with timing, and returns. */
static void live_points_check_read_back(char *const words[])
{
	uint64_t digests[POINTS];
	struct err err = {""};
	bool more;
	FILE *f = live_points_write_file(words, digests);
	struct guest g = live_points_start_guest(words, "pipe.rob_size=16");
	struct live_points *p = live_points_new(g.m, f, false);
	assert_non_null(p);
	for (int i = 0; i < POINTS; i++) {
		if (!live_points_get(p, &more, &err))
			fail_msg("point %d: %s", i, err.msg);
		assert_true(more);
		assert_true(machine_warm_adopt(g.m, &err));
		assert_int_equal(machine_insts(g.m), (uint64_t)(i + 1) * FAR);
		assert_true(live_points_hash_machine(g.m) == digests[i]);
		struct snapshot *s = machine_snapshot(g.m);
		assert_non_null(s);
		machine_run(g.m, UINT64_MAX, machine_insts(g.m) + 2000);
		assert_true(machine_insts(g.m) >= (uint64_t)(i + 1) * FAR + 2000);
		assert_true(live_points_hash_machine(g.m) != digests[i]);
		machine_restore(g.m, s);
		snapshot_free(s);
	}
	assert_true(live_points_get(p, &more, &err));
	assert_false(more);
	live_points_free(p);
	live_points_release_guest(&g);
	fclose(f);
}

TEST(another_core_has_the_same)
{
	live_points_check_read_back(sort);
	live_points_check_read_back(lisp);
}

/* Reads to the end; false if the file is reported as damaged. */
static bool live_points_file_is_readable(FILE *f)
{
	struct err err = {""};
	bool more = true, ok = true;
	struct guest g = live_points_start_guest(lisp, NULL);
	struct live_points *p = live_points_new(g.m, f, false);
	assert_non_null(p);
	while (ok && more)
		ok = live_points_get(p, &more, &err) && (!more || machine_warm_adopt(g.m, &err));
	assert_true(ok || *err.msg);
	live_points_free(p);
	live_points_release_guest(&g);
	return ok;
}

TEST(damage_is_told)
{
	uint64_t digests[POINTS];
	FILE *f = live_points_write_file(lisp, digests);
	assert_true(live_points_file_is_readable(f));
	const long size = ftell(f);
	for (int i = 0; i < 40; i++) {
		/* early, at lengths and places, and anywhere */
		const long at = i < 20 ? 4 * i : (size - 8) / 20 * (i - 20);
		assert_int_equal(fseek(f, at, SEEK_SET), 0);
		const int was = fgetc(f);
		fseek(f, at, SEEK_SET);
		fputc(was ^ (1 << i % 8), f);
		rewind(f);
		if (live_points_file_is_readable(f))
			fail_msg("a changed byte at %ld is not noticed", at);
		fseek(f, at, SEEK_SET);
		fputc(was, f);
		rewind(f);
	}
	char *bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	for (int i = 1; i < 6; i++) {
		FILE *part = fmemopen(bytes, (size_t)(size / 6 * i), "r");
		assert_non_null(part);
		assert_false(live_points_file_is_readable(part));
		fclose(part);
	}
	free(bytes);
	fclose(f);
}

/* Parameters of caches, of predictors and of the program's environment are not of the core
 * alone. */
TEST(what_warming_knows_of)
{
	static const char *const core[] = {"pipe.rob_size", "lsq.size",    "fu.int",
	                                   "l1d.mshrs",     "l2.latency",  "mem.latency",
	                                   "lat.imul",      "tlb.penalty", "bpred.penalty"},
				 *const warm[] = {"l1i.size", "l2.ways", "bpred.kind", "ras.size",
	                                          "btb.sets", "tlb.page", "dtlb.ways", "sim.seed",
	                                          "isa", "l1d.prefetch", "l1d.replacement",
	                                          "xprof.enable", "l2.perfect"};
	struct err err;
	for (size_t i = 0; i < sizeof core / sizeof *core; i++)
		assert_true(machine_warm_ignores(param_find(core[i], &err)));
	for (size_t i = 0; i < sizeof warm / sizeof *warm; i++)
		assert_false(machine_warm_ignores(param_find(warm[i], &err)));
}
