/* Grids: column widths, rendering as text and as JSON. */
#include "hwviews/grid/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"
#include "tests/cases.h"
#include "tests/unit/hwviews/json_check.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"

static const struct grid_column columns[] = {
	{"name", "name", "", .align = ALIGN_LEFT},
	{"count", "count", "things", .align = ALIGN_RIGHT},
	{"text", "a long text", "", .flexible = true},
	{"beat", "beat", "", .restless = true},
};

static void grid_init_sample_columns(struct grid *g)
{
	grid_init(g, "Title", columns, 4);
}

static void grid_append_sample_row(struct grid *g, uint64_t key, const char *name, uint64_t count,
                                   const char *text, const char *beat)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_PLAIN, "%s", name);
	grid_uint(g, ROLE_NUMBER, count);
	grid_text(g, ROLE_PLAIN, "%s", text);
	grid_text(g, ROLE_PLAIN, "%s", beat);
}

static void grid_expect_text(const struct grid *g, const struct text_style *style, const char *text)
{
	char *got = render_text_string(g, style);
	assert_string_equal(got, text);
	free(got);
}

TEST(digits_are_grouped)
{
	char buf[32];
	assert_string_equal(group_digits(0, buf), "0");
	assert_string_equal(group_digits(999, buf), "999");
	assert_string_equal(group_digits(1000, buf), "1,000");
	assert_string_equal(group_digits(1204377, buf), "1,204,377");
	assert_string_equal(group_digits(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}

TEST(utf8_is_measured)
{
	uint32_t code;
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("a…▶é"), 4);
	assert_int_equal(utf8_width("日本"), 4);
	assert_int_equal(utf8_width("e\xcc\x81"), 1); /* a combining accent */
	assert_int_equal(utf8_fit("日本", 3), 3);
	assert_int_equal(utf8_fit("ab…d", 3), 5);
	assert_int_equal(utf8_fit("abc", 0), 0);
	/* Not UTF-8: too long a form of '/', a surrogate, cut off, a lone continuation. */
	static const char *const bad[] = {"\xc0\xaf", "\xed\xa0\x80", "\xe2\x80",
	                                  "\x80",     "\xff",         "\xf8\x88\x80\x80"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(utf8_decode(bad[i], strlen(bad[i]), &code), 1);
		assert_int_equal(code, 0xfffd);
	}
	for (uint32_t c = 0x80; c < 0x110000; c += c == 0xd7ff ? 0x801 : 1) {
		const uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		char s[4] = {(char)((0xf00u >> n & 0xffu) | c >> 6 * (n - 1))};
		for (uint32_t i = 1; i < n; i++)
			s[i] = (char)(0x80u | (c >> 6 * (n - 1 - i) & 0x3fu));
		if (utf8_decode(s, n, &code) != n || code != c)
			fail_msg("U+%04X is read as U+%04X", c, code);
	}
}

TEST(names_give_way_to_offsets)
{
	static const struct {
		const char *text;
		unsigned cells;
		const char *shown;
	} cases[] = {
		{"multiply+0x2a", 13, "multiply+0x2a"},
		{"multiply+0x2a", 12, "multip…+0x2a"},
		{"multiply+0x2a", 9, "mul…+0x2a"},
		{"multiply+0x2a", 8, "multiply+0x2a"},
		{"multiply+0x2a bne", 16, "multip…+0x2a bne"},
		{"multiply+0x2a bne", 12, "multip…+0x2a"},
		{"multiply+0x2a > 0x142, 10", 20, "multiply+0x2a > 0x142, 10"},
		{"bne a0,a1,multiply+0x2a", 14, "bne a0,a1,multiply+0x2a"},
		{"größte+0x2a", 10, "größ…+0x2a"},
		{"a+b", 2, "a+b"},
		{"3,000,000", 9, "3,000,000"},
		{"3,000,000", 8, "3.00 M"},
		{"3,000,000", 5, "3.0 M"},
		{"-1,234,567", 6, "-1.2 M"},
		{"999,999", 5, "1.0 M"},
		{"123,456", 4, "123k"},
		{"123,456", 3, "123,456"},
		{"0x5851f42d4c957f2d", 12, "0x5851f42d4c957f2d"},
		{"", 0, ""},
	};
	char buf[64];
	(void)state;
	static const struct {
		const char *text;
		unsigned cells;
		size_t bytes;
	} cut[] = {
		{"cycles 3,000,000 of it", 12, 7}, {"cycles 3,000,000 of it", 16, 7},
		{"cycles 3,000,000 of it", 17, 17}, {"main+0x9c here", 7, 4},
		{"addi a0,a0,-100", 13, 11},       {"ld a5,8(a4)", 5, 5},
		{"addi s2,s2,100", 13, 11},
		{"find_2nd_name", 7, 7},           {"5.25 of it", 2, 0},
	};
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
		assert_int_equal(utf8_fit_text(cut[i].text, cut[i].cells), cut[i].bytes);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(utf8_shorten(cases[i].text, cases[i].cells, buf, sizeof buf),
		                    cases[i].shown);
}

TEST(texts_are_made_safe)
{
	struct grid g;
	grid_init_sample_columns(&g);
	grid_append_sample_row(&g, 1, "a\033[31mb", 1, "\xff\x01", "tab\there");
	assert_string_equal(g.rows[0].cells[0].text, "a\xef\xbf\xbd[31mb");
	assert_string_equal(g.rows[0].cells[2].text, "\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(g.rows[0].cells[3].text, "tab\xef\xbf\xbdhere");
	grid_deinit(&g);
}

TEST(long_texts_are_kept)
{
	struct grid g;
	char *text = malloc(5001);
	memset(text, 'x', 5000);
	text[5000] = '\0';
	grid_init_sample_columns(&g);
	grid_append_sample_row(&g, 1, text, 1, "", "");
	assert_string_equal(g.rows[0].cells[0].text, text);
	grid_summary(&g, "%s", text);
	assert_string_equal(g.summary, text);
	free(text);
	grid_deinit(&g);
}

TEST(changes_are_found_by_key)
{
	struct grid a, b;
	grid_init_sample_columns(&a);
	grid_append_sample_row(&a, 7, "seven", 1, "same", "1");
	grid_append_sample_row(&a, 8, "eight", 2, "old", "1");
	grid_init_sample_columns(&b);
	grid_append_sample_row(&b, 8, "eight", 3, "new", "2");
	grid_append_sample_row(&b, 9, "nine", 1, "", "2");
	grid_append_sample_row(&b, 7, "seven", 1, "same", "2");
	grid_mark_changes(&b, NULL);
	assert_false(b.rows[0].fresh || b.rows[0].cells[1].changed);
	grid_mark_changes(&b, &a);
	assert_false(b.rows[0].fresh);
	assert_false(b.rows[0].cells[0].changed);
	assert_true(b.rows[0].cells[1].changed);
	assert_true(b.rows[0].cells[2].changed);
	assert_false(b.rows[0].cells[3].changed); /* restless */
	assert_true(b.rows[1].fresh);
	assert_false(b.rows[1].cells[1].changed);
	assert_false(b.rows[2].fresh || b.rows[2].cells[2].changed);
	grid_deinit(&a);
	grid_deinit(&b);
}

TEST(raw_values_decide)
{
	struct grid a, b;
	grid_init_sample_columns(&a);
	grid_row(&a, 1, ROLE_PLAIN);
	grid_uint_text(&a, ROLE_PLAIN, 100, "4 left");
	grid_uint_text(&a, ROLE_PLAIN, 100, "4 left");
	grid_init_sample_columns(&b);
	grid_row(&b, 1, ROLE_PLAIN);
	grid_uint_text(&b, ROLE_PLAIN, 100, "3 left");
	grid_hex(&b, ROLE_PLAIN, 100);
	grid_mark_changes(&b, &a);
	assert_false(b.rows[0].cells[0].changed);
	assert_true(b.rows[0].cells[1].changed); /* another kind of value */
	grid_deinit(&a);
	grid_deinit(&b);
}

TEST(rows_without_keys_go_by_position)
{
	struct grid a, b;
	grid_init_sample_columns(&a);
	grid_append_sample_row(&a, 0, "x", 1, "", "");
	grid_init_sample_columns(&b);
	grid_append_sample_row(&b, 0, "x", 2, "", "");
	grid_append_sample_row(&b, 0, "y", 2, "", "");
	grid_mark_changes(&b, &a);
	assert_true(b.rows[0].cells[1].changed);
	assert_true(b.rows[1].fresh);
	grid_deinit(&a);
	grid_deinit(&b);
}

TEST(layout_gives_way_from_the_right)
{
	struct grid g;
	unsigned w[4];
	grid_init_sample_columns(&g);
	grid_append_sample_row(&g, 1, "name", 12345, "a text of thirty characters, so", "beat");
	assert_int_equal(grid_layout(&g, 0, 2, w), 4);
	assert_int_equal(w[2], 31);
	g.essential = 3;
	/* Full width, then a narrower flexible column, then without the last column, then narrower
	 * still. */
	assert_int_equal(grid_layout(&g, 4 + 6 + 31 + 4 + 6, 2, w), 4);
	assert_int_equal(w[2], 31);
	assert_int_equal(grid_layout(&g, 4 + 6 + 24 + 4 + 6, 2, w), 4);
	assert_int_equal(w[2], 24);
	assert_int_equal(grid_layout(&g, 4 + 6 + 24 + 4 + 5, 2, w), 3);
	assert_int_equal(w[2], 29);
	assert_int_equal(w[3], 0);
	assert_int_equal(grid_layout(&g, 4 + 6 + 20 + 4, 2, w), 3);
	assert_int_equal(w[2], 20);
	assert_int_equal(grid_layout(&g, 12, 2, w), 2);
	assert_int_equal(grid_layout(&g, 3, 2, w), 1);
	assert_int_equal(w[0], 3);
	for (unsigned width = 1; width < 80; width++) {
		unsigned shown = grid_layout(&g, width, 2, w), total = 0;
		for (unsigned c = 0; c < shown; c++)
			total += w[c] + (c ? 2 : 0);
		assert_true(total <= width);
	}
	grid_deinit(&g);
}

TEST(text_is_aligned)
{
	struct grid g;
	grid_init_sample_columns(&g);
	grid_summary(&g, "2/2");
	grid_append_sample_row(&g, 1, "one", 1, "▶ short", "");
	grid_append_sample_row(&g, 2, "twelve", 1234, "日本 is rather long for thirty", "x");
	grid_expect_text(&g, &(struct text_style){0},
	                 "Title  2/2\n"
	                 "name    count  a long text                     beat\n"
	                 "one         1  ▶ short\n"
	                 "twelve  1,234  日本 is rather long for thirty  x\n");
	g.essential = 3;
	grid_expect_text(&g, &(struct text_style){.width = 36, .right = "cycle 7"},
	                 "Title  2/2                   cycle 7\n"
	                 "name    count  a long text         …\n"
	                 "one         1  ▶ short\n"
	                 "twelve  1,234  日本 is rather lon…\n");
	grid_deinit(&g);
}

TEST(marks_and_left_out_rows)
{
	struct grid a, b;
	grid_init_sample_columns(&a);
	grid_append_sample_row(&a, 1, "one", 1, "", "");
	grid_init_sample_columns(&b);
	grid_append_sample_row(&b, 1, "one", 2, "", "");
	grid_append_sample_row(&b, 2, "two", 30, "", "");
	grid_mark_changes(&b, &a);
	grid_expect_text(&b, &(struct text_style){.marks = true},
	                 "Title\n"
	                 "  name  count  a long text  beat\n"
	                 "  one      2*\n"
	                 "+ two     30\n");
	grid_expect_text(&b, &(struct text_style){.marks = false},
	                 "Title\n"
	                 "name  count  a long text  beat\n"
	                 "one       2\n"
	                 "two      30\n");
	grid_deinit(&a);
	grid_init_sample_columns(&a);
	for (uint64_t i = 1; i <= 20; i++)
		grid_append_sample_row(&a, i, "r", i, "", "");
	a.focus_row = 10;
	char *text = render_text_string(&a, &(struct text_style){.rows = 4});
	assert_non_null(strstr(text, "r        10\n"));
	assert_null(strstr(text, "r         9\n"));
	assert_non_null(strstr(text, "… 9 rows before, 7 after\n"));
	free(text);
	grid_deinit(&a);
	grid_deinit(&b);
}

TEST(empty_grids_say_why)
{
	struct grid g;
	grid_init_sample_columns(&g);
	grid_empty(&g, "nothing in flight");
	grid_expect_text(&g, &(struct text_style){0}, "Title\n  nothing in flight\n");
	char *json = render_json_string(&g, "v", 3);
	assert_true(json_ok(json));
	free(json);
	grid_deinit(&g);
}

TEST(ascii_has_no_other_bytes)
{
	struct grid g;
	grid_init_sample_columns(&g);
	grid_append_sample_row(&g, 1, "▶·░▒▓█↓", 1,
	                       "an ellipsis follows … 日本 ● ◆ and is cut off here", "x");
	for (unsigned width = 1; width < 90; width++) {
		char *text =
			render_text_string(&g, &(struct text_style){.width = width, .ascii = true});
		for (char *c = text; *c; c++)
			assert_true((unsigned char)*c < 0x7f);
		free(text);
	}
	grid_deinit(&g);
}

TEST(json_holds_values)
{
	struct grid g;
	grid_init_sample_columns(&g);
	grid_summary(&g, "say \"hi\" \\ there");
	struct grid_row *row = grid_row(&g, 1, ROLE_MISS);
	row->fresh = true;
	grid_text(&g, ROLE_PLAIN, "quote\" back\\slash");
	grid_uint(&g, ROLE_NUMBER, 1234567);
	grid_hex_text(&g, ROLE_ADDRESS, 0x1040c, "find+0x10");
	grid_double(&g, ROLE_NUMBER, 0.5, 2);
	row->cells[1].changed = true;
	grid_row(&g, 2, ROLE_HEAD);
	grid_text(&g, ROLE_HEAD, "a heading");
	grid_row(&g, 3, ROLE_PLAIN);
	grid_double(&g, ROLE_NUMBER, NAN, 2);
	char *json = render_json_string(&g, "name", 42);
	assert_true(json_ok(json));
	assert_non_null(strstr(json, "\"view\": \"name\""));
	assert_non_null(strstr(json, "\"cycle\": 42"));
	assert_non_null(strstr(json, "\"summary\": \"say \\\"hi\\\" \\\\ there\""));
	assert_non_null(strstr(json, "\"name\": \"quote\\\" back\\\\slash\""));
	assert_non_null(strstr(json, "\"count\": 1234567,"));
	assert_non_null(strstr(json, "\"text\": \"0x1040c\""));
	assert_non_null(strstr(json, "\"beat\": 0.5"));
	assert_non_null(
		strstr(json, "\"role\": \"miss\", \"changed\": [\"count\"], \"new\": true"));
	assert_non_null(strstr(json, "{\"name\": \"count\", \"unit\": \"things\"}"));
	assert_null(strstr(json, "heading"));
	free(json);
	grid_deinit(&g);
}

TEST(the_checker_checks)
{
	static const char *const good[] = {"{}", " [1, -2.5e3, \"a\\u00e9\"] ",
	                                   "{\"a\": {\"b\": []}}", "null"};
	static const char *const bad[] = {"",   "{",     "[1,]",     "{\"a\" 1}", "\"\\x\"",
	                                  "01", "[1] 2", "{'a': 1}", "\"\n\""};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(json_ok(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(json_ok(bad[i]));
}

TEST(pictures_join_lines_and_cut_texts)
{
	static const struct grid_column boxes[] = {{"box", "box", "", .align = ALIGN_LEFT}};
	const struct picture_of first = {0, PICTURE_NO_COLUMN},
				none = {PICTURE_NO_ROW, PICTURE_NO_COLUMN};
	struct grid g;
	unsigned top, bottom;
	grid_init(&g, "Boxes", boxes, 1);
	grid_row(&g, 1, ROLE_PLAIN);
	grid_text(&g, ROLE_PLAIN, "one");
	struct picture *p = picture_new(11, 5);
	grid_take_picture(&g, p);
	assert_non_null(p);
	picture_box(p, 0, 0, 3, 6, ROLE_DIM, 0);
	picture_box(p, 2, 0, 3, 6, ROLE_DIM, 1);
	picture_line(p, 1, 5, 1, 9, ROLE_DIM);
	picture_text(p, 1, 10, 1, ROLE_DIM, none, "▶");
	assert_int_equal(picture_text(p, 1, 1, 4, ROLE_HEAD, first, "fetch"), 4);
	assert_int_equal(picture_text(p, 3, 1, 4, ROLE_HEAD, first, "rob"), 3);
	picture_text(p, 4, 9, 9, ROLE_HEAD, none, "abc"); /* what is outside is cut */
	picture_text(p, 9, 0, 9, ROLE_HEAD, none, "below");
	char *text = render_text_string(&g, &(struct text_style){.width = 11});
	assert_string_equal(text, "Boxes\n┌────┐\n│fet…├────▶\n├────┤\n│rob │\n└────┘   ab\n");
	free(text);
	text = render_text_string(&g, &(struct text_style){.ascii = true});
	assert_string_equal(text, "Boxes\n+----+\n|fet~+---->\n+----+\n|rob |\n+----+   ab\n");
	free(text);
	text = render_text_string(&g, &(struct text_style){.width = 10}); /* no room for it */
	assert_string_equal(text, "Boxes\nbox\none\n");
	free(text);
	assert_true(picture_find(p, 1, &top, &bottom));
	assert_int_equal(top, 2);
	assert_int_equal(bottom, 4);
	assert_false(picture_find(p, 2, &top, &bottom));
	assert_int_equal(picture_at(p, 1, 2)->role, ROLE_HEAD);
	grid_deinit(&g);
}

/* ---- tables of columns ---- */
static bool grid_column_is_present(const struct session *s)
{
	return s != NULL;
}

static void fill_of(struct grid *g, const void *row)
{
	grid_uint(g, ROLE_NUMBER, *(const unsigned *)row + grid_of(g));
}

static const struct grid_column filled[] = {
	{"a", "a", "", .fill = fill_of, .of = 1},
	{"b", "b", "", .fill = fill_of, .of = 2},
	{"t", "t", "", .fill = fill_of, .of = 100, .there = grid_column_is_present},
	{"c", "c", "", .fill = fill_of, .of = 3},
	{"d", "d", "", .fill = fill_of, .of = 4},
	{"e", "e", "", .fill = fill_of, .of = 5},
	{"f", "f", "", .fill = fill_of, .of = 6},
};

/* Names of a grid's columns, then the cells of a row that they have filled. */
static void filled_are(struct grid *g, unsigned essential, const char *names, const char *cells)
{
	char line[128] = "";
	const unsigned row = 10;
	for (unsigned c = 0; c < g->column_count; c++)
		strcat(strcat(line, c ? " " : ""), g->columns[c].name);
	assert_string_equal(line, names);
	assert_int_equal(g->essential, essential);
	grid_row(g, 1, ROLE_PLAIN);
	grid_cells(g, &row);
	*line = '\0';
	for (unsigned c = 0; c < g->column_count; c++)
		strcat(strcat(line, c ? " " : ""), g->rows[0].cells[c].text);
	assert_string_equal(line, cells);
	grid_deinit(g);
}

TEST(columns_are_chosen_and_fill_their_cells)
{
	struct grid g;
	const struct session *some = (const struct session *)&g;
	/* A column that this machine lacks does not shift the others. */
	grid_init_for(&g, "t", GRID_TABLE(filled), NULL);
	filled_are(&g, 5, "a b c d e f", "11 12 13 14 15 16");
	grid_init_for(&g, "t", GRID_TABLE(filled), some);
	filled_are(&g, 6, "a b t c d e f", "11 12 110 13 14 15 16");
	grid_init_for(&g, "t", filled, 3, NULL);
	grid_drop_column(&g, "a");
	filled_are(&g, 1, "b", "12");
	grid_init(&g, "t", GRID_TABLE(filled));
	grid_keep_columns(&g, "f a c");
	grid_column_named(&g, "c")->of = 50;
	filled_are(&g, 3, "f a c", "16 11 60");
}
