/* Plug-ins that fail, return invalid values, or are for another place. */
#include <stdio.h>
#include <string.h>

#include "core/machine/params.h"
#include "core/prof/sampler/compressor.h"
#include "tests/reverse/plugins.h"
#include "tests/reverse/rig.h"

#define SMALL "l1i.size=2K l1d.size=1K l1d.ways=4 l2.size=16K lsq.speculate=1 "

/* ---- failures ---- */
static struct rig *rig_of(enum plugin_place place, const struct plugin *plugin,
                          struct plugins *plugins)
{
	rig_go_top();
	*plugins = (struct plugins){.at = {NULL}};
	plugins->at[place] = plugin;
	return rig_open(&(struct subject){.program = place == PLUGIN_FLAGS
	                                                     ? "build/demos/xprof/checks"
	                                                     : "build/demos/matmul",
	                                  .settings = SMALL,
	                                  .plugins = plugins,
	                                  .history = {.history = true},
	                                  .stdin_fd = -1});
}

TEST(a_failure_ends_the_run)
{
	for (unsigned place = 0; place <= PLUGIN_STAGE; place++) {
		struct failing after = {.calls = 20};
		const struct plugin plugin = plugin_failing_at(place, &after);
		struct plugins plugins;
		char text[256];
		struct rig *g = rig_of(place, &plugin, &plugins);
		const struct machine *m = g->s->machine;
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		assert_int_equal(machine_status(m), MACHINE_BROKEN);
		assert_int_equal(machine_exit_status(m), 125);
		uint64_t end = rig_cycle(g), hash = rig_hash(g);
		snprintf(text, sizeof text,
		         "the %s, one that fails, failed in cycle %llu: call 20 is too much",
		         plugin_place_name(place), (unsigned long long)end - 1);
		assert_string_equal(machine_failure(m), text);
		/* It stays at its place; the past is unchanged, and leads there again. */
		assert_false(machine_step(g->s->machine));
		rig_back_cycles(g, 40);
		assert_int_equal(rig_cycle(g), end - 40);
		assert_int_equal(machine_status(m), MACHINE_RUNNING);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		assert_int_equal(rig_cycle(g), end);
		assert_int_equal(rig_hash(g), hash);
		assert_string_equal(machine_failure(m), text);
		rig_close(g);
	}
}

TEST(a_failure_in_warm_up)
{
	struct failing after = {.calls = 1000};
	struct plugin plugin = plugin_failing;
	struct plugins plugins;
	plugin.ctx = &after;
	struct rig *g = rig_of(PLUGIN_PREDICTOR, &plugin, &plugins);
	struct machine *m = g->s->machine;
	uint64_t done = machine_run_functional(m, 1000000, true);
	assert_int_equal(machine_status(m), MACHINE_BROKEN);
	assert_true(done < 100000);
	char text[256];
	snprintf(text, sizeof text, "failed in warm-up, instruction %llu: call 1000",
	         (unsigned long long)done - 1);
	assert_non_null(strstr(machine_failure(m), text));
	rig_close(g);
}

/* After the very instruction, at its guest cycle; the last tuple that went through is the last
 * that was selected. */
TEST(a_failure_without_timing)
{
	struct failing after = {.calls = 1000};
	struct plugin plugin = plugin_failing;
	struct plugins plugins;
	char text[256];
	plugin.ctx = &after;
	struct rig *g = rig_of(PLUGIN_STAGE, &plugin, &plugins);
	struct machine *m = g->s->machine;
	const uint64_t done = machine_run_functional(m, 1000000, false);
	assert_int_equal(machine_status(m), MACHINE_BROKEN);
	assert_true(done > 1000 && done < 100000);
	assert_int_equal(machine_stats(m)->sampler_selected, 1000);
	assert_int_equal(machine_stats(m)->sampler_messages, 999);
	snprintf(text, sizeof text,
	         "the compressor stage, one that fails, failed in guest cycle %llu: call 1000 is "
	         "too much",
	         (unsigned long long)done);
	assert_string_equal(machine_failure(m), text);
	rig_close(g);
}

static bool counts_nothing(void *ctx, struct plugin_state *s, const struct message *in,
                           struct message *out, bool *sent, struct err *err)
{
	(void)s;
	(void)err;
	*out = *in;
	out->count = *(const uint64_t *)ctx;
	*sent = true;
	return true;
}

static bool drains_for_ever(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
                            struct err *err)
{
	(void)ctx;
	(void)s;
	(void)err;
	*out = (struct message){{16, 16}, 1};
	*sent = true;
	return true;
}

/* A stage's messages have a weight, and its kept tuples are bounded. */
TEST(impossible_messages)
{
	static const uint64_t counts[] = {0, UINT64_MAX, UINT64_C(1) << 62};
	struct plugins plugins;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t count = counts[i];
		const struct plugin stage = {.name = "S", .take = counts_nothing, .ctx = &count};
		struct rig *g = rig_of(PLUGIN_STAGE, &stage, &plugins);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		assert_int_equal(machine_status(g->s->machine), MACHINE_BROKEN);
		assert_non_null(strstr(machine_failure(g->s->machine),
		                       "tuples; expected 1 to 4611686018427387903"));
		assert_int_equal(machine_stats(g->s->machine)->sampler_messages, 0);
		rig_close(g);
	}
	const struct plugin stage = {
		.name = "S", .take = plugin_every_fourth.take, .drain = drains_for_ever};
	struct compressor_spec spec;
	struct err err;
	struct outcome outcome = {.status = MACHINE_RUNNING};
	struct plugin_record record = {0};
	const uint64_t cycle = 7;
	struct plugin_bank bank = {.at[PLUGIN_STAGE] = &stage,
	                           .record = &record,
	                           .outcome = &outcome,
	                           .cycle = &cycle};
	_Alignas(64) char memory[65536] = {0};
	struct compressor c;
	struct message m;
	assert_true(compressor_parse("external, A(1, 31)", &spec, &err));
	assert_true(compressor_init(&c, &spec, memory, &err));
	c.plugins = &bank;
	compressor_reset(&c, 1);
	assert_false(compressor_drain(&c, &m) && outcome.status == MACHINE_RUNNING);
	assert_int_equal(outcome.status, MACHINE_BROKEN);
	assert_non_null(strstr(record.text, "failed in cycle 7: it drains more than 65536 messages "
	                                    "in a row; expected none"));
	compressor_deinit(&c);
}

static bool no_such_way(void *ctx, struct plugin_state *s, uint32_t set,
                        const struct plugin_way *way, uint32_t ways, struct plugin_moment m,
                        uint32_t *out, struct err *err)
{
	(void)m;
	(void)ctx;
	(void)s;
	(void)set;
	(void)way;
	(void)err;
	*out = ways;
	return true;
}

static bool too_many(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                     uint64_t *line, uint32_t *lines, struct err *err)
{
	(void)ctx;
	(void)s;
	(void)err;
	*line = a->line;
	*lines = PLUGIN_LINES_MAX + 1;
	return true;
}

TEST(impossible_answers)
{
	const struct plugin policy = {.name = "P", .victim = no_such_way},
			    prefetcher = {.name = "Q", .access = too_many};
	struct plugins plugins;
	struct rig *g = rig_of(PLUGIN_L1D_REPLACEMENT, &policy, &plugins);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(machine_status(g->s->machine), MACHINE_BROKEN);
	assert_non_null(strstr(machine_failure(g->s->machine), "it chose way 4 of set "));
	assert_non_null(strstr(machine_failure(g->s->machine), "; expected 0 to 3"));
	rig_close(g);
	g = rig_of(PLUGIN_L2_PREFETCHER, &prefetcher, &plugins);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_non_null(strstr(machine_failure(g->s->machine),
	                       "it requests 17 lines; expected at most 16"));
	rig_close(g);
}

/* Lines of impossible addresses are dropped, like those of untranslated pages. */
static bool plugin_failures_prefetch_nowhere(void *ctx, struct plugin_state *s,
                                             const struct plugin_access *a, uint64_t *line,
                                             uint32_t *lines, struct err *err)
{
	(void)ctx;
	(void)s;
	(void)err;
	line[(*lines)++] = UINT64_MAX - a->line;
	line[(*lines)++] = a->line + (UINT64_C(1) << 40);
	return true;
}

TEST(lines_that_can_not_be)
{
	const struct plugin plugin = {.name = "Q", .access = plugin_failures_prefetch_nowhere};
	static const enum plugin_place places[] = {PLUGIN_L1I_PREFETCHER, PLUGIN_L1D_PREFETCHER,
	                                           PLUGIN_L2_PREFETCHER};
	for (unsigned i = 0; i < 3; i++) {
		struct plugins plugins;
		struct rig *g = rig_of(places[i], &plugin, &plugins);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		const struct stats *s = machine_stats(g->s->machine);
		assert_int_equal(machine_status(g->s->machine), MACHINE_EXITED);
		assert_int_equal(s->l1i_prefetches + s->l1d_prefetches + s->l2_prefetches, 0);
		assert_true(s->l1i_prefetch_dropped + s->l1d_prefetch_dropped +
		                    s->l2_prefetch_dropped >
		            1000);
		rig_close(g);
	}
}

/* ---- given plug-ins must be the requested ones ---- */
static void plugin_failures_assert_refused(const char *settings, const struct plugins *plugins,
                                           const char *why)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	char words[256], *rest = words;
	snprintf(words, sizeof words, "%s", settings);
	for (const char *word; (word = strtok_r(rest, " ", &rest));)
		assert_true(config_set_assignment(&cfg, word, &err));
	assert_null(machine_new_with(&cfg, plugins, &err));
	if (!strstr(err.msg, why))
		fail_msg("%s", err.msg);
}

TEST(plugin_failures_mistakes_refused)
{
	const int64_t big[] = {0, 4};
	const struct plugin_table none = {.name = "t", .count = 0, .bits = 2},
				  wide = {.name = "t", .count = 1, .bits = 65},
				  begins = {.name = "t",
	                                    .count = 2,
	                                    .bits = 2,
	                                    .init = big,
	                                    .inits = 2};
	struct plugin p = plugin_gshare;
	const struct plugins plugins = {.at[PLUGIN_PREDICTOR] = &p};
	plugin_failures_assert_refused(
		"bpred.kind=external", NULL,
		"bpred.kind is external, but no plug-in was given for the branch predictor");
	plugin_failures_assert_refused(
		"l2.prefetch=external", &plugins,
		"gshare in C is a branch predictor, but bpred.kind is combined");
	plugin_failures_assert_refused("bpred.kind=gshare", &plugins,
	                               "bpred.kind is gshare; expected external");
	const struct plugins stage = {.at[PLUGIN_STAGE] = &plugin_every_fourth},
			     flag = {.at[PLUGIN_FLAGS] = &plugin_flag_bits};
	plugin_failures_assert_refused(
		"xprof.predictor=external", NULL,
		"xprof.predictor is external, but no plug-in was given for the profile flag "
		"predictor");
	plugin_failures_assert_refused(
		"", &flag,
		"flags in C is a profile flag predictor, but xprof.predictor is bits; expected "
		"external");
	plugin_failures_assert_refused(
		"sampler.compressor=external", &stage,
		"P(4) in C is a compressor stage, but sampler.enable is false; expected true");
	plugin_failures_assert_refused(
		"sampler.enable=1", &stage,
		"P(4) in C is a compressor stage, but sampler.compressor is H(P(256), 2048); "
		"expected external");
	plugin_failures_assert_refused(
		"sampler.enable=1 sampler.compressor=P(2),external", NULL,
		"sampler.compressor names external, but no plug-in was given for the compressor "
		"stage: start with --plugin FILE.lua");
	p.table = &none;
	plugin_failures_assert_refused("bpred.kind=external", &plugins,
	                               "table 't' has 0 entries; expected 1 to 4194304");
	p.table = &wide;
	plugin_failures_assert_refused("bpred.kind=external", &plugins,
	                               "table 't' has entries of 65 bits; expected 1 to 64");
	p.table = &begins;
	plugin_failures_assert_refused("bpred.kind=external", &plugins,
	                               "table 't' begins with 4: its entries hold 0 to 3");
	p.predict = NULL;
	plugin_failures_assert_refused(
		"bpred.kind=external", &plugins,
		"it has no function 'predict', which a branch predictor needs");
}

TEST(plugin_failures_entry_ranges)
{
	static const struct plugin_table tables[] = {
		{.name = "a", .count = 3, .bits = 1},
		{.name = "b", .count = 3, .bits = 5, .is_signed = true},
		{.name = "c", .count = 3, .bits = 16, .is_signed = true},
		{.name = "d", .count = 3, .bits = 31},
		{.name = "e", .count = 3, .bits = 63},
		{.name = "f", .count = 3, .bits = 64},
		{.name = "g", .count = 3, .bits = 64, .is_signed = true},
	};
	static const int64_t least[] = {0, -16, -32768, 0, 0, INT64_MIN, INT64_MIN};
	static const int64_t most[] = {1,         15,        32767,    (INT64_C(1) << 31) - 1,
	                               INT64_MAX, INT64_MAX, INT64_MAX};
	uint64_t room[7][4] = {{0}};
	struct plugin_state s = {.table = tables, .count = 7};
	for (unsigned t = 0; t < 7; t++) {
		s.at[t] = room[t];
		assert_int_equal(plugin_least(&tables[t]), least[t]);
		assert_int_equal(plugin_most(&tables[t]), most[t]);
		plugin_put(&s, t, 1, least[t]);
		plugin_put(&s, t, 2, most[t]);
		assert_int_equal(plugin_get(&s, t, 0), 0);
		assert_int_equal(plugin_get(&s, t, 1), least[t]);
		assert_int_equal(plugin_get(&s, t, 2), most[t]);
	}
}

TEST_GROUP(rig_enter, rig_leave)
