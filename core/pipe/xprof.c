#include "core/pipe/xprof.h"

#include <string.h>

#include "core/mem/mem.h"
#include "core/pipe/window.h"

void xprof_place(struct xprof *x, const struct config *cfg, struct arena *a)
{
	x->enabled = cfg->xprof;
	x->bpred = (enum xprof_bpred)cfg->xprof_bpred;
	x->st = arena_take(a, "profile flags", 1, sizeof *x->st);
	bdt_place(&x->bdt, cfg, a);
}

void xprof_reset(struct xprof *x)
{
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		x->st->pop_slot[k] = NO_SLOT;
}

/* ---- events ---- */
/* Of u, or of none. This file belongs to no variant of the stages: it asks each time. NULL: nobody wants it. */
static struct event *tell(struct pipe *p, enum event_id id, const struct uop *u)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	if (!u)
		return event_put(&p->events, id, p->st->cycle, 0, 0, EVENT_NO_SLOT, OP_ILLEGAL);
	return event_put(&p->events, id, p->st->cycle, u->seq, u->pc, slot_of(p, u), u->inst.op);
}

static void tell_entry(struct pipe *p, const struct uop *u, enum bdt_action action, const struct bdt_entry *e)
{
	struct event *ev = action == BDT_NOTHING ? NULL : tell(p, EV_BDT, u);
	const struct bdt *t = &p->xprof.bdt;
	if (!ev)
		return;
	ev->bdt = (struct ev_bdt){.action = action};
	if (!e) /* it was about all of them */
		return;
	ev->bdt = (struct ev_bdt){.action = action, .leader = e->leader, .follow = e->follow, .set = bdt_set(t, e->leader)};
}

/* ---- flags ---- */
/* Decode knows the flags to be these, because of u or of a squash. */
static void know(struct pipe *p, const struct uop *u, unsigned flags)
{
	struct xprof_state *st = p->xprof.st;
	const unsigned before = st->known;
	struct event *ev = before == flags ? NULL : tell(p, EV_PFLAG, u);
	st->known = (uint16_t)flags;
	if (ev)
		ev->pflag = (struct ev_pflag){.flags = flags, .before = before};
}

/* Nothing has changed since the youngest instruction in the window. */
static void settle_stamp(struct pipe *p)
{
	p->st->flags_stamp = (uint16_t)(p->hart->pflags | p->hart->pflags << 8);
	p->st->flags_fresh = 0;
}

/* Decode changes the flags, between two instructions in the window. */
static void change_flags(struct pipe *p, uint16_t flags)
{
	struct pipe_state *st = p->st;
	const uint16_t behind = st->flags_fresh == 2 ? st->flags_stamp & 0xff : st->flags_stamp >> 8;
	p->hart->pflags = flags;
	st->flags_stamp = (uint16_t)(behind | flags << 8);
	st->flags_fresh = 2;
}

uint16_t xprof_committed_flags(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (st->rob_count)
		return pipe_rob_at(p, 0)->flags_around & 0xff;
	return st->flags_fresh == 2 ? st->flags_stamp & 0xff : st->flags_stamp >> 8;
}

/* Takes over what poppfs have brought. */
static void settle(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		if (st->pop_slot[k] == NO_SLOT)
			continue;
		const struct uop *u = pipe_uop(p, st->pop_slot[k]);
		if (u->seq == st->pop_seq[k] && u->state != UOP_DONE && u->state != UOP_RETIRED)
			continue;
		/* Decode has gone no further than this flag allows, so it is still as the poppf left it. */
		unsigned flag = (unsigned)(p->hart->pflags >> k & 1), bit = 1u << k;
		know(p, u->seq == st->pop_seq[k] ? u : NULL, (st->known & ~bit) | flag << k);
		if (st->bit_seq[k] <= st->pop_seq[k]) {
			st->bits = (uint16_t)((st->bits & ~bit) | flag << k);
			st->bit_seq[k] = st->pop_seq[k];
		}
		st->pop_slot[k] = NO_SLOT;
	}
}

/* The poppf that flag k still waits for at the end of a cycle; NULL: none. */
static const struct uop *late_pop(const struct pipe *p, unsigned k)
{
	const struct xprof_state *st = p->xprof.st;
	const struct uop *u = st->pop_slot[k] == NO_SLOT ? NULL : pipe_uop(p, st->pop_slot[k]);
	return u && u->seq == st->pop_seq[k] && u->state != UOP_DONE && u->state != UOP_RETIRED ? u : NULL;
}

uint16_t xprof_known(const struct pipe *p, uint16_t *late)
{
	const struct xprof_state *st = p->xprof.st;
	unsigned known = st->known;
	*late = 0;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		if (late_pop(p, k))
			*late |= (uint16_t)(1u << k);
		else if (st->pop_slot[k] != NO_SLOT)
			known = (known & ~(1u << k)) | ((unsigned)p->hart->pflags & (1u << k));
	}
	return (uint16_t)known;
}

const struct uop *xprof_awaited(const struct pipe *p, const struct uop *u)
{
	const struct uop *youngest = NULL;
	if (!(u->op_flags & OPF_XPROF) || (u->flags & UF_FLAG_SEEN))
		return NULL;
	uint64_t types = 0;
	if (u->prefix_len)
		types = UINT64_C(1) << u->profile_type;
	else if (u->op_flags & OPF_MEMORY)
		types = u->op_flags & OPF_LOAD ? profile_types(&u->inst) : 0xff;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		const struct uop *q = types >> k & 1 ? late_pop(p, k) : NULL;
		if (q && (!youngest || q->seq > youngest->seq))
			youngest = q;
	}
	return youngest;
}

/* Sets the types in `mask` to what `flags` says. */
static uint16_t with(uint16_t old, uint64_t mask, uint64_t flags)
{
	return (uint16_t)((old & ~mask) | (flags & mask));
}

/* ---- fetch ---- */
static void fetch_flag(struct pipe *p, const struct uop *u)
{
	struct xprof_state *st = p->xprof.st;
	uint64_t types = profile_types(&u->inst);
	st->bits = with(st->bits, types, u->inst.op == OP_SETPF ? types : 0);
	st->bit_seq[u->inst.imm] = u->seq;
}

/* Whether fetch expects a profile instruction of this type to be dropped. */
static bool expects_drop(struct pipe *p, unsigned type)
{
	struct xprof *x = &p->xprof;
	settle(p);
	if (x->bpred == XPROF_PREDICTION_BIT)
		return !(x->st->bits >> type & 1);
	return x->bpred == XPROF_FLAG && !(x->st->known >> type & 1);
}

static enum xprof_fetched fuse(struct pipe *p, struct uop *u, uint64_t line)
{
	struct pipe_state *st = p->st;
	const unsigned prefix = u->inst.len;
	const uint64_t at = u->pc + prefix;
	const struct inst *in = mem_fetch(p->ram, at);
	if (in && inst_is_xprof(in))
		return XPROF_PLAIN; /* a prefix of nothing, wherever that lies */
	/* As fetch_line() asks of any other instruction. */
	if (in ? at + in->len - 1 - line > p->line_mask : line != (at & ~p->line_mask)) {
		st->fetchq_count--;
		st->next_seq--;
		st->slot_next = slot_of(p, u);
		u->state = UOP_FREE;
		u->seq = 0;
		return XPROF_BACK;
	}
	u->profile_type = (uint8_t)u->inst.imm;
	u->prefix_len = (uint16_t)prefix;
	if (!in) {
		u->op_flags = OPF_XPROF;
		return XPROF_NOWHERE;
	}
	u->inst = *in;
	u->op_flags = (uint16_t)(inst_flags(in) | OPF_XPROF);
	u->pred_next = at + in->len;
	p->stats->xprof_fetched++;
	struct bdt_entry *e = bdt_skips(&p->xprof.bdt, u->pc, st->cycle);
	if (e) {
		u->flags |= UF_SKIPS;
		u->pred_next = e->follow;
		u->skipped = (uint16_t)(e->count - 1);
		u->mark = (struct bpred_mark){0};
		st->redirect_until = st->cycle + 1 + (uint64_t)p->cfg->bdt_penalty;
		p->stats->xprof_skips++;
		p->stats->xprof_skip_cycles += (uint64_t)p->cfg->bdt_penalty;
		p->stats->xprof_skipped_insts += e->count - 1;
		return XPROF_SKIP;
	}
	if (!(u->op_flags & OPF_REDIRECT))
		return XPROF_PLAIN;
	if (!expects_drop(p, u->profile_type))
		return XPROF_CONTROL;
	u->flags |= UF_NOT_PREDICTED;
	u->mark = (struct bpred_mark){0};
	return XPROF_PLAIN;
}

enum xprof_fetched xprof_fetch(struct pipe *p, struct uop *u, uint64_t line)
{
	if (!p->xprof.enabled || (u->flags & UF_MACHINE)) {
		u->op_flags = OPF_HINT;
		return XPROF_PLAIN;
	}
	switch (u->inst.op) {
	case OP_PI:
		return fuse(p, u, line);
	case OP_SETPF:
	case OP_RESETPF:
		fetch_flag(p, u);
		return XPROF_PLAIN;
	case OP_PUSHPF:
	case OP_PUSHPF_ALL:
		u->inst.klass = CLASS_STORE;
		u->inst.rs2 = REG_SP;
		u->op_flags = OPF_XPROF | OPF_STORE;
		return XPROF_PLAIN;
	case OP_POPPF:
	case OP_POPPF_ALL:
		u->inst.klass = CLASS_LOAD;
		u->inst.rs1 = REG_SP;
		u->op_flags = OPF_XPROF | OPF_LOAD;
		return XPROF_PLAIN;
	default:
		return XPROF_PLAIN;
	}
}

/* ---- decode ---- */
/* Whether one of these flags is still on its way from memory. */
static bool waits_for_pop(struct pipe *p, uint64_t types)
{
	const struct xprof_state *st = p->xprof.st;
	settle(p);
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		if ((types >> k & 1) && st->pop_slot[k] != NO_SLOT) {
			p->stats->xprof_poppf_stalls++;
			return true;
		}
	return false;
}

/* Instructions decoded that belong to no block; it stands still within one. */
static uint64_t others(const struct pipe *p)
{
	const struct stats *s = p->stats;
	return s->dispatch_insts - s->xprof_dispatched + s->xprof_control;
}

uint64_t xprof_leader(const struct pipe *p)
{
	const struct xprof_state *st = p->xprof.st;
	return st->leader_mark == others(p) ? st->leader : 0;
}

/* Decode has done Xprof's work in this cycle. */
static void note_acted(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	const uint64_t ago = p->st->cycle - st->acted_cycle;
	st->acted = ago < 64 ? st->acted << ago | 1 : 1;
	st->acted_cycle = p->st->cycle;
}

/* Counts u in the row of its type; `rows` of two statistics alternate. */
static void count_type(uint64_t *rows, const struct uop *u)
{
	rows[2 * u->profile_type]++;
}

static void leave(struct pipe *p, struct uop *u, enum uop_state how)
{
	u->state = (uint16_t)how;
	u->when.end = p->st->cycle;
	if (p->st->spec_slot != NO_SLOT)
		u->flags |= UF_WRONG_PATH;
	note_acted(p);
}

/* The leader address register, with u as the next profile instruction; and what the table learns of it. */
static void learn_block(struct pipe *p, const struct uop *u, bool on)
{
	struct xprof_state *st = p->xprof.st;
	if (!st->leader || st->leader_type != u->profile_type || st->leader_mark != others(p)) {
		st->leader = u->pc;
		st->leader_type = u->profile_type;
		st->leader_count = 0;
		st->leader_mark = others(p);
	}
	/* A block behind a loop's back edge begins anew. */
	if (st->leader == u->pc)
		st->leader_count = 0;
	st->leader_count++;
	const struct bdt_seen seen = {
		.pc = u->pc, .end = u->pc + uop_len(u), .leader = st->leader, .count = st->leader_count, .on = on};
	struct bdt_entry *e;
	enum bdt_action action = bdt_learn(&p->xprof.bdt, &seen, p->st->cycle, &e);
	tell_entry(p, u, action, e);
}

/* Whether the block that fetch skipped is not the one that pblen has just announced. */
static bool skip_is_stale(const struct pipe *p, const struct uop *u)
{
	const struct xprof_state *st = p->xprof.st;
	return st->block_leader == u->pc && st->block_follow != u->pred_next;
}

static enum xprof_decoded drop(struct pipe *p, struct uop *u, uint64_t *redirect)
{
	const uint64_t behind = u->pc + uop_len(u);
	const bool control = (u->op_flags & OPF_REDIRECT) && !(u->flags & (UF_SKIPS | UF_NOT_PREDICTED));
	p->stats->xprof_dropped++;
	count_type(&p->stats->xprof_dropped_0, u);
	leave(p, u, UOP_DROPPED);
	if (u->flags & UF_SKIPS) {
		p->xprof.st->again_seq = u->seq + 1;
		p->xprof.st->again_cycle = p->st->cycle;
		if (skip_is_stale(p, u))
			*redirect = behind;
		return XPROF_GONE;
	}
	/* It was expected to be taken, or to call or return: that is put right by fetching again. */
	if (control && (u->pred_next != behind || (u->mark.flags & BPM_RAS))) {
		u->flags |= UF_MISFETCH;
		p->stats->xprof_misfetches++;
		p->stats->xprof_misfetch_cycles += p->st->cycle + 1 - u->when.fetch;
		*redirect = behind;
		struct event *ev = tell(p, EV_PROFILE_MISFETCH, u);
		if (ev)
			ev->profile_misfetch =
				(struct ev_profile_misfetch){.type = u->profile_type, .next = behind, .predicted = u->pred_next};
	}
	return XPROF_GONE;
}

/* The predictor learns that it was not taken: as of others, from the right path only. This stays when its own mark is undone. */
static void learn_ignored(struct pipe *p, const struct uop *u)
{
	const uint64_t at = u->pc + u->prefix_len;
	struct bpred_mark mark = u->mark;
	if (u->op_flags & OPF_BRANCH)
		bpred_learn(&p->bpred, at, &u->inst, false, at + u->inst.len, &mark);
	else
		bpred_forget(&p->bpred, at);
}

static enum xprof_decoded decode_profile(struct pipe *p, struct uop *u, uint64_t *redirect)
{
	const unsigned k = u->profile_type;
	const uint64_t behind = u->pc + uop_len(u);
	if (waits_for_pop(p, UINT64_C(1) << k))
		return XPROF_WAITS;
	const bool on = p->xprof.st->known >> k & 1;
	learn_block(p, u, on);
	if (!on) {
		const bool looked_up = (u->op_flags & OPF_REDIRECT) && !(u->flags & (UF_SKIPS | UF_NOT_PREDICTED));
		enum xprof_decoded gone = drop(p, u, redirect);
		if (looked_up && p->xprof.bpred == XPROF_IGNORED_UPDATE && p->st->spec_slot == NO_SLOT)
			learn_ignored(p, u);
		return gone;
	}
	u->flags |= UF_FLAG_SEEN;
	if (u->flags & UF_SKIPS) {
		u->flags |= UF_FLAG_MISS;
		u->pred_next = behind;
		p->stats->xprof_flag_mispredicts++;
		p->stats->xprof_flag_mispredict_cycles += p->st->cycle + 1 - u->when.fetch;
		struct event *ev = tell(p, EV_FLAG_MISPREDICT, u);
		if (ev)
			ev->flag_mispredict = (struct ev_flag_mispredict){.type = u->profile_type, .next = behind};
	}
	/* Fetch did not ask the predictor: what it would have to learn from is found now. */
	if ((u->op_flags & OPF_REDIRECT) && (u->flags & (UF_SKIPS | UF_NOT_PREDICTED))) {
		bpred_peek(&p->bpred, u->pc + u->prefix_len, &u->mark);
		u->mark.flags &= (uint16_t)~BPM_TAKEN;
	}
	return XPROF_GOES;
}

/* Cycles that decode takes to get rid of entries that longjmp left on the profile stack, each a load. */
static uint64_t discards(const struct pipe *p)
{
	const struct hart *h = p->hart;
	uint64_t entry, at = h->pfsp;
	const uint64_t sp = h->r[REG_SP] << PFSP_FLAGS >> PFSP_FLAGS;
	while (mem_load(p->ram, at, 8, &entry) && entry >> PFSP_FLAGS < sp)
		at += 8;
	return (at - h->pfsp) / 8 * (uint64_t)p->cfg->l1d_latency;
}

static enum xprof_decoded decode_memory(struct pipe *p, struct uop *u)
{
	struct xprof_state *st = p->xprof.st;
	const bool pops = u->op_flags & OPF_LOAD;
	if (!pops)
		return waits_for_pop(p, 0xff) ? XPROF_WAITS : XPROF_GOES;
	if (waits_for_pop(p, profile_types(&u->inst)))
		return XPROF_WAITS;
	if (!st->pop_until)
		st->pop_until = p->st->cycle + discards(p);
	if (p->st->cycle >= st->pop_until)
		return XPROF_GOES;
	note_acted(p);
	return XPROF_WAITS;
}

enum xprof_decoded xprof_decode(struct pipe *p, struct uop *u, uint64_t *redirect)
{
	struct xprof_state *st = p->xprof.st;
	struct hart *h = p->hart;
	u->flags_before = (uint8_t)h->pflags;
	p->st->xprof_seen = 1;
	if (u->flags & UF_FLAG_SEEN)
		return XPROF_GOES;
	if (u->prefix_len)
		return u->trap == TRAP_FETCH_FAULT ? XPROF_GOES : decode_profile(p, u, redirect);
	if (u->op_flags & OPF_MEMORY)
		return decode_memory(p, u);
	if (u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) {
		const uint64_t types = profile_types(&u->inst);
		const unsigned k = (unsigned)u->inst.imm;
		change_flags(p, with((uint16_t)h->pflags, types, u->inst.op == OP_SETPF ? types : 0));
		know(p, u, with(st->known, types, h->pflags));
		st->pop_slot[k] = NO_SLOT; /* whatever it brings is overwritten */
	} else if (u->inst.op == OP_PBLEN) {
		st->block_leader = u->pc + uop_len(u);
		st->block_follow = st->block_leader + (uint64_t)u->inst.imm;
		struct bdt_entry *stale = bdt_stale(&p->xprof.bdt, st->block_leader, st->block_follow);
		if (stale) {
			p->stats->xprof_stale++;
			tell_entry(p, u, BDT_STALE, stale);
			bdt_drop(stale);
		}
	}
	p->stats->xprof_control++;
	leave(p, u, UOP_CONTROL);
	return XPROF_GONE;
}

static void await_pop(struct pipe *p, const struct uop *u)
{
	struct xprof_state *st = p->xprof.st;
	const uint64_t types = profile_types(&u->inst);
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		if (!(types >> k & 1))
			continue;
		st->pop_slot[k] = slot_of(p, u);
		st->pop_seq[k] = u->seq;
	}
}

void xprof_dispatches(struct pipe *p, struct uop *u)
{
	struct pipe_state *st = p->st;
	u->flags_before = (uint8_t)p->hart->pflags;
	if (st->flags_fresh == 1)
		settle_stamp(p);
	else if (st->flags_fresh)
		st->flags_fresh = 1;
	if (u->prefix_len) {
		p->stats->xprof_dispatched++;
		count_type(&p->stats->xprof_dispatched_0, u);
	} else if (u->op_flags & OPF_XPROF) {
		u->undo.reserved = p->hart->pfsp;
	}
}

void xprof_dispatched(struct pipe *p, struct uop *u)
{
	if (p->hart->pflags != u->flags_around >> 8) {
		u->flags_around = (uint16_t)((u->flags_around & 0xff) | p->hart->pflags << 8);
		settle_stamp(p);
	}
	if (u->prefix_len || !(u->op_flags & OPF_XPROF) || !(u->op_flags & OPF_LOAD) || u->trap != TRAP_NONE)
		return;
	p->xprof.st->pop_until = 0;
	await_pop(p, u);
}

/* Whether it had in any cycle from `first` to `last`, as far as is known. */
static bool acted_within(const struct xprof_state *st, uint64_t first, uint64_t last)
{
	for (uint64_t c = first; c <= last && c <= st->acted_cycle; c++)
		if (st->acted_cycle - c >= 64 || st->acted >> (st->acted_cycle - c) & 1)
			return true;
	return false;
}

enum xprof_gap xprof_gap(const struct pipe *p, const struct uop *oldest)
{
	const struct xprof_state *st = p->xprof.st;
	const struct pipe_state *ps = p->st;
	const uint64_t then = ps->cycle - p->decode_to_commit;
	if (!st->acted_cycle || (oldest && oldest->when.dispatch <= then))
		return XPROF_NO_GAP;
	if (acted_within(st, then, then))
		return XPROF_GAP_DECODE;
	/* Nothing has been decoded from the time when fetch had to go elsewhere. */
	const bool first = oldest ? oldest->seq == st->again_seq : ps->next_seq - st->again_seq == ps->fetchq_count;
	return first && then > st->again_cycle && !acted_within(st, st->again_cycle + 1, then) ? XPROF_GAP_FETCH : XPROF_NO_GAP;
}

/* ---- back and out ---- */
void xprof_undo(struct pipe *p, const struct uop *u)
{
	if (!u->prefix_len)
		p->hart->pfsp = u->undo.reserved;
}

/* Decode waits again for the poppfs that are left. */
static void find_pops(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		st->pop_slot[k] = NO_SLOT;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_DONE || !(u->op_flags & OPF_XPROF) || u->prefix_len || !(u->op_flags & OPF_LOAD))
			continue;
		know(p, u, with(st->known, profile_types(&u->inst), u->flags_before));
		await_pop(p, u);
	}
}

void xprof_sent_back(struct pipe *p)
{
	p->xprof.st->again_seq = p->st->next_seq;
	p->xprof.st->again_cycle = p->st->cycle;
}

void xprof_squashed(struct pipe *p, uint16_t flags)
{
	struct xprof_state *st = p->xprof.st;
	/* A block that is cut off here has no follow yet; if its entry were unlocked, it would stay so. */
	struct bdt_entry *e = xprof_leader(p) ? bdt_find(&p->xprof.bdt, st->leader) : NULL;
	if (e && e->locked) {
		tell_entry(p, NULL, BDT_CUT, e);
		bdt_drop(e);
	}
	st->acted = 0; /* it was, or seems to be, about what is gone */
	st->again_seq = 0;
	st->leader = 0;
	st->pop_until = 0;
	xprof_resume(p, flags, flags);
}

void xprof_resume(struct pipe *p, uint16_t behind, uint16_t flags)
{
	p->hart->pflags = flags;
	know(p, NULL, flags);
	p->st->flags_stamp = (uint16_t)(behind | flags << 8);
	p->st->flags_fresh = 2;
	find_pops(p);
	xprof_refetched(p);
}

void xprof_committed(struct pipe *p, const struct uop *u)
{
	struct stats *s = p->stats;
	s->cpi_base--; /* its slot is among those, or will be */
	s->cpi_profile++;
	if (u->prefix_len)
		return;
	p->xprof.st->committed_pfsp = u->exec.addr + (u->op_flags & OPF_LOAD ? 8 : 0);
	settle(p);
}

void xprof_csr_committed(struct pipe *p, const struct uop *u)
{
	know(p, u, (unsigned)p->hart->pflags);
	xprof_adopt(p);
}

void xprof_fence(struct pipe *p, const struct uop *u)
{
	bdt_clear(&p->xprof.bdt);
	tell_entry(p, u, BDT_CLEARED, NULL);
}

void xprof_adopt(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->known = st->bits = (uint16_t)p->hart->pflags;
	settle_stamp(p);
	st->committed_pfsp = p->hart->pfsp;
	/* Fetch has gone on, and has seen what comes behind it. */
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		if ((u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) && (u->op_flags & OPF_XPROF))
			fetch_flag(p, u);
	}
}

void xprof_refetched(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->bits = st->known;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		st->bit_seq[k] = 0;
}
