/* Pages about a session: the command line, commands, keys, views, reports, expressions. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/devices.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "core/prof/common/device.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "scripting/expr/expr.h"
#include "ui/cli/cli.h"
#include "ui/cli/options.h"
#include "ui/help/glossary.h"
#include "ui/help/help_pages.h"
#include "ui/reference/markdown.h"
#include "ui/reference/pages.h"
#include "ui/screen/keys.h"
#include "ui/screen/part_keys.h"

/* ---- what pages share ---- */
struct page_text {
	char *s; /* owned; NULL if memory was short */
	size_t n;
	FILE *f;
};

static void page_append_text(void *ctx, const char *text, size_t n)
{
	fwrite(text, 1, n, ((struct page_text *)ctx)->f);
}

void put_help_page(FILE *f, struct console *c, const char *name)
{
	struct page_text t = {0};
	void (*write)(void *ctx, const char *text, size_t n) = c->write;
	void *ctx = c->write_ctx;
	t.f = alloc_stream(&t.s, &t.n);
	if (!t.f)
		return;
	c->write = page_append_text, c->write_ctx = &t;
	for (unsigned i = 0; i < help_page_count; i++)
		if (!strcmp(help_pages[i].name, name))
			help_pages[i].put(c);
	c->write = write, c->write_ctx = ctx;
	fclose(t.f);
	md_fence(f, "text", t.s ? t.s : "");
	free(t.s);
}

/* Next name of a parameter or statistic in the text at *at; NULL: no more. */
static const char *page_next_reference(const char **at, const char **page)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
	while (**at) {
		char word[64];
		size_t n = strspn(*at, letters);
		const char *begin = *at;
		*at += n ? n : 1;
		while (n && begin[n - 1] == '.')
			n--;
		if (!n || n >= sizeof word)
			continue;
		memcpy(word, begin, n);
		word[n] = '\0';
		for (size_t i = 0; i < param_count; i++)
			if (!strcmp(params[i].name, word))
				return *page = "parameters", params[i].name;
		for (size_t i = 0; i < stat_row_count; i++)
			if (!strcmp(stat_rows[i].name, word))
				return *page = "statistics", stat_rows[i].name;
	}
	return NULL;
}

void put_links(FILE *f, const char *text)
{
	const char *name, *page, *at = text, *earlier, *earlier_page;
	unsigned n = 0;
	while ((name = page_next_reference(&at, &page))) {
		char family[64];
		const char *from = text;
		while ((earlier = page_next_reference(&from, &earlier_page)) && earlier != name)
			;
		if (from != at) /* already linked */
			continue;
		fputs(n++ ? ", " : "See ", f);
		md_link(f, name, page, family_of(name, family, sizeof family));
	}
	if (n)
		fputs(".\n\n", f);
}

/* Writes "rob [ARGS]: title", the help in a fence, and links to topics named in the help. */
static void put_shown(FILE *f, const char *what, const char *name, const char *args,
                      const char *title, const char *help, const char *device)
{
	md_heading(f, 2, name);
	md_prose(f, title, false);
	fprintf(f, ": `%s %s%s%s`.", what, name, *args ? " " : "", args);
	for (unsigned i = 0; device && i < DEVICE_COUNT; i++)
		if (!strcmp(device_rows[i].name, device))
			fprintf(f, " Of the device %s: needs `%s`.", device, device_rows[i].option);
	fputs("\n\n", f);
	md_fence(f, "text", help);
	put_links(f, help);
}

static void page_write_view(FILE *f, const char *what, const char *name, const char *args,
                            const char *title, const struct view_help *h, const char *device)
{
	char *help = view_help_text(h);
	put_shown(f, what, name, args, title, help ? help : "out of memory for a help text",
	          device);
	free(help);
}

/* ---- the pages ---- */
void page_command_line(FILE *f, struct console *c)
{
	static const struct {
		enum option_for which;
		const char *title;
		void (*print)(FILE *f); /* for commands that take no program */
	} kinds[] = {
		{FOR_INSPECT, "Options of `cyclops`", NULL},
		{FOR_RUN, "Options of `cyclops run`", NULL},
		{FOR_COMPARE, "Options of `cyclops compare`", NULL},
		{FOR_GDB, "Options of `cyclops gdb` and `cyclops dap`", NULL},
		{FOR_BAKEOFF, "Options of `cyclops bakeoff`", NULL},
		{FOR_LUA, "Options of `cyclops lua`", NULL},
		{0, "Options of `cyclops sweep`", cli_sweep_print_options},
		{0, "Options of `cyclops instrument`", cli_instrument_print_options},
		{0, "Options of `cyclops microcode`", cli_microcode_print_options},
		{0, "Options of `cyclops asm`", cli_asm_print_options},
		{0, "Options of `cyclops lab`", cli_lab_print_options},
	};
	(void)c;
	for (unsigned i = 0; cli_commands[i]; i++) {
		if (!cli_commands[i]->usage)
			continue;
		md_heading(f, 2, cli_commands[i]->name);
		fprintf(f, "```text\ncyclops %s\n```\n\n", cli_commands[i]->usage);
		md_paragraph(f, cli_commands[i]->help);
	}
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct page_text t = {0};
		t.f = alloc_stream(&t.s, &t.n);
		if (!t.f)
			return;
		if (kinds[i].print)
			kinds[i].print(t.f);
		else
			options_print_help(t.f, kinds[i].which);
		fclose(t.f);
		md_heading(f, 2, kinds[i].title);
		md_fence(f, "text", t.s ? t.s : "");
		free(t.s);
	}
}

void page_commands(FILE *f, struct console *c)
{
	(void)c;
	fputs("Keys, the prompt, command files (`-x`), `-e` and pipes all speak this language. An "
	      "unambiguous beginning of "
	      "a\nname is enough; an empty line repeats; `;` separates commands; `#` begins a "
	      "comment.\n\n",
	      f);
	for (unsigned g = 0; g < help_group_count; g++) {
		md_heading(f, 2, help_groups[g].title);
		for (unsigned i = 0; i < command_count; i++) {
			const struct command *cmd = commands[i];
			if (strcmp(cmd->group, help_groups[g].name) != 0)
				continue;
			md_heading(f, 3, cmd->name);
			md_fence(f, "text", cmd->usage);
			md_sentence(f, cmd->summary);
			md_fence(f, "text", cmd->help);
			if (*cmd->aliases)
				fprintf(f, "Also: `%s`.\n\n", cmd->aliases);
			put_links(f, cmd->help);
		}
	}
}

static void key_row(FILE *f, const char *first, const char *second, const char *help)
{
	fputs("| ", f);
	md_code(f, first, true);
	fputs(" | ", f);
	md_code(f, second, true);
	fputs(" | ", f);
	md_prose(f, help, true);
	fputs(" |\n", f);
}

void page_keys(FILE *f, struct console *c)
{
	const struct key *own;
	const char *group = "";
	(void)c;
	md_paragraph(f, "A key is a command line; `bind KEY COMMAND LINE` gives it another.");
	for (unsigned i = 0; i < key_count; i++) {
		if (strcmp(group, keys[i].group) != 0) {
			fputs(i ? "\n" : "", f);
			md_heading(f, 2, group = keys[i].group);
			md_table(f, "key|command|what it does");
		}
		key_row(f, keys[i].name, keys[i].command, keys[i].help);
	}
	fputc('\n', f);
	md_heading(f, 2, timeline_keys_title);
	md_table(f, "command|key|what it does");
	for (unsigned i = 0; (own = timeline_key_at(i)); i++)
		key_row(f, own->command, own->name, own->help);
	fputc('\n', f);
}

void page_views(FILE *f, struct console *c)
{
	(void)c;
	fputs("`view NAME` shows one as text, `view NAME --json` as JSON; on the screen each is a "
	      "pane. A value appears from "
	      "the\ncycle on in which the modelled hardware has it.\n\n",
	      f);
	for (unsigned i = 0; i < view_count; i++)
		page_write_view(f, "view", views[i]->name, views[i]->args, views[i]->title,
		                &views[i]->help, views[i]->device);
}

void page_reports(FILE *f, struct console *c)
{
	(void)c;
	fputs("`report NAME` in a session, `cyclops run --report NAME[=FILE]` at the end of a run: "
	      "as text, JSON or CSV.\n\n",
	      f);
	for (unsigned i = 0; i < report_count; i++)
		page_write_view(f, "report", reports[i]->name, reports[i]->args, reports[i]->title,
		                &reports[i]->help, reports[i]->device);
}

/* Writes the export formats, a part of the page about output files. */
static void put_formats(FILE *f)
{
	for (unsigned i = 0; i < export_count; i++)
		put_shown(f, "export", exports[i]->name, exports[i]->args, exports[i]->title,
		          exports[i]->help, NULL);
}

void page_expressions(FILE *f, struct console *c)
{
	md_heading(f, 2, "Expressions");
	put_help_page(f, c, "expressions");
	md_heading(f, 2, "Places");
	put_help_page(f, c, "locations");
}

void page_programs(FILE *f, struct console *c)
{
	put_help_page(f, c, "programs");
	md_heading(f, 2, "Programs that profile themselves");
	put_help_page(f, c, "xprof");
	md_heading(f, 2, "What can be written to files");
	put_help_page(f, c, "exports");
	put_formats(f);
}

void page_glossary(FILE *f, struct console *c)
{
	for (unsigned i = 0; i < glossary_term_count; i++) {
		const struct glossary_term *t = &glossary_terms[i];
		md_heading(f, 2, t->name);
		md_sentence(f, t->summary);
		md_fence(f, "text", t->text);
		put_links(f, t->text);
		put_help_page(f, c, t->name);
	}
	md_heading(f, 2, "Every instruction");
	md_table(f, "mnemonic|what it does");
	for (unsigned i = 0; i < glossary_instruction_count; i++) {
		fputs("| ", f);
		md_code(f, glossary_mnemonic(&glossary_instructions[i]), true);
		fputs(" | ", f);
		md_prose(f, glossary_instructions[i].what, true);
		fputs(" |\n", f);
	}
	fputc('\n', f);
}

void page_microcode(FILE *f, struct console *c)
{
	put_help_page(f, c, "microcode");
}
