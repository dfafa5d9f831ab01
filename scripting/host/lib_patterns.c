/* string.find, match, gmatch and gsub by our own matcher. */
#include <lauxlib.h>
#include <string.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"
#include "scripting/host/lua_pattern.h"

static void lib_patterns_tick(void *ctx, size_t work)
{
	host_tick(ctx, work / CHARACTERS_PER_STEP + 1);
}

static void lib_patterns_init_pattern(lua_State *L, struct pattern *x, int subject, int text)
{
	size_t subject_bytes, text_bytes;
	const char *s = luaL_checklstring(L, subject, &subject_bytes);
	const char *p = luaL_checklstring(L, text, &text_bytes);
	pattern_init(x, s, subject_bytes, p, text_bytes);
	x->tick = lib_patterns_tick;
	x->ctx = L;
}

/* Strips a leading `^`. True: it had one, so the pattern may match at one place only. */
static bool take_anchor(struct pattern *x)
{
	if (!x->text_bytes || *x->text != '^')
		return false;
	x->text++;
	x->text_bytes--;
	return true;
}

static bool lib_patterns_match_at(lua_State *L, struct pattern *x, size_t at)
{
	enum pattern_result r = pattern_match(x, at);
	if (r == PATTERN_BAD)
		luaL_error(L, "%s", x->bad);
	return r == PATTERN_YES;
}

/* Pushes capture i; without captures, the whole match, from `at`. */
static void push_capture(lua_State *L, const struct pattern *x, unsigned i, size_t at)
{
	if (i >= x->capture_count) {
		if (i)
			luaL_error(L, "invalid capture index %%%d", (int)i + 1);
		lua_pushlstring(L, x->subject + at, x->end - at);
		return;
	}
	const struct pattern_capture *c = &x->captures[i];
	if (c->kind == CAPTURE_OPEN)
		luaL_error(L, "unfinished capture");
	else if (c->kind == CAPTURE_POSITION)
		lua_pushinteger(L, (lua_Integer)c->at + 1);
	else
		lua_pushlstring(L, x->subject + c->at, c->length);
}

static int push_captures(lua_State *L, const struct pattern *x, unsigned least, size_t at)
{
	unsigned n = x->capture_count > least ? x->capture_count : least;
	luaL_checkstack(L, (int)n, "too many captures");
	for (unsigned i = 0; i < n; i++)
		push_capture(L, x, i, at);
	return (int)n;
}

/* Converts a Lua position (from 1, negative from the end) to an offset; may be beyond the end. */
static size_t lib_patterns_position_offset(lua_Integer i, size_t bytes)
{
	if (i > 0)
		return (size_t)i - 1;
	if (i == 0 || i < -(lua_Integer)bytes)
		return 0;
	return bytes - (size_t)-i;
}

/* Finds the plain text in the subject, from offset `from` on; SIZE_MAX: none. Searches in pieces,
 * so that the script can be interrupted. */
static size_t find_plain(lua_State *L, const struct pattern *x, size_t from)
{
	size_t piece = x->text_bytes > PLAIN_PIECE ? x->text_bytes : PLAIN_PIECE;
	while (x->subject_bytes - from >= x->text_bytes) {
		size_t n = x->subject_bytes - from;
		if (n > piece + x->text_bytes)
			n = piece + x->text_bytes;
		host_tick(L, n / BYTES_PER_STEP + 1);
		const char *at = memmem(x->subject + from, n, x->text, x->text_bytes);
		if (at)
			return (size_t)(at - x->subject);
		if (n < piece + x->text_bytes)
			break;
		from += piece;
	}
	return SIZE_MAX;
}

static bool lib_patterns_is_plain(const struct pattern *x)
{
	for (size_t i = 0; i < x->text_bytes; i++)
		if (x->text[i] && strchr("^$*+?.([%-", x->text[i]))
			return false;
	return true;
}

static int find_or_match(lua_State *L, bool find)
{
	struct pattern x;
	lib_patterns_init_pattern(L, &x, 1, 2);
	size_t at = lib_patterns_position_offset(luaL_optinteger(L, 3, 1), x.subject_bytes);
	if (at > x.subject_bytes)
		return luaL_pushfail(L), 1;
	if (find && (lua_toboolean(L, 4) || lib_patterns_is_plain(&x))) {
		at = find_plain(L, &x, at);
		if (at == SIZE_MAX)
			return luaL_pushfail(L), 1;
		lua_pushinteger(L, (lua_Integer)at + 1);
		lua_pushinteger(L, (lua_Integer)at + (lua_Integer)x.text_bytes);
		return 2;
	}
	bool anchored = take_anchor(&x);
	for (; at <= x.subject_bytes; at++) {
		if (lib_patterns_match_at(L, &x, at)) {
			if (!find)
				return push_captures(L, &x, 1, at);
			lua_pushinteger(L, (lua_Integer)at + 1);
			lua_pushinteger(L, (lua_Integer)x.end);
			return 2 + push_captures(L, &x, 0, at);
		}
		if (anchored)
			break;
	}
	return luaL_pushfail(L), 1;
}

static int lib_patterns_find(lua_State *L)
{
	return find_or_match(L, true);
}

static int lib_patterns_match(lua_State *L)
{
	return find_or_match(L, false);
}

/* Upvalues: subject, pattern, where to continue, the end of the last match (-1: none yet). An empty
 * match at that end does not count. */
static int gmatch_next(lua_State *L)
{
	struct pattern x;
	lib_patterns_init_pattern(L, &x, lua_upvalueindex(1), lua_upvalueindex(2));
	lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
	for (size_t at = (size_t)lua_tointeger(L, lua_upvalueindex(3)); at <= x.subject_bytes;
	     at++) {
		if (!lib_patterns_match_at(L, &x, at) || (lua_Integer)x.end == last)
			continue;
		lua_pushinteger(L, (lua_Integer)x.end);
		lua_copy(L, -1, lua_upvalueindex(3));
		lua_replace(L, lua_upvalueindex(4));
		return push_captures(L, &x, 1, at);
	}
	return 0;
}

static int lib_patterns_gmatch(lua_State *L)
{
	size_t bytes;
	luaL_checklstring(L, 1, &bytes);
	luaL_checkstring(L, 2);
	size_t at = lib_patterns_position_offset(luaL_optinteger(L, 3, 1), bytes);
	lua_settop(L, 2);
	lua_pushinteger(L, (lua_Integer)(at > bytes ? bytes + 1 : at));
	lua_pushinteger(L, -1);
	lua_pushcclosure(L, gmatch_next, 4);
	return 1;
}

/* Adds the replacement text, expanding %0 to %9 and %%. */
static void add_text(lua_State *L, luaL_Buffer *b, const struct pattern *x, size_t at)
{
	size_t n;
	const char *s = lua_tolstring(L, 3, &n), *end = s + n;
	for (const char *escape; (escape = memchr(s, '%', (size_t)(end - s))); s = escape + 2) {
		luaL_addlstring(b, s, (size_t)(escape - s));
		char what = escape[1]; /* a zero at the end */
		if (what == '%') {
			luaL_addchar(b, what);
		} else if (what == '0') {
			luaL_addlstring(b, x->subject + at, x->end - at);
		} else if (what > '0' && what <= '9') {
			push_capture(L, x, (unsigned)(what - '1'), at);
			luaL_addvalue(b);
		} else {
			luaL_error(L, "invalid use of '%%' in replacement string");
		}
	}
	luaL_addlstring(b, s, (size_t)(end - s));
}

/* Adds the replacement of the match from `at`. */
static void add_replacement(lua_State *L, luaL_Buffer *b, const struct pattern *x, size_t at)
{
	switch (lua_type(L, 3)) {
	case LUA_TFUNCTION:
		lua_pushvalue(L, 3);
		lua_call(L, push_captures(L, x, 1, at), 1);
		break;
	case LUA_TTABLE:
		push_capture(L, x, 0, at);
		lua_gettable(L, 3);
		break;
	default:
		add_text(L, b, x, at);
		return;
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(b, x->subject + at, x->end - at);
	} else if (!lua_isstring(L, -1)) {
		luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
	} else {
		luaL_addvalue(b);
	}
}

static int lib_patterns_gsub(lua_State *L)
{
	struct pattern x;
	lib_patterns_init_pattern(L, &x, 1, 2);
	int type = lua_type(L, 3);
	luaL_argexpected(L,
	                 type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
	                         type == LUA_TTABLE,
	                 3, "string/function/table");
	lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)x.subject_bytes + 1), n = 0;
	bool anchored = take_anchor(&x);
	size_t at = 0, last = SIZE_MAX;
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	while (n < most) {
		if (lib_patterns_match_at(L, &x, at) && x.end != last) {
			n++;
			add_replacement(L, &b, &x, at);
			at = last = x.end;
		} else if (at < x.subject_bytes) {
			luaL_addchar(&b, x.subject[at++]);
		} else {
			break;
		}
		if (anchored)
			break;
	}
	luaL_addlstring(&b, x.subject + at, x.subject_bytes - at);
	luaL_pushresult(&b);
	lua_pushinteger(L, n);
	return 2;
}

void lib_set_patterns(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"find", lib_patterns_find},
		{"match", lib_patterns_match},
		{"gmatch", lib_patterns_gmatch},
		{"gsub", lib_patterns_gsub},
		{NULL, NULL},
	};
	luaL_setfuncs(L, functions, 0);
}
