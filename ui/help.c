#include "ui/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/events.h"
#include "core/nearest.h"
#include "core/stats.h"
#include "hwviews/uop_fields.h"
#include "core/prof/device.h"
#include "hwviews/report.h"
#include "scripting/expr.h"
#include "ui/options.h"

static const struct {
	const char *name, *title;
} groups[] = {
	{"running", "Running, forwards and backwards"},
	{"breakpoints", "Stopping"},
	{"data", "The program"},
	{"views", "The machine"},
	{"files", "Files"},
	{"support", "Everything else"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* ---- pages ---- */
static void put_group(struct console *c, int g)
{
	console_print(c, "%s:\n", groups[g].title);
	for (unsigned i = 0; i < command_count; i++)
		if (!strcmp(commands[i]->group, groups[g].name))
			console_print(c, "  %-17s %-8s %s\n", commands[i]->name, commands[i]->aliases, commands[i]->summary);
}

static void put_commands(struct console *c)
{
	for (int g = 0; g < GROUPS; g++) {
		put_group(c, g);
		console_print(c, "\n");
	}
	console_print(c, "An unambiguous beginning of a name is enough. Enter repeats; `;` separates commands.\n");
}

static void put_overview(struct console *c)
{
	put_commands(c);
	console_print(c, "help WORD explains a command, view, event, statistic or parameter; apropos WORD searches.\n"
	                 "help commands | views | reports | events | fields | stats | params | expressions | locations | options | exports\n"
	                 "help programs: which programs run\n");
}

static void put_views(struct console *c)
{
	for (unsigned i = 0; i < view_count; i++)
		console_print(c, "  %-12s %-28s %s%s%s\n", views[i]->name, views[i]->title, views[i]->args,
		              views[i]->device ? "  of device " : "", views[i]->device ? views[i]->device : "");
}

static void put_reports(struct console *c)
{
	for (unsigned i = 0; i < report_count; i++)
		console_print(c, "  %-20s %-22s %s%s%s\n", reports[i]->name, reports[i]->args, reports[i]->title,
		              reports[i]->device ? ", of device " : "", reports[i]->device ? reports[i]->device : "");
}

static void put_events(struct console *c)
{
	for (int i = 0; i < EV_COUNT; i++)
		console_print(c, "  %-12s %s\n", event_info[i].name, event_info[i].help);
}

static void put_field(struct console *c, const char *name, const char *help, enum field_type type)
{
	const char *unit = field_unit[type];
	console_print(c, "  %-12s %s%s%s%s\n", name, help, *unit ? " (" : "", unit, *unit ? ")" : "");
}

static void put_fields(struct console *c)
{
	console_print(c, "What is known of an instruction in flight, for rob[1].addr, fetchq[1].predicted and the\n"
	                 "conditions of `catch`. Before its time a field is nil.\n");
	for (int at = 0; at < UOP_MOMENT_COUNT; at++) {
		console_print(c, "%s:\n", uop_moment_help[at]);
		for (int i = 0; i < UOP_FIELD_COUNT; i++)
			if ((int)uop_field_info[i].moment == at)
				put_field(c, uop_field_info[i].name, uop_field_info[i].help, uop_field_info[i].type);
	}
	console_print(c, "states:\n");
	for (int i = 0; i < UOP_STATE_COUNT; i++)
		console_print(c, "  %-12s %s\n", uop_state_info[i].name, uop_state_info[i].help);
}

/* The machine's own rows (NULL), or those of a device, under a line that names it. */
static void put_stats_of(struct console *c, const struct device *d)
{
	for (size_t i = 0; i < stat_row_count; i++)
		if (stat_device(&stat_rows[i]) == d)
			console_print(c, "  %-24s %s (%s)\n", stat_rows[i].name, stat_rows[i].help, stat_rows[i].unit);
}

static void put_params_of(struct console *c, const struct device *d)
{
	struct config cfg;
	config_default(&cfg);
	for (size_t i = 0; i < param_count; i++) {
		char value[64];
		if (device_of_name(params[i].name) == d)
			console_print(c, "  %-24s %-10s %s\n", params[i].name,
			              config_format(&cfg, &params[i], value, sizeof value), params[i].help);
	}
}

static void put_by_device(struct console *c, void (*put)(struct console *c, const struct device *d))
{
	put(c, NULL);
	for (unsigned i = 0; i < DEVICE_COUNT; i++) {
		console_print(c, "device %s (-o %s.enable=true): %s\n", devices[i]->name, devices[i]->name, devices[i]->help);
		put(c, devices[i]);
	}
}

static void put_stats(struct console *c)
{
	put_by_device(c, put_stats_of);
}

static void put_params(struct console *c)
{
	put_by_device(c, put_params_of);
}

static void put_options(struct console *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return;
	fputs("cyclops [OPTIONS] PROGRAM [ARGS...]\n", f);
	options_print_help(f, FOR_INSPECT);
	fclose(f);
	c->write(c->write_ctx, text, n);
	free(text);
}

static void put_expressions(struct console *c)
{
	const char *name, *help;
	console_print(c,
	              "Expressions are Lua 5.4. Integers have 64 bits and wrap; ~= is `not equal` (!= works\n"
	              "too); and, or, not; // and %% round downwards; 0x1f; .. joins texts. 0 is true in\n"
	              "and/or, but a condition whose value is 0, nil or false does not hold.\n\n"
	              "  a0, sp, x10, fa0   committed registers; floating point ones as numbers\n"
	              "  find, counter      a symbol's address: mem32(counter), or *counter\n"
	              "  sim.ipc, l1d.misses  statistics (help stats)\n"
	              "  pipe.rob_size      parameters (help params)\n");
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		console_print(c, "  %-18s %s\n", name, help);
	console_print(c, "\n    print mem64(sp + 8)     break find if a0 > 100 and str(a1) == 'cat'\n"
	                 "    watch rob.count         watch view['btb 3'][1].target\n");
}

static void put_locations(struct console *c)
{
	console_print(c, "An address, for commands, views and, as address 'words.c:41', for expressions:\n"
	                 "  find              a symbol; else a register\n"
	                 "  $sp, pc           a register, as committed\n"
	                 "  find+0x10, sp-8   an offset from either\n"
	                 "  words.c:41        a source line; words.c:find a symbol\n"
	                 "  41                where code is meant, a line of the current file; else an address\n"
	                 "  0x1040c           an address\n"
	                 "  *mem64(sp)        any expression: its value is the address\n"
	                 "Where code is meant and nothing is said: where the oldest instruction not yet\n"
	                 "committed is.\n");
}

static void put_exports(struct console *c)
{
	console_print(c, "trace konata FILE    for the Konata pipeline viewer: a row per instruction\n"
	                 "trace chrome FILE    for ui.perfetto.dev or chrome://tracing\n"
	                 "view NAME --json     a view as JSON; stats --json all statistics\n"
	                 "save FILE            the whole machine, to `restore` it later\n");
}

static void put_programs(struct console *c)
{
	console_print(c,
	              "Static RISC-V Linux programs of one thread run: 64-bit ELF, RV64GC, fixed or static PIE.\n"
	              "  riscv64-linux-gnu-gcc -O2 -g -static -o prog prog.c\n"
	              "With glibc, another C library that makes Linux system calls, or none at all; with nested\n"
	              "functions (code on the stack), setjmp, makecontext, code that writes code.\n\n"
	              "The program's world:\n"
	              "  /             the directory in which cyclops was started; .. leads no higher, links that\n"
	              "                lead out lead nowhere, /etc and /tmp are there only if it has them\n"
	              "  writing       needs --rw, else the files are read-only\n"
	              "  /dev          null, zero, random, urandom (the same numbers each run: sim.seed); tty can't\n"
	              "                be opened\n"
	              "  time          made of simulated cycles (sim.clock_hz, sim.epoch); sleeping takes none\n"
	              "  environment   empty but for --env NAME=VALUE; user, group and process number are 1000\n"
	              "  descriptors   files, pipes to itself, poll and select; standard input is always ready\n\n"
	              "What does not run yet, and what happens:\n"
	              "  dynamically linked programs      refused with a message: link with -static\n"
	              "  threads, fork, exec              pthread_create and fork fail with EAGAIN\n"
	              "  Go programs                      their start-up needs threads: they end as stuck\n"
	              "  signal handlers                  kept but not run: a signal that the program sends to\n"
	              "                                   itself has its default action; no timers, no alarm\n"
	              "  sockets, and what else is rare   ENOSYS, and a warning that names the call\n"
	              "  vector and other extensions      SIGILL: compile with -march=rv64gc\n\n"
	              "A program that waits for what can't come (a lock that no other thread could release, a\n"
	              "signal that nobody sends, a pipe to itself) ends as stuck: what it waits for, where and how\n"
	              "it got there is told, the status is 125, and reverse-step goes back from there.\n");
}

static const struct page {
	const char *name, *summary;
	void (*put)(struct console *c);
} pages[] = {
	{"commands", "every command", put_commands},
	{"views", "every view of the machine", put_views},
	{"reports", "every report on a run", put_reports},
	{"events", "every event, for `catch`", put_events},
	{"fields", "what is known of an instruction in flight", put_fields},
	{"stats", "every statistic", put_stats},
	{"statistics", "every statistic", put_stats},
	{"params", "every parameter of the machine", put_params},
	{"parameters", "every parameter of the machine", put_params},
	{"options", "options of the command line", put_options},
	{"expressions", "what print, watch and conditions compute", put_expressions},
	{"locations", "how places in the program are named", put_locations},
	{"exports", "what can be written to files", put_exports},
	{"programs", "which programs run, what their world is, and what does not run yet", put_programs},
};
enum { PAGES = sizeof pages / sizeof *pages };

/* ---- words ---- */
static void put_text(struct console *c, const char *text)
{
	if (*text)
		console_print(c, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static void put_command(struct console *c, const struct command *cmd)
{
	console_print(c, "%s\n%s.\n", cmd->usage, cmd->summary);
	put_text(c, cmd->help);
	if (*cmd->aliases)
		console_print(c, "Also: %s\n", cmd->aliases);
}

static void put_view(struct console *c, const struct view *v)
{
	console_print(c, "view %s%s%s: %s\n", v->name, *v->args ? " " : "", v->args, v->title);
	put_text(c, v->help);
}

static void put_report(struct console *c, const struct report *r)
{
	console_print(c, "report %s%s%s: %s\n", r->name, *r->args ? " " : "", r->args, r->title);
	put_text(c, r->help);
}

static void put_event(struct console *c, const struct event_info *e)
{
	console_print(c, "event %s: %s\n", e->name, e->help);
	if (e->field_count)
		console_print(c, "Words of `catch %s if ...`:\n", e->name);
	for (unsigned i = 0; i < e->field_count; i++)
		put_field(c, e->fields[i].name, e->fields[i].help, e->fields[i].type);
}

static void put_stat(struct console *c, const struct stat_row *row)
{
	console_print(c, "statistic %s: %s (%s%s)\n", row->name, row->help, row->unit, row->derived ? ", derived" : "");
	if (c->session) {
		char value[64];
		struct expr_value v;
		snprintf(value, sizeof value, "stat['%s']", row->name);
		bool known = expr_once(c->exprs, value, &v, &c->err);
		if (known && v.type == EXPR_INT)
			console_print(c, "now %lld\n", (long long)v.i);
		else if (known)
			console_print(c, "now %g\n", v.d);
	}
}

static void put_param(struct console *c, const struct param *p)
{
	struct config def;
	char value[64], now[64];
	config_default(&def);
	config_format(&def, p, value, sizeof value);
	console_print(c, "parameter %s: %s\n", p->name, p->help);
	if (p->type == PARAM_INT)
		console_print(c, "%lld to %lld %s, ", (long long)p->min, (long long)p->max, p->unit);
	else
		console_print(c, "%s, ", p->type == PARAM_BOOL ? "true|false" : p->unit);
	console_print(c, "%s by default", value);
	if (c->session)
		console_print(c, ", %s now", config_format(machine_config(c->session->machine), p, now, sizeof now));
	console_print(c, "; set by -o %s=VALUE, or `set` for the next run\n", p->name);
}

/* All that have exactly this name: a word may be a command and a view. */
static bool put_exact(struct console *c, const char *topic)
{
	struct err err;
	unsigned found = 0;
	const struct command *cmd = command_find(topic, &err);
	const char *name, *help;
	for (unsigned i = 0; i < view_count; i++)
		if (!strcmp(views[i]->name, topic))
			put_view(c, views[i]), found++;
	for (unsigned i = 0; i < report_count; i++)
		if (!strcmp(reports[i]->name, topic)) {
			if (found++)
				console_print(c, "\n");
			put_report(c, reports[i]);
		}
	/* An abbreviation of a command counts only where nothing is called that. */
	if (cmd && (!found || !strcmp(cmd->name, topic))) {
		if (found++)
			console_print(c, "\n");
		put_command(c, cmd);
	}
	for (int i = 0; i < EV_COUNT; i++)
		if (!strcmp(event_info[i].name, topic))
			put_event(c, &event_info[i]), found++;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, topic))
			put_stat(c, &stat_rows[i]), found++;
	for (size_t i = 0; i < param_count; i++)
		if (!strcmp(params[i].name, topic))
			put_param(c, &params[i]), found++;
	for (unsigned i = 0; !found && (name = expr_name(i, &help)); i++)
		if (!strcmp(name, topic))
			console_print(c, "%s, in expressions: %s\n", name, help), found++;
	return found;
}

const char *help_name(unsigned i)
{
	const char *help;
	if (i < PAGES)
		return pages[i].name;
	i -= PAGES;
	if (i < GROUPS)
		return groups[i].name;
	i -= GROUPS;
	if (i < command_count)
		return commands[i]->name;
	i -= command_count;
	if (i < view_count)
		return views[i]->name;
	i -= view_count;
	if (i < report_count)
		return reports[i]->name;
	i -= report_count;
	if (i < EV_COUNT)
		return event_info[i].name;
	i -= EV_COUNT;
	if (i < stat_row_count)
		return stat_rows[i].name;
	i -= (unsigned)stat_row_count;
	if (i < param_count)
		return params[i].name;
	return expr_name(i - (unsigned)param_count, &help);
}

/* Rows of a table whose names begin with "TOPIC.": help l1d. */
static bool put_family(struct console *c, const char *topic)
{
	size_t n = strlen(topic);
	unsigned found = 0;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, topic, n) && stat_rows[i].name[n] == '.')
			console_print(c, "  %-24s %s (%s)\n", stat_rows[i].name, stat_rows[i].help, stat_rows[i].unit), found++;
	for (size_t i = 0; i < param_count; i++)
		if (!strncmp(params[i].name, topic, n) && params[i].name[n] == '.')
			console_print(c, "  %-24s %s\n", params[i].name, params[i].help), found++;
	return found;
}

enum command_result help_topic(struct console *c, const char *topic)
{
	struct nearest n;
	const char *name;
	if (!*topic) {
		put_overview(c);
		return CMD_OK;
	}
	for (int i = 0; i < PAGES; i++)
		if (!strcmp(pages[i].name, topic)) {
			pages[i].put(c);
			return CMD_OK;
		}
	for (int g = 0; g < GROUPS; g++)
		if (!strcmp(groups[g].name, topic)) {
			put_group(c, g);
			return CMD_OK;
		}
	bool exact = put_exact(c, topic);
	if (put_family(c, topic) || exact)
		return CMD_OK;
	nearest_init(&n, topic);
	for (unsigned i = 0; (name = help_name(i)); i++)
		nearest_offer(&n, name);
	if (n.best)
		return console_fail(c, "nothing is called '%s'; did you mean '%s'? `apropos %s` searches", topic, n.best, topic);
	return console_fail(c, "nothing is called '%s'; `apropos %s` searches", topic, topic);
}

/* ---- search ---- */
static bool any_has(const char *word, const char *a, const char *b, const char *d)
{
	return strcasestr(a, word) || strcasestr(b, word) || (d && strcasestr(d, word));
}

static unsigned hit(struct console *c, bool matches, const char *kind, const char *name, const char *what)
{
	if (matches)
		console_print(c, "  %-10s %-24s %s\n", kind, name, what);
	return matches;
}

enum command_result help_search(struct console *c, const char *word)
{
	unsigned n = 0;
	for (unsigned i = 0; i < command_count; i++)
		n += hit(c, any_has(word, commands[i]->name, commands[i]->summary, commands[i]->help), "command",
		         commands[i]->name, commands[i]->summary);
	for (unsigned i = 0; i < view_count; i++)
		n += hit(c, any_has(word, views[i]->name, views[i]->title, views[i]->help), "view", views[i]->name,
		         views[i]->title);
	for (unsigned i = 0; i < report_count; i++)
		n += hit(c, any_has(word, reports[i]->name, reports[i]->title, reports[i]->help), "report", reports[i]->name,
		         reports[i]->title);
	for (int i = 0; i < PAGES; i++)
		n += hit(c, any_has(word, pages[i].name, pages[i].summary, NULL), "page", pages[i].name, pages[i].summary);
	for (int i = 0; i < EV_COUNT; i++)
		n += hit(c, any_has(word, event_info[i].name, event_info[i].help, NULL), "event", event_info[i].name,
		         event_info[i].help);
	for (size_t i = 0; i < stat_row_count; i++)
		n += hit(c, any_has(word, stat_rows[i].name, stat_rows[i].help, NULL), "statistic", stat_rows[i].name,
		         stat_rows[i].help);
	for (size_t i = 0; i < param_count; i++)
		n += hit(c, any_has(word, params[i].name, params[i].help, NULL), "parameter", params[i].name, params[i].help);
	if (!n)
		return console_fail(c, "nothing here is about '%s'", word);
	return CMD_OK;
}
