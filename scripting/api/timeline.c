/* m:timeline{}: the run in bins (hwviews/session/timeline.h). */
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats.h"
#include "hwviews/session/timeline.h"
#include "scripting/api/api.h"

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

int api_timeline(lua_State *L)
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
