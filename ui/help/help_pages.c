/* The pages of help: what there is, and how things are written. */
#include "ui/help/help_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "core/isa/inst.h"
#include "core/prof/common/device.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/expr/expr.h"
#include "ui/cli/options.h"
#include "ui/help/glossary.h"
#include "ui/help/help_dap.h"
#include "ui/help/help_gdb.h"
#include "ui/help/help_lua.h"
#include "ui/help/help_microcode.h"
#include "ui/help/help_values.h"
#include "ui/screen/keys.h"
#include "ui/screen/timeline.h"
#include "ui/sweep/help.h"

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
	for (unsigned i = 0; i < command_count; i++)
		if (!strcmp(commands[i]->group, g->name))
			console_print(c, "  %-17s %-8s %s\n", commands[i]->name,
			              commands[i]->aliases, commands[i]->summary);
}

void help_put_commands(struct console *c)
{
	for (unsigned g = 0; g < help_group_count; g++) {
		help_put_group(c, &help_groups[g]);
		console_print(c, "\n");
	}
	const struct command *cmd;
	for (unsigned i = command_count; (cmd = command_at(c, i)); i++)
		console_print(c, "%s  %-17s %-8s %s\n",
		              i == command_count ? "In Lua, of a script:\n" : "", cmd->name, "",
		              cmd->summary);
	if (command_at(c, command_count))
		console_print(c, "\n");
	console_print(c, "An unambiguous beginning of a name is enough. Enter repeats; `;` "
	                 "separates commands.\n");
}

static void put_views(struct console *c)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(c->session, i)); i++)
		console_print(c, "  %-12s %-28s %s%s%s\n", v->name, v->title, v->args,
		              v->device ? "  of device " : "", v->device ? v->device : "");
}

static void put_reports(struct console *c)
{
	for (unsigned i = 0; i < report_count; i++)
		console_print(c, "  %-20s %-22s %s%s%s\n", reports[i]->name, reports[i]->args,
		              reports[i]->title, reports[i]->device ? ", of device " : "",
		              reports[i]->device ? reports[i]->device : "");
}

static void put_events(struct console *c)
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

static void put_fields(struct console *c)
{
	console_print(c, "What is known of an instruction in flight, for rob[1].addr, "
	                 "fetchq[1].predicted and the\n"
	                 "conditions of `catch`. Before its time a field is nil.\n");
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

/* Whether row `i` is number `k` of a row that has `stem` bytes before its number. */
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

/* The machine's own rows (NULL), or those of a device, under a line that names it. */
static void put_stats_of(struct console *c, const struct device *d)
{
	for (size_t i = 0; i < stat_row_count;)
		i += stat_device(&stat_rows[i]) == d ? help_put_stats(c, i) : 1;
}

static void put_params_of(struct console *c, const struct device *d)
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

static void put_by_device(struct console *c, void (*put)(struct console *c, const struct device *d))
{
	put(c, NULL);
	for (unsigned i = 0; i < DEVICE_COUNT; i++) {
		console_print(c, "device %s (-o %s.enable=true): %s\n", devices[i]->name,
		              devices[i]->name, devices[i]->help);
		put(c, devices[i]);
	}
}

static void put_stats(struct console *c)
{
	put_by_device(c, put_stats_of);
}

static void put_params(struct console *c)
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

static void put_csrs(struct console *c)
{
	console_print(c, "Control and status registers, by number; M: only firmware may name it. "
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

static void put_keys(struct console *c)
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
	"Mouse: click focuses and selects, double click asks why, the wheel scrolls,\n"
	"a click left of code sets a breakpoint. On the timeline a click moves its cursor,\n"
	"dragging selects, a double click goes there.\n";

static void put_mouse(struct console *c)
{
	console_print(c, "%sPopups and tabs are clicked, too.\n", help_mouse);
}

static void put_options(struct console *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
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
	              "What C can't read is Lua 5.4: tables, functions, .. and // of whole "
	              "numbers.\n"
	              "Every name must mean something, whatever stands before it. 1,000 is "
	              "1000, as it is\n"
	              "shown; not in brackets.\n\n"
	              "  a0, sp, x10, fa0   committed registers; floating point ones as numbers\n"
	              "  find, table        a symbol's address, if it is no variable of C: *table, "
	              "mem32(table)\n"
	              "  sim.ipc, l1d.misses  statistics (help stats)\n"
	              "  pipe.rob_size      parameters (help params)\n");
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		console_print(c, "  %-18s %s\n", name, help);
	console_print(c,
	              "\nA variable of the innermost block is meant, then one of the file, "
	              "then of others.\n"
	              "Registers and counts keep their names (var.cycle is the variable); "
	              "functions and\n"
	              "groups do unless the call declares the name. In what functions are "
	              "given, names of\n"
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

static void put_json(struct console *c)
{
	console_print(
		c,
		"cyclops --json PROGRAM writes an object on a line for every command, and nothing "
	        "else\n"
		"to standard output. Commands come as with --batch, from -e and -x or else "
	        "standard input.\n"
		"Every object has every key; null: there is no such answer.\n"
		"  schema       1: the shape of all this; another number if a key goes or means\n"
		"               something else\n"
		"  command      the command; of a line `a; b` each has an object\n"
		"  ok, error    whether it could be done, and why not\n"
		"  cycle        where the machine is behind it\n"
		"  text         what it said, an array of lines\n"
		"  stop         of a command that moved: reason (done, stop point, end, "
	        "interrupt,\n"
		"               beginning, input, asked), pc, insts, stop_point, seq, event with "
	        "its\n"
		"               fields, exit_status; hits: every stop point hit in this cycle,\n"
		"               with kind (break, watch, rwatch, catch), what it is about, pc,\n"
		"               seq, old and new value, left (the call it is about), event\n"
		"  value        what `print` computed\n"
		"  data         what else a command told, an object; its members are below\n"
		"  view         the view that was shown, as `view NAME --json` has it; of `info`\n"
		"               and `backtrace` what it is about: regs, fregs, breakpoints,\n"
		"               backtrace, locals, displays, history\n"
		"  stats        all statistics, of `stats`\n"
		"  instruction  of `why`: seq, and while it is in the machine what is known of it\n"
		"               (`help fields`); story: what befell it: prediction, decode,\n"
		"               outcome, data, cost and squashed_by\n"
		"  output       what the program wrote meanwhile: an array of fd and text\n"
		"Addresses are texts, 0x... What comes behind the last command has a line\n"
		"whose command is null, with schema, text and output alone. Commands of a file\n"
		"that `source` reads are part of its answer. A view has null for what is empty.\n\n"
		"data, by command (PLACE: an address with symbol, offset, file and line):\n"
		"  info status        status (running, exited, faulted, killed, stuck, broken,\n"
		"                     starved), pc PLACE, insts, newest, exit_status, signal,\n"
		"                     reason\n"
		"  info program       path, entry, digest, args, symbols, config, instrumented,\n"
		"                     firmware (path, entry, digest), then as info status\n"
		"  info registers     registers: reg, value, means; all-registers, float too\n"
		"  info symbol        address PLACE, kind (function, data), from, size\n"
		"  info line          file, line, from, to\n"
		"  info source        file, line, text, pc\n"
		"  info functions     functions: symbol, address, size\n"
		"  info variables     variables: the same\n"
		"  info memory        regions: from, to, read, write, execute, machine, name\n"
		"  frame, up, down    frame, pc PLACE\n"
		"  break, watch, ...  stop_point, what, condition; of break pc PLACE\n"
		"  print              expression, text, type (of C)\n"
		"  ptype, whatis      type\n"
		"  list               lines: file, line, text, current\n"
		"  x                  values: address, size, value, text\n"
		"  x/s                texts: address, text\n"
		"  x/i, disassemble   instructions: pc PLACE, bytes, instruction, current\n"
		"    cyclops --json -e start -e 'step 5' -e why -e 'view rob' PROGRAM\n");
}

static void put_locations(struct console *c)
{
	console_print(
		c,
		"An address, for commands, views and, as address 'words.c:41', for expressions:\n"
		"  find              a symbol; else a register\n"
		"  $sp, pc           a register, as committed\n"
		"  find+0x10, sp-8   an offset from either\n"
		"  words.c:41        a source line; words.c:find a symbol\n"
		"  41                where code is meant, a line of the current file; else an "
	        "address\n"
		"  0x1040c           an address\n"
		"  *mem64(sp)        any expression: its value is the address\n"
		"Where code is meant and nothing is said: where the oldest instruction not yet\n"
		"committed is.\n");
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

static void put_programs(struct console *c)
{
	console_print(
		c,
		"RISC-V Linux programs run: 64-bit ELF, RV64GC or RVA22U64, static or "
		"dynamically\n"
		"linked.\n"
		"  riscv64-linux-gnu-gcc -O2 -g -o prog prog.c     or just `cyclops prog.c`\n"
		"With glibc, another C library that makes Linux system calls, or none at all; with "
		"nested\n"
		"functions (code on the stack), setjmp, makecontext, code that writes code.\n\n"
		"The program's world:\n"
		"  /             the directory in which cyclops was started; .. leads no higher, "
		"links that\n"
		"                lead out lead nowhere, /etc and /tmp are there only if it has "
		"them\n"
		"  folders       of elsewhere are there with --dir /PLACE=FOLDER, to read, and "
		"with :rw behind it\n"
		"                to write; who asks outside is told so once\n"
		"  libraries     of a dynamically linked program, and its interpreter (ld.so): an "
		"absolute path\n"
		"                that / has no file of is read from the sysroot, which --sysroot "
		"FOLDER names, or\n"
		"                else is /usr/riscv64-linux-gnu; nothing of it can be changed, no "
		"link leads\n"
		"                out of it, and where it lies makes no difference\n"
		"  addresses     position-independent programs lie at sim.load_base, interpreters "
		"at\n"
		"                sim.interp_base, libraries below the stack: the same in each run\n"
		"  writing       needs --rw, else the files are read-only\n"
		"  files         inode numbers in the order of looking, one device, modes 0644 or "
		"0755, times of\n"
		"                sim.epoch: the machine's own, but for what the program itself "
		"makes, writes or\n"
		"                sets; what it may do with a file is what the file's owner may\n"
		"  /dev          null, zero, random, urandom (the same numbers each run: "
		"sim.seed); tty can't\n"
		"                be opened\n"
		"  time          made of simulated cycles (sim.clock_hz, sim.epoch); while all "
		"threads sleep it\n"
		"                goes on at once, and no cycle is counted\n"
		"  threads       of C, C++, OpenMP and Go, in turns on one processor (os.slice, "
		"os.switch): the same\n"
		"                turns in each run (`info threads`)\n"
		"  environment   empty but for --env NAME=VALUE; user, group and process number "
		"are 1000\n"
		"  descriptors   files, pipes and pairs of sockets to itself, eventfd, timerfd, "
	        "poll, "
		"select, epoll;\n"
		"                files in memory (memfd_create), mapped shared once at a time; "
		"standard input\n"
		"                is always ready\n"
		"  memory        sim.memory at most; of maps with MAP_NORESERVE what was written "
		"counts\n"
		"  signals       signal handlers run: of faults, of what the program sends to "
		"itself, of its\n"
		"                timers in simulated time\n"
		"  input         <FILE or --stdin FILE, or what is typed: on the screen on its "
		"bottom line;\n"
		"                what was typed stands in `view output`, too\n"
		"  terminal      input and output look like pipes, so that stdio keeps what is "
		"written until\n"
		"                it is much; with -o sim.terminal=true they look like a "
		"terminal\n\n"
		"What does not run yet, and what happens:\n"
		"  other processes: fork, vfork,    ENOSYS, so that system, popen and posix_spawn "
		"fail, too: run\n"
		"    posix_spawn, exec              what it would start on its own\n"
		"  signals from outside             nobody sends any: they come from the program "
		"itself, its\n"
		"                                   faults and its timers (`help handle`)\n"
		"  signalfd                         ENOSYS\n"
		"  sockets                          EAFNOSUPPORT: there is no network\n"
		"  what else is rare                ENOSYS, and a warning that names the call\n"
		"  vector and other extensions      SIGILL: what the instruction is of is told; "
		"compile with\n"
		"                                   -march=rv64gc, to which " INST_BEYOND "\n"
		"                                   may be added\n\n"
		"A program that waits for what can't come (a lock that no other thread could "
		"release, a\n"
		"signal that nobody sends, a pipe to itself) ends as stuck: what it waits for, "
		"where and how\n"
		"it got there is told, the status is 125, and reverse-step goes back from "
		"there.\n");
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

static void put_xprof(struct console *c)
{
	console_print(
		c, "Profile instructions (Vaswani, Srikant and Thazhuthaveetil, 2003) count,\n"
		   "or do whatever else instrumentation does, while the profile flag of their\n"
		   "type is on. While it is off, decode drops them, and fetch learns to skip\n"
		   "them. On other machines those behind a prefix execute always, and all the\n"
		   "rest is a no-op.\n\n"
		   "  pi.K INSTRUCTION       a profile instruction of type K, 0 to 7\n"
		   "  setpf K, resetpf K     flag K on, off: at decode, at no other cost\n"
		   "  pushpf K, poppf K      save it in the shadow of the stack, and take it back\n"
		   "  pushpf all, poppf all  the same of all eight\n"
		   "  pblen BYTES            so many bytes of profile instructions follow\n"
		   "  mark                   the next instruction is for profilers of streams\n"
		   "CSR pflags holds the flags, pfbase says where the shadow begins;\n"
		   "`set pflags = 1` switches flag 0 on.\n\n"
		   "To see it: `view pflag` (flags), `view bdt` (what fetch skips), `why`. In\n"
		   "other views what is dropped is struck out or `-`, what is skipped `⋯`.\n"
		   "To stop at it: `catch drop`, `skip`, `control`, `profile_misfetch`,\n"
		   "`flag_mispredict`, `pflag`, `bdt`; `watch pflag[0]`, `watch bdt.locked`.\n"
		   "To have it: `cyclops instrument --help`, demos/tools/README.md; `help lua\n"
		   "xprof` switches flags while the program runs. In ten steps: the tour\n"
		   "demos/tours/profile.cyc.\n\n");
}

static void put_glossary(struct console *c)
{
	for (unsigned i = 0; i < glossary_term_count; i++)
		console_print(c, "  %-22s %s\n", glossary_terms[i].name, glossary_terms[i].summary);
}

static void put_instructions(struct console *c)
{
	for (unsigned i = 0; i < glossary_instruction_count; i++)
		console_print(c, "  %-10s %s\n", glossary_mnemonic(&glossary_instructions[i]),
		              glossary_instructions[i].what);
}

static void put_plugins(struct console *c)
{
	console_print(
		c,
		"A branch predictor, a replacement policy, a prefetcher, a predictor of profile "
	        "flags or a stage of the\n"
		"sampler's compressor of your own, in Lua (demos/plugins):\n"
		"  cyclops --plugin FILE.lua ...                for bpred.kind, l1d.replacement, "
	        "l1d.prefetch,\n"
		"                                               xprof.predictor or "
	        "sampler.compressor\n"
		"  cyclops --plugin l2.prefetch=FILE.lua ...    for this parameter, which becomes "
	        "`external`\n"
		"  cyclops --plugin FILE.lua -o 'sampler.compressor=P(16), external, A(16)' ...    "
	        "among other stages\n"
		"several stages come in the order in which they are given. In scripts: "
	        "cyclops.machine{ predictor =,\n"
		"replacement = { l2 = }, prefetcher =, flags =, stage = }; stage also as a list, "
	        "and of cyclops.compressor.\n"
		"The file:\n\n"
		"  return {\n"
		"    state = { counters = { 2048, bits = 2, init = 1 } },\n"
		"    predict = function(s, pc, history) return s.counters[pc >> 1 & 2047] >= 2 "
	        "end,\n"
		"    update = function(s, pc, taken, history, predicted)\n"
		"      s.counters:add(pc >> 1 & 2047, taken and 1 or -1)\n"
		"    end,\n"
		"  }\n\n"
		"  predict(s, pc, history)   at fetch of a conditional branch, wrong paths "
	        "included: true is taken. May\n"
		"                            not change state. history: bpred.history outcomes, "
	        "the youngest in bit 0\n"
		"  update(s, pc, taken, history, predicted)\n"
		"                            when the branch commits, whatever bpred.update says\n"
		"  victim(s, set, ways)      the way that goes, from 0. ways[0] to ways[ways.n - "
	        "1] have addr, used and\n"
		"                            inserted (clocks: less is longer ago) and dirty; "
	        "empty ways never ask\n"
		"  used(s, set, way, fill)   a line was used, or has come\n"
		"  access(s, a)              an access of the cache; answers numbers of lines to "
	        "bring in, none or some.\n"
		"                            a has pc, addr, line, set, hit, prefetched (first use "
	        "of such a line), store\n"
		"  flag(s, a)                at fetch, wrong paths included: true, the flag of "
	        "this profile instruction will\n"
		"                            be on. Asked of the leader of a block that could be "
	        "skipped (a.entry: its block\n"
		"                            descriptor, a.count: its instructions), and of a "
	        "branch alone (a.entry is nil)\n"
		"                            if xprof.bpred is prediction-bit. a has pc and type, "
	        "too, and bit: what the last\n"
		"                            setpf, resetpf or poppf said that fetch knows of. May "
	        "not change state\n"
		"  decoded(s, a)             decode knows the flag of a profile instruction, wrong "
	        "paths included: a has pc,\n"
		"                            type, on, leader, entry and count of its block so "
	        "far, expected (fetch did not\n"
		"                            take it to be off)\n"
		"  take(s, pc, value, count) a message comes to this stage of the compressor, one "
	        "tuple if it is the first\n"
		"                            stage: count tuples <pc, value>, the stream's tag in "
	        "the upper byte of pc.\n"
		"                            Answers nothing, it is kept; or pc, value, count: "
	        "what goes on\n"
		"  drain(s)                  software asks for what is kept: the next message of "
	        "it, or nothing\n\n"
		"state: tables of whole numbers, { ENTRIES, bits = 1..64, signed = true, init = N "
	        "or a list that is\n"
		"repeated }. Entries are s.NAME[0] to s.NAME[#s.NAME - 1]; s.NAME:add(i, n) stops "
	        "at the least and most.\n"
		"What they take in hardware, entries times bits, is said by `view bpred`, `pflag` "
	        "and `compressor`; a\n"
		"stage's table `counts` is what `view buckets` shows.\n"
		"State is part of the machine: stepping back, checkpoints and `goto` have it "
	        "right. Nothing else is kept:\n"
		"globals and shared tables are read-only, and a local variable that a call changed "
	        "ends the run, as does\n"
		"any error, with file, line and cycle; the state before it is there to be looked "
	        "at. pairs, math.random and\n"
		"texts of tables are missing, for they are not the same in every run.\n");
}

const struct help_page help_pages[] = {
	{"commands", "every command", help_put_commands},
	{"views", "every view of the machine", put_views},
	{"reports", "every report on a run", put_reports},
	{"events", "every event, for `catch`", put_events},
	{"fields", "what is known of an instruction in flight", put_fields},
	{"stats", "every statistic", put_stats},
	{"statistics", "every statistic", put_stats},
	{"params", "every parameter of the machine", put_params},
	{"parameters", "every parameter of the machine", put_params},
	{"csrs", "every control and status register", put_csrs},
	{"glossary", "every word of the field that is explained", put_glossary},
	{"instructions", "every instruction: what it does", put_instructions},
	{"keys", "every key of the screen", put_keys},
	{"mouse", "what the mouse does on the screen", put_mouse},
	{"options", "options of the command line", put_options},
	{"expressions", "what print, watch and conditions compute", put_expressions},
	{"json", "what programs read: cyclops --json, an object a line", put_json},
	{"locations", "how places in the program are named", put_locations},
	{"exports", "what can be written to files", put_exports},
	{"plugins", "predictors, replacement policies, prefetchers and compressor stages in Lua",
         put_plugins},
	{"values", "customisation modules of the value sampler, in Lua", help_put_values},
	{"programs", "which programs run, what their world is, and what does not run yet",
         put_programs},
	{"xprof",
         "profile instructions and flags: what they are, what shows them, statistics and "
         "parameters",
         put_xprof},
	{"microcode", "how programs of the profiling co-processor are written, and their encoding",
         help_put_microcode},
	{"gdb", "debugging with gdb itself: cyclops gdb", help_put_gdb},
	{"dap", "debugging from an editor: cyclops dap", help_put_dap},
	{"lua", "what scripts can do: machines as objects, hooks", help_lua_put_areas},
	{"sweep", "what stands in the file of `cyclops sweep`", sweep_put_help},
};
const unsigned help_page_count = sizeof help_pages / sizeof *help_pages;
