/* Every parameter has the effect described by help: a program runs with two values of it, and a
 * statistic moves as it must, by the stated amount where that follows. Parameters of pipeline,
 * predictors and memory system are tests/timing's, which fails for one that no check of its own
 * notices; a parameter without an effect on statistics names its test elsewhere. A parameter with
 * neither fails. */
#include "tests/stats/recount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"

enum moves { LESS, MORE, OTHER, BY };

#define CACHES "l1i.size=1K l1d.size=1K l2.size=4K bdt.fence_i=false "
#define SAMPLER "sampler.enable=true sampler.compressor=R(2) "
#define COP "cop.enable=true "
#define EDGES "build/demos/firmware/cop_edges.elf"
#define VALUES                                                                                     \
	"vsample.enable=true vsample.interval_min=100 vsample.interval_max=100 "                   \
	"vsample.interrupt_cycles=20 vsample.start_cycles=10 "                                     \
	"vsample.inst_cycles=7 vsample.tuple_cycles=5 vsample.every=1 vsample.service=1 "
#define BARE                                                                                       \
	VALUES "vsample.code_lines=0 vsample.data_lines=0 vsample.varied_lines=0 "                 \
	       "vsample.inst_lines=0 "
#define UPCALL BARE "vsample.method=upcall "
#define BOUNCE BARE "vsample.method=bounce "

/* ---- effects beside statistics ---- */
typedef uint64_t look_fn(const struct machine *m);

static uint64_t effects_oracle_entries(const struct machine *m, enum oracle_table_id table)
{
	return oracle_entries(oracle_of(machine_pipe(m)->prof), table);
}

#define LOOK(name, table)                                                                          \
	static uint64_t name(const struct machine *m)                                              \
	{                                                                                          \
		return effects_oracle_entries(m, ORACLE_##table);                                  \
	}
LOOK(edges, EDGES)
LOOK(contexts, ARCS)
LOOK(values, VALUES)
LOOK(addresses, ADDRESSES)
LOOK(loads, LOADS)
LOOK(replays, REPLAYS)
LOOK(speculative, SPECULATION)
#undef LOOK

/* True if the program may write so many bytes below a stack's top. */
static uint64_t below_stack(const struct machine *m)
{
	return mem_prot_at(machine_pipe(m)->ram, machine_reg(m, 2) - (1 << 20));
}

/* ---- the parameters ---- */
/* With value a the statistic is ... than with b. BY: less what waiting for memory took, it differs
 * by (a - b) times the statistic `per`. */
static const struct effect {
	const char *parameter, *base, *a, *b, *statistic;
	enum moves moves;
	const char *per, *firmware, *microprogram;
	look_fn *look; /* instead of a statistic */
} effects[] = {
#define EFFECT(name, with, first, second, counts, how, ...)                                        \
	{                                                                                          \
		.parameter = (name), .base = (with), .a = (first), .b = (second),                  \
		.statistic = (counts), .moves = (how), __VA_ARGS__                                 \
	}
	EFFECT("xprof.enable", CACHES, "true", "false", "xprof.fetched", MORE, ),
	EFFECT("xprof.bpred", CACHES, "ignored-update", "flag", "xprof.misfetches", MORE, ),
	EFFECT("bdt.sets", CACHES, "64", "0", "xprof.skips", MORE, ),
	EFFECT("bdt.ways", CACHES "bdt.sets=1", "16", "1", "xprof.skips", MORE, ),
	EFFECT("bdt.min_block", CACHES, "4", "1000", "xprof.skips", MORE, ),
	EFFECT("bdt.skip_penalty", CACHES, "9", "0", "sim.cycles", MORE, ),
	EFFECT("bdt.fence_i", "", "false", "true", "xprof.skips", MORE, ),
	EFFECT("sim.seed", CACHES "l1d.replacement=random", "1", "2", "l1d.misses", OTHER, ),

	EFFECT("sampler.enable", "", "true", "false", "sampler.selected", MORE, ),
	EFFECT("sampler.select", SAMPLER, "value", "edge", "sampler.selected", MORE, ),
	EFFECT("sampler.compressor", "sampler.enable=true", "R(2)", "R(8)", "sampler.messages",
               MORE, ),
	EFFECT("sampler.seed", SAMPLER, "1", "2", "sampler.messages", OTHER, ),
	EFFECT("sampler.tuple_queue", SAMPLER, "1", "256", "sampler.dropped", MORE, ),
	EFFECT("sampler.message_queue", SAMPLER, "1", "1000", "sampler.messages_dropped", MORE, ),
	EFFECT("sampler.reader", SAMPLER, "interrupt", "service", "firmware.interrupts", MORE,
               .firmware = "build/demos/firmware/sampler.elf"),
	EFFECT("sampler.threshold", SAMPLER "sampler.reader=interrupt", "5", "50",
               "firmware.interrupts", MORE, .firmware = "build/demos/firmware/sampler.elf"),
	EFFECT("sampler.service", SAMPLER, "1000", "1", "sampler.late", MORE, ),
	EFFECT("sampler.model_message", SAMPLER, "70", "30", "sampler.model_cycles", BY,
               .per = "sampler.messages"),
	EFFECT("sampler.model_interrupt", SAMPLER "sampler.threshold=1", "500", "200",
               "sampler.model_cycles", BY, .per = "sampler.messages"),

	EFFECT("cop.divider", COP, "4", "1", "cop.clocks", LESS, .firmware = EDGES),
	EFFECT("cop.transport", COP, "8", "256", "cop.dropped", MORE, .firmware = EDGES),
	EFFECT("cop.bus", COP "cop.transport=8", "1", "8", "cop.dropped", MORE, .firmware = EDGES),
	EFFECT("cop.bus_latency", COP "cop.buffer=1024", "64", "1", "cop.samples", OTHER,
               .firmware = EDGES),
	EFFECT("cop.buffer", COP "cop.divider=4", "8", "1024", "cop.lost", MORE, .firmware = EDGES),
	EFFECT("cop.watchdog", COP, "3", "0", "cop.faults", MORE,
               .microprogram = "demos/microcode/edges.mic"),
	EFFECT("cop.access", COP, "1000", "0", "firmware.cycles", MORE, .firmware = EDGES),
	EFFECT("cop.data", COP, "1", "1024", "cop.faults", MORE,
               .microprogram = "tests/stats/faulting.mic"),

	EFFECT("vsample.enable", VALUES, "true", "false", "vsample.interrupts", MORE, ),
	EFFECT("vsample.method", VALUES, "bounce", "handler", "vsample.bounces", MORE, ),
	EFFECT("vsample.interval_min", VALUES, "10", "100", "vsample.interrupts", MORE, ),
	EFFECT("vsample.interval_max", VALUES, "500", "100", "vsample.interrupts", LESS, ),
	EFFECT("vsample.seed", VALUES "vsample.interval_min=10", "1", "2", "sim.cycles", OTHER, ),
	EFFECT("vsample.every", VALUES, "3", "1", "vsample.interpretations", LESS, ),
	EFFECT("vsample.length", VALUES, "2", "1", "vsample.insts", MORE, ),
	EFFECT("vsample.skip_min", VALUES, "9", "-1", "vsample.insts", MORE, ),
	EFFECT("vsample.skip", VALUES, "9", "0", "vsample.insts", MORE, ),
	EFFECT("vsample.capture", VALUES, "all", "result", "vsample.contexts", MORE, ),
	EFFECT("vsample.queue", VALUES "vsample.service=100000", "1", "512", "vsample.lost",
               MORE, ),
	EFFECT("vsample.service", VALUES "vsample.queue=1", "100000", "1", "vsample.lost", MORE, ),
	EFFECT("vsample.interrupt_cycles", BARE, "200", "20", "vsample.cycles", BY,
               .per = "vsample.interrupts"),
	EFFECT("vsample.start_cycles", BARE, "100", "10", "vsample.cycles", BY,
               .per = "vsample.interpretations"),
	EFFECT("vsample.inst_cycles", BARE, "40", "7", "vsample.cycles", BY,
               .per = "vsample.insts"),
	EFFECT("vsample.tuple_cycles", BARE, "50", "5", "vsample.cycles", BY,
               .per = "vsample.tuples"),
	EFFECT("vsample.context_cycles", BARE "vsample.capture=all", "50", "5", "vsample.cycles",
               BY, .per = "vsample.contexts"),
	EFFECT("vsample.upcall_cycles", UPCALL, "50", "5", "vsample.cycles", BY,
               .per = "vsample.upcalls"),
	EFFECT("vsample.return_cycles", UPCALL, "50", "5", "vsample.cycles", BY,
               .per = "vsample.upcalls"),
	EFFECT("vsample.fault_cycles", UPCALL "vsample.interval_min=20 vsample.interval_max=20",
               "50", "5", "vsample.cycles", BY, .per = "vsample.faults"),
	EFFECT("vsample.code_lines", BARE, "30", "0", "l1i.accesses", MORE, ),
	EFFECT("vsample.data_lines", BARE, "15", "0", "l1d.accesses", MORE, ),
	EFFECT("vsample.varied_lines", BARE, "40", "0", "l1d.accesses", MORE, ),
	EFFECT("vsample.inst_lines", BARE, "6", "0", "l1i.accesses", MORE, ),
	EFFECT("vsample.library_lines", UPCALL, "12", "0", "l1i.accesses", MORE, ),
	EFFECT("vsample.frame_bytes", UPCALL, "512", "64", "l1d.accesses", MORE, ),
	EFFECT("vsample.deadline", VALUES "vsample.length=9", "40", "0", "vsample.stop_deadline",
               MORE, ),
	EFFECT("vsample.bounce_cycles", BOUNCE, "120", "12", "vsample.stop_far", MORE, ),
	EFFECT("vsample.bounce_step", BOUNCE "vsample.bounce_cycles=1", "1", "40",
               "vsample.retries", MORE, ),
	EFFECT("vsample.bounce_max", BOUNCE "vsample.bounce_cycles=1", "1", "200",
               "vsample.stop_stuck", MORE, ),
	EFFECT("vsample.protect_from", VALUES "vsample.protect_to=0x38000 vsample.length=9",
               "0x30000", "0x37ff8", "vsample.stop_protected", MORE, ),
	EFFECT("vsample.protect_to", VALUES "vsample.protect_from=0x30000 vsample.length=9",
               "0x38000", "0x30001", "vsample.stop_protected", MORE, ),

	EFFECT("profileme.enable", "", "true", "false", "profileme.decoded", MORE, ),
	EFFECT("profileme.interval_min", "profileme.enable=true profileme.interval_max=200", "200",
               "1", "profileme.records", LESS, ),
	EFFECT("profileme.interval_max", "profileme.enable=true", "500", "5", "profileme.records",
               LESS, ),
	EFFECT("profileme.seed", "profileme.enable=true profileme.interval_max=50", "1", "2",
               "profileme.records", OTHER, ),
	EFFECT("profileme.reader", VALUES "profileme.enable=true profileme.interval_max=10",
               "daemon", "handler", "profileme.records", MORE, ),
	EFFECT("oracle.enable", "", "true", "false", "oracle.insts", MORE, ),
	EFFECT("oracle.blocks", "oracle.enable=true", "true", "false", NULL, MORE, .look = edges),
	EFFECT("oracle.contexts", "oracle.enable=true", "true", "false", NULL, MORE,
               .look = contexts),
	EFFECT("oracle.values", "oracle.enable=true", "all", "loads", NULL, MORE, .look = values),
	EFFECT("oracle.addresses", "oracle.enable=true", "true", "false", NULL, MORE,
               .look = addresses),
	EFFECT("oracle.loads", "oracle.enable=true", "true", "false", NULL, MORE, .look = loads),
	EFFECT("oracle.replays", "oracle.enable=true lsq.replay_size=true", "true", "false", NULL,
               MORE, .look = replays),
	EFFECT("oracle.speculative", "oracle.enable=true", "true", "false", NULL, MORE,
               .look = speculative),
	EFFECT("sim.stack", "", "8M", "64K", NULL, MORE, .look = below_stack),
#undef EFFECT
};

/* The file has this text: where the effect shows in no statistic. */
static const struct {
	const char *parameter, *test, *says;
} elsewhere[] = {
	{"isa", "tests/diff/march.sh", "-o isa=rv64gc"},
	{"os.slice", "tests/threads/run.sh", "-o os.slice=1000 -o os.switch=0"},
	{"os.switch", "tests/threads/run.sh", "a switch costs what os.switch says"},
	{"bdt.replacement", "tests/xprof/test_bdt_blocks.c", "bdt.replacement=fifo"},
	{"bpred.indirect", "tests/lua/test_plugin_targets.lua", "of the target buffer"},
	{"btb.kind", "tests/lua/test_plugin_targets.lua", "check.eq(b.btb.hits, a.btb.hits)"},
	{"xprof.predictor", "tests/lua/test_plugin_prof.lua", "it is wrong less often"},
	{"firmware.enable", "tests/unit/prof/test_vsample_beside.c", "{\"firmware.enable=true\", NULL}"},
	{"sampler.exact", "tests/reverse/test_sampler.c", "sampler.exact"},
	{"sampler.memory", "tests/reverse/test_sampler.c", "sampler.memory=1M"},
	{"sampler.min_count", "tests/reverse/test_sampler.c", "sampler.min_count=20"},
	{"sampler.invariant", "tests/reverse/test_sampler.c", "sampler.invariant=5"},
	{"sampler.covered", "tests/reverse/test_sampler.c", "sampler.covered=30"},
	{"cop.enable", "tests/lua/test_cop.lua", "has no co-processor: it needs cop.enable=true"},
	{"cop.microcode", "tests/unit/prof/test_cop_host.c", "cop.microcode=33"},
	{"cop.filter", "tests/unit/prof/cop_subjects.h", "cop.filter=1K"},
	{"cop.filter_hashes", "tests/unit/prof/cop_subjects.h", "cop.filter_hashes=4"},
	{"cop.cam", "tests/unit/prof/test_cop_host.c", "cop.cam=64"},
	{"cop.seed", "tests/cop/test_value_machine.lua", "[\"cop.seed\"] = 9"},
	{"vsample.red_zone", "tests/unit/prof/test_vsample_methods.c", "vsample.red_zone=1000"},
	{"profileme.memory", "tests/unit/prof/test_profileme_told.c", "profileme.memory=262144"},
	{"values.modules", "tests/unit/cells/test_view_cells_values.c", "load_modules(\"results\""},
	{"values.method", "tests/unit/prof/test_value_daemon.c", "values.method=all"},
	{"values.entries", "tests/unit/prof/test_value_daemon.c", "values.entries=4"},
	{"values.f_up", "tests/unit/prof/test_value_daemon.c", "values.f_up=4"},
	{"values.f_down", "tests/unit/prof/test_value_daemon.c", "values.f_down=3"},
	{"values.clear", "tests/unit/prof/test_value_daemon.c", "values.clear=50"},
	{"values.seed", "tests/unit/prof/test_value_daemon.c", "cfg->values_seed"},
	{"values.memory", "tests/unit/prof/test_value_daemon.c", "cfg->values_memory"},
	{"values.invariant", "tests/hints/run.sh", "values.invariant=95"},
	{"values.least", "tests/hints/run.sh", "values.least=1000000"},
	{"values.gain", "tests/hints/run.sh", "values.gain=1000"},
	{"oracle.values_from", "tests/reverse/test_oracle.c", "oracle.values_from=%#lx"},
	{"oracle.values_to", "tests/reverse/test_oracle.c", "oracle.values_to=%#lx"},
	{"oracle.memory", "tests/reverse/test_oracle.c", "oracle.memory=1M"},
	{"sim.load_base", "tests/dynamic/run.sh", "sim.load_base=0x50000000"},
	{"sim.interp_base", "tests/dynamic/run.sh", "sim.interp_base=0x2f00000000"},
	{"sim.clock_hz", "tests/compare/run.sh", "sim.clock_hz=1000000 -- ./guest clock"},
	{"sim.epoch", "tests/compare/run.sh", "sim.epoch=2000000000"},
	{"sim.hostname", "tests/lua/test_looking.lua", "[\"sim.hostname\"] = "},
	{"sim.terminal", "tests/tty/input.sh", "set sim.terminal = true"},
	{"sim.memory", "tests/cli/run.sh", "sim.memory=2M"},
	{"sim.debug_memory", "tests/unit/loader/test_debug_limit.c",
         "more memory than sim.debug_memory allows"},
	{"sim.lua_memory", "tests/lua/safe.sh", "sim.lua_memory=16M"},
	{"lua.hook_budget", "tests/lua/test_hooks.lua", "lua.hook_budget"},
};

static double effects_run_value(const struct effect *e, const char *value, double *per)
{
	char options[1024];
	snprintf(options, sizeof options, "%s %s=%s", e->base, e->parameter, value);
	struct session *s = open_run(&(struct opening){.options = options,
	                                               .guest = "guest",
	                                               .firmware = e->firmware,
	                                               .microprogram = e->microprogram});
	machine_run(s->machine, 20000000, UINT64_MAX);
	if (machine_status(s->machine) != MACHINE_EXITED)
		give_up(options);
	const struct stats *st = machine_stats(s->machine);
	const double counted =
		e->look ? (double)e->look(s->machine)
			: stat_value(st, stat_find(e->statistic, NULL)) -
				  (e->moves == BY ? (double)st->vsample_memory_cycles : 0);
	*per = e->per ? stat_value(st, stat_find(e->per, NULL)) : 0;
	session_free(s);
	return counted;
}

static bool moves_so(const struct effect *e, double a, double b, double per)
{
	switch (e->moves) {
	case LESS:
		return a < b;
	case MORE:
		return a > b;
	case OTHER:
		return a != b;
	case BY:
		return per > 0 && a - b == (atof(e->a) - atof(e->b)) * per;
	}
	return false;
}

static void effects_check_effect(struct bench *bench, const struct effect *e)
{
	static const char *const said[] = {[LESS] = "less",
	                                   [MORE] = "more",
	                                   [OTHER] = "other",
	                                   [BY] = "more, by the difference for each"};
	double per, again;
	const double a = effects_run_value(e, e->a, &per), b = effects_run_value(e, e->b, &again);
	const bool ok = moves_so(e, a, b, per) && per == again;
	bench->passed += ok;
	bench->failed += !ok;
	if (!ok)
		printf("FAIL   %s: %s is %.15g with %s and %.15g with %s, should be %s%s%s "
		       "(%.15g)\n",
		       e->parameter, e->look ? "what it is about" : e->statistic, a, e->a, b, e->b,
		       said[e->moves], e->per ? " of " : "", e->per ? e->per : "", per);
}

/* tests/timing: main.c tries each of them, and fails for an effect that no check of its groups
 * detects. */
static bool is_timing(const char *parameter)
{
	static const char *const parts[] = {"pipe.", "lsq.",  "fu.",   "lat.", "occ.", "bpred.",
	                                    "btb.",  "ras.",  "l1i.",  "l1d.", "l2.",  "mem.",
	                                    "bus.",  "itlb.", "dtlb.", "tlb."};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strncmp(parameter, parts[i], strlen(parts[i])))
			return true;
	return false;
}

static bool effects_names_parameter(struct bench *bench, const char *parameter)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (!strcmp(effects[i].parameter, parameter))
			return true;
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (strcmp(elsewhere[i].parameter, parameter) != 0)
			continue;
		const bool ok = file_says(elsewhere[i].test, elsewhere[i].says);
		bench->failed += !ok;
		if (!ok)
			printf("FAIL   %s: nothing in %s says '%s' any more\n", parameter,
			       elsewhere[i].test, elsewhere[i].says);
		return true;
	}
	return is_timing(parameter);
}

void check_effects(struct bench *bench)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		effects_check_effect(bench, &effects[i]);
	for (size_t i = 0; i < param_count; i++) {
		const bool ok = effects_names_parameter(bench, params[i].name);
		bench->passed += ok;
		bench->failed += !ok;
		if (!ok)
			printf("FAIL   nothing says what %s does: add a row to "
			       "tests/stats/effects.c\n",
			       params[i].name);
	}
}
