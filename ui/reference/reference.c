#include "ui/reference/reference.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/output_file.h"
#include "ui/reference/markdown.h"
#include "ui/reference/pages.h"

static void page_index(FILE *f, struct console *c)
{
	(void)c;
	md_paragraph(f, "Cyclops is an interactive terminal inspector and stepping debugger for a "
	                "simulated out-of-order RISC-V "
	                "processor. These pages are generated from the tables that the program "
	                "itself is built of; "
	                "`help` in a session and `cyclops help TOPIC` say the same.");
	md_table(f, "page|what it has");
	for (unsigned i = 1; i < reference_page_count; i++) {
		const struct reference_page *p = &reference_pages[i];
		fprintf(f, "| [%s](%s.md) | ", p->title, p->name);
		md_prose(f, p->summary, true);
		fputs(" |\n", f);
	}
}

const struct reference_page reference_pages[] = {
	{"index", "Cyclops: the reference", "every page", page_index},
	{"command-line", "The command line", "what `cyclops` can be asked to do, and options",
         page_command_line},
	{"commands", "Commands", "what can be typed in a session", page_commands},
	{"keys", "Keys of the screen", "what keys do, and how to give them another meaning",
         page_keys},
	{"expressions", "Expressions and places",
         "what `print`, `watch` and conditions compute, and how places are named",
         page_expressions},
	{"lua", "The Lua API", "what scripts can do: machines as objects, and modules", page_lua},
	{"views", "Views", "what is seen of the machine", page_views},
	{"reports", "Reports", "what is found out in a run", page_reports},
	{"events", "Events", "what happens in a cycle, with the fields of each", page_events},
	{"fields", "Instructions in flight", "what is known of an instruction, and from when on",
         page_fields},
	{"statistics", "Statistics", "every counter and what is derived from them",
         page_statistics},
	{"parameters", "Parameters",
         "every parameter of the machine, with its values and where its default comes from",
         page_parameters},
	{"csrs", "Control and status registers", "what programs and firmware read and write",
         page_csrs},
	{"programs", "Programs", "which programs run, and what their world is", page_programs},
	{"glossary", "Words and instructions",
         "what the words of the field mean, and what each instruction does", page_glossary},
	{"microcode", "Microcode", "how programs of the profiling co-processor are written",
         page_microcode},
};
const unsigned reference_page_count = sizeof reference_pages / sizeof *reference_pages;

void reference_put(FILE *f, const struct reference_page *page, struct console *c)
{
	md_heading(f, 1, page->title);
	page->put(f, c);
	if (page != &reference_pages[0])
		fputs("[All pages](index.md)\n", f);
}

bool reference_write(const char *folder, struct console *c, struct err *err)
{
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return err_set(err, "can't make the folder %s: %s", folder, strerror(errno));
	for (unsigned i = 0; i < reference_page_count; i++) {
		char path[PATH_MAX];
		if (snprintf(path, sizeof path, "%s/%s.md", folder, reference_pages[i].name) >=
		    (int)sizeof path)
			return err_set(err, "the folder's name is too long");
		struct output_file o;
		if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
			return false;
		reference_put(o.f, &reference_pages[i], c);
		if (!output_end(&o, path, err))
			return false;
	}
	return true;
}
