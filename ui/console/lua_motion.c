/* Hooks of the console's script in motions of other commands: enables them and reports failures. */
#include "ui/console/lua_motion.h"

#include "scripting/script.h"
#include "ui/console/value_failures.h"

void lua_put_trace(struct console *c, const char *trace)
{
	unsigned lines = 0;
	for (const char *s = trace; *s; s++)
		lines += *s == '\n';
	if (lines > 2)
		console_print(c, "%s\n", trace);
}

void lua_motion_begins(struct console *c)
{
	if (c->script)
		script_begin(c->script);
}

enum command_result lua_motion_ends(struct console *c)
{
	struct err err;
	const char *trace;
	value_failures_tell(c);
	if (!c->script || !script_take_failure(c->script, &err, &trace))
		return CMD_OK;
	lua_put_trace(c, trace);
	return console_fail(c, "%.400s; the hook is off: hook enable N", err.msg);
}

const char *lua_stopper(const struct console *c)
{
	return c->script ? script_stopper(c->script) : NULL;
}
