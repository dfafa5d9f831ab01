/* Charts: pictures of a script's numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/api/api.h"
#include "scripting/svg.h"

enum { PLACES_MOST = 1000, SERIES_MOST = 64 };

struct text {
	char *at; /* malloc'd */
	size_t n;
};

static int push_text(lua_State *L)
{
	const struct text *t = lua_touserdata(L, 1);
	lua_pushlstring(L, t->at, t->n);
	return 1;
}

/* Strings stay on the stack while C uses them: Lua must not collect them. */

/* The string at the top. */
static const char *chart_check_text(lua_State *L, const char *what)
{
	if (lua_type(L, -1) != LUA_TSTRING) /* lua_tolstring() would convert a number in place */
		binding_fail(L, "cyclops.chart: %s is a text, not %s", what,
		             host_a(lua_type(L, -1)));
	return lua_tostring(L, -1);
}

/* A string field of the table at 1; it stays at the top. */
static const char *chart_text_option(lua_State *L, const char *name, const char *dflt)
{
	return api_option(L, 1, name, LUA_TSTRING) ? chart_check_text(L, name) : dflt;
}

/* The length of a list in a field of the table at 1; the list is pushed. */
static size_t chart_list_length(lua_State *L, const char *name, size_t most)
{
	lua_Unsigned n = api_option(L, 1, name, LUA_TTABLE) ? lua_rawlen(L, -1) : 0;
	if (n < 1 || n > most)
		binding_fail(L, "cyclops.chart: %s has %d things; expected a list of 1 to %d", name,
		             (int)(n > 1000000 ? 1000000 : n), (int)most);
	return (size_t)n;
}

static void read_places(lua_State *L, int list, const char **names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		lua_rawgeti(L, list, (lua_Integer)i + 1);
		names[i] = chart_check_text(L, "each of places");
	}
}

/* A value of the series at the top: NaN if it is missing, false or NaN. */
static double chart_series_value(lua_State *L, size_t series, size_t place)
{
	double v = NAN;
	if (lua_rawgeti(L, -1, (lua_Integer)place + 1) == LUA_TNUMBER)
		v = lua_tonumber(L, -1);
	else if (lua_toboolean(L, -1))
		binding_fail(L,
		             "cyclops.chart: series %d has %s at place %d; expected a number, or "
		             "false for no result",
		             (int)series + 1, host_a(lua_type(L, -1)), (int)place + 1);
	if (v < 0 || isinf(v))
		binding_fail(
			L,
			"cyclops.chart: series %d has %f at place %d; expected numbers from 0 on",
			(int)series + 1, v, (int)place + 1);
	lua_pop(L, 1);
	return v;
}

static void read_series(lua_State *L, int list, const struct svg_chart *c, const char **names,
                        double *values)
{
	for (size_t s = 0; s < c->series_count; s++) {
		if (lua_rawgeti(L, list, (lua_Integer)s + 1) != LUA_TTABLE)
			binding_fail(L,
			             "cyclops.chart: series %d is %s; expected { name = TEXT, "
			             "NUMBER, ... }",
			             (int)s + 1, host_a(lua_type(L, -1)));
		if (lua_rawlen(L, -1) > c->place_count)
			binding_fail(L, "cyclops.chart: series %d has %d numbers for %d places",
			             (int)s + 1, (int)lua_rawlen(L, -1), (int)c->place_count);
		for (size_t i = 0; i < c->place_count; i++)
			values[s * c->place_count + i] = chart_series_value(L, s, i);
		lua_pushliteral(L, "name");
		if (lua_rawget(L, -2) != LUA_TSTRING)
			binding_fail(
				L,
				"cyclops.chart: series %d has no name; expected { name = TEXT, "
				"NUMBER, ... }",
				(int)s + 1);
		names[s] = lua_tostring(L, -1);
	}
}

static bool is_lines(lua_State *L)
{
	const char *kind = chart_text_option(L, "kind", "bars");
	if (strcmp(kind, "bars") != 0 && strcmp(kind, "lines") != 0)
		binding_fail(L, "cyclops.chart: kind = '%s'; expected \"bars\" or \"lines\"", kind);
	return !strcmp(kind, "lines");
}

static int chart_write_svg(lua_State *L)
{
	static const char *const keys[] = {"title", "x", "y", "kind", "places", "series", NULL};
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	api_check_keys(L, 1, "cyclops.chart", keys);
	struct svg_chart c = {
		.title = chart_text_option(L, "title", ""),
		.x_label = chart_text_option(L, "x", ""),
		.y_label = chart_text_option(L, "y", ""),
		.lines = is_lines(L),
		.panel_count = 1,
	};
	c.place_count = chart_list_length(L, "places", PLACES_MOST);
	int place_list = lua_gettop(L);
	c.series_count = chart_list_length(L, "series", SERIES_MOST);
	int series_list = lua_gettop(L);
	const char **places = lua_newuserdatauv(L, c.place_count * sizeof *places, 0);
	const char **series = lua_newuserdatauv(L, c.series_count * sizeof *series, 0);
	double *values = lua_newuserdatauv(L, c.series_count * c.place_count * sizeof *values, 0);
	luaL_checkstack(L, (int)(c.place_count + 2 * c.series_count) + LUA_MINSTACK, NULL);
	host_tick(L, c.series_count * c.place_count);
	read_places(L, place_list, places, c.place_count);
	read_series(L, series_list, &c, series, values);
	c.places = places;
	c.series = series;
	c.values = values;

	struct text t = {0};
	FILE *f = alloc_stream(&t.at, &t.n);
	if (!f)
		return binding_fail(L, "out of memory for a chart");
	svg_write(f, &c);
	if (fclose(f)) {
		free(t.at);
		return binding_fail(L, "out of memory for a chart");
	}
	lua_pushcfunction(L, push_text);
	lua_pushlightuserdata(L, &t);
	int failed = lua_pcall(L, 1, 1, 0);
	free(t.at);
	return failed ? lua_error(L) : 1;
}

static const struct binding functions[] = {
	{"chart", chart_write_svg,
         "cyclops.chart{ title =, x =, y =, kind =, places = {...}, series = {...} } -> TEXT",
         "A picture of numbers, as a text of SVG. title stands over it, x and y at the axes; kind "
         "is \"bars\" (the default) or \"lines\".\n"
         "places = { TEXT, ... }: labels of the x axis; series = { { name = TEXT, NUMBER, "
         "... }, ... }: a number from 0 on for each place, false for no result, which is shown by "
         "a mark. The same numbers give the same bytes."},
};

const struct binding_area area_chart = {
	.name = "chart",
	.object = "cyclops",
	.summary = "numbers as a picture",
	.text = "    local svg = cyclops.chart{\n"
		"        title = \"Two machines\", x = \"program\", y = \"instructions per "
                "cycle\",\n"
		"        places = { \"sort\", \"hash\" },\n"
		"        series = { { name = \"classic5\", 0.62, 0.96 }, { name = \"default\", "
                "1.75, 3.20 } },\n"
		"    }\n"
		"    io.open(\"ipc.svg\", \"w\"):write(svg):close()",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
