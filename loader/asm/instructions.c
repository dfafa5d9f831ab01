/* Assembles instructions of the table: its mnemonics and aliases, with the operands of their
 * syntax. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/isa/csr.h"
#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

enum {
#define FORMAT(id, ...) FORMAT_##id,
#include "core/isa/rv64.def"
	FORMAT_COUNT
};

static const char *const format_syntax[FORMAT_COUNT] = {
#define FORMAT(id, mask, rd, rs1, rs2, rs3, imm, rm, syntax) [FORMAT_##id] = syntax,
#include "core/isa/rv64.def"
};

static const uint8_t op_format[OP_COUNT] = {
#define OP(id, mnemonic, match, format, ...) [OP_##id] = FORMAT_##format,
#include "core/isa/rv64.def"
};

static const struct alias {
	const char *mnemonic, *syntax;
	uint8_t op;
} aliases[] = {
#define ALIAS(id, mnemonic, syntax, when) {mnemonic, syntax, OP_##id},
#include "core/isa/rv64.def"
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

/* Whether the alias stands for this instruction. */
static bool alias_holds(unsigned row, const struct inst *in)
{
	const unsigned rd = in->rd, rs1 = in->rs1, rs2 = in->rs2;
	const int32_t imm = in->imm;
	unsigned i = 0;
	(void)rd, (void)rs1, (void)rs2, (void)imm;
#define ALIAS(id, mnemonic, syntax, when)                                                          \
	if (i++ == row)                                                                            \
		return (when);
#include "core/isa/rv64.def"
	return false;
}

/* Finds the operands that an alias leaves out. The table has only the condition for printing an
 * alias: tries the few templates for which aliases exist. False if the alias is for compressed
 * forms only. */
static bool alias_template(unsigned row, struct inst *out)
{
	static const int32_t immediates[] = {0, 1, -1, 255, CSR_FRM, CSR_FCSR, (int32_t)0xfffff833};
	const char *syntax = aliases[row].syntax;
	const bool d = strchr(syntax, 'd'), s = strchr(syntax, 's'), t = strchr(syntax, 't');
	const bool i = strpbrk(syntax, "ihupcf");
	for (unsigned k = 0; k < sizeof immediates / sizeof *immediates; k++)
		for (unsigned rd = 0; rd < 2; rd++)
			for (unsigned rs1 = 0; rs1 < 2; rs1++) {
				struct inst in = {
					.op = aliases[row].op,
					.len = 4,
					.rd = (uint8_t)(d    ? 6
				                        : rd ? REG_RA
				                             : REG_SINK),
					.rs1 = (uint8_t)(s     ? 7
				                         : rs1 ? REG_RA
				                               : REG_ZERO),
					.rs2 = t ? 8 : REG_ZERO,
					.imm = i ? 100 : immediates[k],
				};
				in.raw = (uint32_t)in.imm << 20;
				*out = in;
				if (alias_holds(row, &in))
					return true;
				/* fabs.s: the second source is the first */
				out->rs2 = in.rs2 = in.rs1;
				if (s && !t && alias_holds(row, &in))
					return true;
			}
	return false;
}

/* ---- bits ---- */
/* Reports the range of an immediate: the largest value of the form 2^n - 1 that encodes, and the
 * smallest. */
static bool out_of_range(struct assembler *a, const struct inst *in, const char *at)
{
	struct inst try = *in;
	uint32_t raw;
	int32_t most = 0, least = 0, step = 0;
	for (int bit = 0; bit < 31 && !step; bit++) {
		try.imm = INT32_C(1) << bit;
		step = inst_encode(&try, &raw) ? try.imm : 0;
	}
	for (int bit = 0; bit < 31 && step; bit++) {
		try.imm = (int32_t)((INT64_C(1) << (bit + 1)) - 1) / step * step;
		most = inst_encode(&try, &raw) ? try.imm : most;
		try.imm = -(INT32_C(1) << bit);
		least = inst_encode(&try, &raw) ? try.imm : least;
	}
	if (!step)
		return asm_fault(a, at, "there is no such instruction with these operands");
	return asm_fault(a, at, "%" PRId32 " does not fit; expected %" PRId32 " to %" PRId32 "%s",
	                 in->imm, least, most, step > 1 ? ", even" : "");
}

bool put_raw(struct assembler *a, uint32_t raw, uint64_t size)
{
	struct piece *p = piece_add(a, PIECE_INST, size);
	if (p)
		p->in.raw = raw;
	return p != NULL;
}

static bool not_short(struct assembler *a)
{
	return asm_fault(
		a, a->statement.at,
		a->rvc ? "there is no compressed instruction with these operands"
		       : "compressed instructions are not allowed here; expected .option rvc");
}

static bool asm_inst_in_rv32(struct assembler *a, const struct inst *in)
{
	const bool shift = in->op == OP_SLLI || in->op == OP_SRLI || in->op == OP_SRAI;
	if (!a->rv32 || (inst_rv32_has(in->op) && !inst_is_xprof(in) && !(shift && in->imm > 31)))
		return true;
	if (shift)
		return asm_fault(a, a->statement.at, "%" PRId32 " does not fit; expected 0 to 31",
		                 in->imm);
	return asm_fault(a, a->statement.at,
	                 "%s is none of RV32GC's instructions, for which this is assembled",
	                 op_info[in->op].mnemonic);
}

bool put_inst(struct assembler *a, struct inst in, const struct value *value)
{
	const bool may = in.len == 2 && a->rvc && !a->words_only,
		   near = inst_flags(&in) & (OPF_BRANCH | OPF_JUMP) &&
	                  !(inst_flags(&in) & OPF_INDIRECT);
	uint32_t raw;
	if (value && value_is_constant(value))
		in.imm = near ? 0 : (int32_t)value->add;
	if (!asm_inst_in_rv32(a, &in))
		return false;
	if (a->short_only && !a->rvc)
		return not_short(a);
	if (near && value) {
		in.imm = 0;
		/* A branch to a number may have to go anywhere. */
		const bool far = value_is_constant(value) && inst_flags(&in) & OPF_BRANCH;
		/* GNU as gives a call by jal a short form only as c.jal. */
		const bool call = in.op == OP_JAL && in.rd == REG_RA && !a->short_only;
		in.len = may && !far && !call && short_form(a->rv32, &in, &raw) ? 2 : 4;
		if (a->short_only && in.len == 4 && !far)
			return not_short(a);
		struct piece *p = piece_add(a, PIECE_NEAR, in.len);
		if (!p)
			return false;
		p->in = in;
		p->value = *value;
		return true;
	}
	if (value && !value_is_constant(value)) {
		struct piece *p = piece_add(a, PIECE_INST, 4);
		if (!p)
			return false;
		p->in = in;
		p->in.len = 4;
		p->value = *value;
		return !a->short_only || not_short(a);
	}
	struct inst named = in;
	if (a->short_only && reg_is_zero(in.rd) && in.op == OP_SLLI) {
		/* c.slli zero, N: encodes hints */
		named.rd = named.rs1 = REG_RA;
		return short_form(a->rv32, &named, &raw) ? put_raw(a, raw & ~0xf80u, 2)
		                                         : not_short(a);
	}
	if (may && short_form(a->rv32, &in, &raw))
		return put_raw(a, raw, 2);
	if (a->short_only)
		return not_short(a);
	in.len = 4;
	return encode_any(&in, &raw) ? put_raw(a, raw, 4) : out_of_range(a, &in, a->statement.at);
}

/* ---- selecting a row ---- */
static bool try_row(struct assembler *a, struct inst in, struct span mnemonic, const char *syntax,
                    const struct span *operands, unsigned count)
{
	struct reading r = {.in = in, .both = strchr(syntax, 's') && in.rs1 && in.rs2 == in.rs1};
	uint32_t raw;
	inst_decode(encodings[in.op].match, &r.classes);
	if (!read_operands(a, &r, mnemonic, syntax, operands, count))
		return false;
	if (r.both)
		r.in.rs2 = r.in.rs1;
	const bool jump = inst_flags(&in) & OPF_JUMP;
	r.in.len = !jump || (!strchr(syntax, 'd') && !strchr(syntax, 'i')) ? 2 : 4;
	/* GNU as gives mv with zero no short form. */
	if (span_is(mnemonic, "mv") && r.in.rs1 == REG_ZERO)
		r.in.len = 4;
	if (r.valued && value_is_constant(&r.value) && *syntax != 'p' && !strstr(syntax, ",p")) {
		struct inst full = r.in;
		full.len = 4;
		full.imm = (int32_t)r.value.add;
		if (!encode_any(&full, &raw))
			return out_of_range(a, &full, r.value_at);
	}
	if (r.in.op == OP_JALR && r.valued)
		asm_note_offset(a, &r.value);
	return put_inst(a, r.in, r.valued ? &r.value : NULL);
}

/* The default that the table's decoding assumes: dynamic rounding. */
static uint8_t default_rm(const char *syntax)
{
	return strchr(syntax, 'm') ? FRM_DYN : 0;
}

static const char *const orders[] = {"", ".rl", ".aq", ".aqrl"};

/* Strips the ordering suffix (.aq, .rl) from a name; *rm receives it. */
static struct span without_order(struct span s, uint8_t *rm)
{
	for (uint8_t i = 3; i > 0; i--) {
		const size_t n = strlen(orders[i]);
		if (s.n > n && !memcmp(s.at + s.n - n, orders[i], n)) {
			*rm = i;
			return (struct span){s.at, s.n - n};
		}
	}
	return s;
}

static bool op_named(unsigned op, struct span name, struct span plain)
{
	if (op_info[op].klass == CLASS_AMO)
		name = plain;
	return op_info[op].mnemonic && span_is(name, op_info[op].mnemonic);
}

bool table_is_64bit(struct span name)
{
	uint8_t rm = 0;
	const struct span plain = without_order(name, &rm);
	bool any = false;
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (op_named(op, name, plain)) {
			if (inst_rv32_has(op))
				return false;
			any = true;
		}
	for (unsigned i = 0; i < ALIASES; i++)
		if (span_is(name, aliases[i].mnemonic)) {
			if (inst_rv32_has(aliases[i].op))
				return false;
			any = true;
		}
	return any;
}

bool table_has(struct span name)
{
	uint8_t rm = 0;
	const struct span plain = without_order(name, &rm);
	for (unsigned i = 0; i < ALIASES; i++)
		if (span_is(name, aliases[i].mnemonic))
			return true;
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (op_named(op, name, plain))
			return true;
	return false;
}

const char *table_immediate_form(struct span name)
{
	char with[16];
	const bool suffix = name.n > 1 && strchr("wu", name.at[name.n - 1]);
	if (name.n + 2 > sizeof with)
		return NULL;
	for (int pass = 0; pass <= suffix; pass++) {
		/* the i is the last letter, or stands before a w or u */
		const int n = (int)name.n - pass;
		snprintf(with, sizeof with, "%.*si%.*s", n, name.at, pass, name.at + n);
		for (unsigned op = 1; op < OP_COUNT; op++)
			if (op_info[op].mnemonic && !strcmp(op_info[op].mnemonic, with))
				return op_info[op].mnemonic;
	}
	return NULL;
}

static bool asm_inst_report_unknown(struct assembler *a, struct span mnemonic)
{
	char word[32];
	struct nearest n;
	const size_t length = mnemonic.n < sizeof word ? mnemonic.n : sizeof word - 1;
	memcpy(word, mnemonic.at, length);
	word[length] = '\0';
	nearest_init(&n, word);
	for (unsigned op = 1; op < OP_COUNT; op++)
		nearest_offer(&n, op_info[op].mnemonic);
	for (unsigned i = 0; i < ALIASES; i++)
		nearest_offer(&n, aliases[i].mnemonic);
	return asm_fault(a, mnemonic.at, "no instruction is called '%s'%s%s", word,
	                 nearest_tail(&n),
	                 section_now(a)->kind == SECTION_TEXT
	                         ? ""
	                         : "; this is data, whose directives begin with a dot");
}

/* Joins a mnemonic of two words: "pushpf all". */
static bool of_two_words(struct assembler *a, struct span mnemonic, const struct span *operands,
                         unsigned count, bool *done)
{
	char both[64];
	*done = false;
	if (count != 1 || mnemonic.n + operands[0].n + 2 > sizeof both)
		return false;
	const int n = snprintf(both, sizeof both, "%.*s %.*s", (int)mnemonic.n, mnemonic.at,
	                       (int)operands[0].n, operands[0].at);
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (op_info[op].mnemonic &&
		    span_is((struct span){both, (size_t)n}, op_info[op].mnemonic)) {
			*done = true;
			return put_inst(a,
			                (struct inst){.op = op & OP_MASK, .len = 2, .rd = REG_SINK},
			                NULL);
		}
	return false;
}

bool assemble_table(struct assembler *a, struct span mnemonic, const struct span *operands,
                    unsigned count)
{
	uint8_t rm = 0;
	bool done, known = false;
	struct inst in;
	const struct span plain = without_order(mnemonic, &rm);
	const bool ok = of_two_words(a, mnemonic, operands, count, &done);
	if (done)
		return ok;
	for (unsigned i = 0; i < ALIASES; i++) {
		if (!span_is(mnemonic, aliases[i].mnemonic) || !alias_template(i, &in))
			continue;
		known = true;
		if (try_row(a, in, mnemonic, aliases[i].syntax, operands, count))
			return true;
	}
	for (unsigned op = 1; op < OP_COUNT; op++) {
		if (!op_named(op, mnemonic, plain))
			continue;
		known = true;
		const char *syntax = format_syntax[op_format[op]];
		in = (struct inst){
			.op = op & OP_MASK, .len = 4, .rd = REG_SINK, .rm = default_rm(syntax)};
		if (op_info[op].klass == CLASS_AMO)
			in.rm = rm;
		if (try_row(a, in, mnemonic, syntax, operands, count))
			return true;
	}
	return known ? false : asm_inst_report_unknown(a, mnemonic);
}
