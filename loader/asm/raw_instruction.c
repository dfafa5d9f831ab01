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

/* .insn FORMAT ..., .insn VALUE, .insn BYTES, VALUE, as GNU as has them. FORMAT's operands: o
 * opcode, 3 funct3, 7 funct7, 2 funct2, d s t u registers, i an immediate, m one with a base:
 * 8(sp), n a place near. */
static bool raw_instruction(struct assembler *a, struct arguments *g)
{
	static const struct {
		const char *name, *operands;
	} formats[] = {{"r", "o37dst"}, {"r4", "o32dstu"}, {"i", "o3dsi"}, {"i", "o3dm"},
	               {"s", "o3tm"},   {"u", "odi"},      {"b", "o3stn"}, {"sb", "o3stn"},
	               {"j", "odn"},    {"uj", "odn"}};
	struct span s = span_trim(g->rest), form;
	uint32_t v[128] = {0};
	if (section_now(a)->kind != SECTION_TEXT)
		return asm_fault(a, s.at,
		                 "an instruction outside of code; expected .text before it");
	scan_name(s, &form);
	bool known = false;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		known |= span_is(form, formats[i].name);
	if (!known) {
		int64_t bytes = 0, value;
		uint8_t out[8];
		if (!directive_split(a, g))
			return false;
		if (g->count != 1 && g->count != 2)
			return directive_usage(a,
			                       ".insn r OPCODE,F3,F7,RD,RS1,RS2, or .insn VALUE");
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
	g->rest = span_trim((struct span){s.at + form.n, s.n - form.n});
	if (!directive_split(a, g))
		return false;
	const char *operands = NULL;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (span_is(form, formats[i].name) && strlen(formats[i].operands) == g->count)
			operands = formats[i].operands;
	if (!operands)
		return asm_fault(a, form.at, "the format '%.*s' has other operands", (int)form.n,
		                 form.at);
	struct value near;
	for (unsigned i = 0; i < g->count; i++) {
		const char kind = operands[i];
		struct span o = g->o[i];
		if (kind == 'n') {
			if (!expr_parse(a, o, &near))
				return false;
			continue;
		}
		const char *open = kind == 'm' ? memchr(o.at, '(', o.n) : NULL;
		if (kind == 'm' && (!open || o.at[o.n - 1] != ')'))
			return asm_fault(a, o.at, "expected OFFSET(REGISTER)");
		if (open &&
		    !raw_register(
			    a, span_trim((struct span){open + 1, (size_t)(o.at + o.n - open) - 2}),
			    &v['s']))
			return false;
		if (open)
			o = span_trim((struct span){o.at, (size_t)(open - o.at)});
		const unsigned bits = kind == 'o'       ? 7
		                      : kind <= '9'     ? (unsigned)(kind - '0')
		                      : *form.at == 'u' ? 20
		                                        : 12;
		uint32_t *to = &v[kind == 'm' ? 'i' : (unsigned)kind];
		if (strchr("dstu", kind) ? !raw_register(a, o, to) : !raw_number(a, o, bits, to))
			return false;
	}
	const uint32_t i = v['i'], common = v['o'] | v['3'] << 12 | v['s'] << 15;
	const uint32_t raw =
		*form.at == 'r' ? common | v['d'] << 7 | v['t'] << 20 |
					  (form.n == 2 ? v['2'] << 25 | v['u'] << 27 : v['7'] << 25)
		: *form.at == 'i' ? common | v['d'] << 7 | i << 20
		: *form.at == 's' ? common | v['t'] << 20 | (i & 31) << 7 | i >> 5 << 25
				  : v['o'] | v['d'] << 7 | i << 12;
	if (strchr(operands, 'n')) {
		const bool jump = form.at[form.n - 1] == 'j';
		struct piece *p = piece_add(a, PIECE_RAW_NEAR, 4);
		if (!p)
			return false;
		p->value = near;
		p->in = (struct inst){.op = jump ? OP_JAL : OP_BEQ,
		                      .len = 4,
		                      .rd = REG_SINK,
		                      .raw = jump ? v['o'] | v['d'] << 7 : common | v['t'] << 20};
		return true;
	}
	const uint8_t out[] = {(uint8_t)raw, (uint8_t)(raw >> 8), (uint8_t)(raw >> 16),
	                       (uint8_t)(raw >> 24)};
	return piece_bytes(a, out, sizeof out);
}

const struct directive raw_instruction_directives[] = {
	{".insn", raw_instruction, 0, false},
	{0},
};
