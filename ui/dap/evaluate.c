/* Evaluates what users type or hover over: expressions, and our commands in the debug console. */
#include <stdlib.h>
#include <string.h>

#include "core/os/journal.h"
#include "scripting/expr/expr.h"
#include "ui/console/here.h"
#include "ui/console/interrupt.h"
#include "ui/console/stop_commands.h"
#include "ui/dap/dap.h"

bool dap_settle(struct dap *d, const json_t *request)
{
	struct err err;
	if (spot_settle(d->m.at, &err))
		return true;
	dap_refuse(d, request, "%s", err.msg);
	return false;
}

/* Runs a console command, and adopts the place to which it moved the machine. */
static enum command_result dap_run_console_line(struct dap *d, const char *line)
{
	const struct stand was = here_stand(d->console);
	here_look(d->console);
	const enum command_result r = console_run(d->console, line);
	dap_look_away(d);
	if (r == CMD_ERROR)
		console_print(d->console, "%s\n", d->console->err.msg);
	here_settle(d->console);
	if (here_has_moved(d->console, &was)) {
		d->m.told_end = false;
		d->m.gone = machine_has_ended(d->m.s->machine);
		d->m.halt = (struct halt){.kind = d->m.gone ? HALT_EXITED : HALT_STEP,
		                          .number = machine_exit_status(d->m.s->machine)};
	}
	return r;
}

/* Runs a line of the debug console and answers with its text. */
static void dap_run_repl_command(struct dap *d, const json_t *request, const char *line)
{
	const struct stand was = here_stand(d->console);
	d->listens = true;
	d->paused = false; /* an earlier pause was for an earlier motion */
	d->said_n = 0;
	const enum command_result r = dap_run_console_line(d, line);
	d->listens = false;
	d->unheard |= interrupt_taken(); /* it stopped the command */
	while (d->said_n && d->said[d->said_n - 1] == '\n')
		d->said_n--;
	if (r != CMD_ERROR)
		dap_answer(d, request,
		           json_pack("{s:o, s:i}", "result", dap_text(d->said, d->said_n),
		                     "variablesReference", 0));
	else
		dap_refuse(d, request, "%.*s", (int)d->said_n, d->said);
	if (r == CMD_QUIT)
		dap_end(d);
	if (r == CMD_QUIT || !here_has_moved(d->console, &was))
		return;
	dap_forget_handles(d);
	if (d->configured)
		dap_tell_stop(d, "goto");
}

/* True if a line of the debug console is a command. */
static bool dap_is_console_command(struct dap *d, const char *line)
{
	char word[64];
	struct err err;
	line += strspn(line, " \t");
	size_t n = strcspn(line, " \t/;");
	if (!n || n >= sizeof word)
		return false;
	memcpy(word, line, n);
	word[n] = '\0';
	/* "x = 5" and "(s)" are expressions. */
	const char *rest = line + n + strspn(line + n, " \t");
	if (*rest == '=' || (*rest && strchr("+-*&|^<>.[", *rest) && n == 1))
		return false;
	return command_find(d->console, word, &err) != NULL;
}

struct dap_name {
	const char *text;
	size_t n;
	bool found;
};

static bool dap_is_name(void *ctx, const struct expr_variable *v)
{
	struct dap_name *name = ctx;
	name->found = strlen(v->name) == name->n && !memcmp(v->name, name->text, name->n);
	return !name->found;
}

/* True if the line is the name of a variable of the frame, which comes before a command's. */
static bool dap_names_variable(struct dap *d, int frame, const char *line)
{
	struct err err;
	struct dap_name name = {.text = line + strspn(line, " \t")};
	name.n = strcspn(name.text, " \t");
	if (name.text[name.n + strspn(name.text + name.n, " \t")] || d->runs ||
	    !dap_look_at(d, frame, &err))
		return false;
	expr_each_variable(d->console->exprs, true, dap_is_name, &name);
	if (!name.found)
		expr_each_variable(d->console->exprs, false, dap_is_name, &name);
	dap_look_away(d);
	return name.found;
}

static void dap_on_evaluate(struct dap *d, const json_t *request, const json_t *args)
{
	const char *text = asked_text(args, "expression"), *context = asked_text(args, "context");
	const bool repl = context && !strcmp(context, "repl");
	int64_t frame = 0;
	struct err err;
	asked_number(args, "frameId", &frame);
	if (!text || frame < 0 || frame > INT32_MAX) {
		dap_refuse(d, request, "evaluate: expected \"expression\": \"TEXT\"");
		return;
	}
	if (repl && (stop_commands_taking(d->console) ||
	             (dap_is_console_command(d, text) &&
	              !dap_names_variable(d, (int)frame, text)))) {
		if (d->runs)
			dap_refuse(d, request, "the program is running; pause it first");
		else
			dap_run_repl_command(d, request, text);
		return;
	}
	json_t *out = json_object();
	const struct stand was = here_stand(d->console);
	bool ok = dap_look_at(d, (int)frame, &err);
	if (ok) {
		ok = dap_value(d, (int)frame, text, repl && !d->runs,
		               asked_flag(json_object_get(args, "format"), "hex"), out, &err);
		dap_look_away(d);
	}
	if (ok) {
		json_object_set_new(out, "result", json_incref(json_object_get(out, "value")));
		json_object_del(out, "value");
		dap_answer(d, request, json_incref(out));
	} else {
		dap_refuse(d, request, "%s", err.msg);
		/* A stop point in a called function ended the call there; a call that is undone is
		 * no stop. */
		const struct stand is = here_stand(d->console);
		if (is.cycle != was.cycle || is.back != was.back || is.ahead != was.ahead) {
			dap_forget_handles(d);
			dap_tell_stop(d, "breakpoint");
		}
	}
	json_decref(out);
}

static void dap_on_completions(struct dap *d, const json_t *request, const json_t *args)
{
	enum { MOST = 200 };
	const char *text = asked_text(args, "text");
	int64_t column = 0;
	json_t *list = json_array();
	size_t from = 0;
	asked_number(args, "column", &column);
	column -= !d->columns_from_0;
	const size_t n = text ? strlen(text) : 0,
		     at = column >= 0 && (size_t)column < n ? (size_t)column : n;
	for (unsigned i = 0; text && i < MOST; i++) {
		char *one = console_complete(d->console, text, at, i, &from);
		if (!one)
			break;
		json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "label",
		                                      dap_text(one, strlen(one)), "start",
		                                      (json_int_t)from, "length",
		                                      (json_int_t)(at - (from < at ? from : at))));
		free(one);
	}
	dap_answer(d, request, json_pack("{s:o}", "targets", list));
}

const struct request evaluate_requests[] = {
	{"evaluate", dap_on_evaluate, ANY_TIME, false},
	{"completions", dap_on_completions, ANY_TIME, false},
	{0},
};
