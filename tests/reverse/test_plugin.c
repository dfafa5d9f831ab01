/* Plug-ins that repeat the built-in kinds make the same machine, cycle by cycle and in the past; a
 * failing plug-in ends the run in the cycle of its failure. */
#include <stdio.h>

#include "core/prof/sampler/compressor.h"
#include "tests/reverse/plugins.h"
#include "tests/reverse/rig.h"

#define SMALL "l1i.size=2K l1d.size=1K l1d.ways=4 l2.size=16K lsq.speculate=1 "

static const char *const programs[] = {"build/demos/branchy", "build/demos/matmul",
                                       "build/demos/selfmod", "build/demos/longjmp"};

enum { PROGRAMS = sizeof programs / sizeof *programs };

/* True if two machines spend the same cycles on the same causes. */
static void same_run(struct rig *a, struct rig *b)
{
	const struct machine *m = a->s->machine, *n = b->s->machine;
	while (machine_status(m) == MACHINE_RUNNING) {
		machine_run(a->s->machine, machine_cycle(m) + 1000, UINT64_MAX);
		machine_run(b->s->machine, machine_cycle(n) + 1000, UINT64_MAX);
		assert_int_equal(machine_cycle(m), machine_cycle(n));
		assert_memory_equal(machine_stats(m), machine_stats(n), sizeof(struct stats));
	}
	assert_int_equal(machine_status(n), MACHINE_EXITED);
}

static void as_built_in(const char *settings, const char *kinds, const struct plugins *plugins)
{
	char text[512];
	rig_go_top();
	snprintf(text, sizeof text, "%s%s", settings, kinds);
	for (unsigned i = 0; i < (rig_small() ? 1 : PROGRAMS); i++) {
		const struct subject built_in = {
			.program = programs[i], .settings = text, .stdin_fd = -1};
		const struct subject plugged = {.program = programs[i],
		                                .settings = settings,
		                                .plugins = plugins,
		                                .stdin_fd = -1};
		struct rig *a = rig_open(&built_in), *b = rig_open(&plugged);
		same_run(a, b);
		rig_close(a);
		rig_close(b);
	}
}

TEST(a_predictor)
{
	const struct plugins p = {.at[PLUGIN_PREDICTOR] = &plugin_gshare};
	as_built_in("bpred.update=commit ", "bpred.kind=gshare", &p);
	as_built_in(SMALL "bpred.update=commit ", "bpred.kind=gshare", &p);
}

TEST(plugin_replacement_as_built_in)
{
	static const enum plugin_place places[] = {PLUGIN_L1I_REPLACEMENT, PLUGIN_L1D_REPLACEMENT,
	                                           PLUGIN_L2_REPLACEMENT};
	for (unsigned i = 0; i < 3; i++) {
		struct plugins p = {.at = {NULL}};
		p.at[places[i]] = &plugin_lru;
		as_built_in(SMALL, "", &p);
	}
}

/* Of any instruction, and in the present cycle. */
static uint64_t uses_without_pc, uses_latest;

static bool count_use(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
                      struct plugin_moment m, struct err *err)
{
	uint64_t *last = ctx;
	uses_without_pc += !m.pc;
	assert_true(m.cycle >= uses_latest);
	uses_latest = m.cycle;
	(void)set;
	(void)way;
	(void)fill;
	(void)err;
	*last = (uint64_t)plugin_get(s, 0, 0) + 1;
	plugin_put(s, 0, 0, (int64_t)*last);
	return true;
}

/* A policy is notified of every access, also of one that goes on in the line used last. */
TEST(every_use)
{
	static const struct plugin_table uses = {.name = "uses", .count = 1, .bits = 48};
	uint64_t last = 0;
	struct plugin p = plugin_lru;
	struct plugins plugins = {.at[PLUGIN_L1D_REPLACEMENT] = &p};
	p.table = &uses;
	p.tables = 1;
	p.used = count_use;
	p.ctx = &last;
	rig_go_top();
	/* As large as it takes: no set is ever full. */
	struct rig *g = rig_open(&(struct subject){.program = "build/demos/longjmp",
	                                           .settings = "l1d.size=16M",
	                                           .plugins = &plugins,
	                                           .stdin_fd = -1});
	machine_run(g->s->machine, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(g->s->machine), MACHINE_EXITED);
	assert_true(last > 1000);
	assert_int_equal(last, machine_stats(g->s->machine)->l1d_accesses);
	assert_int_equal(uses_without_pc, 0);
	assert_in_range(uses_latest, 1000, machine_cycle(g->s->machine));
	rig_close(g);
}

static bool plugin_test_count_access(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                         uint64_t *line, uint32_t *lines, struct err *err)
{
	uint64_t *count = ctx;
	(void)s;
	(void)line;
	(void)lines;
	(void)err;
	count[a->store]++;
	return true;
}

/* A prefetcher is notified of every access in warming, also of those to the line used last. */
TEST(plugin_prefetcher_warms_with_each_access)
{
	enum { WARMED = 100000 };
	uint64_t seen[2] = {0, 0}, loads = 0, stores = 0;
	const struct plugin p = {.name = "counts", .ctx = seen, .access = plugin_test_count_access};
	const struct plugins plugins = {.at[PLUGIN_L1D_PREFETCHER] = &p};
	rig_go_top();
	const struct subject counted = {.program = "build/demos/matmul",
	                                .settings = "",
	                                .plugins = &plugins,
	                                .stdin_fd = -1};
	struct rig *a = rig_open(&counted), *b = rig_open(&counted);
	assert_int_equal(machine_run_functional(a->s->machine, WARMED, true), WARMED);
	for (unsigned i = 0; i < WARMED; i++) {
		const struct inst *in = mem_fetch(machine_pipe(b->s->machine)->ram,
		                                  machine_pc(b->s->machine));
		loads += (inst_flags(in) & OPF_LOAD) != 0;
		stores += (inst_flags(in) & OPF_STORE) != 0;
		assert_int_equal(machine_run_functional(b->s->machine, 1, false), 1);
	}
	assert_true(loads > 10000 && stores > 1000);
	assert_int_equal(seen[false], loads);
	assert_int_equal(seen[true], stores);
	rig_close(a);
	rig_close(b);
}

TEST(plugin_prefetchers_as_built_in)
{
	static const enum plugin_place places[] = {PLUGIN_L1I_PREFETCHER, PLUGIN_L1D_PREFETCHER,
	                                           PLUGIN_L2_PREFETCHER};
	static const char *const kinds[] = {"l1i.prefetch=next-line", "l1d.prefetch=next-line",
	                                    "l2.prefetch=next-line"};
	for (unsigned i = 0; i < 3; i++) {
		struct plugins p = {.at = {NULL}};
		p.at[places[i]] = &plugin_next_line;
		as_built_in(SMALL, kinds[i], &p);
	}
}

#define TARGETS "bpred.update=commit btb.ways=1 btb.sets=256 bpred.index_shift=1 "

/* A target buffer of one way; and a count of control instructions in scratch tables, which fails if
 * a squash leaves one of a wrong path. */
TEST(targets_as_built_in)
{
	const struct plugins p = {.at = {[PLUGIN_BTB] = &plugin_direct_targets,
	                                 [PLUGIN_INDIRECT] = &plugin_counts_control}};
	as_built_in(TARGETS, "", &p);
	as_built_in(SMALL TARGETS "bpred.kind=gshare pipe.fetch_past_taken=1 pipe.fetch_lines=4 ", "",
	            &p);
	as_built_in(TARGETS "pipe.in_order=1 bpred.resolve=id ", "", &p);
}

TEST(all_together)
{
	as_built_in(SMALL TARGETS,
	            "bpred.kind=gshare l1i.prefetch=next-line l1d.prefetch=next-line "
	            "l2.prefetch=next-line sampler.enable=1 "
	            "sampler.compressor=P(4)",
	            &plugins_all);
}

/* Skipped blocks, a predictor that is sometimes wrong, and branches that are profile instructions.
 */
TEST(plugin_flag_bits_as_built_in)
{
	static const char *const profiled[] = {"build/demos/xprof/checks",
	                                       "build/demos/xprof/calls"};
	static const char *const how[] = {"", "bdt.sets=2 bdt.replacement=fifo",
	                                  "bdt.min_block=1 bdt.skip_penalty=3", "xprof.bpred=flag",
	                                  "bdt.sets=0"};
	const struct plugins p = {.at[PLUGIN_FLAGS] = &plugin_flag_bits};
	uint64_t skips = 0, wrong = 0;
	rig_go_top();
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < (rig_small() ? 2 : sizeof how / sizeof *how); k++) {
			struct rig *a = rig_open(&(struct subject){
				.program = profiled[i], .settings = how[k], .stdin_fd = -1});
			struct rig *b = rig_open(&(struct subject){.program = profiled[i],
			                                           .settings = how[k],
			                                           .plugins = &p,
			                                           .stdin_fd = -1});
			same_run(a, b);
			skips += machine_stats(b->s->machine)->xprof_skips;
			wrong += machine_stats(b->s->machine)->xprof_flag_mispredicts;
			rig_close(a);
			rig_close(b);
		}
	assert_true(skips > 100000 && wrong > 1000);
}

/* Warming up without timing gives equal plug-in state. */
TEST(warm_up)
{
	rig_go_top();
	const struct subject built_in = {
		.program = "build/demos/matmul",
		.settings = SMALL TARGETS "bpred.kind=gshare l1i.prefetch=next-line "
	                          "l1d.prefetch=next-line "
				  "l2.prefetch=next-line sampler.enable=1 sampler.compressor=P(4)",
		.stdin_fd = -1};
	const struct subject plugged = {.program = "build/demos/matmul",
	                                .settings = SMALL TARGETS,
	                                .plugins = &plugins_all,
	                                .stdin_fd = -1};
	struct rig *a = rig_open(&built_in), *b = rig_open(&plugged);
	assert_int_equal(machine_run_functional(a->s->machine, 300000, true), 300000);
	assert_int_equal(machine_run_functional(b->s->machine, 300000, true), 300000);
	same_run(a, b);
	rig_close(a);
	rig_close(b);
}

TEST_GROUP(rig_enter, rig_leave)
