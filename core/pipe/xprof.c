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

/* ---- flags ---- */
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
		st->known = (uint16_t)((st->known & ~bit) | flag << k);
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
	u->profile_type = (uint16_t)u->inst.imm;
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
		u->mark = (struct bpred_mark){0};
		st->redirect_until = st->cycle + 1 + (uint64_t)p->cfg->bdt_penalty;
		p->stats->xprof_skips++;
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

static void leave(struct pipe *p, struct uop *u, enum uop_state how)
{
	u->state = (uint16_t)how;
	u->when.end = p->st->cycle;
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
	bdt_learn(&p->xprof.bdt, &seen, p->st->cycle, &e);
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
	
	leave(p, u, UOP_DROPPED);
	if (u->flags & UF_SKIPS) {
		if (skip_is_stale(p, u))
			*redirect = behind;
		return XPROF_GONE;
	}
	/* It was expected to be taken, or to call or return: that is put right by fetching again. */
	if (control && (u->pred_next != behind || (u->mark.flags & BPM_RAS))) {
		u->flags |= UF_MISFETCH;
		p->stats->xprof_misfetches++;
		*redirect = behind;
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
		u->pred_next = *redirect = behind;
		p->stats->xprof_flag_mispredicts++;
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
	return p->st->cycle < st->pop_until ? XPROF_WAITS : XPROF_GOES;
}

enum xprof_decoded xprof_decode(struct pipe *p, struct uop *u, uint64_t *redirect)
{
	struct xprof_state *st = p->xprof.st;
	struct hart *h = p->hart;
	if (u->flags & UF_FLAG_SEEN) {
		*redirect = u->flags & UF_FLAG_MISS ? u->pred_next : 0;
		return XPROF_GOES;
	}
	if (u->prefix_len)
		return u->trap == TRAP_FETCH_FAULT ? XPROF_GOES : decode_profile(p, u, redirect);
	if (u->op_flags & OPF_MEMORY)
		return decode_memory(p, u);
	if (u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) {
		const uint64_t types = profile_types(&u->inst);
		const unsigned k = (unsigned)u->inst.imm;
		h->pflags = with((uint16_t)h->pflags, types, u->inst.op == OP_SETPF ? types : 0);
		st->known = with(st->known, types, h->pflags);
		st->pop_slot[k] = NO_SLOT; /* whatever it brings is overwritten */
	} else if (u->inst.op == OP_PBLEN) {
		st->block_leader = u->pc + uop_len(u);
		st->block_follow = st->block_leader + (uint64_t)u->inst.imm;
		p->stats->xprof_stale += bdt_check_length(&p->xprof.bdt, st->block_leader, st->block_follow);
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

void xprof_dispatched(struct pipe *p, struct uop *u)
{
	struct xprof_state *st = p->xprof.st;
	if (u->prefix_len) {
		p->stats->xprof_dispatched++;
		
	}
	if (u->prefix_len || !(u->op_flags & OPF_LOAD) || u->trap != TRAP_NONE)
		return;
	st->pop_until = 0;
	await_pop(p, u);
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
		st->known = with(st->known, profile_types(&u->inst), u->flags_around);
		await_pop(p, u);
	}
}

void xprof_squashed(struct pipe *p, const struct uop *youngest)
{
	struct xprof_state *st = p->xprof.st;
	/* A block that is cut off here has no follow yet; if its entry were unlocked, it would stay so. */
	if (xprof_leader(p))
		bdt_abandon(&p->xprof.bdt, st->leader);
	st->leader = 0;
	st->pop_until = 0;
	xprof_resume(p, youngest ? youngest->flags_around >> 8 : st->committed);
}

void xprof_resume(struct pipe *p, uint16_t flags)
{
	p->hart->pflags = p->xprof.st->known = flags;
	find_pops(p);
	xprof_refetched(p);
}

void xprof_committed(struct pipe *p, const struct uop *u)
{
	if (!u->prefix_len)
		p->xprof.st->committed_pfsp = u->exec.addr + (u->op_flags & OPF_LOAD ? 8 : 0);
}

void xprof_adopt(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->committed = st->known = st->bits = (uint16_t)p->hart->pflags;
	st->committed_pfsp = p->hart->pfsp;
}

void xprof_refetched(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->bits = st->known;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		st->bit_seq[k] = 0;
}
