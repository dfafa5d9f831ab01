/* The palette's first hits: points for typed letters. */
#include <string.h>

#include "ui/screen/fuzzy.h"
#include "tests/cases.h"

static int fuzzy_score_word(const char *letters, const char *name)
{
	return fuzzy_word(letters, strlen(letters), name);
}

static int fuzzy_score_item(const char *query, const char *kind, const char *name, const char *also,
                            const char *help)
{
	return fuzzy_item(query, &(struct fuzzy_item){kind, name, help, also});
}

TEST(test_letters_in_order)
{
	assert_true(fuzzy_score_word("rst", "reverse-step") > 0);
	assert_int_equal(fuzzy_score_word("tsr", "reverse-step"), FUZZY_NONE);
	assert_int_equal(fuzzy_score_word("steps", "step"), FUZZY_NONE);
	assert_int_equal(fuzzy_score_word("pp", "step"),
	                 FUZZY_NONE); /* each letter needs its own letter of the name */
	assert_int_equal(fuzzy_score_word("a", ""), FUZZY_NONE);
	assert_int_equal(fuzzy_score_word("STEP", "step"), fuzzy_score_word("step", "STEP"));
}

/* Each row: the typed text, the better name, the worse name. */
TEST(test_what_is_better)
{
	static const char *const pairs[][3] = {
		{"step", "step", "stepi"},                          /* the whole name */
		{"ste", "step", "stepping"},                        /* the shorter one */
		{"step", "stepi", "reverse-step"},                  /* the beginning of a name */
		/* letters that follow each other */
		{"step", "reverse-step", "set-type-post"},
		{"rs", "reverse-step", "cursor"},                   /* beginnings of words */
		{"sum", "rob.occupancy_sum", "resume_mode"},        /* the beginning of a word */
		/* adjacent letters rather than distant beginnings */
		{"sum", "rob.occupancy_sum", "slots.unit_mem"},
		{"rc", "reverseCount", "reverselce"},               /* a capital begins a word */
		/* a digit within a word does not begin one */
		{"l2", "view.l2", "al2"},
		{"dispatch", "dispatch.stall_rob", "xdispatch"},
		/* the best match within a name, not the first */
		{"ab", "a_ab", "a_xb"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const int better = fuzzy_score_word(pairs[i][0], pairs[i][1]),
			  worse = fuzzy_score_word(pairs[i][0], pairs[i][2]);
		if (better <= worse || worse == FUZZY_NONE)
			fail_msg("%s: %s has %d, %s %d", pairs[i][0], pairs[i][1], better,
			         pairs[i][2], worse);
	}
}

TEST(test_adjacent_letters)
{
	assert_true(fuzzy_is_in("", "main"));
	assert_true(fuzzy_is_in("LLOC ma", "malloc"));
	assert_false(fuzzy_is_in("mlc", "malloc"));
	assert_false(fuzzy_is_in("malloc c", "mallo"));
}

TEST(test_any_name)
{
	char name[4 * FUZZY_NAME];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	name[FUZZY_NAME - 1] = 'y';
	name[FUZZY_NAME] = 'z';
	assert_true(fuzzy_score_word("xy", name) > 0);
	assert_int_equal(fuzzy_score_word("z", name), FUZZY_NONE);
	name[sizeof name - 1] = '\0';
	assert_true(fuzzy_word(name, FUZZY_NAME, name) > 0);
	assert_int_equal(fuzzy_word(name, FUZZY_NAME + 1, name), FUZZY_NONE);
	assert_true(fuzzy_score_word("\xc3\xa9", "caf\xc3\xa9") > 0);
}

TEST(test_words_of_a_query)
{
	assert_int_equal(fuzzy_score_item("", "view", "rob", "", "Reorder buffer"), 0);
	assert_int_equal(fuzzy_score_item("  ", "view", "rob", "", "Reorder buffer"), 0);
	assert_true(fuzzy_score_item("rob view", "view", "rob", "", "Reorder buffer") >
	            fuzzy_score_item("rob", "view", "rob", "", "Reorder buffer"));
	assert_int_equal(fuzzy_score_item("rob key", "view", "rob", "", "Reorder buffer"),
	                 FUZZY_NONE);
	/* A name before a kind before help. */
	assert_true(fuzzy_score_item("view", "command", "view", "", "") >
	            fuzzy_score_item("view", "view", "rob", "", ""));
	assert_true(fuzzy_score_item("view", "view", "rob", "", "") >
	            fuzzy_score_item("view", "key", "v", "", "another view here"));
	/* whole words of the help, in their order, before scattered letters of a name */
	assert_true(fuzzy_score_item("run to end", "command", "continue", "", "run on to its end") >
	            fuzzy_score_item("run to end", "command", "commands", "", "to `end`, run"));
	assert_true(fuzzy_score_item("run to end", "command", "commands", "", "to `end`, run") >
	            fuzzy_score_item("run to end", "word", "front-end bound", "", ""));
	assert_true(fuzzy_score_item("run", "key", "v", "", "it runs to run") >
	            fuzzy_score_item("run", "key", "v", "", "it runs"));
	assert_true(fuzzy_score_item("BUFF", "view", "rob", "", "Reorder buffer") > 0);
	/* help matches only a typed substring */
	assert_int_equal(fuzzy_score_item("rdr", "view", "rob", "", "Reorder buffer"), FUZZY_NONE);
	/* two letters do not name a kind */
	assert_int_equal(fuzzy_score_item("vi", "view", "rob", "", ""), FUZZY_NONE);
	/* An alias counts as the whole name does, and only as a whole. */
	assert_int_equal(fuzzy_score_item("rs", "command", "reverse-step", "x rs", ""),
	                 fuzzy_score_word("rs", "rs"));
	assert_int_equal(fuzzy_score_item("RS", "command", "reverse-step", "rs", ""),
	                 fuzzy_score_word("rs", "rs"));
	assert_int_equal(fuzzy_score_item("zq", "command", "reverse-step", "zqx", ""), FUZZY_NONE);
}
