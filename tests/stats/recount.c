/* Every counter of stats.def, counted a second time: programs run under configurations that make
 * each of them count, and under random ones, and what tests/stats/watch.h has seen, or a sum
 * that has to hold, must equal the statistic. A row that no run counts, or that has no rule
 * here, fails; a few are counted by a model in another test, which is named. */
#include "tests/stats/recount.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/textbuf.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "tests/stats/recount_rows.h"
#include "tests/stats/watch.h"

/* ---- runs ---- */
#define CACHES "l1i.size=1K l1d.size=1K l2.size=4K bdt.fence_i=false "
#define QUIET CACHES "xprof.enable=false "
#define VALUES                                                                                     \
	QUIET "vsample.enable=true vsample.every=1 vsample.interval_min=20 "                       \
	      "vsample.interval_max=30 vsample.interrupt_cycles=20 "                               \
	      "vsample.start_cycles=10 vsample.inst_cycles=7 vsample.tuple_cycles=5 "              \
	      "vsample.context_cycles=3 vsample.capture=all "
#define BOUNCE VALUES "vsample.method=bounce "
static const struct opening runs[] = {
	{.options = CACHES "bdt.skip_penalty=2", .guest = "guest"},
	{.options = CACHES "xprof.bpred=ignored-update oracle.enable=true",
         .guest = "guest",
         .functional = 200},
	{.options = QUIET "lsq.speculate=true lsq.replay_size=true lsq.replay_synonym=32K",
         .guest = "late"},
	{.options = QUIET "lsq.speculate=true lsq.predictor=store-sets lsq.predictor_clear=0",
         .guest = "guest"},
	{.options = QUIET "l1i.prefetch=next-line l1d.prefetch=next-line l2.prefetch=next-line "
                          "l1d.mshrs=0 l1d.mshr_targets=0",
         .guest = "guest"},
	{.options = QUIET "pipe.rob_size=48 lsq.size=8 l1d.mshrs=1 l1d.write_buffer=2 dtlb.sets=1 "
                          "dtlb.ways=2 itlb.sets=1 itlb.ways=2",
         .guest = "guest"},
	{.options = QUIET "l1d.mshr_targets=1 pipe.rob_size=24", .guest = "guest"},
	{.options = QUIET "l1d.mshrs=0 l1d.mshr_targets=0 l2.ports=1 l2.mshrs=1 pipe.int_writes=1 "
                          "pipe.fp_writes=1 fu.div=1 pipe.rob_size=24",
         .guest = "guest"},
	{.options = QUIET "pipe.issue_queue=6 fu.mem=1 fu.fmuldiv=1 lat.int=2 btb.sets=4",
         .guest = "guest"},
	{.options = QUIET "l1i.size=8K pipe.rob_size=16 fu.int=1 fu.fadd=1 fu.fmuldiv=1",
         .guest = "units"},
	{.options = QUIET "pipe.fetch_queue=2 pipe.issue_width=1", .guest = "guest"},
	{.options = QUIET "pipe.decode_width=1 lat.fadd=60 fu.fadd=1", .guest = "faulting"},
	{.options = QUIET "profileme.enable=true profileme.reader=daemon profileme.interval_max=40",
         .guest = "guest"},
	{.options = QUIET, .guest = "guest", .firmware = "build/demos/firmware/tick.elf"},
	{.options = QUIET "sampler.enable=true sampler.compressor=R(2) sampler.message_queue=3 "
                          "sampler.threshold=7 sampler.tuple_queue=1",
         .guest = "guest"},
	{.options = QUIET "sampler.enable=true sampler.select=address sampler.compressor=H(P(4),8) "
                          "sampler.reader=interrupt sampler.threshold=20",
         .guest = "guest",
         .firmware = "build/demos/firmware/sampler.elf"},
	{.options = QUIET "cop.enable=true cop.transport=8 cop.buffer=8 cop.divider=2",
         .guest = "guest",
         .firmware = "build/demos/firmware/cop_edges.elf"},
	{.options = QUIET "cop.enable=true cop.divider=4 cop.data=8 cop.cam=4",
         .guest = "guest",
         .firmware = "build/tests/cop/forgets.elf"},
	{.options = QUIET "cop.enable=true cop.data=1",
         .guest = "guest",
         .microprogram = "tests/stats/faulting.mic"},
	{.options = QUIET "cop.enable=true",
         .guest = "guest",
         .microprogram = "demos/microcode/sample.mic"},
	{.options = VALUES "vsample.queue=1 vsample.deadline=80",
         .guest = "guest",
         .firmware = "build/demos/firmware/tick.elf"},
	{.options =
                 VALUES "vsample.protect_from=0x30000 vsample.protect_to=0x38000 vsample.length=50",
         .guest = "guest"},
	{.options = VALUES "vsample.length=50", .guest = "faulting"},
	{.options = VALUES "vsample.method=upcall vsample.fault_cycles=1009",
         .guest = "guest",
         .firmware = "build/demos/firmware/tick.elf"},
	{.options = VALUES "vsample.method=upcall vsample.red_zone=0 vsample.frame_bytes=512",
         .guest = "guest"},
	{.options = BOUNCE, .guest = "guest"},
	{.options = BOUNCE "vsample.bounce_cycles=1 vsample.bounce_max=1", .guest = "guest"},
	{.options = BOUNCE "vsample.bounce_cycles=120", .guest = "guest"},
};

enum { RUNS = sizeof runs / sizeof *runs };

/* ---- rows with a model in another test ---- */
static const struct {
	const char *row, *test, *says; /* the file has this text */
} elsewhere[] = {
	{"issue.waw", "tests/timing/textbook.c", "check(b, \"issue.waw\", options"},
	{"issue.write_ports", "tests/timing/textbook.c", "check(b, \"issue.write_ports\", options"},
	{"lsq.write_ports", "tests/timing/ports.c", "check(b, \"lsq.write_ports\", options"},
	{"l1d.port_waits", "tests/timing/ports.c", "crowd, 0, 1, \"l1d.port_waits\""},
	{"l2.port_waits", "tests/timing/ports.c", "crowd, 64, 1, \"l2.port_waits\""},
	{"l2.mshr_waits", "tests/timing/ports.c", "crowd, 64, 1, \"l2.mshr_waits\""},
	{"profileme.lost", "tests/unit/prof/test_profileme_told.c",
         "machine_stats(m)->profileme_lost"},
	{"oracle.lost", "tests/reverse/test_oracle.c", "s->oracle_lost, o->head.lost_all"},
	{"slots.write_port", "tests/timing/slots.c", "\"write_port\"}"},
	{"slots.l1d_port", "tests/timing/slots.c", "\"l1d_port\"}"},
	{"slots.os_switch", "tests/threads/run.sh", "a switch costs what os.switch says"},
	{"slots.in_order", "tests/timing/slots.c", "\"in_order\"}"},
	{"slots.register_write", "tests/timing/slots.c", "\"register_write\"}"},
	{"slots.early_branch", "tests/timing/slots.c", "\"early_branch\"}"},
	{"slots.fetch_port", "tests/timing/slots.c", "\"slots.fetch_port\"), saved"},
	{"fetch.stall_port", "tests/timing/slots.c", "\"fetch.stall_port\"));"},
	{"vsample.misjudged", "tests/unit/prof/test_vsample_bounce.c", "s->vsample_misjudged, 1"},
	{"xprof.unreached", "tests/xprof/test_stack.c",
         "stat(m, \"xprof.unreached\"), cases[i].reached ? 0 : 2"},
	{"os.switches", "tests/threads/run.sh", "print n[\"os.switches\"]"},
	{"os.slices", "tests/threads/run.sh", "$1 == \"os.slices\""},
	{"vsample.wrong_tuples", "tests/unit/prof/test_vsample_bounce.c",
         "s->vsample_wrong, misled ? n : 0"},
};

/* ---- rows that nothing can count ---- */
static const struct {
	const char *row, *why;
} never[] = {
	{"dispatch.unresolved",
         "at the end of a program all has resolved: slots_end() looks at it in each cycle"},
	{"dispatch.waited",
         "at the end of a program all has resolved: tests/timing/slots.c looks at its effect"},
};

/* ---- running ---- */
#define COP_REGISTERS (DEVICE_BASE + UINT64_C(0x100) * PAGE_BYTES) /* devices.def */

static void recount_test_parse_options(struct config *cfg, const char *options)
{
	struct err err;
	char text[4096], *rest = text;
	config_default(cfg);
	snprintf(text, sizeof text, "%s", options);
	for (char *word; (word = strtok_r(rest, " ", &rest));)
		if (!config_set_assignment(cfg, word, &err))
			give_up(err.msg);
}

struct session *open_run(const struct opening *o)
{
	char guest[64], *argv[] = {(char *)"guest", NULL};
	struct err err;
	struct session_options opt = {
		.launch = {.path = guest,
	                   .argc = 1,
	                   .argv = argv,
	                   .stdin_fd = -1,
	                   .output = os_no_output,
	                   .firmware = o->firmware,
	                   .microprogram = o->microprogram},
		.fast_forward = o->functional,
	};
	snprintf(guest, sizeof guest, "build/tests/stats/%s", o->guest);
	recount_test_parse_options(&opt.cfg, o->options);
	struct session *s = session_open(&opt, &err);
	if (!s)
		give_up(err.msg);
	return s;
}

static void recount_test_run_opening(const struct opening *r)
{
	struct session *s = open_run(r);
	if (r->microprogram) { /* records of a class that it has no routine for */
		struct prof *d = machine_pipe(s->machine)->prof;
		prof_write(d, COP_REGISTERS + COP_CLASSES, 1u << INST_LOAD | 1u << INST_STORE);
		prof_write(d, COP_REGISTERS + COP_START + 8 * INST_STORE, MICRO_NO_ROUTINE);
	}
	struct watch *w = watch_new(s->machine, machine_config(s->machine));
	watch_run(w, 3000000);
	recount_compare(w, r);
	watch_free(w);
	session_free(s);
}

/* ---- machines at random ---- */

enum { DRAWN = 80 };

/* A watch has rules for any value of these but for the choices external, perfect and taken. */
static const char drawn[] =
	" pipe.fetch_width pipe.fetch_queue pipe.decode_width pipe.issue_width pipe.commit_width "
	"pipe.rob_size pipe.int_writes pipe.fp_writes pipe.memory_stage lsq.size "
	"lsq.speculate lsq.predictor lsq.predictor_size lsq.store_sets lsq.predictor_clear "
	"lsq.replay_size lsq.replay_synonym lsq.agen_latency lsq.forward_latency fu.int fu.imuldiv "
	"fu.fadd fu.fmuldiv fu.div fu.mem lat.int lat.imul lat.idiv occ.idiv lat.fadd lat.fmul "
	"lat.fma lat.fdiv occ.fdiv lat.fsqrt occ.fsqrt bpred.kind bpred.update bpred.penalty "
	"bpred.bimodal_size bpred.l1_size bpred.l2_size bpred.history bpred.meta_size "
	"bpred.perceptrons btb.sets btb.ways bdt.sets bdt.ways bdt.min_block bdt.skip_penalty "
	"ras.size l1i.ways l1i.line l1d.line l1d.latency l1d.mshrs l1d.mshr_targets l2.ways "
	"l2.line bus.bytes bus.cycles itlb.sets itlb.ways "
	"dtlb.sets dtlb.ways tlb.page tlb.penalty ";

static bool recount_is_drawn(const struct param *p, uint64_t *random)
{
	char word[64];
	snprintf(word, sizeof word, " %s ", p->name);
	*random ^= hash_text(p->name);
	return strstr(drawn, word) && hash_splitmix64_next(random) % 6 == 0;
}

/* Adds words name=value to the text for a sixth of those parameters, at random. */
static void recount_draw_options(uint64_t seed, char *text, size_t n)
{
	struct textbuf out = {text, n, strlen(text)};
	struct config cfg;
	recount_test_parse_options(&cfg, text);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		uint64_t random = seed;
		if (!recount_is_drawn(p, &random))
			continue;
		const int64_t least = p->min > p->def / 16 ? p->min : p->def / 16;
		const int64_t most = p->max < 4 * p->def + 8 ? p->max : 4 * p->def + 8;
		const uint64_t range = (uint64_t)(most - least + 1);
		int64_t value = least + (int64_t)(hash_splitmix64_next(&random) % range);
		if (random >> 63 && value > 0)
			value = INT64_C(1) << (63 - __builtin_clzll((uint64_t)value));
		struct config next = cfg;
		char shown[PARAM_TEXT_MAX];
		struct err err;
		if (!config_set_int(&next, p, value, &err) || !config_check(&next, &err) ||
		    strstr("external perfect taken", config_format(&next, p, shown, sizeof shown)))
			continue;
		cfg = next;
		textbuf_add(&out, "%s=%s ", p->name, shown);
	}
}

static void recount_test_run_random(uint64_t seed)
{
	static const char *const guests[] = {"guest", "guest", "late", "units"};
	char options[4096];
	snprintf(options, sizeof options, "%s", seed % 4 ? QUIET : CACHES);
	recount_draw_options(seed, options, sizeof options);
	const struct opening r = {.options = options, .guest = guests[seed % 4], .drawn = true};
	recount_test_run_opening(&r);
}

/* ---- is anything forgotten? ---- */
bool file_says(const char *path, const char *text)
{
	/* White space does not count, so that lines may be broken anywhere. */
	static char text_of[1 << 20], want[256];
	size_t n = 0, m = 0;
	FILE *f = fopen(path, "r");
	for (int c; f && n < sizeof text_of - 1 && (c = fgetc(f)) != EOF;)
		if (!isspace(c))
			text_of[n++] = (char)c;
	if (f)
		fclose(f);
	for (; *text && m < sizeof want - 1; text++)
		if (!isspace((unsigned char)*text))
			want[m++] = *text;
	text_of[n] = want[m] = '\0';
	return strstr(text_of, want);
}

static bool recount_test_is_checked_elsewhere(const char *name)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (!strcmp(elsewhere[i].row, name)) {
			const bool ok = file_says(elsewhere[i].test, elsewhere[i].says);
			if (!ok)
				printf("FAIL   %s: %s does not check it any more: nothing there "
				       "says '%s'\n",
				       name, elsewhere[i].test, elsewhere[i].says);
			all.bench.failed += !ok;
			return true;
		}
	return false;
}

static bool is_never(const char *name)
{
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (!strcmp(never[i].row, name))
			return true;
	return false;
}

static void check_all_rows(void)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		const char *name = stat_rows[i].name;
		if (stat_rows[i].derived || recount_test_is_checked_elsewhere(name))
			continue;
		const bool ok = all.said[i] && all.counted[i] != is_never(name);
		all.bench.passed += ok;
		all.bench.failed += !ok;
		if (!all.said[i])
			printf("FAIL   %s is counted once only: tests/stats/recount_rows.c has to "
			       "compute it, too\n",
			       name);
		else if (!ok)
			printf("FAIL   %s is 0 in all runs of tests/stats/recount.c: add one that "
			       "makes it count\n",
			       name);
	}
}

int main(int argc, char **argv)
{
	all.said = calloc(stat_row_count, sizeof *all.said);
	all.counted = calloc(stat_row_count, sizeof *all.counted);
	if (!all.said || !all.counted)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	check_formulas(&all.bench);
	for (int i = 0; i < RUNS; i++)
		if (argc == 1 || atoi(argv[1]) == i)
			recount_test_run_opening(&runs[i]);
	for (uint64_t seed = 0; seed < DRAWN; seed++)
		if (argc == 1)
			recount_test_run_random(seed);
	check_all_rows();
	check_effects(&all.bench);
	printf("%d passed, %d failed\n", all.bench.passed, all.bench.failed);
	free(all.said);
	free(all.counted);
	return all.bench.failed != 0;
}
