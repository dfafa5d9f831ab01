/* Pages about the machine: events, fields, statistics, parameters, registers. */
#include <ctype.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/devices.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "core/machine/params.h"
#include "core/prof/common/device.h"
#include "hwviews/session/uop_fields.h"
#include "ui/help/help_pages.h"
#include "ui/reference/markdown.h"
#include "ui/reference/pages.h"

char *family_of(const char *name, char *buf, size_t n)
{
	snprintf(buf, n, "%.*s", (int)strcspn(name, "."), name);
	return buf;
}

/* ---- events and fields ---- */
static void field_row(FILE *f, const char *name, enum field_type type, const char *help)
{
	fputs("| ", f);
	md_code(f, name, true);
	fputs(" | ", f);
	md_prose(f, help, true);
	fputs(" | ", f);
	md_prose(f, field_unit[type], true);
	fputs(" |\n", f);
}

void page_events(FILE *f, struct console *c)
{
	(void)c;
	fputs("Events of a cycle, reported after it: `catch EVENT if CONDITION` stops at one. "
	      "Beside its own fields\nan event has `cycle`, and of its instruction `seq`, `pc`, "
	      "`op` and all fields of an [instruction in\nflight](fields.md) that have a value by "
	      "then.\n\n",
	      f);
	for (int i = 0; i < EV_COUNT; i++) {
		const struct event_info *e = &event_info[i];
		md_heading(f, 2, e->name);
		md_sentence(f, e->help);
		if (e->field_count)
			md_table(f, "field|meaning|values");
		for (unsigned j = 0; j < e->field_count; j++)
			field_row(f, e->fields[j].name, e->fields[j].type, e->fields[j].help);
		if (e->field_count)
			fputc('\n', f);
	}
	md_heading(f, 2, "Kinds of instructions");
	md_paragraph(f, "Each instruction is of one kind; a listener may select events by kind:");
	for (int i = 0; i < INST_KIND_COUNT; i++)
		fprintf(f, "%s`%s`", i ? ", " : "", inst_kind_name[i]);
	fputs("\n\n", f);
}

void page_fields(FILE *f, struct console *c)
{
	(void)c;
	fputs("Fields of an instruction in flight, for `rob[1].addr`, `fetchq[1].predicted` "
	      "and the conditions of "
	      "`catch`.\nA field is nil until the modelled hardware has its value: no view, script "
	      "or condition sees it earlier.\n\n",
	      f);
	for (int at = 0; at < UOP_MOMENT_COUNT; at++) {
		char title[128];
		snprintf(title, sizeof title, "%s", uop_moment_help[at]);
		title[0] = (char)toupper((unsigned char)title[0]);
		md_heading(f, 2, title);
		md_table(f, "field|meaning|values");
		for (int i = 0; i < UOP_FIELD_COUNT; i++)
			if ((int)uop_field_info[i].moment == at)
				field_row(f, uop_field_info[i].name, uop_field_info[i].type,
				          uop_field_info[i].help);
		fputc('\n', f);
	}
	md_heading(f, 2, "States");
	md_table(f, "state|meaning");
	for (int i = 0; i < UOP_STATE_COUNT; i++) {
		fprintf(f, "| `%s` | ", uop_state_info[i].name);
		md_prose(f, uop_state_info[i].help, true);
		fputs(" |\n", f);
	}
	fputc('\n', f);
}

/* ---- statistics and parameters ---- */
static void put_device(FILE *f, enum device_id id, const char *what)
{
	if (id == DEVICE_COUNT)
		return;
	const struct device_row *d = &device_rows[id];
	fprintf(f, "Of the device %s (", d->name);
	md_prose(f, d->help, false);
	fprintf(f, "): a machine has %s with `%s`.\n\n", what, d->option);
}

/* Calls put once for each family (its rows need not be adjacent); name(i) is NULL at the end. */
static void each_family(FILE *f, const char *(*name)(size_t i),
                        void (*put)(FILE *f, const char *family))
{
	char family[64], other[64];
	for (size_t i = 0; name(i); i++) {
		size_t before = 0;
		family_of(name(i), family, sizeof family);
		while (before < i &&
		       strcmp(family_of(name(before), other, sizeof other), family) != 0)
			before++;
		if (before == i)
			put(f, family);
	}
}

static const char *stat_name(size_t i)
{
	return i < stat_row_count ? stat_rows[i].name : NULL;
}

static void put_stat_family(FILE *f, const char *family)
{
	char other[64];
	bool begun = false;
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *r = &stat_rows[i];
		if (strcmp(family_of(r->name, other, sizeof other), family) != 0)
			continue;
		if (!begun) {
			md_heading(f, 2, family);
			put_device(f, stat_device(r), "them");
			md_table(f, "statistic|unit|meaning");
			begun = true;
		}
		fprintf(f, "| `%s` | ", r->name);
		md_prose(f, r->unit, true);
		fputs(" | ", f);
		md_prose(f, r->help, true);
		fputs(r->derived ? " (derived) |\n" : " |\n", f);
	}
	fputc('\n', f);
}

void page_statistics(FILE *f, struct console *c)
{
	(void)c;
	fputs("Counters are whole numbers that only grow; derived values are computed when they "
	      "are read. "
	      "`stats` in a\nsession, `cyclops run --stats FILE`, and expressions know them by "
	      "these names, and programs "
	      "read counters through\n[control and status registers](csrs.md).\n\n",
	      f);
	each_family(f, stat_name, put_stat_family);
}

static const char *param_name(size_t i)
{
	return i < param_count ? params[i].name : NULL;
}

static void put_values(FILE *f, const struct param *p)
{
	if (p->type == PARAM_INT) {
		fprintf(f, "%lld to %lld%s", (long long)p->min, (long long)p->max,
		        *p->unit ? " " : "");
		md_prose(f, p->unit, true);
		return;
	}
	if (p->type == PARAM_TEXT) {
		md_prose(f, p->unit, true);
		return;
	}
	const char *choices = p->type == PARAM_BOOL ? "true|false" : p->unit;
	for (const char *s = choices; *s; s += strcspn(s, "|"), s += *s == '|')
		fprintf(f, "%s`%.*s`", s == choices ? "" : ", ", (int)strcspn(s, "|"), s);
}

static void put_param_family(FILE *f, const char *family)
{
	char other[64], value[PARAM_TEXT_MAX];
	bool begun = false;
	struct config def;
	config_default(&def);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		if (strcmp(family_of(p->name, other, sizeof other), family) != 0)
			continue;
		if (!begun) {
			md_heading(f, 2, family);
			put_device(f, device_of_name(p->name), "what they are about");
			md_table(f, "parameter|default|values|meaning");
			begun = true;
		}
		fprintf(f, "| `%s` | ", p->name);
		md_code(f, config_format(&def, p, value, sizeof value), true);
		fputs(" | ", f);
		put_values(f, p);
		fputs(" | ", f);
		md_prose(f, p->help, true);
		fputs(" |\n", f);
	}
	fputc('\n', f);
}

void page_parameters(FILE *f, struct console *c)
{
	(void)c;
	fputs("Set by `-o NAME=VALUE` on the command line, by `set NAME = VALUE` for the next "
	      "`run`, or in a configuration, "
	      "a Lua\nfile: `return { pipe = { rob_size = 32 }, [\"l1d.size\"] = \"16K\" }`. A "
	      "default from a source names it.\nK, M and G are powers of 1024, for "
	      "Hz of "
	      "1000.\n\n",
	      f);
	each_family(f, param_name, put_param_family);
}

/* ---- registers ---- */
void page_csrs(FILE *f, struct console *c)
{
	(void)c;
	fputs("`info registers NAME` shows one, `set $NAME = VALUE` writes one. Those of mode M "
	      "are firmware's.\n\n",
	      f);
	md_table(f, "number|register|mode|access|meaning");
	for (unsigned i = 0; i < csr_info_count; i++) {
		char name[32];
		fprintf(f, "| 0x%03x | `%s` | %c | %s | ", csr_info[i].first,
		        help_csr_name(&csr_info[i], name, sizeof name),
		        csr_info[i].machine ? 'M' : 'U',
		        csr_info[i].read_only ? "read" : "read, write");
		md_prose(f, csr_info[i].help, true);
		fputs(" |\n", f);
	}
	fputc('\n', f);
}
