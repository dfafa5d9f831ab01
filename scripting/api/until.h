/* What a motion is to end with, beside counts: a place, an event, a condition. */
#ifndef CYCLOPS_SCRIPTING_API_UNTIL_H
#define CYCLOPS_SCRIPTING_API_UNTIL_H

#include "scripting/api/filter.h"

struct until {
	struct lua_machine *m;
	/* which of them were asked for; by_cycle: `condition`, or a cycle beside instructions */
	bool pc, by_event, by_cycle;
	struct api_filter filter;   /* pc: of commits there */
	int fn;                     /* registry: the condition's function, LUA_NOREF: none */
	struct expr *condition;     /* owned; the condition as a text */
	uint64_t last_cycle;        /* UINT64_MAX: none */
	int listener, alarm;
	int stop;                   /* backwards */
	bool met;                   /* the place, event or condition */
	bool limit;                 /* last_cycle was reached */
	bool holds;                 /* backwards: what the condition said last */
	struct event event;         /* that ended it, if pc or by_event */
	bool failed;
	struct err err;
};

/* Names of the keys that it reads. */
#define API_UNTIL_KEYS "until_pc", "until_event", "condition"

/* Reads them from the table at `index`; a Lua error if something is wrong. Then until_end() must
 * follow, which frees it; no Lua error may come between. */
void until_read(lua_State *L, int index, struct lua_machine *m, struct until *u);
/* Listens, before a motion forwards; false with u->err. */
bool until_begin(struct until *u);
/* Makes a stop point of it, before one backwards; false with u->err. */
bool until_begin_back(struct until *u);
void until_end(lua_State *L, struct until *u);
static inline bool until_any(const struct until *u)
{
	return u->pc || u->by_event || u->by_cycle;
}

#endif
