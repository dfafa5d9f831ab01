#include "tests/stats/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem/mem.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "tests/predict/follow.h"

static struct flight *flight_of(struct watch *w, uint64_t seq)
{
	struct flight *f = &w->flight[seq % FLIGHT];
	if (f->seq != seq)
		*f = (struct flight){.seq = seq};
	return f;
}

/* ---- what the instruction is, from its bits ---- */
struct kind {
	bool load, store, branch, jump, indirect, returns, fp;
};

static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* The base opcodes of the ISA manual's table, compressed instructions aside: guests have none. */
static struct kind kind_of(const struct uop *u)
{
	const uint32_t raw = u->inst.raw, opcode = raw & 0x7f, rd = raw >> 7 & 31,
		       rs1 = raw >> 15 & 31, amo = raw >> 27;
	struct kind k = {0};
	switch (opcode) {
	case 0x03:
	case 0x07:
		k.load = true;
		break;
	case 0x23:
	case 0x27:
		k.store = true;
		break;
	case 0x2f:
		k.load = amo != 3;  /* all but SC */
		k.store = amo != 2; /* all but LR */
		break;
	case 0x63:
		k.branch = true;
		break;
	case 0x67:
		k.indirect = true;
		k.returns = is_link(rs1) && !(is_link(rd) && rd == rs1);
		k.jump = true;
		break;
	case 0x6f:
		k.jump = true;
		break;
	default:
		break;
	}
	/* pushpf and poppf: slti x0, x1, 32 to 49 */
	if (opcode == 0x13 && (u->op_flags & OPF_XPROF) && !u->prefix_len) {
		k.store = (raw >> 20) < 40 || (raw >> 20) == 48;
		k.load = !k.store;
	}
	return k;
}

static bool is_profile(const struct uop *u)
{
	return u->prefix_len != 0;
}

/* ---- events ---- */
static void commit(struct watch *w, const struct uop *u)
{
	const struct flight *f = flight_of(w, u->seq);
	const struct kind k = kind_of(u);
	w->commits++;
	if (u->flags & UF_MACHINE) {
		w->machine_committed++;
		return;
	}
	w->committed++;
	/* The program has nothing there that its shadow could be of. */
	if ((u->inst.op == OP_PUSHPF || u->inst.op == OP_POPPF) && w->cfg->xprof && !u->prefix_len)
		w->unreached += !mem_prot_at(w->p->ram, (u->exec.addr - SHADOW_BASE) / 8 * 16);
	if (uop_is_interpreted(u)) {
		w->interpreted++;
		return;
	}
	w->plain += !(u->op_flags & OPF_XPROF);
	w->loads += k.load;
	w->stores += k.store;
	w->branches += k.branch;
	w->jumps += k.jump;
	w->indirect += k.indirect;
	w->returns += k.returns;
	w->forwards += f->level == LEVEL_FORWARD;
	w->mispredicts += f->mispredicted;
	w->indirect_hits += k.indirect && !f->mispredicted;
	w->dir_hits += k.branch && f->predicted_taken == u->exec.taken;
	w->flushed |= u->inst.op == OP_FENCE_I;
}

static void leave(struct watch *w, const struct uop *u, const struct ev_leave *e)
{
	if (uop_is_interpreted(u))
		return;
	if (!e->entered) {
		w->fetchq--;
		return;
	}
	w->rob--;
	w->lsq -= flight_of(w, u->seq)->memory;
	w->records += u->seq == w->tagged_seq;
	w->retired_records += u->seq == w->tagged_seq && e->retired;
	if (!e->retired)
		w->squashed++;
	w->users_squashed += !e->retired && !(u->flags & UF_MACHINE);
}

/* Whether the write buffer holds the line; if not, the store puts it there, and how long it stays
 * is the machine's to say. */
static bool joins(struct watch *w, uint64_t line)
{
	const struct wbuf *now = &w->p->mem.st->wbuf;
	unsigned at = 0;
	for (unsigned i = 0; i < WBUF_MAX; i++) {
		const struct wbuf_entry *e = &w->buffer.entry[i];
		if (e->line == line && e->until > w->now)
			return true;
		if (e->until <= w->now)
			at = i;
	}
	for (unsigned i = 0; i < WBUF_MAX; i++)
		if (now->entry[i].line == line && now->entry[i].until > w->now)
			w->buffer.entry[at] = now->entry[i];
	return false;
}

static void store(struct watch *w, const struct ev_store *e)
{
	const uint64_t bytes = (uint64_t)w->cfg->l1d_line,
		       second = (e->addr + e->bytes - 1) / bytes * bytes;
	const uint64_t part[2] = {e->addr, second};
	uint64_t asks[2];
	unsigned n = 0;
	for (unsigned i = 0; i < (second > e->addr ? 2 : 1); i++) {
		if (joins(w, part[i] / bytes))
			w->wbuf_merges++;
		else
			asks[n++] = part[i];
	}
	memory_store(w->memory, asks, n, w->now);
}

static void squashed(struct watch *w, enum replay by)
{
	w->after = by;
	w->again_seq = 0;
	w->replayed_pc = 0;
	w->acted_n = 0;
	w->squashes = true;
}

static void replay(struct watch *w, const struct uop *u, const struct ev_replay *e)
{
	w->replay[e->type]++;
	w->learnt +=
		e->type == REPLAY_ORDER && w->cfg->lsq_predictor && !(u->flags & UF_WRONG_PATH);
	w->again += flight_of(w, u->seq)->replayed;
	w->replay_squashed += e->count;
	w->row[SLOT_replayed] += e->count;
	squashed(w, (enum replay)e->type);
	w->replayed_pc = u->pc;
	w->trap_told = true;
}

static void fetch(struct watch *w, const struct uop *u, const struct ev_fetch *e)
{
	struct flight *f = flight_of(w, u->seq);
	w->fetches++;
	w->fetchq++;
	f->fetched = w->now;
	f->goes_to = e->predicted;
	f->replayed = w->replayed_pc != 0; /* the first one fetched behind the trap */
	w->replayed_pc = 0;
	if (is_profile(u))
		w->fetched[u->profile_type]++;
}

static void dispatch(struct watch *w, const struct uop *u, const struct ev_dispatch *e)
{
	struct flight *f = flight_of(w, u->seq);
	const struct kind k = kind_of(u);
	w->fetchq--;
	w->rob++;
	w->left_decode++;
	/* firmware's may be compressed */
	f->memory = u->flags & UF_MACHINE ? u->op_flags & OPF_MEMORY : k.load || k.store;
	w->lsq += f->memory;
	w->wrong_path += e->wrong_path;
	w->waits += (u->flags & UF_PREDICTED_WAIT) != 0;
	w->users += !(u->flags & UF_MACHINE);
	if (w->cfg->cop)
		w->tagged += cop_tagged(w->p->prof, u);
	if (is_profile(u))
		w->on[u->profile_type]++;
	if (e->wrong_path)
		return;
	w->decoded_right = true;
	if (w->awaits && !(u->flags & UF_MACHINE)) {
		w->awaits = false;
		w->firmware_cycles += w->now - w->firmware_since;
	}
}

/* Decode did something else than to dispatch. */
static void act(struct watch *w)
{
	w->left_decode++;
	w->row[SLOT_profile_dropped]++;
	w->acted[w->acted_n++ % 64] = w->now;
}

static void message(struct watch *w, const struct ev_message *e)
{
	const struct config *c = w->cfg;
	w->messages_dropped += e->dropped;
	w->compressed += e->count;
	w->late +=
		w->event[EV_MESSAGE] > 1 && w->now - w->last_message < (uint64_t)c->sampler_service;
	w->last_message = w->now;
	w->model_cycles += (uint64_t)c->sampler_model_message;
	/* an interrupt for each `threshold` of them */
	if (w->event[EV_MESSAGE] % (uint64_t)c->sampler_threshold == 0)
		w->model_cycles += (uint64_t)c->sampler_model_interrupt;
}

/* What it took beyond its own time was a page fault, or two, and the memory. */
static void interpreted(struct watch *w, const struct ev_interpret *e)
{
	const uint64_t fault = (uint64_t)w->cfg->vsample_fault_cycles,
		       waited = e->cycles - (uint64_t)w->cfg->vsample_inst_cycles;
	const uint64_t faults = fault ? waited / fault : 0;
	w->page_faults += faults;
	w->memory_cycles += waited - faults * fault;
}

static void device_event(struct watch *w, const struct event *ev)
{
	switch (ev->id) {
	case EV_TUPLE:
		w->tuples_dropped += ev->tuple.dropped;
		break;
	case EV_MESSAGE:
		message(w, &ev->message);
		break;
	case EV_SAMPLE:
		w->samples_dropped += ev->sample.dropped;
		w->words += ev->sample.dropped ? 0 : ev->sample.words;
		break;
	case EV_RECORD:
		w->records_dropped += ev->record.dropped;
		break;
	case EV_MICRO:
		w->micro += ev->micro.step != COP_STEP_SKIPPED;
		w->passed_over += ev->micro.step == COP_STEP_SKIPPED;
		w->done += ev->micro.step != COP_STEP_SKIPPED && ev->micro.step != COP_STEP_ON;
		w->micro_wrong += ev->micro.wrong;
		break;
	case EV_COP_INTERRUPT:
		w->faults += ev->cop_interrupt.fault != 0;
		break;
	case EV_VSAMPLE:
		squashed(w, REPLAY_NONE);
		w->interrupted = true;
		w->second += ev->vsample.second;
		w->interpretations += ev->vsample.interprets && !ev->vsample.second;
		break;
	case EV_INTERPRET:
		w->recorded += ev->interpret.recorded;
		interpreted(w, &ev->interpret);
		w->lost += ev->interpret.lost;
		break;
	case EV_INTERPRETED:
		w->stops[ev->interpreted.stop]++;
		break;
	default:
		break;
	}
}

/* A divider or root is held for as long as its parameter says, all else takes its unit for a cycle.
 */
static uint64_t held(const struct watch *w, const struct uop *u)
{
	const char *name = op_info[u->inst.op].mnemonic;
	if (!strncmp(name, "fdiv", 4))
		return (uint64_t)w->cfg->occ_fdiv;
	if (!strncmp(name, "fsqrt", 5))
		return (uint64_t)w->cfg->occ_fsqrt;
	return !strncmp(name, "div", 3) || !strncmp(name, "rem", 3) ? (uint64_t)w->cfg->occ_idiv
	                                                            : 1;
}

static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct watch *w = ctx;
	static const struct uop none;
	const struct uop *u = ev->slot == EVENT_NO_SLOT ? &none : &w->p->pool[ev->slot];
	struct flight *f = flight_of(w, ev->seq);
	(void)m;
	bool taken;
	w->event[ev->id]++;
	w->now = ev->cycle;
	if (w->predictor && (u->op_flags & OPF_CONTROL)) {
		const struct branch b = branch_of(u);
		if (ev->id == EV_PREDICT)
			model_predict(w->predictor, &b, &taken);
		else
			follow(w->predictor, u, ev);
	}
	switch (ev->id) {
	case EV_FETCH:
		fetch(w, u, &ev->fetch);
		break;
	case EV_PREDICT:
		f->predicted_taken = ev->predict.taken;
		break;
	case EV_MISFETCH:
		f->goes_to = ev->misfetch.right;
		w->misfetch = true;
		break;
	case EV_DISPATCH:
		dispatch(w, u, &ev->dispatch);
		break;
	case EV_ISSUE:
		if (ev->issue.pool != FU_NONE)
			w->busy[ev->issue.pool] += held(w, u);
		break;
	case EV_MEM:
		f->level = (uint8_t)ev->mem.level;
		w->buffered += ev->mem.level == LEVEL_BUFFER;
		if (ev->mem.level > LEVEL_BUFFER)
			memory_load(w->memory, ev->mem.addr, (unsigned)u->exec.size, ev->cycle);
		break;
	case EV_RESOLVE:
		f->mispredicted = ev->resolve.next != f->goes_to;
		break;
	case EV_SQUASH:
		if (!w->trap_told) {
			squashed(w, REPLAY_NONE);
			w->row[SLOT_wrong_path] += ev->squash.count;
		}
		w->trap_told = false; /* a trap's second event */
		break;
	case EV_REPLAY:
		replay(w, u, &ev->replay);
		break;
	case EV_COMMIT:
		commit(w, u);
		break;
	case EV_LEAVE:
		leave(w, u, &ev->leave);
		break;
	case EV_STORE:
		store(w, &ev->store);
		break;
	case EV_DROP:
		w->dropped[ev->drop.type]++;
		act(w);
		w->skip_seq = u->flags & UF_SKIPS ? u->seq + 1 : w->skip_seq;
		w->sent_back |= (u->flags & UF_MISFETCH) != 0;
		break;
	case EV_CONTROL:
		act(w);
		break;
	case EV_SKIP:
		w->skipped += ev->skip.count;
		w->skips = true;
		break;
	case EV_PROFILE_MISFETCH:
		w->misfetch_cycles += ev->cycle + 1 - f->fetched;
		w->sent_back = true;
		break;
	case EV_FLAG_MISPREDICT:
		w->flag_cycles += ev->cycle + 1 - f->fetched;
		f->goes_to = ev->flag_mispredict.next;
		w->sent_back = true;
		break;
	case EV_BDT:
		w->stale += ev->bdt.action == BDT_STALE;
		break;
	case EV_INTERRUPT:
		squashed(w, REPLAY_NONE);
		w->interrupted = true;
		w->broken += w->held;
		w->to_firmware = true;
		if (!w->awaits)
			w->firmware_since = ev->cycle;
		w->awaits = true;
		break;
	case EV_MRET:
		w->flushed = true;
		break;
	default:
		device_event(w, ev);
	}
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
	}
	if (!p->st->rob_count || w->commits == (uint64_t)w->cfg->commit_width || w->interrupted)
		return;
	const struct uop *head = pipe_rob_at(p, 0);
	w->wbuf_full +=
		head->state == UOP_DONE && head->exec.stored && commit_from(w, head) <= w->now;
}

/* ---- whom an unused slot is charged to: commit asks before anything is issued or dispatched ----
 */
static bool acted_at(const struct watch *w, uint64_t cycle)
{
	for (unsigned i = 0; i < 64 && i < w->acted_n; i++)
		if (w->acted[i] == cycle)
			return true;
	return false;
}

static bool acted_within(const struct watch *w, uint64_t first, uint64_t last)
{
	for (uint64_t c = first; c <= last; c++)
		if (acted_at(w, c))
			return true;
	return false;
}

/* Decode worked for Xprof when the instruction that would commit now should have been decoded. */
static enum row gap(const struct watch *w, const struct uop *oldest)
{
	const uint64_t then = w->now - w->p->decode_to_commit;
	if (oldest && oldest->when.dispatch <= then)
		return ROWS;
	if (acted_at(w, then))
		return DECODE;
	const uint64_t next = oldest ? oldest->seq : w->next_in_queue;
	return w->again_seq && next == w->again_seq && then > w->again_cycle &&
	                       !acted_within(w, w->again_cycle + 1, then)
	               ? SKIPPED
	               : ROWS;
}

/* A load that is complete, by who served it; one on its way, by where it is. */
static enum row served(const struct watch *w, const struct uop *u)
{
	const uint64_t l1 = u->when.mem + u->walk, l2 = l1 + (uint64_t)w->cfg->l1d_latency,
		       memory = l2 + (uint64_t)w->cfg->l2_latency;
	const bool on_its_way = u->state == UOP_MEMORY;
	if (u->mem.level == LEVEL_NONE)
		return DEPEND;
	if (u->mem.level < LEVEL_L1)
		return L1D;
	if (on_its_way && w->now < l1)
		return TLB;
	if (u->mem.level == LEVEL_L1 || (on_its_way && w->now < l2))
		return L1D;
	return u->mem.level == LEVEL_L2 || (on_its_way && w->now < memory) ? L2 : MEM;
}

/* Of the oldest, as it was before issue. */
static enum row waits(const struct watch *w, const struct uop *u)
{
	const bool issued = u->when.issue < w->now,
		   ready = u->when.ready != NO_CYCLE && u->when.ready <= w->now;
	if (u->op_flags & OPF_SERIAL)
		return SERIAL;
	if (!issued && !ready)
		return DEPEND;
	if (!issued && (w->now <= u->when.ready || w->now <= u->when.dispatch + 1))
		return FRONTEND;
	/* issue has left it behind in the cycle before: an atomic was not the oldest then */
	if (!issued)
		return u->op_flags & OPF_ATOMIC ? ORDER : STRUCTURAL;
	if (u->state == UOP_ADDRESS)
		return u->mem.wait == MEM_WAIT_MSHR ? STRUCTURAL : ORDER;
	if (u->state != UOP_DONE)
		return u->mem.wait == MEM_WAIT_PORT ? STRUCTURAL
		       : u->state == UOP_MEMORY     ? served(w, u)
		                                    : DEPEND;
	return u->exec.stored && w->now >= commit_from(w, u) ? STRUCTURAL : served(w, u);
}

static enum row row_of(const struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const struct uop *oldest = st->rob_count && pipe_rob_at(w->p, 0)->when.dispatch < w->now
	                                   ? pipe_rob_at(w->p, 0)
	                                   : NULL;
	if (oldest && (oldest->op_flags & OPF_XPROF))
		return WAIT;
	const enum row xprof = gap(w, oldest);
	if (xprof != ROWS)
		return xprof;
	const enum row row = oldest ? waits(w, oldest) : FRONTEND;
	if (row != FRONTEND)
		return row;
	if (w->after != REPLAY_COUNT)
		return BADSPEC;
	if (oldest)
		return FRONTEND;
	if (w->waited && !w->flushed)
		return ICACHE;
	return w->serial_next && !w->flushed ? SERIAL : FRONTEND;
}

static void charge(struct watch *w)
{
	const struct pipe_state *st = w->p->st;
	const uint64_t slots = (uint64_t)w->cfg->commit_width - w->commits;
	if (!slots)
		return;
	const enum row row = row_of(w);
	w->slots[row] += slots;
	if (row == BADSPEC)
		w->slots_of_replay[w->after] += slots;
	w->fp_slots += row == DEPEND && st->rob_count && (pipe_rob_at(w->p, 0)->op_flags & OPF_FP)
	                       ? slots
	                       : 0;
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

static void end_cycle(struct watch *w)
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
	charge(w);
	see_window(w);
	/* nothing is issued or fetched behind the end */
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
	if (machine_listen(m, &all, hear, w) <= 0)
		abort();
	return w;
}

void watch_run(struct watch *w, uint64_t most)
{
	for (uint64_t i = 0; i < most; i++) {
		begin_cycle(w);
		if (!machine_step(w->m) && machine_cycle(w->m) == w->now)
			return;
		end_cycle(w);
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
