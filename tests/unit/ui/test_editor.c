/* Editing a text: insertion, deletion, undo, and the cursor's place. */
#include <string.h>

#include "ui/screen/editor.h"
#include "tests/cases.h"

static void editor_expect_state(const struct editor *e, const char *text, size_t at)
{
	assert_string_equal(e->text, text);
	assert_int_equal(e->n, strlen(text));
	assert_int_equal(e->at, at);
}

static void editor_set_string(struct editor *e, const char *text)
{
	assert_true(editor_set(e, text, strlen(text)));
}

TEST(inserting_and_taking_back)
{
	struct editor e = {0};
	editor_set_string(&e, "ab\ncd\n");
	editor_go(&e, 2, 2);
	for (const char *c = "xyz"; *c; c++)
		assert_true(editor_insert(&e, c, 1));
	editor_expect_state(&e, "ab\ncxyzd\n", 7);
	editor_undo(&e); /* a word at once */
	editor_expect_state(&e, "ab\ncd\n", 4);
	editor_undo(&e);
	editor_expect_state(&e, "ab\ncd\n", 4);
	editor_deinit(&e);
}

TEST(test_editor_erase)
{
	struct editor e = {0};
	editor_set_string(&e, "a\xc3\xa4"
	                      "b\n\nc");
	editor_go(&e, 1, 4);
	editor_erase(&e, true); /* a character, not a byte */
	editor_expect_state(&e, "ab\n\nc", 1);
	editor_erase(&e, false);
	editor_expect_state(&e, "a\n\nc", 1);
	editor_erase_line(&e);
	editor_expect_state(&e, "\nc", 0);
	editor_erase(&e, true);
	editor_expect_state(&e, "\nc", 0);
	editor_move(&e, EDITOR_END, 0);
	editor_erase(&e, false);
	editor_expect_state(&e, "\nc", 2);
	editor_undo(&e);
	editor_undo(&e);
	editor_undo(&e);
	editor_expect_state(&e,
	                    "a\xc3\xa4"
	                    "b\n\nc",
	                    3);
	editor_deinit(&e);
}

TEST(test_editor_move)
{
	struct editor e = {0};
	editor_set_string(&e, "\tadd a0\nx\n\tsub a1");
	editor_move(&e, EDITOR_LINE_END, 0);
	assert_int_equal(e.at, 7);
	editor_move(&e, EDITOR_LINES, 1);
	assert_int_equal(e.at, 9);
	editor_move(&e, EDITOR_LINES, 1); /* in the column where the motion began */
	assert_int_equal(e.at, 17);
	assert_int_equal(editor_line(&e), 3);
	editor_move(&e, EDITOR_LINES, 100);
	assert_int_equal(editor_line(&e), 3);
	editor_move(&e, EDITOR_LINES, -100);
	assert_int_equal(editor_line(&e), 1);
	editor_move(&e, EDITOR_BEGIN, 0);
	editor_move(&e, EDITOR_LEFT, 0);
	assert_int_equal(e.at, 0);
	editor_move(&e, EDITOR_RIGHT, 0);
	assert_int_equal(editor_cells(e.text, e.at), 8);
	editor_deinit(&e);
}

TEST(new_lines_begin_as_the_last)
{
	struct editor e = {0};
	editor_set_string(&e, "\t nop");
	editor_move(&e, EDITOR_END, 0);
	assert_true(editor_new_line(&e));
	editor_expect_state(&e, "\t nop\n\t ", 8);
	editor_deinit(&e);
}

TEST(empty_and_too_long)
{
	struct editor e = {0};
	editor_move(&e, EDITOR_LINES, -1);
	editor_erase(&e, true);
	editor_erase_line(&e);
	editor_undo(&e);
	assert_int_equal(editor_line(&e), 1);
	assert_true(editor_new_line(&e));
	static char large[EDITOR_MAX];
	memset(large, 'a', sizeof large);
	assert_false(editor_insert(&e, large, sizeof large));
	editor_expect_state(&e, "\n", 1);
	for (int i = 0; i < 3 * EDITOR_UNDO; i++)
		assert_true(editor_insert(&e, "\n", 1));
	for (int i = 0; i < 3 * EDITOR_UNDO; i++)
		editor_undo(&e);
	assert_int_equal(e.n, 1 + 2 * EDITOR_UNDO);
	editor_deinit(&e);
}
