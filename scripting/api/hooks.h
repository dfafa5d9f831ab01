/* Hooks: functions of a script that are called as its machines run. */
#ifndef CYCLOPS_SCRIPTING_API_HOOKS_H
#define CYCLOPS_SCRIPTING_API_HOOKS_H

#include "core/machine/alarm.h"
#include "core/run/run.h"
#include "scripting/api/filter.h"

#define HOOK "cyclops.hook"

/* A hook. Its function is in the machine's user value MACHINE_HOOKS under the hook's number, so
 * that a machine and its hooks can be collected together. */
struct hook {
	unsigned id;
	struct lua_machine *m;    /* borrowed */
	int listener, alarm;      /* one of them is used */
	struct api_filter filter; /* of a listener */
	struct hook_position heard;
	uint64_t calls;
	char what[64];            /* "commit", "every 1000 insts" */
	char who[160];            /* "hook 3 on commit (lab.lua:12)" */
	bool running, removed, off;
	struct hook *next;        /* of script->hooks */
};

void api_push_hook(lua_State *L, unsigned id);
void api_remove_hook(struct hook *h);
struct hook *api_find_hook(const struct script *s, unsigned id);
int api_hooks_list(lua_State *L);

#endif
