/* catch: stop at an event of the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/os/os.h"
#include "hwviews/session/pending.h"
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/stops.h"

/* Users' names for events: the event, and a condition on it. */
static const struct called {
	const char *name, *event, *condition; /* condition: NULL: none */
	uint32_t kinds;                       /* of instructions, 0: all */
} others[] = {
	{"mispredict", "squash", NULL, 0},
	{"misprediction", "squash", NULL, 0},
	{"branch", "resolve", NULL, 1u << INST_BRANCH},
	{"miss", "mem", "level == 'l2' or level == 'memory'", 0},
	{"forward", "mem", "level == 'forward'", 0},
};
enum { OTHERS = sizeof others / sizeof *others };

/* Finds an event by name. *as: the row of `others` that the word names, NULL if it is an event's
 * name. */
static bool find_event(struct console *c, const char *word, int *id, const struct called **as)
{
	struct nearest n;
	*as = NULL;
	for (int i = 0; i < OTHERS && !*as; i++)
		if (!strcmp(others[i].name, word))
			*as = &others[i];
	*id = event_find(*as ? (*as)->event : word);
	if (*id >= 0)
		return true;
	nearest_init(&n, word);
	for (int i = 0; i < OTHERS; i++)
		nearest_offer(&n, others[i].name);
	for (int i = 0; i < EV_COUNT; i++)
		nearest_offer(&n, event_info[i].name);
	console_fail(c, "no event is called '%s'%s%s%s", word,
	             n.best ? "; did you mean '" : "; `help events` lists them",
	             n.best ? n.best : "", n.best ? "'?" : "");
	return false;
}

/* Parses "load" or "load,store". */
static bool parse_kinds(struct console *c, const char *text, uint32_t *kinds)
{
	char list[128], *save;
	snprintf(list, sizeof list, "%s", text);
	*kinds = 0;
	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		unsigned k = 0;
		while (k < INST_KIND_COUNT && strcmp(inst_kind_name[k], w) != 0)
			k++;
		if (k == INST_KIND_COUNT) {
			console_fail(c,
			             "no class of instructions is called '%s'; there are load, "
			             "store, atomic, branch, jump, "
			             "int, mul, div, fp and system",
			             w);
			return false;
		}
		*kinds |= 1u << k;
	}
	if (!*kinds)
		console_fail(c, "no class given; expected load, or branch,jump");
	return *kinds;
}

/* A label of assembly has no size: it ends where the next symbol begins. */
static uint64_t function_end(const struct program *p, const struct symbol *sym)
{
	size_t count;
	const struct symbol *all = program_symbols(p, &count);
	uint64_t first, end;
	if (sym->size)
		return sym->addr + sym->size;
	program_extent(p, &first, &end);
	for (size_t i = 0; i < count; i++)
		if (all[i].code && all[i].addr > sym->addr)
			return all[i].addr;
	return end > sym->addr ? end : sym->addr + 1;
}

/* Parses the words after the event: "class KINDS", then "at LOCATION" or "in FUNCTION". */
static bool parse_place(struct console *c, const char *event, const char *rest,
                        struct stop_point *sp)
{
	char how[64];
	struct location at;
	rest = parse_word(rest, how, sizeof how);
	if (!strcmp(how, "class")) {
		rest = parse_word(rest, how, sizeof how);
		if (!parse_kinds(c, how, &sp->filter.kinds))
			return false;
		if (!*rest)
			return true;
		rest = parse_word(rest, how, sizeof how);
	}
	bool within = !strcmp(how, "in");
	if (!within && strcmp(how, "at") != 0) {
		console_fail(c,
		             "catch %s %s: class KIND, at LOCATION, in FUNCTION or if EXPRESSION",
		             event, how);
		return false;
	}
	if (!location_parse(c, rest, &at))
		return false;
	const struct symbol *sym = within ? program_symbol_at(c->session->program, at.addr) : NULL;
	sp->filter.pc_lo = sym ? sym->addr : at.addr;
	sp->filter.pc_hi = sym ? function_end(c->session->program, sym) : at.addr + 1;
	return true;
}

/* Makes a condition of "SIGUSR1 SIGALRM". */
static bool parse_signals(struct console *c, const char *rest, char *condition, size_t n)
{
	char word[64];
	size_t used = 0;
	while (*rest) {
		rest = parse_word(rest, word, sizeof word);
		const unsigned sig = os_signal_number(word);
		if (!sig)
			return console_fail(c,
			                    "no signal is called '%s': SIGUSR1, SIGALRM, ...; "
			                    "`info signals` lists them",
			                    word) == CMD_OK;
		used += (size_t)snprintf(condition + used, n - used, "%ssignal == '%s'",
		                         used ? " or " : "", os_signal_name(sig));
		if (used >= n)
			return console_fail(c, "too many signals for one catchpoint") == CMD_OK;
	}
	return true;
}

static bool names_signals(int id, const char *rest)
{
	char word[64];
	parse_word(rest, word, sizeof word);
	return id == event_find("signal") && *word && strcmp(word, "in") != 0 &&
	       strcmp(word, "at") != 0 && strcmp(word, "class") != 0;
}

static bool cmd_catch_parse_event(struct console *c, const char *text, struct stop_point *sp,
                                  const struct called **as, char *signals, size_t n)
{
	char word[64];
	int id;
	const char *rest = parse_word(text, word, sizeof word);
	if (!*word) {
		console_fail(c, "no event given; `help events` lists them");
		return false;
	}
	if (!find_event(c, word, &id, as))
		return false;
	sp->filter.mask = UINT64_C(1) << id;
	sp->filter.kinds = *as ? (*as)->kinds : 0;
	if (names_signals(id, rest))
		return !strcmp(rest, "all") || parse_signals(c, rest, signals, n);
	return !*rest || parse_place(c, word, rest, sp);
}

/* The library function called when a C++ exception is thrown or caught; NULL: the word names
 * neither. */
static const char *exception_function(const char *word)
{
	static const char *const all[][2] = {{"throw", "__cxa_throw"},
	                                     {"rethrow", "__cxa_rethrow"},
	                                     {"catch", "__cxa_begin_catch"}};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i][0], word))
			return all[i][1];
	return NULL;
}

static enum command_result catch_exception(struct console *c, const char *function,
                                           const char *condition)
{
	struct stop_point sp = {.kind = STOP_POINT_PC, .enabled = true};
	snprintf(sp.text, sizeof sp.text, "%s", function);
	if (!pending_find(c->session, function, &sp.addr)) {
		if (!pending_possible(c->session, function))
			return console_fail(c, "the program has no %s: it throws nothing",
			                    function);
		sp.pending = true;
		sp.addr = PENDING_ADDR;
	}
	return stops_prepare(c, &sp, NULL, condition) ? stops_add(c, &sp) : CMD_ERROR;
}

static enum command_result cmd_catch_exec(struct console *c, const char *args)
{
	struct stop_point sp = {.kind = STOP_POINT_EVENT, .enabled = true};
	enum command_result r = CMD_ERROR;
	char *text = alloc_text(args);
	if (!text)
		return console_fail(c, "out of memory");
	const struct called *as;
	char signals[512] = "";
	char *asked = parse_cut_if(text), *both = NULL;
	snprintf(sp.text, sizeof sp.text, "%s", text);
	parse_trim(text);
	const char *function = exception_function(text);
	if (function)
		r = catch_exception(c, function, asked);
	else if (cmd_catch_parse_event(c, text, &sp, &as, signals, sizeof signals)) {
		const char *own = as ? as->condition : *signals ? signals : NULL;
		if (own && asked && !(both = alloc_format("(%s) and (%s)", own, asked)))
			console_fail(c, "out of memory");
		else if (stops_prepare(c, &sp, NULL, both ? both : own ? own : asked))
			r = stops_add(c, &sp);
	}
	free(both);
	free(text);
	return r;
}

const struct command cmd_catch = {
	.name = "catch",
	.aliases = "",
	.group = "breakpoints",
	.usage = "catch EVENT [class KINDS] [at LOCATION | in FUNCTION] [if EXPRESSION]\n"
		 "catch signal [NAME... | all]\n"
		 "catch throw|rethrow|catch [if EXPRESSION]",
	.summary = "stop when the machine reports an event",
	.help = "`help events` lists them, `help squash` explains one. The expression is\n"
		"evaluated for each event: its fields are words in it, and so are those of its\n"
		"instruction (`help fields`), before symbols of the program, which are\n"
		"addresses here, variables of C too: mem32(total) == 7. `event` is all of it.\n"
		"KINDS: load, store, atomic, branch, jump, int, mul, div, fp, system; the\n"
		"place is that of the instruction.\n"
		"Beside the events: miss (a level beyond L1), branch, forward, mispredict.\n"
		"    catch squash if count > 20   a misprediction that was found late\n"
		"    catch miss if level == 'memory'\n"
		"    catch mem class load in find if level == 'memory' and latency > 50\n"
		"    catch syscall if call == 'write' and result < 0\n"
		"    catch signal SIGSEGV         a handler of it is entered (`help handle`)\n"
		"    catch throw                  an exception of C++ is thrown; catch: caught\n"
		"    catch commit class int,mul if result == 0\n"
		"    catch pflag                  a profile flag changes\n"
		"    catch bdt if set == 3 and action == 'made'\n"
		"    catch tuple if kind == 'value' and value == 0\n"
		"    catch compress if act == 'E5'   a tagged counter changes its owner\n"
		"    catch interrupt if cause == 17  enough messages wait\n"
		"    catch interpreted if stop == 'syscall'  why value sampling stopped\n"
		"    catch replay if type == 'size'  a load is fetched again",
	.words = "throw rethrow catch",
	.complete = COMPLETE_EVENT,
	.exec = cmd_catch_exec,
};
