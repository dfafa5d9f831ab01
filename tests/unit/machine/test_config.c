#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "tests/cases.h"

TEST(defaults_are_a_valid_machine)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	if (!config_check(&cfg, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(cfg.rob_size, 64);
	assert_int_equal(cfg.fetch_queue, 32);
}

TEST(every_parameter_reads_back_what_it_prints)
{
	struct config def, cfg;
	struct err err = {""};
	char text[PARAM_TEXT_MAX];
	config_default(&def);
	memset(&cfg, 0xab, sizeof cfg);
	for (size_t i = 0; i < param_count; i++) {
		assert_ptr_equal(param_find(params[i].name, NULL), &params[i]);
		assert_true(params[i].min <= params[i].def && params[i].def <= params[i].max);
		assert_true((params[i].type == PARAM_TEXT) == (params[i].text != NULL));
		if (!config_set(&cfg, params[i].name,
		                config_format(&def, &params[i], text, sizeof text), &err))
			fail_msg("%s", err.msg);
	}
	assert_memory_equal(&cfg, &def, config_bytes());
}

TEST(values_in_every_notation)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	assert_true(config_set_assignment(&cfg, "l1d.size=16K", &err));
	assert_int_equal(cfg.l1d_size, 16384);
	assert_true(config_set_assignment(&cfg, "l2.size=0x100000", &err));
	assert_int_equal(cfg.l2_size, 1 << 20);
	assert_true(config_set_assignment(&cfg, "pipe.in_order=yes", &err));
	assert_int_equal(cfg.in_order, 1);
	assert_true(config_set_assignment(&cfg, "bpred.kind=nottaken", &err));
	assert_int_equal(cfg.bpred_kind, 5);
	assert_true(config_set_assignment(&cfg, "sim.seed=9223372036854775807", &err));
	assert_true(cfg.seed == INT64_MAX);
	assert_true(config_set_assignment(&cfg, "l2.size=4m", &err));
	assert_int_equal(cfg.l2_size, 4 << 20);
	assert_true(config_set_assignment(&cfg, "sim.stack=1G", &err));
	assert_int_equal(cfg.stack_bytes, 1 << 30);
	/* A clock rate counts in thousands. */
	assert_true(config_set_assignment(&cfg, "sim.clock_hz=500M", &err));
	assert_int_equal(cfg.clock_hz, 500000000);
	static const char *const words[] = {"false", "TRUE", "off", "On", "no", "yes", "0", "1"};
	for (int i = 0; i < 8; i++) {
		assert_true(config_set(&cfg, "lsq.speculate", words[i], &err));
		assert_int_equal(cfg.lsq_speculate, i & 1);
	}
	assert_false(config_set_int(&cfg, param_find("lsq.speculate", NULL), 2, &err));
	assert_string_equal(err.msg, "lsq.speculate: takes true or false, not 2");
}

static void config_expect_error(const char *assignment, const char *part)
{
	struct config cfg, before;
	struct err err = {""};
	config_default(&cfg);
	before = cfg;
	assert_false(config_set_assignment(&cfg, assignment, &err));
	if (!strstr(err.msg, part))
		fail_msg("'%s' should say '%s'", err.msg, part);
	assert_memory_equal(&cfg, &before, sizeof cfg);
}

TEST(wrong_values_are_refused_and_change_nothing)
{
	config_expect_error("pipe.rob_sizes=3", "did you mean 'pipe.rob_size'");
	config_expect_error("rob_size=3", "did you mean 'pipe.rob_size'");
	config_expect_error("cop.bus_words=3",
	                    "no parameter 'cop.bus_words': did you mean 'cop.bus'?");
	config_expect_error("cop.sample_buffer_entries=3", "did you mean 'cop.");
	config_expect_error("processor.retirement.rob_sizes=3", "did you mean 'pipe.rob_size'");
	config_expect_error("cache.associativity=3",
	                    "no parameter 'cache.associativity': `help params` lists them");
	config_expect_error("x=3", "`help params` lists them");
	config_expect_error("=3", "`help params` lists them");
	config_expect_error(
		"pipe.rob_size_of_a_very_very_very_very_very_very_very_very_very_very_very_"
		"long_name=3",
		"did you mean 'pipe.rob_size'");
	config_expect_error("pipe.rob_size=", "is not a number");
	config_expect_error("pipe.rob_size=-", "is not a number");
	config_expect_error("pipe.rob_size=64x", "is not a number");
	config_expect_error("pipe.rob_size=64KB", "is not a number");
	config_expect_error("pipe.rob_size=0x", "is not a number");
	config_expect_error("pipe.rob_size= 64", "is not a number");
	config_expect_error("l2.size=9999999999G", "out of range");
	config_expect_error("bpred.kind=3", "no choice '3'");
	config_expect_error("pipe.rob_size=99999999999999999999", "out of range");
	config_expect_error("pipe.rob_size=1", "2 to 1024");
	config_expect_error("pipe.rob_size=-5", "2 to 1024");
	config_expect_error("bpred.kind=gshar", "did you mean 'gshare'");
	config_expect_error("bpred.kind=zzzzzz", "bimodal|");
	config_expect_error("pipe.in_order=perhaps", "neither true nor false");
	config_expect_error("pipe.rob_size", "NAME=VALUE");
}

/* Any printable text that fits; the rest of the buffer is zero, so that equal configs have equal
 * bytes. */
TEST(a_text_is_taken_whole)
{
	struct config cfg, other;
	struct err err = {""};
	char text[PARAM_TEXT_MAX];
	const struct param *p = param_find("sim.hostname", &err);
	assert_non_null(p);
	config_default(&cfg);
	assert_string_equal(config_text(&cfg, p), p->text);
	other = cfg;
	assert_true(config_set_assignment(&cfg, "sim.hostname=H(P(256), 2048), pc=0x10 ~ ", &err));
	assert_string_equal(config_text(&cfg, p), "H(P(256), 2048), pc=0x10 ~ ");
	assert_string_equal(config_format(&cfg, p, text, sizeof text),
	                    "H(P(256), 2048), pc=0x10 ~ ");
	assert_false(config_same(&cfg, &other, p));
	for (size_t i = 0; i < param_count; i++)
		assert_true(config_same(&cfg, &other, &params[i]) == (&params[i] != p));
	other = cfg;
	assert_true(config_set(&other, "sim.hostname", "H(P(256), 2048), pc=0x10 ~.", &err));
	assert_false(config_same(&cfg, &other, p));
	config_default(&other);
	assert_true(config_set(&cfg, "sim.hostname", p->text, &err));
	assert_true(config_same(&cfg, &other, p));
	assert_memory_equal(&cfg, &other, sizeof cfg);
}

/* Reasons to refuse a text, with a row's own check or without one. */
TEST(a_wrong_text_is_refused_and_changes_nothing)
{
	char text[PARAM_TEXT_MAX + 32] = "sim.hostname=";
	size_t n = strlen(text);
	config_expect_error("sim.hostname=",
	                    "sim.hostname: a name of 0 characters; expected 1 to 64");
	config_expect_error("sim.hostname=a\nb",
	                    "sim.hostname: character 2 is not printable ASCII");
	config_expect_error("sim.hostname=\xc3\xa9", "character 1 is not");
	config_expect_error("sim.hostname=ab\x7f", "character 3 is not");
	memset(text + n, 'x', 65);
	config_expect_error(text, "sim.hostname: a name of 65 characters; expected 1 to 64");
	memset(text + n, 'x', PARAM_TEXT_MAX - 1);
	config_expect_error(text, "a name of 255 characters");
	memset(text + n, 'x', PARAM_TEXT_MAX);
	config_expect_error(text,
	                    "sim.hostname: 256 characters are too many; expected at most 255");
}

TEST(a_text_is_no_number)
{
	struct config cfg, before;
	struct err err = {""};
	config_default(&cfg);
	before = cfg;
	assert_false(config_set_int(&cfg, param_find("sim.hostname", NULL), 0, &err));
	assert_non_null(strstr(
		err.msg, "sim.hostname: takes a text (1 to 64 characters), not the number 0"));
	assert_memory_equal(&cfg, &before, sizeof cfg);
}

TEST(rules_between_parameters)
{
	static const char *const bad[][2] = {
		{"l1d.size=49152", "power of two"}, {"l1i.ways=3", "l1i"},
		{"l2.line=16", "l2.line"},          {"bpred.l2_size=1000", "512"},
		{"btb.sets=3", "btb.sets"},         {"sim.stack=70000", "4096"},
		{"l1d.ways=6", "such as 4"},        {"l1i.line=48", "32 or 64"},
		{"l1d.line=128", "128 or more"},    {"tlb.page=12288", "8192"},
		{"bus.bytes=24", "16 or 32"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct config cfg;
		struct err err = {""};
		config_default(&cfg);
		assert_true(config_set_assignment(&cfg, bad[i][0], &err));
		if (config_check(&cfg, &err))
			fail_msg("%s passed", bad[i][0]);
		if (!strstr(err.msg, bad[i][1]))
			fail_msg("'%s' should say '%s'", err.msg, bad[i][1]);
	}
}

TEST(smallest_caches_and_no_buffers_are_machines)
{
	static const char *const good[] = {"l1d.size=256", "l1d.ways=8", "btb.sets=0",
	                                   "btb.ways=3",   "ras.size=0", "dtlb.ways=3",
	                                   "l1d.mshrs=0"};
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(config_set_assignment(&cfg, good[i], &err));
	if (!config_check(&cfg, &err))
		fail_msg("%s", err.msg);
	/* Eight lines can't be sixteen ways. */
	assert_true(config_set_assignment(&cfg, "l1d.ways=16", &err));
	assert_false(config_check(&cfg, &err));
	assert_non_null(strstr(err.msg, "up to 8 would, such as 8"));
}

TEST(statistics_have_names_and_formulas)
{
	struct stats s = {.cycles = 200, .insts = 300, .commit_branches = 50, .bpred_dir_hits = 40};
	struct err err = {""};
	assert_true(stat_value(&s, stat_find("sim.cycles", NULL)) == 200);
	assert_true(stat_value(&s, stat_find("sim.ipc", NULL)) == 1.5);
	assert_true(stat_value(&s, stat_find("bpred.dir_rate", NULL)) == 0.8);
	assert_true(stat_value(&s, stat_find("l2.miss_rate", NULL)) == 0);
	assert_null(stat_find("sim.icp", &err));
	assert_non_null(strstr(err.msg, "did you mean 'sim.ipc'"));
	for (size_t i = 0; i < stat_row_count; i++)
		assert_ptr_equal(stat_find(stat_rows[i].name, NULL), &stat_rows[i]);
}

TEST(events_have_names)
{
	for (int i = 0; i < EV_COUNT; i++)
		assert_int_equal(event_find(event_info[i].name), i);
	assert_int_equal(event_find("commit"), EV_COMMIT);
	assert_int_equal(event_find("comit"), -1);
}
