/* Profiles of tuples, made from messages, or from all tuples. */
#include <math.h>
#include <stdlib.h>

#include "core/base/sort.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

enum { PIECE = 1 << 16, ENTRIES_PER_STEP = 4, ESTIMATES_MOST = 64 };

static struct tuple_profile *profile_at(lua_State *L, int index)
{
	return luaL_checkudata(L, index, PROFILE);
}

struct tuple_profile *tuples_new_profile(lua_State *L)
{
	struct tuple_profile *p = lua_newuserdatauv(L, sizeof *p, 0);
	tuple_profile_init(p, tuples_memory(L));
	luaL_setmetatable(L, PROFILE);
	return p;
}

static int api_profile_new(lua_State *L)
{
	tuples_new_profile(L);
	return 1;
}

static int profile_gc(lua_State *L)
{
	tuple_profile_deinit(profile_at(L, 1));
	return 0;
}

static size_t api_profile_memory_bytes(const struct tuple_profile *p)
{
	return p->tuple_room * sizeof *p->tuple + p->pc_room * sizeof *p->pc +
	       (p->tuple_slots.count + p->pc_slots.count) * sizeof(uint32_t);
}

/* ---- counting ---- */
void tuples_count(lua_State *L, struct tuple_profile *p, struct tuple t, uint64_t n)
{
	size_t had = api_profile_memory_bytes(p);
	bool tried = false, ok;
	if (n > INT64_MAX - p->total)
		binding_fail(L, "a profile counts to 9223372036854775807, all together");
	do
		ok = tuple_profile_add(p, t, n);
	while (!ok && tuples_try_again(L, &tried));
	if (!ok)
		tuples_fail(L, TUPLES_NO_MEMORY, "a profile", 0, "");
	if (api_profile_memory_bytes(p) != had)
		tuples_grown(L, api_profile_memory_bytes(p) - had);
}

static int api_profile_add_tuple(lua_State *L)
{
	struct tuple_profile *p = profile_at(L, 1);
	tuples_count(L, p, tuples_check(L, 2), api_count(L, 5, 1));
	lua_settop(L, 1);
	return 1;
}

static int api_profile_feed_stream(lua_State *L)
{
	struct tuple_profile *p = profile_at(L, 1);
	const struct tuple_stream *s = tuples_stream(L, 2);
	size_t from, n = tuples_range(L, 3, 4, s->count, &from);
	for (size_t i = 0; i < n; i++) {
		if (i % PIECE == 0)
			host_tick(L, PIECE);
		tuples_count(L, p, s->at[from + i], 1);
	}
	lua_settop(L, 1);
	return 1;
}

static int api_profile_fold_messages(lua_State *L)
{
	struct tuple_profile *p = profile_at(L, 1);
	const struct message_list *l = tuples_messages(L, 2);
	host_tick(L, l->count + 1);
	for (size_t i = 0; i < l->count; i++)
		tuples_count(L, p, l->at[i].tuple, l->at[i].count);
	lua_settop(L, 1);
	return 1;
}

static int api_profile_clear(lua_State *L)
{
	tuple_profile_clear(profile_at(L, 1));
	lua_settop(L, 1);
	return 1;
}

/* ---- queries ---- */
static int api_profile_count(lua_State *L)
{
	const struct tuple_profile *p = profile_at(L, 1);
	uint64_t n = p->total;
	if (!lua_isnoneornil(L, 3)) {
		const struct tuple_count *t = tuple_profile_find(p, tuples_check(L, 2));
		n = t ? t->count : 0;
	} else if (!lua_isnoneornil(L, 2)) {
		const struct pc_count *pc = tuple_profile_find_pc(p, tuples_check_pc(L, 2, 4));
		n = pc ? pc->count : 0;
	}
	lua_pushinteger(L, (lua_Integer)n);
	return 1;
}

static int api_profile_length(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)profile_at(L, 1)->tuples);
	return 1;
}

static int api_profile_next_tuple(lua_State *L)
{
	const struct tuple_profile *p = profile_at(L, lua_upvalueindex(1));
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= p->tuples)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	tuples_push(L, p->tuple[i].tuple);
	lua_pushinteger(L, (lua_Integer)p->tuple[i].count);
	return 4;
}

static int api_profile_iterate_tuples(lua_State *L)
{
	profile_at(L, 1);
	return tuples_iterate(L, api_profile_next_tuple);
}

static int next_pc(lua_State *L)
{
	const struct tuple_profile *p = profile_at(L, lua_upvalueindex(1));
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= p->pcs)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushinteger(L, (lua_Integer)tuple_pc((struct tuple){p->pc[i].pc, 0}));
	lua_pushinteger(L, (lua_Integer)tuple_tag((struct tuple){p->pc[i].pc, 0}));
	lua_pushinteger(L, (lua_Integer)p->pc[i].count);
	lua_pushinteger(L, (lua_Integer)p->pc[i].values);
	return 4;
}

static int api_profile_iterate_pcs(lua_State *L)
{
	profile_at(L, 1);
	return tuples_iterate(L, next_pc);
}

struct place {
	uint64_t count;
	uint32_t number;
};

/* Larger counts first; of equal ones the earlier entry. */
static int api_profile_compare_counts(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->number < y->number ? -1 : 1;
}

static int api_profile_top_tuples(lua_State *L)
{
	const struct tuple_profile *p = profile_at(L, 1);
	uint64_t n = api_count(L, 2, 10);
	if (n > p->tuples)
		n = p->tuples;
	host_tick(L, p->tuples / ENTRIES_PER_STEP + n + 1);
	struct place *place = lua_newuserdatauv(L, (p->tuples + 1) * sizeof *place, 0);
	for (uint32_t i = 0; i < p->tuples; i++)
		place[i] = (struct place){p->tuple[i].count, i};
	sort_stable(place, p->tuples, sizeof *place, api_profile_compare_counts);
	lua_createtable(L, n < 4096 ? (int)n : 4096, 0);
	for (uint64_t i = 0; i < n; i++) {
		const struct tuple_count *t = &p->tuple[place[i].number];
		const struct pc_count *pc = &p->pc[t->pc];
		lua_createtable(L, 0, 5);
		tuples_set(L, t->tuple);
		binding_set_integer(L, "count", t->count);
		lua_pushnumber(L, pc->count ? (double)t->count / (double)pc->count : 0);
		lua_setfield(L, -2, "invariance");
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* ---- error ---- */
static double api_profile_fraction_option(lua_State *L, int index, const char *name, double dflt)
{
	double v = dflt;
	if (api_option(L, index, name, LUA_TNUMBER)) {
		v = lua_tonumber(L, -1);
		if (!(v >= 0 && v <= 1))
			binding_fail(L, "%s = %g: a part is 0 to 1", name, v);
	}
	lua_pop(L, 1);
	return v;
}

void tuples_thresholds(lua_State *L, int index, struct tuple_thresholds *t)
{
	t->min_count = api_option_count(L, index, "min_count", t->min_count);
	t->invariant = api_profile_fraction_option(L, index, "invariant", t->invariant);
	t->covered = api_profile_fraction_option(L, index, "covered", t->covered);
	uint64_t tag = api_option_count(L, index, "tag", TUPLE_TAG_MAX + 1);
	if (tag <= TUPLE_TAG_MAX)
		t->tag = (int)tag;
	else if (tag > TUPLE_TAG_MAX + 1)
		binding_fail(L, "tag: a tag is 0 to %d", TUPLE_TAG_MAX);
}

static struct tuple_thresholds api_profile_read_thresholds(lua_State *L, const char *method)
{
	static const char *const keys[] = {TUPLES_THRESHOLD_KEYS, NULL};
	struct tuple_thresholds t = tuple_thresholds_paper;
	if (lua_isnoneornil(L, 3))
		return t;
	luaL_checktype(L, 3, LUA_TTABLE);
	api_check_keys(L, 3, method, keys);
	tuples_thresholds(L, 3, &t);
	return t;
}

void tuples_push_error(lua_State *L, const struct tuple_error *e)
{
	if (isnan(e->error))
		lua_pushnil(L);
	else
		lua_pushnumber(L, e->error);
	lua_createtable(L, 0, 5);
	binding_set_integer(L, "pcs", e->pcs);
	binding_set_integer(L, "tuples", e->tuples);
	binding_set_integer(L, "weight", e->weight);
	binding_set_integer(L, "total", e->total);
	binding_set_integer(L, "unseen", e->unseen);
}

static int error_from(lua_State *L)
{
	const struct tuple_profile *estimate = profile_at(L, 1), *ideal = profile_at(L, 2);
	const struct tuple_thresholds limits = api_profile_read_thresholds(L, "p:error");
	struct tuple_error e;
	host_tick(L, ideal->tuples / ENTRIES_PER_STEP + 1);
	tuple_profile_error(ideal, estimate, &limits, &e);
	tuples_push_error(L, &e);
	return 2;
}

static int api_profile_compute_errors(lua_State *L)
{
	const struct tuple_profile *ideal = profile_at(L, 1);
	const struct tuple_thresholds limits = api_profile_read_thresholds(L, "p:errors");
	luaL_checktype(L, 2, LUA_TTABLE);
	size_t n = lua_rawlen(L, 2);
	if (n > ESTIMATES_MOST)
		return binding_fail(L, "p:errors takes %d estimates at most", ESTIMATES_MOST);
	const struct tuple_profile *estimate[ESTIMATES_MOST];
	struct tuple_error e[ESTIMATES_MOST];
	for (size_t k = 0; k < n; k++) {
		lua_rawgeti(L, 2, (lua_Integer)k + 1);
		estimate[k] = profile_at(L, -1);
		lua_pop(L, 1);
	}
	host_tick(L, ideal->tuples / ENTRIES_PER_STEP + 1);
	tuple_profile_errors(ideal, estimate, n, &limits, e);
	lua_createtable(L, (int)n, 0);
	for (size_t k = 0; k < n; k++) {
		if (isnan(e[k].error))
			lua_pushboolean(L, false);
		else
			lua_pushnumber(L, e[k].error);
		lua_rawseti(L, -2, (lua_Integer)k + 1);
	}
	return 1;
}

static int api_profile_tostring(lua_State *L)
{
	const struct tuple_profile *p = profile_at(L, 1);
	lua_pushfstring(L, "profile of %I tuples at %I pcs, %I counted", (lua_Integer)p->tuples,
	                (lua_Integer)p->pcs, (lua_Integer)p->total);
	return 1;
}

static const struct binding functions[] = {
	{"profile", api_profile_new, "cyclops.profile() -> PROFILE",
         "An empty profile of counts by tuple. Fed with a stream it is the ideal profile; fed "
         "with messages, the profile that software sees."},
};

static const struct binding methods[] = {
	{"add", api_profile_add_tuple, "p:add(PC, VALUE[, TAG[, COUNT]]) -> PROFILE",
         "Adds COUNT (1) to this tuple."},
	{"feed", api_profile_feed_stream, "p:feed(STREAM[, N[, FROM]]) -> PROFILE",
         "Counts every tuple of a stream, or N of them from place FROM (1) on."},
	{"fold", api_profile_fold_messages, "p:fold(MESSAGES) -> PROFILE",
         "Counts what messages stand for."},
	{"clear", api_profile_clear, "p:clear() -> PROFILE", "Forgets all counts."},
	{"count", api_profile_count, "p:count([PC[, VALUE[, TAG]]]) -> N",
         "The count of a tuple; of a pc if VALUE is nil, p:count(PC, nil, TAG); of everything "
         "without arguments."},
	{"tuples", api_profile_iterate_tuples, "for pc, value, tag, n in p:tuples() do",
         "All tuples with their counts, in the order in which they were first counted. #p is their "
         "number."},
	{"pcs", api_profile_iterate_pcs, "for pc, tag, n, values in p:pcs() do",
         "All pcs, by stream, with their executions and how many different values they had."},
	{"top", api_profile_top_tuples, "p:top([N]) -> { TUPLE, ... }",
         "The N (10) tuples with the largest counts, as { pc =, value =, tag =, count =, "
         "invariance = }; invariance is its share of its pc's executions, 0 to 1."},
	{"error", error_from,
         "p:error(IDEAL[, { min_count = 1000, invariant = 0.10, covered = 0.40, tag = K }]) -> "
         "ERROR, DETAILS",
         "How far this estimate is from the ideal profile, 0 to 1 (Sastry, Bodik, Smith, 5.3.1): "
         "the difference between a tuple's invariances in the two profiles, averaged over the "
         "selected tuples, weighted by their counts in the ideal profile. nil: none is selected.\n"
         "The ideal profile selects: pcs with at least min_count executions, of which at least "
         "the share `covered` belongs to invariant tuples; a tuple is invariant if it has at "
         "least the share `invariant` of its pc's executions. With `tag` only that stream counts. "
         "A pc that the estimate has not seen has invariance 0.\n"
         "DETAILS: selected pcs and tuples, their executions (weight), all executions (total), "
         "and selected pcs that the estimate has not seen (unseen)."},
	{"errors", api_profile_compute_errors,
         "p:errors({ ESTIMATE, ... }[, { min_count = 1000, ... }]) -> { ERROR, ... }",
         "The errors of up to 64 estimates against this ideal profile, in one pass; false where "
         "none is selected."},
};

const struct binding_area area_profiles = {
	.name = "profiles",
	.object = "cyclops",
	.summary = "making profiles of tuples",
	.text = "",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};

const struct binding_area area_profile = {
	.name = "profile",
	.object = "profile",
	.summary = "counts by tuple, and their error",
	.text = "    local ideal = cyclops.profile():feed(st)\n"
	        "    local estimate = cyclops.profile():fold(c:feed(st))\n"
	        "    print(estimate:error(ideal))",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_profile(lua_State *L)
{
	static const luaL_Reg meta[] = {{"__len", api_profile_length},
	                                {"__gc", profile_gc},
	                                {"__tostring", api_profile_tostring},
	                                {NULL, NULL}};
	tuples_new_type(L, PROFILE, "profile", meta);
}
