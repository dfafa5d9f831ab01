/* Execution of a microinstruction: its operands, and each of its operations. */
#include <stddef.h>

#include "core/isa/inst.h"
#include "core/prof/cop/micro_code.h"

/* ---- operands ---- */
static uint64_t micro_perform_max_value(unsigned width_code)
{
	return ~UINT64_C(0) >> (64 - micro_width_bits(width_code));
}

uint64_t micro_source_value(const struct micro *m, const struct cop_record *r, uint64_t literal,
                            unsigned number)
{
	const struct micro_state *st = m->st;
	struct inst decoded, *x = &decoded;
	if (number >= MS_RD)
		inst_decode((uint32_t)r->inst, x);
	switch (number) {
#define SOURCE(id, name, first, count, needs, value, help) \
	case (first) ... (first) + (count) - 1: { \
		const unsigned i = number - (first); \
		(void)i; \
		return value; \
	}
#include "core/prof/cop/micro.def"
	default: return 0;
	}
}

static uint16_t index_value(const struct micro_state *st, uint16_t literal, uint64_t alu_a,
                            unsigned number)
{
	switch (number) {
#define INDEX_SOURCE(id, name, first, count, value, help) \
	case (first) ... (first) + (count) - 1: { \
		const unsigned i = number - (first); \
		(void)i; \
		return (uint16_t)(value); \
	}
#include "core/prof/cop/micro.def"
	default: return 0;
	}
}

static uint16_t data_index_value(const struct micro_state *st, uint16_t literal, unsigned number)
{
	switch (number) {
#define DATA_INDEX(id, name, first, count, value, help) \
	case (first) ... (first) + (count) - 1: { \
		const unsigned i = number - (first); \
		(void)i; \
		return (uint16_t)(value); \
	}
#include "core/prof/cop/micro.def"
	default: return 0;
	}
}

void micro_read_operands(const struct micro *m, const struct micro_inst *in,
                         const struct cop_record *r, struct micro_operands *o)
{
	const unsigned alu = micro_alu_uses(in);
	const uint64_t max = micro_perform_max_value(in->alu_size);
	uint64_t a = 0;
	*o = (struct micro_operands){0};
	if ((alu & U_A) || micro_shares_a(in))
		a = micro_source_value(m, r, in->literal, in->alu_a);
	o->a = a & max;
	if (alu & U_B)
		o->b = micro_source_value(m, r, in->literal, in->alu_b) & max;
	o->xa = m->st->x[in->index_a];
	if (micro_index_uses(in) & U_B)
		o->xb = index_value(m->st, in->literal, a, in->index_b);
	if (micro_cam_uses(in) & U_S)
		o->cam = (uint32_t)micro_source_value(m, r, in->literal, in->cam_source);
	o->entry = m->st->x[in->cam_index];
	if (micro_data_uses(in) & U_S)
		o->data = (uint32_t)micro_source_value(m, r, in->literal, in->data_source);
	if (in->data_op)
		o->address = m->st->b[in->data_base] +
		             data_index_value(m->st, in->literal, in->data_index);
}

/* ---- operations ---- */
static void set_flags(struct micro_state *st, unsigned which, unsigned to)
{
	st->conditions = (st->conditions & ~which) | to;
}

/* Advances a linear feedback shift register of 32 bits with taps at 32, 22, 2 and 1 by 16 steps, so
 * that a number of up to 16 bits has no bits of the one before. */
static uint32_t lfsr_next(uint32_t v)
{
	for (unsigned i = 0; i < 16; i++)
		v = v >> 1 ^ (v & 1 ? UINT32_C(0x80200003) : 0);
	return v;
}

static void run_alu(struct micro_state *st, const struct micro_inst *in,
                    const struct micro_operands *o, struct micro_trace *t)
{
	const uint64_t a = o->a, b = o->b, max = micro_perform_max_value(in->alu_size),
		       random = st->lfsr;
	uint64_t value = 0;
	bool is_lt = false, is_sat = false;
	if (!in->alu_op)
		return;
	switch (in->alu_op) {
#define ALU(id, name, uses, result, lt, sat, help) \
	case MA_##id: \
		value = result; \
		is_lt = lt; \
		is_sat = sat; \
		break;
#include "core/prof/cop/micro.def"
	default: break;
	}
	value &= max;
	set_flags(st, MICRO_Z | MICRO_LT | MICRO_SAT,
	          (value ? 0 : MICRO_Z) | (is_lt ? MICRO_LT : 0) | (is_sat ? MICRO_SAT : 0));
	if (in->alu_op == MA_RAND)
		st->lfsr = lfsr_next(st->lfsr);
	if (micro_alu_uses(in) & U_D) {
		st->v[in->alu_dst] = value;
		t->wrote_v[0] = (uint8_t)(in->alu_dst + 1);
	}
}

static void run_index(struct micro_state *st, const struct micro_inst *in,
                      const struct micro_operands *o, struct micro_trace *t)
{
	const uint16_t a = o->xa, b = o->xb;
	unsigned value = 0;
	bool is_lt = false;
	if (!in->index_op)
		return;
	switch (in->index_op) {
#define INDEX(id, name, uses, result, lt, help) \
	case MX_##id: \
		value = (unsigned)(result); \
		is_lt = lt; \
		break;
#include "core/prof/cop/micro.def"
	default: break;
	}
	value &= 0xffff;
	set_flags(st, MICRO_XZ | MICRO_XLT, (value ? 0 : MICRO_XZ) | (is_lt ? MICRO_XLT : 0));
	if (micro_index_uses(in) & U_D) {
		st->x[in->index_dst] = (uint16_t)value;
		t->wrote_x[0] = (uint8_t)(in->index_dst + 1);
	}
}

/* The lowest entry that is valid and holds key; cam_n: none. */
static unsigned cam_match(const struct micro *m, uint32_t key)
{
	for (unsigned word = 0; word < micro_valid_words(m->cam_n); word++) {
		for (uint64_t left = m->valid[word]; left; left &= left - 1) {
			const unsigned i = word * 64 + (unsigned)__builtin_ctzll(left);
			if (m->cam[i] == key)
				return i;
		}
	}
	return m->cam_n;
}

/* The lowest entry that is not valid; cam_n or more: none. */
static unsigned cam_free(const struct micro *m)
{
	for (unsigned word = 0; word < micro_valid_words(m->cam_n); word++)
		if (~m->valid[word])
			return word * 64 + (unsigned)__builtin_ctzll(~m->valid[word]);
	return m->cam_n;
}

/* Sets the results of match and free for the entry that they found, if any. */
static void cam_found(struct micro *m, const struct micro_inst *in, unsigned entry,
                      struct micro_trace *t)
{
	const bool hit = entry < m->cam_n;
	set_flags(m->st, MICRO_HIT, hit ? MICRO_HIT : 0);
	if (!hit)
		return;
	m->st->match = m->st->x[in->cam_index] = (uint16_t)entry;
	t->wrote_x[1] = (uint8_t)(in->cam_index + 1);
	t->cam_index = entry;
}

static void run_cam(struct micro *m, const struct micro_inst *in, const struct micro_operands *o,
                    struct micro_trace *t)
{
	const uint64_t bit = UINT64_C(1) << o->entry % 64;
	t->cam_op = (uint8_t)in->cam_op;
	if (micro_cam_uses(in) & U_I)
		t->cam_index = o->entry;
	switch ((enum micro_cam_op)in->cam_op) {
	case MC_MATCH: cam_found(m, in, cam_match(m, o->cam), t); break;
	case MC_FREE: cam_found(m, in, cam_free(m), t); break;
	case MC_READ:
		m->st->v[in->cam_dst] = m->cam[o->entry];
		t->wrote_v[1] = (uint8_t)(in->cam_dst + 1);
		break;
	case MC_WRITE:
		m->cam[o->entry] = o->cam;
		m->valid[o->entry / 64] |= bit;
		break;
	case MC_INVALIDATE: m->valid[o->entry / 64] &= ~bit; break;
	case MC_INVALIDATE_ALL: micro_invalidate_cam(m); break;
	case MC_NONE: case MC_COUNT: break;
	}
}

static void run_data(struct micro *m, const struct micro_inst *in, const struct micro_operands *o,
                     struct micro_trace *t)
{
	const unsigned shift = in->data_lane * micro_width_bits(in->data_width);
	const uint32_t max = (uint32_t)micro_perform_max_value(in->data_width);
	uint32_t value = 0;
	if (!in->data_op)
		return;
	const uint32_t word = m->data[o->address], old = word >> shift & max, s = o->data & max;
	switch (in->data_op) {
#define DATA(id, name, uses, result, help) \
	case MD_##id: value = result; break;
#include "core/prof/cop/micro.def"
	default: break;
	}
	m->data[o->address] = (word & ~(max << shift)) | value << shift;
	set_flags(m->st, MICRO_CSAT | MICRO_CZ,
	          (value == max ? MICRO_CSAT : 0) | (value ? 0 : MICRO_CZ));
	if (micro_data_writes(in)) {
		m->st->v[in->data_dst] = value;
		t->wrote_v[2] = (uint8_t)(in->data_dst + 1);
	}
	t->data_op = (uint8_t)in->data_op;
	t->data_address = o->address;
	t->data_before = word;
	t->data_after = m->data[o->address];
}

static bool micro_perform_condition_holds(const struct micro_state *st, unsigned condition)
{
	const unsigned f = st->conditions;
	const bool z = f & MICRO_Z, lt = f & MICRO_LT, sat = f & MICRO_SAT, xz = f & MICRO_XZ,
		   xlt = f & MICRO_XLT, hit = f & MICRO_HIT, csat = f & MICRO_CSAT,
		   cz = f & MICRO_CZ;
	switch (condition) {
#define CONDITION(id, name, when, help) \
	case MB_##id: return when;
#include "core/prof/cop/micro.def"
	default: return false;
	}
}

/* Where the branch of the microinstruction at `at` leads if it is taken. */
struct micro_next micro_branch_goal(const struct micro_state *st, const struct micro_inst *in,
                                     uint16_t at)
{
	switch ((enum micro_to)in->branch_to) {
	case MTO_RELATIVE:
		return (struct micro_next){MICRO_GOAL_AT, (uint16_t)(at + micro_offset(in))};
	case MTO_TARGET:
		return (struct micro_next){MICRO_GOAL_AT, st->t[in->branch_offset % MICRO_TARGETS]};
	case MTO_DONE: return (struct micro_next){MICRO_GOAL_RECORD, 0};
	case MTO_INTERRUPT: break;
	}
	return (struct micro_next){MICRO_GOAL_STOP, 0};
}

static enum micro_fault find_fault(const struct micro *m, const struct micro_inst *in,
                                   const struct micro_operands *o)
{
	if ((micro_cam_uses(in) & U_I) && o->entry >= m->cam_n)
		return MICRO_FAULT_CAM;
	return in->data_op && o->address >= m->data_n ? MICRO_FAULT_DATA : MICRO_FAULT_NONE;
}

enum micro_fault micro_perform(struct micro *m, const struct micro_slot *s,
                                const struct cop_record *r, struct micro_trace *t)
{
	const struct micro_inst in = micro_unpack(s->word);
	struct micro_operands o;
	if (micro_invalid(&in))
		return MICRO_FAULT_ENCODING;
	micro_read_operands(m, &in, r, &o);
	const enum micro_fault fault = find_fault(m, &in, &o);
	if (fault)
		return fault;
	run_alu(m->st, &in, &o, t);
	run_index(m->st, &in, &o, t);
	run_cam(m, &in, &o, t);
	run_data(m, &in, &o, t);
	t->taken = micro_perform_condition_holds(m->st, in.branch_if);
	t->next = t->taken ? micro_branch_goal(m->st, &in, s->at)
	                   : (struct micro_next){MICRO_GOAL_AT, (uint16_t)(s->at + 1)};
	return MICRO_FAULT_NONE;
}
