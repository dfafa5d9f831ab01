/* Pieces of random blocks that are made of profile instructions. */
#include "tests/diff/random/items_parts.h"

enum {
	PI = 8,
	RESETPF = 16,
	SETPF = 24,
	PUSHPF = 32,
	POPPF = 40,
	TYPES = 8,
	PFBASE_CSR = 0x800,
	PFLAGS_CSR = 0x801
};

void gen_hint(struct gen *g, unsigned s)
{
	if (gen_chance(g, 3))
		emit32(&g->code, 0x0000a013 | s << 20);
	else
		emit16(&g->code, 0x0002 | (s & 31) << 2 | (s >> 5) << 12);
}

/* Emits an instruction that writes only its destination register or the permitted memory. */
static void items_xprof_emit_single(struct gen *g)
{
	switch (gen_below(g, 8)) {
	case 0:
	case 1:
		gen_compressed(g);
		break;
	case 2:
		gen_floating(g);
		break;
	case 3:
		gen_memory(g);
		break;
	case 4:
		gen_constant(g);
		break;
	case 5:
		emit32(&g->code, enc_s(OP_SD, gen_any_reg(g), GP, 8 * (int)gen_below(g, 256)));
		break;
	default:
		gen_alu(g);
		break;
	}
}

/* No-ops from `at` to `end`, where the profile instructions are left out. */
static void items_xprof_erase(struct gen *g, size_t at, size_t end)
{
	for (; g->xprof == XPROF_ERASED && at < end; at += 2)
		patch16(&g->code, at, 0x0001);
}

static void profile_block(struct gen *g, unsigned k)
{
	for (unsigned n = 1 + gen_below(g, 10); n > 0; n--) {
		size_t at = emit_text_offset(&g->code);
		gen_hint(g, PI + k);
		items_xprof_emit_single(g);
		items_xprof_erase(g, at, emit_text_offset(&g->code));
	}
}

static void profile_branch(struct gen *g, unsigned k)
{
	const size_t start = emit_text_offset(&g->code);
	gen_hint(g, PI + k);
	const size_t at = emit_text_offset(&g->code);
	const enum op op = gen_random_op(g, gen_is_branch);
	const unsigned rs1 = gen_any_reg(g), rs2 = gen_any_reg(g), link = gen_chance(g, 2) ? 0 : gen_scratch_reg(g);
	const bool jumps = gen_chance(g, 3);
	emit32(&g->code, 0);
	if (gen_chance(g, 2))
		profile_block(g, k);
	else
		gen_nested(g, 1 + gen_below(g, 4));
	const int over = (int)(emit_text_offset(&g->code) - at);
	patch32(&g->code, at, jumps ? enc_j(link, over) : enc_b(op, rs1, rs2, over));
	items_xprof_erase(g, start, at + 4);
}

/* A profile call of a function that lies in the way. */
static void items_xprof_emit_profile_call(struct gen *g, unsigned k)
{
	if (!gen_may_write(g, RA))
		return;
	const size_t start = emit_text_offset(&g->code);
	gen_hint(g, PI + k);
	emit32(&g->code, enc_j(RA, 8));
	items_xprof_erase(g, start, emit_text_offset(&g->code));
	const size_t over = emit_text_offset(&g->code);
	emit32(&g->code, 0);
	const uint32_t keep = g->keep;
	g->keep |= UINT32_C(1) << RA;
	gen_nested(g, 1 + gen_below(g, 5));
	g->keep = keep;
	emit16(&g->code, 0x8002 | RA << 7);
	patch32(&g->code, over, enc_j(0, (int)(emit_text_offset(&g->code) - over)));
}

/* sp does not change between the two, so the flag is found again. */
static void saved_flag(struct gen *g, unsigned k)
{
	const bool all = gen_chance(g, 4);
	gen_hint(g, all ? 48 : PUSHPF + k);
	for (unsigned n = 1 + gen_below(g, 4); n > 0; n--) {
		items_xprof_emit_single(g);
		gen_hint(g, (g->xprof == XPROF_ON || (g->xprof == XPROF_ANY && gen_chance(g, 2))
		                     ? SETPF
		                     : RESETPF) +
		                    gen_below(g, TYPES));
		profile_block(g, gen_below(g, TYPES));
	}
	gen_hint(g, all ? 49 : POPPF + k);
}

/* Instructions missing in other machines, or reading saved flags. */
static void items_xprof_emit_flag_access(struct gen *g, unsigned k)
{
	switch (gen_below(g, 5)) {
	case 0:
		emit32(&g->code, enc_i(OP_CSRRS, gen_scratch_reg(g), 0, PFLAGS_CSR));
		break;
	case 1:
		emit32(&g->code, enc_i(OP_CSRRW, gen_scratch_reg(g), gen_any_reg(g), PFLAGS_CSR));
		break;
	case 2:
		emit32(&g->code, enc_i(OP_CSRRS, gen_scratch_reg(g), 0, PFBASE_CSR));
		break;
	case 3: /* a prefix of nothing */
		gen_hint(g, PI + k);
		gen_hint(g, 8 + gen_below(g, 43));
		items_xprof_emit_single(g); /* the second may have been a prefix itself */
		break;
	default:
		gen_hint(g, (gen_chance(g, 2) ? PUSHPF : POPPF) + gen_below(g, TYPES + 1));
		break;
	}
}

void gen_profiling(struct gen *g)
{
	const unsigned k = gen_below(g, TYPES);
	switch (gen_below(g, 10)) {
	case 0:
	case 1:
		gen_hint(g, (g->xprof == XPROF_ON || (g->xprof == XPROF_ANY && gen_chance(g, 2))
		                     ? SETPF
		                     : RESETPF) +
		                    k);
		break;
	case 2:
		saved_flag(g, k);
		break;
	case 3:
		/* pblen: truth is not needed */
		emit32(&g->code, 0x00002013 | gen_below(g, 40) << 21);
		profile_block(g, k);
		break;
	case 4:
		if (g->depth < 2)
			profile_branch(g, k);
		break;
	case 5:
		if (g->depth < 2)
			items_xprof_emit_profile_call(g, k);
		break;
	case 6:
		if (g->xprof == XPROF_ANY)
			items_xprof_emit_flag_access(g, k);
		break;
	default:
		profile_block(g, k);
		break;
	}
}
