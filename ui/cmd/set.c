/* set: parameters for the next run; registers, pc and memory now; settings of the session's
 * answers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/config.h"
#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "core/machine/change.h"
#include "core/machine/params.h"
#include "hwviews/program/frames.h"
#include "hwviews/program/csrs.h"
#include "hwviews/session/address.h"
#include "scripting/config/config_lua.h"
#include "scripting/expr/expr.h"
#include "scripting/expr/expr_text.h"
#include "ui/cmd/config.h"
#include "ui/cmd/print.h"
#include "ui/cmd/print_settings.h"
#include "ui/console/args.h"
#include "ui/console/command.h"
#include "ui/console/here.h"

enum { WIDTH_MIN = 20, WIDTH_MAX = 1000 };

static enum command_result set_param(struct console *c, const char *name, const char *value)
{
	struct config trial = c->session->cfg;
	if (!config_set(&trial, name, value, &c->err) || !config_check(&trial, &c->err) ||
	    !session_may_restart(c->session, &trial, &c->err))
		return CMD_ERROR;
	if (program_is_32bit(c->session->program) && !strcmp(name, "xprof.enable") &&
	    CONFIG(&trial, xprof))
		return console_fail(c, "xprof.enable: a 32-bit machine has no profiling hardware");
	c->session->cfg = trial;
	console_print(c, "%s = %s from the next `run`\n", name, value);
	return CMD_OK;
}

/* Sets the arguments: words separated by blanks, or quoted. */
static enum command_result set_args(struct console *c, const char *text)
{
	struct session *s = c->session;
	int room = 2 + (int)strlen(text), n = 1;
	char **argv = alloc_zeroed((size_t)room, sizeof *argv);
	if (!argv)
		return console_fail(c, "out of memory");
	argv[0] = s->launch.argv[0];
	while (*(text += strspn(text, " \t"))) {
		char *word = alloc_bytes(strlen(text) + 1), *w = word;
		for (char quote = 0; word && *text && (quote || !isspace((unsigned char)*text));
		     text++) {
			if (quote ? *text == quote : *text == '"' || *text == '\'')
				quote = quote ? '\0' : *text;
			else
				*w++ = *text;
		}
		if (!word)
			break;
		*w = '\0';
		argv[n++] = word;
	}
	for (int i = 1; i < s->launch.argc; i++)
		free(s->launch.argv[i]);
	free(s->launch.argv);
	s->launch.argv = argv;
	s->launch.argc = n;
	return CMD_OK;
}

/* Applies a change at the present place; drops the recorded history after it. */
static enum command_result cmd_set_apply_change(struct console *c, const struct change *what)
{
	struct run_history h;
	struct change made = *what;
	if (!change_of_thread(machine_parked(c->session->machine), &made, &c->err))
		return CMD_ERROR;
	run_history(c->session->run, &h);
	bool past = h.newest_cycle > machine_cycle(c->session->machine);
	if (!here_change(c, &made, &c->err))
		return CMD_ERROR;
	if (past && !c->screen)
		console_print(c, "Later cycles of the recording are dropped\n");
	return CMD_OK;
}

static enum command_result set_reg(struct console *c, unsigned reg, const char *value)
{
	struct expr_value v;
	if (!expr_once(c->exprs, value, &v, &c->err))
		return CMD_ERROR;
	if (v.type == EXPR_FLOAT && reg < REG_F0)
		return console_fail(c, "%s is an integer register: %s is not an integer",
		                    reg_name(reg), value);
	if (v.type == EXPR_INT && reg >= REG_F0) {
		v.type = EXPR_FLOAT;
		v.d = (double)v.i;
	}
	if (v.type != EXPR_INT && v.type != EXPR_FLOAT)
		return console_fail(c, "%s is no number", value);
	return cmd_set_apply_change(
		c, &(struct change){.kind = JOURNAL_REG, .a = reg, .b = expr_bits(&v)});
}

static enum command_result set_pc(struct console *c, const char *value)
{
	uint64_t pc;
	if (!address_parse(c->session, value, NULL, &pc, &c->err))
		return CMD_ERROR;
	return cmd_set_apply_change(c, &(struct change){.kind = JOURNAL_PC, .a = pc});
}

static enum command_result set_csr(struct console *c, unsigned csr, const char *value)
{
	int64_t v;
	if (!expr_integer(c->exprs, value, &v, &c->err))
		return CMD_ERROR;
	if (!csrs_may_set(c->session, csr, (uint64_t)v, &c->err))
		return CMD_ERROR;
	return cmd_set_apply_change(
		c, &(struct change){.kind = JOURNAL_CSR, .a = csr, .b = (uint64_t)v});
}

/* Sets a place by an assignment expression. */
static enum command_result set_place(struct console *c, const char *name, const char *value)
{
	char *text;
	if (!(text = alloc_format("%s = %s", name, value)))
		return console_fail(c, "out of memory");
	const bool ok = print_expression(c, text, 0, PRINT_NOTHING, NULL);
	free(text);
	return ok ? CMD_OK : CMD_ERROR;
}

/* Stores a number at a symbol without a type. */
static enum command_result set_symbol(struct console *c, const char *name, const char *value)
{
	char *text;
	if (!(text = alloc_format("*(&%s)", name)))
		return console_fail(c, "out of memory");
	const enum command_result r = set_place(c, text, value);
	free(text);
	return r;
}

/* var (`set var`): an unknown name counts as a variable, else as a parameter. */
static enum command_result cmd_set_assign_value(struct console *c, const char *name,
                                                const char *value, bool var)
{
	const char *plain = *name == '$' ? name + 1 : name;
	int reg = reg_from_name(plain);
	if (!*value)
		return console_fail(c, "no value given; expected set %s = VALUE", name);
	const bool own = (reg >= 0 || !strcmp(plain, "pc") || csr_find(plain) >= 0) &&
	                 expr_is_variable(c->exprs, name);
	if (own)
		return set_place(c, name, value);
	if ((reg >= 0 || !strcmp(plain, "pc")) && frames_selected(c->session))
		return console_fail(c,
		                    "frame #%zu is selected: registers are set in the innermost "
		                    "one; use `frame 0`",
		                    frames_selected(c->session));
	if (reg >= 0)
		return set_reg(c, (unsigned)reg, value);
	if (!strcmp(plain, "pc"))
		return set_pc(c, value);
	if (csr_find(plain) >= 0)
		return set_csr(c, (unsigned)csr_find(plain), value);
	struct expr *e = NULL;
	char *operand;
	unsigned size;
	struct err why; /* ignored: the name may be of another kind */
	if (param_find(name, NULL))
		return set_param(c, name, value);
	/* mem32(ADDRESS) is memory as *(u32)ADDRESS is. */
	if (*name != '*' && expr_is_memory(name, &operand, &size)) {
		char *text = size ? alloc_format("*(u%u)(%s)", 8 * size, operand)
		                  : alloc_format("*(%s)", operand);
		free(operand);
		if (!text)
			return console_fail(c, "out of memory");
		const enum command_result r = set_place(c, text, value);
		free(text);
		return r;
	}
	e = expr_compile(c->exprs, name, &why);
	const bool is_place = e && (expr_is_c(e) || *name == '$');
	expr_free(e);
	if (is_place)
		return set_place(c, name, value);
	if (program_symbol_by_name(c->session->program, name))
		return set_symbol(c, name, value);
	return var ? set_place(c, name, value) : set_param(c, name, value);
}

/* Cuts a parameter's name off and returns the value after it, which may have any characters; NULL
 * if no parameter's name comes first. */
static char *cut_param(char *text)
{
	char *end = text + strcspn(text, " \t="), sign = *end;
	*end = '\0';
	if (!param_find(text, NULL)) {
		*end = sign;
		return NULL;
	}
	char *value = end + (sign != '\0');
	if (sign == '=')
		return value + strspn(value, " \t");
	value += strspn(value, " \t");
	value += *value == '=';
	return value + strspn(value, " \t");
}

/* Cuts text at its `=` or, without one, after the first word; returns the value. */
static char *cut_value(char *text)
{
	char *of_param = cut_param(text);
	if (of_param)
		return of_param;
	char *at = NULL;
	int depth = 0;
	for (char *p = text; *p && !at; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p == '=' && !depth && p[1] != '=' && (p == text || !strchr("=~<>!", p[-1])))
			at = p;
	}
	if (!at)
		at = text + strcspn(text, " \t");
	char *value = *at ? at + 1 : at;
	*at = '\0';
	parse_trim(text);
	return value + strspn(value, " \t=");
}

/* Sets a setting of answers, not of the machine. *known: the name is such a setting. */
static enum command_result set_setting(struct console *c, const char *name, const char *value,
                                       bool *known)
{
	uint64_t width = 0;
	*known = true;
	if (!strcmp(name, "echo")) {
		if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
			return console_fail(c, "echo is on or off");
		c->echo = !strcmp(value, "on");
		return CMD_OK;
	}
	if (!strcmp(name, "width")) {
		if (!*value || !parse_count(c, value, 0, &width) || (width && width < WIDTH_MIN) ||
		    width > WIDTH_MAX)
			return console_fail(c, "the width is %d to %d cells, or 0 for no limit",
			                    WIDTH_MIN, WIDTH_MAX);
		c->width = (unsigned)width;
		return CMD_OK;
	}
	if (!strcmp(name, "ui.start")) {
		return console_begins_named(value, &c->begins)
		               ? CMD_OK
		               : console_fail(c, "ui.start, where the screen begins, is "
		                                 CONSOLE_BEGINS_WORDS);
	}
	*known = false;
	return CMD_OK;
}

static enum command_result set_stdin(struct console *c, const char *path)
{
	path += strspn(path, " \t=");
	if (!*path)
		return console_fail(c,
		                    "no file given; expected set stdin FILE; /dev/null is empty");
	if (!console_may(c, "set stdin reaches files"))
		return CMD_ERROR;
	return session_set_input(c->session, path, &c->err) ? CMD_OK : CMD_ERROR;
}

/* Sets a whole configuration: a preset or a file. */
static enum command_result set_config(struct console *c, const char *name)
{
	struct session *s = c->session;
	struct config trial = s->cfg;
	char names[256];
	name += strspn(name, " \t=");
	if (!*name)
		return console_fail(
			c,
			"no configuration given; expected %s, or a file's name that ends in .lua",
			config_preset_names(names, sizeof names));
	if (strpbrk(name, "/.") && !console_may(c, "set config FILE reaches files"))
		return CMD_ERROR;
	/* The program sees the same descriptors as before. */
	if (!config_load_named(c, name, &trial) || !config_check(&trial, &c->err) ||
	    !session_may_restart(s, &trial, &c->err))
		return CMD_ERROR;
	char *kept = alloc_text(name);
	if (!kept)
		return console_fail(c, "out of memory");
	free(s->next_config_name);
	s->next_config_name = kept;
	s->cfg = trial;
	console_print(c, "%s from the next `run`\n", name);
	return CMD_OK;
}

/* Returns the text after the setting's name at the beginning of args, NULL if another name is
 * there. */
static const char *cmd_set_skip_setting_name(const char *args, const char *setting)
{
	const size_t n = strlen(setting);
	return !strncmp(args, setting, n) && (!args[n] || strchr(" \t=", args[n])) ? args + n
	                                                                           : NULL;
}

/* True for assignments that only expressions have: x += 2, $i++. */
static bool is_expression(const char *text)
{
	static const char *const signs[] = {"++", "--", "+=", "-=", "*=", "/=",
	                                    "%=", "&=", "|=", "^=", "<<=", ">>="};
	for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
		const char *at = strstr(text, signs[i]);
		if (at && !memchr(text, '=', (size_t)(at - text)) &&
		    !memchr(text, '"', (size_t)(at - text)))
			return true;
	}
	return false;
}

static enum command_result cmd_set_exec(struct console *c, const char *args)
{
	bool var = !strncmp(args, "var ", 4);
	if (var)
		args += 4 + strspn(args + 4, " \t");
	if (!strncmp(args, "args", 4) && (!args[4] || args[4] == ' '))
		return set_args(c, args + 4);
	if (cmd_set_skip_setting_name(args, "variable"))
		return print_expression(c, cmd_set_skip_setting_name(args, "variable"), 0,
		                        PRINT_NOTHING, NULL)
		               ? CMD_OK
		               : CMD_ERROR;
	if (!var && cmd_set_skip_setting_name(args, "print")) {
		args = cmd_set_skip_setting_name(args, "print");
		return print_settings_set(c, args + strspn(args, " \t"));
	}
	if (!var && cmd_set_skip_setting_name(args, "stdin"))
		return set_stdin(c, cmd_set_skip_setting_name(args, "stdin"));
	if (!var && cmd_set_skip_setting_name(args, "config"))
		return set_config(c, cmd_set_skip_setting_name(args, "config"));
	if (!*args)
		return console_fail(c, "nothing given; expected set NAME = VALUE of a parameter, "
		                       "register, pc, memory or args");
	if (is_expression(args))
		return print_expression(c, args, 0, PRINT_NOTHING, NULL) ? CMD_OK : CMD_ERROR;
	char *name = alloc_text(args);
	if (!name)
		return console_fail(c, "out of memory");
	char *value = cut_value(name);
	bool known = false;
	enum command_result r = var ? CMD_OK : set_setting(c, name, value, &known);
	if (!known)
		r = cmd_set_assign_value(c, name, value, var);
	free(name);
	return r;
}

const struct command cmd_set = {
	.name = "set",
	.aliases = "",
	.group = "data",
	.usage = "set NAME = VALUE",
	.summary = "set a parameter for the next run; registers, memory, answers now",
	.help = "A register or memory is changed between two instructions: the pipeline is\n"
		"emptied, as by an interrupt, and the recording after this cycle is\n"
		"dropped.\n"
		"    set pipe.rob_size = 32         for the next `run`\n"
		"    set a0 = 5                     set fa0 = 2.5\n"
		"    set *(u32)0x3ffff2a0 = 7       set counter = 0\n"
		"    set config classic5            all of them, for the next `run`\n"
		"    set frm = 1                    set mie = 0     (control registers)\n"
		"    set pc = find                  set args one 'two words'\n"
		"    set stdin words.txt            the program's input from the next `run`\n"
		"    set width 100                  cells in a line of text, 0: no limit\n"
		"    set echo on                    show lines of command files as they run\n"
		"    set ui.start reset             in a startup file: the screen begins before\n"
		"                                   the first cycle, not at main\n"
		"    set node->next->value = 5      set $i = 0      set p.x += 2\n"
		"    set print elements 20          set print pretty on       (`show print`)\n"
		"A variable named like a setting: set var width = 3, set variable width = 3",
	.words = "args config stdin echo width ui.start var variable print pc",
	.complete = COMPLETE_PARAM,
	.exec = cmd_set_exec,
};
