#include "core/defs/event_fields.h"
#include "core/isa/profile_inst.h"
#include "core/pipe/xprof/xprof_priv.h"

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
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
/* Adds an event of u, or of none; NULL if it is not wanted. This file belongs to no variant of the
 * stages, so the mask is tested at run time. */
struct event *xprof_tell(struct pipe *p, enum event_id id, const struct uop *u)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	if (!u)
		return event_put(&p->events, id, p->st->cycle, 0, 0, EVENT_NO_SLOT, OP_ILLEGAL);
	return event_put(&p->events, id, p->st->cycle, u->seq, u->pc, window_slot_index(p, u),
	                 u->inst.op);
}

void xprof_tell_entry(struct pipe *p, const struct uop *u, enum bdt_action action,
                      const struct bdt_entry *e)
{
	struct event *ev = action == BDT_NOTHING ? NULL : xprof_tell(p, EV_BDT, u);
	const struct bdt *t = &p->xprof.bdt;
	if (!ev)
		return;
	ev->bdt = (struct ev_bdt){.action = action};
	if (!e) /* all entries */
		return;
	ev->bdt = (struct ev_bdt){.action = action,
	                          .leader = e->leader,
	                          .follow = e->follow,
	                          .set = bdt_set(t, e->leader)};
}

/* ---- flags ---- */
/* Sets decode's flags, because of u or of a squash. */
void xprof_know(struct pipe *p, const struct uop *u, unsigned flags)
{
	struct xprof_state *st = p->xprof.st;
	const unsigned before = st->known;
	struct event *ev = before == flags ? NULL : xprof_tell(p, EV_PFLAG, u);
	st->known = (uint16_t)flags;
	if (ev)
		ev->pflag = (struct ev_pflag){.flags = flags, .before = before};
}

/* Notes that no flag has changed since the youngest instruction in the window. */
void xprof_settle_stamp(struct pipe *p)
{
	p->st->flags_stamp = (uint16_t)(p->hart->pflags | p->hart->pflags << 8);
	p->st->flags_fresh = 0;
}

/* Changes the flags at decode, between two instructions in the window. */
void xprof_change_flags(struct pipe *p, uint16_t flags)
{
	struct pipe_state *st = p->st;
	const uint16_t behind =
		st->flags_fresh == 2 ? st->flags_stamp & 0xff : st->flags_stamp >> 8;
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

/* Adopts flags of poppfs that have completed. */
void xprof_settle(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		if (st->pop_slot[k] == NO_SLOT)
			continue;
		const struct uop *u = pipe_uop(p, st->pop_slot[k]);
		if (u->seq == st->pop_seq[k] && u->state != UOP_DONE && u->state != UOP_RETIRED)
			continue;
		/* Decode waits for this flag before using or changing it, so its value is still the
		 * poppf's. */
		unsigned flag = (unsigned)(p->hart->pflags >> k & 1), bit = 1u << k;
		xprof_know(p, u->seq == st->pop_seq[k] ? u : NULL, (st->known & ~bit) | flag << k);
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
	return u && u->seq == st->pop_seq[k] && u->state != UOP_DONE && u->state != UOP_RETIRED
	               ? u
	               : NULL;
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
		types = profile_types(&u->inst);
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		const struct uop *q = types >> k & 1 ? late_pop(p, k) : NULL;
		if (q && (!youngest || q->seq > youngest->seq))
			youngest = q;
	}
	return youngest;
}

/* ---- fetch ---- */
void xprof_fetch_flag(struct pipe *p, const struct uop *u)
{
	struct xprof_state *st = p->xprof.st;
	uint64_t types = profile_types(&u->inst);
	st->bits = xprof_with(st->bits, types, u->inst.op == OP_SETPF ? types : 0);
	st->bit_seq[u->inst.imm] = u->seq;
}

void xprof_await_pop(struct pipe *p, const struct uop *u, uint64_t types)
{
	struct xprof_state *st = p->xprof.st;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		if (!(types >> k & 1))
			continue;
		st->pop_slot[k] = window_slot_index(p, u);
		st->pop_seq[k] = u->seq;
	}
}

/* ---- squash and commit ---- */
/* Types of the poppf u that no setpf or resetpf has set since; exact only for the youngest
 * poppf. */
static uint64_t brought_by(const struct uop *u, const struct xprof_state *before)
{
	uint64_t types = profile_types(&u->inst);
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		if (before->pop_seq[k] == u->seq && before->set_seq[k])
			types &= ~(UINT64_C(1) << k);
	return types;
}

/* Makes decode wait again for the remaining poppfs. */
static void find_pops(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	const uint64_t youngest = p->st->rob_count ? pipe_rob_at(p, p->st->rob_count - 1)->seq : 0;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++) {
		st->pop_slot[k] = NO_SLOT;
		if (st->set_seq[k] > youngest)
			st->set_seq[k] = 0;
	}
	const struct xprof_state before = *st;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_DONE || !(u->op_flags & OPF_XPROF) || u->prefix_len ||
		    !(u->op_flags & OPF_LOAD))
			continue;
		const uint64_t types = brought_by(u, &before);
		xprof_know(p, u, xprof_with(st->known, types, u->flags_before));
		xprof_await_pop(p, u, types);
	}
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		if (st->pop_seq[k] != before.pop_seq[k])
			st->set_seq[k] = 0;
}

void xprof_sent_back(struct pipe *p)
{
	p->xprof.st->again_seq = p->st->next_seq;
	p->xprof.st->again_cycle = p->st->cycle;
}

void xprof_squashed(struct pipe *p, uint16_t flags)
{
	struct xprof_state *st = p->xprof.st;
	/* A block that is cut off here has no follow yet; once unlocked, its entry would stay
	 * wrong. */
	struct bdt_entry *e = xprof_leader(p) ? bdt_find(&p->xprof.bdt, st->leader) : NULL;
	if (e && e->locked) {
		xprof_tell_entry(p, NULL, BDT_CUT, e);
		bdt_drop(e);
	}
	st->acted = 0; /* it may be about squashed instructions */
	st->again_seq = 0;
	st->leader = 0;
	xprof_resume(p, flags, flags);
}

void xprof_resume(struct pipe *p, uint16_t behind, uint16_t flags)
{
	p->hart->pflags = flags;
	xprof_know(p, NULL, flags);
	p->st->flags_stamp = (uint16_t)(behind | flags << 8);
	p->st->flags_fresh = 2;
	find_pops(p);
	xprof_refetched(p);
}

void xprof_committed(struct pipe *p, const struct uop *u)
{
	struct stats *s = p->stats;
	s->cpi_base--; /* it includes the slot of u, or will */
	s->cpi_profile++;
	if (u->prefix_len)
		return;
	s->xprof_unreached += u->exec.unreached;
	xprof_settle(p);
}

void xprof_flags_committed(struct pipe *p, const struct uop *u)
{
	xprof_know(p, u, (unsigned)p->hart->pflags);
	xprof_adopt(p);
}

void xprof_new_code(struct pipe *p, const struct uop *u)
{
	if (!p->cfg->bdt_fence)
		return;
	bdt_clear(&p->xprof.bdt);
	p->xprof.st->block_leader = p->xprof.st->block_follow = 0;
	xprof_tell_entry(p, u, BDT_CLEARED, NULL);
}

void xprof_code_written(struct pipe *p, uint64_t at, size_t n)
{
	struct bdt_entry *e = NULL;
	while ((e = bdt_next_within(&p->xprof.bdt, e, at, n))) {
		xprof_tell_entry(p, NULL, BDT_WRITTEN, e);
		bdt_drop(e);
	}
	p->xprof.st->block_leader = p->xprof.st->block_follow = 0;
}

void xprof_adopt(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->known = st->bits = (uint16_t)p->hart->pflags;
	xprof_settle_stamp(p);
	/* Fetch is ahead and has met later setpfs and resetpfs. */
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		if ((u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) &&
		    (u->op_flags & OPF_XPROF))
			xprof_fetch_flag(p, u);
	}
}

void xprof_refetched(struct pipe *p)
{
	struct xprof_state *st = p->xprof.st;
	st->bits = st->known;
	for (unsigned k = 0; k < PROFILE_TYPES_MAX; k++)
		st->bit_seq[k] = 0;
}

/* ---- state ---- */
void xprof_ranges(const struct pipe *p, struct ranges *rs)
{
	const struct xprof_state *st = p->xprof.st;
	const struct bdt *t = &p->xprof.bdt;
#define STATE(...) STATE_RANGE(rs, "profile flags", st, __VA_ARGS__)
#include "core/pipe/xprof/xprof_state.def"
#undef STATE
#define STATE(...)                                                                                 \
	STATE_ROWS(rs, "block descriptor table", t->entry, (t->mask + 1) * t->ways, __VA_ARGS__)
#include "core/pipe/xprof/bdt_entry.def"
#undef STATE
}

unsigned xprof_tables(const struct pipe *p, struct state_part out[STATE_PARTS_MAX])
{
	static const struct state_field flags[] = {
#define STATE(...) STATE_ROW(xprof_state, __VA_ARGS__)
#include "core/pipe/xprof/xprof_state.def"
#undef STATE
	}, entry[] = {
#define STATE(...) STATE_ROW(bdt_entry, __VA_ARGS__)
#include "core/pipe/xprof/bdt_entry.def"
#undef STATE
	};
	const struct bdt *t = &p->xprof.bdt;
	out[0] = STATE_PART("profile flags", flags, p->xprof.st, 1);
	out[1] = STATE_PART("block table", entry, t->entry, (t->mask + 1) * t->ways);
	return t->ways ? 2 : 1;
}
