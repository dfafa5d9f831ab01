/* Parts of the screen without a terminal: layouts, popups, texts, the table of keys. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include "tests/cases.h"
#include "ui/console/command.h"
#include "hwviews/grid/utf8.h"
#include "ui/screen/keys.h"
#include "ui/screen/layout.h"
#include "ui/screen/popup.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"
#include "ui/screen/text.h"
#include "tests/unit/hwviews/session_fixture.h"

static const char example[] =
	"(rows 40 pipe 60 (columns 50 rob 30 \"mem sp 64\" 20 (rows 1 regs 1 fu)))";

TEST(test_layout_text_round_trip)
{
	struct err err;
	struct node *n = tiles_parse(example, &err);
	assert_non_null(n);
	char *text = tiles_format(n);
	assert_string_equal(text, example);
	free(text);
	tiles_free(n);
}

TEST(test_layout_errors)
{
	static const char *const bad[] = {"",
	                                  "(",
	                                  "(rows",
	                                  "(rows 1 pipe)",
	                                  "(rows pipe rob)",
	                                  "(rows 1 pipe 2 rob",
	                                  "(cols 1 a 2 b)",
	                                  "(rows 0 pipe 1 rob)",
	                                  "(rows 1 pipe 99999 rob)",
	                                  "pipe rob",
	                                  "(rows 1 pipe 1 rob) x",
	                                  "\"mem sp",
	                                  "()",
	                                  "(rows 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a)"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};
		assert_null(tiles_parse(bad[i], &err));
		assert_true(strlen(err.msg) > 0);
	}
}

TEST(test_layout_nesting_is_bounded)
{
	struct err err;
	struct text t = {0};
	for (int i = 0; i < 5000; i++)
		text_printf(&t, "(rows 1 pipe 1 ");
	assert_null(tiles_parse(t.s, &err));
	text_deinit(&t);
}

/* Every cell belongs to exactly one pane or to a line between columns. */
static void check_cover(struct node *n, int w, int h)
{
	static uint8_t owner[64][256];
	struct pane *p[LAYOUT_PANES];
	memset(owner, 0, sizeof owner);
	tiles_place(n, (struct rect){0, 0, h, w});
	unsigned count = tiles_panes(n, p);
	for (unsigned i = 0; i < count; i++) {
		struct rect r = p[i]->r;
		assert_true(r.h == 0 || (r.h >= PANE_MIN_ROWS && r.w >= PANE_MIN_COLS));
		assert_true(r.y >= 0 && r.x >= 0 && r.y + r.h <= h && r.x + r.w <= w);
		for (int y = r.y; y < r.y + r.h; y++)
			for (int x = r.x; x < r.x + r.w; x++)
				assert_int_equal(owner[y][x]++, 0);
	}
}

TEST(test_layout_fills_its_place)
{
	struct err err;
	struct node *n = tiles_parse(example, &err);
	for (int h = 1; h < 60; h += 3)
		for (int w = 1; w < 250; w += 7)
			check_cover(n, w, h);
	tiles_place(n, (struct rect){1, 0, 21, 80});
	struct pane *p[LAYOUT_PANES];
	assert_int_equal(tiles_panes(n, p), 5);
	assert_int_equal(p[0]->r.w, 80);
	assert_int_equal(p[0]->r.h + p[1]->r.h, 21);
	assert_int_equal(p[1]->r.y, p[0]->r.y + p[0]->r.h);
	assert_int_equal(p[1]->r.w + p[2]->r.w + p[3]->r.w + 2, 80);
	tiles_free(n);
}

/* A pane's rows fill its place, except for the title and the heads of columns, if any. */
TEST(test_rows_of_a_pane)
{
	static const struct grid_column columns[] = {
		{"one", "one", "", .align = ALIGN_LEFT},
		{"two", "", "", .align = ALIGN_LEFT}};
	for (unsigned heads = 0; heads < 2; heads++) {
		struct pane *p = pane_new("rob");
		assert_non_null(p);
		pane_place(p, (struct rect){4, 2, 10, 40});
		assert_int_equal(pane_rows(p), 9); /* no grid is built yet */
		grid_init(&p->grid, "Rows", columns + !heads, 1);
		p->built = true;
		for (unsigned i = 0; i < 30; i++)
			grid_row(&p->grid, 1 + i, ROLE_PLAIN);
		assert_int_equal(pane_rows(p), heads ? 8 : 9);
		pane_free(p);
	}
}

static void expect_pane_at(const struct pane *p, int top, int selected)
{
	assert_int_equal(p->top, top);
	assert_int_equal(p->selected, selected);
}

/* A pane shorter than its grid scrolls to both ends and no further, keeps the selection visible,
 * and follows the focus until it is scrolled. */
TEST(test_pane_moves_in_its_grid)
{
	struct err err;
	struct session *s =
		session_on(&(struct launch){.path = "tests/golden/guest.elf"}, NULL, 500);
	struct pane *p = pane_new("stats");
	const struct rect place = {3, 5, 12, 70};
	pane_place(p, place);
	session_fixture_run_cycles(s, 3000);
	pane_build(p, s, 0);
	assert_true(p->built);
	const int count = (int)p->grid.row_count, rows = pane_rows(p), end = count - rows;
	assert_true(rows > 4 && count > 5 * rows);
	expect_pane_at(p, 0, -1);
	static const int64_t by[] = {5, -2, 100000, 1, -1, -100000, -1, 7};
	const int at[] = {5, 3, end, end, end - 1, 0, 0, 7};
	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		pane_scroll(p, s, by[i]);
		expect_pane_at(p, at[i], -1);
		pane_build(p, s, 0);
		expect_pane_at(p, at[i], -1);
	}
	/* Selects the first visible row, then others, which appear at the near edge. */
	pane_select(p, s, 1);
	expect_pane_at(p, 7, 7);
	pane_select(p, s, rows - 1);
	expect_pane_at(p, 7, 7 + rows - 1);
	pane_select(p, s, 1);
	expect_pane_at(p, 8, 8 + rows - 1);
	pane_select(p, s, -rows + 1);
	expect_pane_at(p, 8, 8);
	pane_select(p, s, -1);
	expect_pane_at(p, 7, 7);
	assert_ptr_equal(pane_row(p), &p->grid.rows[7]);
	pane_select(p, s, 100000);
	expect_pane_at(p, end, count - 1);
	pane_select_end(p, false);
	expect_pane_at(p, 0, 0);
	pane_select(p, s, -3);
	expect_pane_at(p, 0, 0);
	pane_select_end(p, true);
	expect_pane_at(p, end, count - 1);
	/* A pane that grows while showing its last rows fills its place with rows. */
	pane_place(p, (struct rect){place.y, place.x, place.h + 3, place.w});
	pane_build(p, s, 0);
	expect_pane_at(p, end - 3, count - 1);
	pane_place(p, place);
	pane_select_end(p, true);
	expect_pane_at(p, end, count - 1);
	/* Places on the screen. */
	const int first = place.y + 1 + pane_has_heads(p);
	assert_int_equal(pane_row_at(p, first - 1, 10), -1);
	assert_int_equal(pane_row_at(p, first, 10), end);
	assert_int_equal(pane_row_at(p, first + rows - 1, 10), count - 1);
	assert_int_equal(pane_row_at(p, first + rows, 10), -1);
	/* Finds the only row with a text from before it, from after it, and past the end. */
	snprintf(p->search, sizeof p->search, "%s", p->grid.rows[count - 2].cells[0].text);
	for (unsigned i = 0; i < 4; i++) {
		pane_select_end(p, i & 1);
		assert_true(pane_find(p, s, i < 2 ? 1 : -1));
		assert_true(strcasestr(p->grid.rows[p->selected].cells[0].text, p->search));
		assert_true(p->selected >= p->top && p->selected < p->top + rows);
	}
	snprintf(p->search, sizeof p->search, "%s", "no statistic has this");
	assert_false(pane_find(p, s, 1));
	/* The pane follows the focus until it is scrolled. */
	p->grid.focus_row = (unsigned)(4 * rows);
	pane_follow(p, s);
	expect_pane_at(p, 4 * rows - rows / 4, -1);
	assert_string_equal(p->search, "");
	p->grid.focus_row = (unsigned)(p->top + rows - 1);
	pane_follow(p, s);
	assert_true(p->top <= (int)p->grid.focus_row && (int)p->grid.focus_row < p->top + rows);
	pane_select(p, s, 0);
	assert_int_equal(p->selected, p->grid.focus_row);
	/* The whole grid fits. */
	pane_place(p, (struct rect){0, 0, count + 20, 70});
	pane_build(p, s, 0);
	pane_scroll(p, s, 3);
	assert_int_equal(p->top, 0);
	assert_int_equal(pane_row_at(p, 1 + pane_has_heads(p) + count, 10), -1);
	/* Another view begins at its top. */
	pane_place(p, place);
	pane_build(p, s, 0);
	pane_select_end(p, true);
	assert_true(pane_set_view(p, s, "regs all", &err));
	assert_false(p->built);
	assert_true(p->follow);
	expect_pane_at(p, 0, -1);
	pane_build(p, s, 0);
	expect_pane_at(p, 0, -1);
	assert_false(pane_set_view(p, s, "no-such-view", &err));
	assert_false(pane_set_view(p, s, "", &err));
	assert_string_equal(p->words, "regs all");
	pane_free(p);
	/* An unknown view keeps its words, and the pane searches for it again. */
	p = pane_new("no-such-view with words");
	assert_non_null(p);
	assert_null(p->view);
	assert_string_equal(p->words, "no-such-view with words");
	assert_int_equal(p->argc, 3);
	pane_place(p, place);
	pane_build(p, s, 0);
	assert_false(p->built);
	assert_non_null(strstr(p->error.msg, "no-such-view"));
	assert_string_equal(p->words, "no-such-view with words");
	pane_free(p);
	p = pane_new("mem 1 2 3 4 5 6 7 8 9 10 11 12");
	assert_non_null(p);
	assert_int_equal(p->argc, PANE_WORDS);
	assert_string_equal(p->argv[PANE_WORDS - 1], "7");
	pane_free(p);
	session_free(s);
}

/* A view whose window moves with the pane is built anew beyond the end of the grid. */
TEST(test_pane_moves_a_window)
{
	struct session *s =
		session_on(&(struct launch){.path = "tests/golden/guest.elf"}, NULL, 500);
	struct pane *p = pane_new("disasm");
	pane_place(p, (struct rect){0, 0, 12, 90});
	session_fixture_run_cycles(s, 3000);
	pane_build(p, s, 0);
	assert_true(p->built);
	const uint64_t first = p->grid.rows[0].pc;
	const int most = (int)p->grid.row_count - pane_rows(p);
	pane_scroll(p, s, most + 4);
	expect_pane_at(p, 0, -1);
	assert_int_equal(p->view_scroll, 4);
	assert_true(p->grid.rows[0].pc > first);
	pane_scroll(p, s, -4);
	assert_int_equal(p->view_scroll, 0);
	assert_int_equal(p->grid.rows[0].pc, first);
	pane_select_end(p, true);
	const uint64_t last = pane_row(p)->pc;
	pane_select(p, s, 2);
	assert_true(pane_row(p)->pc > last);
	assert_int_equal(p->selected, p->grid.row_count - 1);
	assert_int_equal(p->view_scroll, 2);
	pane_follow(p, s);
	assert_int_equal(p->view_scroll, 0);
	assert_int_equal(p->grid.rows[0].pc, first);
	/* Places on other pages, in both directions from the first. */
	for (int way = -1; way <= 1; way += 2) {
		uint64_t wanted[3];
		for (unsigned i = 0; i < 3; i++) {
			pane_scroll(p, s, way * (int64_t)p->grid.row_count * 2);
			wanted[i] = p->grid.rows[1 + i].pc;
		}
		pane_follow(p, s);
		for (unsigned i = 0; i < 6; i++) {
			const uint64_t pc = i < 3 ? wanted[i] : wanted[5 - i];
			snprintf(p->search, sizeof p->search, "%" PRIx64, pc);
			assert_true(pane_find(p, s, i & 1 ? 1 : -1));
			assert_int_equal(pane_row(p)->pc, pc);
			assert_true(p->selected >= p->top && p->selected < p->top + pane_rows(p));
		}
		pane_follow(p, s);
	}
	pane_free(p);
	session_free(s);
}

static unsigned marked_cells(const struct pane *p)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->grid.row_count; i++)
		for (unsigned c = 0; c < p->grid.column_count; c++)
			n += p->grid.rows[i].cells[c].changed;
	return n;
}

/* Cells that differ from the last stop are marked, however often the pane is built, and only while
 * its grid is of that stop. */
TEST(test_pane_marks_changes)
{
	struct session *s =
		session_on(&(struct launch){.path = "tests/golden/guest.elf"}, NULL, 500);
	struct pane *p = pane_new("stats");
	pane_place(p, (struct rect){0, 0, 12, 70});
	session_fixture_run_cycles(s, 1000);
	pane_build(p, s, 0);
	assert_int_equal(marked_cells(p), 0);
	uint64_t stop = machine_cycle(s->machine);
	session_fixture_run_cycles(s, 100);
	pane_build(p, s, stop);
	const unsigned marked = marked_cells(p);
	assert_true(marked > 5);
	pane_build(p, s, stop);
	assert_int_equal(marked_cells(p), marked);
	pane_refresh(p, s, stop);
	assert_int_equal(marked_cells(p), marked);
	stop = machine_cycle(s->machine);
	pane_build(p, s, stop);
	assert_int_equal(marked_cells(p), 0); /* nothing since then */
	session_fixture_run_cycles(s, 50);
	pane_build(p, s, stop);
	assert_true(marked_cells(p) > 5);
	/* Two stops, of which the pane was built at one. */
	session_fixture_run_cycles(s, 50);
	stop = machine_cycle(s->machine);
	session_fixture_run_cycles(s, 50);
	pane_build(p, s, stop);
	assert_int_equal(marked_cells(p), 0);
	/* A hidden pane is not built. */
	pane_place(p, (struct rect){0, 0, 0, 0});
	const uint64_t built = p->cycle;
	session_fixture_run_cycles(s, 50);
	pane_refresh(p, s, stop);
	assert_int_equal(p->cycle, built);
	pane_free(p);
	session_free(s);
}

TEST(test_split_and_close)
{
	struct err err;
	struct pane *p[LAYOUT_PANES];
	struct node *n = tiles_parse("rob", &err);
	tiles_place(n, (struct rect){1, 0, 30, 100});
	assert_int_equal(tiles_panes(n, p), 1);
	assert_false(tiles_close(&n, n, &err)); /* the last one stays */
	struct pane *added = tiles_split(&n, n, true, &err);
	assert_non_null(added);
	tiles_place(n, (struct rect){1, 0, 30, 100});
	added = tiles_split(&n, tiles_leaf(n, added), false, &err);
	assert_non_null(added);
	assert_int_equal(tiles_panes(n, p), 3);
	tiles_place(n, (struct rect){1, 0, 30, 100});
	assert_true(tiles_grow(tiles_leaf(n, added), true, 4));
	tiles_place(n, (struct rect){1, 0, 30, 100});
	char *text = tiles_format(n);
	assert_string_equal(text, "(columns 47 rob 54 (rows 50 rob 50 rob))");
	free(text);
	assert_true(tiles_close(&n, tiles_leaf(n, p[0]), &err));
	assert_true(tiles_close(&n, tiles_leaf(n, p[1]), &err));
	text = tiles_format(n);
	assert_string_equal(text, "rob");
	free(text);
	tiles_free(n);
}

TEST(test_too_small_to_split)
{
	struct err err;
	struct node *n = tiles_parse("rob", &err);
	tiles_place(n, (struct rect){0, 0, 2 * PANE_MIN_ROWS - 1, 2 * PANE_MIN_COLS});
	assert_null(tiles_split(&n, n, true, &err));
	assert_null(tiles_split(&n, n, false, &err));
	tiles_free(n);
}

TEST(test_builtin_layouts_are_whole)
{
	struct layouts l;
	struct err err;
	char dir[] = "/tmp/cyclops-layouts-XXXXXX";
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	assert_true(layouts_load(&l, &err));
	assert_true(l.count >= 5);
	static const int sizes[][2] = {{80, 24}, {100, 30}, {120, 34}, {200, 50}};
	for (unsigned i = 0; i < l.count; i++) {
		for (int k = 0; k < 8; k++) {
			struct pane *p[LAYOUT_PANES];
			const int *size = sizes[k % 4];
			struct node *n = *layout_tree(&l.layout[i], size[0], size[1], k >= 4);
			tiles_place(n, (struct rect){1, 0, size[1] - 3, size[0]});
			unsigned count = tiles_panes(n, p), profiling = 0;
			for (unsigned j = 0; j < count; j++) {
				assert_non_null(p[j]->view);
				assert_true(p[j]->r.h >= PANE_MIN_ROWS + 1);
				profiling += !strcmp(p[j]->words, "pflag") ||
				             !strcmp(p[j]->words, "bdt");
			}
			/* Panes of Xprof are shown only for programs that use it. */
			bool shows = !strcmp(l.layout[i].name, "frontend") ||
			             !strcmp(l.layout[i].name, "profilers");
			assert_int_equal(profiling, k >= 4 && shows ? 2 : 0);
		}
	}
	assert_int_equal(layouts_find(&l, "window", &err), 1);
	assert_int_equal(layouts_find(&l, "2", &err), 1);
	assert_int_equal(layouts_find(&l, "17", &err), -1);
	assert_int_equal(layouts_find(&l, "windwo", &err), -1);
	assert_non_null(strstr(err.msg, "window"));

	/* Contents take precedence over the size, and panes that no tree shows together share the
	 * room. */
	struct layout *profilers = &l.layout[layouts_find(&l, "profilers", &err)];
	struct pane *p[LAYOUT_PANES];
	assert_true(tiles_panes(*layout_tree(profilers, 80, 12, LAYOUT_COP), p) >= 2);
	assert_string_equal(p[0]->words, "cop");
	assert_int_equal(tiles_panes(*layout_tree(profilers, 80, 12,
	                                          LAYOUT_SAMPLED | LAYOUT_COP | LAYOUT_VALUES),
	                             p),
	                 3);
	assert_string_equal(p[0]->words, "compressor");
	assert_string_equal(p[1]->words, "cop");
	assert_string_equal(p[2]->words, "vsample");
	assert_int_equal(
		tiles_panes(*layout_tree(profilers, 160, 50, LAYOUT_PROFILED | LAYOUT_PATHS), p),
		2);
	assert_string_equal(p[0]->words, "pflag");
	assert_string_equal(p[1]->words, "paths");
	assert_int_equal(tiles_panes(*layout_tree(profilers, 160, 50, 63), p), 6);

	/* Layouts are saved and loaded, and no other file is taken for a layout. */
	char *path;
	assert_int_equal(layouts_save(&l, "../x", *layout_tree(&l.layout[0], 80, 24, LAYOUT_ANY),
	                              &path, &err),
	                 -1);
	assert_null(path);
	const int builtin = (int)l.count;
	int mine = layouts_save(&l, "mine", *layout_tree(&l.layout[0], 80, 24, LAYOUT_ANY), &path,
	                        &err);
	assert_int_equal(mine, builtin);
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	layouts_deinit(&l);
	assert_true(layouts_load(&l, &err));
	assert_int_equal(layouts_find(&l, "mine", &err), builtin);
	assert_true(l.layout[builtin].own);
	layouts_deinit(&l);
	fputs(" rubbish", f);
	fclose(f);
	assert_true(layouts_load(&l, &err));
	assert_int_equal(l.count, builtin);
	assert_non_null(strstr(err.msg, "mine"));
	layouts_deinit(&l);
	unlink(path);
	free(path);
	char sub[64];
	snprintf(sub, sizeof sub, "%s/cyclops/layouts", dir);
	rmdir(sub);
	snprintf(sub, sizeof sub, "%s/cyclops", dir);
	rmdir(sub);
	assert_int_equal(rmdir(dir), 0);
}

/* Keys are command lines: each begins with an existing command, and no key occurs twice. */
TEST(test_keys_name_commands)
{
	struct console c = {.commands = commands, .command_count = command_count};
	for (unsigned i = 0; i < key_count; i++) {
		char word[32];
		struct err err;
		size_t n = strcspn(keys[i].command, " ");
		assert_true(n < sizeof word);
		memcpy(word, keys[i].command, n);
		word[n] = '\0';
		if (!command_find(&c, word, &err))
			fail_msg("key %s: %s", keys[i].name, err.msg);
		int code = key_code(keys[i].name);
		assert_int_not_equal(code, TERM_NO_KEY);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(code, key_code(keys[k].name));
	}
	assert_string_equal(key_command('s'), "step");
	assert_string_equal(key_command('\n'), key_command('\r'));
	assert_null(key_command('@'));
	char name[KEY_NAME];
	for (unsigned i = 0; i < key_count; i++) {
		assert_true(key_name_of(key_code(keys[i].name), name));
		assert_string_equal(name, keys[i].name);
	}
}

TEST(test_binding_keys)
{
	struct bindings all = {0};
	struct err err;
	assert_string_equal(key_bound(&all, 's'), "step");
	assert_true(key_bind(&all, "s", "step 10", &err));
	assert_true(key_bind(&all, "F5", "continue", &err));
	assert_true(key_bind(&all, "q", "", &err));
	assert_false(key_bind(&all, "F55", "continue", &err));
	assert_false(key_bind(&all, "", "continue", &err));
	assert_string_equal(key_bound(&all, 's'), "step 10");
	assert_string_equal(key_bound(&all, TERM_SPECIAL + KEY_F(5)), "continue");
	assert_null(key_bound(&all, 'q'));
	assert_true(key_bind(&all, "s", "stepi", &err));
	assert_string_equal(key_bound(&all, 's'), "stepi");
	assert_int_equal(all.count, 3);
	bindings_deinit(&all);
}

TEST(test_text)
{
	struct text t = {0};
	text_printf(&t, "one\ntwo");
	text_append(&t, "\n", 1);
	text_keep_end(&t, 6);
	assert_string_equal(t.s, "two\n");
	text_clear(&t);
	assert_string_equal(t.s, "");
	for (unsigned i = 0; i < 100; i++) {
		text_append(&t, "x", 1);
		assert_true(t.n < t.room);
	}
	text_deinit(&t);
}

TEST(test_popup_menu)
{
	struct popup p = {0};
	popup_menu(&p, "which?");
	popup_item(&p, "alpha", "do a");
	popup_item(&p, "beta", "do b");
	popup_item(&p, "bravo", "do c");
	p.r = (struct rect){0, 0, 5, 30};
	assert_null(popup_key(&p, 'b'));
	assert_int_equal(p.chosen, 1);
	assert_null(popup_key(&p, 'b'));
	assert_int_equal(p.chosen, 2);
	assert_null(popup_key(&p, TERM_SPECIAL + KEY_DOWN));
	assert_int_equal(p.chosen, 2);
	assert_null(popup_key(&p, TERM_SPECIAL + KEY_UP));
	assert_string_equal(popup_key(&p, '\r'), "do b");
	assert_false(p.open);
	popup_text(&p, "text", "a\tb\nc\n\n", false);
	assert_true(p.open);
	popup_wrap(&p, 40);
	assert_int_equal(p.count, 2);
	assert_string_equal(p.lines[0], "a       b");
	assert_null(popup_key(&p, 27));
	assert_false(p.open);
	popup_deinit(&p);
}

/* Long lines continue under their last column, broken between words; no text is lost, at any width.
 */
TEST(test_popup_wraps)
{
	static const char text[] = "  name.of   what it is, in so many words (units)\nshort\n\n    "
	                           "in as far\nwordwithoutanyblankinside ●●● ⋯ end\n";
	struct popup p = {0};
	popup_text(&p, "text", text, false);
	popup_wrap(&p, 30);
	static const char *const want[] = {"  name.of   what it is, in so",
	                                   "            many words (units)",
	                                   "short",
	                                   "",
	                                   "    in as far",
	                                   "wordwithoutanyblankinside ●●●",
	                                   "⋯ end"};
	assert_int_equal(p.count, (int)(sizeof want / sizeof *want));
	for (int i = 0; i < p.count; i++)
		assert_string_equal(p.lines[i], want[i]);
	for (unsigned cells = 16; cells < 80; cells++) {
		char all[512] = "", given[512] = "";
		popup_wrap(&p, cells);
		for (int i = 0; i < p.count; i++) {
			assert_true(utf8_width(p.lines[i]) <= cells);
			strcat(all, p.lines[i]);
		}
		for (const char *const *s = (const char *const[]){all, text, NULL}; *s; s++) {
			char *to = *s == all ? all : given;
			for (const char *c = *s; *c; c++)
				if (*c != ' ' && *c != '\n')
					*to++ = *c;
			*to = '\0';
		}
		assert_string_equal(all, given);
	}
	popup_wrap(&p, 60);
	assert_int_equal(p.count, 5);
	popup_deinit(&p);
}
