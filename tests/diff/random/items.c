#include "tests/diff/random/items.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "tests/diff/random/items_parts.h"

uint64_t gen_random(struct gen *g)
{
	return hash_splitmix64_next(&g->rng);
}

unsigned gen_below(struct gen *g, unsigned n)
{
	return (unsigned)(gen_random(g) >> 33) % n;
}

bool gen_chance(struct gen *g, unsigned one_in)
{
	return gen_below(g, one_in) == 0;
}

/* ---- registers ---- */
bool gen_may_write(const struct gen *g, unsigned rd)
{
	return rd >= 32 || !(g->keep >> rd & 1);
}

/* A register that may be written, never x0. */
unsigned gen_scratch_reg(struct gen *g)
{
	for (;;) {
		unsigned r = 1 + gen_below(g, 31);
		if (gen_may_write(g, r))
			return r;
	}
}

unsigned gen_any_reg(struct gen *g)
{
	return gen_below(g, 32);
}

/* ---- one instruction of a row, random operands ---- */
static uint32_t with_valid_rounding(struct gen *g, uint32_t raw, uint32_t mask)
{
	static const uint8_t modes[] = { 0, 1, 2, 3, 4, 7, 7, 7, 7 };
	if (mask & 0x7000)
		return raw;
	return (raw & ~UINT32_C(0x7000)) | (uint32_t)modes[gen_below(g, sizeof(modes))] << 12;
}

/* `fixed`: operand bits that are given, in `value`. */
static uint32_t random_of_row(struct gen *g, enum op op, uint32_t fixed, uint32_t value)
{
	const struct encoding *row = &encodings[op];
	fixed |= row->mask;
	value |= row->match;
	for (;;) {
		struct inst in;
		uint32_t raw = ((uint32_t)gen_random(g) & ~fixed) | value;
		if (op_info[op].klass >= CLASS_FADD && op_info[op].klass <= CLASS_FSQRT)
			raw = with_valid_rounding(g, raw, row->mask);
		inst_decode(raw, &in);
		if (in.op == op && gen_may_write(g, in.rd))
			return raw;
	}
}

/* Whether qemu-riscv64 7.2, the reference, has it, given -cpu rv64,Zfh=true,zbkb=true, and has
 * no error in it: its ctzw counts on in the upper half. */
static bool qemu_knows(const struct inst *in)
{
	const enum extension e = inst_extension(in);
	return e != EXT_ZICOND && e != EXT_ZCB && in->op != OP_CTZW;
}

/* A random operation for which pick() holds. */
enum op gen_random_op(struct gen *g, bool pick(enum op))
{
	for (;;) {
		enum op op = 1 + gen_below(g, OP_COUNT - 1);
		if (pick(op) && qemu_knows(&(struct inst){.op = op & OP_MASK, .len = 4}))
			return op;
	}
}

static bool is_alu(enum op op)
{
	unsigned k = op_info[op].klass;
	return (k == CLASS_INT && !(op_info[op].flags & (OPF_JUMP | OPF_BRANCH))) ||
	       k == CLASS_IMUL || k == CLASS_IDIV;
}

static bool is_float(enum op op)
{
	return op_info[op].klass >= CLASS_FADD && op_info[op].klass <= CLASS_FSQRT;
}

static bool items_op_is_memory(enum op op)
{
	return op_info[op].klass == CLASS_LOAD || op_info[op].klass == CLASS_STORE;
}

static bool items_op_is_load(enum op op)
{
	return op_info[op].klass == CLASS_LOAD;
}

static bool is_amo(enum op op)
{
	return op_info[op].klass == CLASS_AMO && (op_info[op].flags & OPF_LOAD) &&
	       (op_info[op].flags & OPF_STORE);
}

bool gen_is_branch(enum op op)
{
	return op_info[op].flags & OPF_BRANCH;
}

static bool is_csr(enum op op)
{
	return op >= OP_CSRRW && op <= OP_CSRRCI;
}

void gen_alu(struct gen *g)
{
	emit32(&g->code, random_of_row(g, gen_random_op(g, is_alu), 0, 0));
}

void gen_floating(struct gen *g)
{
	emit32(&g->code, random_of_row(g, gen_random_op(g, is_float), 0, 0));
}

/* The same on constants: results of arithmetic alone soon become NaN, infinite or zero. */
static void floating_fresh(struct gen *g)
{
	unsigned a = gen_any_reg(g), b = gen_any_reg(g);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t offset = 8 * gen_below(g, 512) - 2048;
		emit32(&g->code, enc_i(OP_FLD, i ? a : b, TP, (int)offset));
	}
	enum op op = gen_random_op(g, is_float);
	uint32_t sources = 31u << 15 | (31u << 20 & ~encodings[op].mask);
	emit32(&g->code, random_of_row(g, op, sources, a << 15 | (b << 20 & sources)));
}

/* Any compressed form but jumps, on known bases. */
void gen_compressed(struct gen *g)
{
	for (;;) {
		struct inst in;
		uint32_t raw = gen_below(g, 0x10000);
		if ((raw & 3) == 3)
			continue;
		inst_decode(raw, &in);
		if (!gen_may_write(g, in.rd) || !qemu_knows(&in))
			continue;
		bool known_base = in.rs1 == SP || in.rs1 == S0;
		if (is_alu(in.op) || (items_op_is_memory(in.op) && known_base)) {
			emit16(&g->code, raw);
			return;
		}
	}
}

/* ---- memory ---- */
void gen_bases(struct gen *g)
{
	/* Near the middle, where a page ends; +-2048 from there is scratch memory. */
	emit32(&g->code, enc_i(OP_ADDI, SP, GP, 1984 + (int)gen_below(g, 64)));
	emit32(&g->code, enc_i(OP_ADDI, S0, GP, 1984 + (int)gen_below(g, 64)));
	emit32(&g->code, enc_i(OP_ADDI, S1, GP, 8 * (int)gen_below(g, 255)));
}

/* Loads and stores take the base register in the same place, and offsets are random. */
static uint32_t with_base(struct gen *g, enum op op, unsigned base)
{
	return random_of_row(g, op, 31u << 15, base << 15);
}

void gen_memory(struct gen *g)
{
	emit32(&g->code,
	       with_base(g, gen_random_op(g, items_op_is_memory), gen_chance(g, 3) ? SP : S0));
}

/* Addresses that depend on data. */
static void items_emit_indexed_access(struct gen *g)
{
	unsigned t = gen_scratch_reg(g);
	enum op op = gen_random_op(g, items_op_is_memory);
	uint32_t no_offset = op_info[op].flags & OPF_STORE ? 0xfe000f80 : 0xfff00000;
	emit32(&g->code, enc_i(OP_ANDI, t, gen_any_reg(g), 2047));
	emit32(&g->code, enc_r(OP_ADD, t, t, GP));
	emit32(&g->code, random_of_row(g, op, no_offset | 31u << 15, t << 15));
}

/* Saves registers for the digest before other instructions overwrite them. */
static void items_emit_register_stores(struct gen *g)
{
	for (unsigned i = 0; i < 4; i++)
		emit32(&g->code, enc_s(gen_chance(g, 2) ? OP_SD : OP_FSD, gen_any_reg(g), GP,
		                       8 * (int)gen_below(g, 256)));
}

void gen_constant(struct gen *g)
{
	enum op op = gen_chance(g, 2) ? (gen_chance(g, 2) ? OP_FLD : OP_LD)
	                              : gen_random_op(g, items_op_is_load);
	uint32_t offset = gen_chance(g, 8) ? gen_below(g, 4089) - 2048 : 8 * gen_below(g, 512) - 2048;
	emit32(&g->code, random_of_row(g, op, 31u << 15 | 0xfff00000, TP << 15 | offset << 20));
}

static void point_s1(struct gen *g, unsigned bytes)
{
	emit32(&g->code, enc_i(OP_ADDI, S1, GP, (int)(bytes * gen_below(g, 2032 / bytes))));
}

static void items_emit_amo(struct gen *g)
{
	enum op op = gen_random_op(g, is_amo);
	point_s1(g, op_info[op].mem_bytes);
	emit32(&g->code, with_base(g, op, S1));
}

/* Between the two, only instructions that keep the reservation. qemu compares the value as well as
 * the address, so nothing is stored there meanwhile. */
static void items_emit_lr_sc(struct gen *g)
{
	bool wide = gen_chance(g, 2);
	point_s1(g, 8);
	if (!gen_chance(g, 6))
		emit32(&g->code, with_base(g, wide ? OP_LR_D : OP_LR_W, S1));
	for (unsigned n = gen_below(g, 4); n > 0; n--)
		gen_chance(g, 2) ? gen_alu(g) : gen_floating(g);
	if (gen_chance(g, 4))
		emit32(&g->code, enc_i(OP_ADDI, S1, S1, 8));
	emit32(&g->code, with_base(g, wide ? OP_SC_D : OP_SC_W, S1));
	if (gen_chance(g, 3))
		emit32(&g->code, with_base(g, wide ? OP_SC_D : OP_SC_W, S1));
}

/* c.addi16sp; no other item may use it, as sp is a base. */
static void stack_pointer(struct gen *g)
{
	static const uint16_t parcels[] = { 0x7101, 0x6165, 0x717d, 0x613d };
	emit16(&g->code, parcels[gen_below(g, 4)]);
	emit32(&g->code, enc_i(OP_ADDI, gen_scratch_reg(g), SP, 0));
	gen_bases(g);
}

/* ---- system ---- */
static void items_emit_rounding_mode(struct gen *g)
{
	unsigned rd = gen_chance(g, 2) ? 0 : gen_scratch_reg(g);
	emit32(&g->code, enc_csri(OP_CSRRWI, rd, gen_below(g, 5), 2));
}

/* Anything may be written to frm; what follows must be valid again. */
static void items_emit_fp_csr(struct gen *g)
{
	enum op op = gen_random_op(g, is_csr);
	emit32(&g->code, random_of_row(g, op, 0xfff00000, (1 + gen_below(g, 3)) << 20));
	items_emit_rounding_mode(g);
}

/* Counters only increase; their values differ between machines. */
static void items_emit_counter_reads(struct gen *g)
{
	unsigned a = gen_scratch_reg(g), b = gen_scratch_reg(g), which = 0xc00 + gen_below(g, 3);
	if (a == b)
		return;
	emit32(&g->code, enc_i(OP_CSRRS, a, X0, (int)which));
	emit32(&g->code, enc_i(OP_CSRRS, b, X0, (int)which));
	emit32(&g->code, enc_r(OP_SLTU, a, b, a));
	emit32(&g->code, enc_r(OP_SUB, b, b, b));
}

/* Fences, and encodings without effect. Only reserved custom hints: the others have a meaning on a
 * machine with profiling hardware. */
static void items_emit_noop(struct gen *g)
{
	unsigned s = 51 + gen_below(g, 13);
	switch (gen_below(g, 6)) {
	case 0:
		emit32(&g->code, random_of_row(g, gen_chance(g, 4) ? OP_PAUSE : OP_FENCE, 0, 0));
		break;
	case 1:
		emit32(&g->code, random_of_row(g, OP_FENCE_I, 0, 0));
		break;
	case 2:
		emit16(&g->code, 0x0002 | (s & 31) << 2 | (s >> 5) << 12);
		break;
	case 3:
		if (gen_chance(g, 2))
			emit32(&g->code, 0x0000a013 | s << 20);
		else
			emit32(&g->code, random_of_row(g, OP_PREFETCH_I + gen_below(g, 3), 0, 0));
		break;
	case 4:
		emit32(&g->code, random_of_row(g, gen_random_op(g, is_alu), 31u << 7, 0));
		break;
	default:
		emit16(&g->code, 0x4001 | gen_below(g, 32) << 2); /* c.li x0 */
		break;
	}
}

/* ---- control ---- */
void gen_nested(struct gen *g, unsigned count)
{
	g->depth++;
	gen_items(g, count);
	g->depth--;
}

static void items_emit_branch(struct gen *g)
{
	size_t at = emit_text_offset(&g->code);
	enum op op = gen_random_op(g, gen_is_branch);
	unsigned rs1 = gen_any_reg(g), rs2 = gen_any_reg(g);
	emit32(&g->code, 0);
	gen_nested(g, 1 + gen_below(g, 6));
	patch32(&g->code, at, enc_b(op, rs1, rs2, (int)(emit_text_offset(&g->code) - at)));
}

static void compressed_branch(struct gen *g)
{
	size_t at = emit_text_offset(&g->code);
	bool not_zero = gen_chance(g, 2);
	unsigned reg = 8 + gen_below(g, 8);
	emit16(&g->code, 0);
	for (unsigned n = 1 + gen_below(g, 5); n > 0; n--)
		gen_chance(g, 2) ? gen_alu(g) : gen_compressed(g);
	patch16(&g->code, at,
	        (uint32_t)(not_zero ? ENC_C(BNE, .rs1 = (uint8_t)reg,
	                                    .imm = (int)(emit_text_offset(&g->code) - at))
	                            : ENC_C(BEQ, .rs1 = (uint8_t)reg,
	                                    .imm = (int)(emit_text_offset(&g->code) - at))));
}

/* Bytes that are jumped over: they reach the machine only on wrong paths. */
static void items_emit_garbage(struct gen *g)
{
	for (unsigned n = gen_below(g, 12); n > 0; n--)
		emit16(&g->code, gen_below(g, 0x10000));
}

static void items_emit_jump(struct gen *g)
{
	size_t at = emit_text_offset(&g->code);
	if (gen_chance(g, 2)) {
		emit16(&g->code, 0);
		items_emit_garbage(g);
		patch16(&g->code, at, enc_c_j((int)(emit_text_offset(&g->code) - at)));
	} else {
		unsigned link = gen_chance(g, 2) ? 0 : gen_scratch_reg(g);
		emit32(&g->code, 0);
		items_emit_garbage(g);
		patch32(&g->code, at, enc_j(link, (int)(emit_text_offset(&g->code) - at)));
	}
}

/* An indirect jump over garbage; sometimes its target is odd: bit 0 is dropped. */
static void items_emit_indirect_jump(struct gen *g)
{
	unsigned via = gen_scratch_reg(g), link = gen_chance(g, 2) ? 0 : gen_scratch_reg(g);
	int odd = gen_chance(g, 2);
	size_t at = emit_text_offset(&g->code);
	emit32(&g->code, enc_u(OP_AUIPC, via, 0));
	if (gen_chance(g, 2)) {
		emit32(&g->code, 0);
		/* c.jalr, c.jr */
		emit16(&g->code, (gen_may_write(g, RA) && link ? 0x9002u : 0x8002u) | via << 7);
		items_emit_garbage(g);
		patch32(&g->code, at + 4,
		        enc_i(OP_ADDI, via, via, (int)(emit_text_offset(&g->code) - at) + odd));
	} else {
		emit32(&g->code, 0);
		items_emit_garbage(g);
		patch32(&g->code, at + 4,
		        enc_i(OP_JALR, link, via, (int)(emit_text_offset(&g->code) - at) + odd));
	}
}

/* A call of a function placed inline, which the code jumps over. */
static void items_emit_call(struct gen *g)
{
	unsigned link = gen_chance(g, 4) ? T0 : RA;
	if (!gen_may_write(g, link))
		return;
	size_t at = emit_text_offset(&g->code);
	emit32(&g->code, enc_j(link, 8));
	emit32(&g->code, 0);
	if (gen_chance(g, 2)) {
		patch32(&g->code, at, enc_u(OP_AUIPC, link, 0));
		patch32(&g->code, at + 4, enc_i(OP_JALR, link, link, 12));
		emit32(&g->code, 0);
	}
	size_t over = emit_text_offset(&g->code) - 4;
	uint32_t keep = g->keep;
	g->keep |= UINT32_C(1) << link;
	gen_nested(g, 1 + gen_below(g, 6));
	g->keep = keep;
	emit16(&g->code, 0x8002 | link << 7);
	patch32(&g->code, over, enc_j(0, (int)(emit_text_offset(&g->code) - over)));
}

static void items_emit_loop(struct gen *g)
{
	unsigned rounds = 1 + gen_below(g, gen_chance(g, 8) ? 60 : 10);
	emit32(&g->code, enc_i(OP_ADDI, S2, X0, (int)rounds));
	size_t top = emit_text_offset(&g->code);
	/* At depth 1 loops are not offered, so one counter is enough. */
	gen_nested(g, 2 + gen_below(g, 10));
	emit32(&g->code, enc_i(OP_ADDI, S2, S2, -1));
	emit32(&g->code, enc_b(OP_BNE, S2, X0, (int)(top - emit_text_offset(&g->code))));
}

/* Replaces an instruction a little ahead. */
static void self_modification(struct gen *g)
{
	unsigned word = gen_scratch_reg(g), base = gen_scratch_reg(g);
	if (word == base)
		return;
	emit_li32(&g->code, word, random_of_row(g, gen_random_op(g, is_alu), 0, 0));
	size_t at = emit_text_offset(&g->code);
	emit32(&g->code, enc_u(OP_AUIPC, base, 0));
	size_t store = emit_text_offset(&g->code);
	emit32(&g->code, 0);
	for (unsigned n = gen_below(g, 3); n > 0; n--)
		gen_compressed(g);
	emit32(&g->code, encodings[OP_FENCE_I].match);
	patch32(&g->code, store, enc_s(OP_SW, word, base, (int)(emit_text_offset(&g->code) - at)));
	gen_alu(g);
}

/* Weights out of their sum. Control constructs are not nested deeper than MAX_DEPTH, loops not at
 * all. */
enum { MAX_DEPTH = 3 };

static const struct {
	void (*make)(struct gen *g);
	unsigned weight;
	unsigned max_depth;
} items[] = {
	{gen_alu, 300, MAX_DEPTH},
	{gen_compressed, 200, MAX_DEPTH},
	{gen_floating, 150, MAX_DEPTH},
	{floating_fresh, 80, MAX_DEPTH},
	{gen_constant, 90, MAX_DEPTH},
	{items_emit_register_stores, 150, MAX_DEPTH},
	{gen_memory, 90, MAX_DEPTH},
	{items_emit_indexed_access, 40, MAX_DEPTH},
	{items_emit_amo, 30, MAX_DEPTH},
	{items_emit_lr_sc, 20, MAX_DEPTH},
	{stack_pointer, 6, MAX_DEPTH},
	{gen_bases, 8, MAX_DEPTH},
	{items_emit_rounding_mode, 15, MAX_DEPTH},
	{items_emit_fp_csr, 20, MAX_DEPTH},
	{items_emit_counter_reads, 4, MAX_DEPTH},
	{items_emit_noop, 15, MAX_DEPTH},
	{items_emit_branch, 50, MAX_DEPTH - 1},
	{compressed_branch, 30, MAX_DEPTH},
	{items_emit_jump, 15, MAX_DEPTH},
	{items_emit_indirect_jump, 15, MAX_DEPTH},
	{items_emit_call, 20, MAX_DEPTH - 1},
	{items_emit_loop, 50, 0},
	{self_modification, 4, MAX_DEPTH},
};

void gen_items(struct gen *g, unsigned count)
{
	unsigned sum = 0;
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
		sum += items[i].weight;
	while (count > 0) {
		if (g->xprof && gen_chance(g, 4)) {
			gen_profiling(g);
			count--;
			continue;
		}
		unsigned pick = gen_below(g, sum);
		size_t i = 0;
		for (; pick >= items[i].weight; i++)
			pick -= items[i].weight;
		if (g->depth > items[i].max_depth)
			continue;
		items[i].make(g);
		count--;
	}
}
