#include "ui/cmd/info_variables.h"

#include <stdio.h>
#include <string.h>

#include "scripting/expr/expr.h"
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/value_text.h"

struct listing {
	struct console *c;
	const char *pattern;
	unsigned count;
};

static bool info_variables_print_variable(void *ctx, const struct expr_variable *v)
{
	struct listing *l = ctx;
	if (v->outer || !parse_matches(l->pattern, v->name))
		return !v->outer;
	console_print(l->c, "%s = %s%s\n", v->name, v->text,
	              v->hidden ? "  (hidden by an inner one)" : "");
	value_print_coming(l->c, v->writer, v->coming);
	l->count++;
	return true;
}

static enum command_result info_variables_list_scope(struct console *c, const char *args,
                                                     bool parameters)
{
	struct listing l = {.c = c, .pattern = args};
	char where[256];
	if (!expr_each_variable(c->exprs, parameters, info_variables_print_variable, &l))
		return console_fail(c, "no debug information about variables at %s: %s",
		                    location_at(c, location_line_pc(c), where, sizeof where),
		                    program_no_lines(c->session->program));
	if (!l.count)
		console_print(c, "No %s%s%s%s\n", parameters ? "arguments" : "locals",
		              *args ? " with '" : "", args, *args ? "' in their name" : "");
	const char *left_out = program_left_out(c->session->program);
	if (left_out)
		console_print(c, "(there may be more: %s)\n", left_out);
	return CMD_OK;
}

enum command_result info_locals(struct console *c, const char *args)
{
	return info_variables_list_scope(c, args, false);
}

enum command_result info_args(struct console *c, const char *args)
{
	return info_variables_list_scope(c, args, true);
}

static bool put_declared(void *ctx, const char *name, bool parameter, const char *type,
                         uint64_t size)
{
	struct listing *l = ctx;
	console_print(l->c, "%s is %s of type %s, %llu byte%s\n", name,
	              parameter ? "a parameter" : "a variable", type, (unsigned long long)size,
	              size == 1 ? "" : "s");
	l->count++;
	return true;
}

enum command_result info_scope(struct console *c, const char *args)
{
	struct listing l = {.c = c};
	struct location at;
	if (!location_parse(c, args, &at))
		return CMD_ERROR;
	if (!expr_each_declared(c->exprs, location_stop(c, &at), put_declared, &l))
		return console_fail(c, "no debug information about variables at %s: %s", at.text,
		                    program_no_lines(c->session->program));
	if (!l.count)
		console_print(c, "No variables are declared around %s\n", at.text);
	return CMD_OK;
}
