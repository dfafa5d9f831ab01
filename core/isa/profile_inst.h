/* Operands and accesses of an Xprof instruction. */
#ifndef CYCLOPS_CORE_ISA_PROFILE_INST_H
#define CYCLOPS_CORE_ISA_PROFILE_INST_H

#include "core/isa/op.h"

/* True if it saves or restores all flags at once. */
static inline bool profile_is_all(const struct inst *in)
{
	return in->op == OP_PUSHPF_ALL || in->op == OP_POPPF_ALL;
}

/* Types that an Xprof instruction names, a bit for each. */
static inline uint64_t profile_types(const struct inst *in)
{
	return profile_is_all(in) ? 0xff : UINT64_C(1) << in->imm;
}

/* Byte address and size of the access of pushpf and poppf: flag k of the frame at sp is byte k of
 * eight. */
static inline uint64_t flags_addr(const struct hart *h, const struct inst *in)
{
	return h->pfbase + (h->r[REG_SP] >> 1 & ~UINT64_C(7)) +
	       (profile_is_all(in) ? 0 : (uint64_t)in->imm);
}

static inline unsigned flags_bytes(const struct inst *in)
{
	return profile_is_all(in) ? 8 : 1;
}

/* True if an instruction is counted: Xprof instructions that act only at decode are not. */
static inline bool inst_counts(const struct hart *h, const struct inst *in)
{
	return !inst_is_xprof(in) || !h->xprof || h->mode != MODE_U ||
	       (in->op >= OP_PUSHPF && in->op <= OP_POPPF_ALL);
}

#endif
