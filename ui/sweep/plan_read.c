/* Reads a plan from the file's table. */
#include <limits.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/host/own_program.h"
#include "core/machine/params.h"
#include "scripting/config/config_lua.h"
#include "scripting/config/table_file.h"
#include "ui/cli/options.h"
#include "ui/console/counts.h"
#include "ui/sweep/plan.h"
#include "ui/sweep/plan_priv.h"

enum run_option_kind { COUNT, FLAG, FILE_NAME, ENV, TEXT, LIST, SAMPLE, POINTS };

static const struct run_option {
	const char *name, *option;
	enum run_option_kind kind;
} run_options[] = {
#define FILE FILE_NAME
#define RUN_OPTION(name, option, kind, help) {name, option, kind},
#include "ui/sweep/run_options.def"
#undef RUN_OPTION
#undef FILE
};
enum { RUN_OPTIONS = sizeof run_options / sizeof *run_options };

/* A table of names with at least one entry, and no positions. */
static bool want_named(const struct plan *p, const struct lua_value *root,
                       const struct lua_value *v, const char *name, const char *like,
                       struct err *err)
{
	if (!v)
		return plan_wrong(p, root, err, "there is no entry '%s'; expected %s = %s", name,
		                  name, like);
	if (v->kind != LUA_VALUE_TABLE || !v->count || v->positions)
		return plan_wrong(p, v, err, "%s names one or more; expected %s = %s", name, name,
		                  like);
	for (size_t i = 0; i < v->count; i++)
		if (!plan_check_label(p, &v->items[i], err))
			return false;
	return true;
}

/* ---- configurations ---- */

/* Sets a parameter from a value of the file that is not a table. */
static bool plan_read_set_param(struct config *cfg, const char *name, const struct lua_value *v,
                                struct err *err)
{
	const struct param *row = param_find(name, err);
	if (row && row->type == PARAM_TEXT && v->kind != LUA_VALUE_TEXT)
		return err_set(err, "%s: expected a string, not %s", name, v->text);
	return config_set(cfg, name, v->text, err);
}

/* Reads parameters by dotted names or in nested tables, as in a configuration file. */
static bool read_settings(struct plan *p, const struct lua_value *table, const char *prefix,
                          struct config *cfg, struct words *to, struct err *err)
{
	for (size_t i = table->positions; i < table->count; i++) {
		const struct lua_value *v = &table->items[i];
		const char *name = plan_text(p, "%s%s", prefix, v->name);
		struct err why;
		if (v->kind == LUA_VALUE_TABLE) {
			if (v->positions)
				return plan_wrong(p, v, err,
				                  "%s has one value here; list several in vary",
				                  name);
			if (!read_settings(p, v, plan_text(p, "%s.", name), cfg, to, err))
				return false;
			continue;
		}
		if (!plan_read_set_param(cfg, name, v, &why))
			return plan_wrong(p, v, err, "%s", why.msg);
		words_add(p, to, plan_text(p, "%s=%s", name, v->text));
	}
	return true;
}

static bool plan_read_add_config_source(struct plan *p, const struct lua_value *v,
                                        struct plan_config *c, struct config *cfg, struct err *err)
{
	struct err why;
	const char *name;
	if (!plan_want_text(p, v, &name, err))
		return false;
	words_add(p, &c->sources, name);
	const bool beside = strchr(name, '.') && access(name, F_OK) != 0;
	return config_load(cfg, name, &why) ||
	       plan_wrong(p, v, err, "%s%s", why.msg,
	                  beside ? "; a sweep names files as from the current folder" : "");
}

static bool plan_read_config_entry(struct plan *p, const struct lua_value *v, struct plan_config *c,
                                   struct err *err)
{
	struct config cfg;
	config_default(&cfg);
	c->name = plan_text(p, "%s", v->name);
	c->line = v->line;
	if (v->kind != LUA_VALUE_TABLE)
		return plan_read_add_config_source(p, v, c, &cfg, err);
	for (size_t i = 0; i < v->positions; i++)
		if (!plan_read_add_config_source(p, &v->items[i], c, &cfg, err))
			return false;
	return read_settings(p, v, "", &cfg, &c->settings, err);
}

static bool read_configs(struct plan *p, const struct lua_value *root, struct err *err)
{
	const struct lua_value *v = lua_value_named(root, "configs");
	if (!want_named(p, root, v, "configs", "{ base = \"default\" }", err))
		return false;
	p->configs = plan_alloc(p, v->count * sizeof *p->configs);
	for (; p->config_count < v->count; p->config_count++)
		if (!plan_read_config_entry(p, &v->items[p->config_count],
		                            &p->configs[p->config_count], err))
			return false;
	return true;
}

/* ---- the grid ---- */

static bool read_axis(struct plan *p, const struct lua_value *v, struct plan_axis *a,
                      struct err *err)
{
	struct err why;
	struct config cfg;
	const struct param *row = param_find(v->name, &why);
	if (!row)
		return plan_wrong(p, v, err, "%s", why.msg);
	if (v->kind != LUA_VALUE_TABLE || !v->count || v->positions != v->count)
		return plan_wrong(p, v, err,
		                  "%s varies over a list; expected [\"%s\"] = { \"8K\", \"16K\" }",
		                  v->name, v->name);
	a->name = row->name;
	config_default(&cfg);
	for (size_t i = 0; i < v->count; i++) {
		if (v->items[i].kind == LUA_VALUE_TABLE ||
		    !plan_read_set_param(&cfg, v->name, &v->items[i], &why))
			return plan_wrong(p, v, err, "%s",
			                  v->items[i].kind == LUA_VALUE_TABLE ? "a list in a list"
			                                                      : why.msg);
		words_add(p, &a->values, v->items[i].text);
	}
	return true;
}

static bool read_axes(struct plan *p, const struct lua_value *root, struct err *err)
{
	const struct lua_value *v = lua_value_named(root, "vary");
	if (!v)
		return true;
	if (v->kind != LUA_VALUE_TABLE || v->positions)
		return plan_wrong(p, v, err,
		                  "vary names parameters; expected vary = { [\"l1d.size\"] = { "
		                  "\"8K\", \"16K\" } }");
	if (v->count > PLAN_AXES_MAX)
		return plan_wrong(p, v, err, "at most %d parameters vary", PLAN_AXES_MAX);
	p->axes = plan_alloc(p, (v->count + 1) * sizeof *p->axes);
	for (; p->axis_count < v->count; p->axis_count++)
		if (!read_axis(p, &v->items[p->axis_count], &p->axes[p->axis_count], err))
			return false;
	return true;
}

/* ---- programs and options ---- */

static bool plan_read_env_entries(struct plan *p, const struct lua_value *v,
                                  struct plan_program *to, struct err *err)
{
	if (v->kind != LUA_VALUE_TABLE || v->positions)
		return plan_wrong(p, v, err, "expected env = { NAME = \"value\" }");
	for (size_t i = 0; i < v->count; i++) {
		words_add(p, &to->options, "--env");
		words_add(p, &to->options,
		          plan_text(p, "%s=%s", v->items[i].name, v->items[i].text));
	}
	return true;
}

static bool read_list(struct plan *p, const struct lua_value *v, const char *option,
                      struct plan_program *to, struct err *err)
{
	const struct lua_value *items = v->kind == LUA_VALUE_TABLE ? v->items : v;
	const size_t n = v->kind == LUA_VALUE_TABLE ? v->count : 1;
	for (size_t i = 0; i < n; i++) {
		if (items[i].kind != LUA_VALUE_TEXT || (items != v && n != v->positions))
			return plan_wrong(p, v, err, "%s is a text, or a list of them", v->name);
		words_add(p, &to->options, plan_text(p, "%s=%s", option, items[i].text));
	}
	return true;
}

static bool read_run_option(struct plan *p, const struct lua_value *v, const struct run_option *o,
                            struct plan_program *to, struct err *err)
{
	uint64_t n;
	struct err why;
	struct sample_spec sample;
	const char *file;
	switch (o->kind) {
	case COUNT:
		if (v->kind == LUA_VALUE_REAL && v->real >= 0 && v->real <= 1e15 &&
		    v->real == (double)(int64_t)v->real)
			words_add(p, &to->options,
			          plan_text(p, "%s=%.0f", o->option,
			                    v->real)); /* Lua's 1e6 is a real */
		else if (!count_parse(v->text, &n, &why))
			return plan_wrong(p, v, err, "%s: %s", v->name, why.msg);
		else
			words_add(p, &to->options, plan_text(p, "%s=%s", o->option, v->text));
		return true;
	case FLAG:
		if (v->kind != LUA_VALUE_BOOL)
			return plan_wrong(p, v, err, "%s is true or false", v->name);
		if (v->flag)
			words_add(p, &to->options, o->option);
		return true;
	case FILE_NAME:
		if (!plan_want_text(p, v, &file, err))
			return false;
		words_add(p, &to->options, plan_text(p, "%s=%s", o->option, file));
		words_add(p, &to->files, file);
		return true;
	case TEXT:
		if (!plan_want_text(p, v, &file, err))
			return false;
		words_add(p, &to->options, plan_text(p, "%s=%s", o->option, file));
		return true;
	case LIST:
		return read_list(p, v, o->option, to, err);
	case SAMPLE:
		if (!plan_want_text(p, v, &file, err))
			return false;
		if (!sample_spec_parse(&sample, file, &why))
			return plan_wrong(p, v, err, "%s", why.msg);
		words_add(p, &to->options, plan_text(p, "%s=%s", o->option, file));
		return true;
	case POINTS:
		if (!plan_want_text(p, v, &file, err))
			return false;
		to->checkpoints = plan_text(p, "%s", file);
		return true;
	default:
		return plan_read_env_entries(p, v, to, err);
	}
}

/* Reads an entry of `options`, or of a program's table that is no argument. */
static bool read_option(struct plan *p, const struct lua_value *v, bool of_program,
                        struct plan_program *to, struct err *err)
{
	const char *names[RUN_OPTIONS + 4];
	size_t n = 0;
	if (!strcmp(v->name, "timeout")) {
		if ((v->kind != LUA_VALUE_INT && v->kind != LUA_VALUE_REAL) || !(v->real > 0))
			return plan_wrong(p, v, err, "timeout is a number of seconds");
		to->timeout = v->real;
		return true;
	}
	if (of_program && !strcmp(v->name, "stdin"))
		return plan_want_text(p, v, &to->stdin_path, err) &&
		       (to->stdin_path = plan_text(p, "%s", to->stdin_path));
	if (of_program && !strcmp(v->name, "status")) {
		if (v->kind != LUA_VALUE_INT || v->number < 0 || v->number > 255)
			return plan_wrong(
				p, v, err,
				"status is the exit status of a successful run, 0 to 255");
		to->status = (int)v->number;
		return true;
	}
	for (size_t i = 0; i < RUN_OPTIONS; i++) {
		if (!strcmp(run_options[i].name, v->name))
			return read_run_option(p, v, &run_options[i], to, err);
		names[n++] = run_options[i].name;
	}
	names[n++] = "timeout";
	if (of_program) {
		names[n++] = "stdin";
		names[n++] = "status";
	}
	names[n] = NULL;
	return plan_known_name(p, v, names, of_program ? "a program" : "options", err);
}

static void copy_words(struct plan *p, struct words *to, const struct words *from)
{
	for (size_t i = 0; i < from->count; i++)
		words_add(p, to, from->text[i]);
}

static bool plan_read_program_entry(struct plan *p, const struct lua_value *v,
                                    const struct plan_program *all, struct plan_program *to,
                                    struct err *err)
{
	to->name = plan_text(p, "%s", v->name);
	to->timeout = all->timeout;
	to->checkpoints = all->checkpoints;
	copy_words(p, &to->options, &all->options);
	copy_words(p, &to->files, &all->files);
	if (v->kind == LUA_VALUE_TEXT) {
		words_add(p, &to->argv, v->text);
	} else if (v->kind == LUA_VALUE_TABLE && v->positions) {
		for (size_t i = 0; i < v->positions; i++) {
			if (v->items[i].kind == LUA_VALUE_TABLE)
				return plan_wrong(p, v, err,
				                  "%s: an argument is a text or a number", v->name);
			words_add(p, &to->argv, v->items[i].text);
		}
		for (size_t i = v->positions; i < v->count; i++)
			if (!read_option(p, &v->items[i], true, to, err))
				return false;
	}
	if (!to->argv.count || !*to->argv.text[0])
		return plan_wrong(p, v, err,
		                  "%s: no program given; expected %s = { \"path/of/program\", "
		                  "\"argument\", stdin = \"file\" }",
		                  v->name, v->name);
	if (access(to->argv.text[0], R_OK) != 0)
		return plan_wrong(
			p, v, err,
			"%s: there is no program '%s' to read, as seen from the current directory",
			v->name, to->argv.text[0]);
	FILE *input = to->stdin_path ? open_data_input(to->stdin_path) : NULL;
	if (to->stdin_path && !input)
		return plan_wrong(
			p, v, err,
			"%s: its standard input '%s' can't be read for each of its jobs: %s",
			v->name, to->stdin_path, open_input_error());
	if (input)
		fclose(input);
	return true;
}

static bool read_programs(struct plan *p, const struct lua_value *root, struct err *err)
{
	const struct lua_value *v = lua_value_named(root, "programs"),
			       *options = lua_value_named(root, "options");
	struct plan_program all = {0};
	if (!want_named(p, root, v, "programs",
	                "{ sort = { \"build/demos/sort\", \"words.txt\" } }", err))
		return false;
	if (options && (options->kind != LUA_VALUE_TABLE || options->positions))
		return plan_wrong(
			p, options, err,
			"options is a table of names; expected options = { max_insts = \"10M\" }");
	for (size_t i = 0; options && i < options->count; i++)
		if (!read_option(p, &options->items[i], false, &all, err))
			return false;
	p->programs = plan_alloc(p, v->count * sizeof *p->programs);
	for (; p->program_count < v->count; p->program_count++)
		if (!plan_read_program_entry(p, &v->items[p->program_count], &all,
		                             &p->programs[p->program_count], err))
			return false;
	return true;
}

/* ---- the rest ---- */

static bool plan_read_stat_list(struct plan *p, const struct lua_value *root, struct err *err)
{
	const struct lua_value *v = lua_value_named(root, "stats");
	struct err why;
	if (v && (v->kind != LUA_VALUE_TABLE || !v->count || v->positions != v->count))
		return plan_wrong(
			p, v, err,
			"stats is a list; expected stats = { \"sim.ipc\", \"l1d.miss_rate\" }");
	p->stats = plan_alloc(p, (v ? v->count : stat_row_count) * sizeof *p->stats);
	for (size_t i = 0; i < (v ? v->count : stat_row_count); i++) {
		const struct stat_row *row = v ? stat_find(v->items[i].text, &why) : &stat_rows[i];
		if (!row)
			return plan_wrong(p, v, err, "stats: %s", why.msg);
		p->stats[p->stat_count++] = row;
	}
	return true;
}

static bool read_root(struct plan *p, const struct lua_value *root, const char *out,
                      struct err *err)
{
	static const char *const names[] = {"configs", "programs", "vary",  "options", "stats",
	                                    "out",     "plot",     "title", NULL};
	const struct lua_value *v;
	if (root->positions)
		return plan_wrong(
			p, root, err,
			"a sweep has names, not positions: { configs = ..., programs = ... }");
	for (size_t i = 0; i < root->count; i++)
		if (!plan_known_name(p, &root->items[i], names, "a sweep", err))
			return false;
	if ((v = lua_value_named(root, "title")) && !plan_want_label(p, v, &p->title, err))
		return false;
	if (!out) {
		v = lua_value_named(root, "out");
		if (!v)
			return plan_wrong(p, root, err,
			                  "no folder for results; expected out = \"results\", or "
			                  "--out results");
		if (!plan_want_text(p, v, &out, err))
			return false;
	}
	p->out = plan_text(p, "%s", out);
	return read_configs(p, root, err) && read_axes(p, root, err) &&
	       read_programs(p, root, err) && plan_read_stat_list(p, root, err) &&
	       plan_read_plots(p, lua_value_named(root, "plot"), err);
}

struct plan *plan_read(const char *path, const char *out, struct err *err)
{
	char exe[PATH_MAX];
	struct table_file *t = table_file_read(path, "a sweep", err);
	if (!t)
		return NULL;
	struct plan *p = alloc_zeroed(1, sizeof *p);
	own_program(exe, sizeof exe);
	bool ok = p && *exe;
	if (ok) {
		p->path = plan_text(p, "%s", path);
		p->exe = plan_text(p, "%s", exe);
		ok = read_root(p, table_file_root(t), out, err) && plan_make_jobs(p, err);
	} else {
		err_set(err, "%s",
		        p ? "this program's own path is unknown (no /proc)" : "out of memory");
	}
	table_file_free(t);
	if (ok)
		return p;
	plan_free(p);
	return NULL;
}
