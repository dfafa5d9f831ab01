#include <string.h>

#include "hwviews/tell.h"
#include "scripting/script.h"
#include "ui/args.h"
#include "ui/values.h"

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
	if (!expr_once(c->exprs, args, &v, &c->err))
		return CMD_ERROR;
	if (c->answer) {
		c->answer->valued = true;
		c->answer->value = v;
	}
	/* A count is no address, whatever lies there. */
	if (!f.letter && v.type == EXPR_INT && value_is_count(args))
		console_print(c, "%s = %s\n", args, group_digits((uint64_t)v.i, text));
	else
		console_print(c, "%s = %s\n", args, value_text(c, &v, f.letter, text, sizeof text));
	return CMD_OK;
}

const struct command cmd_print = {
	.name = "print",
	.aliases = "p inspect",
	.group = "data",
	.usage = "print[/FORMAT] EXPRESSION",
	.summary = "compute and show: registers, memory, symbols, statistics, hardware",
	.help = "Formats: /x hex, /d signed, /u unsigned, /o octal, /t binary, /a address,\n"
	        "/c character, /f floating point, /s the text that begins there.\n"
	        "    print a0            print/x mem64(sp)       print str(a1)\n"
	        "    print sim.ipc       print rob[1].state      print sym 'end' - sp\n"
	        "`help expressions` lists what there is.",
	.complete = COMPLETE_EXPR,
	.repeats = true,
	.exec = print,
};
