/* Xprof at decode: drops, control, waits, and their costs. */
#include "core/defs/event_fields.h"
#include "core/defs/config_fields.h"
#include "core/isa/profile_inst.h"
#include "core/pipe/plugin.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof_priv.h"
#include "core/defs/stats_fields.h"

/* True if one of these flags waits for a poppf; counts a stall. */
static bool waits_for_pop(struct pipe *p, uint64_t types)
{
	const struct xprof_state *st = p->xprof.st;
	xprof_settle(p);
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		if ((types >> k & 1) && st->pop_slot[k] != NO_SLOT) {
			p->stats->xprof_poppf_stalls++;
			return true;
		}
	return false;
}

/* Decoded instructions outside of blocks; unchanged within a block. */
static uint64_t xprof_insts_outside_blocks(const struct pipe *p)
{
	const struct stats *s = p->stats;
	return s->dispatch_insts - s->xprof_dispatched + s->xprof_control;
}

uint64_t xprof_leader(const struct pipe *p)
{
	const struct xprof_state *st = p->xprof.st;
	return st->leader_mark == xprof_insts_outside_blocks(p) ? st->leader : 0;
}

/* Notes that decode did Xprof's work in this cycle. */
static void note_acted(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	const uint64_t ago = p->st->cycle - st->acted_cycle;
	st->acted = ago < 64 ? st->acted << ago | 1 : 1;
	st->acted_cycle = p->st->cycle;
}

static void xprof_leave_decode(struct pipe *p, struct uop *u, enum uop_state how)
{
	u->state = how;
	u->when.end = p->st->cycle;
	if (p->st->spec_slot != NO_SLOT)
		u->flags |= UF_WRONG_PATH;
	note_acted(p);
}

/* Trains the plug-in where the prediction bits would learn. e: entry of its block, NULL: none. */
static void xprof_train_plugin(struct pipe *p, const struct uop *u, bool on,
                               const struct bdt_entry *e)
{
	const struct xprof_state *st = p->xprof.st;
	const struct plugin_flag f = {.pc = u->pc,
	                              .type = u->profile_type,
	                              .entry = e ? (uint32_t)(e - p->xprof.bdt.entry)
	                                         : PLUGIN_NO_ENTRY,
	                              .count = st->leader_count,
	                              .on = on,
	                              .expected = !(u->flags & (UF_SKIPS | UF_NOT_PREDICTED)),
	                              .leader = st->leader};
	plugins_decoded(p->xprof.plugins, &f);
}

/* Updates the leader address register and the table with u, the next profile instruction. */
static void learn_block(struct pipe *p, const struct uop *u, bool on)
{
	struct xprof_state *st = p->xprof.st;
	if (!st->leader || st->leader_type != u->profile_type ||
	    st->leader_mark != xprof_insts_outside_blocks(p)) {
		st->leader = u->pc;
		st->leader_type = u->profile_type;
		st->leader_count = 0;
		st->leader_mark = xprof_insts_outside_blocks(p);
	}
	/* A block that a loop's back edge reaches again restarts. */
	if (st->leader == u->pc)
		st->leader_count = 0;
	st->leader_count++;
	const struct bdt_seen seen = {.pc = u->pc,
	                              .end = u->pc + uop_len(u),
	                              .leader = st->leader,
	                              .count = st->leader_count,
	                              .on = on};
	struct bdt_entry *e;
	enum bdt_action action = bdt_learn(&p->xprof.bdt, &seen, p->st->cycle, &e);
	xprof_tell_entry(p, u, action, e);
	if (p->xprof.plugins)
		xprof_train_plugin(p, u, on, e);
}

/* True if the block that fetch skipped differs from the one that pblen has just announced. */
static bool skip_is_stale(const struct pipe *p, const struct uop *u)
{
	const struct xprof_state *st = p->xprof.st;
	return st->block_leader == u->pc && st->block_follow != u->pred_next;
}

static enum xprof_decoded xprof_drop_inst(struct pipe *p, struct uop *u, uint64_t *redirect)
{
	const uint64_t behind = u->pc + uop_len(u);
	const bool control =
		(u->op_flags & OPF_REDIRECT) && !(u->flags & (UF_SKIPS | UF_NOT_PREDICTED));
	p->stats->xprof_dropped++;
	p->st->mark_next = 0;
	xprof_count_type(&p->stats->xprof_dropped_0, u);
	xprof_leave_decode(p, u, UOP_DROPPED);
	if (u->flags & UF_SKIPS) {
		p->xprof.st->again_seq = u->seq + 1;
		p->xprof.st->again_cycle = p->st->cycle;
		if (skip_is_stale(p, u)) {
			u->flags |= UF_MISFETCH;
			*redirect = behind;
		}
		return XPROF_GONE;
	}
	/* A profile mis-fetch (section III.B.1): it was predicted taken. */
	if (control && u->pred_next != behind) {
		u->flags |= UF_MISFETCH;
		p->stats->xprof_misfetches++;
		p->stats->xprof_misfetch_cycles += p->st->cycle + 1 - u->when.fetch;
		*redirect = behind;
		struct event *ev = xprof_tell(p, EV_PROFILE_MISFETCH, u);
		if (ev)
			ev->profile_misfetch = (struct ev_profile_misfetch){
				.type = u->profile_type, .next = behind, .predicted = u->pred_next};
	}
	return XPROF_GONE;
}

/* Teaches the predictor that u was not taken: as for other branches, on the right path only.
 * Undoing u's own mark does not undo this. */
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
		const bool looked_up =
			(u->op_flags & OPF_REDIRECT) && !(u->flags & (UF_SKIPS | UF_NOT_PREDICTED));
		enum xprof_decoded gone = xprof_drop_inst(p, u, redirect);
		if (looked_up && p->xprof.bpred == XPROF_IGNORED_UPDATE &&
		    p->st->spec_slot == NO_SLOT)
			learn_ignored(p, u);
		return gone;
	}
	u->flags |= UF_FLAG_SEEN;
	if (u->flags & UF_SKIPS) {
		u->flags |= UF_FLAG_MISS;
		u->pred_next = behind;
		p->stats->xprof_flag_mispredicts++;
		p->stats->xprof_flag_mispredict_cycles += p->st->cycle + 1 - u->when.fetch;
		struct event *ev = xprof_tell(p, EV_FLAG_MISPREDICT, u);
		if (ev)
			ev->flag_mispredict = (struct ev_flag_mispredict){.type = u->profile_type,
			                                                  .next = behind};
	}
	/* Fetch did not call the predictor: get the mark that it needs for learning now. */
	if ((u->op_flags & OPF_REDIRECT) && (u->flags & (UF_SKIPS | UF_NOT_PREDICTED))) {
		bpred_predict(&p->bpred, u->pc + u->prefix_len, &u->inst, false, &u->mark);
		u->mark.flags &= (uint16_t)~BPM_TAKEN;
	}
	return XPROF_GOES;
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
		return waits_for_pop(p, profile_types(&u->inst)) ? XPROF_WAITS : XPROF_GOES;
	if (u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) {
		const uint64_t types = profile_types(&u->inst);
		const unsigned k = (unsigned)u->inst.imm;
		xprof_change_flags(p, xprof_with((uint16_t)h->pflags, types,
		                                 u->inst.op == OP_SETPF ? types : 0));
		xprof_know(p, u, xprof_with(st->known, types, h->pflags));
		st->pop_slot[k] = NO_SLOT; /* its value is overwritten */
		if (!st->set_seq[k])
			st->set_seq[k] = u->seq;
	} else if (u->inst.op == OP_PBLEN) {
		st->block_leader = u->pc + uop_len(u);
		st->block_follow = st->block_leader + (uint64_t)u->inst.imm;
		struct bdt_entry *stale =
			bdt_stale(&p->xprof.bdt, st->block_leader, st->block_follow);
		if (stale) {
			p->stats->xprof_stale++;
			xprof_tell_entry(p, u, BDT_STALE, stale);
			bdt_drop(stale);
		}
	}
	p->st->mark_next = u->inst.op == OP_MARK;
	p->stats->xprof_control++;
	xprof_leave_decode(p, u, UOP_CONTROL);
	return XPROF_GONE;
}

void xprof_dispatches(struct pipe *p, struct uop *u)
{
	struct pipe_state *st = p->st;
	u->flags_before = (uint8_t)p->hart->pflags;
	if (st->mark_next) {
		u->marked = u->seq;
		st->mark_next = 0;
	}
	if (st->flags_fresh == 1)
		xprof_settle_stamp(p);
	else if (st->flags_fresh)
		st->flags_fresh = 1;
	if (u->prefix_len) {
		p->stats->xprof_dispatched++;
		xprof_count_type(&p->stats->xprof_dispatched_0, u);
	}
}

void xprof_dispatched(struct pipe *p, struct uop *u)
{
	if (p->hart->pflags != u->flags_around >> 8) {
		u->flags_around = (uint16_t)((u->flags_around & 0xff) | p->hart->pflags << 8);
		xprof_settle_stamp(p);
	}
	if (u->prefix_len || !(u->op_flags & OPF_XPROF) || !(u->op_flags & OPF_LOAD) ||
	    u->trap != TRAP_NONE)
		return;
	xprof_await_pop(p, u, profile_types(&u->inst));
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		if (profile_types(&u->inst) >> k & 1)
			p->xprof.st->set_seq[k] = 0;
}

/* True if decode did Xprof's work in any cycle from `first` to `last`; assumed true for cycles 64
 * or more before the last such cycle. */
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
	/* Nothing was decoded since fetch was redirected. */
	const bool first = oldest ? oldest->seq == st->again_seq
	                          : ps->next_seq - st->again_seq == ps->fetchq_count;
	return first && then > st->again_cycle && !acted_within(st, st->again_cycle + 1, then)
	               ? XPROF_GAP_FETCH
	               : XPROF_NO_GAP;
}

uint64_t xprof_gap_until(const struct pipe *p, const struct uop *oldest, uint64_t now)
{
	const struct xprof_state *st = p->xprof.st;
	const uint64_t last = st->acted_cycle > st->again_cycle ? st->acted_cycle : st->again_cycle;
	if (now < p->decode_to_commit)
		return now;
	const uint64_t then = now - p->decode_to_commit;
	if (oldest && oldest->when.dispatch <= then)
		return UINT64_MAX;
	if (then <= last)
		return now;
	return oldest ? oldest->when.dispatch + p->decode_to_commit : UINT64_MAX;
}
