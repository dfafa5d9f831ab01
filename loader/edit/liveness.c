#include "loader/edit/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "loader/edit/edit_priv.h"

enum { ALL = -1, SYSTEM_CALL = 0xff << 10 /* a0 to a7 */ };

struct flow {
	const struct edit *e;
	uint32_t *live;      /* [inst_count] */
	uint8_t *pad;        /* [inst_count]: a landing pad */
	uint32_t returned;   /* wherever a return may go */
	uint32_t known;      /* wherever another indirect jump may go */
};

static uint32_t bit(unsigned reg)
{
	return reg > 0 && reg < 32 ? UINT32_C(1) << reg : 0;
}

static uint32_t reads(const struct inst *in)
{
	if (in->op == OP_ECALL)
		return (uint32_t)SYSTEM_CALL;
	return bit(in->rs1) | bit(in->rs2) | bit(in->rs3);
}

static uint32_t live_at(const struct flow *f, uint64_t addr)
{
	uint32_t i = edit_inst_at(f->e, addr);
	return i == EDIT_NONE ? (uint32_t)ALL : f->live[i];
}

/* What matters before instruction i + 1: everything, if that is none. */
static uint32_t live_next(const struct flow *f, uint32_t i)
{
	const struct edit_inst *in = &f->e->insts[i];
	const bool joined = i + 1 < f->e->inst_count && in[1].addr == in->addr + in->in.len;
	return joined ? f->live[i + 1] : (uint32_t)ALL;
}

static uint32_t live_behind(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	const unsigned flags = inst_flags(&at->in);
	const bool call = (flags & OPF_JUMP) && at->in.rd != REG_SINK;
	uint32_t live = 0;
	if (!(flags & OPF_JUMP) || call)
		live |= live_next(f, i);
	if (flags & OPF_INDIRECT)
		live |= inst_pops_ras(&at->in) ? f->returned : f->known;
	else if (flags & OPF_CONTROL)
		live |= live_at(f, at->target);
	return live;
}

static uint32_t live_before(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	if (at->flags & EDIT_DATA || at->in.op == OP_EBREAK)
		return (uint32_t)ALL;
	return (live_behind(f, i) & ~bit(at->in.rd)) | reads(&at->in);
}

/* Landing pads are known by their table, which returns lead to as well. */
static void find_pads(struct flow *f)
{
	const struct edit *e = f->e;
	for (size_t k = 0; k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		uint32_t i = strcmp(e->sections[r->section].name, ".gcc_except_table") ? EDIT_NONE : edit_inst_at(e, r->value);
		if (i != EDIT_NONE)
			f->pad[i] = 1;
	}
}

/* What all returns, and all other indirect jumps, may lead to. */
static void gather(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const bool call = !(at->flags & EDIT_DATA) && (inst_flags(&at->in) & OPF_JUMP) && at->in.rd != REG_SINK;
		if (call)
			f->returned |= live_next(f, i);
		if (f->pad[i])
			f->returned |= f->live[i];
		if (at->flags & EDIT_TAKEN)
			f->known |= f->live[i];
	}
	f->known |= f->returned; /* contexts that were saved are resumed behind a call */
}

uint32_t *edit_liveness(const struct edit *e)
{
	struct flow f = {e, calloc(e->inst_count + 1, sizeof *f.live), calloc(e->inst_count + 1, 1), 0, 0};
	if (!f.live || !f.pad) {
		free(f.live);
		free(f.pad);
		return NULL;
	}
	find_pads(&f);
	for (bool changed = true; changed;) {
		changed = false;
		gather(&f);
		for (uint32_t i = e->inst_count; i-- > 0;) {
			uint32_t live = live_before(&f, i);
			changed |= live != f.live[i];
			f.live[i] = live;
		}
	}
	free(f.pad);
	return f.live;
}
