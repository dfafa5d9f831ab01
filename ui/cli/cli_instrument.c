/* `cyclops instrument`: inserts counting code into finished executables, by loader/edit, and
 * profile instructions into assembly, by the Lua module cyclops.instrument. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "loader/instrument/instrument.h"
#include "loader/instrument/metrics.h"
#include "scripting/script.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/lua_field.h"
#include "ui/cli/option_text.h"
#include "ui/render/safe_print.h"

/* ---- inserting code into a finished executable ---- */
static bool instrument_program_write_elf(const char *path, const void *bytes, size_t n,
                                         struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	fwrite(bytes, 1, n, o.f);
	output_make_executable(&o);
	return output_end(&o, path, err);
}

static void instrument_program_print_skipped(const struct instrument_summary *s, const char *output)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < LEFT_WHY_COUNT; i++) {
		all += s->left_by[i];
		if (s->left_by[i])
			fprintf(stderr, "%6u function%s %s: %s\n", s->left_by[i],
			        s->left_by[i] == 1 ? "" : "s",
			        left_alone[i] ? "left alone" : "counted otherwise",
			        skip_reason_text[i]);
	}
	if (all)
		say(stderr, "       (`cyclops run --report untouched %s` names them)\n", output);
}

static void instrument_program_print_summary(const struct instrument_summary *s,
                                             const struct instrument_options *o, const char *output)
{
	say(stderr, "%s: %u functions, %u instructions", output, s->functions, s->insts);
	if (s->counters)
		fprintf(stderr, ", %" PRIu64 " counters", s->counters);
	for (unsigned i = 0; s->counters && i < o->count; i++) {
		fprintf(stderr, "%s%s", i ? ", " : " (", instrument_name[o->what[i].kind]);
		if (o->what[i].type >= 0)
			fprintf(stderr, " of type %d", o->what[i].type);
	}
	if (s->counters)
		fprintf(stderr, "), registers saved at %u", s->spilled);
	if (s->hashed)
		fprintf(stderr, ", hash tables in %u functions", s->hashed);
	fprintf(stderr, "; code of %" PRIu64 " bytes is %" PRIu64 " now\n", s->code_before,
	        s->code_after);
	instrument_program_print_skipped(s, output);
}

/* Writes the instrumented program to `output`, executable, and prints a summary to stderr unless
 * `quiet`. False with *err, and no file written. */
static bool instrument_file(const char *path, const struct instrument_options *o,
                            const char *output, bool quiet, struct err *err)
{
	struct program *p = program_open(path, err);
	if (!p)
		return false;
	struct instrument_summary sum;
	void *file = NULL;
	size_t n;
	struct program *q = instrument_program(p, o, &sum, &file, &n, err);
	bool ok = q && instrument_program_write_elf(output, file, n, err);
	if (ok && !quiet)
		instrument_program_print_summary(&sum, o, output);
	if (q)
		program_free(q);
	free(file);
	program_free(p);
	return ok;
}

enum option_id {
	ASM = 256,
	KIND,
	BLOCKS,
	CALLS,
	CONTROL,
	TYPE,
	ON,
	FUNCTIONS,
	EXCEPT,
	PBLEN,
	FAR,
	NO_SIBLINGS,
	MAP,
	LIST,
	UNITS,
	LOOPS,
	SWITCHES,
	MIN_LOOP,
	METRICS,
	LABELS,
	LATCHES,
	CHECKS,
	STEADY,
	MERGE_SITES,
	CCT,
	CCT_HEAP
};

static const struct cli_option options[] = {
	/* of executables, up to --asm */
	{{"kind", required_argument, NULL, KIND},
         "KIND,...",
	 "bb counts entries of each basic block, edge branches and jumps by target, path the paths "
	 "of procedures, path+hw two statistics on each path, too; callgraph calls by caller and "
	 "callee; cct calls by calling context, cct+hw and cct+path with "
	 "statistics and paths; nothing only lays the code out again. KIND=K makes the counting "
	 "code profile instructions of type K; atomic, beside kinds, is for threads: each addition "
	 "is one instruction, so that none is lost, and each thread and handler has its own tree"},
	{{"metrics", required_argument, NULL, METRICS},
         "A[,B]",
         "of kinds path+hw and cct+hw: the statistics that are added up on each path, or in each "
         "context; sim.cycles,l1d.misses by default (`cyclops help stats` lists all)"},
	{{"labels", required_argument, NULL, LABELS},
         "WHERE",
         "of kinds path, path+hw and cct+path: number paths on edges outside a spanning tree, the "
         "ones used least (chords, the default), or on all of them (simple)"},
	{{"latches", no_argument, NULL, LATCHES},
         NULL,
	 "of kinds path, path+hw and cct+path: distinguish paths of the same blocks by the back "
	 "edge that led to the first block"},
	{{"checks", required_argument, NULL, CHECKS},
         "N[:M]",
	 "the program switches flags, not a runtime: it counts at each flag's place, and profiles "
	 "during M (1) of each N"},
	{{"steady", no_argument, NULL, STEADY},
         NULL,
	 "of paths and contexts only the counting is profile instructions; code that tracks them "
	 "is plain"},
	{{"merge-sites", no_argument, NULL, MERGE_SITES},
         NULL,
	 "of kinds cct: distinguish the procedures that a procedure calls, not its call sites"},
	{{"cct", required_argument, NULL, CCT},
         "FILE",
         "of kinds cct: the program writes its calling context tree into FILE when it exits, "
         "executes another or a signal ends it, wherever it runs, a forked one into FILE.PID; not "
         "when SIGKILL does (`view cct of FILE` reads it)"},
	{{"cct-heap", required_argument, NULL, CCT_HEAP},
         "MB",
	 "of kinds cct: room for call records, 64 by default; calls that find none are counted "
	 "separately"},
	/* of assembly, up to --output */
	{{"asm", required_argument, NULL, ASM},
         "IN.s",
	 "the assembly to instrument, written by gcc -S or clang -S"},
	{{"blocks", no_argument, NULL, BLOCKS},
         NULL,
         "count how often each basic block is entered"},
	{{"calls", no_argument, NULL, CALLS},
         NULL,
	 "count calls by caller and callee: link with demos/tools/xprof_runtime.c"},
	{{"control-only", no_argument, NULL, CONTROL},
         NULL,
	 "add the code that switches profiling, but no counting: the framework's cost"},
	{{"map", no_argument, NULL, MAP},
         NULL,
	 "add no code, but describe the program's blocks as in an instrumented one"},
	{{"loops", required_argument, NULL, LOOPS},
         "LIST",
         "with --units loops: only in the loops of these functions"},
	{{"switches", required_argument, NULL, SWITCHES},
         "LIST",
	 "functions that return later, from another coroutine, or twice; setjmp, getcontext and "
	 "swapcontext are built in, and so are the file's functions that save sp where a0 points"},
	{{"pblen", no_argument, NULL, PBLEN},
         NULL,
	 "put each profile block's length before it (code that may be patched)"},
	{{"far", no_argument, NULL, FAR}, NULL, "the runtime may be more than 1 MB of code away"},
	{{"no-sibling-calls", no_argument, NULL, NO_SIBLINGS},
         NULL,
         "it was compiled with -fno-optimize-sibling-calls"},
	{{"list", no_argument, NULL, LIST},
         NULL,
	 "list the functions with their blocks, and those left alone with the reason; write "
	 "nothing"},
	/* of both */
	{{"output", required_argument, NULL, 'o'},
         "OUT",
	 "output file; for assembly standard output by default"},
	{{"type", required_argument, NULL, TYPE},
         "WHAT=K,...",
	 "profile types, 0 to 7: bb=K,path=K as with --kind; of assembly blocks=K,calls=K, 0 by "
	 "default, calls=1 with both"},
	{{"on", no_argument, NULL, ON}, NULL, "begin with profiling on: setpf, not resetpf"},
	{{"functions", required_argument, NULL, FUNCTIONS},
         "LIST",
         "only these: names with commas between them, and wildcards: 'main,parse_*'"},
	{{"except", required_argument, NULL, EXCEPT}, "LIST", "all but these"},
	{{"units", required_argument, NULL, UNITS},
         "WHAT",
         "where profiling is switched: methods (at their entries; the default), loops (in each "
         "round as well); of executables also blocks (each for itself), or none (there are no "
         "flags)"},
	{{"min-loop", required_argument, NULL, MIN_LOOP},
         "N",
         "with --units loops: not in shorter ones that lie in others and neither loop nor call "
         "(16)"},
	{{"quiet", no_argument, NULL, 'q'}, NULL, "do not list functions left alone"},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	const char *program; /* of an executable */
	struct instrument_options what;
	const char *types[INSTRUMENT_AT_ONCE];
	unsigned type_count;
	const char *input, *output, *functions, *except, *units, *loops, *switches, *checks,
		*min_loop_text;
	long min_loop;
	int blocks_type, calls_type; /* -1: not given */
	bool blocks, calls, control, map, on, pblen, far, no_siblings, list, quiet, help, steady;
};

/* ---- the command line ---- */
static bool take_type(struct request *r, const char *text, struct err *err)
{
	char what[16];
	int k, n;
	for (const char *at = text; *at; at += n + (at[n] == ',')) {
		n = 0;
		if (sscanf(at, "%15[a-z]=%d%n", what, &k, &n) != 2 || !n ||
		    (at[n] && at[n] != ',') || k < 0 || k > 7)
			return err_set(err,
			               "--type %s: expected blocks=K,calls=K with K from 0 to 7",
			               text);
		if (!strcmp(what, "blocks"))
			r->blocks_type = k;
		else if (!strcmp(what, "calls"))
			r->calls_type = k;
		else
			return err_set(err,
			               "--type %s: '%s' is not counted in assembly; expected "
			               "blocks=K,calls=K",
			               text, what);
	}
	return *text ||
	       err_set(err, "--type: nothing given; expected blocks=K,calls=K with K from 0 to 7");
}

static bool cli_instrument_parse_option(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	(void)argc;
	(void)argv;
	char *end;
	switch (id) {
	case KIND: return instrument_add(&r->what, optarg, err);
	case METRICS: return metrics_parse(&r->what, optarg, err);
	case LABELS: return instrument_labels(&r->what, optarg, err);
	case LATCHES: return r->what.latches = true;
	case MERGE_SITES: return r->what.merge_sites = true;
	case CCT:
		r->what.cct_file = optarg;
		return *optarg || err_set(err, "--cct needs a file's name");
	case CCT_HEAP: return instrument_heap(&r->what, optarg, err);
	case ASM: r->input = optarg; return *optarg || err_set(err, "--asm needs a file's name");
	case 'o': r->output = optarg; return *optarg || err_set(err, "-o needs a file's name");
	case BLOCKS: return r->blocks = true;
	case CALLS: return r->calls = true;
	case CONTROL: return r->control = true;
	case MAP: return r->map = true;
	case TYPE:
		if (r->type_count == INSTRUMENT_AT_ONCE)
			return err_set(err, "--type: at most %d of them", INSTRUMENT_AT_ONCE);
		r->types[r->type_count++] = optarg;
		return true;
	case ON: return r->on = true;
	case FUNCTIONS: r->functions = optarg; return true;
	case EXCEPT: r->except = optarg; return true;
	case UNITS:
		r->units = optarg;
		return true;
	case CHECKS: r->checks = optarg; return true;
	case STEADY: return r->steady = true;
	case LOOPS: r->loops = optarg; return true;
	case SWITCHES: r->switches = optarg; return true;
	case MIN_LOOP:
		r->min_loop_text = optarg;
		r->min_loop = strtol(optarg, &end, 10);
		return (*optarg && !*end && r->min_loop > 0) ||
		       err_set(err, "--min-loop %s: a number of instructions is needed, from 1 on",
		               optarg);
	case PBLEN: return r->pblen = true;
	case FAR: return r->far = true;
	case NO_SIBLINGS: return r->no_siblings = true;
	case LIST: return r->list = true;
	case 'q': return r->quiet = true;
	default: return r->help = true;
	}
}

static bool check_executable(struct request *r, struct err *err)
{
	const bool of_assembly = r->input || r->blocks || r->calls || r->control || r->map ||
	                         r->pblen || r->far || r->no_siblings || r->list || r->loops ||
	                         r->switches;
	if (of_assembly && !r->what.count)
		return err_set(err, "'%s': assembly is named by --asm; expected cyclops %s",
		               r->program, cli_instrument.usage);
	if (of_assembly)
		return err_set(
			err,
			"of an executable --kind, --type, --metrics, --labels, --latches, "
		        "--functions, --except, --units, --min-loop, --on, --checks, --steady, "
		        "--merge-sites, --cct, --cct-heap, -o and --quiet are possible; the other "
		        "options are --asm's");
	if (!r->program)
		return err_set(err, "no program given; expected cyclops %s", cli_instrument.usage);
	if (!r->what.count)
		return err_set(
			err,
			"nothing to count in %s was named; expected --kind bb or --kind edge "
			"(assembly is named by --asm)",
			r->program);
	for (unsigned i = 0; i < r->type_count; i++)
		if (!instrument_type(&r->what, r->types[i], err))
			return false;
	r->what.functions = r->functions;
	r->what.except = r->except;
	if ((r->units && !instrument_set(&r->what, "units", r->units, err)) ||
	    (r->checks && !instrument_set(&r->what, "checks", r->checks, err)) ||
	    (r->min_loop_text && !instrument_set(&r->what, "min-loop", r->min_loop_text, err)) ||
	    (r->on && !instrument_set(&r->what, "on", NULL, err)) ||
	    (r->steady && !instrument_set(&r->what, "steady", NULL, err)) ||
	    !instrument_check(&r->what, err))
		return false;
	if (!r->output || !*r->output || !strcmp(r->output, "-"))
		return err_set(err, "expected -o FILE for the new program");
	if (strcmp(r->output, r->program) == 0)
		return err_set(err, "%s would be overwritten; -o needs another name", r->program);
	return true;
}

static bool cli_instrument_validate_request(struct request *r, struct err *err)
{
	if (r->help)
		return true;
	if (r->what.count || r->program)
		return check_executable(r, err);
	if (!r->input)
		return err_set(err, "no program given; expected cyclops %s", cli_instrument.usage);
	if (r->units && strcmp(r->units, "methods") != 0 && strcmp(r->units, "loops") != 0)
		return err_set(err, "--units %s: expected methods, loops", r->units);
	if (r->checks || r->steady)
		return err_set(err, "--%s is for executables", r->checks ? "checks" : "steady");
	for (unsigned i = 0; i < r->type_count; i++)
		if (!take_type(r, r->types[i], err))
			return false;
	if (r->map + r->control > 1 || (r->map && (r->blocks || r->calls)))
		return err_set(err, "--map puts nothing in; it goes with none of --blocks, --calls "
		                    "and --control-only");
	if (!(r->blocks || r->calls || r->control || r->map || r->list))
		return err_set(err, "nothing to count was named; expected --blocks, --calls, both, "
		                    "or --control-only");
	if ((r->loops || r->min_loop) && !(r->units && strcmp(r->units, "loops") == 0))
		return err_set(err, "%s goes with --units loops",
		               r->loops ? "--loops" : "--min-loop");
	if (r->output && strcmp(r->output, r->input) == 0)
		return err_set(err, "%s would be overwritten; -o needs another name", r->input);
	if (r->blocks_type < 0)
		r->blocks_type = 0;
	if (r->calls_type < 0)
		r->calls_type = r->blocks ? 1 : 0;
	return true;
}

static bool cli_instrument_parse_args(struct request *r, int argc, char **argv, struct err *err)
{
	*r = (struct request){.blocks_type = -1, .calls_type = -1};
	if (!cli_read_options(options, OPTIONS, argc, argv, cli_instrument_parse_option, r, err))
		return false;
	if (optind + 1 < argc && !r->help)
		return err_set(err, "'%s': one program at a time; expected cyclops %s",
		               argv[optind + 1], cli_instrument.usage);
	if (optind < argc)
		r->program = argv[optind];
	return cli_instrument_validate_request(r, err);
}

/* Prints the options [from, to). */
static void print_group(FILE *f, const char *head, int from, int to)
{
	int first = 0, end = 0;
	while (options[first].row.val != from)
		first++;
	for (end = first + 1; end < OPTIONS && options[end].row.val != to; end++)
		;
	fprintf(f, "%s\n", head);
	cli_print_options(options + first, end - first, f);
}

void cli_instrument_print_options(FILE *f)
{
	print_group(f, "Of an executable:", KIND, ASM);
	print_group(f, "\nOf assembly:", ASM, 'o');
	print_group(f, "\nOf both:", 'o', 0);
}

/* ---- instrumenting ---- */
/* Formats the call of the module, malloc'd; NULL if memory is out. */
static char *cli_instrument_format_lua_call(const struct request *r)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	fputs("require(\"cyclops.instrument_command\").run{", f);
	lua_field(f, "input", r->input);
	lua_field(f, "output", r->output ? r->output : "-");
	lua_field(f, "functions", r->functions);
	lua_field(f, "except", r->except);
	lua_field(f, "units", r->units);
	lua_field(f, "loops", r->loops);
	lua_field(f, "switches", r->switches);
	if (r->min_loop)
		fprintf(f, "min_loop = %ld, ", r->min_loop);
	fprintf(f, "type = {blocks = %d, calls = %d}, ", r->blocks_type, r->calls_type);
	const struct {
		const char *name;
		bool on;
	} flags[] = {{"blocks", r->blocks},   {"calls", r->calls},
	             {"control", r->control}, {"map", r->map},
	             {"on", r->on},           {"pblen", r->pblen},
	             {"far", r->far},         {"sibling_calls", !r->no_siblings},
	             {"list", r->list},       {"quiet", r->quiet}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		fprintf(f, "%s = %s, ", flags[i].name, flags[i].on ? "true" : "false");
	fputs("}", f);
	return fclose(f) ? free(text), NULL : text;
}

static void cli_instrument_write_output(void *ctx, int fd, const char *text, size_t n)
{
	(void)ctx;
	if (fd == STDERR_FILENO)
		say_text(stderr, text, n);
	else
		say_output(stdout, text, n);
}

static bool instrument_executable(const struct request *r, struct err *err)
{
	return instrument_file(r->program, &r->what, r->output, r->quiet, err);
}

static int cli_instrument_main(int argc, char **argv)
{
	struct request r;
	struct err err;
	if (!cli_instrument_parse_args(&r, argc, argv, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_instrument.usage, cli_instrument.help);
		cli_instrument_print_options(stdout);
		return 0;
	}
	if (r.program)
		return instrument_executable(&r, &err) ? 0 : say_error("%s", err.msg);
	const struct script_options so = {.write = cli_instrument_write_output};
	struct script *s = script_new(&so, NULL, &err);
	if (!s)
		return say_error("%s", err.msg);
	char *call = cli_instrument_format_lua_call(&r);
	int status = !call                                           ? say_error("out of memory")
	             : script_run_text(s, call, "=instrument", &err) ? 0
	                                                             : say_error("%s", err.msg);
	free(call);
	script_free(s);
	return status;
}

const struct cli_command cli_instrument = {
	.name = "instrument",
	.usage = "instrument --kind KIND,... -o OUT PROGRAM, or: instrument OPTIONS --asm IN.s [-o "
		 "OUT.s]",
	.help = "Puts counting code into a finished program, linked with -static "
		"-Wl,--emit-relocs: its code is laid out again, and everything\n"
		"that names code follows it. The counters lie in the program's memory; section "
		".cyclops.counters of OUT describes them.\n"
		"With KIND=K the counting code is profile instructions of type K, between flags "
		"that a runtime (cyclops.xprof) or checks (--checks) switch.\n\n"
		"With --asm it puts profile instructions (Xprof) into a compiler's RISC-V "
		"assembly: each function is entered through pushpf and\n"
		"resetpf and left through poppf, and in between, blocks and calls are counted by "
		"instructions that the machine drops\n"
		"while the function's profile flag is off. A runtime turns it on by making a setpf "
		"of the resetpf. Where there is no\n"
		"Xprof they simply execute. demos/tools/xprof-cc does it together with compiling "
		"and linking.",
	.options = options,
	.option_count = OPTIONS,
	.run = cli_instrument_main,
};
