#include "loader/dwarf/place.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/location.h"
#include "loader/program_priv.h"

place_mask place_bytes(uint64_t from, uint64_t n)
{
	return from >= PLACE_BYTES_MAX
	               ? 0
	               : (n >= PLACE_BYTES_MAX ? ~(place_mask)0 : ((place_mask)1 << n) - 1) << from;
}

static void place_write_bytes(struct place *out, uint64_t at, const void *bytes, uint64_t n)
{
	if (at >= PLACE_BYTES_MAX)
		return;
	n = n < PLACE_BYTES_MAX - at ? n : PLACE_BYTES_MAX - at;
	memcpy(out->bytes + at, bytes, n);
	out->known |= place_bytes(at, n);
}

/* Reads one simple location: `size` bytes of the value from byte `at` on. Bytes that are not
 * available stay unknown. */
static void place_read_piece(const struct place_frame *f, Dwarf_Attribute *attr,
                             const Dwarf_Op *ops, size_t n, uint64_t at, uint64_t size,
                             struct place *out)
{
	const int reg = place_register(ops, n);
	uint8_t bytes[PLACE_BYTES_MAX];
	Dwarf_Block block;
	uint64_t v;
	if (!n)
		return;
	if (reg >= 0) {
		if (place_knows(f, (uint64_t)reg))
			place_write_bytes(out, at, &f->regs->r[reg], size < 8 ? size : 8);
		out->reg = at == 0 ? reg : -1;
	} else if (ops[n - 1].atom == DW_OP_implicit_value) {
		if (n == 1 && dwarf_getlocation_implicit_value(attr, ops, &block) == 0)
			place_write_bytes(out, at, block.data,
			                  block.length < size ? block.length : size);
	} else if (ops[n - 1].atom == DW_OP_stack_value) {
		if (place_run(f, attr, ops, n - 1, NULL, &v))
			place_write_bytes(out, at, &v, size < 8 ? size : 8);
	} else if (place_run(f, attr, ops, n, NULL, &v)) {
		if (size <= sizeof bytes && frame_read(f->mem, v, bytes, size))
			place_write_bytes(out, at, bytes, size);
	}
}

static bool place_read_pieces(const struct place_frame *f, Dwarf_Attribute *attr,
                              const Dwarf_Op *ops, size_t n, uint64_t size, struct place *out)
{
	uint64_t at = 0;
	for (size_t i = 0, from = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_bit_piece)
			return false;
		if (ops[i].atom != DW_OP_piece)
			continue;
		if (ops[i].number > PLACE_BYTES_MAX || at + ops[i].number > size)
			return false;
		place_read_piece(f, attr, ops + from, i - from, at, ops[i].number, out);
		at += ops[i].number;
		from = i + 1;
	}
	return out->known;
}

bool place_find(const struct place_frame *f, Dwarf_Attribute *attr, uint64_t size,
                struct place *out)
{
	Dwarf_Op *ops;
	size_t n;
	bool pieces = false, value = false;
	*out = (struct place){.reg = -1};
	if (!location_ops(f->image, attr, f->look - f->image->bias, &ops, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		pieces |= ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece;
		value |= ops[i].atom == DW_OP_stack_value || ops[i].atom == DW_OP_implicit_value;
	}
	if (pieces)
		return size <= PLACE_BYTES_MAX && place_read_pieces(f, attr, ops, n, size, out);
	if (value || place_register(ops, n) >= 0) {
		if (size > PLACE_BYTES_MAX)
			return false;
		place_read_piece(f, attr, ops, n, 0, size, out);
		return out->known;
	}
	out->in_memory = true;
	return place_run(f, attr, ops, n, NULL, &out->addr);
}
