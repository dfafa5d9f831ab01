/* `cyclops compare`: one program on several machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/host/process.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "scripting/plugin/plugin.h"
#include "ui/cli/cli.h"
#include "ui/cli/compile.h"
#include "ui/cli/jobs.h"
#include "ui/cli/options.h"
#include "ui/compare/compare.h"
#include "ui/compare/run.h"
#include "ui/compare/show.h"
#include "ui/render/safe_print.h"
#include "ui/render/terminal.h"
#include "ui/screen/screen.h"
#include "ui/tour/tour.h"

enum { TOP = 20 };

/* Checks the program, its patches and firmware once, because an error in them would fail every
 * machine. */
static bool program_ok(struct options *o, struct err *err)
{
	const struct launch l = options_launch(o);
	struct program *p = launch_program(&l, err);
	program_free(p);
	return p != NULL;
}

/* Parses the machines. One with an invalid configuration is reported at once, and has failed. */
static bool take_machines(struct comparison *c, const struct options *o, struct err *err)
{
	unsigned failed = 0;
	for (unsigned i = 0; i < o->word_count; i++) {
		struct compared *m = &c->machine[i];
		struct twin_program program;
		struct err why;
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(o->words[k], o->words[i]))
				return err_set(err,
				               "%s is given twice: the same machine gives the same "
				               "numbers",
				               o->words[i]);
		m->name = o->words[i];
		if (compare_config(o, m->name, &m->cfg, &program, NULL, &why) &&
		    (!*program.file ||
		     err_set(&why,
		             "program=%s goes with --screen; expected instrument=KINDS, or none",
		             program.file)))
			continue;
		m->state = COMPARED_FAILED;
		snprintf(m->why, sizeof m->why, "%.*s", (int)sizeof m->why - 1, why.msg);
		say_error("%c, %s: %s", 'A' + (int)i, m->name, why.msg);
		failed++;
	}
	c->count = o->word_count;
	return failed < c->count || err_set(err, "there is no machine to run on");
}

static bool cli_compare_write_file(const char *path, const char *option, const struct comparison *c,
                                   const struct options *o, bool csv, struct err *err)
{
	struct output_file file;
	struct err why;
	const bool is_stdout = !strcmp(path, "-");
	if (!is_stdout && !output_begin(&file, path, OUTPUT_FILE_ANY, &why))
		return err_set(err, "--%s %s", option, why.msg);
	FILE *f = is_stdout ? stdout : file.f;
	if (!(csv ? compare_csv(f, c, err) : compare_json(f, c, o->argc, o->argv, err))) {
		if (!is_stdout)
			output_drop(&file);
		return false;
	}
	if (!is_stdout)
		return output_end(&file, path, &why) || err_set(err, "--%s %s", option, why.msg);
	return (fflush(f) == 0 && !ferror(f)) ||
	       err_set(err, "--%s %s: %s", option, path, strerror(errno));
}

/* Prints text, unless JSON or CSV goes to standard output. */
static bool cli_compare_print_results(const struct comparison *c, const struct options *o,
                                      struct err *err)
{
	const struct compare_choice choice = {
		.patterns = o->stats_shown,
		.pattern_count = o->stats_shown_count,
		.equal = o->stats_shown_count > 0,
		.all = o->given[OPT_ALL],
		.top = o->given[OPT_TOP]                           ? o->top
	               : o->given[OPT_ALL] || o->stats_shown_count ? 0
	                                                           : TOP,
	};
	const struct compare_style style = {.width = terminal_width(), .ascii = !terminal_utf8()};
	bool taken = (o->json && !strcmp(o->json, "-")) || (o->csv && !strcmp(o->csv, "-"));
	bool ok = true;
	if (!taken)
		ok = compare_text(stdout, c, &choice, &style, err);
	return ok && (!o->json || cli_compare_write_file(o->json, "json", c, o, false, err)) &&
	       (!o->csv || cli_compare_write_file(o->csv, "csv", c, o, true, err));
}

static int cli_compare_run_machines(struct options *o)
{
	struct err err;
	struct compared *machines = alloc_zeroed(COMPARE_MAX, sizeof *machines);
	struct comparison c = {.program = o->argv[0], .machine = machines};
	int signal = -1, status = STATUS_ERROR;
	bool ok = machines || err_set(&err, "out of memory");
	ok = ok && compare_patterns_ok(o->stats_shown, o->stats_shown_count, &err) &&
	     program_ok(o, &err) && take_machines(&c, o, &err);
	if (ok)
		signal = compare_run(&c, o, o->jobs ? o->jobs : process_cores(), &err);
	if (signal < 0) {
		say_error("%s", err.msg);
	} else if (signal > 0) {
		fputs("cyclops: interrupted: nothing to compare\n", stderr);
		status = 128 + signal;
	} else if (!cli_compare_print_results(&c, o, &err)) {
		say_error("%s", err.msg);
	} else {
		status = 0;
		for (unsigned i = 0; i < c.count; i++)
			if (c.machine[i].state == COMPARED_FAILED)
				status = STATUS_ERROR;
	}
	free(machines);
	return status;
}

static bool compare_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Loads the files that the first machine's configuration names into o, those of the second, of
 * cfg, into *second. */
static bool compare_take_files(struct options *o, const struct config *cfg, struct options *second,
                               struct err *err)
{
	second->config = *cfg;
	second->firmware = o->firmware;
	second->microprogram = o->microprogram;
	for (unsigned i = 0; i < o->plugin_count; i++) {
		if (!second->plugins && !(second->plugins = plugin_set_new()))
			return err_set(err, "out of memory");
		if (!plugin_set_add_word(second->plugins, o->plugin[i], err))
			return false;
	}
	if (!options_take_files(o, err) || !options_take_files(second, err))
		return false;
	const bool firmware = !compare_same_text(o->firmware, second->firmware);
	if (!firmware && compare_same_text(o->microprogram, second->microprogram))
		return true;
	return err_set(err, "%s and %s differ in their %s; on the screen both machines have one",
	               o->words[0], o->words[1], firmware ? "firmware" : "microprogram");
}

/* Runs two machines in step, on the screen of a session on the first. */
static int compare_show_on_screen(struct options *o, struct options *second)
{
	struct config twin;
	struct twin_program programs[2];
	struct tour_place place = {0};
	struct err err;
	if (!screen_possible())
		return say_error("--screen needs a terminal that can place text anywhere; leave it "
		                 "out, or use `twin` in a session with --batch");
	if (!compare_config(o, o->words[0], &o->config, &programs[0], &o->files, &err) ||
	    !compare_config(o, o->words[1], &twin, &programs[1], &second->files, &err) ||
	    !compare_take_files(o, &twin, second, &err))
		return say_error("%s", err.msg);
	if (programs[0].instrument.count || *programs[0].file)
		return say_error("%s: the first machine runs the program as it is; expected "
		                 "instrument=KINDS or program=FILE of the second",
		                 o->words[0]);
	o->config_name = o->words[0];
	o->twin = &twin;
	o->twin_name = o->words[1];
	o->twin_program = &programs[1];
	if (second->plugins)
		programs[1].plugins = plugin_set_plugins(second->plugins);
	return cli_tour_next(&place, cli_inspect_options(o, &place));
}

static int compare_on_screen(struct options *o)
{
	struct options second = {.config_name = o->words[1]};
	const int status = compare_show_on_screen(o, &second);
	options_deinit(&second);
	return status;
}

static bool screen_words_ok(const struct options *o, struct err *err)
{
	static const struct {
		int id;
		const char *name;
	} others[] = {{OPT_JSON, "json"}, {OPT_CSV, "csv"},
	              {OPT_STAT, "stat"}, {OPT_TOP, "top"},
	              {OPT_ALL, "all"},   {OPT_JOBS, "jobs"},
	              {OPT_MAX_INSTS, "max-insts"}, {OPT_MAX_CYCLES, "max-cycles"},
	              {OPT_RESTORE, "restore"}};
	if (o->word_count != 2)
		return err_set(err,
		               "--screen shows two machines, not %u; expected cyclops compare "
		               "--screen A B -- PROGRAM [ARGS...]",
		               o->word_count);
	if (!strcmp(o->words[0], o->words[1]))
		return err_set(err, "%s is given twice: both would run in the same way",
		               o->words[0]);
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (o->given[others[i].id])
			return err_set(err, "--%s is for tables: with --screen there are none",
			               others[i].name);
	return true;
}

static bool words_ok(const struct options *o, struct err *err)
{
	if (!o->word_count)
		return err_set(err, "no machines given; expected cyclops %s", cli_compare.usage);
	if (o->word_count > COMPARE_MAX)
		return err_set(err, "%u machines: at most %d are shown beside each other",
		               o->word_count, COMPARE_MAX);
	if (!o->argc)
		return err_set(err, "no program given after --; expected cyclops %s",
		               cli_compare.usage);
	if (o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-"))
		return err_set(err,
		               "--json - and --csv -: only one of them goes to standard output");
	for (unsigned i = 0; i < o->folder_count; i++)
		if (o->folders[i].writing)
			return err_set(err,
			               "--dir /%s=%s:rw: machines that run at once write nothing; "
			               "leave :rw out",
			               o->folders[i].at, o->folders[i].host);
	return true;
}

static int cli_compare_main(int argc, char **argv)
{
	struct options o;
	struct err err;
	int status;
	if (!cli_parse_or_print(&cli_compare, argc, argv, &o, &status))
		return status;
	const bool on_screen = o.given[OPT_SCREEN];
	if (!words_ok(&o, &err) || (on_screen && !screen_words_ok(&o, &err)))
		status = say_error("%s", err.msg);
	else if (on_screen)
		status = compare_on_screen(&o);
	else if (!o.cc && compile_texts(&o) > 1)
		status = say_error("%s and %s: expected one file; `cyclops asm -o PROGRAM %s "
		                   "%s` makes one program of several",
		                   o.argv[0], o.argv[1], o.argv[0], o.argv[1]);
	else
		status = compile_source(&o, &err) ? cli_compare_run_machines(&o)
		                                  : say_error("%s", err.msg);
	options_deinit(&o);
	return status;
}

const struct cli_command cli_compare = {
	.name = "compare",
	.usage = "compare [OPTIONS] CONFIG... -- PROGRAM [ARGS...]",
	.help = "Runs a program on several machines, as many at once as there are cores, and shows "
		"them beside each other:\n"
		"cycles, the statistics that differ most, CPI and slot stacks. A CONFIG is a "
		"preset or a FILE.lua, followed by files and changes\n"
		"after commas: default,my.lua,pipe.rob_size=128. -o holds for all of them, before "
		"their own changes.\n"
		"A text parameter may contain commas: it ends before the next NAME=.\n"
		"\n"
		"Changes are against the first machine that did not fail. The program's output is "
		"not shown: it is compared,\n"
		"and a difference is reported. Standard input is read once and given to each. "
		"Statistics of which a machine has few\n"
		"count little in the order; means stand for their sums, and the stacks for their "
		"rows: --all has everything.\n"
		"A row that is 0.000 on every machine is left out of the CPI stack; of the slot "
		"stack, which has percents of all\n"
		"dispatch slots, rows of less than 1% on every machine are summed as others. "
		"--json has all of both.\n"
		"\n"
		"instrument=KINDS among the changes puts counting code into that machine's "
		"program, to show its cost.\n"
		"\n"
		"--screen steps two of them together, side by side on the screen: which one is "
		"ahead, and where the gap grew (`cyclops help twin`).\n"
		"There the second's program may also be one made by `cyclops instrument`: "
		"default,program=FILE.\n"
		"\n"
		"The status is 0, 125 if a machine failed (the others are shown), 128 + signal if "
		"it was interrupted.",
	.takes = FOR_COMPARE,
	.run = cli_compare_main,
};
