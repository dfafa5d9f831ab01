/* break, tbreak: stop where an instruction passes a stage. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/pending.h"
#include "loader/dwarf/entry.h"
#include "loader/dwarf/inlined.h"
#include "ui/console/location.h"
#include "ui/console/args.h"
#include "ui/console/stops.h"
#include "ui/console/threads.h"

/* Cuts a stage's name off the end of text; STAGE_COMMIT if there is none. A text that is only a
 * stage's name may be a function of the program. */
static enum stop_stage cut_stage(const struct console *c, char *text)
{
	char *last = strrchr(text, ' ');
	char *word = last ? last + 1 : text;
	if (!last && program_symbol_by_name(c->session->program, text))
		return STAGE_COMMIT;
	for (enum stop_stage st = STAGE_COMMIT; st <= STAGE_DISPATCH; st++)
		if (!strcmp(word, stop_stage_name[st])) {
			*word = '\0';
			parse_trim(text);
			return st;
		}
	return STAGE_COMMIT;
}

/* Cuts "thread 2" off the end of text. False with c->err: not a number. */
static bool cut_thread(struct console *c, char *text, unsigned *thread)
{
	char *last = strrchr(text, ' '), *before;
	if (last) {
		*last = '\0';
		before = strrchr(text, ' ');
		before = before ? before + 1 : text;
		if (!strcmp(before, "thread")) {
			*before = '\0';
			parse_trim(text);
			return threads_number(c, last + 1, thread);
		}
		*last = ' ';
	}
	return true;
}

/* Checks that addr is in executable memory; the code itself may not be written yet. */
static bool cmd_break_check_address(struct console *c, const char *text, uint64_t addr)
{
	const struct symbol *sym = program_symbol_at(c->session->program, addr);
	if (addr == PENDING_ADDR)
		return true;
	if (addr & 1)
		console_fail(c, "0x%llx is odd: no instruction begins there",
		             (unsigned long long)addr);
	else if (sym && !sym->code &&
	         !(mem_prot_at(machine_mem_const(c->session->machine), addr) & PROT_X))
		console_fail(c, "%s is data: `watch %s` stops when it changes", text, text);
	else
		return true;
	return false;
}

/* Prints a note if an Xprof instruction never reaches the stage of the breakpoint. */
static void note_profile(struct console *c, const struct stop_point *sp)
{
	const struct session *s = c->session;
	struct code at, before;
	if (sp->stage == STAGE_FETCH || !machine_pipe(s->machine)->xprof.enabled ||
	    !code_at(s, sp->addr, &at))
		return;
	bool inside = code_at(s, sp->addr - 2, &before) && before.prefix == 2;
	if (!inside)
		inside = code_at(s, sp->addr - 4, &before) && before.prefix == 4;
	if (at.prefix)
		console_print(c,
		              "That is a profile instruction, dropped while flag %u is off: `catch "
		              "drop at %s` stops then\n",
		              at.type, sp->text);
	else if (inst_is_xprof(&at.inst) &&
	         !(at.inst.op >= OP_PUSHPF && at.inst.op <= OP_POPPF_ALL))
		console_print(c,
		              "That acts at decode and is dropped there: `catch control at %s` "
		              "stops there\n",
		              sp->text);
	else if (inside)
		console_print(c, "That is part of the instruction with the prefix at *0x%llx\n",
		              (unsigned long long)before.pc);
}

/* Prints a note if the named line has no code, so that the breakpoint is at a later one. */
static void cmd_break_note_line(struct console *c, const char *text, uint64_t addr)
{
	struct source_line at;
	char option[32];
	const char *digits = strrchr(text, ':');
	digits = digits ? digits + 1 : text;
	const unsigned long line = strtoul(digits, NULL, 10);
	if (!line || digits[strspn(digits, "0123456789")] ||
	    !program_stop_line_at(c->session->program, addr, &at) || at.line == line ||
	    !location_optimised(c, addr, option, sizeof option))
		return;
	console_print(c,
	              "Line %lu has no code there: with %s the compiler removes and moves lines; "
	              "-O0 keeps all\n",
	              line, option);
}

/* Resolves a location; an unknown one may be pending, until a library that has it is loaded. */
static bool cmd_break_resolve_location(struct console *c, const char *text, struct location *out,
                                       bool *pending)
{
	if (location_parse(c, text, out))
		return true;
	if (!pending_possible(c->session, text) || strlen(text) >= sizeof out->text)
		return false;
	strcpy(out->text, text);
	*pending = !pending_find(c->session, text, &out->addr);
	if (*pending)
		out->addr = PENDING_ADDR;
	return true;
}

/* Properties of the breakpoint at each of the places. */
struct wanted {
	const char *condition; /* NULL: none */
	enum stop_stage stage;
	unsigned thread;       /* 0: any */
	bool temporary;
	int set;               /* common to temporary ones set together */
};

/* Returns a number that no set of stop points has. */
static int next_set(const struct run *r)
{
	const struct stop_point *sp;
	int last = 0;
	for (unsigned i = 0; (sp = run_stop_at(r, i)); i++)
		last = sp->id;
	return last + 1;
}

static enum command_result add_at(struct console *c, const struct location *at, bool pending,
                                  const struct wanted *w)
{
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .enabled = true,
	                        .temporary = w->temporary,
	                        .set = w->set,
	                        .stage = w->stage,
	                        .thread = w->thread,
	                        .pending = pending,
	                        .addr = at->addr};
	if (!cmd_break_check_address(c, at->text, at->addr))
		return CMD_ERROR;
	if (!pending && sp.stage == STAGE_COMMIT)
		sp.addr = location_stop(c, at);
	if (!stops_prepare(c, &sp, NULL, w->condition))
		return CMD_ERROR;
	snprintf(sp.text, sizeof sp.text, "%s", at->text);
	const enum command_result r = stops_add(c, &sp);
	if (r == CMD_OK && !pending) {
		note_profile(c, &sp);
		cmd_break_note_line(c, at->text, at->addr);
	}
	return r;
}

static enum command_result add_function(struct console *c, const struct symbol *sym,
                                        const struct wanted *w)
{
	struct location at = {.addr = sym->addr};
	if (strlen(sym->name) < sizeof at.text) {
		strcpy(at.text, sym->name);
	} else {
		/* The name would be truncated: use the address. */
		uint64_t behind = sym->addr;
		const bool known = w->stage == STAGE_COMMIT &&
		                   entry_behind_prologue(c->session->program, sym->addr, &behind);
		at.addr = known ? behind : sym->addr;
		snprintf(at.text, sizeof at.text, "*0x%" PRIx64, at.addr);
	}
	return add_at(c, &at, false, w);
}

/* Adds a breakpoint at one copy of the code of an inlined function or of a line. */
static enum command_result add_copy(struct console *c, const char *name, uint64_t addr,
                                    const struct wanted *w)
{
	struct location at = {.addr = addr, .exact = true};
	snprintf(at.text, sizeof at.text, "%s", name);
	return add_at(c, &at, false, w);
}

/* Adds a breakpoint for each C++ function of the name, and for each inlined copy. */
static enum command_result cmd_break_add_breakpoints(struct console *c, const char *args,
                                                     bool temporary)
{
	enum { MOST = 200 };
	const struct symbol *meant[MOST];
	uint64_t copies[MOST];
	struct wanted w = {.temporary = temporary,
	                   .set = temporary ? next_set(c->session->run) : 0};
	struct location at = {0};
	bool pending = false;
	enum command_result r = CMD_ERROR;
	char *text = alloc_text(args);
	if (!text)
		return console_fail(c, "out of memory");
	w.condition = parse_cut_if(text);
	const bool whose = cut_thread(c, text, &w.thread);
	w.stage = cut_stage(c, text);
	size_t n = 0, inlined = 0;
	if (!whose)
		r = CMD_ERROR;
	else if (w.condition && !*w.condition)
		console_fail(c, "no condition given; expected break LOCATION if EXPRESSION");
	else if ((n = program_functions_meant(c->session->program, text, meant, MOST)) +
	                 (inlined = inlined_copies(c->session->program, text, copies, MOST)) > 1 ||
	         inlined)
		for (size_t i = 0; i < n + inlined && (!i || r == CMD_OK); i++)
			r = i < n ? add_function(c, meant[i], &w)
			          : add_copy(c, text, copies[i - n], &w);
	else if (w.stage == STAGE_COMMIT && !n && (inlined = location_lines(c, text, copies, MOST)))
		for (size_t i = 0; i < inlined && (!i || r == CMD_OK); i++)
			r = add_copy(c, text, copies[i], &w);
	else if (cmd_break_resolve_location(c, text, &at, &pending))
		r = add_at(c, &at, pending, &w);
	if (r == CMD_OK && w.thread && !threads_find(c, w.thread))
		console_print(c, "There is no thread %u now\n", w.thread);
	free(text);
	return r;
}

static enum command_result cmd_break_exec(struct console *c, const char *args)
{
	return cmd_break_add_breakpoints(c, args, false);
}

static enum command_result cmd_tbreak_exec(struct console *c, const char *args)
{
	return cmd_break_add_breakpoints(c, args, true);
}

/* Adds a breakpoint at each function whose name matches the expression. */
static enum command_result cmd_rbreak_exec(struct console *c, const char *args)
{
	enum { MOST = 200 };
	size_t count, found = 0;
	const struct symbol *sym = program_symbols(c->session->program, &count);
	regex_t regex;
	enum command_result r = CMD_OK;
	if (!*args)
		return console_fail(c, "no expression given; expected rbreak REGEX");
	if (regcomp(&regex, args, REG_EXTENDED | REG_NOSUB) != 0)
		return console_fail(c, "'%.80s' is no regular expression", args);
	for (size_t i = 0; i < count && r == CMD_OK; i++) {
		if (!sym[i].code || (i && sym[i].addr == sym[i - 1].addr) ||
		    regexec(&regex, sym[i].name, 0, NULL, 0) != 0)
			continue;
		if (found++ == MOST)
			r = console_fail(c, "more than %d functions match '%.80s'", MOST, args);
		else
			r = add_function(c, &sym[i], &(struct wanted){0});
	}
	regfree(&regex);
	return r == CMD_OK && !found ? console_fail(c, "no function matches '%.80s'", args) : r;
}

const struct command cmd_rbreak = {
	.name = "rbreak",
	.aliases = "",
	.group = "breakpoints",
	.usage = "rbreak REGEX",
	.summary = "a breakpoint at each function whose name has a match of the expression",
	.help = "    rbreak ^by_         rbreak sort$         at most 200",
	.exec = cmd_rbreak_exec,
};

const struct command cmd_break = {
	.name = "break",
	.aliases = "b br brea",
	.group = "breakpoints",
	.usage = "break [LOCATION] [fetch|dispatch|commit] [thread N] [if EXPRESSION]",
	.summary = "stop when the instruction at LOCATION commits, or reaches another stage",
	.help = "LOCATION is a symbol, symbol+OFFSET, FILE:LINE, LINE of the current file or\n"
		"*ADDRESS; without it, here. Commit is the default, and wrong paths never get\n"
		"there; at fetch and dispatch they do count. The stop is before the\n"
		"instruction, in the cycle in which it commits: values and the condition\n"
		"(`help expressions`) are those of that place; at fetch and dispatch, of the\n"
		"cycle's end. A\n"
		"function's name, or the line where it begins, is the first instruction after\n"
		"its prologue, which stores the arguments, as in gdb; optimised code and\n"
		"assembler have none. *find, find+0 and find fetch are exact.\n"
		"Of C++, scopes and arguments may be left out: a function of each that the name\n"
		"may mean has a breakpoint. So has each place where a function was inlined, and\n"
		"each copy of a line, as of a template.\n"
		"In a program with shared libraries, a name that no mapped file has is pending:\n"
		"it waits until a library that has it is mapped (`info sharedlibrary`).\n"
		"With a thread (`info threads`), other threads pass it.\n"
		"    break find\n"
		"    break words.c:41 if a0 > 100\n"
		"    break 17 if i == 3 && node->next\n"
		"    break geo::sum             break sum(int)      break Shape::area\n"
		"    break add thread 2 if a0 > 100\n"
		"    break *0x1040c fetch",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_break_exec,
};

const struct command cmd_tbreak = {
	.name = "tbreak",
	.aliases = "tb",
	.group = "breakpoints",
	.usage = "tbreak [LOCATION] [fetch|dispatch|commit] [thread N] [if EXPRESSION]",
	.summary = "a breakpoint that is deleted when it stops the program",
	.help = "",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_tbreak_exec,
};
