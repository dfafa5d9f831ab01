/* The pages of help: lists from tables, and texts on syntax and formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/config.h"
#include "core/defs/devices.h"
#include "core/defs/stats.h"
#include "core/host/embedded_file.h"
#include "core/isa/csr.h"
#include "core/isa/op.h"
#include "core/prof/common/device.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/expr/expr.h"
#include "ui/cli/options.h"
#include "ui/console/command.h"
#include "ui/help/glossary.h"
#include "ui/help/help_lua.h"
#include "ui/help/help_microcode.h"
#include "ui/help/help_pages.h"
#include "ui/help/help_presets.h"
#include "ui/help/help_tables.h"
#include "ui/sweep/help.h"

/* Pages that are texts: ui/help/pages/NAME.txt, unchanged, each part of the program. */
#define PAGE(name)                                                                                 \
	EMBEDDED_FILE(help_text_##name, "ui/help/pages/" #name ".txt");                            \
	static void help_put_##name(struct console *c)                                             \
	{                                                                                          \
		console_print(c, "%s", help_text_##name);                                          \
	}

PAGE(dap)
PAGE(gdb)
PAGE(issue_queue)
PAGE(json)
PAGE(locations)
PAGE(plugins)
PAGE(programs)
PAGE(renaming)
PAGE(tomasulo)
PAGE(values)
PAGE(xprof)

static void put_options(struct console *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return;
	fputs("cyclops [OPTIONS] PROGRAM [ARGS...]\n", f);
	options_print_help(f, FOR_INSPECT);
	fclose(f);
	console_write(c, text, n);
	free(text);
}

static void put_expressions(struct console *c)
{
	const char *name, *help;
	console_print(c,
	              "Expressions are C, with the program's types (gcc -g): its operators, "
	              "casts, sizeof,\n"
	              "?:, comma, table[3].x, *node, node->next->value, &x, *a@4 (four from "
	              "there on),\n"
	              "words.c::x, main::i, {int} 0x1000, in the selected call (backtrace, "
	              "up, down).\n"
	              "5/2 is 2, 5/2.0 is 2.5. `and`, `or`, `not` and ~= are read as well.\n"
	              "$ is the value printed last, $$ the one before, $1 the first; $i is "
	              "a variable of\n"
	              "your own, $a0 a register. print, set and m:eval assign: x = 5, x += "
	              "1, x++.\n"
	              "print, call and set call the program's functions: f(3) + 1 (help call).\n"
	              "Other text is Lua 5.4: tables, functions, .. and // of whole numbers.\n"
	              "Every name must have a meaning, even one that is not evaluated. 1,000 is "
	              "1000, as\n"
	              "printed, but not in brackets.\n\n"
	              "  a0, sp, x10, fa0   committed registers; floating point ones as numbers\n"
	              "  find, table        a symbol's address, if it is no variable of C: *table, "
	              "mem32(table)\n"
	              "  sim.ipc, l1d.misses  statistics (help stats)\n"
	              "  pipe.rob_size      parameters (help params)\n");
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		console_print(c, "  %-18s %s\n", name, help);
	console_print(c, "\nA variable of the innermost block is meant, then one of the file, "
	                 "then of others.\n"
	                 "It takes precedence over a register or count of its name ($cycle is the "
	                 "count); over\n"
	                 "functions and groups if the call declares it. In arguments of functions, "
	                 "names of\n"
	                 "the whole program are addresses: mem32(table + 8), and "
	                 "str(node->name) is C. Values\n"
	                 "are committed ones; <optimised out>: none is left. Conditions of "
	                 "events (catch) are\n"
	                 "Lua, without variables.\n");
	console_print(c,
	              "\n    print mem64(sp + 8)     break find if a0 > 100 and str(a1) == 'cat'\n"
	              "    watch rob.count         watch view['btb 3'][1].target\n"
	              "    print *node             break 17 if i == 3 && rob.count > 8\n");
}

static void put_exports(struct console *c)
{
	console_print(c,
	              "trace konata FILE    for the Konata pipeline viewer: a row per instruction\n"
	              "trace chrome FILE    for ui.perfetto.dev or chrome://tracing\n"
	              "view NAME --json     a view as JSON; stats --json all statistics\n"
	              "save FILE            the whole machine, to `restore` it later\n"
	              "export FORMAT FILE   a profile of the run so far, for other tools:\n");
	for (unsigned i = 0; i < export_count; i++)
		console_print(c, "  %-19s%s\n", exports[i]->name, exports[i]->title);
}

bool help_is_xprof(const char *word)
{
	const size_t n = strcspn(word, ".");
	for (int op = 0; op < OP_COUNT; op++)
		if ((op_info[op].flags & OPF_XPROF) && strlen(op_info[op].mnemonic) == n &&
		    !strncmp(op_info[op].mnemonic, word, n))
			return !word[n] || op == OP_PI;
	return false;
}

static void put_glossary(struct console *c)
{
	for (unsigned i = 0; i < glossary_term_count; i++)
		console_print(c, "  %-22s %s\n", glossary_terms[i].name, glossary_terms[i].summary);
}

static void help_pages_print_instructions(struct console *c)
{
	for (unsigned i = 0; i < glossary_instruction_count; i++)
		console_print(c, "  %-10s %s\n", glossary_mnemonic(&glossary_instructions[i]),
		              glossary_instructions[i].what);
}

const struct help_page help_pages[] = {
	{"commands", "every command", help_put_commands, false},
	{"views", "every view of the machine", help_list_views, false},
	{"reports", "every report on a run", help_list_reports, false},
	{"events", "every event, for `catch`", help_list_events, false},
	{"fields", "fields of an instruction in flight", help_list_fields, false},
	{"stats", "every statistic", help_list_stats, false},
	{"statistics", "every statistic", help_list_stats, false},
	{"params", "every parameter of the machine", help_list_params, false},
	{"parameters", "every parameter of the machine", help_list_params, false},
	{"presets", "machines that --config takes by name", help_put_presets, false},
	{"csrs", "every control and status register", help_list_csrs, false},
	{"glossary", "every word of the field that is explained", put_glossary, false},
	{"instructions", "every instruction and its effect", help_pages_print_instructions, false},
	{"keys", "every key of the screen", help_list_keys, false},
	{"mouse", "use of the mouse on the screen", help_list_mouse, true},
	{"options", "options of the command line", put_options, true},
	{"expressions", "expressions of print, watch and conditions", put_expressions, true},
	{"json", "output for programs: cyclops --json, an object a line", help_put_json, true},
	{"locations", "names of places in the program", help_put_locations, true},
	{"exports", "output to files", put_exports, true},
	{"plugins", "predictors, replacement policies, prefetchers and compressor stages in Lua",
         help_put_plugins, true},
	{"values", "customisation modules of the value sampler, in Lua", help_put_values, true},
	{"programs", "programs that run, their environment, and what does not run yet",
         help_put_programs, true},
	{"xprof", "profile instructions and flags: views, statistics and parameters",
         help_put_xprof, true},
	{"renaming", "how results get names of their own", help_put_renaming, true},
	{"issue queue", "wake-up and selection", help_put_issue_queue, true},
	{"Tomasulo", "the algorithm, and where it is in this machine", help_put_tomasulo, true},
	{"microcode", "language and encoding of programs of the profiling co-processor",
         help_put_microcode, true},
	{"gdb", "debugging with gdb itself: cyclops gdb", help_put_gdb, true},
	{"dap", "debugging from an editor: cyclops dap", help_put_dap, true},
	{"lua", "scripts: machines as objects, hooks", help_lua_put_areas, false},
	{"sweep", "the file of `cyclops sweep`", sweep_put_help, true},
};
const unsigned help_page_count = sizeof help_pages / sizeof *help_pages;
