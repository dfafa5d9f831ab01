/* m:whatif(): repeats a stretch of the run without each of its causes (hwviews/why/what_if.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/why/what_if.h"
#include "scripting/api/api.h"

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
	binding_set_text(L, "settings", r->remedy->settings);
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

int api_what_if(lua_State *L)
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
	lua_createtable(L, WHAT_IF_ROWS, 4);
	binding_set_integer(L, "cycles", w->cycles);
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
