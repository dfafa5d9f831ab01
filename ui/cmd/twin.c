/* twin: a second machine in step with this one. */
#include <inttypes.h>
#include <string.h>

#include "core/machine/params.h"
#include "hwviews/grid/grid.h"
#include "hwviews/twin/twin.h"
#include "hwviews/twin/twin_program.h"
#include "hwviews/why/inst_history.h"
#include "hwviews/why/waits.h"
#include "hwviews/why/why_text.h"
#include "ui/cmd/config.h"
#include "ui/console/args.h"
#include "ui/console/command.h"
#include "ui/console/motion.h"

/* Parses the twin's configuration: a preset or file and changes to it, or only changes to this
 * machine's configuration. */
static bool other_machine(struct console *c, const char *args, struct config *out,
                          struct twin_program *program)
{
	char word[PARAM_TEXT_MAX + 64];
	bool bad;
	*program = (struct twin_program){0};
	*out = *machine_config(c->session->machine);
	for (bool first = true; *args; first = false) {
		args = parse_word(args, word, sizeof word);
		if (twin_program_word(program, word, &bad, &c->err)) {
			if (bad)
				return false;
		} else if (strchr(word, '=')) {
			if (!config_set_assignment(out, word, &c->err))
				return false;
		} else if (first) {
			/* Keeps sim.terminal: both programs have the same descriptors. */
			if (!config_load_named(c, word, out))
				return false;
		} else {
			console_fail(c,
			             "'%s' is not understood: a twin runs this session's program; "
			             "expected twin [CONFIG] "
			             "PARAMETER=VALUE... [instrument=KINDS]; another program has a "
			             "session of its own",
			             word);
			return false;
		}
	}
	return config_check(out, &c->err);
}

static void cmd_twin_print_line(void *ctx, const char *line)
{
	console_print(ctx, "%s\n", line);
}

static enum command_result no_twin(struct console *c)
{
	return console_fail(c, "there is no twin: `twin PARAMETER=VALUE` opens one");
}

/* Shows a view. A twin that can't follow is an error here; in a pane, the view shows the error. */
static enum command_result cmd_twin_show_view(struct console *c, const char *view)
{
	struct twin_place place;
	return twin_bring(c->session, &place, &c->err) ? console_run(c, view) : CMD_ERROR;
}

static void cmd_twin_print_waits(struct console *c, const struct session *s, const struct story *y)
{
	char line[1024];
	if (y->left && *waits_line(s, &y->uop, line, sizeof line))
		console_print(c, "%s\n", line);
}

/* Prints the history of this machine's instruction. */
static void say_own(struct console *c, uint64_t seq)
{
	struct story y;
	struct err err;
	char line[1024];
	if (inst_history_gather(c->session, seq, &y, &err) &&
	    inst_history_line(c->session, &y, line, sizeof line, &err)) {
		console_print(c, "%s\n", line);
		cmd_twin_print_waits(c, c->session, &y);
	}
}

static enum command_result cmd_twin_explain_inst(struct console *c, const char *args)
{
	const struct session *s = c->session;
	const struct uop *u = *args ? NULL : session_uop(s);
	struct story y;
	uint64_t seq = u ? u->seq : 0, number, own;
	char line[1024], digits[32];
	if (!s->twin)
		return no_twin(c);
	if (*args && !parse_seq(args, &seq))
		return console_fail(c,
		                    "twin why '%s': expected an instruction as the views of this "
		                    "machine number them, such as #81213",
		                    args);
	if (!seq)
		return console_fail(
			c, *args ? "instructions are numbered from 1"
				 : "nothing is in flight; expected twin why #SEQ of a committed "
				   "instruction");
	if (!twin_same(s, seq, &number, &own, &c->err))
		return CMD_ERROR;
	const struct session *b = s->twin->session;
	if (!inst_history_gather(b, own, &y, &c->err) ||
	    !inst_history_line(b, &y, line, sizeof line, &c->err))
		return CMD_ERROR;
	say_own(c, seq);
	console_print(c, "in the twin, instruction %s:\n%s\n", group_digits(number, digits), line);
	cmd_twin_print_waits(c, b, &y);
	inst_history_tell(b, &y, cmd_twin_print_line, c);
	return CMD_OK;
}

static enum command_result cmd_twin_set_alignment(struct console *c, const char *args)
{
	if (!c->session->twin)
		return no_twin(c);
	if (strcmp(args, "cycle") != 0 && strcmp(args, "instruction") != 0)
		return console_fail(c,
		                    "twin by '%s' is not understood; expected twin by cycle, twin "
		                    "by instruction",
		                    args);
	c->session->twin->by_cycle = !strcmp(args, "cycle");
	return c->screen ? CMD_OK : cmd_twin_show_view(c, "view twin 1");
}

struct commits {
	uint64_t seq;
	bool done;
};

/* True when the instruction, or if it was squashed a younger one, has committed. */
static bool has_committed(void *ctx, const struct machine *m, const struct event *ev)
{
	struct commits *g = ctx;
	(void)m;
	g->done |= ev->seq == g->seq;
	return ev->seq >= g->seq;
}

/* Moves both machines to the commit of an instruction. */
static enum command_result cmd_twin_goto_commit(struct console *c, const char *args)
{
	struct session *s = c->session;
	struct commits g = {0};
	struct run_stop_info info;
	struct err err;
	if (!s->twin)
		return no_twin(c);
	if (!parse_seq(args, &g.seq))
		return console_fail(c,
		                    "twin go '%s': expected an instruction as the views of this "
		                    "machine number them, such as #81213",
		                    args);
	if (!motion_start(c, false))
		return CMD_ERROR;
	const uint64_t from = machine_cycle(s->machine);
	bool began = run_goto_seq(s->run, g.seq, &info, &err);
	const bool there = began && info.reason == STOPPED_DONE;
	if (there)
		began = run_until(s->run, has_committed, &g, &info, &err);
	if (there && began && !g.done && info.reason == STOPPED_DONE) {
		if (!run_goto_cycle(s->run, from, &info, &c->err))
			return CMD_ERROR;
		motion_undone(c);
		return console_fail(c,
		                    "#%" PRIu64
		                    " was squashed, the twin has no such instruction; expected one "
		                    "that committed, as `view gap` lists them",
		                    g.seq);
	}
	if (there && g.done)
		s->selected_seq = g.seq;
	const enum command_result r = motion_end_report(c, began, &info, &err, MOTION_STATUS);
	return r == CMD_ERROR || !there || info.reason != STOPPED_DONE
	               ? r
	               : cmd_twin_explain_inst(c, args);
}

static enum command_result open_twin(struct console *c, const char *args)
{
	struct config cfg;
	struct twin_program program;
	if (!console_may(c, "twin builds another machine"))
		return CMD_ERROR;
	if (!other_machine(c, args, &cfg, &program) ||
	    !twin_open_on(c->session, &cfg, &program, args, &c->err))
		return CMD_ERROR;
	return c->screen ? CMD_OK : cmd_twin_show_view(c, "view twin"); /* layout of the screen */
}

static enum command_result cmd_twin_exec(struct console *c, const char *args)
{
	char word[32];
	const char *rest = parse_word(args, word, sizeof word);
	if (!*args)
		return cmd_twin_show_view(c, "view twin");
	if (!strcmp(word, "why"))
		return cmd_twin_explain_inst(c, rest);
	if (!strcmp(word, "go"))
		return cmd_twin_goto_commit(c, rest);
	if (!strcmp(word, "by"))
		return cmd_twin_set_alignment(c, rest);
	if (strcmp(args, "off") != 0)
		return open_twin(c, args);
	if (!c->session->twin)
		return no_twin(c);
	twin_close(c->session);
	return CMD_OK;
}

const struct command cmd_twin = {
	.name = "twin",
	.aliases = "",
	.group = "views",
	.usage = "twin [CONFIG] [PARAMETER=VALUE...] [instrument=KINDS | program=FILE] | by "
		 "cycle|instruction | why [#SEQ] | go #SEQ | off",
	.summary = "put a machine with other parameters beside this one, in step with it",
	.help = "The same program with the same arguments and input, from its beginning. From\n"
		"then on the twin follows to the instruction that this machine committed last,\n"
		"forwards and backwards, when a view reads it: `view twin` shows which one is\n"
		"ahead, `view gap` where the gap grew. `twin by cycle` keeps both in the same\n"
		"cycle. `twin why #SEQ` is `why` of the same instruction in both,\n"
		"and `twin go #SEQ` goes to where it has just committed, in both. A preset\n"
		"or a configuration file comes first; without one the twin is this machine\n"
		"except for the parameters. `instrument=KINDS` (help instrument) puts counting\n"
		"code into the twin's program, to show its cost. Added code has no counterpart\n"
		"and no number; `view gap` adds its cycles to the place after it.\n"
		"`program=FILE` is this program as instrumented by `cyclops instrument`.\n"
		"\n"
		"Refused where the run would differ: after typed input, changes by hand, with\n"
		"--rw or firmware. `run` ends it.\n"
		"    twin pipe.rob_size=16        twin inorder2        twin why #1000\n"
		"    twin instrument=bb           twin instrument=path+hw,edge",
	.words = "off by why go",
	.complete = COMPLETE_PARAM,
	.exec = cmd_twin_exec,
};
