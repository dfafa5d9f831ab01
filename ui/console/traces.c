#include "ui/console/traces.h"

#include <stdio.h>
#include <string.h>

#include "ui/console/command_state.h"

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
	char told[192], path[256];
	trace_told(t, told, sizeof told);
	snprintf(path, sizeof path, "%s", trace_path(t));
	if (!trace_close(t, &c->err))
		return CMD_ERROR;
	console_print(c, "%s: %s\n", path, told);
	return CMD_OK;
}

static bool traces_match_any(const struct trace *t)
{
	(void)t;
	return true;
}

/* Ends the traces for which `which` holds. c->err: the first incomplete trace; others are printed.
 */
static bool traces_end_matching(struct console *c, bool (*which)(const struct trace *t),
                                const char *path, unsigned *ended)
{
	bool ok = true;
	struct err first;
	*ended = 0;
	for (int i = 0; i < TRACES_MAX; i++) {
		struct trace *t = c->state->traces[i];
		if (!t || !which(t) || (path && strcmp(trace_path(t), path) != 0))
			continue;
		c->state->traces[i] = NULL;
		++*ended;
		if (traces_close(c, t) == CMD_OK)
			continue;
		if (ok)
			first = c->err;
		else
			console_print(c, "%s\n", c->err.msg);
		ok = false;
	}
	if (!ok)
		c->err = first;
	return ok;
}

bool traces_end(struct console *c, const char *path, unsigned *ended)
{
	return traces_end_matching(c, traces_match_any, path, ended);
}

bool traces_new_run(struct console *c)
{
	unsigned n;
	return traces_end_matching(c, trace_has_begun, NULL, &n);
}

bool traces_poll(struct console *c)
{
	unsigned n;
	return traces_end_matching(c, trace_is_done, NULL, &n);
}

bool traces_finish(struct console *c, struct err *err)
{
	unsigned n;
	if (traces_end_matching(c, traces_match_any, NULL, &n))
		return true;
	err_set(err, "%s", c->err.msg);
	return false;
}

void traces_motion(struct console *c)
{
	for (int i = 0; i < TRACES_MAX; i++)
		if (c->state->traces[i])
			trace_motion(c->state->traces[i]);
}
