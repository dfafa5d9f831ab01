/* `print`: computes an expression and shows its value. */
#include <stdlib.h>
#include <string.h>

#include "hwviews/session/view_text.h"
#include "scripting/script.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/value_text.h"

static char *scalar_text(const void *ctx, uint64_t bits, unsigned size, char letter, char *buf,
                         size_t n)
{
	return value_bits_text(ctx, bits, size, letter, buf, n);
}

/* As C or a format writes it, and its type; `value` has the number that it is, if it is one. */
static json_t *put_data(struct console *c, const char *expression, const char *text)
{
	enum { TEXT_MAX = 1 << 12 };
	json_t *data = answer_data(c);
	char *type = data ? calloc(1, TEXT_MAX) : NULL;
	data_text(data, "expression", expression);
	data_text(data, "text", text);
	data_text(data, "type",
	          type && expr_c_type(c->exprs, expression, false, type, TEXT_MAX, &(struct err){0})
	                  ? type
	                  : NULL);
	free(type);
	return data;
}

/* What an instruction in flight will make of it. */
static void print_coming(struct console *c, json_t *data, struct expr *e, char letter, char *text,
                         size_t n)
{
	const uint64_t seq = expr_c_coming(e, letter, scalar_text, c, text, n);
	value_print_coming(c, seq, text);
	if (seq)
		data_count(data, "writer", seq);
	else
		data_null(data, "writer");
	data_text(data, "coming", seq ? text : NULL);
}

static enum command_result print_c(struct console *c, struct expr *e, const char *args, char letter)
{
	enum { TEXT_MAX = 1 << 14 };
	char *text = malloc(TEXT_MAX);
	if (!text)
		return console_fail(c, "out of memory");
	const bool ok = expr_c_text(e, letter, scalar_text, c, text, TEXT_MAX, &c->err);
	if (ok) {
		console_print(c, "%s = %s\n", args, text);
		print_coming(c, put_data(c, args, text), e, letter, text, TEXT_MAX);
	}
	free(text);
	if (ok && c->answer)
		c->answer->valued = expr_eval(e, NULL, &c->answer->value, NULL);
	return ok ? CMD_OK : CMD_ERROR;
}

static enum command_result print(struct console *c, const char *args)
{
	struct value_format f;
	struct expr_value v;
	char text[1024];
	if (!parse_format(c, &args, &f))
		return CMD_ERROR;
	if (f.letter == 'i')
		return console_fail(c, "instructions are shown by x/i ADDRESS");
	if (!*args)
		return console_fail(c, "print what? `help expressions`");
	struct expr *e = expr_compile(c->exprs, args, &c->err);
	if (!e)
		return CMD_ERROR;
	const bool is_c = expr_is_c(e);
	const enum command_result r = is_c ? print_c(c, e, args, f.letter) : CMD_OK;
	expr_free(e);
	if (is_c)
		return r;
	if (!expr_once(c->exprs, args, &v, &c->err))
		return CMD_ERROR;
	if (c->answer) {
		c->answer->valued = true;
		c->answer->value = v;
	}
	/* A count is no address, whatever lies there. */
	if (!f.letter && v.type == EXPR_INT && value_is_count(args))
		group_digits((uint64_t)v.i, text);
	else
		value_text(c, &v, f.letter, text, sizeof text);
	console_print(c, "%s = %s\n", args, text);
	put_data(c, args, text);
	return CMD_OK;
}

const struct command cmd_print = {
	.name = "print",
	.aliases = "p inspect",
	.group = "data",
	.usage = "print[/FORMAT] EXPRESSION",
	.summary = "compute and show: variables, registers, memory, statistics, hardware",
	.help = "Formats: /x hex, /d signed, /u unsigned, /o octal, /t binary, /a address,\n"
	        "/c character, /f floating point, /s the text that begins there.\n"
	        "    print total         print *node             print/x table[3]\n"
	        "    print a0            print/x mem64(sp)       print str(a1)\n"
	        "    print sim.ipc       print rob[1].state      print sym 'end' - sp\n"
	        "If an instruction in flight writes the variable, a second line says which,\n"
	        "and what that makes of it, once it is complete.\n"
	        "`help expressions` lists what there is.",
	.complete = COMPLETE_EXPR,
	.repeats = true,
	.exec = print,
};
