/* trace: pipeline diagrams for other programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/traces.h"

static enum command_result cmd_trace_list_all(struct console *c)
{
	char told[192];
	unsigned n = 0;
	for (int i = 0; i < TRACES_MAX; i++)
		if (c->state->traces[i]) {
			console_print(c, "%s: %s, so far\n", trace_path(c->state->traces[i]),
			              trace_told(c->state->traces[i], told, sizeof told));
			n++;
		}
	if (!n)
		console_print(c, "No trace is being written\n");
	return CMD_OK;
}

/* Parses a cycle: a number, "start", "live" or "now". */
static bool parse_cycle(struct console *c, const char *word, uint64_t *out)
{
	struct run_history h;
	run_history(c->session->run, &h);
	if (!strcmp(word, "start"))
		*out = h.first_cycle;
	else if (!strcmp(word, "live"))
		*out = h.newest_cycle;
	else if (!strcmp(word, "now"))
		*out = machine_cycle(c->session->machine);
	else
		return parse_count(c, word, 0, out);
	return true;
}

/* Replays the part of the range in recorded history; then, if the range continues, listens. */
static enum command_result cmd_trace_record_range(struct console *c, struct trace *t, uint64_t from,
                                                  uint64_t to)
{
	struct run_history h;
	struct event_filter filter = trace_filter(t);
	uint64_t now = machine_cycle(c->session->machine);
	run_history(c->session->run, &h);
	uint64_t past = to < h.newest_cycle ? to : h.newest_cycle;
	if (from < past &&
	    !run_replay(c->session->run, from, past, &filter, trace_event, t, &c->err)) {
		trace_close(t, NULL);
		return CMD_ERROR;
	}
	if (to <= h.newest_cycle || trace_is_done(t))
		return traces_close(c, t);
	trace_motion(t);
	if (!trace_listen(t, &c->err) || !traces_add(c, t)) {
		trace_close(t, NULL);
		return CMD_ERROR;
	}
	console_print(c, "Writing %s as the program runs%s\n", trace_path(t),
	              now < h.newest_cycle ? " past the newest cycle" : "");
	return CMD_OK;
}

static enum command_result cmd_trace_start(struct console *c, enum trace_format format,
                                           const char *args)
{
	char path[1024], first[64], last[64];
	uint64_t from = machine_cycle(c->session->machine), to = UINT64_MAX;
	args = parse_word(args, path, sizeof path);
	args = parse_word(args, first, sizeof first);
	args = parse_word(args, last, sizeof last);
	if (!*path || *args || (*first && !*last))
		return console_fail(c, "expected trace konata|chrome FILE [FROM TO]");
	if (*first && (!parse_cycle(c, first, &from) || !parse_cycle(c, last, &to)))
		return CMD_ERROR;
	if (to <= from)
		return console_fail(
			c, "trace from cycle %" PRIu64 " to %" PRIu64 ": TO is not after FROM",
			from, to);
	struct trace *t = trace_open(c->session, format, path, from, to, &c->err);
	return t ? cmd_trace_record_range(c, t, from, to) : CMD_ERROR;
}

static enum command_result cmd_trace_exec(struct console *c, const char *args)
{
	char word[32];
	struct nearest n;
	const char *rest = parse_word(args, word, sizeof word);
	if (!*word)
		return cmd_trace_list_all(c);
	if (!strcmp(word, "konata") || !strcmp(word, "kanata"))
		return cmd_trace_start(c, TRACE_KONATA, rest);
	if (!strcmp(word, "chrome") || !strcmp(word, "perfetto"))
		return cmd_trace_start(c, TRACE_CHROME, rest);
	if (!strcmp(word, "stop")) {
		unsigned ended;
		if (!traces_end(c, *rest ? rest : NULL, &ended))
			return CMD_ERROR;
		if (ended)
			return CMD_OK;
		return *rest ? console_fail(c, "no trace to %s is being written", rest)
		             : console_fail(c, "no trace is being written");
	}
	nearest_init(&n, word);
	nearest_offer(&n, "konata");
	nearest_offer(&n, "chrome");
	nearest_offer(&n, "stop");
	return console_fail(c, "trace '%s'? %s%s", word,
	                    n.best ? "did you mean " : "konata, chrome or stop",
	                    n.best ? n.best : "");
}

const struct command cmd_trace = {
	.name = "trace",
	.aliases = "",
	.group = "files",
	.usage = "trace konata|chrome FILE [FROM TO] | stop [FILE]",
	.summary = "write a pipeline diagram for Konata, or for Perfetto and Chrome",
	.help = "FROM and TO are cycles, or start, now, live; TO itself is left out. The\n"
		"recorded past is executed again; the future is written as the program gets\n"
		"there. Without a range: from now on, until `trace stop` or the end. A file\n"
		"covers one run: `run` and `restore` end open traces. A file that can't be\n"
		"written stops the run, and the command fails.\n"
		"    trace konata out.kanata 1000 2000     trace chrome out.json start live",
	.words = "konata chrome stop",
	.complete = COMPLETE_FILE,
	.files = true,
	.exec = cmd_trace_exec,
};
