/* `report`: shows a report on the run so far. */
#include "hwviews/reports/report.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/command.h"
#include "ui/render/report_out.h"

static enum command_result cmd_report_list_all(struct console *c)
{
	struct err err;
	for (unsigned i = 0; i < report_count; i++)
		console_print(c, "  %-20s %-22s %s%s\n", reports[i]->name, reports[i]->args,
		              reports[i]->title,
		              !c->session || device_there(c->session, reports[i]->device, &err)
		                      ? ""
		                      : " (not in this machine)");
	return CMD_OK;
}

static enum command_result cmd_report_exec(struct console *c, const char *args)
{
	struct report_style style = {
		.as = REPORT_TEXT, .width = c->width, .ascii = c->ascii, .rows = REPORT_ROWS};
	char *words = alloc_text(args), *text = NULL;
	size_t n = 0;
	if (!words)
		return console_fail(c, "out of memory");
	report_cut_format(words, &style);
	if (!words[strspn(words, " \t")]) {
		free(words);
		return cmd_report_list_all(c);
	}
	FILE *f = alloc_stream(&text, &n);
	bool ok = f ? report_write(f, c->session, words, &style, &c->err)
	            : err_set(&c->err, "out of memory");
	if (f)
		fclose(f);
	if (ok)
		console_write(c, text, n);
	free(text);
	free(words);
	return ok ? CMD_OK : CMD_ERROR;
}

const struct command cmd_report = {
	.name = "report",
	.aliases = "",
	.group = "views",
	.usage = "report [NAME [ARGUMENTS]] [--json | --csv]",
	.summary = "report on the run so far; alone, list the reports",
	.help = "Results of devices, the most important first. `help oracle` and\n"
		"`help oracle blocks` explain them; JSON and CSV have all rows unless you give\n"
		"a number. `cyclops run --report NAME` prints one at the end.\n"
		"    report oracle 10   report oracle blocks --csv   report oracle values find",
	.complete = COMPLETE_REPORT,
	.exec = cmd_report_exec,
};
