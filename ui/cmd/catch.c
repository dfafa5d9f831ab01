/* catch: stop at an event of the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "ui/args.h"
#include "ui/location.h"
#include "ui/stops.h"

static bool find_event(struct console *c, const char *word, int *id)
{
	struct nearest n;
	*id = event_find(!strcmp(word, "mispredict") ? "squash" : word);
	if (*id >= 0)
		return true;
	nearest_init(&n, word);
	for (int i = 0; i < EV_COUNT; i++)
		nearest_offer(&n, event_info[i].name);
	console_fail(c, "no event is called '%s'%s%s%s", word, n.best ? "; did you mean '" : "; `help events` lists them",
	             n.best ? n.best : "", n.best ? "'?" : "");
	return false;
}

/* "EVENT", "EVENT at LOCATION", "EVENT in FUNCTION". */
static bool parse(struct console *c, const char *text, struct stop_point *sp)
{
	char word[64], how[16];
	struct location at;
	int id;
	const char *rest = parse_word(text, word, sizeof word);
	if (!*word) {
		console_fail(c, "catch which event? `help events` lists them");
		return false;
	}
	if (!find_event(c, word, &id))
		return false;
	sp->filter.mask = UINT64_C(1) << id;
	if (!*rest)
		return true;
	rest = parse_word(rest, how, sizeof how);
	bool within = !strcmp(how, "in");
	if (!within && strcmp(how, "at") != 0) {
		console_fail(c, "catch %s %s: at LOCATION, in FUNCTION or if EXPRESSION", word, how);
		return false;
	}
	if (!location_parse(c, rest, &at))
		return false;
	const struct symbol *sym = within ? program_symbol_at(c->session->program, at.addr) : NULL;
	sp->filter.pc_lo = sym ? sym->addr : at.addr;
	sp->filter.pc_hi = sym && sym->size ? sym->addr + sym->size : at.addr + 1;
	return true;
}

static enum command_result catch(struct console *c, const char *args)
{
	struct stop_point sp = {.kind = STOP_POINT_EVENT, .enabled = true};
	enum command_result r = CMD_ERROR;
	char *text = strdup(args);
	if (!text)
		return console_fail(c, "out of memory");
	char *condition = parse_cut_if(text);
	snprintf(sp.text, sizeof sp.text, "%s", text);
	if (parse(c, text, &sp) && stops_prepare(c, &sp, NULL, condition))
		r = stops_add(c, &sp);
	free(text);
	return r;
}

const struct command cmd_catch = {
	.name = "catch",
	.aliases = "",
	.group = "breakpoints",
	.usage = "catch EVENT [at LOCATION | in FUNCTION] [if EXPRESSION]",
	.summary = "stop when the machine reports an event",
	.help = "`help events` lists them. The place is that of the event's instruction.\n"
	        "    catch squash                 a misprediction takes the path behind it away\n"
	        "    catch syscall\n"
	        "    catch mem in find if l1d.misses > 1000",
	.complete = COMPLETE_EVENT,
	.exec = catch,
};
