/* backtrace, frame, up, down. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/regs.h"
#include "hwviews/program/frames.h"
#include "hwviews/program/origin.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"

/* The frame's address in the program before instrumentation; for a caller, the return address
 * there. */
static const char *cmd_backtrace_format_origin(const struct console *c, unsigned level, uint64_t pc,
                                               char *buf, size_t n)
{
	const struct origin o = origin_of(c->session, pc);
	if (!level || o.kind != ORIGIN_PUT_IN || !o.was)
		return origin_text(c->session, pc, buf, n);
	snprintf(buf, n, " (was 0x%" PRIx64 ")", o.was);
	return buf;
}

static void cmd_backtrace_print_frame(struct console *c, unsigned i, const struct frame *f,
                                      bool again, bool selected)
{
	char where[1024], origin[128];
	console_print(c, "%s#%-2u 0x%" PRIx64 " %s%s\n", selected ? "=>" : "  ", i, f->pc,
	              location_of_level(c, f, i, again, where, sizeof where),
	              cmd_backtrace_format_origin(c, i, f->pc, origin, sizeof origin));
}

static bool put_local(void *ctx, const struct expr_variable *v)
{
	if (!v->outer)
		console_print(ctx, "        %s = %s\n", v->name, v->text);
	return !v->outer;
}

static void put_locals(struct console *c, unsigned level)
{
	exprs_select_frame(c->exprs, level, machine_cycle(c->session->machine));
	expr_each_variable(c->exprs, false, put_local, c);
}

/* The calls by expressions that are in progress, youngest first. */
static void put_called(struct console *c)
{
	const struct command_state *st = c->state;
	const uint64_t sp = machine_seen_reg(c->session->machine, REG_SP);
	char where[256];
	for (unsigned i = st->called_count; i-- > 0;)
		if (sp <= st->called[i].sp)
			console_print(c, "  %s was called by an expression, at %s\n",
			              st->called[i].name,
			              session_where(c->session, st->called[i].pc, where,
			                            sizeof where));
}

/* `backtrace N`: the innermost N frames; -N: the outermost N; `full`: with their variables. */
static enum command_result cmd_backtrace_exec(struct console *c, const char *args)
{
	char word[16];
	uint64_t most;
	size_t n;
	const char *rest = parse_word(args, word, sizeof word);
	const bool full = !strcmp(word, "full") || !strcmp(word, "-full");
	if (full)
		args = rest;
	const bool outermost = *args == '-';
	if (!parse_count(c, args + outermost, FRAMES_ALL, &most))
		return CMD_ERROR;
	struct frame *frames = frames_list(c->session, FRAMES_ALL, &n);
	if (!frames)
		return CMD_ERROR;
	const size_t first = outermost && n > most ? n - (size_t)most : 0;
	const unsigned level = location_level(c);
	for (unsigned i = (unsigned)first; i < n && i - first < most; i++) {
		cmd_backtrace_print_frame(c, i, &frames[i], i > first, i && i == level);
		if (full)
			put_locals(c, i);
	}
	if (full)
		exprs_select_frame(c->exprs, level, machine_cycle(c->session->machine));
	if (n > most && !outermost)
		console_print(c, "  (%s%zu more frames)\n", n == FRAMES_ALL ? "at least " : "",
		              n - (size_t)most);
	else if (n == FRAMES_ALL)
		console_print(c, "  (frames after the first %d are not looked for)\n", FRAMES_ALL);
	else
		put_called(c);
	free(frames);
	answer_view(c, "backtrace");
	return CMD_OK;
}

static enum command_result cmd_backtrace_select_frame(struct console *c, int64_t level)
{
	size_t n;
	if (level < 0)
		return console_fail(c, "this is the innermost frame");
	struct frame *frames = frames_list(c->session, (size_t)level + 1, &n);
	if (!frames)
		return CMD_ERROR;
	if ((uint64_t)level >= n) {
		free(frames);
		return console_fail(c, n == FRAMES_ALL ? "frames after #%zu are not looked for"
		                                       : "the outermost frame is #%zu", n - 1);
	}
	const struct frame f = frames[level];
	free(frames);
	motion_select(c, (unsigned)level);
	cmd_backtrace_print_frame(c, (unsigned)level, &f, false, false);
	json_t *data = answer_data(c);
	data_count(data, "frame", (uint64_t)level);
	data_place(data, c, "pc", f.pc);
	if (!c->screen)
		motion_source(c);
	return CMD_OK;
}

/* Selects the innermost call of a function. */
static enum command_result choose_function(struct console *c, const char *name)
{
	size_t n;
	if (!*name)
		return console_fail(c, "no function given; expected frame function NAME");
	struct frame *frames = frames_list(c->session, FRAMES_ALL, &n);
	if (!frames)
		return CMD_ERROR;
	for (size_t i = 0; i < n; i++) {
		char inlined[DEMANGLED_MAX];
		const struct symbol *sym =
			program_symbol_at(c->session->program, frame_look(&frames[i]));
		const char *is =
			inlined_name(c->session->program, &frames[i], inlined, sizeof inlined);
		if (!is && sym)
			is = sym->name;
		if (is && name_means(is, name)) {
			free(frames);
			return cmd_backtrace_select_frame(c, (int64_t)i);
		}
	}
	free(frames);
	return console_fail(c, n == FRAMES_ALL ? "no call of '%.80s' is in the first %d frames"
	                                       : "no call of '%.80s' is under way",
	                    name, FRAMES_ALL);
}

static enum command_result cmd_frame_exec(struct console *c, const char *args)
{
	uint64_t n;
	char word[16];
	const char *rest = parse_word(args, word, sizeof word);
	if (!strcmp(word, "function"))
		return choose_function(c, rest);
	if (!strcmp(word, "level"))
		args = rest;
	if (!parse_count(c, args, location_level(c), &n))
		return CMD_ERROR;
	return cmd_backtrace_select_frame(c, n > FRAMES_ALL ? FRAMES_ALL : (int64_t)n);
}

static enum command_result cmd_backtrace_move_level(struct console *c, const char *args,
                                                    int direction)
{
	uint64_t n;
	if (!parse_count(c, args, 1, &n))
		return CMD_ERROR;
	return cmd_backtrace_select_frame(
		c, (int64_t)location_level(c) +
			   direction * (n > FRAMES_ALL ? FRAMES_ALL : (int64_t)n));
}

static enum command_result cmd_up_exec(struct console *c, const char *args)
{
	return cmd_backtrace_move_level(c, args, 1);
}

static enum command_result cmd_down_exec(struct console *c, const char *args)
{
	return cmd_backtrace_move_level(c, args, -1);
}

const struct command cmd_backtrace = {
	.name = "backtrace",
	.aliases = "bt where",
	.group = "data",
	.usage = "backtrace [full] [FRAMES | -FRAMES]",
	.summary = "show the calls that led here, innermost first",
	.help = "FRAMES: that many of the innermost, or with - of the outermost; full: with\n"
		"their variables. At any cycle: it follows the committed registers and memory.\n"
		"An inlined function has a frame of its own, with the address of the one\n"
		"around it.",
	.words = "full",
	.exec = cmd_backtrace_exec,
};

const struct command cmd_frame = {
	.name = "frame",
	.aliases = "f",
	.group = "data",
	.usage = "frame [NUMBER | function NAME]",
	.summary = "select a call frame, for variables, list, finish and locations without a file",
	.help = "Registers stay those of the innermost frame; variables are the selected one's.\n"
		"With a function, its innermost call: frame function main",
	.words = "function level",
	.exec = cmd_frame_exec,
};

const struct command cmd_up = {
	.name = "up",
	.aliases = "",
	.group = "data",
	.usage = "up [N]",
	.summary = "select the frame that called this one",
	.help = "",
	.repeats = true,
	.exec = cmd_up_exec,
};

const struct command cmd_down = {
	.name = "down",
	.aliases = "",
	.group = "data",
	.usage = "down [N]",
	.summary = "select the frame called by this one",
	.help = "",
	.repeats = true,
	.exec = cmd_down_exec,
};
