#include "ui/sweep/help.h"

#include "ui/console/command.h"

static const struct {
	const char *name, *option, *help;
} rows[] = {
#define RUN_OPTION(name, option, kind, help) {name, option, help},
#include "ui/sweep/run_options.def"
#undef RUN_OPTION
};

void sweep_put_help(struct console *c)
{
	console_print(
		c,
		"cyclops sweep FILE.lua runs every configuration with every program. FILE returns "
		"a table:\n\n"
		"  return {\n"
		"    configs  = { base = \"default\",\n"
		"                 small = { \"default\", [\"pipe.rob_size\"] = 16 } },\n"
		"    vary     = { [\"l1d.size\"] = { \"8K\", \"16K\" } },\n"
		"    programs = { sort = { \"build/demos/sort\", \"words.txt\", stdin = \"file\" } "
		"},\n"
		"    options  = { ff = \"1M\", warmup = true, max_insts = \"10M\" },\n"
		"    stats    = { \"sim.ipc\", \"l1d.miss_rate\" },\n"
		"    out      = \"results\",\n"
		"    plot     = { y = \"sim.ipc\", x = \"l1d.size\", series = \"config\", panels = "
		"\"program\" },\n"
		"  }\n\n"
		"  configs    a preset or a file, or a list of them with parameters over them\n"
		"  vary       parameters and their values: every combination, with every "
		"configuration\n"
		"  programs   a path, or a list of path and arguments; stdin, status (the exit "
		"status that\n"
		"             means success), timeout, and options of this program alone\n"
		"  options    of all programs: timeout in seconds, and the options of `cyclops "
		"run` below\n"
		"  stats      what tables show; all without it. JSON always has all\n"
		"  out        the folder of results: results.csv, results.json, plots, jobs/, "
		"logs/\n"
		"  plot       one or a list: y is a statistic; x, series and panels are config, "
		"program or a\n"
		"             parameter of vary; kind = \"lines\" or \"bars\"; relative = a "
	        "configuration's name\n"
		"             divides by its value; mean = \"arithmetic\", \"geometric\" or "
	        "\"harmonic\" over what is\n"
		"             left; title, file (\"ipc.svg\")\n"
		"  title      of the table\n\n"
		"Files are named as from the current directory. Options of runs:\n");
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		console_print(c, "  %-11s %-13s %s\n", rows[i].name, rows[i].option, rows[i].help);
	console_print(c, "\nFinished jobs are not run again, so that the same command resumes "
	                 "after an interruption: a result counts\n"
	                 "for as long as the machine, the program, its arguments and the files "
	                 "that they name, its standard input,\n"
	                 "the options and cyclops itself are the same. Files that a program opens "
	                 "by other names are not\n"
	                 "seen: --force. A failed job is a row with the reason; out of time or "
	                 "killed, it is run again\n"
	                 "next time, else with --retry.\n");
}
