/* .insn: an instruction given by its format and the values of its fields, or by its bytes. */
#include <string.h>

#include "core/isa/op.h"
#include "loader/asm/directives.h"

static bool raw_number(struct assembler *a, struct span s, unsigned bits, uint32_t *out)
{
	static const struct {
		const char *name;
		uint8_t opcode;
	} opcodes[] = {
		{"LOAD", 0x03},     {"LOAD_FP", 0x07},  {"CUSTOM_0", 0x0b},  {"MISC_MEM", 0x0f},
		{"OP_IMM", 0x13},   {"AUIPC", 0x17},    {"OP_IMM_32", 0x1b}, {"STORE", 0x23},
		{"STORE_FP", 0x27}, {"CUSTOM_1", 0x2b}, {"AMO", 0x2f},       {"OP", 0x33},
		{"LUI", 0x37},      {"OP_32", 0x3b},    {"MADD", 0x43},      {"MSUB", 0x47},
		{"NMSUB", 0x4b},    {"NMADD", 0x4f},    {"OP_FP", 0x53},     {"CUSTOM_2", 0x5b},
		{"BRANCH", 0x63},   {"JALR", 0x67},     {"JAL", 0x6f},       {"SYSTEM", 0x73},
		{"CUSTOM_3", 0x7b}};
	int64_t v;
	for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
		if (span_is(s, opcodes[i].name))
			return *out = opcodes[i].opcode, true;
	if (!expr_constant(a, s, &v))
		return false;
	if (v < -(INT64_C(1) << (bits - 1)) || v >= INT64_C(1) << bits)
		return asm_fault(a, s.at, "expected a number of %u bits", bits);
	*out = (uint32_t)v & (uint32_t)((UINT64_C(1) << bits) - 1);
	return true;
}

static bool raw_register(struct assembler *a, struct span s, uint32_t *out)
{
	const int reg = register_of(s);
	if (reg < 0)
		return asm_fault(a, s.at, "'%.*s' is no register", (int)(s.n > 40 ? 40 : s.n),
		                 s.at);
	*out = (uint32_t)reg & 31;
	return true;
}

/* FORMAT's operands: o opcode, 3 funct3, 7 funct7, 2 funct2, d s t u registers, i an immediate, m
 * one with a base: 8(sp), n a place near. */
static const struct {
	const char *name, *operands;
} raw_formats[] = {{"r", "o37dst"}, {"r4", "o32dstu"}, {"i", "o3dsi"}, {"i", "o3dm"},
                   {"s", "o3tm"},   {"u", "odi"},      {"b", "o3stn"}, {"sb", "o3stn"},
                   {"j", "odn"},    {"uj", "odn"}};
enum { RAW_FORMATS = sizeof raw_formats / sizeof *raw_formats };

/* An instruction whose operands are being read. */
struct raw_fields {
	struct span form;
	uint32_t v[128]; /* by the letter of the operand; i of m, too */
	struct value near;
};

static bool raw_operand(struct assembler *a, struct raw_fields *r, char kind, struct span o)
{
	if (kind == 'n')
		return expr_parse(a, o, &r->near);
	const char *open = kind == 'm' ? memchr(o.at, '(', o.n) : NULL;
	if (kind == 'm' && (!open || o.at[o.n - 1] != ')'))
		return asm_fault(a, o.at, "expected OFFSET(REGISTER)");
	if (open) {
		const struct span base = {open + 1, (size_t)(o.at + o.n - open) - 2};
		if (!raw_register(a, span_trim(base), &r->v['s']))
			return false;
		o = span_trim((struct span){o.at, (size_t)(open - o.at)});
	}
	const unsigned bits = kind == 'o'          ? 7
	                      : kind <= '9'        ? (unsigned)(kind - '0')
	                      : *r->form.at == 'u' ? 20
	                                           : 12;
	uint32_t *to = &r->v[kind == 'm' ? 'i' : (unsigned)kind];
	return strchr("dstu", kind) ? raw_register(a, o, to) : raw_number(a, o, bits, to);
}

static bool raw_append(struct assembler *a, const struct raw_fields *r, bool near)
{
	const uint32_t *v = r->v, i = v['i'], common = v['o'] | v['3'] << 12 | v['s'] << 15;
	const char form = *r->form.at;
	if (near) {
		const bool jump = r->form.at[r->form.n - 1] == 'j';
		struct piece *p = piece_add(a, PIECE_RAW_NEAR, 4);
		if (!p)
			return false;
		p->value = r->near;
		p->in = (struct inst){.op = jump ? OP_JAL : OP_BEQ,
		                      .len = 4,
		                      .rd = REG_SINK,
		                      .raw = jump ? v['o'] | v['d'] << 7 : common | v['t'] << 20};
		return true;
	}
	const uint32_t tail = r->form.n == 2 ? v['2'] << 25 | v['u'] << 27 : v['7'] << 25,
		       raw = form == 'r'   ? common | v['d'] << 7 | v['t'] << 20 | tail
	                     : form == 'i' ? common | v['d'] << 7 | i << 20
	                     : form == 's' ? common | v['t'] << 20 | (i & 31) << 7 | i >> 5 << 25
	                                   : v['o'] | v['d'] << 7 | i << 12;
	const uint8_t out[] = {(uint8_t)raw, (uint8_t)(raw >> 8), (uint8_t)(raw >> 16),
	                       (uint8_t)(raw >> 24)};
	return piece_bytes(a, out, sizeof out);
}

/* .insn VALUE, .insn BYTES, VALUE */
static bool raw_value(struct assembler *a, struct arguments *g)
{
	int64_t bytes = 0, value;
	uint8_t out[8];
	if (!directive_split(a, g))
		return false;
	if (g->count != 1 && g->count != 2)
		return directive_usage(a, ".insn r OPCODE,F3,F7,RD,RS1,RS2, or .insn VALUE");
	if ((g->count == 2 && !expr_constant(a, g->o[0], &bytes)) ||
	    !expr_constant(a, g->o[g->count - 1], &value))
		return false;
	if (g->count == 1)
		bytes = (value & 3) == 3 ? 4 : 2;
	if (bytes != 2 && bytes != 4)
		return asm_fault(a, g->o[0].at, "an instruction has 2 or 4 bytes");
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t)((uint64_t)value >> 8 * i);
	return piece_bytes(a, out, (size_t)bytes);
}

/* .insn FORMAT ..., or raw_value(), as GNU as has them. */
static bool raw_instruction(struct assembler *a, struct arguments *g)
{
	const struct span s = span_trim(g->rest);
	struct raw_fields r = {.form = s};
	bool known = false;
	if (section_now(a)->kind != SECTION_TEXT)
		return asm_fault(a, s.at,
		                 "an instruction outside of code; expected .text before it");
	scan_name(s, &r.form);
	for (size_t i = 0; i < RAW_FORMATS; i++)
		known |= span_is(r.form, raw_formats[i].name);
	if (!known)
		return raw_value(a, g);
	g->rest = span_trim((struct span){s.at + r.form.n, s.n - r.form.n});
	if (!directive_split(a, g))
		return false;
	const char *operands = NULL;
	for (size_t i = 0; i < RAW_FORMATS; i++)
		if (span_is(r.form, raw_formats[i].name) &&
		    strlen(raw_formats[i].operands) == g->count)
			operands = raw_formats[i].operands;
	if (!operands)
		return asm_fault(a, r.form.at, "the format '%.*s' has other operands",
		                 (int)r.form.n, r.form.at);
	for (unsigned i = 0; i < g->count; i++)
		if (!raw_operand(a, &r, operands[i], g->o[i]))
			return false;
	return raw_append(a, &r, strchr(operands, 'n'));
}

const struct directive raw_instruction_directives[] = {
	{".insn", raw_instruction, 0, false},
	{0},
};
