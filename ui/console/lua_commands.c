#include "ui/console/lua_commands.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "ui/console/command_state.h"

static const struct completion {
	const char *name;
	enum complete_kind kind;
} completions[] = {
	{"", COMPLETE_NONE},         {"location", COMPLETE_LOCATION}, {"view", COMPLETE_VIEW},
	{"report", COMPLETE_REPORT}, {"statistic", COMPLETE_STAT},    {"parameter", COMPLETE_PARAM},
	{"register", COMPLETE_REG},  {"event", COMPLETE_EVENT},       {"expression", COMPLETE_EXPR},
	{"file", COMPLETE_FILE},     {"stop", COMPLETE_STOP},
};

static const struct completion *completion_of(const char *name)
{
	for (size_t i = 0; i < sizeof completions / sizeof *completions; i++)
		if (!strcmp(completions[i].name, name))
			return &completions[i];
	return NULL;
}

const struct command *lua_command_at(struct console *c, unsigned i)
{
	struct command_state *st = c->state;
	const struct script_command *told = c->script ? script_command_at(c->script, i) : NULL;
	if (!told)
		return NULL;
	if (i >= st->own_count) {
		struct command **grown = alloc_resize(st->own, (i + 1) * sizeof *grown),
			       *cmd = grown ? alloc_bytes(sizeof *cmd) : NULL;
		if (grown)
			st->own = grown;
		if (!cmd)
			return NULL;
		st->own[st->own_count++] = cmd; /* first called with i = 0, 1, 2, ... */
	}
	*st->own[i] = (struct command){
		.name = told->name,
		.aliases = "",
		.group = "lua",
		.usage = told->usage,
		.summary = told->summary,
		.help = told->help,
		.words = *told->words ? told->words : NULL,
		.complete = completion_of(told->complete)->kind,
		.repeats = told->repeats,
	};
	return st->own[i];
}

static void write_answer(void *ctx, int fd, const char *text, size_t n)
{
	struct console *c = ctx;
	(void)fd;
	console_write(c, text, n);
}

bool lua_command_run(struct console *c, const struct command *cmd, const char *args,
                     struct err *err)
{
	return script_command_run(c->script, cmd->name, c->session, args, write_answer, c, err);
}

bool lua_command_completes(const struct script_command *told, struct err *err)
{
	struct nearest n;
	if (completion_of(told->complete))
		return true;
	nearest_init(&n, told->complete);
	for (size_t i = 1; i < sizeof completions / sizeof *completions; i++)
		nearest_offer(&n, completions[i].name);
	return err_set(err, "no completion is called '%.40s'%s; `help lua owncommands` lists them",
	               told->complete, nearest_tail(&n));
}

void lua_commands_free(struct command_state *st)
{
	for (unsigned i = 0; i < st->own_count; i++)
		free(st->own[i]);
	free(st->own);
}
