#include "ui/traces.h"

#include <stdio.h>
#include <string.h>

#include "ui/state.h"

bool traces_add(struct console *c, struct trace *t)
{
	for (int i = 0; i < TRACES_MAX; i++)
		if (!c->state->traces[i]) {
			c->state->traces[i] = t;
			return true;
		}
	console_fail(c, "%d traces are being written already: `trace stop` ends them", TRACES_MAX);
	return false;
}

enum command_result traces_close(struct console *c, struct trace *t)
{
	char digits[32], path[256];
	uint64_t n = trace_count(t);
	snprintf(path, sizeof path, "%s", trace_path(t));
	if (!trace_close(t, &c->err))
		return CMD_ERROR;
	console_print(c, "%s: %s instructions\n", path, group_digits(n, digits));
	return CMD_OK;
}

static void end(struct console *c, int i)
{
	struct trace *t = c->state->traces[i];
	c->state->traces[i] = NULL;
	if (traces_close(c, t) != CMD_OK)
		console_print(c, "%s\n", c->err.msg);
}

unsigned traces_end(struct console *c, const char *path)
{
	unsigned n = 0;
	for (int i = 0; i < TRACES_MAX; i++) {
		const struct trace *t = c->state->traces[i];
		if (!t || (path && strcmp(trace_path(t), path) != 0))
			continue;
		end(c, i);
		n++;
	}
	return n;
}

void traces_new_run(struct console *c)
{
	for (int i = 0; i < TRACES_MAX; i++)
		if (c->state->traces[i] && trace_has_begun(c->state->traces[i]))
			end(c, i);
}

void traces_motion(struct console *c)
{
	for (int i = 0; i < TRACES_MAX; i++)
		if (c->state->traces[i])
			trace_motion(c->state->traces[i]);
}

void traces_poll(struct console *c)
{
	for (int i = 0; i < TRACES_MAX; i++)
		if (c->state->traces[i] && trace_is_done(c->state->traces[i]))
			end(c, i);
}
