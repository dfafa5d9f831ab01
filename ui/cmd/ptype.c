/* ptype, whatis: types of the program's C. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"

static void cmd_ptype_print_text(struct console *c, const char *type, bool layout)
{
	console_print(c, "%stype = %s\n",
	              layout && strstr(type, "/*") ? "/* offset      |    size */  " : "", type);
	data_text(answer_data(c), "type", type);
}

static enum command_result cmd_ptype_resolve_type(struct console *c, const char *args,
                                                  enum expr_type_text how)
{
	enum { TEXT_MAX = 1 << 14 };
	if (!*args)
		return console_fail(
			c, "no operand given; expected a variable, an expression with one, a "
			   "function, or a type: struct NAME");
	char *text = alloc_bytes(TEXT_MAX);
	if (!text)
		return console_fail(c, "out of memory");
	const bool ok = expr_c_type(c->exprs, args, how, text, TEXT_MAX, &c->err);
	if (ok)
		cmd_ptype_print_text(c, text, how == EXPR_TYPE_LAYOUT);
	free(text);
	return ok ? CMD_OK : CMD_ERROR;
}

static enum command_result cmd_ptype_exec(struct console *c, const char *args)
{
	if (*args != '/')
		return cmd_ptype_resolve_type(c, args, EXPR_TYPE_WHOLE);
	if (args[1] != 'o' || (args[2] && args[2] != ' '))
		return console_fail(c,
		                    "ptype/%.1s: expected ptype/o, which prints where members lie",
		                    args + 1);
	return cmd_ptype_resolve_type(c, args + 2 + strspn(args + 2, " "), EXPR_TYPE_LAYOUT);
}

static enum command_result cmd_whatis_exec(struct console *c, const char *args)
{
	return cmd_ptype_resolve_type(c, args, EXPR_TYPE_NAME);
}

const struct command cmd_ptype = {
	.name = "ptype",
	.aliases = "pt",
	.group = "data",
	.usage = "ptype [/o] EXPRESSION | TYPE",
	.summary = "the type of a variable of C, with all its members",
	.help = "    ptype node          ptype struct point       ptype main\n"
		"    ptype *list         ptype list->next\n"
		"    ptype/o struct node shows each member's place, its bytes, and holes",
	.complete = COMPLETE_EXPR,
	.exec = cmd_ptype_exec,
};

const struct command cmd_whatis = {
	.name = "whatis",
	.aliases = "",
	.group = "data",
	.usage = "whatis EXPRESSION | TYPE",
	.summary = "the type of a variable of C, as it was declared",
	.help = "",
	.complete = COMPLETE_EXPR,
	.exec = cmd_whatis_exec,
};
