/* cop: debugs the profiling co-processor, as `step`, `break` and `list` do the core. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/reports/report.h"
#include "loader/microprogram.h"
#include "ui/console/args.h"
#include "ui/console/motion.h"
#include "ui/console/stops.h"

enum { DEFINES_MAX = 32, PATH = 1024, LIST_AROUND = 5, LIST_LINES = 11 };

/* ---- loading ---- */
struct defines {
	char name[DEFINES_MAX][MICRO_NAME_MAX];
	struct micro_define at[DEFINES_MAX];
	unsigned count;
};

/* Parses NAME=NUMBER ... */
static bool parse_defines(struct console *c, const char *args, struct defines *d)
{
	char word[128], *end;
	for (d->count = 0; *args; d->count++) {
		args = parse_word(args, word, sizeof word);
		char *equals = strchr(word, '=');
		const size_t n = equals ? (size_t)(equals - word) : 0;
		if (d->count == DEFINES_MAX)
			return console_fail(c, "more than %d constants", DEFINES_MAX), false;
		if (!n || n >= MICRO_NAME_MAX || !isdigit((unsigned char)equals[1]))
			return console_fail(c,
			                    "'%s' is not understood; expected values for its .equ "
			                    "after the file: NAME=NUMBER",
			                    word),
			       false;
		errno = 0;
		const uint64_t value = strtoull(equals + 1, &end, 0);
		if (*end || errno)
			return console_fail(c, "'%s' is no number of at most 64 bits", equals + 1),
			       false;
		memcpy(d->name[d->count], word, n);
		d->name[d->count][n] = '\0';
		d->at[d->count] = (struct micro_define){d->name[d->count], value};
	}
	return true;
}

/* Assembles a file. Prints all errors but the last, which becomes c->err. */
static struct microprogram *assemble_file(struct console *c, const char *path,
                                          const struct defines *defines)
{
	struct micro_mistakes all;
	struct microprogram *p =
		microprogram_open(path, defines->at, defines->count, &all, &c->err);
	for (unsigned i = 0; i + 1 < all.count; i++)
		console_print(c, "%s\n", all.each[i].msg);
	if (all.count)
		c->err = all.each[all.count - 1];
	micro_mistakes_free(&all);
	return p;
}

static struct microprogram *cmd_cop_assemble_file(struct console *c, const char *args,
                                                  const char *usage)
{
	char path[PATH];
	struct defines defines;
	args = parse_word(args, path, sizeof path);
	if (!console_may(c, "a microprogram's FILE reaches files"))
		return NULL;
	if (!*path)
		console_fail(c,
		             "no file given; expected cop %s FILE [NAME=NUMBER...], such as one of "
		             "demos/microcode",
		             usage);
	else if (parse_defines(c, args, &defines))
		return assemble_file(c, path, &defines);
	return NULL;
}

static bool cmd_cop_write_device(struct console *c, const struct device_write *writes, size_t n)
{
	struct run_history h;
	const struct change what = {
		.kind = JOURNAL_DEVICE, .a = DEVICE_COP, .bytes = writes, .n = n * sizeof *writes};
	run_history(c->session->run, &h);
	const bool past = h.newest_cycle > machine_cycle(c->session->machine);
	if (!run_change(c->session->run, &what, &c->err))
		return false;
	if (past && !c->screen)
		console_print(c, "Later cycles of the recording are dropped\n");
	return true;
}

static void put_loaded(struct console *c, const struct microprogram *p, const char *what)
{
	console_print(c, "%s %s: %u microinstruction%s", what,
	              *p->image.name ? p->image.name : p->path, p->image.count,
	              p->image.count == 1 ? "" : "s");
	for (unsigned i = 0, n = 0; i < INST_KIND_COUNT; i++)
		if (p->image.classes >> i & 1)
			console_print(c, "%s%s", n++ ? ", " : "; samples ", inst_kind_name[i]);
	console_print(c, "%s\n",
	              p->image.classes ? "" : "; samples nothing: it has neither .fields nor .on");
}

static enum command_result cmd_cop_load_microcode(struct console *c, const char *args)
{
	size_t n;
	struct microprogram *p = cmd_cop_assemble_file(c, args, "load");
	struct device_write *writes =
		p ? cop_load(machine_config(c->session->machine), &p->image, &n, &c->err) : NULL;
	const bool ok = writes && cmd_cop_write_device(c, writes, n);
	free(writes);
	if (!ok) {
		microprogram_free(p);
		return CMD_ERROR;
	}
	put_loaded(c, p, "Loaded");
	return session_add_microprogram(c->session, p, &c->err) ? CMD_OK : CMD_ERROR;
}

static enum command_result cmd_cop_load_names(struct console *c, const char *args)
{
	struct microprogram *p = cmd_cop_assemble_file(c, args, "names");
	if (!p || !session_add_microprogram(c->session, p, &c->err))
		return CMD_ERROR;
	put_loaded(c, p, "Known:");
	if (session_microprogram(c->session) != p)
		console_print(c, "It differs from the microcode array now\n");
	return CMD_OK;
}

static enum command_result cmd_cop_resume(struct console *c, const char *args)
{
	const struct device_write w = {COP_RESUME, 1};
	(void)args;
	if (!session_cop(c->session)->micro.st->halted)
		return console_fail(c, "the co-processor has not halted");
	return cmd_cop_write_device(c, &w, 1) ? CMD_OK : CMD_ERROR;
}

/* ---- moving ---- */
static bool cmd_cop_match_any_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx;
	(void)m;
	(void)ev;
	return true;
}


/* Prints the executed microinstruction and its effects. */
static void put_executed(struct console *c)
{
	const struct session *s = c->session;
	const struct micro_trace *t = &session_cop(s)->micro.st->last;
	struct micro_op_text ops[MICRO_OPS];
	char place[64], text[MICRO_TEXT_MAX];
	if (c->screen || !cop_executed_now(s))
		return;
	if (t->kind != MICRO_SLOT_CODE) {
		console_print(c, "  %s\n",
		              t->kind == MICRO_SLOT_SKIP
		                      ? "skipped a record: its class has no routine"
		                      : "a fault: beyond the microcode");
		return;
	}
	console_print(c, "  %-10s %s%s%s\n", format_micro_at(s, t->at, place, sizeof place),
	              format_micro(s, t->word, t->at, text, sizeof text), t->fault ? "   " : "",
	              t->fault ? micro_fault_name[t->fault] : "");
	const unsigned n = micro_ops_done(s, t, ops);
	for (unsigned i = 0; i < n; i++)
		console_print(c, "  %-10s %-6s %s: %s\n", "", ops[i].unit, ops[i].text,
		              ops[i].values);
}

/* True if the co-processor can continue, or there is firmware that may resume it. */
static bool can_step(struct console *c)
{
	const struct cop *cop = session_cop(c->session);
	enum role role;
	if (CONFIG(machine_config(c->session->machine), firmware))
		return true;
	if (!(cop->st->control & COP_RUN))
		return console_fail(c, "nothing has been loaded into the co-processor; `cop load "
		                       "FILE` does"),
		       false;
	if (cop->micro.st->halted)
		return console_fail(c,
		                    "the co-processor has %s, and there is no firmware that lets "
		                    "it go on; `cop resume` does",
		                    cop_status_words(c->session, &role)),
		       false;
	return true;
}

static enum command_result cmd_cop_step_microcode(struct console *c, const char *args, bool forward)
{
	struct run_stop_info info = {0};
	struct err err;
	uint64_t n;
	bool began = true;
	const struct event_filter executed = {.mask = EVENT_BIT(micro)};
	if (!parse_steps(c, args, "steps", &n) || (forward && !can_step(c)) ||
	    !motion_start(c, forward))
		return CMD_ERROR;
	info.reason = STOPPED_DONE;
	for (uint64_t i = 0; i < n && began && info.reason == STOPPED_DONE; i++)
		began = forward ? run_until_event(c->session->run, &executed,
		                                  cmd_cop_match_any_event, NULL, &info, &err)
		                : run_back_until_event(c->session->run, &executed,
		                                       cmd_cop_match_any_event, NULL, &info, &err);
	const enum command_result r = motion_end_report(c, began, &info, &err, MOTION_STATUS);
	if (r == CMD_OK)
		put_executed(c);
	return r;
}

static enum command_result cmd_cop_step_forward(struct console *c, const char *args)
{
	return cmd_cop_step_microcode(c, args, true);
}

static enum command_result cmd_cop_step_backward(struct console *c, const char *args)
{
	return cmd_cop_step_microcode(c, args, false);
}

/* ---- stopping ---- */
static enum command_result cmd_cop_add_breakpoint(struct console *c, const char *args)
{
	struct stop_point sp = {.kind = STOP_POINT_MICRO, .enabled = true};
	enum command_result r = CMD_ERROR;
	unsigned at;
	char *text = alloc_text(args);
	if (!text)
		return console_fail(c, "out of memory");
	const char *condition = parse_cut_if(text);
	if (!*text)
		console_fail(
			c,
			"no place given; expected cop break LABEL[+N] or a place in the microcode");
	else if (condition && !*condition)
		console_fail(c, "no condition given; expected cop break LABEL if EXPRESSION");
	else if (micro_at_parse(c->session, text, &at, &c->err) &&
	         stops_prepare(c, &sp, NULL, condition)) {
		sp.addr = at;
		format_micro_at(c->session, at, sp.text, sizeof sp.text);
		r = stops_add(c, &sp);
	}
	free(text);
	return r;
}

/* ---- looking ---- */
static int stop_there(const struct session *s, unsigned at)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(s->run, i)); i++)
		if (sp->kind == STOP_POINT_MICRO && sp->enabled && sp->addr == at)
			return sp->id;
	return 0;
}

static enum command_result cmd_cop_list_microcode(struct console *c, const char *args)
{
	const struct session *s = c->session;
	const struct cop *cop = session_cop(s);
	const struct micro_state *st = cop->micro.st;
	const struct micro_image *image = session_micro_image(s);
	const unsigned end = image ? image->count : cop->micro.code_n;
	char text[MICRO_TEXT_MAX];
	unsigned at = st->execute.kind == MICRO_SLOT_CODE ? st->execute.at : st->last.at, from = 0,
		 to = end;
	if (*args && !micro_at_parse(s, args, &at, &c->err))
		return CMD_ERROR;
	if (!image || *args) {
		from = *args ? at : at > LIST_AROUND ? at - LIST_AROUND : 0;
		to = from + LIST_LINES < end ? from + LIST_LINES : end;
	}
	for (unsigned i = from; i < to; i++) {
		const char *stage =
			cop_executed_now(s) && st->last.kind == MICRO_SLOT_CODE && st->last.at == i
				? "X"
			: st->execute.kind == MICRO_SLOT_CODE && st->execute.at == i ? "D"
			: st->decode.kind == MICRO_SLOT_CODE && st->decode.at == i   ? "F"
										     : " ";
		for (unsigned k = 0; image && k < image->label_count; k++)
			if (image->labels[k].at == i)
				console_print(c, "%s:\n", image->labels[k].name);
		console_print(c, "%s%c%4u  %s\n", stage, stop_there(s, i) ? '*' : ' ', i,
		              format_micro(s, cop->micro.code[i], i, text, sizeof text));
	}
	return CMD_OK;
}

static enum command_result cmd_cop_print_status(struct console *c, const char *args)
{
	char line[512];
	const struct microprogram *p = session_microprogram(c->session);
	(void)args;
	if (p)
		console_print(c, "%s, %s: %s\n",
		              *p->image.name ? p->image.name : "a program without a name", p->path,
		              *p->image.help ? p->image.help : "without a description");
	console_print(c, "%s\n", why_cop(c->session, line, sizeof line));
	return CMD_OK;
}

static const struct {
	const char *name;
	bool repeats;
	enum command_result (*run)(struct console *c, const char *args);
} parts[] = {
	{"load", false, cmd_cop_load_microcode},  {"names", false, cmd_cop_load_names},
	{"step", true, cmd_cop_step_forward},     {"reverse-step", true, cmd_cop_step_backward},
	{"break", false, cmd_cop_add_breakpoint}, {"list", false, cmd_cop_list_microcode},
	{"resume", false, cmd_cop_resume},        {"why", false, cmd_cop_print_status},
};
enum { PARTS = sizeof parts / sizeof *parts };

static enum command_result cmd_cop_exec(struct console *c, const char *args)
{
	char word[32];
	struct nearest near;
	const char *rest = parse_word(args, word, sizeof word);
	if (!device_there(c->session, "cop", &c->err))
		return CMD_ERROR;
	if (!*word)
		return cmd_cop_print_status(c, "");
	nearest_init(&near, word);
	for (int i = 0; i < PARTS; i++) {
		if (!strcmp(parts[i].name, word) ||
		    (!strcmp(word, "s") && parts[i].run == cmd_cop_step_forward) ||
		    (!strcmp(word, "rs") && parts[i].run == cmd_cop_step_backward))
			return c->repeating && !parts[i].repeats ? CMD_OK : parts[i].run(c, rest);
		nearest_offer(&near, parts[i].name);
	}
	return console_fail(c, "cop '%s'? %s%s", word,
	                    near.best
	                            ? "did you mean "
	                            : "load, names, step, reverse-step, break, list, resume or why",
	                    near.best ? near.best : "");
}

const struct command cmd_cop = {
	.name = "cop",
	.aliases = "",
	.group = "running",
	.usage = "cop [load FILE | step [N] | reverse-step [N] | break PLACE | list [PLACE] | ...]",
	.summary = "load and step the program of the profiling co-processor; alone, show its state",
	.help = "For machines with a co-processor: -o cop.enable=true, or --cop FILE, which\n"
		"loads FILE before the first cycle. `help microcode` explains how programs are\n"
		"written; demos/microcode has some, first.mic to begin with.\n"
		"    cop load FILE [NAME=NUMBER...]  assemble FILE, with other values for its\n"
		"               .equ, and begin with it: it sets registers and filters,\n"
		"               arrays and sample buffer are empty. Reverse motions go back\n"
		"               over it\n"
		"    cop names FILE [NAME=NUMBER...]  the same program is loaded by firmware:\n"
		"               show it with the names of this text\n"
		"    cop step [N]  go on until it has executed another microinstruction, or N;\n"
		"               s is step, rs reverse-step, which goes back\n"
		"    cop break PLACE [if EXPRESSION]  stop at the end of the cycle in which it\n"
		"               executes the microinstruction there: a label, label+N, a number\n"
		"               A breakpoint as others: delete, disable, condition, ignore\n"
		"    cop list [PLACE]  the microcode; F D X: the pipeline, *: breakpoints\n"
		"    cop resume  go on after an interrupt or a fault, as firmware does\n"
		"    catch sample if dropped     catch micro if wrong     catch cop_interrupt\n"
		"    print cop.v3     watch cop.waiting     why cop     view copslots",
	.words = "load names step reverse-step break list resume why",
	.complete = COMPLETE_FILE,
	.repeats = true,
	.exec = cmd_cop_exec,
};
