/* Views, reports and timelines as tables, exports as texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/timeline.h"
#include "hwviews/why/what_if.h"
#include "scripting/api/api.h"

/* ---- m:whatif ---- */
/* Charges the steps of its machines like those of any machine of the script. */
static bool api_what_if_should_continue(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	const struct lua_machine *m = ctx;
	(void)done, (void)all;
	if (host_is_interrupted(m->script->host) || machine_interrupted(m->s->machine))
		return false;
	return !m->script->opt.safe || host_charge(m->script->host, steps * SCRIPT_CYCLE_STEPS);
}

/* Reads "since main", "1000 2000"; "main", 1000; 1000, 2000; or nothing. */
static void api_what_if_read_region(lua_State *L, const struct session *s, struct region *out)
{
	char words[256] = "";
	struct err err;
	if (lua_gettop(L) >= 3)
		snprintf(words, sizeof words, "%llu %llu", (unsigned long long)api_count(L, 2, 0),
		         (unsigned long long)api_count(L, 3, 0));
	else if (!lua_isnoneornil(L, 2))
		snprintf(words, sizeof words, "%s%s",
		         strchr(luaL_checkstring(L, 2), ' ') ? "" : "since ", lua_tostring(L, 2));
	if (!what_if_region(s, words, out, &err))
		binding_fail(L, "%s", err.msg);
}

static void api_what_if_push_row(lua_State *L, const struct what_if *w, const struct what_if_row *r)
{
	lua_createtable(L, 0, 5);
	binding_set_text(L, "cause", r->remedy->name);
	binding_set_text(L, "settings", r->settings);
	if (*r->remedy->rows) {
		lua_pushnumber(L, r->claim);
		lua_setfield(L, -2, "claimed");
	}
	if (!r->ran) {
		binding_set_text(L, "why", r->why);
		return;
	}
	binding_set_integer(L, "cycles", r->cycles);
	binding_set_integer(L, "saved", w->cycles - r->cycles);
	if (r->next) {
		binding_set_text(L, "next", r->next);
		lua_pushnumber(L, r->grew);
		lua_setfield(L, -2, "grew");
	}
}

static int api_what_if(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct region region;
	struct err err;
	api_refuse_moving(L, m, "m:whatif");
	api_what_if_read_region(L, m->s, &region);
	struct what_if *w = lua_newuserdatauv(L, sizeof *w, 0), *kept;
	machine_clear_interrupt(m->s->machine);
	const bool ok = what_if_run(m->s, &region, api_what_if_should_continue, m, w, &err);
	machine_clear_interrupt(m->s->machine);
	/* an interrupt, or the end of the budget, during it applies to the script */
	host_tick(L, 1);
	if (!ok)
		return binding_fail(L, "%s", err.msg);
	lua_createtable(L, WHAT_IF_ROWS, 5);
	binding_set_integer(L, "cycles", w->cycles);
	binding_set_integer(L, "idle", w->idle);
	binding_set_integer(L, "insts", w->insts);
	binding_set_integer(L, "from", w->from);
	lua_pushboolean(L, w->cut);
	lua_setfield(L, -2, "cut");
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		api_what_if_push_row(L, w, &w->row[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	/* for `view what-if`; out of memory, that keeps the last result */
	kept = alloc_bytes(sizeof *kept);
	if (kept) {
		*kept = *w;
		free(m->s->what_if);
		m->s->what_if = kept;
	}
	return 1;
}

/* ---- m:timeline ---- */
enum { ROWS = 64 };

static void push_bin(lua_State *L, const struct session *s, const struct timeline_bin *b)
{
	static const char *const names[] = {
#define X(field, name, what) name,
		TIMELINE_COUNTS(X)
#undef X
	};
	char where[64];
	lua_createtable(L, 0, TIMELINE_CPI + 7);
	binding_set_integer(L, "from", b->from);
	binding_set_integer(L, "to", b->to);
	binding_set_integer(L, "cycles", b->to - b->from);
	binding_set_integer(L, "pc", b->pc);
	for (unsigned i = 0; i < TIMELINE_CPI; i++)
		binding_set_integer(L, names[i], b->count[i]);
	lua_pushnumber(L, timeline_ipc(b));
	lua_setfield(L, -2, "ipc");
	lua_pushstring(L, timeline_where(s, b->pc, where, sizeof where));
	lua_setfield(L, -2, "where");
	lua_createtable(L, 0, (int)timeline_cpi_rows());
	for (unsigned i = 0; i < timeline_cpi_rows(); i++)
		binding_set_integer(L, timeline_cpi_row(i)->name + strlen("cpi."),
		                    b->count[TIMELINE_CPI + i]);
	lua_setfield(L, -2, "cpi");
}

/* A number in the table of options. */
static uint64_t api_timeline_number_option(lua_State *L, const char *name, uint64_t otherwise)
{
	if (lua_isnoneornil(L, 2))
		return otherwise;
	lua_getfield(L, 2, name);
	const uint64_t n = lua_isnil(L, -1) ? otherwise : api_count(L, lua_gettop(L), 0);
	lua_pop(L, 1);
	return n;
}

static int api_timeline(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct timeline_span span;
	struct timeline_bins bins;
	struct err err;
	api_refuse_moving(L, m, "m:timeline");
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TTABLE);
	run_timeline(m->s->run, &span);
	const uint64_t from = api_timeline_number_option(L, "from", span.first),
		       to = api_timeline_number_option(L, "to", span.newest),
		       rows = api_timeline_number_option(L, "rows", ROWS);
	if (!rows || rows > TIMELINE_BINS)
		return binding_fail(L, "m:timeline: rows are 1 to %d", TIMELINE_BINS);
	struct timeline_bin *copy = lua_newuserdatauv(L, (rows + 1) * sizeof *copy, 0);
	if (!timeline_bins(m->s, from, to, rows, 1, &bins, &err))
		return binding_fail(L, "%s", err.msg);
	const size_t count = bins.count;
	const uint64_t width = bins.width;
	memcpy(copy, bins.bin, count * sizeof *copy);
	timeline_bins_free(&bins);
	host_tick(L, (unsigned)count);
	lua_createtable(L, (int)count, 3);
	binding_set_integer(L, "first", span.first);
	binding_set_integer(L, "newest", span.newest);
	binding_set_integer(L, "width", width);
	for (size_t i = 0; i < count; i++) {
		push_bin(L, m->s, &copy[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* ---- views, reports, exports ---- */
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
         "A view as a table: columns are the columns' names, rows a list of tables by these "
         "names, numbers as numbers; values that the hardware does not have yet are nil. "
         "m:view(\"rob\").rows[1].state; cyclops.views() has the names, `help rob` explains one."},
	{"report", api_views_push_report, "m:report(\"NAME ARGUMENTS\") -> as m:view",
         "A report as a table: m:report \"oracle loads\" (help report)."},
	{"export", export_as_text, "m:export(\"FORMAT ARGUMENTS\") -> TEXT",
         "A profile of the run so far as text for another tool: m:export \"folded by calls\" (help "
         "export)."},
	{"thread_stats", api_thread_stats,
         "m:thread_stats(NUMBER | 'switch' | 'ended') -> { NAME = }",
         "Counts, by statistic, while that thread had the processor, while threads were switched, "
         "or of ended threads whose slot was reused; as `stats thread 2`. All together they add "
         "up to m.stats."},
	{"timeline", api_timeline,
         "m:timeline([{ from =, to =, rows = }]) -> { { from =, to =, ipc =, cpi = {}, where =, "
         "... }, ..., width =, first =, newest = }",
         "The rows of `view timeline`: the run, or that part of it, in rows of width cycles, at "
         "most `rows` (64). Each has from and to, cycles, ipc, insts, mispredicts, l1i_misses, "
         "l1d_misses, l2_misses, itlb_misses and dtlb_misses of its own, cpi with the slots of "
         "each row of the CPI stack by its last words (cpi.bad_speculation), pc, and where, the "
         "function that the program was in. first and newest are the bounds of the recording."},
	{"whatif", api_what_if,
         "m:whatif([STRETCH | FROM, TO]) -> { { cause =, settings =, claimed =, cycles =, saved = "
         "}, ..., cycles =, idle =, insts =, from =, cut = }",
         "The rows of `what-if`: the stretch is run again without each of its causes, in separate "
         "machines; the cause that saves most comes first. claimed are the cycles that the slot "
         "stack charges to the cause (nil if it has no row of its own), cycles the cycles without "
         "it, saved the difference; next is the row of the slot stack that then grows most, by "
         "grew cycles, if any grows much; where such a machine can't run, why has the reason "
         "instead. settings are parameters of the machine without the cause that this one lacks, "
         "empty if it has them all. Of the answer itself cycles are those of the machine as it is "
         "until the last instruction commits, idle those from then to the end of the stretch, "
         "insts the instructions run again, from the first of them, cut: the stretch had more. "
         "m:whatif() covers the run so far, m:whatif(\"main\") or \"since main\" the run since "
         "a mark, stop or function, m:whatif(1000, 20000) these cycles. The work of these "
         "machines counts against this one's limits. `view what-if` shows it then."},
};

const struct binding_area area_views = {
	.name = "views",
	.object = "machine",
	.summary = "views and reports as tables",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
