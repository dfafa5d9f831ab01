/* Writes pieces as bytes: the part of a value that an instruction takes, and whether it fits. */
#include <inttypes.h>
#include <string.h>

#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

enum { NOP = 0x00000013, NOP_SHORT = 0x0001 };

static bool asm_emit_report_piece_error(struct assembler *a, const struct piece *p,
                                        const char *what)
{
	return asm_error(a, p->line, p->column, "%s", what);
}

static void asm_emit_write_little_endian(uint8_t *out, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(v >> 8 * i);
}

/* Fills code with nops as GNU as does: a zero byte, a short nop, then long ones. */
static void put_nops(uint8_t *out, uint64_t n)
{
	uint64_t i = n & 1;
	if ((n - i) % 4) {
		asm_emit_write_little_endian(out + i, NOP_SHORT, 2);
		i += 2;
	}
	for (; i < n; i += 4)
		asm_emit_write_little_endian(out + i, NOP, 4);
}

static int32_t asm_emit_hi20_part(uint64_t v)
{
	return (int32_t)(((uint32_t)v + 0x800) & 0xfffff000);
}

static bool asm_emit_offset_is_in_range(const struct assembler *a, uint64_t offset)
{
	if (a->rv32) /* all of the address space */
		return true;
	const int64_t v = (int64_t)(offset + 0x800);
	return v == (int32_t)v;
}

/* The distance from a %pcrel_hi piece to its target. */
static bool pair_offset(struct assembler *a, const struct section *s, const struct piece *hi,
                        uint64_t *out)
{
	struct value v = hi->value;
	v.part = PART_ALL;
	if (!value_resolve(a, &v, hi, out))
		return false;
	*out -= s->addr + hi->at;
	return true;
}

/* Resolves the immediate of an instruction whose value is not a constant. */
static bool asm_emit_resolve_immediate(struct assembler *a, struct section *s, struct piece *p,
                                       uint64_t addr, struct inst *in)
{
	uint64_t v;
	const struct symbol *label = &a->symbols[p->value.plus];
	const struct piece *hi;
	switch ((enum part)p->value.part) {
	case PART_PAIR_LO:
		if (!pair_offset(a, s, p - 1, &v))
			return false;
		in->imm = (int32_t)((uint32_t)v - (uint32_t)asm_emit_hi20_part(v));
		return true;
	case PART_PCREL_LO:
		if (label->state != SYMBOL_PLACE || p->value.add ||
		    label->piece >= a->sections[label->section].count)
			return asm_emit_report_piece_error(
				a, p, "%pcrel_lo takes the label of an auipc with %pcrel_hi");
		hi = &a->sections[label->section].pieces[label->piece];
		if (hi->value.part != PART_PCREL_HI)
			return asm_emit_report_piece_error(
				a, p, "there is no %pcrel_hi at %pcrel_lo's label");
		if (!pair_offset(a, &a->sections[label->section], hi, &v))
			return false;
		in->imm = (int32_t)((uint32_t)v - (uint32_t)asm_emit_hi20_part(v));
		return true;
	case PART_PCREL_HI:
		if (!pair_offset(a, s, p, &v))
			return false;
		in->imm = asm_emit_hi20_part(v);
		return asm_emit_offset_is_in_range(a, v) ||
		       asm_emit_report_piece_error(a, p, "the address is more than 2 GB away");
	case PART_HI:
	case PART_LO:
	case PART_TPREL_HI:
	case PART_TPREL_LO:
	case PART_TPREL:
	case PART_ALL:
		break;
	}
	if (!value_resolve(a, &p->value, p, &v))
		return false;
	if (p->value.part >= PART_TPREL)
		v -= a->tls;
	const bool high = p->value.part == PART_HI || p->value.part == PART_TPREL_HI;
	in->imm = high ? asm_emit_hi20_part(v)
	          : p->value.part == PART_ALL
	                  ? (int32_t)v
	                  : (int32_t)((uint32_t)v - (uint32_t)asm_emit_hi20_part(v));
	(void)addr;
	return p->value.part == PART_ALL
	               ? (int64_t)v == in->imm ||
	                         asm_emit_report_piece_error(a, p, "the number does not fit")
	               : asm_emit_offset_is_in_range(a, v) ||
	                         asm_emit_report_piece_error(
					 a, p, "%hi and %lo reach addresses below 2 GB");
}

static bool asm_emit_encode_inst(struct assembler *a, const struct piece *p, const struct inst *in,
                                 uint8_t *out)
{
	uint32_t raw;
	if (!encode_any(in, &raw)) {
		char text[96];
		return asm_error(a, p->line, p->column, "%s: %" PRId32 " does not fit there",
		                 inst_disasm(in, 0, text, sizeof text), in->imm);
	}
	asm_emit_write_little_endian(out, raw, in->len);
	return true;
}

static bool asm_emit_encode_raw_near(struct assembler *a, const struct section *s,
                                     const struct piece *p, uint8_t *out)
{
	enum { OPCODE = 0x7f };
	uint64_t v;
	uint32_t raw;
	struct inst in = p->in;
	if (!value_resolve(a, &p->value, p, &v))
		return false;
	const int64_t offset = (int64_t)(v - s->addr - p->at);
	in.imm = (int32_t)offset;
	if (in.imm != offset || !inst_encode(&in, &raw))
		return asm_emit_report_piece_error(a, p, "the target is odd, or too far away");
	asm_emit_write_little_endian(out, (raw & ~(uint32_t)OPCODE) | p->in.raw, 4);
	return true;
}

static bool asm_emit_encode_branch(struct assembler *a, const struct section *s,
                                   const struct piece *p, uint8_t *out)
{
	uint64_t v;
	struct inst in = p->in;
	uint32_t raw;
	if (!value_resolve(a, &p->value, p, &v))
		return false;
	int64_t offset = (int64_t)(v - s->addr - p->at);
	if (offset & 1)
		return asm_emit_report_piece_error(
			a, p, "the target is odd, where no instruction can be");
	if (p->size == 2) {
		in.imm = (int32_t)offset;
		/* A form of the same shape with another target is known. */
		struct inst near = in;
		near.imm = 0;
		near.len = 2;
		if (short_form(a->rv32, &near, &raw)) {
			near.raw = raw;
			if (inst_retarget(&near, offset, &raw)) {
				asm_emit_write_little_endian(out, raw, 2);
				return true;
			}
		}
		return asm_emit_report_piece_error(
			a, p, "the target is too far away for a 2-byte instruction");
	}
	in.len = 4;
	if (p->size > 4) {
		struct inst skip = in, jump = {.op = OP_JAL, .len = 4, .rd = REG_SINK};
		const uint64_t first = p->size - 4;
		skip.op = inst_opposite(in.op) & OP_MASK;
		skip.imm = (int32_t)p->size;
		if (first == 2 && (skip.len = 2, skip.imm = 0, short_form(a->rv32, &skip, &raw))) {
			skip.raw = raw;
			if (!inst_retarget(&skip, (int64_t)p->size, &raw))
				return asm_emit_report_piece_error(a, p,
				                                   "the target is too far away");
			asm_emit_write_little_endian(out, raw, 2);
		} else if (!asm_emit_encode_inst(a, p, &skip, out)) {
			return false;
		}
		out += first;
		offset -= (int64_t)first;
		in = jump;
	}
	in.imm = (int32_t)offset;
	if (in.imm != offset || !inst_encode(&in, &raw))
		return asm_emit_report_piece_error(
			a, p, "the target is more than 1 MB away; use call, tail or la and jr");
	asm_emit_write_little_endian(out, raw, 4);
	return true;
}

static bool asm_emit_write_value(struct assembler *a, const struct piece *p, uint8_t *out)
{
	uint64_t v;
	if (!value_resolve(a, &p->value, p, &v))
		return false;
	if (p->value.part == PART_TPREL)
		v -= a->tls;
	if (p->kind == PIECE_LEB) {
		/* An unsigned number that came out shorter is filled up: the size is settled. */
		for (unsigned n = leb_bytes(v, p->fill, out); n < p->size; n++) {
			out[n - 1] |= 0x80;
			out[n] = p->fill && v >> 63 ? 0x7f : 0;
		}
		return true;
	}
	const bool addresses = p->value.plus || p->value.minus;
	if (p->size < 8 && addresses && v >> 8 * p->size && ~v >> (8 * p->size - 1))
		return asm_error(a, p->line, p->column, "0x%" PRIx64 " does not fit into %u bytes",
		                 v, (unsigned)p->size);
	asm_emit_write_little_endian(out, v, p->size);
	return true;
}

void emit_section(struct assembler *a, struct section *s, uint8_t *out)
{
	for (size_t i = 0; i < s->count && !a->stop; i++) {
		struct piece *p = &s->pieces[i];
		uint8_t *at = out + p->at;
		struct inst in = p->in;
		a->source = p->source;
		switch ((enum piece_kind)p->kind) {
		case PIECE_BYTES:
			memcpy(at, s->bytes + p->from, p->size);
			break;
		case PIECE_SPACE:
		case PIECE_ORG:
			memset(at, p->fill, p->size);
			break;
		case PIECE_ALIGN:
			if (p->code)
				put_nops(at, p->size);
			else
				memset(at, p->fill, p->size);
			break;
		case PIECE_VALUE:
		case PIECE_LEB:
			asm_emit_write_value(a, p, at);
			break;
		case PIECE_INST:
			if (value_is_constant(&p->value))
				asm_emit_write_little_endian(at, in.raw, p->size); /* put_raw() */
			else if (asm_emit_resolve_immediate(a, s, p, s->addr + p->at, &in))
				asm_emit_encode_inst(a, p, &in, at);
			break;
		case PIECE_RAW_NEAR:
			asm_emit_encode_raw_near(a, s, p, at);
			break;
		case PIECE_NEAR:
			asm_emit_encode_branch(a, s, p, at);
			break;
		}
	}
}
