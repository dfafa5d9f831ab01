/* `stats`: shows statistics. */
#include "core/defs/stats.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "scripting/script.h"
#include "ui/console/args.h"
#include "ui/console/command.h"
#include "ui/render/stats_out.h"

static enum command_result cmd_stats_print_json(struct console *c, const struct stats *s)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return console_fail(c, "out of memory");
	stats_write_json(f, s, machine_config(c->session->machine));
	fclose(f);
	console_write(c, text, n);
	free(text);
	return CMD_OK;
}

static void cmd_stats_print_row(struct console *c, const struct stats *s,
                                const struct stat_row *row)
{
	char value[40];
	double v = stat_value(s, row);
	if (row->derived)
		snprintf(value, sizeof value, "%.4f", isfinite(v) ? v : 0.0);
	else
		group_digits_signed(*(const int64_t *)(const void *)((const char *)s + row->offset),
		                    value);
	console_print(c, "%-24s %18s  %s (%s)\n", row->name, value, row->help, row->unit);
}

static enum command_result cmd_stats_print_region(struct console *c, const struct region *region,
                                                  const char *pattern)
{
	struct stats s;
	const struct config *cfg = machine_config(c->session->machine);
	const struct stat_row *absent = NULL;
	unsigned shown = 0;
	if (!region_stats(c->session, region, &s, &c->err))
		return CMD_ERROR;
	if (c->answer) {
		c->answer->counted = true;
		memcpy(c->answer->stats, &s, sizeof s);
	}
	if (!strcmp(pattern, "--json"))
		return cmd_stats_print_json(c, &s);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!parse_matches(pattern, row->name))
			continue;
		if (!stat_exists(cfg, row)) {
			absent = row;
			continue;
		}
		if (!shown++ && *region->text)
			console_print(c, "%c%s\n", toupper((unsigned char)*region->text),
			              region->text + 1);
		cmd_stats_print_row(c, &s, row);
	}
	if (shown)
		return CMD_OK;
	if (absent)
		stat_absent(absent, &c->err);
	else
		stat_find(pattern, &c->err);
	return CMD_ERROR;
}

/* The mark of `stats reset`. */
#define RESET_MARK "reset"
enum { RESET_MARK_WORDS = 2 };
static const char *const since_reset[RESET_MARK_WORDS] = {"since", RESET_MARK};

/* Sets a mark here, from which statistics without a region are counted. */
static enum command_result cmd_stats_reset_counters(struct console *c)
{
	char digits[32];
	if (!region_mark(c->session, RESET_MARK, &c->err))
		return CMD_ERROR;
	console_print(c, "Statistics count from cycle %s on; `stats since 0` shows all\n",
	              group_digits(machine_cycle(c->session->machine), digits));
	return CMD_OK;
}

/* True if counters were reset at or before the present. */
static bool was_reset(const struct session *s)
{
	const struct mark *m;
	for (unsigned i = 0; (m = region_mark_at(s, i)); i++)
		if (!strcmp(m->name, RESET_MARK))
			return m->cycle <= machine_cycle(s->machine);
	return false;
}

/* Parses the region; without one, since a reset. */
static bool cmd_stats_parse_region(struct console *c, int argc, const char *const *argv,
                                   struct region *out)
{
	struct region since;
	if (!region_take_thread(c->session, argc, argv, out, &c->err))
		return false;
	if (out->given || !was_reset(c->session))
		return true;
	if (!region_take_thread(c->session, RESET_MARK_WORDS, since_reset, &since, &c->err))
		return false;
	since.thread = out->thread;
	since.argc = out->argc;
	memcpy(since.argv, out->argv, sizeof since.argv);
	*out = since;
	return true;
}

static enum command_result cmd_stats_exec(struct console *c, const char *args)
{
	const char *argv[REGION_WORDS_MAX];
	struct region region;
	int argc = 0;
	if (!strcmp(args, "reset"))
		return cmd_stats_reset_counters(c);
	char *save, *copy = alloc_text(args);
	if (!copy)
		return console_fail(c, "out of memory");
	for (char *w = strtok_r(copy, " \t", &save); w && argc < REGION_WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		argv[argc++] = w;
	enum command_result r = CMD_ERROR;
	if (cmd_stats_parse_region(c, argc, argv, &region))
		r = region.argc > 1
		            ? console_fail(c, "one pattern at a time: stats %s", region.argv[0])
		            : cmd_stats_print_region(c, &region, region.argc ? region.argv[0] : "");
	free(copy);
	return r;
}

const struct command cmd_stats = {
	.name = "stats",
	.aliases = "stat",
	.group = "views",
	.usage = "stats [PATTERN | --json | reset] " REGION_THREAD_ARGS,
	.summary = "show statistics: all, or those with PATTERN in their name",
	.help = "Of a part of the run: since a `mark` or function, since the last stop, the\n"
		"last cycles (since -5000), or between two. Derived values are computed from\n"
		"the counts of that part.\n"
		"    stats l1d        stats *.miss_rate        stats since main ipc\n"
		"    stats since last        stats 1000 2000 --json\n"
		"Of a thread: counts while it had the processor; `thread switch`\n"
		"during switches (os.switch), `thread ended` of ended threads\n"
		"whose place in the table was reused. The sum is the whole.\n"
		"    stats thread 2 ipc        stats since main thread switch\n"
		"`stats reset` marks the present as `reset`: from then on `stats` without a\n"
		"region is since there, until the program is started again.",
	.words = "reset",
	.complete = COMPLETE_STAT,
	.exec = cmd_stats_exec,
};
