/* Shared by the files of value_modules.h. */
#ifndef CYCLOPS_SCRIPTING_VALUES_VALUE_MODULES_PRIV_H
#define CYCLOPS_SCRIPTING_VALUES_VALUE_MODULES_PRIV_H

#include <lua.h>

#include "scripting/host/host.h"
#include "scripting/values/value_machine.h"
#include "scripting/values/value_modules.h"
#include "scripting/values/value_state.h"

enum { NAME_ROOM = 32, SUMMARY_MAX = 128, KINDS_MAX = 16 };

/* One module. */
struct module {
	struct value_modules *all; /* borrowed */
	unsigned number;
	struct lua_host *host;     /* owned; its owner is this module */
	char name[NAME_ROOM], summary[SUMMARY_MAX];
	char source[256];          /* for messages: "results", "DIR/mine.lua" */
	struct vsample_capture capture; /* extra words are numbered as in the merged capture */
	struct {
		char name[2 * NAME_ROOM], summary[SUMMARY_MAX], column[NAME_ROOM];
	} kind[KINDS_MAX];
	unsigned kinds;
	int sequence, format;      /* registry references; format: LUA_NOREF if none */
	/* the declared state, empty if none; the state after the last call */
	struct value_text first, said;
	struct value_answer *answer; /* during a call; else NULL */
};

struct value_modules {
	struct module *at[VALUE_MODULES]; /* owned */
	struct value_module module[VALUE_MODULES];
	struct value_kind kind[VALUE_KINDS];
	char extra_name[VSAMPLE_EXTRAS][48];
	struct value_source source;
	struct value_daemon *daemon; /* owned */
	uint64_t steps;              /* of a call */
	struct value_facts facts;    /* facts that modules may query */
	bool format_failed;          /* a module's function format failed, not yet reported */
	bool format_known;           /* the failure has been reported */
	struct err format_failure;   /* the first one */
};

/* The module of an interpreter. */
static inline struct module *module_of(lua_State *L)
{
	return host_owner(host_of(L));
}

/* ---- value_capture.c ---- */
/* Reads capture = { all = WORDS, CLASS = WORDS, OPERATION = WORDS } from a module's table. Raises
 * errors. */
void value_capture_read(lua_State *L, struct module *m, int table);
/* Finds the addresses of captured memory words; a word of unknown address is not captured. */
void value_capture_locate(const struct value_modules *all);
/* Adds this module's capture to the merged one. */
void value_capture_merge(struct value_modules *all, const struct module *m);

/* ---- value_calls.c: struct value_source ---- */
bool value_call_turn(void *ctx, unsigned module, const struct value_sequence *s,
                     struct value_answer *a, struct err *err);
char *value_call_format(void *ctx, unsigned kind, uint64_t pc, uint64_t value, char *buf, size_t n);

#endif
