/* Every counter of stats.def, counted a second time: programs run under configurations that make
 * each of them count, and what tests/stats/watch.h has seen, or a sum that has to hold, must be
 * what the statistic says. A row that no run counts, or that nothing is said of here, fails; a few
 * are counted by a model in another test, which is named. */
#include "tests/stats/recount.h"
#include "core/prof/cop/cop.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/defs/stats.h"
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
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
};

/* ---- comparing ---- */
static struct {
	struct bench bench;
	const struct stats *stats;
	const char *options;
	bool *said, *counted; /* [stat_row_count]: in this run; in any, and not 0 */
} all;

static const struct stat_row *row_of(const char *name)
{
	const struct stat_row *row = stat_find(name, NULL);
	if (!row)
		give_up(name);
	return row;
}

static uint64_t got(const char *name)
{
	return (uint64_t)stat_value(all.stats, row_of(name));
}

/* If it can be said in this run. */
static void want_if(bool known, const char *name, uint64_t right)
{
	const size_t i = (size_t)(row_of(name) - stat_rows);
	all.said[i] = true;
	if (!known)
		return;
	all.counted[i] |= right != 0;
	check(&all.bench, got(name) == right, all.options, name, got(name), right);
}

static void want(const char *name, uint64_t right)
{
	want_if(true, name, right);
}

static void want_types(const char *what, const uint64_t *types)
{
	uint64_t sum = 0;
	char name[64];
	for (unsigned k = 0; k < TYPES; k++) {
		snprintf(name, sizeof name, "xprof.%s_%u", what, k);
		want(name, types[k]);
		sum += types[k];
	}
	snprintf(name, sizeof name, "xprof.%s", what);
	want(name, sum);
}

/* ---- what each row must be ---- */
static void simulated(const struct watch *w, const struct opening *r)
{
	const uint64_t functional = r->functional;
	want("sim.cycles", w->cycles);
	want("sim.insts", w->committed);
	want("sim.functional_insts", functional);
	want("sim.functional_cycles", functional);
	want("sim.syscalls", w->event[EV_SYSCALL]);
	want("firmware.insts", w->machine_committed);
	want("firmware.interrupts", w->event[EV_INTERRUPT]);
	want("firmware.cycles",
	     w->firmware_cycles + (w->awaits ? w->cycles - w->firmware_since : 0));
	want("oracle.insts", w->cfg->oracle ? w->committed + functional : 0);
}

static void front_end(const struct watch *w)
{
	const bool whole = !w->cfg->vsample; /* its handler fetches, too */
	want("fetch.insts", w->event[EV_FETCH]);
	want_if(whole, "fetch.lines", w->lines);
	want_if(whole, "fetch.stall_icache", w->stall_icache);
	want_if(whole, "fetch.stall_queue", w->stall_queue);
	want_if(whole, "fetch.stall_redirect", w->stall_redirect);
	want("fetch.misfetches", w->event[EV_MISFETCH]);
	want("dispatch.insts", w->event[EV_DISPATCH]);
	want("dispatch.wrong_path", w->wrong_path);
	want("dispatch.stall_rob", w->stall_rob);
	want("dispatch.stall_lsq", w->stall_lsq);
	want("dispatch.stall_iq", w->stall_iq);
	want_if(!w->cfg->firmware, "dispatch.stall_serial", w->stall_serial);
}

static void window(const struct watch *w)
{
	want("issue.insts", w->event[EV_ISSUE]);
	want("issue.busy_int", w->busy[FU_INT]);
	want("issue.busy_imuldiv", w->busy[FU_IMULDIV]);
	want("issue.busy_fadd", w->busy[FU_FADD]);
	want("issue.busy_fmuldiv", w->busy[FU_FMULDIV]);
	want("issue.busy_mem", w->busy[FU_MEM]);
	want("issue.busy_div", w->busy[FU_DIV]);
	want_if(!w->cfg->firmware && !w->cfg->vsample, "issue.fu_busy", w->fu_busy);
	want("squash.events", w->event[EV_SQUASH] + w->event[EV_INTERRUPT] + w->event[EV_VSAMPLE]);
	want("squash.insts", w->squashed);
	want("lsq.order_violations", w->replay[REPLAY_ORDER]);
	want("lsq.size_replays", w->replay[REPLAY_SIZE]);
	want("lsq.synonym_replays", w->replay[REPLAY_SYNONYM]);
	want("lsq.replays_again", w->again);
	want("lsq.replay_squashed", w->replay_squashed);
	want("lsq.predicted_waits", w->waits);
	want("lsq.predictor_learnt", w->learnt);
	want("rob.occupancy_sum", w->rob_sum);
	want("lsq.occupancy_sum", w->lsq_sum);
	want("fetchq.occupancy_sum", w->fetchq_sum);
	want("commit.loads", w->loads);
	want("commit.stores", w->stores);
	want("commit.branches", w->branches);
	want("commit.jumps", w->jumps);
	want("lsq.forwards", w->forwards);
}

static void prediction(const struct watch *w)
{
	const struct counts none = {0}, *c = w->predictor ? model_counts(w->predictor) : &none;
	want("bpred.dir_hits", w->dir_hits);
	want("bpred.mispredicts", w->mispredicts);
	want("bpred.indirect_hits", w->indirect_hits);
	want("bpred.indirect", w->indirect);
	want("ras.returns", w->returns);
	want_if(w->predictor, "ras.hits", c->return_hits);
	want_if(w->predictor, "btb.lookups", c->lookups);
	want_if(w->predictor, "btb.hits", c->hits);
}

static void level(const char *name, const struct model_cache *c, bool known, bool misses)
{
	const struct {
		const char *what;
		uint64_t n;
		bool known;
	} rows[] = {
		{"accesses", c->n.accesses, known},
		{"misses", c->n.misses, known && misses},
		{"prefetches", c->n.prefetches, known},
		{"prefetch_useful", c->n.useful, known},
		{"prefetch_late", c->n.late, known && misses},
		{"prefetch_dropped", c->n.dropped, known},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char full[64];
		snprintf(full, sizeof full, "%s.%s", name, rows[i].what);
		want_if(rows[i].known, full, rows[i].n);
	}
}

static void memory_system(const struct watch *w)
{
	const struct memory *m = w->memory;
	const struct config *c = w->cfg;
	const bool known = !c->firmware && !c->vsample;
	const uint64_t transfer = (uint64_t)(c->l2_line / c->bus_bytes * c->bus_cycles);
	level("l1i", &m->l1i, known, true);
	level("l1d", &m->l1d, known, true);
	/* a store that waits for the one register comes when nobody says */
	level("l2", &m->l2, known, c->l1d_mshrs != 1);
	want_if(known, "l1d.writebacks", m->l1d.n.writebacks);
	want_if(known, "l2.writebacks", m->l2.n.writebacks);
	want_if(known, "l1d.read_misses", m->read_misses);
	want_if(known, "l1d.write_misses", m->write_misses);
	want_if(known, "l1d.mshr_merges", m->merges);
	want_if(known, "l1d.mshr_full", w->mshr_full);
	want_if(known, "l1d.write_buffer_full", w->wbuf_full);
	want_if(known, "l1d.write_buffer_merges", w->wbuf_merges);
	want_if(known, "l1d.write_buffer_forwards", w->buffered);
	want_if(known, "itlb.accesses", m->itlb.n.accesses);
	want_if(known, "itlb.misses", m->itlb.n.misses);
	want_if(known, "itlb.walk_merges", m->itlb_merges);
	want_if(known, "dtlb.accesses", m->dtlb.n.accesses);
	want_if(known, "dtlb.misses", m->dtlb.n.misses);
	want_if(known, "dtlb.walk_merges", m->dtlb_merges);
	want_if(known, "bus.busy", m->lines_on_bus * transfer);
}

static void xprof(const struct watch *w)
{
	want_types("fetched", w->fetched);
	want_types("dropped", w->dropped);
	want_types("dispatched", w->on);
	want("xprof.control", w->event[EV_CONTROL]);
	want("xprof.misfetches", w->event[EV_PROFILE_MISFETCH]);
	want("xprof.misfetch_cycles", w->misfetch_cycles);
	want("xprof.skips", w->event[EV_SKIP]);
	want("xprof.skip_cycles", w->event[EV_SKIP] * (uint64_t)w->cfg->bdt_penalty);
	want("xprof.skipped_insts", w->skipped);
	want("xprof.flag_mispredicts", w->event[EV_FLAG_MISPREDICT]);
	want("xprof.flag_mispredict_cycles", w->flag_cycles);
	want("xprof.stale", w->stale);
	want("xprof.poppf_stalls", w->poppf_stalls);
	want("xprof.unreached", w->unreached);
}

static void cpi(const struct watch *w)
{
	static const struct {
		const char *name;
		enum row row;
	} rows[] = {
		{"frontend", FRONTEND},
		{"icache", ICACHE},
		{"bad_speculation", BADSPEC},
		{"dependency", DEPEND},
		{"l1d", L1D},
		{"l2", L2},
		{"memory", MEM},
		{"tlb", TLB},
		{"structural", STRUCTURAL},
		{"memory_order", ORDER},
		{"serial", SERIAL},
		{"profile_wait", WAIT},
		{"profile_decode", DECODE},
		{"profile_fetch", SKIPPED},
	};
	const bool known = !w->cfg->firmware && !w->cfg->vsample;
	const uint64_t width = (uint64_t)w->cfg->commit_width;
	char name[64];
	uint64_t sum = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(name, sizeof name, "cpi.%s", rows[i].name);
		want_if(known, name, w->slots[rows[i].row]);
	}
	want("cpi.base", w->plain);
	want("cpi.profile", w->committed - w->interpreted - w->plain);
	want("cpi.firmware", got("firmware.cycles") * width);
	want("cpi.vsample", (w->held_cycles + w->refill_cycles) * width);
	want_if(known, "lsq.order_slots", w->slots_of_replay[REPLAY_ORDER]);
	want_if(known, "lsq.size_slots", w->slots_of_replay[REPLAY_SIZE]);
	want_if(known, "lsq.synonym_slots", w->slots_of_replay[REPLAY_SYNONYM]);
	want_if(known, "fpu.stalls", w->fp_slots);
	for (size_t i = 0; i < stat_row_count; i++)
		sum += strncmp(stat_rows[i].name, "cpi.", 4)
		               ? 0
		               : (uint64_t)stat_value(all.stats, &stat_rows[i]);
	check(&all.bench, sum == w->cycles * width, all.options, "slots of the CPI stack", sum,
	      w->cycles * width);
}

static void slots(const struct watch *w)
{
	static const char *const names[SLOT_COUNT] = {
#define SLOT(field, name, ...) "slots." name,
#include "core/defs/slots.def"
#undef SLOT
	};
	const bool known = !w->cfg->firmware && !w->cfg->vsample;
	const uint64_t all_slots = slots_of_cycle(w->cfg);
	double sum = 0;
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		want_if(known, names[i], w->row[i]);
	/* Dispatch hears of an interrupt in its cycle, and of the way back a cycle before commit;
	 * firmware's first run begins without an interrupt. */
	want("slots.firmware", (got("firmware.cycles") - (w->cfg->firmware != 0)) * all_slots);
	want("slots.vsample", (w->held_cycles + w->refill_cycles) * all_slots);
	want("slots.interrupted",
	     w->users_squashed - got("slots.wrong_path") - got("slots.replayed"));
	want_if(known, "dispatch.unresolved", w->unresolved);
	check(&all.bench, !known || !w->unresolved_differs, all.options,
	      "cycles in which dispatch.unresolved is another", w->unresolved_differs, 0);
	want("dispatch.aside", w->event[EV_DISPATCH] - w->users);
	for (size_t i = 0; i < stat_row_count; i++)
		sum += strncmp(stat_rows[i].name, "slots.", 6)
		               ? 0
		               : stat_value(all.stats, &stat_rows[i]);
	check(&all.bench, sum == (double)(w->cycles * all_slots), all.options,
	      "slots of the slot stack", (uint64_t)sum, w->cycles * all_slots);
	const uint64_t in_flight = w->rob + w->unresolved;
	check(&all.bench, got("slots.in_flight") == in_flight || w->cfg->firmware, all.options,
	      "slots.in_flight", got("slots.in_flight"), in_flight);
}

static void sampler(const struct watch *w)
{
	const struct prof *d = w->p->prof;
	want("sampler.selected", w->event[EV_TUPLE]);
	want("sampler.dropped", w->tuples_dropped);
	want("sampler.messages", w->event[EV_MESSAGE]);
	want("sampler.messages_dropped", w->messages_dropped);
	want("sampler.read", w->cfg->sampler ? w->event[EV_MESSAGE] - w->messages_dropped -
	                                               d->sampler->st->message_count
	                                     : 0);
	want("sampler.late", w->late);
	want("sampler.model_cycles", w->model_cycles);
}

static void cop(const struct watch *w)
{
	const struct cop_state none = {0}, *st = w->cfg->cop ? w->p->prof->cop->st : &none;
	const uint64_t gone = w->samples_dropped + w->records_dropped + w->done + w->passed_over +
	                      st->count + st->way_count;
	want("cop.tagged", w->tagged);
	want("cop.records", w->event[EV_SAMPLE]);
	want("cop.dropped", w->samples_dropped);
	want("cop.lost", w->records_dropped);
	want("cop.flushed", w->event[EV_SAMPLE] - gone);
	want_if(w->event[EV_SAMPLE] == gone, "cop.words", w->words - st->words);
	want("cop.samples", w->done);
	want("cop.skipped", w->passed_over);
	want_if(!w->cfg->firmware, "cop.clocks", w->clocks);
	want("cop.micro", w->micro);
	want("cop.mispredicted", w->micro_wrong);
	want("cop.interrupts", w->event[EV_COP_INTERRUPT]);
	want("cop.faults", w->faults);
}

static void vsample(const struct watch *w)
{
	const struct config *c = w->cfg;
	const bool on = c->vsample, bounce = on && c->vsample_method == VSAMPLE_BY_BOUNCE,
		   upcall = on && c->vsample_method == VSAMPLE_BY_UPCALL;
	const uint64_t looked = w->stops[VSAMPLE_STOP_BLOCK] + w->stops[VSAMPLE_STOP_PART] +
	                        w->stops[VSAMPLE_STOP_STUCK] + w->stops[VSAMPLE_STOP_FAR] +
	                        w->stops[VSAMPLE_STOP_AMBIGUOUS];
	want("vsample.interrupts", w->event[EV_VSAMPLE] - w->second);
	want("vsample.interpretations", w->interpretations);
	want("vsample.insts", w->interpreted);
	want_if(!bounce, "vsample.tuples", w->recorded);
	want_if(!bounce, "vsample.contexts", w->recorded); /* all capture them */
	want_if(!bounce, "vsample.lost", w->lost);
	want("vsample.upcalls", upcall ? w->interpretations - w->stops[VSAMPLE_STOP_STACK] : 0);
	want("vsample.faults", w->page_faults);
	want("vsample.broken", w->broken);
	want("vsample.bounces", w->second);
	want("vsample.retries", w->second - looked);
	want("vsample.cycles", w->held_cycles);
	want_if(!bounce, "vsample.memory_cycles", w->memory_cycles);
	want("vsample.refill_cycles", w->refill_cycles);
	for (unsigned i = 1; i < VSAMPLE_STOP_COUNT; i++) {
		char name[64];
		snprintf(name, sizeof name, "vsample.stop_%s", vsample_stop_name[i]);
		want(name, w->stops[i]);
	}
}

static void profileme(const struct watch *w)
{
	const struct profileme_table *t = w->cfg->profileme ? w->p->prof->profileme->table : NULL;
	want("profileme.decoded", t ? w->users : 0);
	want("profileme.records", w->records);
	want("profileme.retired", w->retired_records);
}

static void compare(const struct watch *w, const struct opening *r)
{
	all.stats = machine_stats(w->m);
	all.options = r->options;
	memset(all.said, 0, stat_row_count * sizeof *all.said);
	simulated(w, r);
	front_end(w);
	window(w);
	prediction(w);
	memory_system(w);
	xprof(w);
	cpi(w);
	slots(w);
	sampler(w);
	cop(w);
	vsample(w);
	profileme(w);
}

/* ---- running ---- */
#define COP_REGISTERS (DEVICE_BASE + UINT64_C(0x100) * PAGE_BYTES) /* devices.def */

static void no_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static void configure(struct config *cfg, const char *options)
{
	struct err err;
	char text[1024], *rest = text;
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
	                   .output = no_output,
	                   .firmware = o->firmware,
	                   .microprogram = o->microprogram},
		.fast_forward = o->functional,
	};
	snprintf(guest, sizeof guest, "build/tests/stats/%s", o->guest);
	configure(&opt.cfg, o->options);
	struct session *s = session_open(&opt, &err);
	if (!s)
		give_up(err.msg);
	return s;
}

static void go(const struct opening *r)
{
	struct session *s = open_run(r);
	if (r->microprogram) { /* records of a class that it has no routine for */
		struct prof *d = machine_pipe(s->machine)->prof;
		prof_write(d, COP_REGISTERS + COP_CLASSES, 1u << INST_LOAD | 1u << INST_STORE);
		prof_write(d, COP_REGISTERS + COP_START + 8 * INST_STORE, MICRO_NO_ROUTINE);
	}
	struct watch *w = watch_new(s->machine, machine_config(s->machine));
	watch_run(w, 3000000);
	compare(w, r);
	watch_free(w);
	session_free(s);
}

/* ---- is anything forgotten? ---- */
bool file_says(const char *path, const char *text)
{
	/* Wherever its lines are broken: blanks and line ends don't count. */
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

static bool is_elsewhere(const char *name)
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
		if (stat_rows[i].derived || is_elsewhere(name))
			continue;
		const bool ok = all.said[i] && all.counted[i] != is_never(name);
		all.bench.passed += ok;
		all.bench.failed += !ok;
		if (!all.said[i])
			printf("FAIL   %s is counted once only: say in tests/stats/recount.c what "
			       "it must be\n",
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
			go(&runs[i]);
	check_all_rows();
	check_effects(&all.bench);
	printf("%d passed, %d failed\n", all.bench.passed, all.bench.failed);
	free(all.said);
	free(all.counted);
	return all.bench.failed != 0;
}
