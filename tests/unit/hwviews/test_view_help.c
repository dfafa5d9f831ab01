/* Help of views: a line for each column, broken at 78 cells, repeated text once. */
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/view_help.h"
#include "tests/cases.h"

static const struct grid_column first[] = {
	{"mark", "", "", .min_width = 1},
	{"seq", "seq", "", .help = "number in fetch order"},
	{"from", "from", "cycle", .help = "where a part begins and ends"},
	{"to", "to", "cycle", .help = AS_BEFORE},
	{"bar", "", "", .help = "the same as a line"},
	{"long", "a long head of a column", "",
	 .help = "one two three four five six seven eight nine ten eleven twelve thirteen `a "
	         "b` c"},
};
static const struct grid_column second[] = {
	{"seq", "seq", "", .help = "number in fetch order"},
	{"from", "from", "cycle", .help = "something else"},
};

static void view_help_expect_text(const struct view_help *h, const char *text)
{
	char *have = view_help_text(h);
	assert_non_null(have);
	assert_string_equal(have, text);
	free(have);
}

TEST(each_column_has_a_line)
{
	view_help_expect_text(
		&(struct view_help){
			.about = "What it is.",
			.tables = {{GRID_TABLE(first)},
	                           {GRID_TABLE(second), .indent = 8, .before = "With N:\n"}},
			.hints = "Look."},
		"What it is.\n"
		"\n"
		"  seq        number in fetch order\n"
		"  from, to   where a part begins and ends\n"
		"  bar        the same as a line\n"
		"  a long head of a column  one two three four five six seven eight nine ten\n"
		"             eleven twelve thirteen `a b` c\n"
		"With N:\n"
		"  from  something else\n"
		"\n"
		"Look.");
}

TEST(nothing_stands_behind_the_last_line)
{
	view_help_expect_text(&(struct view_help){.about = "What it is."}, "What it is.");
	view_help_expect_text(&(struct view_help){.about = "  a  one\n",
	                                          .tables = {{second, 1}},
	                                          .hints = "  b  two"},
	                      "  a  one\n"
	                      "  seq        number in fetch order\n"
	                      "  b  two");
	view_help_expect_text(&(struct view_help){.about = "", .tables = {{second, 1}}},
	                      "  seq        number in fetch order");
}

/* A line takes 78 cells, not one more. */
TEST(lines_end_at_78_cells)
{
	static const struct grid_column fits[] = {
		{"x", "x", "",
		 .help = "↓23456789012345678901234567890123456789012345678901234567890 `4a`"},
	}, longer[] = {
		{"x", "x", "",
		 .help = "↓234567890123456789012345678901234567890123456789012345678901 `4a`"},
	};
	(void)state;
	view_help_expect_text(
		&(struct view_help){.about = "", .tables = {{GRID_TABLE(fits)}}},
		"  x          ↓23456789012345678901234567890123456789012345678901234567890 `4a`");
	view_help_expect_text(
		&(struct view_help){.about = "", .tables = {{GRID_TABLE(longer)}}},
		"  x          ↓234567890123456789012345678901234567890123456789012345678901\n"
		"             `4a`");
}
