/* The microassembler's operations: which unit each is for, and how it is written. */
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/cop/micro_build.h"

static bool bad_form(struct building *b, const struct op *op, const char *right)
{
	return READ_FAIL(b->r, op->at, "'%.*s' is not how %s is written; expected %s",
	                 (int)(op->end - op->at), op->at, op->name, right);
}

/* Number of a name in a table of operations, 0 (which does nothing) if it has none. */
static unsigned find_op(const struct micro_op_info *ops, unsigned count, const char *name)
{
	for (unsigned i = 1; i < count; i++)
		if (!strcmp(ops[i].name, name))
			return i;
	return 0;
}

static bool width_code(struct building *b, const struct op *op, unsigned largest, unsigned *code)
{
	*code = largest == 64 ? 3 : 2;
	if (!op->width)
		return true;
	for (*code = 0; micro_width_bits(*code) <= largest; ++*code)
		if (micro_width_bits(*code) == op->width)
			return true;
	return READ_FAIL(b->r, op->at, "%s.%u: no such width here; expected .8, .16, .32%s",
	                 op->name, op->width, largest == 64 ? ", .64" : "");
}

static bool no_width(struct building *b, const struct op *op, const char *who)
{
	return !op->width || READ_FAIL(b->r, op->at, "%s has no widths (.%u); expected %s", who,
	                               op->width, op->name);
}

static bool alu_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_alu_ops, MA_COUNT, op->name),
		       uses = micro_alu_ops[number].uses;
	const unsigned sources = (uses & U_A ? 1u : 0) + (uses & U_B ? 1u : 0),
		       dst = uses & U_D ? 1 : 0;
	char right[160];
	unsigned code;
	snprintf(right, sizeof right, "%s %s%s%s%s%s", op->name, dst ? "v0" : "",
	         dst && sources ? ", " : "", uses & U_A ? "a" : "", uses & U_B ? ", b" : "",
	         ", where a and b are sources");
	bool ok = op->count == dst + sources && (!dst || operand_is_v(&op->operand[0]));
	for (unsigned i = 0; i < op->count; i++)
		ok = ok && op->operand[i].kind == OPERAND_SOURCE;
	const struct operand *to = &op->operand[0];
	if (!ok && dst && op->count == dst + sources && to->kind == OPERAND_SOURCE &&
	    to->number >= MS_K && to->number < MS_K + MICRO_VALUES)
		return READ_FAIL(b->r, to->at,
		                 "k%u is a constant, which no operation writes; expected a value "
		                 "register, v0 to v15, or .const k%u = NUMBER",
		                 to->number - MS_K, to->number - MS_K);
	if (!ok && dst && op->count == dst + sources && to->kind == OPERAND_MEMORY &&
	    !to->bracketed)
		return READ_FAIL(b->r, to->at,
		                 "b%u is a base register, which no operation writes; expected "
		                 ".base b%u = NUMBER, or for the data array write b%u, v0",
		                 to->number, to->number, to->number);
	if (!ok)
		return bad_form(b, op, right);
	if (!claim_unit(b, UNIT_ALU, op) || !width_code(b, op, 64, &code) ||
	    (dst && !claim_v(b, op, op->operand[0].number)))
		return false;
	for (unsigned i = dst; i < op->count; i++)
		if (!take_literal(b, op, &op->operand[i]))
			return false;
	b->in.alu_op = (uint16_t)number;
	b->in.alu_size = (uint16_t)code;
	if (dst)
		b->in.alu_dst = (uint16_t)op->operand[0].number;
	if (uses & U_B)
		b->in.alu_b = (uint16_t)op->operand[dst + 1].number;
	return take_a(b, op, &op->operand[dst]);
}

/* The index ALU's second source. */
static bool index_b(struct building *b, const struct op *op, const struct operand *o)
{
	if (o->kind == OPERAND_MEMORY && !o->bracketed && !o->has_lane) {
		b->in.index_b = (uint16_t)(MIS_B + o->number);
	} else if (o->kind != OPERAND_SOURCE) {
		return READ_FAIL(
			b->r, o->at,
			"the index ALU reads registers, fields and numbers; expected x0-x7, "
			"b0-b7, match, a number, or a source of the main ALU");
	} else if (operand_is_x(o)) {
		b->in.index_b = (uint16_t)(MIS_X + o->number - MS_X);
	} else if (o->number == MS_ZERO) {
		b->in.index_b = MIS_ZERO;
	} else if (o->number == MS_LITERAL) {
		b->in.index_b = MIS_LITERAL;
	} else if (o->number == MS_MATCH) {
		b->in.index_b = MIS_MATCH;
	} else {
		b->in.index_b = MIS_A;
		return take_a(b, op, o);
	}
	return take_literal(b, op, o);
}

/* inc x1 | inc x1, x2 | inc x1, x2, b */
static bool index_step(struct building *b, const struct op *op)
{
	static const struct operand zero = {.kind = OPERAND_SOURCE, .number = MS_ZERO};
	const struct operand *from = op->count > 1 ? &op->operand[1] : &op->operand[0];
	if (!op->count || !operand_is_x(&op->operand[0]) || !operand_is_x(from))
		return bad_form(b, op,
		                !strcmp(op->name, "inc")
		                        ? "inc x0, or inc x0, x1, b: x1 + 1, but 0 if that is b"
		                        : "dec x0, or dec x0, x1, b: x1 - 1, but b - 1 below 0");
	b->in.index_dst = (uint16_t)(op->operand[0].number - MS_X);
	b->in.index_a = (uint16_t)(from->number - MS_X);
	return claim_x(b, op, b->in.index_dst) &&
	       index_b(b, op, op->count > 2 ? &op->operand[2] : &zero);
}

static bool index_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_index_ops, MX_COUNT, op->name),
		       uses = micro_index_ops[number].uses;
	const unsigned dst = uses & U_D ? 1 : 0, a = uses & U_A ? 1 : 0;
	char right[160];
	if (!no_width(b, op, "the index ALU") || !claim_unit(b, UNIT_INDEX, op))
		return false;
	b->in.index_op = (uint16_t)number;
	if (number == MX_INC || number == MX_DEC)
		return index_step(b, op);
	snprintf(right, sizeof right, "%s %s%s%sb, where b is a source", op->name,
	         dst ? "x0, " : "", a ? "x1" : "", a ? ", " : "");
	if (op->count != dst + a + 1 || (dst && !operand_is_x(&op->operand[0])) ||
	    (a && !operand_is_x(&op->operand[dst])))
		return bad_form(b, op, right);
	if (a)
		b->in.index_a = (uint16_t)(op->operand[dst].number - MS_X);
	if (dst) {
		b->in.index_dst = (uint16_t)(op->operand[0].number - MS_X);
		if (!claim_x(b, op, b->in.index_dst))
			return false;
	}
	return index_b(b, op, &op->operand[dst + a]);
}

static bool cam_source(struct building *b, const struct op *op, const struct operand *o)
{
	b->in.cam_source = (uint16_t)o->number;
	return take_literal(b, op, o);
}

static bool cam_op(struct building *b, const struct op *op)
{
	const struct operand *o = op->operand;
	const bool entry0 = op->count > 0 && o[0].kind == OPERAND_ENTRY,
		   all = op->count == 1 && o[0].kind == OPERAND_CAM;
	if (!no_width(b, op, "the associative array") || !claim_unit(b, UNIT_CAM, op))
		return false;
	if (!strcmp(op->name, "match") || !strcmp(op->name, "free")) {
		const bool match = *op->name == 'm';
		if (op->count != (match ? 2u : 1u) || !operand_is_x(&o[0]) ||
		    (match && o[1].kind != OPERAND_SOURCE))
			return bad_form(b, op, match ? "match x0, source" : "free x0");
		b->in.cam_op = match ? MC_MATCH : MC_FREE;
		b->in.cam_index = (uint16_t)(o[0].number - MS_X);
		return claim_x(b, op, b->in.cam_index) && (!match || cam_source(b, op, &o[1]));
	}
	if (!strcmp(op->name, "read")) {
		if (op->count != 2 || !operand_is_v(&o[0]) || o[1].kind != OPERAND_ENTRY)
			return bad_form(b, op, "read v0, cam[x0]");
		b->in.cam_op = MC_READ;
		b->in.cam_index = (uint16_t)o[1].number;
		b->in.cam_dst = (uint16_t)o[0].number;
		return claim_v(b, op, o[0].number);
	}
	if (!strcmp(op->name, "write")) {
		if (op->count != 2 || !entry0 || o[1].kind != OPERAND_SOURCE)
			return bad_form(b, op, "write cam[x0], source");
		b->in.cam_op = MC_WRITE;
		b->in.cam_index = (uint16_t)o[0].number;
		return cam_source(b, op, &o[1]);
	}
	if (strcmp(op->name, "invalidate") != 0 || op->count != 1 || !(entry0 || all))
		return READ_FAIL(
			b->r, op->at,
			"'%.*s': the associative array can't do that; expected match x0, a; "
			"free x0; read v0, cam[x0]; write cam[x0], a; "
			"invalidate cam[x0]; invalidate cam",
			(int)(op->end - op->at), op->at);
	b->in.cam_op = entry0 ? MC_INVALIDATE : MC_INVALIDATE_ALL;
	b->in.cam_index = entry0 ? (uint16_t)o[0].number : 0;
	return true;
}

/* read v0, b0[x0] | write b0[x0], a | inc b0[x0] | inc v0, b0[x0] | add v0, b0[x0], a */
static bool data_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_data_ops, MD_COUNT, op->name),
		       uses = micro_data_ops[number].uses;
	const unsigned dst = op->count && operand_is_v(&op->operand[0]) ? 1 : 0,
		       sources = uses & U_S ? 1 : 0;
	const struct operand *m = &op->operand[dst];
	char right[240];
	unsigned code;
	snprintf(right, sizeof right, "%s %sb0[x0]%s, with a width as in %s.8", op->name,
	         uses & U_D ? "v0, " : "", sources ? ", source" : "", op->name);
	if (op->count != dst + 1 + sources || m->kind != OPERAND_MEMORY ||
	    (sources && m[1].kind != OPERAND_SOURCE) || ((uses & U_D) && !dst) ||
	    (!(uses & (U_D | U_O)) && dst))
		return bad_form(b, op, right);
	if (!claim_unit(b, UNIT_DATA, op) || !width_code(b, op, 32, &code) ||
	    (dst && !claim_v(b, op, op->operand[0].number)) || !take_literal(b, op, m))
		return false;
	if (m->lane >= 32 / micro_width_bits(code))
		return READ_FAIL(b->r, m->at,
		                 "no lane %u of %u bits in a word of 32; expected 0 to %u", m->lane,
		                 micro_width_bits(code), 32 / micro_width_bits(code) - 1);
	b->in.data_op = (uint16_t)number;
	b->in.data_base = (uint16_t)m->number;
	b->in.data_index = (uint16_t)m->index;
	b->in.data_width = (uint16_t)code;
	b->in.data_lane = (uint16_t)m->lane;
	b->in.data_has = (uint16_t)dst;
	b->in.data_dst = dst ? (uint16_t)op->operand[0].number : 0;
	if (!sources)
		return true;
	b->in.data_source = (uint16_t)m[1].number;
	return take_literal(b, op, &m[1]);
}

/* ---- which unit ---- */
static bool unknown_op(struct building *b, const struct op *op)
{
	static const char *const words[] = {"if", "goto", "done", "interrupt", "nop"};
	struct nearest nearest;
	nearest_init(&nearest, op->name);
	for (unsigned i = 1; i < MA_COUNT; i++)
		nearest_offer(&nearest, micro_alu_ops[i].name);
	for (unsigned i = 1; i < MX_COUNT; i++)
		nearest_offer(&nearest, micro_index_ops[i].name);
	for (unsigned i = 1; i < MC_COUNT; i++)
		nearest_offer(&nearest, micro_cam_ops[i].name);
	for (unsigned i = 1; i < MD_COUNT; i++)
		nearest_offer(&nearest, micro_data_ops[i].name);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&nearest, words[i]);
	return READ_FAIL(b->r, op->at, "no operation '%s'; %s", op->name,
	                 nearest_said(&nearest, "expected one of `cyclops help microcode`"));
}

bool place_op(struct building *b, const struct op *op)
{
	const bool alu = find_op(micro_alu_ops, MA_COUNT, op->name),
		   index = find_op(micro_index_ops, MX_COUNT, op->name),
		   cam = find_op(micro_cam_ops, MC_COUNT, op->name),
		   data = find_op(micro_data_ops, MD_COUNT, op->name);
	const struct operand *o = op->operand;
	bool memory = false, entry = false;
	for (unsigned i = 0; i < op->count; i++) {
		memory = memory || (o[i].kind == OPERAND_MEMORY &&
		                    (i == 0 || o[i].bracketed || o[i].has_lane ||
		                     (i == 1 && operand_is_v(&o[0]))));
		entry = entry || o[i].kind == OPERAND_ENTRY || o[i].kind == OPERAND_CAM;
	}
	if (!alu && !index && !cam && !data)
		return unknown_op(b, op);
	if (cam && (entry || !data))
		return cam_op(b, op);
	if (data && (memory || !(alu || index)))
		return data_op(b, op);
	if (index && ((op->count && operand_is_x(&o[0]) &&
	               !(alu && !strcmp(op->name, "cmp") && op->width)) ||
	              !alu))
		return index_op(b, op);
	return alu_op(b, op);
}
