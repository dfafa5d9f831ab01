/* The adapter's loop: dispatches requests to their handlers, if they are allowed now. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/stop_commands.h"
#include "ui/dap/breakpoints.h"

enum { WAITING_MAX = 256, OUTPUT_ROOM = 4096 };

bool dap_init(struct dap *d)
{
	d->options = alloc_zeroed(1, sizeof *d->options);
	d->console = alloc_zeroed(1, sizeof *d->console);
	d->waiting = json_array();
	d->output[1] = alloc_bytes(OUTPUT_ROOM);
	d->output[2] = alloc_bytes(OUTPUT_ROOM);
	return d->options && d->console && d->waiting && d->output[1] && d->output[2] &&
	       breakpoints_init(d);
}

void dap_deinit(struct dap *d)
{
	dap_close(d);
	dap_forget_handles(d);
	breakpoints_free(d);
	json_decref(d->waiting);
	free(d->output[1]);
	free(d->output[2]);
	free(d->said);
	free(d->console);
	free(d->options);
}

/* ---- requests ---- */
static const char *const filters[][4] = {
	{"signals", "Signals", "a handler of the program is entered (catch signal)",
         "signal == 'SIGSEGV'"},
	{"mispredictions", "Mispredictions", "a misprediction squashes (catch squash)",
         "count > 20"},
	{"l2_misses", "L2 misses", "a load or store goes to memory (catch miss)", "latency > 100"},
};

static json_t *dap_build_capabilities(void)
{
	static const char *const can[] = {"supportsConfigurationDoneRequest",
	                                  "supportsFunctionBreakpoints",
	                                  "supportsConditionalBreakpoints",
	                                  "supportsHitConditionalBreakpoints",
	                                  "supportsLogPoints",
	                                  "supportsInstructionBreakpoints",
	                                  "supportsDataBreakpoints",
	                                  "supportsExceptionFilterOptions",
	                                  "supportsExceptionInfoRequest",
	                                  "supportsEvaluateForHovers",
	                                  "supportsSetVariable",
	                                  "supportsSetExpression",
	                                  "supportsStepBack",
	                                  "supportsSteppingGranularity",
	                                  "supportsDisassembleRequest",
	                                  "supportsReadMemoryRequest",
	                                  "supportsWriteMemoryRequest",
	                                  "supportsRestartRequest",
	                                  "supportsTerminateRequest",
	                                  "supportTerminateDebuggee",
	                                  "supportsDelayedStackTraceLoading",
	                                  "supportsValueFormattingOptions",
	                                  "supportsCompletionsRequest",
	                                  "supportsCancelRequest",
	                                  "supportsDataBreakpointBytes",
	                                  "supportsBreakpointLocationsRequest"};
	json_t *out = json_object(), *list = json_array();
	for (size_t i = 0; i < sizeof can / sizeof *can; i++)
		json_object_set_new(out, can[i], json_true());
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "filter",
		                                      filters[i][0], "label", filters[i][1],
		                                      "description", filters[i][2], "default", 0,
		                                      "supportsCondition", 1,
		                                      "conditionDescription", filters[i][3]));
	json_object_set_new(out, "exceptionBreakpointFilters", list);
	return out;
}

static void dap_on_initialize(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *lines = json_object_get(args, "linesStartAt1"),
		     *columns = json_object_get(args, "columnsStartAt1");
	const char *paths = asked_text(args, "pathFormat");
	if (paths && strcmp(paths, "path") != 0) {
		dap_refuse(d, request, "pathFormat '%.40s': expected path", paths);
		return;
	}
	d->lines_from_0 = json_is_false(lines);
	d->columns_from_0 = json_is_false(columns);
	d->reports_progress = asked_flag(args, "supportsProgressReporting");
	dap_answer(d, request, dap_build_capabilities());
}

static void dap_on_cancel(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args; /* only one motion can be under way */
	d->paused |= d->runs;
	dap_answer(d, request, NULL);
}

static const struct request own_requests[] = {
	{"initialize", dap_on_initialize, ANY_TIME, true},
	{"cancel", dap_on_cancel, ANY_TIME, true},
	{0},
};

static const struct request *const all[] = {
	own_requests,    session_requests,          moves_requests,
	stack_requests,  variables_requests,        evaluate_requests,
	memory_requests, breakpoints_code_requests, breakpoints_data_requests,
	stops_requests,
};

static const struct request *dap_find_request(const char *command)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct request *r = all[i]; r->command; r++)
			if (!strcmp(r->command, command))
				return r;
	return NULL;
}

/* Finds the handler of a request message. NULL: no handler; the message has been refused. */
static const struct request *request_of(struct dap *d, const json_t *message)
{
	static const char text[] = "ignored a message that is no request\n";
	const char *type = asked_text(message, "type"), *command = asked_text(message, "command");
	const json_t *args = json_object_get(message, "arguments");
	if (type && (!strcmp(type, "response") || !strcmp(type, "event"))) {
		dap_say(d, "important", text, sizeof text - 1); /* which has no answer */
		return NULL;
	}
	const struct request *r = command ? dap_find_request(command) : NULL;
	if (!type || strcmp(type, "request") != 0)
		dap_refuse(d, message, "expected a message with \"type\": \"request\"");
	else if (!json_is_integer(json_object_get(message, "seq")))
		dap_refuse(d, message, "expected a request with a number \"seq\"");
	else if (!command)
		dap_refuse(d, message, "expected a request with a text \"command\"");
	else if (!r)
		dap_refuse(d, message, "there is no request '%.80s' here", command);
	else if (args && !json_is_object(args))
		dap_refuse(d, message, "%s: arguments are an object", command);
	else if (!r->sessionless && !d->admitted)
		dap_refuse(d, message, "%s: expected attach with the token first", command);
	else if (!r->sessionless && !d->m.s)
		dap_refuse(d, message, "%s: nothing was launched", command);
	else
		return r;
	return NULL;
}

static void dap_dispatch_request(struct dap *d, const struct request *r, const json_t *message)
{
	if (r->when == STANDS && d->runs)
		dap_refuse(d, message, "%s: the program is running; pause it first", r->command);
	else
		r->run(d, message, json_object_get(message, "arguments"));
}

/* ---- messages while the program runs ---- */
bool dap_look(struct dap *d)
{
	json_t *message;
	struct err err;
	bool more = d->wire && json_array_size(d->waiting) < WAITING_MAX;
	while (more) {
		switch (dap_wire_get(d->wire, false, &message, &err)) {
		case DAP_MESSAGE:
			json_array_append_new(d->waiting, message);
			more = json_array_size(d->waiting) < WAITING_MAX;
			break;
		case DAP_DAMAGED:
			dap_refuse(d, message, "%s", err.msg);
			json_decref(message);
			break;
		case DAP_CLOSED:
			d->over = d->paused = true;
			more = false;
			break;
		case DAP_NOTHING:
			more = false;
			break;
		}
	}
	return d->over || json_array_size(d->waiting);
}

/* Takes the first waiting message; NULL: none. */
static json_t *take_waiting(struct dap *d)
{
	json_t *message = json_incref(json_array_get(d->waiting, 0));
	json_array_remove(d->waiting, 0);
	return message;
}

void dap_serve_waiting(struct dap *d)
{
	while (!d->over && json_array_size(d->waiting)) {
		const json_t *first = json_array_get(d->waiting, 0);
		const char *command = asked_text(first, "command");
		const struct request *r = command ? dap_find_request(command) : NULL;
		if (r && r->when == HALTS) {
			d->paused = true;
			return;
		}
		json_t *message = take_waiting(d);
		r = request_of(d, message);
		if (r)
			dap_dispatch_request(d, r, message);
		json_decref(message);
	}
}

/* ---- the loop ---- */
static json_t *dap_next_message(struct dap *d)
{
	json_t *message = NULL;
	struct err err;
	if (json_array_size(d->waiting))
		return take_waiting(d);
	switch (dap_wire_get(d->wire, true, &message, &err)) {
	case DAP_MESSAGE:
		return message;
	case DAP_DAMAGED:
		dap_refuse(d, message, "%s", err.msg);
		json_decref(message);
		return NULL;
	case DAP_CLOSED:
		d->over = true;
		break;
	default:
		break;
	}
	if (*err.msg) {
		const bool closed = d->wire->stream.closed;
		/* Send the reason before closing. */
		d->wire->stream.closed = false;
		dap_say(d, "important", err.msg, strlen(err.msg));
		d->wire->stream.closed |= closed;
	}
	return NULL;
}

static void forget_peer(struct dap *d)
{
	breakpoints_clear(d);
	if (d->m.s)
		stop_commands_drop(d->console);
	dap_forget_handles(d);
	json_array_clear(d->waiting);
	d->wire = NULL;
	if (!d->attached)
		dap_close(d);
	d->output_n[1] = d->output_n[2] = 0;
	d->lines_from_0 = d->columns_from_0 = d->reports_progress = d->configured = false;
	d->over = d->paused = d->told_exit = d->stops_on_entry = false;
}

void dap_serve(struct dap *d, struct dap_wire *w)
{
	d->wire = w;
	d->admitted = !*d->token;
	while (!d->over) {
		json_t *message = dap_next_message(d);
		d->unheard &= !message;
		const struct request *r = message ? request_of(d, message) : NULL;
		if (r)
			dap_dispatch_request(d, r, message);
		json_decref(message);
	}
	forget_peer(d);
}
