#include "core/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid.h"
#include "ui/args.h"
#include "ui/command.h"
#include "ui/stats_out.h"

static enum command_result put_json(struct console *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return console_fail(c, "out of memory");
	stats_write_json(f, machine_stats(c->session->machine), machine_config(c->session->machine));
	fclose(f);
	console_write(c, text, n);
	free(text);
	return CMD_OK;
}

static void put(struct console *c, const struct stats *s, const struct stat_row *row)
{
	char value[40];
	double v = stat_value(s, row);
	if (row->derived)
		snprintf(value, sizeof value, "%.4f", isfinite(v) ? v : 0.0);
	else
		group_digits(*(const uint64_t *)(const void *)((const char *)s + row->offset), value);
	console_print(c, "%-24s %18s  %s (%s)\n", row->name, value, row->help, row->unit);
}

static enum command_result stats(struct console *c, const char *args)
{
	const struct stats *s = machine_stats(c->session->machine);
	const struct config *cfg = machine_config(c->session->machine);
	const struct stat_row *absent = NULL;
	unsigned shown = 0;
	if (!strcmp(args, "--json"))
		return put_json(c);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!parse_matches(args, row->name))
			continue;
		if (!stat_exists(cfg, row)) {
			absent = row;
			continue;
		}
		put(c, s, row);
		shown++;
	}
	if (shown)
		return CMD_OK;
	if (absent)
		stat_absent(absent, &c->err);
	else
		stat_find(args, &c->err);
	return CMD_ERROR;
}

const struct command cmd_stats = {
	.name = "stats",
	.aliases = "stat",
	.group = "views",
	.usage = "stats [PATTERN | --json]",
	.summary = "show statistics: all, or those with PATTERN in their name",
	.help = "    stats l1d        stats *.miss_rate",
	.complete = COMPLETE_STAT,
	.exec = stats,
};
