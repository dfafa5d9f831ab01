/* `cyclops values`: lists the customisation modules of the value sampler. */
#include "core/defs/config_fields.h"

#include <stdio.h>
#include <string.h>

#include "core/machine/params.h"
#include "scripting/values/value_modules.h"
#include "ui/cli/cli.h"
#include "ui/cli/option_text.h"
#include "ui/render/safe_print.h"

/* Prints the comment lines at a module's beginning, without dashes. */
static void cli_values_print_comment(const char *text, bool all)
{
	for (unsigned line = 0; !strncmp(text, "--", 2) && (all || !line); line++) {
		const size_t n = strcspn(text, "\n"), skip = n > 3 ? 3 : n;
		printf("%.*s\n", (int)(n - skip), text + skip);
		text += n + (text[n] == '\n');
	}
}

static int cli_values_list_modules(void)
{
	puts("Customisation modules for --values, beside any FILE.lua (`cyclops help values`); "
	     "`cyclops values NAME` describes one:\n");
	for (unsigned i = 0; i < value_shipped_count; i++) {
		printf("  %-10s ", value_shipped[i].name);
		cli_values_print_comment(value_shipped[i].text, false);
	}
	return 0;
}

/* Prints the comment and the values of a module, which may be a file. */
static int cli_values_describe_module(const char *name)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	cfg.vsample = 1;
	struct value_modules *vm = config_set(&cfg, "values.modules", name, &err)
	                                   ? value_modules_load(&cfg, &err)
	                                   : NULL;
	if (!vm) {
		return say_error("%s", err.msg);
	}
	for (unsigned i = 0; i < value_shipped_count; i++)
		if (!strcmp(value_shipped[i].name, name)) {
			cli_values_print_comment(value_shipped[i].text, true);
			putchar('\n');
		}
	const struct value_source *v = value_daemon_source(value_modules_daemon(vm));
	for (unsigned i = 0; i < v->modules; i++) {
		say(stdout, "%s: %s\n", v->module[i].name, v->module[i].summary);
		for (unsigned k = v->module[i].first_kind;
		     k < v->module[i].first_kind + v->module[i].kinds; k++)
			say(stdout, "  %-20s %s\n", v->kind[k].name, v->kind[k].summary);
	}
	value_modules_free(vm);
	return 0;
}

static int cli_values_main(int argc, char **argv)
{
	if (argc == 1)
		return cli_values_list_modules();
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		option_text_head(stdout, cli_values.usage, cli_values.help);
		return 0;
	}
	if (argc > 2 || argv[1][0] == '-') {
		return say_error("'%s' is one word too many; expected cyclops %s",
		                 argv[argc > 2 ? 2 : 1], cli_values.usage);
	}
	return cli_values_describe_module(argv[1]);
}

const struct cli_command cli_values = {
	.name = "values",
	.usage = "values [MODULE,...]",
	.help = "Lists the customisation modules of the value sampler, or describes one: a name, "
		"or FILE.lua, which is checked\n"
		"that way.",
	.run = cli_values_main,
};
