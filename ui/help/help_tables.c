/* Pages of help that are lists: commands, views, events, statistics, parameters, keys. */
#include "ui/help/help_tables.h"

#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/devices.h"
#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "core/isa/inst.h"
#include "core/machine/params.h"
#include "core/prof/common/device.h"
#include "hwviews/session/uop_fields.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "ui/screen/keys.h"
#include "ui/screen/part_keys.h"

const struct help_group help_groups[] = {
	{"running", "Running, forwards and backwards"},
	{"breakpoints", "Stopping"},
	{"data", "The program"},
	{"views", "The machine"},
	{"files", "Files"},
	{"support", "Everything else"},
	{"screen", "The screen"},
};
const unsigned help_group_count = sizeof help_groups / sizeof *help_groups;

void help_put_group(struct console *c, const struct help_group *g)
{
	console_print(c, "%s:\n", g->title);
	for (unsigned i = 0; i < c->command_count; i++)
		if (!strcmp(c->commands[i]->group, g->name))
			console_print(c, "  %-17s %-8s %s\n", c->commands[i]->name,
			              c->commands[i]->aliases, c->commands[i]->summary);
}

void help_put_commands(struct console *c)
{
	for (unsigned g = 0; g < help_group_count; g++) {
		help_put_group(c, &help_groups[g]);
		console_print(c, "\n");
	}
	const struct command *cmd;
	for (unsigned i = c->command_count; (cmd = command_at(c, i)); i++)
		console_print(c, "%s  %-17s %-8s %s\n",
		              i == c->command_count ? "In Lua, of a script:\n" : "", cmd->name, "",
		              cmd->summary);
	if (command_at(c, c->command_count))
		console_print(c, "\n");
	console_print(c, "A unique beginning of a name is enough. Enter repeats; `;` separates "
	                 "commands.\n");
}

void help_list_views(struct console *c)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(c->session, i)); i++)
		console_print(c, "  %-12s %-28s %s%s%s\n", v->name, v->title, v->args,
		              v->device ? "  of device " : "", v->device ? v->device : "");
}

void help_list_reports(struct console *c)
{
	for (unsigned i = 0; i < report_count; i++)
		console_print(c, "  %-20s %-22s %s%s%s\n", reports[i]->name, reports[i]->args,
		              reports[i]->title, reports[i]->device ? ", of device " : "",
		              reports[i]->device ? reports[i]->device : "");
}

void help_list_events(struct console *c)
{
	for (int i = 0; i < EV_COUNT; i++)
		console_print(c, "  %-12s %s\n", event_info[i].name, event_info[i].help);
}

void help_put_field(struct console *c, const char *name, const char *help, enum field_type type)
{
	const char *unit = field_unit[type];
	console_print(c, "  %-12s %s%s%s%s\n", name, help, *unit ? " (" : "", unit,
	              *unit ? ")" : "");
}

void help_list_fields(struct console *c)
{
	console_print(c, "Fields of an instruction in flight, for rob[1].addr, "
	                 "fetchq[1].predicted and the\n"
	                 "conditions of `catch`. A field is nil until the hardware has it.\n");
	for (int at = 0; at < UOP_MOMENT_COUNT; at++) {
		console_print(c, "%s:\n", uop_moment_help[at]);
		for (int i = 0; i < UOP_FIELD_COUNT; i++)
			if ((int)uop_field_info[i].moment == at)
				help_put_field(c, uop_field_info[i].name, uop_field_info[i].help,
				               uop_field_info[i].type);
	}
	console_print(c, "states:\n");
	for (int i = 0; i < UOP_STATE_COUNT; i++)
		console_print(c, "  %-12s %s\n", uop_state_info[i].name, uop_state_info[i].help);
}

/* True if row `i` has the name of row `first`, whose number follows `stem` bytes, with number `k`.
 */
static bool is_numbered(size_t i, size_t first, size_t stem, unsigned k)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s%u", (int)stem, stat_rows[first].name, k);
	return i < stat_row_count && !strcmp(stat_rows[i].name, name);
}

size_t help_put_stats(struct console *c, size_t i)
{
	const struct stat_row *row = &stat_rows[i];
	const char *number = strrchr(row->name, '_');
	const size_t stem = number ? (size_t)(number - row->name) + 1 : 0, help = strlen(row->help);
	unsigned n = 1;
	char name[64], numbers[32] = "";
	while (stem && is_numbered(i, i, stem, 0) && row->help[help - 1] == '0' &&
	       is_numbered(i + n, i, stem, n))
		n++;
	snprintf(name, sizeof name, n > 1 ? "%s-%u" : "%s", row->name, n - 1);
	if (n > 1)
		snprintf(numbers, sizeof numbers, " to %u", n - 1);
	console_print(c, "  %-24s %s%s (%s)\n", name, row->help, numbers, row->unit);
	return n;
}

/* Prints the machine's own rows (DEVICE_COUNT), or those of a device below its name. */
static void put_stats_of(struct console *c, enum device_id d)
{
	for (size_t i = 0; i < stat_row_count;)
		i += stat_device(&stat_rows[i]) == d ? help_put_stats(c, i) : 1;
}

static void put_params_of(struct console *c, enum device_id d)
{
	struct config cfg;
	config_default(&cfg);
	for (size_t i = 0; i < param_count; i++) {
		char value[PARAM_TEXT_MAX];
		if (device_of_name(params[i].name) == d)
			console_print(c, "  %-24s %-10s %s\n", params[i].name,
			              config_format(&cfg, &params[i], value, sizeof value),
			              params[i].help);
	}
}

static void put_by_device(struct console *c, void (*put)(struct console *c, enum device_id d))
{
	put(c, DEVICE_COUNT);
	for (unsigned i = 0; i < DEVICE_COUNT; i++) {
		console_print(c, "device %s (-o %s.enable=true): %s\n", device_rows[i].name,
		              device_rows[i].name, device_rows[i].help);
		put(c, (enum device_id)i);
	}
}

void help_list_stats(struct console *c)
{
	put_by_device(c, put_stats_of);
}

void help_list_params(struct console *c)
{
	put_by_device(c, put_params_of);
}

const char *help_csr_name(const struct csr_info *csr, char *buf, size_t n)
{
	char first[32];
	const char *name = csr_name(csr->first, first, sizeof first);
	if (csr->count == 1)
		return csr->name;
	snprintf(buf, n, "%s-%u", name, HPM_FIRST + csr->count - 1);
	return buf;
}

void help_list_csrs(struct console *c)
{
	console_print(c, "Control and status registers, by number; M: for firmware only. "
	                 "`info registers NAME`\n"
	                 "shows one, `set $NAME = VALUE` writes one.\n");
	for (unsigned i = 0; i < csr_info_count; i++) {
		char name[32];
		console_print(c, "  0x%03x %-14s %c %-5s %s\n", csr_info[i].first,
		              help_csr_name(&csr_info[i], name, sizeof name),
		              csr_info[i].machine ? 'M' : 'U',
		              csr_info[i].read_only ? "read" : "write", csr_info[i].help);
	}
}

void help_list_keys(struct console *c)
{
	const struct key *own;
	const char *group = "";
	for (unsigned i = 0; i < key_count; i++) {
		if (strcmp(group, keys[i].group) != 0)
			console_print(c, "%s:\n", group = keys[i].group);
		console_print(c, "  %-8s %-24s %s\n", keys[i].name, keys[i].command, keys[i].help);
	}
	console_print(c, "%s:\n", timeline_keys_title);
	for (unsigned i = 0; (own = timeline_key_at(i)); i++)
		console_print(c, "  %-8s %-24s %s\n", own->name, own->command, own->help);
	console_print(c, "A key is a command line; `bind KEY COMMAND` gives it another; `help "
	                 "screen` lists the screen's own.\n");
}

const char help_mouse[] =
	"Mouse: click focuses and selects, double click shows why, the wheel scrolls,\n"
	"a click left of code sets a breakpoint. On the timeline a click moves its cursor,\n"
	"dragging selects, a double click goes there.\n";

void help_list_mouse(struct console *c)
{
	console_print(c, "%sPopups and tabs are clicked, too.\n", help_mouse);
}
