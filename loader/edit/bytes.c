/* Encodes items, at the addresses that layout gave them. */
#include <string.h>

#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

bool edit_cant(const struct edit *e, const struct edit_item *item, const char *why, struct err *err)
{
	char text[96], where[256] = "code that was put in";
	if (item->origin != EDIT_NONE)
		program_addr_text(e->p, e->insts[item->origin].addr, where, sizeof where);
	return err_set(err, "%s: %s at %s: %s", e->p->path,
	               inst_disasm(&item->in, item->addr, text, sizeof text), where, why);
}

static bool edit_bytes_encode_inst(const struct edit *e, const struct edit_item *item,
                                   const struct inst *in, uint8_t *out, struct err *err)
{
	uint32_t raw;
	if (!inst_encode(in, &raw))
		return edit_cant(e, item, "can't be written at its new place", err);
	memcpy(out, &raw, in->len);
	return true;
}

/* Encodes a branch or jump in the size that layout gave it. */
static bool edit_bytes_encode_branch(const struct edit *e, const struct edit_item *item,
                                     uint8_t *out, struct err *err)
{
	const int64_t offset = (int64_t)(edit_place_of(e, item) - item->addr);
	struct inst in = item->in;
	in.imm = (int32_t)offset;
	uint32_t raw;
	if (item->size == 2) {
		if (!inst_retarget(&in, offset, &raw))
			return edit_cant(e, item, "can't be written at its new place", err);
		memcpy(out, &raw, 2);
		return true;
	}
	in.len = 4;
	if (item->size == 4)
		return edit_bytes_encode_inst(e, item, &in, out, err);
	if (!edit_fits(offset, 32))
		return edit_cant(e, item, "leads to no code", err);
	if (inst_flags(&in) & OPF_BRANCH) {
		struct inst jump = {
			.op = OP_JAL, .len = 4, .rd = REG_SINK, .imm = (int32_t)offset - 4};
		in.op = inst_opposite(in.op) & OP_MASK;
		in.imm = 8;
		return edit_bytes_encode_inst(e, item, &in, out, err) &&
		       edit_bytes_encode_inst(e, item, &jump, out + 4, err);
	}
	struct inst high = {.op = OP_AUIPC,
	                    .len = 4,
	                    .rd = in.rd,
	                    .imm = (int32_t)(((uint32_t)offset + 0x800) & 0xfffff000)};
	struct inst low = {.op = OP_JALR,
	                   .len = 4,
	                   .rd = in.rd,
	                   .rs1 = in.rd,
	                   .imm = (int32_t)offset - high.imm};
	return edit_bytes_encode_inst(e, item, &high, out, err) &&
	       edit_bytes_encode_inst(e, item, &low, out + 4, err);
}

static int32_t edit_bytes_hi20_part(uint64_t offset)
{
	return (int32_t)(((uint32_t)offset + 0x800) & 0xfffff000);
}

/* Writes code that yields the value of an auipc in the original program. */
static bool put_fixed(const struct edit *e, const struct edit_item *item, uint8_t *out,
                      struct err *err)
{
	const uint64_t offset = item->target - item->addr;
	if (!edit_fits((int64_t)(offset + 0x800), 32))
		return edit_cant(e, item, "its address is more than 2 GB away", err);
	const struct inst high = {
		.op = OP_AUIPC, .len = 4, .rd = item->in.rd, .imm = edit_bytes_hi20_part(offset)};
	const struct inst low = {
		.op = OP_ADDI,
		.len = 4,
		.rd = item->in.rd,
		.rs1 = item->in.rd,
		.imm = (int32_t)((uint32_t)offset - (uint32_t)edit_bytes_hi20_part(offset))};
	return edit_bytes_encode_inst(e, item, &high, out, err) &&
	       edit_bytes_encode_inst(e, item, &low, out + 4, err);
}

bool edit_encode(const struct edit *e, const struct edit_item *item, uint8_t *out, struct err *err)
{
	struct inst in = item->in;
	uint64_t offset;
	switch ((enum edit_ref)item->ref) {
	case REF_NEAR:
		return edit_bytes_encode_branch(e, item, out, err);
	case REF_HIGH:
		offset = edit_place_of(e, item) - item->addr;
		if (!edit_fits((int64_t)(offset + 0x800), 32))
			return edit_cant(e, item, "its address is more than 2 GB away", err);
		in.imm = edit_bytes_hi20_part(offset);
		return edit_bytes_encode_inst(e, item, &in, out, err);
	case REF_LOW:
		offset = edit_place_of(e, &e->items[item->high]) - e->items[item->high].addr;
		in.imm = (int32_t)((uint32_t)offset - (uint32_t)edit_bytes_hi20_part(offset));
		return edit_bytes_encode_inst(e, item, &in, out, err);
	case REF_FIXED:
		return put_fixed(e, item, out, err);
	case REF_ABS_HIGH:
		in.imm = edit_bytes_hi20_part(edit_place_of(e, item));
		return edit_bytes_encode_inst(e, item, &in, out, err);
	case REF_ABS_LOW:
		offset = edit_place_of(e, item);
		in.imm = (int32_t)((uint32_t)offset - (uint32_t)edit_bytes_hi20_part(offset));
		return edit_bytes_encode_inst(e, item, &in, out, err);
	case REF_LABEL: /* items have REF_NEAR instead */
	case REF_NONE:
		break;
	}
	if (item->origin == EDIT_NONE && in.len == 4)
		return edit_bytes_encode_inst(e, item, &in, out, err);
	memcpy(out, &in.raw, in.len);
	return true;
}
