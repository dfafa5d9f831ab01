/* `print`: computes an expression and shows its value. */
#include "ui/cmd/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "core/machine/change.h"
#include "hwviews/session/view_text.h"
#include "scripting/script.h"
#include "ui/console/answer_data.h"
#include "ui/cmd/print_settings.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"
#include "ui/console/value_text.h"
#include "ui/remote/inferior.h"

/* Adds the expression, and the value's text and (if `typed`) type to the answer. */
static json_t *cmd_print_append_data(struct console *c, const char *expression, const char *text,
                                     bool typed)
{
	enum { TYPE_MAX = 1 << 12 };
	json_t *data = answer_data(c);
	char *type = data && typed ? alloc_zeroed(1, TYPE_MAX) : NULL;
	data_text(data, "expression", expression);
	data_text(data, "text", text);
	data_text(data, "type", type ? expr_computed_type(c->exprs, EXPR_TYPE_NAME, type,
	                                                TYPE_MAX) : NULL);
	free(type);
	return data;
}

/* Prints the value that an instruction in flight will write. */
static void print_coming(struct console *c, json_t *data, struct expr *e, char letter, char *text,
                         size_t n)
{
	const uint64_t seq = expr_coming(e, letter, text, n);
	value_print_coming(c, seq, text);
	if (seq)
		data_count(data, "writer", seq);
	else
		data_null(data, "writer");
	data_text(data, "coming", seq ? text : NULL);
}

/* Prints a C value as gdb does, "$3 = 5"; an expression with words of the machine is printed with
 * its text. */
static void print_c(struct console *c, struct expr *e, const char *args, char letter,
                    const struct c_limits *limits, size_t number)
{
	enum { TEXT_MAX = 1 << 16 };
	char *text = alloc_bytes(TEXT_MAX);
	if (!text)
		return;
	struct expr_value v;
	const bool valued = expr_computed(c->exprs, &v, &(struct err){{0}});
	if (valued && !letter && expr_is_of_words(e))
		value_text(c, &v, 0, text, TEXT_MAX);
	else
		expr_computed_text(c->exprs, letter, limits, text, TEXT_MAX);
	const int display = expr_is_of_words(e) ? 0 : c->state->display_id;
	if (display > 0 && letter)
		console_print(c, "%d: /%c %s = %s\n", display, letter, args, text);
	else if (display > 0)
		console_print(c, "%d: %s = %s\n", display, args, text);
	else if (number && !expr_is_of_words(e))
		console_print(c, "$%zu = %s\n", number, text);
	else
		console_print(c, "%s = %s\n", args, text);
	json_t *data = cmd_print_append_data(c, args, text, true);
	if (c->answer && valued) {
		c->answer->valued = true;
		c->answer->value = v;
	}
	if (expr_has_variables(e))
		print_coming(c, data, e, letter, text, TEXT_MAX);
	free(text);
}

/* Formats "$pc" and other registers that gdb has, too, with gdb's types. */
static bool as_register(struct console *c, const char *args, const struct expr_value *v, char *text,
                        size_t n)
{
	const int reg = *args == '$' ? reg_from_name(args + 1) : -1;
	const bool code = !strcmp(args, "$pc") || reg == REG_RA;
	const uint64_t addr = (uint64_t)v->i;
	const struct symbol *sym = program_symbol_at(c->session->program, addr);
	if (v->type != EXPR_INT || (!code && (reg < 0 || reg >= REG_F0)))
		return false;
	char number[32] = "";
	if (!exprs_limits(c->exprs)->no_addresses)
		snprintf(number, sizeof number, "0x%" PRIx64 " ", addr);
	if (code && sym && v->i)
		snprintf(text, n,
		         addr == sym->addr ? "(void (*)()) %s<%s>"
		                           : "(void (*)()) %s<%s+%" PRIu64 ">",
		         number, sym->name, addr - sym->addr);
	else if (code || reg == REG_SP || reg == REG_GP || reg == REG_TP || reg == REG_FP)
		snprintf(text, n, "(void %s) 0x%" PRIx64, code ? "(*)()" : "*", addr);
	else
		snprintf(text, n, "%" PRId64, v->i);
	return true;
}

/* Prints the value of a single word, or of Lua. */
static void print_word(struct console *c, const char *args, char letter, const struct expr_value *v,
                       size_t number)
{
	char text[1024];
	const bool is_register = as_register(c, args, v, text, sizeof text);
	if (c->answer) {
		c->answer->valued = true;
		c->answer->value = *v;
	}
	/* A count is no address, even if its value is mapped. */
	if (is_register && !letter)
		;
	else if (!letter && v->type == EXPR_INT && value_is_count(args))
		group_digits((uint64_t)v->i, text);
	else
		value_text(c, v, letter, text, sizeof text);
	if (is_register && c->state->display_id > 0)
		console_print(c, "%d: %s = %s\n", c->state->display_id, args, text);
	else if (is_register && number)
		console_print(c, "$%zu = %s\n", number, text);
	else
		console_print(c, "%s = %s\n", args, text);
	cmd_print_append_data(c, args, text, false);
}

static bool change_now(void *ctx, const struct change *change, struct err *err)
{
	struct console *c = ctx;
	struct change made = *change;
	return change_of_thread(machine_parked(c->session->machine), &made, err) &&
	       here_change(c, &made, err);
}

/* True if the computed value is void. */
static bool is_void(const struct console *c, bool is_c)
{
	char type[16];
	return is_c && !strcmp(expr_computed_type(c->exprs, EXPR_TYPE_NAME, type, sizeof type),
	                       "void");
}

bool print_expression(struct console *c, const char *text, char letter, enum print_what what,
                      const struct c_limits *limits)
{
	struct run_history before, after;
	struct expr_value v;
	exprs_let_assign(c->exprs, change_now, inferior_call, c);
	struct expr *e = expr_compile_assigning(c->exprs, text, &c->err);
	if (!e)
		return false;
	if (c->state->display_id && expr_assigns(e)) {
		expr_free(e);
		return console_fail(c,
		                    "%.150s: a display assigns nothing and calls no function; "
		                    "`commands` may do so at each stop",
		                    text) == CMD_OK;
	}
	run_history(c->session->run, &before);
	const bool past = before.newest_cycle > machine_cycle(c->session->machine);
	/* A word is evaluated by Lua: its value may be a table. */
	const bool is_c = expr_is_c(e);
	/* Check names also in parts that are not evaluated. */
	bool ok = is_c ? expr_knows_names(e, &c->err) && expr_compute(e, &c->err)
	               : expr_eval(e, NULL, &v, &c->err) && expr_take(c->exprs, &v);
	if (!ok && !is_c) {
		const struct err why = c->err;
		console_fail(c, "%.200s: %.300s", text, why.msg);
	}
	run_history(c->session->run, &after);
	if (past && before.newest_cycle > after.newest_cycle && !c->screen)
		console_print(c, "Later cycles of the recording are dropped\n");
	if (ok && (what == PRINT_ALWAYS || (what == PRINT_VALUES && !is_void(c, is_c)))) {
		/* $ is the present value, also if a later one is in flight. */
		const size_t number = c->state->display_id ? 0 : expr_keep(c->exprs);
		if (is_c)
			print_c(c, e, text, letter, limits, number);
		else
			print_word(c, text, letter, &v, number);
	}
	expr_free(e);
	return ok;
}

/* Parses "-elements 4 -pretty --" at the beginning of *args. */
static bool take_options(struct console *c, const char **args, struct c_limits *limits)
{
	char word[64];
	while (**args == '-' && (isalpha((unsigned char)(*args)[1]) || (*args)[1] == '-')) {
		const char *rest = parse_word(*args, word, sizeof word);
		if (!strcmp(word, "--")) {
			*args = rest;
			return true;
		}
		if (!print_setting_named(word + 1))
			return true; /* -x is an expression */
		if (!print_setting(c, word + 1, &rest, limits))
			return false;
		*args = rest;
	}
	return true;
}

static enum command_result cmd_print_run(struct console *c, const char *args, enum print_what what)
{
	struct value_format f;
	struct c_limits limits = *exprs_limits(c->exprs);
	if (!take_options(c, &args, &limits) || !parse_format(c, &args, &f))
		return CMD_ERROR;
	limits.raw |= f.raw;
	if (f.letter == 'i')
		return console_fail(c, "instructions are shown by x/i ADDRESS");
	/* Without an expression, show the last value. */
	return print_expression(c, *args ? args : "$", f.letter, what, &limits) ? CMD_OK
	                                                                        : CMD_ERROR;
}

static enum command_result cmd_print_exec(struct console *c, const char *args)
{
	return cmd_print_run(c, args, PRINT_ALWAYS);
}

/* As print, but prints nothing for void. */
static enum command_result cmd_call_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(c,
		                    "no expression given; expected call EXPRESSION, as of print");
	return cmd_print_run(c, args, PRINT_VALUES);
}

/* Prints a value without "$1 = " and without a line end. */
static enum command_result cmd_output_exec(struct console *c, const char *args)
{
	extern const struct command cmd_view;
	enum { TEXT_MAX = 1 << 16 };
	struct value_format f;
	struct expr_value v;
	struct c_limits limits = *exprs_limits(c->exprs);
	if (!parse_format(c, &args, &f))
		return CMD_ERROR;
	limits.raw |= f.raw;
	if (!*args)
		return cmd_view.exec(c, "output");
	char *text = alloc_bytes(TEXT_MAX);
	struct expr *e = text ? expr_compile(c->exprs, args, &c->err) : NULL;
	const bool ok = e && expr_knows_names(e, &c->err) && expr_compute(e, &c->err);
	if (ok && !f.letter && expr_is_of_words(e) && expr_computed(c->exprs, &v, &c->err))
		value_text(c, &v, 0, text, TEXT_MAX);
	else if (ok)
		expr_computed_text(c->exprs, f.letter, &limits, text, TEXT_MAX);
	if (ok)
		console_print(c, "%s", text);
	expr_free(e);
	free(text);
	return ok ? CMD_OK : CMD_ERROR;
}

const struct command cmd_output = {
	.name = "output",
	.aliases = "",
	.group = "data",
	.usage = "output [/FORMAT] EXPRESSION",
	.summary = "print a value alone, for commands of stop points: no $1, no end of the line",
	.help = "    output i            output/x flags\n"
		"Alone, it is the view of that name: the program's output.",
	.complete = COMPLETE_EXPR,
	.exec = cmd_output_exec,
};

const struct command cmd_call = {
	.name = "call",
	.aliases = "",
	.group = "data",
	.usage = "call EXPRESSION",
	.summary = "call functions of the program; print, but nothing for void",
	.help = "    call f(3)          print f(g(2), \"text\")          set x = node->size(node)\n"
		"The function runs on this machine, from here, with the recording after this\n"
		"cycle dropped; then registers and place are as before, and its writes to\n"
		"memory stay. A thread that waits in a system call is before that call then,\n"
		"and repeats it. Going back leads through the call. A stop point in it ends the\n"
		"command there: `continue` or `finish` returns. A call that gets a signal, ends\n"
		"the program or is interrupted is undone. A function without debug information\n"
		"needs its type: call (int)puts(\"x\").",
	.complete = COMPLETE_EXPR,
	.exec = cmd_call_exec,
};

const struct command cmd_print = {
	.name = "print",
	.aliases = "p pr pri prin inspect",
	.group = "data",
	.usage = "print [-OPTION...] [/FORMAT] [EXPRESSION]",
	.summary = "compute and show: variables, registers, memory, statistics, hardware",
	.help = "Formats: /x hex, /z with all digits, /d signed, /u unsigned, /o octal,\n"
		"/t binary, /a address, /c character, /f floating point, /s the text that\n"
		"begins there, /r containers of C++ by their members.\n"
		"    print total         print *node             print/x table[3]\n"
		"    print a0            print/x mem64(sp)       print str(a1)\n"
		"    print sim.ipc       print rob[1].state      print sym 'end' - sp\n"
		"    print *table@4      print main::i           print -elements 4 -- *node\n"
		"The answer is $1 = 5; with words of the machine, sim.ipc = 1.5.\n"
		"$ is the value shown last, $$ the one before, $$3 three before, $1 the first\n"
		"(`show values`); $i is a variable of your own. x = 5, x += 1 and x++ change\n"
		"the program, as `set` does. Alone, print shows $ again.\n"
		"If an instruction in flight writes the variable, a second line names it,\n"
		"and shows the new value once it is complete.\n"
		"`help expressions` explains them.",
	.complete = COMPLETE_EXPR,
	.repeats = true,
	.exec = cmd_print_exec,
};
