#include "ui/cli/cli_options.h"

#include <assert.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "ui/cli/cli.h"
#include "ui/cli/option_text.h"
#include "ui/cli/options.h"
#include "ui/cli/version.h"
#include "ui/render/safe_print.h"

/* Reports an option that getopt_long() refused: `id` is '?' or ':', `word` the word that contains
 * it. */
static bool cli_options_report_unknown(const struct cli_option *options, int n, int id,
                                       const char *word, struct err *err)
{
	struct nearest near;
	char name[64];
	for (int i = 0; i < n; i++)
		if (optopt && options[i].row.val == optopt) {
			if (id == ':')
				return err_set(err, "--%s needs an argument: %s",
				               options[i].row.name, options[i].arg);
			return err_set(err, "'%s': --%s takes no argument", word,
			               options[i].row.name);
		}
	if (optopt)
		return err_set(err, "unknown option '-%c'; --help lists them", optopt);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	nearest_init(&near, name);
	for (int i = 0; i < n; i++)
		if (options[i].help)
			nearest_offer(&near, options[i].row.name);
	if (near.best)
		return err_set(err, "unknown option '--%s'; did you mean '--%s'?", name, near.best);
	return err_set(err, "unknown option '--%s'; --help lists them", name);
}

bool cli_read_options(const struct cli_option *options, int n, int argc, char **argv,
                      cli_take_option *take, void *ctx, struct err *err)
{
	struct option rows[CLI_OPTIONS_MAX + 1] = {0};
	char letters[2 * CLI_OPTIONS_MAX + 2] = ":";
	size_t used = 1;
	int id, at = 1;
	assert(n <= CLI_OPTIONS_MAX);
	for (int i = 0; i < n; i++) {
		rows[i] = options[i].row;
		if (rows[i].val >= 256)
			continue;
		letters[used++] = (char)rows[i].val;
		if (rows[i].has_arg == required_argument)
			letters[used++] = ':';
	}
	opterr = 0;
	optind = 0;
	while ((id = getopt_long(argc, argv, letters, rows, NULL)) != -1) {
		if (id == '?' || id == ':')
			return cli_options_report_unknown(
				options, n, id, argv[optind - 1 < argc ? optind - 1 : at], err);
		if (!take(ctx, id, argc, argv, err))
			return false;
		at = optind;
	}
	return true;
}

bool cli_next_option(const struct cli_command *c, int *i, struct cli_option_text *o)
{
	const struct option_row *row = c->takes ? options_next(c->takes, i) : NULL;
	if (row)
		*o = (struct cli_option_text){row->letter, row->name, row->arg,
		                              options_help(row, c->takes)};
	while (!c->takes && *i < c->option_count) {
		const struct cli_option *own = &c->options[(*i)++];
		if (!own->help)
			continue;
		*o = (struct cli_option_text){own->row.val < 256 ? (char)own->row.val : '\0',
		                              own->row.name, own->arg, own->help};
		return true;
	}
	return row;
}

void cli_print_options(const struct cli_option *options, int n, FILE *f)
{
	for (int i = 0; i < n; i++) {
		char left[160];
		const int letter = options[i].row.val;
		if (!options[i].help)
			continue;
		snprintf(left, sizeof left, "%c%c%s --%s %s", letter < 256 ? '-' : ' ',
		         letter < 256 ? letter : ' ', letter < 256 ? "," : " ", options[i].row.name,
		         options[i].arg ? options[i].arg : "");
		option_text_print(f, left, options[i].help);
	}
}

bool cli_parse_or_print(const struct cli_command *c, int argc, char **argv, struct options *o,
                        int *status)
{
	struct err err;
	*status = 0;
	if (!options_parse(o, c->takes, argc, argv, &err)) {
		*status = say_error("%s", err.msg);
		return false;
	}
	if (!o->given[OPT_HELP] && !o->given[OPT_VERSION])
		return true;
	if (o->given[OPT_HELP]) {
		option_text_head(stdout, c->usage, c->help);
		options_print_help(stdout, c->takes);
	} else {
		puts("cyclops " CYCLOPS_VERSION);
	}
	options_deinit(o);
	return false;
}
