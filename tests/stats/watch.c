/* Watches a machine cycle by cycle, and counts its statistics again. */
#include "tests/stats/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "tests/predict/follow.h"
#include "tests/stats/watch_priv.h"

struct flight *flight_of(struct watch *w, uint64_t seq)
{
	struct flight *f = &w->flight[seq % FLIGHT];
	if (f->seq != seq)
		*f = (struct flight){.seq = seq};
	return f;
}

/* ---- fetch, decode, units, at the end of a cycle ---- */
static void see_fetch(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const bool waits = w->waited && !w->flushed && !w->sent_back && !w->squashes;
	if (st->fetch_blocked && !w->fetches)
		return;
	if (w->now < st->redirect_until && !w->skips) {
		w->stall_redirect++;
	} else if (st->fetchq_count - w->fetches == (uint32_t)w->cfg->fetch_queue) {
		w->stall_queue++;
	} else {
		w->stall_icache += st->fetch_waits;
		if (!waits) {
			w->lines++;
			memory_fetch(w->memory, st->fetch_line, w->now);
		}
	}
}

/* Decode stops at the oldest in the queue although it may take more in this cycle. */
static void see_dispatch(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const uint32_t left = st->fetchq_count - (uint32_t)w->fetches;
	if (st->dispatch_blocked || !left || w->left_decode == (uint64_t)w->cfg->decode_width)
		return;
	const struct uop *u = pipe_fetchq_at(w->p, 0);
	if (u->when.avail >= w->now)
		return;
	const bool memory = (u->op_flags & OPF_MEMORY) != 0;
	bool pop = false;
	for (uint32_t i = 0; i < st->rob_count; i++) {
		const struct uop *q = pipe_rob_at(w->p, i);
		const bool pops = (q->inst.op == OP_POPPF || q->inst.op == OP_POPPF_ALL) &&
		                  (q->op_flags & OPF_XPROF) && q->state != UOP_DONE;
		pop |= pops && (u->op_flags & OPF_XPROF) &&
		       (u->prefix_len ? q->inst.op == OP_POPPF_ALL || q->inst.imm == u->profile_type
		        : memory      ? q->inst.op == OP_POPPF_ALL || u->inst.op == OP_POPPF_ALL ||
		                           u->inst.op == OP_PUSHPF_ALL || q->inst.imm == u->inst.imm
		                 : false);
	}
	w->pops = st->serial_slot == NO_SLOT && pop;
	if (w->pops)
		w->poppf_stalls++;
	else if (st->serial_slot != NO_SLOT || ((u->op_flags & OPF_SERIAL) && st->rob_count))
		w->stall_serial++;
	else if (st->rob_count == (uint32_t)w->cfg->rob_size)
		w->stall_rob++;
	else if (memory && st->lsq_count == (uint32_t)w->cfg->lsq_size)
		w->stall_lsq++;
	else if (w->cfg->issue_queue && st->iq_count == (uint32_t)w->cfg->issue_queue)
		w->stall_iq++;
}

/* Every unit of the pool is taken. */
bool is_taken(const struct watch *w, unsigned pool)
{
	for (unsigned i = 0; i < w->p->fu_count[pool]; i++)
		if (w->p->st->fu[pool][i].busy_until <= w->now)
			return false;
	return true;
}

uint64_t commit_from(const struct watch *w, const struct uop *u)
{
	return u->when.done + (uint64_t)w->cfg->commit_delay +
	       (u->op_flags & OPF_LOAD ? 0 : (uint64_t)w->cfg->memory_stage);
}

static void see_window(struct watch *w)
{
	const struct pipe *p = w->p;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		w->fu_busy += u->state == UOP_READY && u->when.dispatch < w->now &&
		              u->at.pool != FU_NONE && is_taken(w, u->at.pool);
		w->mshr_full += u->state == UOP_ADDRESS && u->mem.wait == MEM_WAIT_MSHR;
		w->line_full += u->state == UOP_ADDRESS && u->mem.wait == MEM_WAIT_LINE;
	}
	if (!p->st->rob_count || w->commits == (uint64_t)w->cfg->commit_width || w->interrupted)
		return;
	const struct uop *head = pipe_rob_at(p, 0);
	w->wbuf_full +=
		head->state == UOP_DONE && head->exec.stored && commit_from(w, head) <= w->now;
}

/* ---- cycles ---- */
static bool is_held(const struct watch *w)
{
	return w->p->prof->holds && w->p->prof->vsample->st->phase != VSAMPLE_AWAY &&
	       w->p->hart->mode == MODE_U;
}

static void begin_cycle(struct watch *w)
{
	const struct pipe *p = w->p;
	const struct pipe_state *st = p->st;
	w->now = st->cycle;
	w->commits = w->fetches = w->left_decode = w->skip_seq = 0;
	slots_begin(w);
	w->misfetch = w->pops = w->sent_back = w->flushed = w->skips = w->squashes =
		w->interrupted = w->decoded_right = w->trap_told = false;
	w->waited = st->fetch_waits;
	w->next_in_queue = st->fetchq_count ? pipe_fetchq_at(p, 0)->seq : st->next_seq;
	w->serial_next = st->fetchq_count && (inst_flags(&pipe_fetchq_at(p, 0)->inst) & OPF_SERIAL);
	w->buffer = p->mem.st->wbuf;
	w->held = is_held(w);
	w->to_firmware = false;
	w->tagged_seq = p->cfg->profileme && p->prof->profileme->st->phase == PROFILEME_FOLLOWS
	                        ? p->prof->profileme->st->record.seq
	                        : 0;
	if (w->held && w->awaits) { /* firmware that broke in has returned to the handler */
		w->awaits = false;
		w->firmware_cycles += w->now - 1 - w->firmware_since;
	}
	if (p->cfg->cop) {
		const struct micro_records r = cop_records(p->prof);
		w->engine_works = (p->prof->cop->st->control & COP_RUN) &&
		                  w->now % (uint64_t)w->cfg->cop_divider == 0 &&
		                  !micro_waits(&p->prof->cop->micro, &r);
	}
}

static void stats_watch_finish_cycle(struct watch *w)
{
	w->cycles++;
	w->rob_sum += w->rob;
	w->lsq_sum += w->lsq;
	w->fetchq_sum += w->fetchq;
	w->clocks += w->engine_works;
	w->held_cycles += w->held;
	w->refill_cycles += !w->held && w->refills;
	w->refills = (w->held || w->refills) && !w->to_firmware;
	if (w->held)
		return;
	watch_charge(w);
	see_window(w);
	/* nothing is issued or fetched after the end */
	if (machine_status(w->m) != MACHINE_RUNNING) {
		slots_end(w, false);
		return;
	}
	see_dispatch(w);
	slots_end(w, true);
	see_fetch(w);
	if (w->skip_seq || w->sent_back) {
		w->again_seq = w->sent_back ? w->p->st->next_seq : w->skip_seq;
		w->again_cycle = w->now;
	}
	if (w->decoded_right) {
		w->after = REPLAY_COUNT;
		w->refills = false;
	}
}

struct watch *watch_new(struct machine *m, const struct config *cfg)
{
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	struct watch *w = calloc(1, sizeof *w);
	if (!w)
		abort();
	w->m = m;
	w->p = machine_pipe(m);
	w->cfg = cfg;
	w->memory = memory_new(cfg, &w->p->mem);
	w->predictor = cfg->xprof || cfg->firmware || cfg->vsample ? NULL : model_of(cfg);
	w->after = REPLAY_COUNT;
	/* firmware is the first that runs: cycle 0 is its own */
	w->awaits = w->p->hart->mode == MODE_M;
	w->firmware_cycles = w->awaits;
	if (machine_listen(m, &all, watch_hear, w) <= 0)
		abort();
	return w;
}

void watch_run(struct watch *w, uint64_t most)
{
	for (uint64_t i = 0; i < most; i++) {
		begin_cycle(w);
		if (!machine_step(w->m) && machine_cycle(w->m) == w->now)
			return;
		stats_watch_finish_cycle(w);
	}
	fprintf(stderr, "stats: the program did not end in %llu cycles\n",
	        (unsigned long long)most);
	exit(2);
}

void watch_free(struct watch *w)
{
	if (w->predictor)
		model_free(w->predictor);
	free(w->memory);
	free(w);
}
