/* The expected value of each statistic, computed from a watch's counts. */
#include "tests/stats/recount_rows.h"

#include <stdio.h>
#include <string.h>

#include "core/defs/stats.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "tests/stats/recount.h"
#include "tests/stats/watch.h"

/* ---- comparing ---- */
struct compared all;

static const struct stat_row *recount_rows_find_row(const char *name)
{
	const struct stat_row *row = stat_find(name, NULL);
	if (!row)
		give_up(name);
	return row;
}

static uint64_t recount_rows_row_value(const char *name)
{
	return (uint64_t)stat_value(all.stats, recount_rows_find_row(name));
}

/* Expects a value if it is computable in this run. */
static void want_if(bool known, const char *name, uint64_t right)
{
	const size_t i = (size_t)(recount_rows_find_row(name) - stat_rows);
	all.said[i] = true;
	if (!known)
		return;
	all.counted[i] |= right != 0;
	check(&all.bench, recount_rows_row_value(name) == right, all.options, name,
	      recount_rows_row_value(name), right);
}

void want(const char *name, uint64_t right)
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

/* ---- the value of each row ---- */
static void recount_rows_check_simulated(const struct watch *w, const struct opening *r)
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

static void recount_rows_check_front_end(const struct watch *w)
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

static void recount_rows_check_window(const struct watch *w)
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

static void recount_rows_check_prediction(const struct watch *w)
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

static void recount_rows_check_cache_level(const char *name, const struct model_cache *c,
                                           bool known, bool misses)
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

static void memory_system(const struct watch *w, const struct opening *r)
{
	const struct memory *m = w->memory;
	const struct config *c = w->cfg;
	const bool known = !c->firmware && !c->vsample;
	const uint64_t transfer = (uint64_t)((c->l2_line + c->bus_bytes - 1) / c->bus_bytes * c->bus_cycles);
	recount_rows_check_cache_level("l1i", &m->l1i, known, true);
	recount_rows_check_cache_level("l1d", &m->l1d, known, true);
	/* a store that waits for a register, the only one above all, comes at an unknown time */
	recount_rows_check_cache_level("l2", &m->l2, known, c->l1d_mshrs != 1 && !r->drawn);
	want_if(known, "l1d.writebacks", m->l1d.n.writebacks);
	want_if(known, "l2.writebacks", m->l2.n.writebacks);
	want_if(known, "l1d.read_misses", m->read_misses);
	want_if(known, "l1d.write_misses", m->write_misses);
	want_if(known, "l1d.mshr_merges", m->merges);
	want_if(known, "l1d.mshr_full", w->mshr_full);
	want_if(known, "l1d.line_full", w->line_full);
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

static void recount_rows_check_xprof(const struct watch *w)
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

static void recount_rows_check_cpi(const struct watch *w)
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
	want("cpi.firmware", recount_rows_row_value("firmware.cycles") * width);
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

static void recount_rows_check_slots(const struct watch *w)
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
	/* Dispatch observes an interrupt in its cycle, and of the way back a cycle before commit;
	 * firmware's first run begins without an interrupt. */
	want("slots.firmware",
	     (recount_rows_row_value("firmware.cycles") - (w->cfg->firmware != 0)) * all_slots);
	want("slots.vsample", (w->held_cycles + w->refill_cycles) * all_slots);
	want("slots.interrupted", w->users_squashed - recount_rows_row_value("slots.wrong_path") -
	                                  recount_rows_row_value("slots.replayed"));
	want_if(known, "dispatch.unresolved", w->unresolved);
	check(&all.bench, !known || !w->unresolved_differs, all.options,
	      "cycles in which dispatch.unresolved is another", w->unresolved_differs, 0);
	want("dispatch.waited", 0);
	want("dispatch.aside", w->event[EV_DISPATCH] - w->users);
	for (size_t i = 0; i < stat_row_count; i++)
		sum += strncmp(stat_rows[i].name, "slots.", 6)
		               ? 0
		               : stat_value(all.stats, &stat_rows[i]);
	check(&all.bench, sum == (double)(w->cycles * all_slots), all.options,
	      "slots of the slot stack", (uint64_t)sum, w->cycles * all_slots);
	const uint64_t in_flight = w->rob + w->unresolved;
	check(&all.bench,
	      recount_rows_row_value("slots.in_flight") == in_flight || w->cfg->firmware,
	      all.options, "slots.in_flight", recount_rows_row_value("slots.in_flight"), in_flight);
}

static void recount_rows_check_sampler(const struct watch *w)
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

static void recount_rows_check_cop(const struct watch *w)
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

static void recount_rows_check_vsample(const struct watch *w)
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

static void recount_rows_check_profileme(const struct watch *w)
{
	const struct profileme_table *t = w->cfg->profileme ? w->p->prof->profileme->table : NULL;
	want("profileme.decoded", t ? w->users : 0);
	want("profileme.records", w->records);
	want("profileme.retired", w->retired_records);
}

void recount_compare(const struct watch *w, const struct opening *r)
{
	all.stats = machine_stats(w->m);
	all.options = r->options;
	memset(all.said, 0, stat_row_count * sizeof *all.said);
	recount_rows_check_simulated(w, r);
	recount_rows_check_front_end(w);
	recount_rows_check_window(w);
	recount_rows_check_prediction(w);
	memory_system(w, r);
	recount_rows_check_xprof(w);
	recount_rows_check_cpi(w);
	recount_rows_check_slots(w);
	recount_rows_check_sampler(w);
	recount_rows_check_cop(w);
	recount_rows_check_vsample(w);
	recount_rows_check_profileme(w);
}
