/* Views and reports as tables, exports as texts. */
#include <stdlib.h>
#include <string.h>

#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "scripting/api/api.h"

enum { WORDS_MAX = 16 };

/* Pushes a row as a table by column name; missing cells are nil. */
static void api_views_push_row(lua_State *L, const struct grid *g, const struct grid_row *row)
{
	lua_createtable(L, 0, (int)g->column_count);
	for (unsigned c = 0; c < g->column_count; c++) {
		const struct cell *cell = &row->cells[c];
		if (cell->kind == RAW_NONE && !*cell->text)
			continue;
		words_push_cell(L, cell);
		lua_setfield(L, -2, g->columns[c].name);
	}
}

/* The grid stays the caller's. */
int api_push_grid_table(lua_State *L)
{
	const struct grid *g = lua_touserdata(L, 1);
	lua_Integer n = 0;
	lua_createtable(L, 0, 6);
	lua_createtable(L, (int)g->column_count, 0);
	for (unsigned c = 0; c < g->column_count; c++) {
		lua_pushstring(L, g->columns[c].name);
		lua_rawseti(L, -2, (lua_Integer)c + 1);
	}
	lua_setfield(L, -2, "columns");
	lua_createtable(L, (int)g->row_count, 0);
	for (unsigned r = 0; r < g->row_count; r++) {
		if (g->rows[r].role == ROLE_HEAD)
			continue;
		api_views_push_row(L, g, &g->rows[r]);
		lua_rawseti(L, -2, ++n);
	}
	lua_setfield(L, -2, "rows");
	lua_pushinteger(L, n);
	lua_setfield(L, -2, "count");
	lua_pushstring(L, g->title);
	lua_setfield(L, -2, "title");
	lua_pushstring(L, g->summary);
	lua_setfield(L, -2, "summary");
	lua_pushstring(L, g->empty);
	lua_setfield(L, -2, "empty");
	return 1;
}

/* views.c: pushes a grid as a table, and frees it. */
static void api_push_grid(lua_State *L, struct grid *g)
{
	lua_pushcfunction(L, api_push_grid_table);
	lua_pushlightuserdata(L, g);
	int status = lua_pcall(L, 1, 1, 0);
	grid_deinit(g);
	if (status != LUA_OK)
		lua_error(L);
}

static int api_views_push_view(lua_State *L)
{
	const struct session *s = api_session(L);
	struct grid g;
	struct err err;
	if (!view_build(s, luaL_checkstring(L, 2), &(struct view_args){0}, &g, &err))
		return binding_fail(L, "%s", err.msg);
	api_push_grid(L, &g);
	return 1;
}

static int api_views_push_report(lua_State *L)
{
	const struct session *s = api_session(L);
	char text[512], *words[WORDS_MAX], *save = NULL;
	int argc = 0, used;
	struct grid g;
	struct err err;
	size_t n;
	const char *line = luaL_checklstring(L, 2, &n);
	luaL_argcheck(L, n < sizeof text, 2, "too long");
	memcpy(text, line, n + 1);
	for (char *w = strtok_r(text, " \t", &save); w && argc < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		words[argc++] = w;
	const struct report *r = report_find(argc, (const char *const *)words, &used, &err);
	struct view_args args = {.argc = argc - (r ? used : 0),
	                         .argv = (const char *const *)words + (r ? used : 0)};
	if (!r || !report_build(r, s, &args, &g, &err))
		return binding_fail(L, "%s", err.msg);
	api_push_grid(L, &g);
	return 1;
}

struct made {
	const char *text;
	size_t n;
};

static int push_made(lua_State *L)
{
	const struct made *m = lua_touserdata(L, 1);
	lua_pushlstring(L, m->text, m->n);
	return 1;
}

static int export_as_text(lua_State *L)
{
	const struct session *s = api_session(L);
	const char *words = luaL_checkstring(L, 2);
	const size_t end = strcspn(words, " \t");
	char name[32], *text = NULL;
	struct err err;
	size_t n;
	luaL_argcheck(L, end < sizeof name, 2, "no such format");
	memcpy(name, words, end);
	name[end] = '\0';
	const struct export_format *f = export_find(name, &err);
	if (f)
		text = export_text(f, s, words + end, &n, &err);
	if (!text)
		return binding_fail(L, "%s", err.msg);
	struct made made = {text, n};
	lua_pushcfunction(L, push_made);
	lua_pushlightuserdata(L, &made);
	const int status = lua_pcall(L, 1, 1, 0);
	free(text);
	if (status != LUA_OK)
		lua_error(L);
	return 1;
}

static const struct binding methods[] = {
	{"view", api_views_push_view,
         "m:view(\"NAME ARGUMENTS\") -> { columns =, rows =, count =, title =, summary =, empty = "
         "}",
         "A view as a table: columns are the columns' names, rows a list of tables by these names, "
         "numbers as numbers; what the "
         "hardware does not have yet is nil. m:view(\"rob\").rows[1].state; cyclops.views() has "
         "the names, `help rob` explains one."},
	{"report", api_views_push_report, "m:report(\"NAME ARGUMENTS\") -> as m:view",
         "A report as a table: m:report \"oracle loads\" (help report)."},
	{"export", export_as_text, "m:export(\"FORMAT ARGUMENTS\") -> TEXT",
         "A profile of the run so far as text for another tool: m:export \"folded by calls\" (help "
         "export)."},
	{"thread_stats", api_thread_stats,
         "m:thread_stats(NUMBER | 'switch' | 'ended') -> { NAME = }",
         "What was counted while that thread had the processor, while threads were switched, or by "
         "threads that have ended and whose place another has: by names of statistics, as "
         "`stats thread 2`. All together they are m.stats."},
	{"timeline", api_timeline,
         "m:timeline([{ from =, to =, rows = }]) -> { { from =, to =, ipc =, cpi = {}, where =, "
         "... }, ..., width =, first =, newest = }",
         "What `view timeline` shows: the run, or that part of it, in rows of width cycles, at "
         "most `rows` (64). Each has from and to, cycles, ipc, insts, "
         "mispredicts, l1i_misses, l1d_misses, l2_misses, itlb_misses and dtlb_misses of its own, "
         "cpi with the slots of each row of the CPI stack by its last "
         "words (cpi.bad_speculation), pc, and where, the function in which the program was. first "
         "and newest say what is recorded."},
	{"whatif", api_what_if,
         "m:whatif([STRETCH | FROM, TO]) -> { { cause =, settings =, claimed =, cycles =, saved = "
         "}, ..., cycles =, insts =, from =, cut = }",
         "What `what-if` shows: the stretch is run again without each of its causes, in machines "
         "of their own; the one that saves most comes first. "
         "claimed are the cycles that the slot stack charges to the cause (nil if it has no row of "
         "its own), cycles those without it and saved how many "
         "fewer these are than with it; next is the row of the slot stack that grows most then, by "
         "grew cycles, if one does much; where such a machine can't run, why says so in their "
         "place. settings are the parameters of the machine "
         "without it. Of the answer itself cycles are those of the machine as it is, insts the "
         "instructions run again, from the first of them, cut: the stretch "
         "had more. m:whatif() is about all until now, m:whatif(\"main\") or \"since main\" about "
         "what came since a mark, stop or function, "
         "m:whatif(1000, 20000) about these cycles. What the machines do counts as what this one "
         "does. `view what-if` shows it then."},
};

const struct binding_area area_views = {
	.name = "views",
	.object = "machine",
	.summary = "views and reports as tables",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
