#include <stdint.h>

#include <string.h>

#include "tests/cases.h"
#include "ui/cli/options.h"
#include "ui/console/counts.h"

enum { WORDS_MAX = 16 };

/* Parses "run" and the words up to NULL. */
static bool options_parse_words(struct options *o, struct err *err, enum option_for which,
                                char **words)
{
	static char *argv[WORDS_MAX + 2];
	int argc = 0;
	argv[argc++] = (char *)"run";
	while (*words)
		argv[argc++] = *words++;
	argv[argc] = NULL;
	return options_parse(o, which, argc, argv, err);
}

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

static void options_expect_error(char **words, const char *part)
{
	struct options o;
	struct err err = {""};
	assert_false(options_parse_words(&o, &err, FOR_RUN, words));
	if (!strstr(err.msg, part))
		fail_msg("'%s' should say '%s'", err.msg, part);
}

TEST(options_end_at_the_program)
{
	struct options o;
	struct err err;
	assert_true(options_parse_words(&o, &err, FOR_RUN,
	                                WORDS("--rw", "--ff", "10k", "prog", "--rw", "-x")));
	assert_int_equal(o.ff, 10000);
	assert_true(o.given[OPT_RW]);
	assert_false(o.given[OPT_FUNCTIONAL]);
	assert_int_equal(o.argc, 3);
	assert_string_equal(o.argv[0], "prog");
	assert_string_equal(o.argv[2], "-x");
	assert_null(o.argv[3]);

	assert_true(options_parse_words(&o, &err, FOR_RUN, WORDS("--", "-prog")));
	assert_int_equal(o.argc, 1);
	assert_string_equal(o.argv[0], "-prog");
}

TEST(arguments_join_in_every_form)
{
	struct options o;
	struct err err;
	assert_true(options_parse_words(&o, &err, FOR_RUN,
	                                WORDS("-opipe.fetch_queue=4", "-o", "lsq.size=8",
	                                      "--set=l1d.size=16K", "--max-insts=5M",
	                                      "--max-cycles", "2G", "--env", "A=b", "p")));
	assert_int_equal(o.config.fetch_queue, 4);
	assert_int_equal(o.config.lsq_size, 8);
	assert_int_equal(o.config.l1d_size, 16384);
	assert_int_equal(o.max_insts, 5000000);
	assert_int_equal(o.max_cycles, 2000000000);
	assert_string_equal(o.env[0], "A=b");
	assert_null(o.env[1]);
}

TEST(defaults_limit_nothing)
{
	struct options o;
	struct config def;
	struct err err;
	config_default(&def);
	assert_true(options_parse_words(&o, &err, FOR_RUN, WORDS("p")));
	assert_memory_equal(&o.config, &def, sizeof def);
	assert_true(o.max_insts == UINT64_MAX && o.max_cycles == UINT64_MAX);
	assert_null(o.env[0]);
}

TEST(a_setting_wins_over_a_later_config)
{
	struct options o;
	struct err err = {""};
	if (!options_parse_words(&o, &err, FOR_RUN,
	                         WORDS("-o", "pipe.rob_size=8", "--config", "vaswani2003", "p")))
		fail_msg("%s", err.msg);
	assert_int_equal(o.config.rob_size, 8);
	assert_string_equal(o.config_name, "vaswani2003");
}

TEST(mistakes_name_the_nearest_right_word)
{
	options_expect_error(WORDS("--functionel", "p"), "did you mean '--functional'");
	options_expect_error(WORDS("--max-inst", "5", "p"), "did you mean '--max-insts'");
	options_expect_error(WORDS("-q", "p"), "'-q'");
	options_expect_error(WORDS("--rw=1", "p"), "takes no argument");
	options_expect_error(WORDS("--ff"), "--ff needs an argument: N");
	options_expect_error(WORDS("--ff", "many", "p"), "--ff: 'many' is not a count");
	options_expect_error(WORDS("-o", "pipe.rob_sise=4", "p"), "pipe.rob_size");
	options_expect_error(WORDS("-o", "pipe.rob_size=0", "p"), "pipe.rob_size");
	options_expect_error(WORDS("-o", "bpred.kind=gshair", "p"), "gshare");
	options_expect_error(WORDS("--config", "vaswani03", "p"), "vaswani2003");
	options_expect_error(WORDS("--env", "novalue", "p"), "NAME=VALUE");
}

TEST(an_option_of_another_command_is_refused)
{
	struct options o;
	struct err err = {""};
	assert_false(options_parse_words(&o, &err, FOR_LUA, WORDS("--functional", "p")));
	assert_non_null(strstr(err.msg, "not an option of this command"));
}

TEST(counts_are_exact)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"1500", 1500},
		{"1,500", 1500},
		{"3,000,000", 3000000},
		{"10k", 10000},
		{"10K", 10000},
		{"1.5M", 1500000},
		{"2G", 2000000000},
		{"0.001k", 1},
		{"3T", 3000000000000},
		{"18446744073709551615", UINT64_MAX},
		{"1.234567891G", 1234567891},
	};
	static const char *const bad[] = {"",
	                                  "k",
	                                  "-1",
	                                  "1x",
	                                  "1kk",
	                                  "1.5",
	                                  "0.0001k",
	                                  "18446744073709551616",
	                                  "99999999999G",
	                                  "1e6",
	                                  " 1",
	                                  "1 ",
	                                  "1,00",
	                                  "1234,567",
	                                  "1,000k",
	                                  "1,",
	                                  ",1",
	                                  "1,,000"};
	struct err err;
	uint64_t v;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (!count_parse(good[i].text, &v, &err))
			fail_msg("%s", err.msg);
		if (v != good[i].value)
			fail_msg("%s became %llu", good[i].text, (unsigned long long)v);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		v = 77;
		if (count_parse(bad[i], &v, &err))
			fail_msg("'%s' passed for %llu", bad[i], (unsigned long long)v);
		assert_int_equal(v, 77);
	}
}
