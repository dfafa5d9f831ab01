/* Pages on a terminal: headings, paragraphs, emphasis, lists, tables and code; and similar
 * hand-ins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases.h"
#include "ui/lab/similar.h"
#include "ui/render/markdown.h"

static char *markdown_render_page(const char *page, unsigned width, bool styled)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	assert_non_null(f);
	markdown_text(page, width, styled, f);
	fclose(f);
	return out;
}

static void markdown_expect_text(const char *page, unsigned width, bool styled, const char *text)
{
	char *out = markdown_render_page(page, width, styled);
	assert_string_equal(out, text);
	free(out);
}

TEST(test_blocks)
{
	markdown_expect_text("# A `b`\n\n## C\n### D\n", 80, false, "A b\n===\n\nC\n-\nD\n");
	markdown_expect_text("one two three four five six\nseven eight nine ten eleven\n\nnext\n",
	                     40, false,
	                     "one two three four five six seven eight\nnine ten eleven\n\nnext\n");
	markdown_expect_text("- one two three four five six seven eight nine\n  ten\n1. x\n", 40,
	                     false,
	                     "- one two three four five six seven\n  eight nine ten\n1. x\n");
	markdown_expect_text("> said\n> so\n", 40, false, "> said so\n");
	markdown_expect_text("```\n# as `it` is\n```\nthen\n", 40, false,
	                     "    # as `it` is\nthen\n");
	markdown_expect_text("so:\n\n    # a  `b`\n      c\n\nthen\n- x\n    y\n", 40, false,
	                     "so:\n\n    # a  `b`\n      c\n\nthen\n- x y\n");
}

TEST(test_markdown_words)
{
	markdown_expect_text("a **b c** *d* `e` [f g](h.md) ![i](j.svg) k_l 2*3\n", 80, false,
	                     "a b c d e f g (picture: i) k_l 2*3\n");
	markdown_expect_text("a **b c**\n", 80, true, "a \033[1mb\033[0m \033[1mc\033[0m\n");
	markdown_expect_text("2 * 3 * 4 and `open\n", 80, false, "2 * 3 * 4 and `open\n");
	markdown_expect_text("a \\| b\n", 80, false, "a | b\n");
	/* Control characters. */
	markdown_expect_text("a\033[2Jb\n", 80, false, "a[2Jb\n");
}

TEST(test_tables)
{
	markdown_expect_text("| a | points |\n| --- | ---: |\n| `x|y` | 3 |\n| long | 12 |\n", 80,
	                     false, "a     points\n----  ------\nx|y        3\nlong      12\n");
	markdown_expect_text("| a | b |\n| --- | --- |\n| one | two three four five six seven "
	                     "eight nine ten |\n",
	                     40, false,
	                     "a    b\n---  -----------------------------------\none  two three "
	                     "four five six seven "
	                     "eight\n     nine ten\n");
	/* Truncated tables, and too many columns. */
	markdown_expect_text("| a\n", 80, false, "a\n-\n");
	char *out =
		markdown_render_page("|1|2|3|4|5|6|7|8|9|a|b|c|d|e|f|g|h|i|j|\n|-|\n", 80, false);
	assert_non_null(strstr(out, "1  2  3"));
	free(out);
}

TEST(test_similar)
{
	char a[] = "loop: ld t1, 0(s0)\n add a0, a0, t1\n addi s0, s0, 8\n bnez t0, loop\n mul a0, "
	           "a0, a1\n sd a0, 0(s1)\n";
	/* Renamed labels and registers, a comment, other white space. */
	char b[] = "again: ld t5, 0(s3) # mine\n\tadd  a4, a4, t5\n addi s3, s3, 8\n bnez t6, "
	           "again\n mul a4, a4, a5\n sd a4, 0(s5)\n";
	char c[] = "xor a0, a1, a2\n sub a3, a0, a4\n and a5, a6, a7\n or t0, t1, t2\n sll t3, t4, "
	           "t5\n srl t6, s0, s1\n";
	char *texts[] = {a, b, c, NULL};
	struct similar_pair *pairs;
	assert_int_equal(similar_find(texts, 4, NULL, 80, &pairs), 1);
	assert_int_equal(pairs[0].a, 0);
	assert_int_equal(pairs[0].b, 1);
	assert_int_equal(pairs[0].percent, 100);
	free(pairs);
	/* A prefix common to all carries no information. */
	assert_int_equal(similar_find(texts, 4, a, 80, &pairs), 0);
	free(pairs);
}
