/* Ends of a motion other than counts: a place, an event, a condition. */
#ifndef CYCLOPS_SCRIPTING_API_UNTIL_H
#define CYCLOPS_SCRIPTING_API_UNTIL_H

#include "scripting/api/filter.h"

struct until {
	struct lua_machine *m;
	/* which are requested; by_cycle: `condition`, or a cycle beside instructions */
	bool pc, by_event, by_cycle;
	struct api_filter filter;   /* pc: of commits there */
	int fn;                     /* registry: the condition's function, LUA_NOREF: none */
	struct expr *condition;     /* owned; the condition if it is a text */
	uint64_t last_cycle;        /* UINT64_MAX: none */
	int listener, alarm;
	int stop;                   /* backwards */
	bool met;                   /* the place, event or condition was reached */
	bool limit;                 /* last_cycle was reached */
	bool holds;                 /* backwards: the condition's last result */
	struct event event;         /* the event that ended it, if pc or by_event */
	bool failed;
	struct err err;
};

/* Names of the keys that until_read() reads. */
#define API_UNTIL_KEYS "until_pc", "until_event", "condition"

/* Reads them from the table at `index`, or raises a Lua error. Then until_end() must free it; no
 * Lua error may come between. */
void until_read(lua_State *L, int index, struct lua_machine *m, struct until *u);
/* Starts listening, before a motion forwards; false with u->err. */
bool until_begin(struct until *u);
/* Sets a stop point, before a motion backwards; false with u->err. */
bool until_begin_back(struct until *u);
void until_end(lua_State *L, struct until *u);
static inline bool until_any(const struct until *u)
{
	return u->pc || u->by_event || u->by_cycle;
}

#endif
