/* Reads operands, by the syntax of the instruction table: registers, numbers, parts
 * of addresses, memory operands. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/isa/csr.h"
#include "loader/asm/asm_priv.h"

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
	                      "'%.*s' is no floating-point register; expected ft0 to ft11, fs0 to "
	                      "fs11, fa0 to fa7, f0 to f31",
	                      shown, s.at)
	          : asm_fault(a, s.at,
	                      "'%.*s' is no integer register; expected zero, ra, sp, gp, tp, t0 to "
	                      "t6, "
	                      "s0 to s11, a0 to a7, x0 to x31",
	                      shown, s.at);
}

static bool is_fp(unsigned reg)
{
	return reg >= REG_F0 && reg != REG_SINK;
}

static const struct {
	uint16_t number;
	const char *name;
	unsigned first, count;
} operands_other_csrs[] = {
#define CSR_NAME(number, name, first, count) {number, name, first, count},
#include "loader/asm/csr_names.def"
};

/* The number of a control and status register, the machine's or not, by its name; -1: there is
 * none. */
static int operands_find_csr(const char *name)
{
	int number = csr_find(name);
	for (size_t row = 0;
	     number < 0 && row < sizeof operands_other_csrs / sizeof *operands_other_csrs; row++)
		for (unsigned i = 0; number < 0 && i < operands_other_csrs[row].count; i++) {
			char one[32];
			snprintf(one, sizeof one, operands_other_csrs[row].name,
			         operands_other_csrs[row].first + i);
			number =
				strcmp(one, name) ? -1 : (int)(operands_other_csrs[row].number + i);
		}
	return number;
}

static bool operands_parse_csr(struct assembler *a, struct span s, int32_t *out)
{
	char name[32];
	int64_t n;
	if (s.n && is_name_start(*s.at)) {
		const int number = s.n < sizeof name ? (memcpy(name, s.at, s.n), name[s.n] = '\0',
		                                        operands_find_csr(name))
		                                     : -1;
		struct value v;
		if (number >= 0) {
			*out = number;
			return true;
		}
		if (!expr_parse(a, s, &v) || !value_is_constant(&v))
			return asm_fault(
				a, s.at,
				"no control and status register is called '%.*s'; expected cycle, "
				"instret, fcsr, hpmcounter3, ... or its number",
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
			return asm_fault(a, s.at + i,
			                 "a fence takes two sets of i, o, r and w; expected "
			                 "fence rw,w");
		*out |= 8 >> (l - letters);
	}
	return s.n || asm_fault(a, s.at, "a set is missing; expected fence rw,w");
}

static bool operands_parse_rounding_mode(struct assembler *a, struct span s, uint8_t *rm)
{
	static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm"};
	*rm = FRM_DYN;
	for (uint8_t i = 0; i < 5; i++)
		if (span_is(s, names[i])) {
			*rm = i;
			return true;
		}
	return span_is(s, "dyn") ||
	       asm_fault(a, s.at,
	                 "'%.*s' is no rounding mode; expected rne, rtz, rdn, rup, rmm, dyn",
	                 (int)(s.n > 40 ? 40 : s.n), s.at);
}

bool operand_value(struct assembler *a, struct span s, bool high, struct value *out)
{
	static const struct {
		const char *name;
		uint8_t part;
		bool high;
		uint8_t entry; /* enum offset_kind: the part is of its place in the offset table */
	} parts[] = {
		{"hi", PART_HI, true, 0},
		{"pcrel_hi", PART_PCREL_HI, true, 0},
		{"lo", PART_LO, false, 0},
		{"pcrel_lo", PART_PCREL_LO, false, 0},
		{"tprel_hi", PART_TPREL_HI, true, 0},
		{"tprel_lo", PART_TPREL_LO, false, 0},
		{"got_pcrel_hi", PART_PCREL_HI, true, OFFSET_ADDRESS},
		{"tls_ie_pcrel_hi", PART_PCREL_HI, true, OFFSET_THREAD},
		{"tls_gd_pcrel_hi", PART_PCREL_HI, true, OFFSET_MODULE},
	};
	if (!s.n || *s.at != '%')
		return expr_parse(a, s, out);
	const char *open = memchr(s.at, '(', s.n);
	if (!open || s.at[s.n - 1] != ')')
		return asm_fault(a, s.at,
		                 "expected %%hi(SYMBOL), %%lo(SYMBOL), %%pcrel_hi(SYMBOL), "
		                 "%%pcrel_lo(LABEL)");
	const struct span name = {s.at + 1, (size_t)(open - s.at - 1)};
	const struct span inner = {open + 1, (size_t)(s.at + s.n - open - 2)};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!span_is(name, parts[i].name))
			continue;
		if (parts[i].high != high)
			return asm_fault(a, s.at,
			                 high ? "expected %%hi or %%pcrel_hi"
			                      : "expected %%lo or %%pcrel_lo");
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
		if (parts[i].entry && !offset_entry(a, parts[i].entry, out, s.at))
			return false;
		out->part = parts[i].part;
		return true;
	}
	return asm_fault(a, s.at, "there is no %%%.*s; expected %%hi, %%lo, %%pcrel_hi, %%pcrel_lo",
	                 (int)(name.n > 40 ? 40 : name.n), name.at);
}

static bool operands_parse_immediate(struct assembler *a, struct reading *r, char letter,
                                     struct span s)
{
	r->value_at = s.at;
	r->valued = true;
	if (letter == 'p')
		return expr_parse(a, s, &r->value);
	if (!operand_value(a, s, letter == 'u', &r->value))
		return false;
	if (!value_is_constant(&r->value))
		return r->value.part != PART_ALL
		               ? letter != 'h' || asm_fault(a, s.at, "a shift needs a number")
		               : asm_fault(a, s.at,
		                           letter == 'u'
		                                   ? "an address needs %%hi or %%pcrel_hi, or "
		                                     "a number that is known here"
		                                   : "an address needs %%lo or %%pcrel_lo, or a "
		                                     "number "
		                                     "that is known here; la takes an address");
	if (letter == 'u') {
		if (r->value.add < 0 || r->value.add > 0xfffff)
			return asm_fault(a, s.at, "%" PRId64 " does not fit; expected 0 to 0xfffff",
			                 r->value.add);
		r->value.add = (int32_t)((uint32_t)r->value.add << 12);
	}
	/* Registers of 32 bits hold 0xfffff800 as -2048. */
	if ((a->rv32 || os_abi_is_course(a->abi)) && r->value.add > INT32_MAX &&
	    r->value.add <= UINT32_MAX)
		r->value.add = (int32_t)(uint32_t)r->value.add;
	return r->value.add == (int32_t)r->value.add ||
	       asm_fault(a, s.at, "%" PRId64 " does not fit; li takes any number", r->value.add);
}

/* OFFSET(REGISTER), or (REGISTER). */
static bool operands_parse_memory(struct assembler *a, struct reading *r, bool offset,
                                  struct span s)
{
	const char *open = s.n ? memrchr(s.at, '(', s.n) : NULL;
	const size_t apart = open ? s.n : scan_blank_end(s);
	if (offset && apart < s.n) /* lw a0 0 a1 */
		return operands_parse_immediate(a, r, 'i', (struct span){s.at, apart}) &&
		       parse_register(a, span_trim((struct span){s.at + apart, s.n - apart}), false,
		                      &r->in.rs1);
	if (!open || s.at[s.n - 1] != ')' ||
	    (open > s.at && *s.at == '%' && !memchr(s.at, ')', (size_t)(open - s.at))))
		return asm_fault(a, s.at,
		                 offset ? "expected OFFSET(REGISTER), as in 8(sp)"
		                        : "expected (REGISTER), as in (a0)");
	const struct span base =
		span_trim((struct span){open + 1, (size_t)(s.at + s.n - open - 2)});
	const struct span before = span_trim((struct span){s.at, (size_t)(open - s.at)});
	int64_t zero_offset = 0;
	if (offset && !before.n)
		r->in.imm = 0;
	if (offset && before.n && !operands_parse_immediate(a, r, 'i', before))
		return false;
	if (!offset && before.n && (!expr_constant(a, before, &zero_offset) || zero_offset))
		return asm_fault(a, s.at, "no offset is possible here; expected (%.*s)",
		                 (int)(base.n > 8 ? 8 : base.n), base.at);
	return parse_register(a, base, false, &r->in.rs1);
}

static bool operands_parse_operand(struct assembler *a, struct reading *r, const char *syntax,
                                   struct span s)
{
	int64_t n;
	switch (*syntax) {
	case 'd':
		return parse_register(a, s, is_fp(r->classes.rd), &r->in.rd);
	case 's':
		return parse_register(a, s, is_fp(r->classes.rs1), &r->in.rs1);
	case 't':
		return parse_register(a, s, is_fp(r->classes.rs2), &r->in.rs2);
	case 'r':
		return parse_register(a, s, is_fp(r->classes.rs3), &r->in.rs3);
	case 'i':
	case '(':
		if (*syntax == '(' || syntax[1] == '(')
			return operands_parse_memory(a, r, *syntax == 'i', s);
		return operands_parse_immediate(a, r, *syntax, s);
	case 'h':
	case 'u':
	case 'p':
		return operands_parse_immediate(a, r, *syntax, s);
	case 'c':
		return operands_parse_csr(a, s, &r->in.imm);
	case 'z':
		if (!expr_constant(a, s, &n))
			return false;
		r->in.rm = (uint8_t)n;
		return (n >= 0 && n < 32) || asm_fault(a, s.at, "expected 0 to 31");
	default:
		return asm_fault(a, s.at, "this operand can't be written");
	}
}

static const char *in_words(const char *syntax, const struct inst *classes, char *buf, size_t n)
{
	size_t used = 0;
	buf[0] = '\0';
	for (const char *s = syntax; *s && used < n; s++) {
		const char *word = *s == 'd'           ? (is_fp(classes->rd) ? "FRD" : "RD")
		                   : *s == 's'         ? (is_fp(classes->rs1) ? "FRS1" : "RS1")
		                   : *s == 't'         ? (is_fp(classes->rs2) ? "FRS2" : "RS2")
		                   : *s == 'r'         ? "FRS3"
		                   : *s == 'p'         ? "LABEL"
		                   : *s == 'c'         ? "CSR"
		                   : *s == 'f'         ? "SET,SET"
		                   : *s == 'h'         ? "SHIFT"
		                   : *s == 'm'         ? "[,ROUNDING]"
		                   : strchr("iuz", *s) ? "NUMBER"
		                                       : NULL;
		used += (size_t)(word ? snprintf(buf + used, n - used, "%s", word)
		                      : snprintf(buf + used, n - used, "%c", *s));
	}
	return buf;
}

bool read_operands(struct assembler *a, struct reading *r, struct span mnemonic, const char *syntax,
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
			if (i < count && !operands_parse_rounding_mode(a, operands[i++], &r->in.rm))
				return false;
			s++;
			continue;
		}
		if (i < count && !operands_parse_operand(a, r, s, operands[i]))
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
	/* Report the rightmost place: another form of the instruction may accept more operands. */
	const char *at = i < count ? a->statement.at : a->statement.at + a->statement.n;
	in_words(syntax, &r->classes, text, sizeof text);
	return asm_fault(a, at, "%s; expected %.*s%s%s",
	                 i < count ? "this is one operand too many" : "an operand is missing",
	                 (int)(mnemonic.n > 40 ? 40 : mnemonic.n), mnemonic.at, *text ? " " : "",
	                 text);
}
