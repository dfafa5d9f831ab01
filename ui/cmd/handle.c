/* handle, and info signals: stopping at, printing and passing the program's signals. */
#include "core/defs/event_fields.h"
#include "ui/cmd/handle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/location.h"
#include "ui/console/stops.h"

static uint64_t cmd_handle_signal_bit(unsigned sig)
{
	return UINT64_C(1) << (sig - 1);
}

static const struct signal_process *cmd_handle_signal_process(const struct console *c)
{
	return &os_state_const(machine_os_const(c->session->machine))->signals;
}

/* ---- stopping: a catchpoint for each ---- */

/* Finds the catchpoint of a signal, or of all (0). */
static const struct stop_point *stop_of(const struct console *c, unsigned sig)
{
	char text[64];
	const struct stop_point *sp;
	snprintf(text, sizeof text, "signal%s%s", sig ? " " : "", sig ? os_signal_name(sig) : "");
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i)); i++)
		if (sp->kind == STOP_POINT_EVENT && !strcmp(sp->text, text))
			return sp;
	return NULL;
}

static bool cmd_handle_add_catchpoint(struct console *c, unsigned sig)
{
	char line[64];
	if (stop_of(c, sig))
		return true;
	snprintf(line, sizeof line, "catch signal %s", sig ? os_signal_name(sig) : "");
	return console_run(c, line) == CMD_OK;
}

static bool cmd_handle_remove_catchpoint(struct console *c, unsigned sig)
{
	const struct stop_point *sp = stop_of(c, sig);
	if (sp)
		run_delete_stop(c->session->run, sp->id);
	else if (sig && (sp = stop_of(c, 0)))
		return console_fail(c, "catchpoint %d stops at all signals: `delete %d`, then "
		                       "handle those that are meant",
		                    sp->id, sp->id) == CMD_OK;
	return true;
}

/* ---- printing ---- */

/* True if a catchpoint stops at the signal, and thereby reports it. */
static bool cmd_handle_stops_at(const struct console *c, unsigned sig)
{
	const struct stop_point *of_one = stop_of(c, sig), *of_all = stop_of(c, 0);
	return (of_one && of_one->enabled && !of_one->ignore) ||
	       (of_all && of_all->enabled && !of_all->ignore);
}

static void print_signal(void *ctx, const struct machine *m, const struct event *ev)
{
	struct console *c = ctx;
	char where[256];
	(void)m;
	if (cmd_handle_stops_at(c, (unsigned)ev->signal.signal))
		return;
	console_print(c, "Program received signal %s, at %s, cycle %" PRIu64 "\n",
	              os_signal_name(ev->signal.signal),
	              location_at(c, ev->pc, where, sizeof where), ev->cycle);
}

static bool cmd_handle_signal_is_printed(const void *ctx, const struct event *ev)
{
	const struct command_state *st = ctx;
	return st->printed_signals >> (ev->signal.signal - 1) & 1;
}

static void cmd_handle_remove_listener(struct console *c)
{
	if (c->state->signal_listener)
		machine_unlisten(c->session->machine, c->state->signal_listener);
	c->state->signal_listener = 0;
}

static bool cmd_handle_set_printed_signals(struct console *c, uint64_t set)
{
	struct command_state *st = c->state;
	const struct event_filter filter = {
		.mask = EV_BIT(SIGNAL), .where = cmd_handle_signal_is_printed, .where_ctx = st};
	st->printed_signals = set;
	if (!set)
		cmd_handle_remove_listener(c);
	else if (!st->signal_listener)
		st->signal_listener =
			machine_listen(c->session->machine, &filter, print_signal, c);
	if (set && !st->signal_listener)
		return console_fail(c, "out of memory for a listener") == CMD_OK;
	return true;
}

/* ---- passing on ---- */

bool handle_hold_back(struct console *c, uint64_t set)
{
	const struct change change = {.kind = JOURNAL_SIGNALS, .a = set};
	return set == cmd_handle_signal_process(c)->held_back ||
	       run_change(c->session->run, &change, &c->err);
}

/* ---- the commands ---- */

static bool cmd_handle_apply_action(struct console *c, const char *word, uint64_t set, bool all)
{
	const bool no = !strncmp(word, "no", 2);
	const char *what = no ? word + 2 : word;
	const uint64_t printed = c->state->printed_signals,
		       held = cmd_handle_signal_process(c)->held_back;
	if (!strcmp(what, "ignore"))
		return handle_hold_back(c, no ? held & ~set : held | set);
	if (!strcmp(what, "pass"))
		return handle_hold_back(c, no ? held | set : held & ~set);
	if (!strcmp(what, "print") && !no)
		return cmd_handle_set_printed_signals(c, printed | set);
	if (strcmp(what, "stop") != 0 && strcmp(what, "print") != 0) {
		console_fail(c, "handle %s: stop, nostop, print, noprint, pass or nopass", word);
		return false;
	}
	if (!strcmp(what, "print") && !cmd_handle_set_printed_signals(c, printed & ~set))
		return false;
	/* as in gdb, noprint implies nostop */
	if (all)
		return no ? cmd_handle_remove_catchpoint(c, 0) : cmd_handle_add_catchpoint(c, 0);
	for (uint64_t left = set; left; left &= left - 1) {
		const unsigned sig = (unsigned)__builtin_ctzll(left) + 1;
		if (!(no ? cmd_handle_remove_catchpoint(c, sig)
		         : cmd_handle_add_catchpoint(c, sig)))
			return false;
	}
	return true;
}

static void put_signal(struct console *c, json_t *rows, unsigned sig)
{
	const struct signal_process *p = cmd_handle_signal_process(c);
	const struct os_state *st = os_state_const(machine_os_const(c->session->machine));
	const bool stop = stop_of(c, sig) || stop_of(c, 0),
		   printed = stop || (c->state->printed_signals & cmd_handle_signal_bit(sig)),
		   pass = !(p->held_back & cmd_handle_signal_bit(sig)),
		   blocked = st->thread[st->running].signals.mask & cmd_handle_signal_bit(sig),
		   pending = (st->thread[st->running].signals.pending.set | p->pending.set) &
	                     cmd_handle_signal_bit(sig);
	const uint64_t handler = p->action[sig][0];
	char where[256] = "default";
	if (handler == 1)
		snprintf(where, sizeof where, "ignored");
	else if (handler)
		location_at(c, handler, where, sizeof where);
	json_t *row = data_row(rows);
	data_text(row, "signal", os_signal_name(sig));
	data_bool(row, "stop", stop);
	data_bool(row, "print", printed);
	data_bool(row, "pass", pass);
	data_bool(row, "blocked", blocked);
	data_bool(row, "pending", pending);
	data_text(row, "action", where);
	console_print(c, "%-10s  %-4s  %-5s  %-4s  %-7s  %-7s  %s\n", os_signal_name(sig),
	              stop ? "Yes" : "No", printed ? "Yes" : "No", pass ? "Yes" : "No",
	              blocked ? "Yes" : "No", pending ? "Yes" : "No", where);
}

/* Prints the signals of a set; of real-time signals, unless `each`, only those with an action or a
 * catchpoint. */
static void put_signals(struct console *c, uint64_t set, bool each)
{
	enum { PLAIN = 31 };
	const struct signal_process *p = cmd_handle_signal_process(c);
	json_t *rows = answer_data_rows(c, "signals");
	console_print(c, "Signal      Stop  Print  Pass  Blocked  Pending  Action\n");
	for (uint64_t left = set; left; left &= left - 1) {
		const unsigned sig = (unsigned)__builtin_ctzll(left) + 1;
		if (each || sig <= PLAIN || p->action[sig][0] || stop_of(c, sig))
			put_signal(c, rows, sig);
	}
}

enum command_result info_signals(struct console *c, const char *args)
{
	uint64_t set = 0;
	char word[64];
	for (const char *rest = args; *rest;) {
		rest = parse_word(rest, word, sizeof word);
		const unsigned sig = os_signal_number(word);
		if (!sig)
			return console_fail(c, "no signal is called '%s'", word);
		set |= cmd_handle_signal_bit(sig);
	}
	put_signals(c, set ? set : UINT64_MAX, set);
	return CMD_OK;
}

static enum command_result cmd_handle_exec(struct console *c, const char *args)
{
	char word[64];
	uint64_t set = 0;
	const char *rest = args, *words = args;
	while (*rest) {
		words = rest;
		rest = parse_word(rest, word, sizeof word);
		const unsigned sig = os_signal_number(word);
		if (!strcmp(word, "all"))
			set = UINT64_MAX;
		else if (sig)
			set |= cmd_handle_signal_bit(sig);
		else
			break;
		words = rest;
	}
	if (!set)
		return console_fail(
			c,
			*args ? "no signal is called '%s': SIGUSR1, SIGALRM, ...; "
				"`info signals` lists them"
			      : "handle: no signal given%s; expected handle SIGUSR1 stop",
			*args ? word : "");
	while (*words) {
		words = parse_word(words, word, sizeof word);
		if (!cmd_handle_apply_action(c, word, set, set == UINT64_MAX))
			return CMD_ERROR;
	}
	if (set != UINT64_MAX)
		put_signals(c, set, true);
	return CMD_OK;
}

const struct command cmd_handle = {
	.name = "handle",
	.aliases = "",
	.group = "breakpoints",
	.usage = "handle SIGNAL...|all stop|nostop|print|noprint|pass|nopass...",
	.summary = "choose the effect of a signal on the program",
	.help = "stop: a catchpoint stops where its handler is entered, as `catch signal`\n"
		"sets it; nostop deletes that. print: a line reports it, and the program runs\n"
		"on. nopass: it does not reach the program, which is a change by hand: the\n"
		"recorded future is cut off. A fault that is not passed ends the program.\n"
		"Unlike in gdb, signals neither stop nor print by default: a machine without\n"
		"listeners runs faster. `info signals` shows the current settings.\n"
		"    handle SIGUSR1 stop\n"
		"    handle SIGALRM SIGPROF nopass\n"
		"    handle all stop",
	.complete = COMPLETE_SIGNAL,
	.exec = cmd_handle_exec,
};
