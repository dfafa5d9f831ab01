
#include "core/defs/config_fields.h"

#include "ui/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/pipe/plugin.h"
#include "loader/asm/asm.h"
#include "loader/folder_text.h"
#include "loader/instrument/metrics.h"
#include "scripting/config/config_lua.h"
#include "scripting/plugin/plugin.h"
#include "scripting/values/value_modules.h"
#include "ui/cli/option_text.h"
#include "ui/cli/option_values.h"
#include "ui/console/command.h"
#include "ui/render/export_out.h"
#include "ui/render/report_out.h"
#include "ui/tour/course.h"

/* Two passes over the options, so that -o wins over --config regardless of their order. */
enum pass { PASS_CONFIG, PASS_REST };

static const struct option_row rows[OPT_COUNT] = {
#define OPTION(id, letter, name, arg, commands, help)                                              \
	[OPT_##id] = {letter, name, arg, commands, help},
#include "ui/cli/options.def"
#undef OPTION
};

static const struct {
	enum option_id id;
	unsigned commands;
	const char *help;
} other_helps[] = {
#define OPTION(...)
#define HELP_FOR(id, commands, help) {OPT_##id, commands, help},
#include "ui/cli/options.def"
#undef OPTION
};

const char *options_help(const struct option_row *r, enum option_for which)
{
	for (size_t i = 0; i < sizeof other_helps / sizeof *other_helps; i++)
		if (r == &rows[other_helps[i].id] && (other_helps[i].commands & which))
			return other_helps[i].help;
	return r->help;
}

const struct option_row *options_next(enum option_for which, int *i)
{
	while (*i < OPT_COUNT)
		if (rows[(*i)++].commands & which)
			return &rows[*i - 1];
	return NULL;
}

void options_print_help(FILE *f, enum option_for which)
{
	const struct option_row *r;
	for (int i = 0; (r = options_next(which, &i));) {
		char left[160];
		snprintf(left, sizeof left, "%c%c%s --%s %s", r->letter ? '-' : ' ',
		         r->letter ? r->letter : ' ', r->letter ? "," : " ", r->name,
		         r->arg ? r->arg : "");
		option_text_print(f, left, options_help(r, which));
	}
}

static int unknown_option(const char *word, enum option_for which, struct err *err)
{
	struct nearest n;
	nearest_init(&n, word);
	for (int i = 0; i < OPT_COUNT; i++)
		if (rows[i].commands & which)
			nearest_offer(&n, rows[i].name);
	if (n.best)
		err_set(err, "unknown option '--%s'; did you mean '--%s'?", word, n.best);
	else
		err_set(err, "unknown option '--%s'; --help lists them", word);
	return -1;
}

/* Returns the id of the long option in word[0..len), or -1 with *err. */
static int find_long(const char *word, size_t len, enum option_for which, struct err *err)
{
	char name[64];
	if (len >= sizeof name)
		return err_set(err, "unknown option '--%.40s...'; --help lists them", word), -1;
	memcpy(name, word, len);
	name[len] = '\0';
	bool elsewhere = false; /* other commands have the option */
	for (int i = 0; i < OPT_COUNT; i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		if (rows[i].commands & which)
			return i;
		elsewhere = true;
	}
	if (elsewhere)
		return err_set(err, "'--%s' is not an option of this command; --help lists them",
		               name),
		       -1;
	return unknown_option(name, which, err);
}

static int find_letter(char letter, enum option_for which, struct err *err)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (rows[i].letter == letter && (rows[i].commands & which))
			return i;
	return err_set(err, "unknown option '-%c'; --help lists them", letter), -1;
}

/* Applies -o NAME=VALUE: a parameter of the machine, or ui.start. */
static bool set_option(struct options *o, enum option_for which, char *value, struct err *err)
{
	static const char ui_start[] = "ui.start=";
	if (!strncmp(value, ui_start, sizeof ui_start - 1)) {
		o->ui_start = value + sizeof ui_start - 1;
		if (which != FOR_INSPECT)
			return err_set(
				err, "-o %s: this command has no screen; use cyclops -o %s PROGRAM",
				value, value);
		enum console_begins begins;
		return console_begins_named(o->ui_start, &begins) ||
		       err_set(err,
		               "-o %s: expected ui.start=ahead, ui.start=main or "
		               "ui.start=reset",
		               value);
	}
	if (o->set_count == OPTIONS_SETS_MAX)
		return err_set(err, "-o: at most %d of them", OPTIONS_SETS_MAX);
	o->sets[o->set_count++] = value;
	return config_set_assignment(&o->config, value, err);
}

static bool add_folder(struct options *o, const char *value, struct err *err)
{
	struct err why;
	char *room = alloc_text(value);
	if (!room)
		return err_set(err, "--dir: out of memory");
	if (folder_text_add(o->folders, &o->folder_count, value, room, &why)) {
		o->folder_text[o->folder_count - 1] = room;
		if (folder_is_there(&o->folders[o->folder_count - 1], &why))
			return true;
	} else {
		free(room);
	}
	return err_set(err, "--dir %.200s: %s", value, why.msg);
}

static bool options_apply_option(struct options *o, enum option_for which, int id, char *value,
                                 struct err *err)
{
	const char *name = rows[id].name;
	o->given[id] = true;
	switch (id) {
	case OPT_SET:
		return set_option(o, which, value, err);
	case OPT_ENV:
		if (!strchr(value, '=') || *value == '=')
			return err_set(err, "--env %s: expected --env NAME=VALUE", value);
		if (o->env_count == OPTIONS_ENV_MAX)
			return err_set(err, "--env: at most %d of them", OPTIONS_ENV_MAX);
		o->env[o->env_count++] = value;
		return true;
	case OPT_FF:
		return option_count(name, value, &o->ff, err);
	case OPT_MAX_INSTS:
		return option_count(name, value, &o->max_insts, err);
	case OPT_MAX_CYCLES:
		return option_count(name, value, &o->max_cycles, err);
	case OPT_LUA_STEPS:
		return option_count(name, value, &o->lua_steps, err) &&
		       (o->lua_steps || err_set(err, "--lua-steps: at least 1"));
	case OPT_EXECUTE:
	case OPT_COMMANDS:
		if (o->command_count == OPTIONS_COMMANDS_MAX)
			return err_set(err, "--%s: at most %d of -e and -x", name,
			               OPTIONS_COMMANDS_MAX);
		o->commands[o->command_count++] =
			(struct option_command){id == OPT_COMMANDS, value};
		return true;
	case OPT_SOURCE:
		if (o->source_count == OPTIONS_SOURCES_MAX)
			return err_set(err, "--source: at most %d of them", OPTIONS_SOURCES_MAX);
		if (access(value, X_OK) != 0)
			return err_set(err, "--source %s: %s", value, strerror(errno));
		o->source[o->source_count++] = value;
		return true;
	case OPT_PATCH:
		if (o->patches.count == OPTIONS_PATCHES_MAX)
			return err_set(err, "--patch: at most %d of them", OPTIONS_PATCHES_MAX);
		o->patch[o->patches.count++] = value;
		return true;
	case OPT_INSTRUMENT:
		return instrument_add(&o->instrument, value, err);
	case OPT_METRICS:
		return metrics_parse(&o->instrument, value, err);
	case OPT_LABELS:
		return instrument_labels(&o->instrument, value, err);
	case OPT_LATCHES:
		return o->instrument.latches = true;
	case OPT_MERGE_SITES:
		return o->instrument.merge_sites = true;
	case OPT_CCT:
		o->instrument.cct_file = value;
		return *value || err_set(err, "--cct needs a file's name");
	case OPT_CCT_HEAP:
		return instrument_heap(&o->instrument, value, err);
	case OPT_ABI:
		o->abi = os_abi_find(value);
		return o->abi >= 0 ||
		       err_set(err, "--abi %s: expected linux, htif, rars, ripes or venus", value);
	case OPT_CC:
		o->cc = value;
		return true;
	case OPT_SYSROOT:
		o->sysroot = value;
		return option_sysroot_exists(value, err);
	case OPT_DIR:
		return add_folder(o, value, err);
	case OPT_COURSE:
		return course_choose(value, err);
	case OPT_FIRMWARE:
		o->firmware = value;
		return true;
	case OPT_COP:
		o->microprogram = value;
		return true;
	case OPT_PLUGIN:
		if (!o->plugins && !(o->plugins = plugin_set_new()))
			return err_set(err, "--plugin: out of memory");
		if (o->plugin_count == OPTIONS_PLUGINS_MAX)
			return err_set(err, "--plugin: at most %d of them", OPTIONS_PLUGINS_MAX);
		o->plugin[o->plugin_count++] = value;
		return plugin_set_add_word(o->plugins, value, err);
	case OPT_VALUES:
		o->values_modules = value;
		return config_set(&o->config, "values.modules", value, err);
	case OPT_REPORT:
		if (o->report_count == OPTIONS_REPORTS_MAX)
			return err_set(err, "--report: at most %d of them", OPTIONS_REPORTS_MAX);
		o->reports[o->report_count++] = value;
		option_keep_folder(value);
		return report_known(value, NULL, err);
	case OPT_EXPORT:
		if (o->export_count == OPTIONS_REPORTS_MAX)
			return err_set(err, "--export: at most %d of them", OPTIONS_REPORTS_MAX);
		o->exports[o->export_count++] = value;
		option_keep_folder(value);
		return export_known(value, err);
	case OPT_LISTEN:
		o->listen = value;
		return true;
	case OPT_STDIN:
		o->stdin_path = value;
		return true;
	case OPT_BUDGET: o->budgets = value; return true;
	case OPT_PROFILERS: o->profilers = value; return true;
	case OPT_QUESTIONS: o->questions = value; return true;
	case OPT_HANDLERS: o->handlers = value; return true;
	case OPT_PLOTS: o->plots = value; return true;
	case OPT_RAW: o->raw = value; return true;
	case OPT_CSV_ROWS: o->csv = value; return true;
	case OPT_LOOKS:
		return option_count(name, value, &o->looks, err) &&
		       ((o->looks && o->looks <= OPTIONS_LOOKS_MAX) ||
		        err_set(err, "--looks %s: expected 1 to %d", value, OPTIONS_LOOKS_MAX));
	case OPT_STATS:
		o->stats = value;
		output_keep_folder(value);
		return true;
	case OPT_SAVE_EVERY:
		return option_save_every(value, &o->save_every, &o->save_cycles, err);
	case OPT_SAVE_TO:
		o->save_to = value;
		return true;
	case OPT_SAVE_KEEP:
		return option_small_count(name, value, 0, OPTIONS_KEEP_MAX, &o->save_keep, err);
	case OPT_RESTORE:
		o->restore = value;
		return true;
	case OPT_STAT:
		if (o->stats_shown_count == OPTIONS_STATS_MAX)
			return err_set(err, "--stat: at most %d of them", OPTIONS_STATS_MAX);
		o->stats_shown[o->stats_shown_count++] = value;
		return true;
	case OPT_TOP:
		return option_small_count(name, value, 0, 10000, &o->top, err);
	case OPT_SAMPLE:
		return sample_spec_parse(&o->sample, value, err);
	case OPT_SIMPOINT:
		return simpoint_spec_parse(&o->simpoint, value, err);
	case OPT_CHECKPOINTS:
		o->checkpoints = value;
		return true;
	case OPT_JOBS:
		return option_small_count(name, value, 1, 1024, &o->jobs, err);
	case OPT_JSON:
		o->json = value;
		return true;
	case OPT_CSV:
		o->csv = value;
		return true;
	default:
		return true;
	}
}

/* Whether the option writes a text to a file that is an ELF file now: its argument is missing, and
 * the program is next. */
static bool option_would_overwrite_program(int id, const char *value)
{
	char magic[4] = {0};
	struct stat st;
	if (id != OPT_JSON && id != OPT_CSV && id != OPT_CSV_ROWS && id != OPT_STATS)
		return false;
	FILE *f = stat(value, &st) == 0 && S_ISREG(st.st_mode) ? open_data_input(value) : NULL;
	const size_t n = f ? fread(magic, 1, sizeof magic, f) : 0;
	if (f)
		fclose(f);
	return n == sizeof magic && !memcmp(magic, "\177ELF", sizeof magic);
}

/* Takes the option at argv[*i] and moves *i past it and its argument. */
static bool take_option(struct options *o, enum pass pass, enum option_for which, int argc,
                        char **argv, int *i, struct err *err)
{
	static char empty[] = "";
	char *word = argv[(*i)++], *value = NULL;
	int id;
	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");
		id = find_long(word + 2, len, which, err);
		if (word[2 + len] == '=')
			value = word + 3 + len;
	} else {
		id = find_letter(word[1], which, err);
		if (word[2])
			value = word + 2;
	}
	if (id < 0)
		return false;
	if (!rows[id].arg) {
		if (value)
			return err_set(err, "'%s': --%s takes no argument", word, rows[id].name);
		value = word;
	} else if (!value && id == OPT_SAMPLE) {
		value = *i < argc && sample_spec_is(argv[*i]) ? argv[(*i)++] : empty;
	} else if (!value) {
		if (*i >= argc)
			return err_set(err, "--%s needs an argument: %s", rows[id].name,
			               rows[id].arg);
		value = argv[(*i)++];
	}
	if (id == OPT_CONFIG) {
		o->config_name = value;
		o->given[id] = true;
		return pass != PASS_CONFIG || config_load_files(&o->config, value, &o->files, err);
	}
	if (pass == PASS_REST && option_would_overwrite_program(id, value))
		return err_set(err,
		               "--%s %s: that is an executable, which would be overwritten; "
		               "expected --%s %s PROGRAM",
		               rows[id].name, value, rows[id].name, rows[id].arg);
	return pass != PASS_REST || options_apply_option(o, which, id, value, err);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static bool options_add_word(struct options *o, char *word, struct err *err)
{
	if (o->word_count == OPTIONS_WORDS_MAX)
		return err_set(err, "%s: at most %d before --", word, OPTIONS_WORDS_MAX);
	o->words[o->word_count++] = word;
	return true;
}

/* Refuses a --plugin for a place to which an -o gives another part. */
static bool options_check_plugins(const struct options *o, struct err *err)
{
	struct config both = o->config;
	if (!o->plugins)
		return true;
	const struct plugins *given = plugin_set_plugins(o->plugins);
	plugins_ask(given, &both);
	for (unsigned i = 0; i < o->set_count; i++)
		if (!config_set_assignment(&both, o->sets[i], err))
			return false;
	const struct plugins asked = plugins_asked(given, &both);
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		if (given->at[i] && !asked.at[i])
			return plugins_check(given, &both, err);
	return true;
}

/* True if --plugin or a later option has taken the place from a configuration's file. */
static bool options_has_place(const struct options *o, const char *place)
{
	const struct param *p = param_find(place, NULL);
	for (unsigned i = 0; p && o->plugins && i < PLUGIN_COUNT; i++)
		if (plugin_set_plugins(o->plugins)->at[i] && plugin_place_param(i) == p)
			return true;
	return !config_asks_file(&o->config, place);
}

bool options_take_files(struct options *o, struct err *err)
{
	bool taken[CONFIG_FILES_MAX] = {false};
	for (unsigned i = 0; i < o->files.count; i++) {
		const char *word = o->files.word[i], *path;
		char place[64];
		snprintf(place, sizeof place, "%.*s", (int)strcspn(word, "="), word);
		if ((path = config_file_of(word, "firmware")))
			o->firmware = o->firmware ? o->firmware : path;
		else if ((path = config_file_of(word, "cop")))
			o->microprogram = o->microprogram ? o->microprogram : path;
		else
			taken[i] = !options_has_place(o, place);
	}
	for (unsigned i = 0; i < o->files.count; i++) {
		if (taken[i] && !o->plugins && !(o->plugins = plugin_set_new()))
			return err_set(err, "out of memory");
		if (taken[i] && !plugin_set_add_word(o->plugins, o->files.word[i], err))
			return false;
	}
	return true;
}

bool options_parse(struct options *o, enum option_for which, int argc, char **argv, struct err *err)
{
	*o = (struct options){
		.abi = ASM_ABI_GUESS,
		.config_name = "default",
		.max_insts = UINT64_MAX,
		.max_cycles = UINT64_MAX,
		.save_keep = 3,
	};
	config_default(&o->config);
	for (enum pass pass = PASS_CONFIG; pass <= PASS_REST; pass++) {
		int i = 1;
		o->word_count = 0;
		while (i < argc && (which == FOR_COMPARE || is_option(argv[i]))) {
			if (!strcmp(argv[i], "--")) {
				i++;
				break;
			}
			if (is_option(argv[i]) ? !take_option(o, pass, which, argc, argv, &i, err)
			                       : !options_add_word(o, argv[i++], err)) {
				options_deinit(o);
				return false;
			}
		}
		o->argc = argc - i;
		o->argv = argv + i;
	}
	o->given[OPT_BATCH] |= o->given[OPT_JSON_LINES];
	if (!options_check_plugins(o, err) || !options_take_files(o, err)) {
		options_deinit(o);
		return false;
	}
	if (o->plugins)
		plugins_ask(plugin_set_plugins(o->plugins), &o->config);
	if (!o->given[OPT_INSTRUMENT] &&
	    (o->given[OPT_METRICS] || o->given[OPT_LABELS] || o->given[OPT_LATCHES])) {
		options_deinit(o);
		return err_set(err, o->given[OPT_METRICS]
		                            ? "--metrics goes with --instrument path+hw or cct+hw"
		                    : o->given[OPT_LABELS]
		                            ? "--labels goes with --instrument path"
		                            : "--latches goes with --instrument path");
	}
	const bool contexts =
		o->given[OPT_MERGE_SITES] || o->given[OPT_CCT] || o->given[OPT_CCT_HEAP];
	if ((contexts && !o->given[OPT_INSTRUMENT]) || (o->given[OPT_CCT] && !o->given[OPT_RW])) {
		options_deinit(o);
		return !o->given[OPT_INSTRUMENT]
		               ? err_set(err, "--cct, --cct-heap and --merge-sites go with "
		                              "--instrument cct")
		               : err_set(err,
		                         "--cct: the program writes the file itself; use --rw");
	}
	if (!(which & (FOR_LUA | FOR_COMPARE | FOR_BAKEOFF)) && value_modules_wanted(&o->config)) {
		o->config.vsample = 1;
		o->values = value_modules_load(&o->config, err);
	}
	if (o->values || (which & (FOR_LUA | FOR_COMPARE | FOR_BAKEOFF)) ||
	    !value_modules_wanted(&o->config))
		return true;
	options_deinit(o);
	return false;
}

void options_deinit(struct options *o)
{
	config_files_deinit(&o->files);
	while (o->folder_count)
		free(o->folder_text[--o->folder_count]);
	value_modules_free(o->values);
	o->values = NULL;
	plugin_set_free(o->plugins);
	o->plugins = NULL;
	free(o->program_file);
	free(o->program_name);
	o->program_file = o->program_name = NULL;
}

/* Whether a -o turns profile flags on, which they are by default. */
static bool options_ask_flags(const struct options *o)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	bool ok = config_set(&cfg, "xprof.enable", "false", &err);
	for (unsigned i = 0; ok && i < o->set_count; i++)
		ok = config_set_assignment(&cfg, o->sets[i], &err);
	return ok && CONFIG(&cfg, xprof);
}

/* Applies patches, then instrumentation: patches name places of the program in its file. */
static struct program *options_edit_program(struct program *p, void *ctx, struct err *err)
{
	struct options *o = ctx;
	if (program_is_32bit(p) && options_ask_flags(o)) {
		program_free(p);
		err_set(err, "xprof.enable: a 32-bit machine has no profiling hardware; expected "
		             "xprof.enable=false, or a program of 64 bits");
		return NULL;
	}
	if (o->patches.count)
		p = patches_apply(p, &o->patches, err);
	return p && o->given[OPT_INSTRUMENT] ? instrument_edit(p, &o->instrument, err) : p;
}

void options_prefer_terminal(struct options *o)
{
	static const char name[] = "sim.terminal=";
	o->on_terminal = true;
	for (unsigned i = 0; i < o->set_count; i++)
		o->on_terminal &= strncmp(o->sets[i], name, sizeof name - 1) != 0;
}

struct launch options_launch(struct options *o)
{
	o->patches.text = o->patch;
	struct launch l = {
		.path = o->argv[0],
		.file = o->program_file,
		.argc = o->argc,
		.argv = o->argv,
		.env = (char **)(uintptr_t)o->env,
		.edit = o->patches.count || o->given[OPT_INSTRUMENT] || options_ask_flags(o)
		                ? options_edit_program
		                : NULL,
		.edit_ctx = o,
		.plugins = o->plugins ? plugin_set_plugins(o->plugins) : NULL,
		.load_base = (uint64_t)CONFIG(&o->config, load_base),
		.interp_base = (uint64_t)CONFIG(&o->config, interp_base),
		.sysroot = o->sysroot,
		.folders = o->folders,
		.folder_count = o->folder_count,
		.abi = o->abi == ASM_ABI_GUESS ? 0 : o->abi + 1,
		.firmware = o->firmware,
		.microprogram = o->microprogram,
		.sources = o->source,
		.allow_writing = o->given[OPT_RW],
	};
	if (o->values)
		value_modules_launch(o->values, &l);
	return l;
}
