
#include "core/base/nearest_word.h"
#include "tests/cases.h"

TEST(swap_is_one_slip)
{
	assert_int_equal(nearest_distance("fetch", "fecth"), 1);
	assert_int_equal(nearest_distance("fetch", "FETCH"), 0);
	assert_int_equal(nearest_distance("rob", "robs"), 1);
	assert_int_equal(nearest_distance("", "abc"), 3);
}

TEST(nearest_of_several)
{
	struct nearest n;
	nearest_init(&n, "rob_sise");
	nearest_offer(&n, "pipe.fetch_queue");
	nearest_offer(&n, "pipe.rob_size");
	nearest_offer(&n, "rob_size");
	assert_string_equal(n.best, "rob_size");
	assert_int_equal(n.distance, 1);
	nearest_init(&n, "store");
	nearest_offer(&n, "pop_restore"); /* ends so, in the middle of a word */
	assert_null(n.best);
	nearest_offer(&n, "pop_store");
	assert_string_equal(n.best, "pop_store");
	nearest_init(&n, "interpretation");
	nearest_offer(&n, "interpret");
	assert_string_equal(n.best, "interpret");
}

TEST(far_words_are_not_offered)
{
	struct nearest n;
	nearest_init(&n, "xyzzy");
	nearest_offer(&n, "pipe.fetch_queue");
	nearest_offer(&n, "btb.sets");
	assert_null(n.best);
}

static const char *nearest_test_best_dotted(const char *word)
{
	static const char *const names[] = {"pipe.rob_size",   "cop.bus",  "cop.buffer",
	                                    "cop.bus_latency", "btb.sets", "plain", "l1d.writes"};
	struct nearest n;
	nearest_init(&n, word);
	for (unsigned i = 0; i < 7; i++)
		nearest_offer_dotted(&n, names[i]);
	return n.best;
}

TEST(of_dotted_names_the_near_one_is_offered)
{
	assert_string_equal(nearest_test_best_dotted("cop.bus_words"), "cop.bus");
	assert_string_equal(nearest_test_best_dotted("cop.bus_latencies_of_all_words"),
	                    "cop.bus_latency");
	assert_null(nearest_test_best_dotted("cop.zzzzzzz")); /* like none of the group */
	assert_string_equal(nearest_test_best_dotted("copper.sets"),
	                    "btb.sets"); /* no such group */
	assert_string_equal(nearest_test_best_dotted("robsize"), "pipe.rob_size");
	assert_null(nearest_test_best_dotted(""));
	assert_string_equal(nearest_test_best_dotted("robb"),
	                    "pipe.rob_size"); /* a word of the name */
	assert_string_equal(nearest_test_best_dotted("size_of_rob"), "pipe.rob_size");
	assert_string_equal(nearest_test_best_dotted("cop_buffer"),
	                    "cop.buffer"); /* the group is a word, too */
	assert_string_equal(nearest_test_best_dotted("ccp.buffer"), "cop.buffer");
	assert_string_equal(nearest_test_best_dotted("rob.size"), "pipe.rob_size");
	assert_string_equal(nearest_test_best_dotted("l1d.wrties"), "l1d.writes");
	assert_null(nearest_test_best_dotted("blorp"));
	assert_null(nearest_test_best_dotted("store_buffer")); /* a buffer, but none of stores */
}

TEST(a_choice_is_one_of_the_words)
{
	static const char *const names[] = {"value", "path", "branch"};
	struct err err = {""};
	assert_int_equal(nearest_choice("value", names, 3, "kind", &err), 0);
	assert_int_equal(nearest_choice("branch", names, 3, "kind", &err), 2);
	assert_string_equal(err.msg, "");
	assert_int_equal(nearest_choice("pathh", names, 3, "kind", &err), -1);
	assert_string_equal(err.msg, "no kind 'pathh': did you mean 'path'? (value, path, branch)");
	assert_int_equal(nearest_choice("xyzzy", names, 3, "kind", &err), -1);
	assert_string_equal(err.msg, "no kind 'xyzzy': there are value, path, branch");
	assert_int_equal(nearest_choice("", names, 3, "kind", &err), -1);
	assert_string_equal(err.msg, "kind is missing: value, path, branch");
}
