/* Events, counted for statistics. */
#include <string.h>

#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "tests/predict/follow.h"
#include "tests/stats/watch.h"
#include "tests/stats/watch_priv.h"

/* ---- the instruction's kind, from its bits ---- */
struct kind {
	bool load, store, branch, jump, indirect, returns, fp;
};

static bool stats_watch_is_link_register(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* The base opcodes of the ISA manual's table, compressed instructions aside: guests have none. */
static struct kind stats_watch_decode_kind(const struct uop *u)
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
		k.returns = stats_watch_is_link_register(rs1) &&
		            !(stats_watch_is_link_register(rd) && rd == rs1);
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

static bool stats_watch_is_profile_inst(const struct uop *u)
{
	return u->prefix_len != 0;
}

/* ---- events ---- */
static void stats_watch_on_commit(struct watch *w, const struct uop *u)
{
	const struct flight *f = flight_of(w, u->seq);
	const struct kind k = stats_watch_decode_kind(u);
	w->commits++;
	if (u->flags & UF_MACHINE) {
		w->machine_committed++;
		return;
	}
	w->committed++;
	/* The shadow's address belongs to unmapped memory of the program. */
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

static void stats_watch_on_leave(struct watch *w, const struct uop *u, const struct ev_leave *e)
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

/* Whether the write buffer holds the line; if not, the store puts it there, and the machine decides
 * how long it stays. */
static bool stats_watch_store_merges(struct watch *w, uint64_t line)
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

static void stats_watch_on_store(struct watch *w, const struct ev_store *e)
{
	const uint64_t bytes = (uint64_t)w->cfg->l1d_line,
		       second = (e->addr + e->bytes - 1) / bytes * bytes;
	const uint64_t part[2] = {e->addr, second};
	uint64_t asks[2];
	unsigned n = 0;
	for (unsigned i = 0; i < (second > e->addr ? 2 : 1); i++) {
		if (stats_watch_store_merges(w, part[i] / bytes))
			w->wbuf_merges++;
		else
			asks[n++] = part[i];
	}
	memory_store(w->memory, asks, n, w->now);
}

static void stats_watch_on_squash(struct watch *w, enum replay by)
{
	w->after = by;
	w->again_seq = 0;
	w->replayed_pc = 0;
	w->acted_n = 0;
	w->squashes = true;
}

static void stats_watch_on_replay(struct watch *w, const struct uop *u, const struct ev_replay *e)
{
	w->replay[e->type]++;
	w->learnt +=
		e->type == REPLAY_ORDER && w->cfg->lsq_predictor && !(u->flags & UF_WRONG_PATH);
	w->again += flight_of(w, u->seq)->replayed;
	w->replay_squashed += e->count;
	w->row[SLOT_replayed] += e->count;
	stats_watch_on_squash(w, (enum replay)e->type);
	w->replayed_pc = u->pc;
	w->trap_told = true;
}

static void stats_watch_on_fetch(struct watch *w, const struct uop *u, const struct ev_fetch *e)
{
	struct flight *f = flight_of(w, u->seq);
	w->fetches++;
	w->fetchq++;
	f->fetched = w->now;
	f->goes_to = e->predicted;
	f->replayed = w->replayed_pc != 0; /* the first one fetched after the trap */
	w->replayed_pc = 0;
	if (stats_watch_is_profile_inst(u))
		w->fetched[u->profile_type]++;
}

static void stats_watch_on_dispatch(struct watch *w, const struct uop *u,
                                    const struct ev_dispatch *e)
{
	struct flight *f = flight_of(w, u->seq);
	const struct kind k = stats_watch_decode_kind(u);
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
	if (stats_watch_is_profile_inst(u))
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
static void stats_watch_count_decode_action(struct watch *w)
{
	w->left_decode++;
	w->row[SLOT_profile_dropped]++;
	w->acted[w->acted_n++ % 64] = w->now;
}

static void stats_watch_on_message(struct watch *w, const struct ev_message *e)
{
	const struct config *c = w->cfg;
	w->messages_dropped += e->dropped;
	w->compressed += e->count;
	w->late +=
		w->event[EV_MESSAGE] > 1 && w->now - w->last_message < (uint64_t)c->sampler_service;
	w->last_message = w->now;
	w->model_cycles += (uint64_t)c->sampler_model_message;
	/* an interrupt per `threshold` messages */
	if (w->event[EV_MESSAGE] % (uint64_t)c->sampler_threshold == 0)
		w->model_cycles += (uint64_t)c->sampler_model_interrupt;
}

/* The excess over its own time was a page fault, or two, and the memory. */
static void stats_watch_on_interpret(struct watch *w, const struct ev_interpret *e)
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
		stats_watch_on_message(w, &ev->message);
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
		stats_watch_on_squash(w, REPLAY_NONE);
		w->interrupted = true;
		w->second += ev->vsample.second;
		w->interpretations += ev->vsample.interprets && !ev->vsample.second;
		break;
	case EV_INTERPRET:
		w->recorded += ev->interpret.recorded;
		stats_watch_on_interpret(w, &ev->interpret);
		w->lost += ev->interpret.lost;
		break;
	case EV_INTERPRETED:
		w->stops[ev->interpreted.stop]++;
		break;
	default:
		break;
	}
}

uint64_t watch_held(const struct watch *w, const struct uop *u)
{
	const char *name = op_info[u->inst.op].mnemonic;
	if (!strncmp(name, "fdiv", 4))
		return (uint64_t)w->cfg->occ_fdiv;
	if (!strncmp(name, "fsqrt", 5))
		return (uint64_t)w->cfg->occ_fsqrt;
	return !strncmp(name, "div", 3) || !strncmp(name, "rem", 3) ? (uint64_t)w->cfg->occ_idiv
	                                                            : 1;
}

void watch_hear(void *ctx, const struct machine *m, const struct event *ev)
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
		stats_watch_on_fetch(w, u, &ev->fetch);
		break;
	case EV_PREDICT:
		f->predicted_taken = ev->predict.taken;
		break;
	case EV_MISFETCH:
		f->goes_to = ev->misfetch.right;
		w->misfetch = true;
		break;
	case EV_DISPATCH:
		stats_watch_on_dispatch(w, u, &ev->dispatch);
		break;
	case EV_ISSUE:
		if (ev->issue.pool != FU_NONE)
			w->busy[ev->issue.pool] += watch_held(w, u);
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
			stats_watch_on_squash(w, REPLAY_NONE);
			w->row[SLOT_wrong_path] += ev->squash.count;
		}
		w->trap_told = false; /* a trap's second event */
		break;
	case EV_REPLAY:
		stats_watch_on_replay(w, u, &ev->replay);
		break;
	case EV_COMMIT:
		stats_watch_on_commit(w, u);
		break;
	case EV_LEAVE:
		stats_watch_on_leave(w, u, &ev->leave);
		break;
	case EV_STORE:
		stats_watch_on_store(w, &ev->store);
		break;
	case EV_DROP:
		w->dropped[ev->drop.type]++;
		stats_watch_count_decode_action(w);
		w->skip_seq = u->flags & UF_SKIPS ? u->seq + 1 : w->skip_seq;
		w->sent_back |= (u->flags & UF_MISFETCH) != 0;
		break;
	case EV_CONTROL:
		stats_watch_count_decode_action(w);
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
		stats_watch_on_squash(w, REPLAY_NONE);
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
