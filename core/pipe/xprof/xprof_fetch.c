/* Xprof at fetch: prefixes, prediction bits, and skips. */
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/pipe/frontend/ras.h"
#include "core/pipe/plugin.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof_priv.h"

struct plugin_flag xprof_asked(const struct xprof *x, uint64_t pc, unsigned type,
                               const struct bdt_entry *e)
{
	return (struct plugin_flag){.pc = pc,
	                            .type = type,
	                            .bit = x->st->bits >> type & 1,
	                            .entry = e ? (uint32_t)(e - x->bdt.entry) : PLUGIN_NO_ENTRY,
	                            .count = e ? e->count : 0};
}

/* True if the plug-in predicts that the flag is on. */
static bool xprof_plugin_expects_flag(struct pipe *p, uint64_t pc, unsigned type,
                                      const struct bdt_entry *e)
{
	xprof_settle(p);
	const struct plugin_flag f = xprof_asked(&p->xprof, pc, type, e);
	return plugins_flag(p->xprof.plugins, &f);
}

/* True if fetch predicts that a profile instruction of this type is dropped. */
static bool expects_drop(struct pipe *p, uint64_t pc, unsigned type)
{
	struct xprof *x = &p->xprof;
	xprof_settle(p);
	if (x->bpred == XPROF_PREDICTION_BIT)
		return x->plugins ? !xprof_plugin_expects_flag(p, pc, type, NULL)
		                  : !(x->st->bits >> type & 1);
	return x->bpred == XPROF_FLAG && !(x->st->known >> type & 1);
}

static enum xprof_fetched xprof_fuse_prefix(struct pipe *p, struct uop *u, uint64_t line)
{
	struct pipe_state *st = p->st;
	const unsigned prefix = u->inst.len;
	const uint64_t at = u->pc + prefix;
	const struct inst *in = mem_fetch(p->ram, at);
	if (in && inst_is_xprof(in))
		return XPROF_PLAIN; /* a prefix without an instruction; its line does not matter */
	/* The same test as in fetch_line() for other instructions. */
	if (in ? at + in->len - 1 - line > p->line_mask : line != (at & ~p->line_mask)) {
		st->fetchq_count--;
		st->next_seq--;
		st->slot_next = window_slot_index(p, u);
		u->state = UOP_FREE;
		u->seq = 0;
		return XPROF_BACK;
	}
	u->profile_type = (uint8_t)u->inst.imm;
	u->prefix_len = (uint8_t)prefix;
	if (!in) {
		u->op_flags = OPF_XPROF;
		return XPROF_NOWHERE;
	}
	u->inst = *in;
	u->op_flags = (uint16_t)(inst_flags(in) | OPF_XPROF);
	u->pred_next = at + in->len;
	p->stats->xprof_fetched++;
	xprof_count_type(&p->stats->xprof_fetched_0, u);
	struct bdt_entry *e = bdt_known(&p->xprof.bdt, u->pc, st->cycle);
	if (e &&
	    !(p->xprof.plugins ? xprof_plugin_expects_flag(p, u->pc, u->profile_type, e) : e->on)) {
		u->flags |= UF_SKIPS;
		u->pred_next = e->follow;
		u->skipped = (uint16_t)(e->count - 1);
		u->mark = (struct bpred_mark){0};
		st->redirect_until = st->cycle + 1 + (uint64_t)p->cfg->bdt_penalty;
		st->sent_back = 1;
		p->stats->xprof_skips++;
		p->stats->xprof_skip_cycles += (uint64_t)p->cfg->bdt_penalty;
		p->stats->xprof_skipped_insts += e->count - 1;
		return XPROF_SKIP;
	}
	if (!(u->op_flags & OPF_REDIRECT))
		return XPROF_PLAIN;
	if (!expects_drop(p, u->pc, u->profile_type))
		return XPROF_CONTROL;
	u->flags |= UF_NOT_PREDICTED;
	u->mark = (struct bpred_mark){0};
	return XPROF_PLAIN;
}

bool xprof_skips_at_once(struct pipe *p)
{
	if (p->cfg->bdt_penalty)
		return false;
	p->st->redirect_until = p->st->cycle;
	return true;
}

void xprof_not_taken(struct pipe *p, struct uop *u)
{
	if (p->xprof.bpred != XPROF_IGNORED_UPDATE || !(u->mark.flags & BPM_RAS) ||
	    (u->mark.flags & BPM_FROM_RAS))
		return;
	ras_undo(&p->bpred, &u->mark);
	u->mark.flags &= (uint16_t)~BPM_RAS;
}

enum xprof_fetched xprof_fetch(struct pipe *p, struct uop *u, uint64_t line)
{
	if (!p->xprof.enabled || (u->flags & UF_MACHINE)) {
		u->op_flags = OPF_HINT;
		return XPROF_PLAIN;
	}
	switch (u->inst.op) {
	case OP_PI:
		return xprof_fuse_prefix(p, u, line);
	case OP_SETPF:
	case OP_RESETPF:
		xprof_fetch_flag(p, u);
		return XPROF_PLAIN;
	case OP_PUSHPF:
	case OP_PUSHPF_ALL:
		u->inst.klass = CLASS_STORE;
		u->inst.rs1 = REG_SP;
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
