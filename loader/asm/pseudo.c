/* Expands pseudo-instructions into one or several instructions. */
#include <stdio.h>
#include <string.h>

#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

static bool pseudo_emit_inst(struct assembler *a, enum op op, unsigned rd, unsigned rs1,
                             unsigned rs2, int32_t imm)
{
	return put_inst(a,
	                (struct inst){.op = op & OP_MASK,
	                              .len = rd ? 2 : 4,
	                              .rd = (uint8_t)(rd ? rd : REG_SINK),
	                              .rs1 = (uint8_t)rs1,
	                              .rs2 = (uint8_t)rs2,
	                              .imm = imm},
	                NULL);
}

/* The low 12 bits, signed. */
static int64_t pseudo_low12_signed(int64_t v)
{
	return (int64_t)((uint64_t)v << 52) >> 52;
}

/* Builds a large number as GNU as does: 12 bits at a time from the lowest, with as many shifts. */
static bool put_large(struct assembler *a, unsigned rd, int64_t value)
{
	const int64_t lower = pseudo_low12_signed(value);
	uint64_t upper = (uint64_t)value - (uint64_t)lower;
	if (value == (int32_t)value) {
		if (upper && !pseudo_emit_inst(a, OP_LUI, rd, 0, 0, (int32_t)(uint32_t)upper))
			return false;
		return (upper && !lower && rd) ||
		       pseudo_emit_inst(a, a->rv32 ? OP_ADDI : OP_ADDIW, rd, upper ? rd : 0, 0,
		                        (int32_t)lower);
	}
	int shift = 12;
	while (!(upper >> shift & 1))
		shift++;
	return put_large(a, rd, (int64_t)upper >> shift) &&
	       pseudo_emit_inst(a, OP_SLLI, rd, rd, 0, shift) &&
	       (!lower || pseudo_emit_inst(a, OP_ADDI, rd, rd, 0, (int32_t)lower));
}

/* rd = value, as GNU as does. */
static bool pseudo_emit_constant(struct assembler *a, unsigned rd, int64_t value)
{
	return value == pseudo_low12_signed(value)
	               ? pseudo_emit_inst(a, OP_ADDI, rd, 0, 0, (int32_t)value)
	               : put_large(a, rd, value);
}

/* Emits the auipc `by` with the upper part of an address, then `lower` with the lower part. */
static bool put_pair(struct assembler *a, unsigned by, struct inst lower, struct value v)
{
	struct inst upper = {.op = OP_AUIPC, .len = 4, .rd = (uint8_t)(by ? by : REG_SINK)};
	v.part = PART_PCREL_HI;
	if (!put_inst(a, upper, &v))
		return false;
	lower.len = 4;
	lower.rs1 = (uint8_t)by;
	const struct value pair = {.plus = v.plus, .part = PART_PAIR_LO};
	return put_inst(a, lower, &pair);
}

static bool pseudo_parse_address(struct assembler *a, struct span s, struct value *v)
{
	if (!expr_parse(a, s, v))
		return false;
	return !v->minus || asm_fault(a, s.at, "an address is needed");
}

static bool pseudo_report_usage(struct assembler *a, const char *usage)
{
	return asm_fault(a, a->statement.at, "expected %s", usage);
}

static bool pseudo_expand_li(struct assembler *a, const struct span *o, unsigned count)
{
	uint8_t rd;
	int64_t v;
	if (count != 2)
		return pseudo_report_usage(a, "li RD,NUMBER");
	if (!parse_register(a, o[0], false, &rd) || !expr_constant(a, o[1], &v))
		return false;
	/* Registers of 32 bits hold 0xffffffff as -1. */
	const bool high = v > INT32_MAX && v <= UINT32_MAX;
	if ((a->rv32 || os_abi_is_course(a->abi)) && high)
		v = (int32_t)(uint32_t)v;
	if (a->rv32 && v != (int32_t)v)
		return asm_fault(a, o[1].at, "the number does not fit into 32 bits");
	a->words_only = a->rv32 && high && v == pseudo_low12_signed(v); /* as GNU as */
	const bool ok = pseudo_emit_constant(a, rd, v);
	a->words_only = false;
	return ok;
}

/* Expands la and its kin. entry: the address is that of an offset table's entry, or the entry's
 * contents. */
static bool pseudo_expand_address(struct assembler *a, const struct span *o, unsigned count,
                                  enum offset_kind entry, enum op op)
{
	uint8_t rd;
	struct value v;
	if (count != 2)
		return pseudo_report_usage(a, "la RD,LABEL");
	if (!parse_register(a, o[0], false, &rd) || !pseudo_parse_address(a, o[1], &v))
		return false;
	if (value_is_constant(&v))
		return put_large(a, rd, a->rv32 ? (int32_t)v.add : v.add);
	return (!entry || offset_entry(a, entry, &v, o[1].at)) &&
	       put_pair(a, rd, (struct inst){.op = op & OP_MASK, .rd = rd ? rd : REG_SINK}, v);
}

static bool pseudo_expand_lla(struct assembler *a, const struct span *o, unsigned count)
{
	return pseudo_expand_address(a, o, count, 0, OP_ADDI);
}

static bool pseudo_expand_lga(struct assembler *a, const struct span *o, unsigned count)
{
	return pseudo_expand_address(a, o, count, OFFSET_ADDRESS, a->rv32 ? OP_LW : OP_LD);
}

static bool pseudo_expand_la(struct assembler *a, const struct span *o, unsigned count)
{
	return (a->pic ? pseudo_expand_lga : pseudo_expand_lla)(a, o, count);
}

static bool pseudo_expand_la_thread(struct assembler *a, const struct span *o, unsigned count)
{
	return pseudo_expand_address(a, o, count, OFFSET_THREAD, a->rv32 ? OP_LW : OP_LD);
}

static bool pseudo_expand_la_module(struct assembler *a, const struct span *o, unsigned count)
{
	return pseudo_expand_address(a, o, count, OFFSET_MODULE, OP_ADDI);
}

static bool pseudo_emit_far_jump(struct assembler *a, unsigned link, unsigned by, struct span to)
{
	static const char stub[] = "@plt";
	const size_t n = sizeof stub - 1;
	struct value v;
	if (to.n > n && !memcmp(to.at + to.n - n, stub, n))
		to.n -= n;
	return pseudo_parse_address(a, to, &v) &&
	       put_pair(a, by,
	                (struct inst){.op = OP_JALR, .rd = (uint8_t)(link ? link : REG_SINK)}, v);
}

static bool pseudo_expand_call(struct assembler *a, const struct span *o, unsigned count)
{
	uint8_t link = REG_RA;
	if (count != 1 && count != 2)
		return pseudo_report_usage(a, "call LABEL");
	return (count == 1 || parse_register(a, o[0], false, &link)) &&
	       pseudo_emit_far_jump(a, link, link, o[count - 1]);
}

enum { REG_T1 = 6, C_ADDI = 0x0001 };

static bool pseudo_expand_tail(struct assembler *a, const struct span *o, unsigned count)
{
	return count == 1 ? pseudo_emit_far_jump(a, REG_ZERO, REG_T1, o[0])
	                  : pseudo_report_usage(a, "tail LABEL");
}

static bool pseudo_expand_jump(struct assembler *a, const struct span *o, unsigned count)
{
	uint8_t by;
	return count != 2 ? pseudo_report_usage(a, "jump LABEL,TEMPORARY")
	                  : parse_register(a, o[1], false, &by) &&
	                            pseudo_emit_far_jump(a, REG_ZERO, by, o[0]);
}

static bool no_instruction(struct assembler *a, const struct span *o, unsigned count)
{
	(void)o;
	if (count)
		return pseudo_report_usage(a, "unimp");
	static const uint8_t illegal[4] = {0x73, 0x10, 0x00, 0xc0}, zeros[2];
	return a->rvc ? piece_bytes(a, zeros, 2) : piece_bytes(a, illegal, 4);
}

/* Expands jalr with an offset after a comma. */
static bool pseudo_expand_jalr(struct assembler *a, const struct span *o, unsigned count,
                               bool links)
{
	struct inst in = {.op = OP_JALR, .len = 4, .rd = links ? REG_RA : REG_SINK};
	struct value v;
	if (count == 3 && (!parse_register(a, o[0], false, &in.rd)))
		return false;
	if (in.rd == REG_ZERO)
		in.rd = REG_SINK;
	if (!parse_register(a, o[count - 2], false, &in.rs1) ||
	    !operand_value(a, o[count - 1], false, &v))
		return false;
	asm_note_offset(a, &v);
	return value_is_constant(&v) || v.part != PART_ALL
	               ? put_inst(a, in, &v)
	               : asm_fault(a, o[count - 1].at, "a number is needed, or %%lo(SYMBOL)");
}

/* Emits a shift left followed by the shift `down`. */
static bool pseudo_emit_shift_pair(struct assembler *a, enum op down, int shift,
                                   const struct span *o, unsigned count)
{
	uint8_t rd, rs;
	return count != 2 ? pseudo_report_usage(a, "RD,RS after it")
	                  : parse_register(a, o[0], false, &rd) &&
	                            parse_register(a, o[1], false, &rs) &&
	                            pseudo_emit_inst(a, OP_SLLI, rd, rs, 0, shift) &&
	                            pseudo_emit_inst(a, down, rd, rd, 0, shift);
}

static const struct {
	const char *name;
	bool (*put)(struct assembler *a, const struct span *o, unsigned count);
} several[] = {
	{"li", pseudo_expand_li},
	{"la", pseudo_expand_la},
	{"lla", pseudo_expand_lla},
	{"lga", pseudo_expand_lga},
	{"la.tls.ie", pseudo_expand_la_thread},
	{"la.tls.gd", pseudo_expand_la_module},
	{"call", pseudo_expand_call},
	{"tail", pseudo_expand_tail},
	{"jump", pseudo_expand_jump},
	{"unimp", no_instruction},
};

/* Encodings of instructions of other modes, which are illegal in this machine. */
static const struct {
	const char *name;
	uint32_t bits;
	unsigned registers; /* rs1, then rs2; each may be left out */
} unserved[] = {
	{"sret", 0x10200073, 0}, {"uret", 0x00200073, 0},      {"hret", 0x20200073, 0},
	{"dret", 0x7b200073, 0}, {"sfence.vm", 0x10400073, 1}, {"sfence.vma", 0x12000073, 2},
};

static bool pseudo_emit_unserved(struct assembler *a, unsigned row, const struct span *o,
                                 unsigned count)
{
	uint8_t reg[2] = {0, 0};
	if (count > unserved[row].registers)
		return pseudo_report_usage(a, unserved[row].name);
	for (unsigned i = 0; i < count; i++)
		if (!parse_register(a, o[i], false, &reg[i]))
			return false;
	return put_raw(a, unserved[row].bits | (uint32_t)reg[0] << 15 | (uint32_t)reg[1] << 20, 4);
}

static const struct {
	const char *name;
	enum op down;
	int shift;
} extensions[] = {
	{"sext.b", OP_SRAI, 56},
	{"sext.h", OP_SRAI, 48},
	{"zext.h", OP_SRLI, 48},
	{"zext.w", OP_SRLI, 32},
};

static struct span pseudo_span_of_string(const char *s)
{
	return (struct span){s, strlen(s)};
}

/* Expands add RD,RS,NUMBER. GNU as gives it fewer compressed forms than addi: neither c.li nor
 * c.mv. */
static bool add_number(struct assembler *a, const struct span *o)
{
	struct value v;
	const int rd = register_of(o[0]), rs = register_of(o[1]);
	const bool zero =
		*o[2].at != '%' && expr_parse(a, o[2], &v) && value_is_constant(&v) && !v.add;
	if (zero && a->rvc && rd == rs && rd > 0 && rd < REG_F0)
		return put_raw(a, C_ADDI | (uint32_t)rd << 7, 2);
	a->words_only = zero || rs == REG_ZERO;
	const bool ok = assemble_table(a, pseudo_span_of_string("addi"), o, 3);
	a->words_only = false;
	return ok;
}

static const struct {
	const char *name;
	unsigned operands;
	const char *instead;
} rewritten[] = {
#define PSEUDO(name, operands, instead) {name, operands, instead},
#include "loader/asm/pseudo.def"
};

static bool pseudo_rewrite_alias(struct assembler *a, const char *instead, const struct span *o)
{
	struct span out[ASM_OPERANDS_MAX];
	unsigned count = 0;
	const size_t name = strcspn(instead, " ");
	for (const char *s = instead + name; *s; s += strcspn(s, ",")) {
		s++;
		out[count++] = *s == '%' ? o[s[1] - '1'] : (struct span){s, strcspn(s, ",")};
	}
	/* RARS: csrw t0,fcsr */
	if (count == 3 && os_abi_is_course(a->abi) && !strncmp(instead, "csrr", 4) &&
	    register_of(out[1]) >= 0 && register_of(out[2]) < 0) {
		const struct span csr = out[2];
		out[2] = out[1];
		out[1] = csr;
	}
	/* csrw fcsr,3 */
	if (count == 3 && !strncmp(instead, "csrr", 4) && instead[5] == ' ' &&
	    register_of(out[2]) < 0 && out[2].n) {
		char with[8];
		snprintf(with, sizeof with, "%.5si", instead);
		return assemble_table(a, pseudo_span_of_string(with), out, count);
	}
	return assemble_table(a, (struct span){instead, name}, out, count);
}

/* Expands LOAD RD,LABEL and STORE RS,LABEL,TEMPORARY. */
static bool memory_of_label(struct assembler *a, struct span mnemonic, const struct span *o,
                            unsigned count, bool *done)
{
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const unsigned flags = op_info[op].flags;
		if (!(flags & OPF_MEMORY) || op_info[op].klass == CLASS_AMO ||
		    !span_is(mnemonic, op_info[op].mnemonic))
			continue;
		const bool store = flags & OPF_STORE;
		const struct span label = count > 1 ? o[1] : (struct span){"", 0};
		if (count != (store ? 3u : 2u) || memchr(label.at, '(', label.n) || !label.n ||
		    scan_blank_end(label) < label.n)
			return false;
		struct inst in = {.op = op & OP_MASK, .rd = REG_SINK}, classes;
		struct value v;
		uint8_t by;
		*done = true;
		inst_decode(encodings[op].match, &classes);
		const uint8_t moved = store ? classes.rs2 : classes.rd;
		const bool fp = moved >= REG_F0 && moved != REG_SINK;
		if (!parse_register(a, o[0], fp, store ? &in.rs2 : &in.rd) ||
		    !pseudo_parse_address(a, label, &v))
			return false;
		if (!store && fp)
			return asm_fault(a, a->statement.at, "expected %.*s FRD,LABEL,TEMPORARY",
			                 (int)mnemonic.n, mnemonic.at);
		by = in.rd;
		if (store && !parse_register(a, o[2], false, &by))
			return false;
		if (in.rd == REG_ZERO)
			in.rd = REG_SINK;
		return put_pair(a, by, in, v);
	}
	return false;
}

static bool load_fp(struct assembler *a, struct span mnemonic, const struct span *o, bool *done)
{
	static const char letters[] = "hwd";
	static const uint16_t ops[] = {OP_FLH, OP_FLW, OP_FLD};
	const char *letter = mnemonic.n == 3 && !memcmp(mnemonic.at, "fl", 2)
	                             ? memchr(letters, mnemonic.at[2], sizeof letters - 1)
	                             : NULL;
	struct inst in = {.op = (unsigned)ops[letter ? letter - letters : 0] & OP_MASK};
	struct value v;
	uint8_t by;
	*done = letter != NULL;
	return letter && parse_register(a, o[0], true, &in.rd) &&
	       pseudo_parse_address(a, o[1], &v) && parse_register(a, o[2], false, &by) &&
	       put_pair(a, by, in, v);
}

bool assemble_pseudo(struct assembler *a, struct span mnemonic, const struct span *o,
                     unsigned count, bool *done)
{
	*done = true;
	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		if (span_is(mnemonic, several[i].name))
			return several[i].put(a, o, count);
	if ((span_is(mnemonic, "jalr") && count == 3) ||
	    ((span_is(mnemonic, "jalr") || span_is(mnemonic, "jr")) && count == 2 &&
	     register_of(o[0]) >= 0 && register_of(o[1]) < 0 && !memchr(o[1].at, '(', o[1].n)))
		return pseudo_expand_jalr(a, o, count, mnemonic.n == 4);
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (span_is(mnemonic, extensions[i].name) &&
		    (a->rv32 ? extensions[i].shift > 32 : !table_has(mnemonic)))
			return pseudo_emit_shift_pair(a, extensions[i].down,
			                              extensions[i].shift - (a->rv32 ? 32 : 0), o,
			                              count);
	for (unsigned i = 0; i < sizeof unserved / sizeof *unserved; i++)
		if (span_is(mnemonic, unserved[i].name))
			return pseudo_emit_unserved(a, i, o, count);
	for (size_t i = 0; i < sizeof rewritten / sizeof *rewritten; i++)
		if (span_is(mnemonic, rewritten[i].name) && rewritten[i].operands == count)
			return pseudo_rewrite_alias(a, rewritten[i].instead, o);
	if (count == 4 && span_is(mnemonic, "add") && o[3].n > 12 &&
	    !memcmp(o[3].at, "%tprel_add(", 11))
		return assemble_table(a, mnemonic, o, 3); /* the fourth is the linker's */
	if (count == 3 && register_of(o[2]) < 0) {
		const char *with = table_immediate_form(mnemonic);
		if (span_is(mnemonic, "add"))
			return add_number(a, o);
		if (with)
			return assemble_table(a, pseudo_span_of_string(with), o, count);
	}
	if (count == 3) {
		const bool ok = load_fp(a, mnemonic, o, done);
		if (*done)
			return ok;
	}
	*done = false;
	return memory_of_label(a, mnemonic, o, count, done);
}

/* ---- c.NAME ---- */
/* Assembles c.addi16sp. Small numbers also have a c.addi form, which plain addi gets. */
static bool pseudo_expand_c_addi16sp(struct assembler *a, const struct span *o, unsigned count)
{
	int64_t n;
	if (count != 2 || register_of(o[0]) != REG_SP)
		return pseudo_report_usage(a, "c.addi16sp sp,NUMBER");
	if (!expr_constant(a, o[1], &n))
		return false;
	if (n < -512 || n > 496 || n % 16 || !n)
		return asm_fault(a, o[1].at, "expected -512 to 496, a multiple of 16, not 0");
	const uint32_t v = (uint32_t)n;
	const uint16_t raw = (uint16_t)(0x6101 | (v >> 9 & 1) << 12 | (v >> 4 & 1) << 6 |
	                                (v >> 6 & 1) << 5 | (v >> 7 & 3) << 3 | (v >> 5 & 1) << 2);
	return put_raw(a, raw, 2);
}

static bool pseudo_emit_short(struct assembler *a, unsigned raw)
{
	return a->rvc ? put_raw(a, raw, 2)
	              : asm_fault(a, a->statement.at,
	                          "compressed instructions are not allowed here; expected .option "
	                          "rvc");
}

/* Hints that have no form of 4 bytes. */
static const struct {
	const char *name;
	uint16_t bits;
	bool low; /* the register is s0 to a5 */
} pseudo_plain[] = {{"slli64", 0x0002, false}, {"srli64", 0x8001, true}, {"srai64", 0x8401, true}};

static bool pseudo_emit_plain(struct assembler *a, unsigned row, const struct span *o,
                              unsigned count)
{
	uint8_t reg;
	const bool low = pseudo_plain[row].low;
	if (count != 1)
		return pseudo_report_usage(a, "one register");
	if (!parse_register(a, o[0], false, &reg))
		return false;
	if (low && (reg < 8 || reg > 15))
		return asm_fault(a, o[0].at, "expected s0, s1, or a0 to a5");
	return pseudo_emit_short(a, pseudo_plain[row].bits | (unsigned)(low ? reg - 8 : reg) << 7);
}

static bool pseudo_expand_nop(struct assembler *a, const struct span *o)
{
	int64_t n;
	if (!expr_constant(a, o[0], &n))
		return false;
	if (n < -32 || n > 31)
		return asm_fault(a, o[0].at, "expected -32 to 31");
	return pseudo_emit_short(a,
	                         0x0001u | (unsigned)(n & 31) << 2 | (unsigned)(n >> 5 & 1) << 12);
}

static bool pseudo_expand_compressed(struct assembler *a, struct span name, const struct span *o,
                                     unsigned count)
{
	static const char *const of_sp[] = {"lwsp",  "ldsp",  "swsp",  "sdsp",
	                                    "flwsp", "fldsp", "fswsp", "fsdsp"};
	static const char *const of_three[] = {"add",  "addi", "addiw", "addw", "sub",
	                                       "subw", "and",  "andi",  "or",   "xor",
	                                       "slli", "srli", "srai"};
	struct span three[3];
	for (size_t i = 0; i < sizeof of_sp / sizeof *of_sp; i++)
		if (span_is(name, of_sp[i]))
			name.n -= 2;
	for (unsigned i = 0; i < sizeof pseudo_plain / sizeof *pseudo_plain; i++)
		if (span_is(name, pseudo_plain[i].name))
			return pseudo_emit_plain(a, i, o, count);
	if (count == 2 && register_of(o[0]) == REG_ZERO && register_of(o[1]) > 0 &&
	    (span_is(name, "add") || span_is(name, "mv")))
		return pseudo_emit_short(a, (span_is(name, "add") ? 0x9002u : 0x8002u) |
		                                    (unsigned)register_of(o[1]) << 2);
	if (span_is(name, "addi4spn"))
		name.n = 4;
	if (span_is(name, "nop") && count == 1)
		return pseudo_expand_nop(a, o);
	if (span_is(name, "addi16sp"))
		return pseudo_expand_c_addi16sp(a, o, count);
	if (count == 2)
		for (size_t i = 0; i < sizeof of_three / sizeof *of_three; i++)
			if (span_is(name, of_three[i])) {
				three[0] = three[1] = o[0];
				three[2] = o[1];
				o = three;
				count = 3;
				break;
			}
	a->short_only = true;
	const bool ok = span_is(name, "unimp") ? a->rvc && no_instruction(a, o, count)
	                : span_is(name, "li")  ? pseudo_expand_li(a, o, count)
	                                       : assemble_table(a, name, o, count);
	a->short_only = false;
	return ok;
}

/* Parses "pi.3", alone or before the instruction that it modifies. */
static bool pseudo_parse_type_prefix(struct assembler *a, struct span mnemonic,
                                     const struct span *o, unsigned count)
{
	const struct span type = {mnemonic.at + 3, mnemonic.n - 3};
	if (!assemble_table(a, (struct span){mnemonic.at, 2}, &type, 1))
		return false;
	if (!count)
		return true;
	struct span rest[ASM_OPERANDS_MAX];
	memcpy(rest, o, count * sizeof *rest);
	size_t n = 0;
	while (n < o[0].n && is_name(o[0].at[n]))
		n++;
	const struct span name = {o[0].at, n};
	rest[0] = span_trim((struct span){o[0].at + n, o[0].n - n});
	if (n > 2 && !memcmp(name.at, "pi.", 3))
		return asm_fault(a, name.at, "one prefix is enough");
	const size_t before = a->sections[a->section].count;
	if (!assemble_instruction(a, name, rest, rest[0].n || count > 1 ? count : 0))
		return false;
	const size_t made = a->sections[a->section].count - before;
	return made <= 1 || asm_fault(a, name.at,
	                              "%.*s is %zu instructions, and a prefix is of one: "
	                              "write them out",
	                              (int)name.n, name.at, made);
}

bool assemble_instruction(struct assembler *a, struct span mnemonic, const struct span *operands,
                          unsigned count)
{
	bool done;
	if (mnemonic.n > 3 && !memcmp(mnemonic.at, "pi.", 3))
		return pseudo_parse_type_prefix(a, mnemonic, operands, count);
	if (mnemonic.n > 2 && !memcmp(mnemonic.at, "c.", 2))
		return pseudo_expand_compressed(a, (struct span){mnemonic.at + 2, mnemonic.n - 2},
		                                operands, count);
	const bool ok = assemble_pseudo(a, mnemonic, operands, count, &done);
	return done ? ok : assemble_table(a, mnemonic, operands, count);
}
