/* Charging the time of code without lines to its callers: sequences of committed instructions. */
#include "hwviews/why/callers.h"
#include "tests/cases.h"

#include <stdint.h>

/* Addresses: the author's code is below LIBRARY. */
enum { LIBRARY = 0x8000 };

/* Commits an instruction of a thread, with `slots`; kind: ' ', 'c'all, 'r'eturn or 'j'ump. */
static bool commit_in(struct callers *c, unsigned thread, uint64_t pc, char kind, uint64_t slots)
{
	return callers_commit(c, &(struct callers_inst){.pc = pc,
	                                                .behind = pc + 4,
	                                                .thread = thread,
	                                                .own = pc < LIBRARY,
	                                                .calls = kind == 'c',
	                                                .returns = kind == 'r',
	                                                .slots = slots});
}

static bool commit_one(struct callers *c, uint64_t pc, char kind, uint64_t slots)
{
	return commit_in(c, 0, pc, kind, slots);
}

TEST(before_main_and_after_it_is_nobodys)
{
	struct callers *c = callers_new();
	size_t n;
	assert_false(commit_one(c, LIBRARY, 'c', 7));
	assert_false(commit_one(c, 0x100, 'r', 1));
	assert_false(commit_one(c, LIBRARY + 4, ' ', 9));
	callers_all(c, &n);
	assert_int_equal(n, 0);
	callers_free(c);
}

TEST(a_call_is_charged_until_it_returns)
{
	struct callers *c = callers_new();
	commit_one(c, 0x100, 'c', 1);
	assert_true(commit_one(c, LIBRARY, 'c', 5));
	assert_true(commit_one(c, LIBRARY + 64, 'r', 6)); /* calls inside do not matter */
	assert_true(commit_one(c, LIBRARY + 4, 'r', 7));
	assert_false(commit_one(c, 0x104, ' ', 100));
	commit_one(c, 0x108, 'c', 1);
	assert_true(commit_one(c, LIBRARY, 'r', 2));
	assert_int_equal(callers_slots(c, 0x100), 18);
	assert_int_equal(callers_slots(c, 0x108), 2);
	assert_int_equal(callers_slots(c, 0x104), 0);
	callers_free(c);
}

/* qsort() calls a function of the author's, which calls the library, too. */
TEST(a_function_called_back_returns_to_the_callers_time)
{
	struct callers *c = callers_new();
	commit_one(c, 0x100, 'c', 1);           /* main: qsort() */
	commit_one(c, LIBRARY, 'c', 10);        /* compare() */
	assert_false(commit_one(c, 0x200, 'c', 3)); /* strcmp() */
	assert_true(commit_one(c, LIBRARY + 256, 'r', 20));
	assert_false(commit_one(c, 0x204, 'r', 4));
	assert_true(commit_one(c, LIBRARY + 4, 'r', 30));
	assert_int_equal(callers_slots(c, 0x100), 40);
	assert_int_equal(callers_slots(c, 0x200), 20);
	/* A tail call is charged to its jump. */
	commit_one(c, 0x104, 'c', 1);
	commit_one(c, 0x300, 'j', 1);
	commit_one(c, LIBRARY + 512, 'r', 8);
	assert_int_equal(callers_slots(c, 0x300), 8);
	callers_free(c);
}

TEST(threads_are_apart)
{
	struct callers *c = callers_new();
	commit_in(c, 0, 0x100, 'c', 1);
	commit_in(c, 3, 0x200, 'c', 1);
	commit_in(c, 0, LIBRARY, ' ', 5);
	commit_in(c, 3, LIBRARY, ' ', 6);
	assert_false(commit_in(c, 1, LIBRARY, ' ', 7)); /* not yet in the author's code */
	commit_in(c, 0, LIBRARY + 4, 'r', 8);
	assert_int_equal(callers_slots(c, 0x100), 13);
	assert_int_equal(callers_slots(c, 0x200), 6);
	callers_free(c);
}

TEST(a_copy_goes_on_by_itself)
{
	struct callers *c = callers_new(), *copy;
	size_t bytes = 0, n;
	commit_one(c, 0x100, 'c', 1);
	commit_one(c, LIBRARY, ' ', 5);
	copy = callers_copy(c, &bytes);
	assert_true(bytes > sizeof(struct caller));
	commit_one(copy, LIBRARY + 4, ' ', 6);
	commit_one(copy, 0x108, 'c', 1);
	commit_one(copy, LIBRARY, ' ', 7);
	assert_int_equal(callers_slots(c, 0x100), 5);
	assert_int_equal(callers_slots(copy, 0x100), 11);
	assert_int_equal(callers_slots(copy, 0x108), 7);
	const struct caller *all = callers_all(copy, &n);
	assert_int_equal(n, 2);
	assert_true(all[0].pc < all[1].pc);
	callers_free(c);
	callers_free(copy);
}

/* Only the innermost calls are kept. */
TEST(depth_has_a_limit)
{
	enum { DEPTH = 1000 };
	struct callers *c = callers_new();
	for (uint64_t i = 0; i < DEPTH; i++) {
		commit_one(c, 0x100 + 8 * i, 'c', 1);
		commit_one(c, LIBRARY, 'c', 2);
	}
	/* The innermost call back returns, then its caller is charged. */
	commit_one(c, 0x100 + 8 * DEPTH, 'r', 1);
	commit_one(c, LIBRARY + 4, 'r', 5);
	assert_int_equal(callers_slots(c, 0x100 + 8 * (DEPTH - 1)), 7);
	assert_int_equal(callers_slots(c, 0x100), 2);
	callers_free(c);
}
