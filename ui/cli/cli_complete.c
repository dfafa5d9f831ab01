/* `cyclops complete`: used by the shells' completions (ui/shell), not by people. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "hwviews/exports/export.h"
#include "hwviews/reports/report.h"
#include "loader/instrument/instrument.h"
#include "scripting/binding.h"
#include "scripting/config/config_lua.h"
#include "scripting/values/value_modules.h"
#include "ui/cli/cli.h"
#include "ui/cli/options.h"
#include "ui/help/help.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

/* A word being typed: the first `done` characters belong to every completion, the rest is matched.
 */
struct typed {
	FILE *f;
	const char *word;
	size_t done;
};

static void shell_completion_offer_word(const struct typed *t, const char *name, const char *suffix,
                                        const char *help)
{
	if (strncmp(name, t->word + t->done, strlen(t->word + t->done)) != 0)
		return;
	fprintf(t->f, "%.*s%s%s\t%.*s\n", (int)t->done, t->word, name, suffix,
	        (int)strcspn(help, "\n"), help);
}

/* Returns the word with n more characters done. */
static struct typed shell_completion_skip_chars(const struct typed *t, size_t n)
{
	return (struct typed){t->f, t->word, t->done + n};
}

/* Returns the word after its last comma. */
static struct typed last_of_list(const struct typed *t)
{
	const char *comma = strrchr(t->word + t->done, ',');
	return shell_completion_skip_chars(t, comma ? (size_t)(comma + 1 - t->word) - t->done : 0);
}

static void shell_completion_offer_files(const struct typed *t, const char *what, const char *glob)
{
	fprintf(t->f, "\t%s %.*s%s%s\n", what, (int)t->done, t->word, t->done ? "" : "-", glob);
}

/* ---- names ---- */
static void offer_preset(void *ctx, const char *name)
{
	shell_completion_offer_word(ctx, name, "", "");
}

static void offer_presets(const struct typed *t)
{
	struct typed copy = *t;
	config_each_preset(offer_preset, &copy);
	shell_completion_offer_files(t, "files", " *.lua");
}

/* Offers NAME=, and after it the values of NAME if they are a list. */
static void shell_completion_offer_params(const struct typed *t)
{
	const char *name = t->word + t->done, *equals = strchr(name, '=');
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		char choice[64];
		if (!equals) {
			shell_completion_offer_word(t, p->name, "=", p->help);
			continue;
		}
		if (strlen(p->name) != (size_t)(equals - name) ||
		    strncmp(name, p->name, strlen(p->name)) != 0)
			continue;
		const struct typed value =
			shell_completion_skip_chars(t, (size_t)(equals + 1 - name));
		const char *choices = p->type == PARAM_ENUM   ? p->unit
		                      : p->type == PARAM_BOOL ? "true|false"
		                                              : "";
		for (size_t n; *choices; choices += n + (choices[n] == '|')) {
			n = strcspn(choices, "|");
			snprintf(choice, sizeof choice, "%.*s", (int)n, choices);
			shell_completion_offer_word(&value, choice, "", "");
		}
	}
}

/* Offers presets, or after a comma changes. */
static void offer_machine(const struct typed *t)
{
	const struct typed change = last_of_list(t);
	if (change.done == t->done)
		offer_presets(t);
	else
		shell_completion_offer_params(&change);
}

static void shell_completion_offer_stats(const struct typed *t)
{
	const struct typed name = last_of_list(t);
	for (size_t i = 0; i < stat_row_count; i++)
		shell_completion_offer_word(&name, stat_rows[i].name, "", stat_rows[i].help);
}

static void offer_kinds(const struct typed *t)
{
	const struct typed name = last_of_list(t);
	for (int i = 0; i < INSTRUMENT_KIND_COUNT; i++)
		shell_completion_offer_word(&name, instrument_name[i], "", instrument_help[i]);
}

static void offer_value_modules(const struct typed *t)
{
	const struct typed name = last_of_list(t);
	for (unsigned i = 0; i < value_shipped_count; i++) {
		const char *text = value_shipped[i].text;
		shell_completion_offer_word(&name, value_shipped[i].name, "",
		                            text + strspn(text, "- "));
	}
	shell_completion_offer_files(&name, "files", " *.lua");
}

static void shell_completion_offer_reports(const struct typed *t)
{
	const char *equals = strchr(t->word + t->done, '=');
	if (equals) {
		const struct typed file =
			shell_completion_skip_chars(t, (size_t)(equals + 1 - t->word) - t->done);
		shell_completion_offer_files(&file, "files", " *");
		return;
	}
	for (unsigned i = 0; i < report_count; i++)
		shell_completion_offer_word(t, reports[i]->name, "", reports[i]->title);
}

static void offer_folder(const struct typed *t)
{
	const char *equals = strchr(t->word + t->done, '=');
	if (!equals)
		return;
	const struct typed folder =
		shell_completion_skip_chars(t, (size_t)(equals + 1 - t->word) - t->done);
	shell_completion_offer_files(&folder, "folders", "");
}

static void shell_completion_offer_exports(const struct typed *t)
{
	const char *equals = strchr(t->word + t->done, '=');
	if (equals) {
		const struct typed file =
			shell_completion_skip_chars(t, (size_t)(equals + 1 - t->word) - t->done);
		shell_completion_offer_files(&file, "files", " *");
		return;
	}
	for (unsigned i = 0; i < export_count; i++)
		shell_completion_offer_word(t, exports[i]->name, "=", exports[i]->title);
}

static void offer_topics(const struct typed *t)
{
	struct console c;
	struct err err;
	const char *name;
	if (!console_init(&c, NULL, NULL, NULL, &err))
		return;
	for (unsigned i = 0; (name = help_name(&c, i)); i++)
		shell_completion_offer_word(t, name, "", "");
	console_deinit(&c);
}

static void shell_completion_offer_tour(void *ctx, const struct tour *t)
{
	shell_completion_offer_word(ctx, t->name, "", t->title);
}

static void shell_completion_offer_tours(const struct typed *t)
{
	struct typed to = *t;
	if (course_enter(NULL))
		tour_each(shell_completion_offer_tour, &to);
}

static void offer_demo(void *ctx, const char *name, const char *help)
{
	shell_completion_offer_word(ctx, name, "", help);
}

static void offer_demos(const struct typed *t)
{
	struct typed to = *t;
	if (course_enter(NULL))
		tour_each_demo(offer_demo, &to);
}

static void offer_areas(const struct typed *t)
{
	for (unsigned i = 0; binding_areas[i]; i++)
		shell_completion_offer_word(t, binding_areas[i]->name, "",
		                            binding_areas[i]->summary);
}

static void offer_choices(const struct typed *t, const char *choices)
{
	char choice[64];
	for (size_t n; *choices; choices += n + (choices[n] == ' ')) {
		n = strcspn(choices, " ");
		snprintf(choice, sizeof choice, "%.*s", (int)n, choices);
		shell_completion_offer_word(t, choice, "", "");
	}
}

/* ---- arguments of options, by their names in --help ---- */
static void offer_argument(const struct typed *t, const struct cli_option_text *o)
{
	static const struct {
		const char *option; /* NULL: any */
		const char *arg;
		void (*offer)(const struct typed *t);
		const char *choices;
	} kinds[] = {
		{NULL, "NAME|FILE.lua", offer_presets, NULL},
		{"set", "NAME=VALUE", shell_completion_offer_params, NULL},
		{NULL, "MODULE,...", offer_value_modules, NULL},
		{NULL, "KIND,...", offer_kinds, NULL},
		{NULL, "A[,B]", shell_completion_offer_stats, NULL},
		{NULL, "PATTERN", shell_completion_offer_stats, NULL},
		{NULL, "NAME[=FILE]", shell_completion_offer_reports, NULL},
		{NULL, "FORMAT=FILE", shell_completion_offer_exports, NULL},
		{NULL, "/PLACE=FOLDER", offer_folder, NULL},
		{"labels", "WHERE", NULL, "chords simple"},
		{"units", "WHAT", NULL, "methods loops blocks none"},
		{"emit", "KIND FOLDER", NULL, "parallel slurm"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i].arg, o->arg) != 0 ||
		    (kinds[i].option && strcmp(kinds[i].option, o->name) != 0))
			continue;
		if (kinds[i].offer)
			kinds[i].offer(t);
		else
			offer_choices(t, kinds[i].choices);
		return;
	}
	const char *dot = strrchr(o->arg, '.');
	char glob[32] = " *";
	if (!strcmp(o->arg, "FOLDER"))
		shell_completion_offer_files(t, "folders", "");
	if (!strstr(o->arg, "FILE") && strncmp(o->arg, "IN", 2) != 0 &&
	    strncmp(o->arg, "OUT", 3) != 0)
		return;
	if (dot)
		snprintf(glob, sizeof glob, " *%s", dot);
	shell_completion_offer_files(t, "files", glob);
}

static void offer_options(const struct typed *t, const struct cli_command *c)
{
	struct cli_option_text o;
	const struct typed name = shell_completion_skip_chars(t, 2);
	if (strncmp(t->word, "--", 2) != 0 && t->word[1] != '\0')
		return;
	for (int i = 0; cli_next_option(c, &i, &o);) {
		if (t->word[1] == '-')
			shell_completion_offer_word(&name, o.name, "", o.help);
		else
			fprintf(t->f, "--%s\t%.*s\n", o.name, (int)strcspn(o.help, "\n"), o.help);
	}
}

/* ---- position in the line ---- */
static bool shell_completion_is_command(const struct cli_command *c, const char *name)
{
	return !strcmp(c->name, name);
}

static const struct cli_command *command_named(const char *name)
{
	for (int i = 0; cli_commands[i]; i++)
		if (cli_commands[i]->usage && shell_completion_is_command(cli_commands[i], name))
			return cli_commands[i];
	return NULL;
}

/* Finds the option `word`, up to '='; *value receives the text after it, or NULL. False: no such
 * option. */
static bool find_option(const struct cli_command *c, const char *word, struct cli_option_text *o,
                        const char **value)
{
	const char *equals = strchr(word, '=');
	const size_t n = strncmp(word, "--", 2) != 0 ? 0
	                 : equals                    ? (size_t)(equals - word) - 2
	                                             : strlen(word) - 2;
	*value = n && equals ? equals + 1 : !n && word[1] && word[2] ? word + 2 : NULL;
	for (int i = 0; cli_next_option(c, &i, o);)
		if (n ? strlen(o->name) == n && !strncmp(o->name, word + 2, n)
		      : o->letter && o->letter == word[1])
			return true;
	return false;
}

/* Offers the k-th word of a command that is no option; behind_dashes: after "--". */
static void offer_word(const struct typed *t, const struct cli_command *c, int k,
                       bool behind_dashes, const char *before)
{
	if (shell_completion_is_command(c, "compare") && !behind_dashes)
		offer_machine(t);
	else if (shell_completion_is_command(c, "values"))
		offer_value_modules(t);
	else if (shell_completion_is_command(c, "tour"))
		shell_completion_offer_tours(t);
	else if (shell_completion_is_command(c, "demo"))
		offer_demos(t);
	else if (shell_completion_is_command(c, "help") && k == 0)
		offer_topics(t);
	else if (shell_completion_is_command(c, "help") && k == 1 && !strcmp(before, "lua"))
		offer_areas(t);
	else if (shell_completion_is_command(c, "help"))
		return;
	else
		shell_completion_offer_files(
			t, "files",
			shell_completion_is_command(c, "sweep") ||
					(shell_completion_is_command(c, "lua") && k == 0)
				? " *.lua"
			: shell_completion_is_command(c, "microcode") ? " *.mic"
			: shell_completion_is_command(c, "asm")       ? " *.s"
								      : " *");
}

/* Prints completions of the last word, which may be empty; words is without "cyclops". One per
 * line: the whole word, a tab, its description or nothing. A word that ends in '=' or ',' can be
 * continued. A line that begins with a tab stands for files: "\tfiles PREFIX GLOB" or "\tfolders
 * PREFIX"; PREFIX is the text before the file's name in the word, "-" if empty. */
static void complete_command_line(FILE *f, int count, const char *const *words)
{
	const struct cli_command *c = count > 1 ? command_named(words[0]) : NULL;
	int at = c ? 1 : 0, k = 0;
	bool dashes = false, program = false;
	if (count < 1)
		return;
	struct typed t = {f, words[count - 1], 0};
	if (count == 1)
		for (int i = 0; cli_commands[i]; i++)
			if (cli_commands[i]->usage)
				shell_completion_offer_word(&t, cli_commands[i]->name, "",
				                            cli_commands[i]->help);
	if (!c)
		c = &cli_inspect;
	for (; at < count - 1; at++) {
		struct cli_option_text o;
		const char *value;
		if (!dashes && !program && !strcmp(words[at], "--")) {
			dashes = true;
		} else if (dashes || program || *words[at] != '-' || !words[at][1]) {
			/* Words after a program are its arguments. */
			program = dashes || (c->takes && c->takes != FOR_COMPARE);
			k++;
		} else if (find_option(c, words[at], &o, &value) && o.arg) {
			if (!value && ++at == count - 1) {
				offer_argument(&t, &o);
				return;
			}
			if (!strcmp(o.name, "course"))
				course_choose(value ? value : words[at], NULL);
		}
	}
	if (dashes || program || *t.word != '-') {
		offer_word(&t, c, k, dashes, count > 1 ? words[count - 2] : "");
		return;
	}
	struct cli_option_text o;
	const char *value;
	if (find_option(c, t.word, &o, &value) && o.arg && value) {
		const struct typed argument =
			shell_completion_skip_chars(&t, (size_t)(value - t.word));
		offer_argument(&argument, &o);
	} else {
		offer_options(&t, c);
	}
}

static int cli_complete_main(int argc, char **argv)
{
	complete_command_line(stdout, argc - 1, (const char *const *)argv + 1);
	return 0;
}

const struct cli_command cli_complete = {
	.name = "complete",
	.help = "Words that may stand at the end of a command line of cyclops, for shells.",
	.run = cli_complete_main,
};
