/* Instructions as the table writes them: its mnemonics and aliases, with the operands that their
 * syntax asks for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/isa/csr.h"
#include "core/isa/encode.h"
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

static bool zero(unsigned reg)
{
	return reg == REG_ZERO || reg == REG_SINK;
}

/* Whether an instruction is one that the alias names. */
static bool alias_holds(unsigned row, const struct inst *in)
{
	const unsigned rd = in->rd, rs1 = in->rs1, rs2 = in->rs2;
	const int32_t imm = in->imm;
	unsigned i = 0;
	(void)rd, (void)rs1, (void)rs2, (void)imm;
#define ALIAS(id, mnemonic, syntax, when) \
	if (i++ == row) \
		return (when);
#include "core/isa/rv64.def"
	return false;
}

/* The table says when an alias is printed; what operands it leaves out are those with which it
 * would be: the few that aliases are made for are tried. False: it is for compressed forms alone. */
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
					.rd = (uint8_t)(d ? 6 : rd ? REG_RA : REG_SINK),
					.rs1 = (uint8_t)(s ? 7 : rs1 ? REG_RA : REG_ZERO),
					.rs2 = t ? 8 : REG_ZERO,
					.imm = i ? 100 : immediates[k],
				};
				in.raw = (uint32_t)in.imm << 20;
				*out = in;
				if (alias_holds(row, &in))
					return true;
			}
	return false;
}

/* ---- operands ---- */
int register_of(struct span s)
{
	char name[8];
	if (s.n >= sizeof name || memchr(s.at, '\0', s.n))
		return -1;
	memcpy(name, s.at, s.n);
	name[s.n] = '\0';
	return reg_from_name(name);
}

bool parse_register(struct assembler *a, struct span s, bool fp, uint8_t *reg)
{
	const int n = register_of(s), shown = (int)(s.n > 40 ? 40 : s.n);
	if (n >= 0 && (n >= REG_F0) == fp) {
		*reg = (uint8_t)n;
		return true;
	}
	return fp ? asm_fault(a, s.at,
	                      "'%.*s' is no floating-point register; right: ft0 to ft11, fs0 to "
	                      "fs11, fa0 to fa7, f0 to f31",
	                      shown, s.at)
	          : asm_fault(a, s.at,
	                      "'%.*s' is no integer register; right: zero, ra, sp, gp, tp, t0 to t6, "
	                      "s0 to s11, a0 to a7, x0 to x31",
	                      shown, s.at);
}

static bool is_fp(unsigned reg)
{
	return reg >= REG_F0 && reg != REG_SINK;
}

static bool csr(struct assembler *a, struct span s, int32_t *out)
{
	char name[32];
	int64_t n;
	if (s.n && is_name_start(*s.at)) {
		const int number = s.n < sizeof name ? (memcpy(name, s.at, s.n), name[s.n] = '\0',
		                                        csr_find(name))
		                                     : -1;
		struct value v;
		if (number >= 0) {
			*out = number;
			return true;
		}
		if (!expr_parse(a, s, &v) || !value_is_constant(&v))
			return asm_fault(a, s.at,
			                 "no control and status register is called '%.*s'; right: one of "
			                 "`info csr`, or its number",
			                 (int)(s.n > 40 ? 40 : s.n), s.at);
		n = v.add;
	} else if (!expr_constant(a, s, &n)) {
		return false;
	}
	*out = (int32_t)n;
	return (n >= 0 && n < 4096) ||
	       asm_fault(a, s.at, "a control and status register is 0 to 4095");
}

static bool fence_set(struct assembler *a, struct span s, int32_t *out)
{
	static const char letters[] = "iorw";
	*out = 0;
	if (span_is(s, "0") || span_is(s, "unknown"))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		const char *l = memchr(letters, s.at[i], 4);
		if (!l)
			return asm_fault(a, s.at + i, "a fence takes two sets of i, o, r and w; right: "
			                              "fence rw,w");
		*out |= 8 >> (l - letters);
	}
	return s.n || asm_fault(a, s.at, "a set is missing; right: fence rw,w");
}

static bool rounding(struct assembler *a, struct span s, uint8_t *rm)
{
	static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm"};
	*rm = FRM_DYN;
	for (uint8_t i = 0; i < 5; i++)
		if (span_is(s, names[i])) {
			*rm = i;
			return true;
		}
	return span_is(s, "dyn") ||
	       asm_fault(a, s.at, "'%.*s' is no rounding mode; right: rne, rtz, rdn, rup, rmm, dyn",
	                 (int)(s.n > 40 ? 40 : s.n), s.at);
}

/* A value, or a part of one: %lo(symbol). `high`: where the upper part may stand. */
static bool part_of(struct assembler *a, struct span s, bool high, struct value *out)
{
	static const struct {
		const char *name;
		uint8_t part;
		bool high;
	} parts[] = {
		{"hi", PART_HI, true}, {"pcrel_hi", PART_PCREL_HI, true},
		{"lo", PART_LO, false}, {"pcrel_lo", PART_PCREL_LO, false},
	};
	if (!s.n || *s.at != '%')
		return expr_parse(a, s, out);
	const char *open = memchr(s.at, '(', s.n);
	if (!open || s.at[s.n - 1] != ')')
		return asm_fault(a, s.at, "right: %%hi(SYMBOL), %%lo(SYMBOL), %%pcrel_hi(SYMBOL), "
		                          "%%pcrel_lo(LABEL)");
	const struct span name = {s.at + 1, (size_t)(open - s.at - 1)};
	const struct span inner = {open + 1, (size_t)(s.at + s.n - open - 2)};
	for (unsigned i = 0; i < 4; i++) {
		if (!span_is(name, parts[i].name))
			continue;
		if (parts[i].high != high)
			return asm_fault(a, s.at, high ? "right here: %%hi or %%pcrel_hi"
			                               : "right here: %%lo or %%pcrel_lo");
		if (!expr_parse(a, inner, out))
			return false;
		if (parts[i].part == PART_HI && value_is_constant(out)) {
			out->add = (int64_t)(((uint64_t)out->add + 0x800) >> 12 & 0xfffff);
			return true;
		}
		if (parts[i].part == PART_LO && value_is_constant(out)) {
			out->add = (int64_t)((uint64_t)out->add << 52) >> 52;
			return true;
		}
		if (parts[i].part >= PART_PCREL_HI && out->minus)
			return asm_fault(a, s.at, "it takes one address");
		out->part = parts[i].part;
		return true;
	}
	return asm_fault(a, s.at, "there is no %%%.*s; right: %%hi, %%lo, %%pcrel_hi, %%pcrel_lo",
	                 (int)(name.n > 40 ? 40 : name.n), name.at);
}

struct reading {
	struct inst in;
	struct inst classes; /* which registers are floating-point ones */
	struct value value;
	bool valued;
	const char *value_at;
};

static bool immediate(struct assembler *a, struct reading *r, char letter, struct span s)
{
	r->value_at = s.at;
	r->valued = true;
	if (letter == 'p')
		return expr_parse(a, s, &r->value);
	if (!part_of(a, s, letter == 'u', &r->value))
		return false;
	if (!value_is_constant(&r->value))
		return r->value.part != PART_ALL
		               ? letter != 'h' || asm_fault(a, s.at, "a shift needs a number")
		               : asm_fault(a, s.at,
		                           letter == 'u'
		                                   ? "an address needs %%hi or %%pcrel_hi, or "
		                                     "a number that is known here"
		                                   : "an address needs %%lo or %%pcrel_lo, or a number "
		                                     "that is known here; la takes an address");
	if (letter == 'u') {
		if (r->value.add < 0 || r->value.add > 0xfffff)
			return asm_fault(a, s.at, "%" PRId64 " does not fit; right: 0 to 0xfffff",
			                 r->value.add);
		r->value.add = (int32_t)((uint32_t)r->value.add << 12);
	}
	return r->value.add == (int32_t)r->value.add ||
	       asm_fault(a, s.at, "%" PRId64 " does not fit; li takes any number", r->value.add);
}

/* OFFSET(REGISTER), or (REGISTER). */
static bool memory(struct assembler *a, struct reading *r, bool offset, struct span s)
{
	const char *open = s.n ? memrchr(s.at, '(', s.n) : NULL;
	if (!open || s.at[s.n - 1] != ')' || (open > s.at && *s.at == '%' && !memchr(s.at, ')', (size_t)(open - s.at))))
		return asm_fault(a, s.at, offset ? "right: OFFSET(REGISTER), as in 8(sp)"
		                                 : "right: (REGISTER), as in (a0)");
	const struct span base = span_trim((struct span){open + 1, (size_t)(s.at + s.n - open - 2)});
	const struct span before = span_trim((struct span){s.at, (size_t)(open - s.at)});
	int64_t zero_offset = 0;
	if (offset && before.n && !immediate(a, r, 'i', before))
		return false;
	if (!offset && before.n && (!expr_constant(a, before, &zero_offset) || zero_offset))
		return asm_fault(a, s.at, "no offset is possible here; right: (%.*s)",
		                 (int)(base.n > 8 ? 8 : base.n), base.at);
	return parse_register(a, base, false, &r->in.rs1);
}

static bool operand(struct assembler *a, struct reading *r, const char *syntax, struct span s)
{
	int64_t n;
	switch (*syntax) {
	case 'd': return parse_register(a, s, is_fp(r->classes.rd), &r->in.rd);
	case 's': return parse_register(a, s, is_fp(r->classes.rs1), &r->in.rs1);
	case 't': return parse_register(a, s, is_fp(r->classes.rs2), &r->in.rs2);
	case 'r': return parse_register(a, s, is_fp(r->classes.rs3), &r->in.rs3);
	case 'i':
	case '(':
		if (*syntax == '(' || syntax[1] == '(')
			return memory(a, r, *syntax == 'i', s);
		return immediate(a, r, *syntax, s);
	case 'h':
	case 'u':
	case 'p': return immediate(a, r, *syntax, s);
	case 'c': return csr(a, s, &r->in.imm);
	case 'z':
		if (!expr_constant(a, s, &n))
			return false;
		r->in.rm = (uint8_t)n;
		return (n >= 0 && n < 32) || asm_fault(a, s.at, "right: 0 to 31");
	default:
		return asm_fault(a, s.at, "this operand can't be written");
	}
}

static const char *in_words(const char *syntax, const struct inst *classes, char *buf, size_t n)
{
	size_t used = 0;
	buf[0] = '\0';
	for (const char *s = syntax; *s && used < n; s++) {
		const char *word = *s == 'd'   ? (is_fp(classes->rd) ? "FRD" : "RD")
		                   : *s == 's' ? (is_fp(classes->rs1) ? "FRS1" : "RS1")
		                   : *s == 't' ? (is_fp(classes->rs2) ? "FRS2" : "RS2")
		                   : *s == 'r' ? "FRS3"
		                   : *s == 'p' ? "LABEL"
		                   : *s == 'c' ? "CSR"
		                   : *s == 'f' ? "SET,SET"
		                   : *s == 'h' ? "SHIFT"
		                   : *s == 'm' ? "[,ROUNDING]"
		                   : strchr("iuz", *s) ? "NUMBER" : NULL;
		used += (size_t)(word ? snprintf(buf + used, n - used, "%s", word)
		                      : snprintf(buf + used, n - used, "%c", *s));
	}
	return buf;
}

static bool read_operands(struct assembler *a, struct reading *r, struct span mnemonic, const char *syntax,
                          const struct span *operands, unsigned count)
{
	char text[80];
	unsigned i = 0;
	const char *s = syntax;
	while (*s) {
		if (*s == 'f') {
			int32_t before = 0, after = 0;
			if (i + 2 <= count && fence_set(a, operands[i], &before) &&
			    fence_set(a, operands[i + 1], &after))
				r->in.imm = before << 4 | after;
			else if (i + 2 <= count)
				return false;
			i += 2;
			s++;
			continue;
		}
		if (*s == 'm') {
			if (i < count && !rounding(a, operands[i++], &r->in.rm))
				return false;
			s++;
			continue;
		}
		if (i < count && !operand(a, r, s, operands[i]))
			return false;
		i++;
		if (s[1] == 'm') {
			s++;
			continue;
		}
		s += strcspn(s, ",");
		s += *s == ',';
	}
	if (i == count)
		return true;
	const char *at = i < count ? operands[i].at : a->statement.at + a->statement.n;
	in_words(syntax, &r->classes, text, sizeof text);
	return asm_fault(a, at, "%s; right: %.*s%s%s", i < count ? "this is one operand too many" : "an operand is missing",
	                 (int)(mnemonic.n > 40 ? 40 : mnemonic.n), mnemonic.at, *text ? " " : "", text);
}

/* ---- bits ---- */
/* The largest power of two less one that is taken, and the smallest: what people are told. */
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
	return asm_fault(a, at, "%" PRId32 " does not fit; right: %" PRId32 " to %" PRId32 "%s", in->imm,
	                 least, most, step > 1 ? ", even" : "");
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
	return asm_fault(a, a->statement.at,
	                 a->rvc ? "there is no compressed instruction with these operands"
	                        : "compressed instructions are not allowed here; right: .option rvc");
}

bool put_inst(struct assembler *a, struct inst in, const struct value *value)
{
	const bool may = in.len == 2 && a->rvc && !a->words_only, near = inst_flags(&in) & (OPF_BRANCH | OPF_JUMP) && !(inst_flags(&in) & OPF_INDIRECT);
	uint32_t raw;
	if (a->short_only && !a->rvc)
		return not_short(a);
	if (near && value) {
		in.imm = 0;
		in.len = may && short_form(&in, &raw) ? 2 : 4;
		if (a->short_only && in.len == 4)
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
	if (value)
		in.imm = (int32_t)value->add;
	struct inst named = in;
	if (a->short_only && zero(in.rd) && in.op == OP_SLLI) {
		/* c.slli zero, N: hints are written so */
		named.rd = named.rs1 = REG_RA;
		return short_form(&named, &raw) ? put_raw(a, raw & ~0xf80u, 2) : not_short(a);
	}
	if (may && short_form(&in, &raw))
		return put_raw(a, raw, 2);
	if (a->short_only)
		return not_short(a);
	in.len = 4;
	return encode_any(&in, &raw) ? put_raw(a, raw, 4) : out_of_range(a, &in, a->statement.at);
}

/* ---- which row ---- */
static bool try_row(struct assembler *a, struct inst in, struct span mnemonic, const char *syntax,
                    const struct span *operands, unsigned count)
{
	struct reading r = {.in = in};
	uint32_t raw;
	inst_decode(encodings[in.op].match, &r.classes);
	if (!read_operands(a, &r, mnemonic, syntax, operands, count))
		return false;
	const bool jump = inst_flags(&in) & OPF_JUMP;
	r.in.len = !jump || (!strchr(syntax, 'd') && !strchr(syntax, 'i')) ? 2 : 4;
	/* mv with zero is no mv for GNU as. */
	if (span_is(mnemonic, "mv") && r.in.rs1 == REG_ZERO)
		r.in.len = 4;
	if (r.valued && value_is_constant(&r.value) && *syntax != 'p' && !strstr(syntax, ",p")) {
		struct inst full = r.in;
		full.len = 4;
		full.imm = (int32_t)r.value.add;
		if (!encode_any(&full, &raw))
			return out_of_range(a, &full, r.value_at);
	}
	return put_inst(a, r.in, r.valued ? &r.value : NULL);
}

/* A default that the table's own decoding knows: rounding as the mode register says. */
static uint8_t default_rm(const char *syntax)
{
	return strchr(syntax, 'm') ? FRM_DYN : 0;
}

static const char *const orders[] = {"", ".rl", ".aq", ".aqrl"};

/* The name without what says its order; *rm is that. */
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

static bool unknown(struct assembler *a, struct span mnemonic)
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
	return asm_fault(a, mnemonic.at, "no instruction is called '%s'%s%s%s", word,
	                 n.best ? "; did you mean '" : "", n.best ? n.best : "", n.best ? "'?" : "");
}

/* "pushpf all" is one name. */
static bool of_two_words(struct assembler *a, struct span mnemonic, const struct span *operands, unsigned count, bool *done)
{
	char both[64];
	*done = false;
	if (count != 1 || mnemonic.n + operands[0].n + 2 > sizeof both)
		return false;
	const int n = snprintf(both, sizeof both, "%.*s %.*s", (int)mnemonic.n, mnemonic.at,
	                       (int)operands[0].n, operands[0].at);
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (op_info[op].mnemonic && span_is((struct span){both, (size_t)n}, op_info[op].mnemonic)) {
			*done = true;
			return put_inst(a, (struct inst){.op = (uint8_t)op, .len = 2, .rd = REG_SINK}, NULL);
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
		in = (struct inst){.op = (uint8_t)op, .len = 4, .rd = REG_SINK, .rm = default_rm(syntax)};
		if (op_info[op].klass == CLASS_AMO)
			in.rm = rm;
		if (try_row(a, in, mnemonic, syntax, operands, count))
			return true;
	}
	return known ? false : unknown(a, mnemonic);
}
