/* info: topics without a view, selected by a word. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "core/defs/stats.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/base/nearest_word.h"
#include "core/os/thread.h"
#include "hwviews/program/csrs.h"
#include "hwviews/program/frames.h"
#include "hwviews/grid/grid.h"
#include "hwviews/program/origin.h"
#include "hwviews/grid/view.h"
#include "scripting/script.h"
#include "ui/console/args.h"
#include "ui/console/habits.h"
#include "ui/console/answer_data.h"
#include "ui/cmd/checkpoint.h"
#include "ui/cmd/handle.h"
#include "ui/cmd/info_program.h"
#include "ui/cmd/info_symbols.h"
#include "ui/cmd/info_types.h"
#include "ui/cmd/info_variables.h"
#include "ui/console/display.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/command_state.h"
#include "ui/console/stop_commands.h"
#include "ui/console/stops.h"
#include "ui/console/threads.h"
#include "ui/console/value_text.h"

extern const struct command cmd_frame, cmd_stats, cmd_view;

static bool cmd_info_is_watchpoint(const struct stop_point *sp)
{
	return strcasestr(stops_noun(sp), "watchpoint") != NULL;
}

static enum command_result cmd_info_print_stops(struct console *c, const char *args,
                                                bool watchpoints)
{
	const struct stop_point *sp, *only = NULL;
	char about[320];
	unsigned shown = 0;
	if (*args && !(only = stops_find(c, args)))
		return CMD_ERROR;
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i)); i++) {
		if ((only && sp != only) || (watchpoints && !cmd_info_is_watchpoint(sp)))
			continue;
		shown++;
		console_print(c, "%-3d %-10s %-8s %s", sp->id, stops_noun(sp),
		              sp->enabled ? "enabled" : "disabled",
		              stops_about(c, sp, about, sizeof about));
		if (*sp->condition_text)
			console_print(c, ", if %s", sp->condition_text);
		if (sp->hits)
			console_print(c, ", hit %" PRIu64 " time%s", sp->hits,
			              sp->hits == 1 ? "" : "s");
		if (sp->ignore)
			console_print(c, ", passes over the next %" PRIu64, sp->ignore);
		console_print(c, "\n");
		const char *line;
		for (unsigned k = 0; (line = stop_commands_line(c, sp->id, k)); k++)
			console_print(c, "        %s\n", line);
	}
	if (!shown)
		console_print(c, watchpoints ? "No watchpoints\n"
		                             : "No breakpoints, watchpoints or catchpoints\n");
	return CMD_OK;
}

static enum command_result cmd_info_print_breakpoints(struct console *c, const char *args)
{
	return cmd_info_print_stops(c, args, false);
}

static enum command_result cmd_info_print_watchpoints(struct console *c, const char *args)
{
	return cmd_info_print_stops(c, args, true);
}

static void cmd_info_print_register(struct console *c, json_t *rows, int width, const char *name,
                                    int digits, uint64_t v, const char *text)
{
	json_t *row = data_row(rows);
	data_text(row, "reg", name);
	data_addr(row, "value", v);
	data_text(row, "means", text);
	console_print(c, "%-*s 0x%0*" PRIx64 "%s%s\n", width, name, digits, v, *text ? "  " : "",
	              text);
}

static void put_reg(struct console *c, json_t *rows, unsigned reg)
{
	const unsigned isa = machine_isa(c->session->machine);
	uint64_t v = reg_shown(isa, reg, frames_register(c->session, reg));
	char text[256];
	if (reg >= REG_F0)
		value_bits_text(c, v, v >> 32 == UINT32_MAX ? 4 : 8, 'f', text, sizeof text);
	else
		value_bits_text(c, v, (unsigned)reg_hex_digits(isa, reg) / 2, 0, text,
		                sizeof text);
	cmd_info_print_register(c, rows, 5, reg_name(reg), reg_hex_digits(isa, reg), v, text);
}

static void put_pc(struct console *c, json_t *rows)
{
	char where[256];
	uint64_t pc = frames_register(c->session, FRAMES_PC);
	cmd_info_print_register(c, rows, 5, "pc",
	                        reg_hex_digits(machine_isa(c->session->machine), 0), pc,
	                        session_where(c->session, pc, where, sizeof where));
}

/* Prints a control and status register. */
static bool cmd_info_print_csr(struct console *c, json_t *rows, const char *name)
{
	char text[256];
	uint64_t v;
	int csr = csr_find(name);
	if (csr < 0 || !csrs_read(c->session, (unsigned)csr, &v))
		return false;
	cmd_info_print_register(c, rows, 8, name, 16, v,
	                        csrs_meaning(c->session, (unsigned)csr, v, text, sizeof text));
	return true;
}

/* Prints the registers that args name; without args, [from, to). */
static enum command_result registers_between(struct console *c, const char *args, unsigned from,
                                             unsigned to)
{
	char word[32];
	json_t *rows = answer_data_rows(c, "registers");
	if (!*args) {
		for (unsigned reg = from; reg < to; reg++)
			put_reg(c, rows, reg);
		if (to > REG_F0)
			cmd_info_print_register(c, rows, 5, "fcsr", 16,
			                        machine_seen_fcsr(c->session->machine), "");
		if (from < REG_F0)
			put_pc(c, rows);
	}
	while (*args) {
		args = parse_word(args, word, sizeof word);
		const char *name = *word == '$' ? word + 1 : word;
		int reg = reg_from_name(name);
		if (reg >= 0)
			put_reg(c, rows, (unsigned)reg);
		else if (!strcmp(name, "pc"))
			put_pc(c, rows);
		else if (!cmd_info_print_csr(c, rows, name))
			return console_fail(c, "no register is called '%s'", word);
	}
	return CMD_OK;
}

/* Prints a thread; the selected one has a star. */
static void cmd_info_print_thread(struct console *c, json_t *rows, const struct os_thread *t)
{
	const struct machine *m = c->session->machine;
	const struct os *os = machine_os_const(m);
	const uint64_t now = stats_guest_cycle(machine_stats(m), machine_cycle(m)),
		       cycles = os_thread_cycles(os, (unsigned)(t - os_threads(os)), now),
		       pc = threads_pc(c, t);
	char where[256], what[160], digits[32];
	threads_state(c, t, what, sizeof what);
	json_t *row = data_row(rows);
	data_count(row, "thread", os_thread_number(t));
	data_text(row, "name", t->name);
	data_text(row, "state", what);
	data_addr(row, "pc", pc);
	data_count(row, "cycles", cycles);
	console_print(c, "%s%-3u %-15s %15s cycles  %s, in %s\n",
	              threads_is_looked_at(c, t) ? "* " : "  ", os_thread_number(t), t->name,
	              group_digits(cycles, digits), what,
	              session_where(c->session, pc, where, sizeof where));
}

static enum command_result info_threads(struct console *c, const char *args)
{
	const struct os *os = machine_os_const(c->session->machine);
	json_t *rows = answer_data_rows(c, "threads");
	(void)args;
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (os_threads(os)[i].state != THREAD_FREE)
			cmd_info_print_thread(c, rows, &os_threads(os)[i]);
	return CMD_OK;
}

static enum command_result cmd_info_print_int_registers(struct console *c, const char *args)
{
	return registers_between(c, args, 1, REG_F0);
}

static enum command_result all_registers(struct console *c, const char *args)
{
	return registers_between(c, args, 1, REG_SINK);
}

static enum command_result cmd_info_print_fp_registers(struct console *c, const char *args)
{
	return registers_between(c, args, REG_F0, REG_SINK);
}

static enum command_result cmd_info_print_run_history(struct console *c, const char *args)
{
	enum { JOURNAL_TOLD = 1 << 18 }; /* bytes; a smaller journal is not mentioned */
	struct run_history h;
	char first[32], newest[32], now[32], again[32];
	(void)args;
	run_history(c->session->run, &h);
	if (!h.snapshots)
		return console_fail(c, "history is off: start without --no-history to go back");
	console_print(c, "cycles %s to %s, now at %s\n", group_digits(h.first_cycle, first),
	              group_digits(h.newest_cycle, newest),
	              group_digits(machine_cycle(c->session->machine), now));
	console_print(c, "%u snapshots, %.1f MiB; %s cycles executed again to go back\n",
	              h.snapshots, (double)h.bytes / 1048576.0,
	              group_digits(h.cycles_reexecuted, again));
	if (h.journal_bytes >= JOURNAL_TOLD)
		console_print(c,
		              "%.1f MiB of journal: the program's input and the answers of host "
		              "and modules\n",
		              (double)h.journal_bytes / 1048576.0);
	if (h.cost_share > 0)
		console_print(
			c, "the newest are %s cycles apart and cost about %.1f %% of the run%s\n",
			group_digits(h.spacing, again), 100 * h.cost_share,
			h.pressed ? ": the program writes to most of its memory" : "");
	if (h.spent)
		console_print(c, "their memory limit is reached: older ones are farther apart\n");
	if (h.changes)
		console_print(c, "%s change%s by hand, %s of them ahead\n",
		              group_digits(h.changes, first), h.changes == 1 ? "" : "s",
		              group_digits(h.changes - h.changes_before, now));
	return CMD_OK;
}

/* Prints the addresses of the selected frame, or of frame N, and of its neighbours. */
static enum command_result cmd_info_print_frame(struct console *c, const char *args)
{
	size_t n;
	const unsigned level = location_level(c);
	const enum command_result r = cmd_frame.exec(c, args);
	const size_t i = location_level(c);
	motion_select(c, level);
	struct frame *all = r == CMD_OK ? frames_list(c->session, i + 2, &n) : NULL;
	if (!all || i >= n) {
		free(all);
		return r;
	}
	const struct frame at = all[i];
	console_print(c, "  frame at 0x%" PRIx64 ", pc = 0x%" PRIx64, at.cfa, at.pc);
	if (i + 1 < n && all[i + 1].call == at.call)
		console_print(c, ", inlined into frame %zu\n", i + 1);
	else if (i + 1 < n)
		console_print(c, ", saved pc = 0x%" PRIx64 "\n  called by frame at 0x%" PRIx64 "\n",
		              all[i + 1].pc, all[i + 1].cfa);
	else
		console_print(c, "\n");
	if (i)
		console_print(c, "  caller of frame at 0x%" PRIx64 "\n", all[i - 1].cfa);
	free(all);
	return r;
}

static enum command_result cmd_info_print_displays(struct console *c, const char *args)
{
	(void)args;
	for (size_t i = 0; i < c->state->display_count; i++)
		console_print(c, "%d: %s\n", c->state->displays[i].id, c->state->displays[i].line);
	if (!c->state->display_count)
		console_print(c, "No displays\n");
	return CMD_OK;
}

/* Shows a view under the name of a topic. */
static enum command_result as_view(struct console *c, const char *name, const char *args)
{
	char words[256];
	snprintf(words, sizeof words, "%s %s", name, args);
	return cmd_view.exec(c, words);
}

static enum command_result cmd_info_view_firmware(struct console *c, const char *args)
{
	return as_view(c, "firmware", args);
}

static enum command_result cmd_info_view_profile(struct console *c, const char *args)
{
	return as_view(c, "profile", args);
}

static enum command_result cmd_info_print_stats(struct console *c, const char *args)
{
	return cmd_stats.exec(c, args);
}

static const struct topic {
	const char *name;
	enum command_result (*show)(struct console *c, const char *args);
	const char *help;
	/* view in the answer of --json; NULL: data from show(), or none */
	const char *view;
} topics[] = {
	{"breakpoints", cmd_info_print_breakpoints, "breakpoints, watchpoints and catchpoints",
         "breakpoints"},
	{"watchpoints", cmd_info_print_watchpoints, "watchpoints alone", NULL},
	{"registers", cmd_info_print_int_registers, "integer registers, or those named", "regs"},
	{"all-registers", all_registers, "all registers", NULL},
	{"frame", cmd_info_print_frame, "the selected call frame, or frame N", "backtrace"},
	{"float", cmd_info_print_fp_registers, "floating-point registers", "fregs"},
	{"status", info_status, "where the machine is", NULL},
	{"program", info_program, "the program, its arguments and state", NULL},
	{"checkpoints", checkpoint_list, "states that `checkpoint` keeps", NULL},
	{"history", cmd_info_print_run_history, "its extent and its cost", "history"},
	{"symbol", info_symbol, "the symbol at a LOCATION, or at a computed address", NULL},
	{"address", info_address, "where a variable or function is", NULL},
	{"line", info_line, "the addresses of a LOCATION's source line", NULL},
	{"source", info_source, "the current source line", NULL},
	{"functions", info_functions, "functions with PATTERN in their name", NULL},
	{"locals", info_locals,
         "variables of the selected call: those of C, with PATTERN in their name", "locals"},
	{"args", info_args, "its arguments", "locals"},
	{"scope", info_scope, "declarations in the blocks around a LOCATION", NULL},
	{"types", info_types, "types with PATTERN in their name, and where they are declared",
         NULL},
	{"vtbl", info_vtbl, "the virtual functions of an EXPRESSION's object", NULL},
	{"variables", info_variables, "data symbols with PATTERN in their name", NULL},
	{"sharedlibrary", info_sharedlibrary, "libraries that are mapped now, and the interpreter",
         NULL},
	{"threads", info_threads,
	 "threads of the program: the running one, and what the others wait for", "threads"},
	{"signals", info_signals, "the treatment of each signal, or those named: `help handle`",
         NULL},
	{"memory", info_memory, "memory regions; m: M-mode's alone", NULL},
	{"firmware", cmd_info_view_firmware, "mode, M-mode registers and timers of --firmware",
         NULL},
	{"profile", cmd_info_view_profile,
	 "results of a profiler in firmware: `info profile 50`, `info profile functions`", NULL},
	{"display", cmd_info_print_displays, "displays after every stop", "displays"},
	{"stats", cmd_info_print_stats, "statistics, as `stats` shows them", NULL},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static enum command_result cmd_info_show_topic(struct console *c, const struct topic *t,
                                               const char *args)
{
	const enum command_result r = t->show(c, args);
	if (r == CMD_OK && t->view)
		answer_view(c, t->view);
	return r;
}

static enum command_result cmd_info_exec(struct console *c, const char *args)
{
	char word[32];
	const struct topic *found = NULL;
	struct nearest n;
	const char *rest = parse_word(args, word, sizeof word);
	if (!*word) {
		for (int i = 0; i < TOPICS; i++)
			console_print(c, "  info %-14s %s\n", topics[i].name, topics[i].help);
		console_print(c, "  info %-14s %s\n", "VIEW", "a view: info rob");
		return CMD_OK;
	}
	nearest_init(&n, word);
	/* The first topic with this prefix: `info b`, `info r`, `info s`. */
	for (int i = TOPICS; i-- > 0;) {
		nearest_offer(&n, topics[i].name);
		if (!strncmp(topics[i].name, word, strlen(word)))
			found = &topics[i];
	}
	if (found)
		return cmd_info_show_topic(c, found, rest);
	if (view_named(c->session, word))
		return cmd_view.exec(c, args);
	const char *shows = habit_shows(args);
	if (shows)
		return console_run(c, shows);
	if (n.best)
		return console_fail(c, "info has no topic '%s'; did you mean 'info %s'?", word,
		                    n.best);
	return console_fail(c, "info has no topic '%s'; `info` lists them", word);
}

const struct command cmd_info = {
	.name = "info",
	.aliases = "i",
	.group = "data",
	.usage = "info TOPIC [ARGUMENT]",
	.summary = "show breakpoints, registers, symbols, lines, the program, history; alone, list "
		   "the topics",
	.help = "    info breakpoints     info registers a0 a1     info line find\n"
		"    info locals          info args                info functions sort\n"
		"    info memory          info history             info registers mepc\n"
		"    info firmware        info profile 50\n"
		"    info rob             info stats l1d",
	.words = "breakpoints registers all-registers frame float status program history symbol "
		 "address line source functions variables types vtbl locals args scope checkpoints "
		 "memory firmware profile display stats",
	.complete = COMPLETE_VIEW,
	.exec = cmd_info_exec,
};
