/* Updates data that refers to code: words, differences, slots of the global offset table. Each
 * field changes by the distance that its target has moved, so that combined values stay
 * consistent. */
#include <inttypes.h>
#include <string.h>

#include "loader/edit/edit_priv.h"

static bool edit_data_report_overflow(const struct edit *e, const struct edit_reloc *r,
                                      struct err *err)
{
	return err_set(err,
	               "%s: the distance at 0x%" PRIx64 " in %s has outgrown its field: what "
	               "was put in has moved code too far",
	               e->p->path, r->at, e->sections[r->section].name);
}

/* The distance that the relocation's target has moved. */
static uint64_t edit_data_reloc_distance(const struct edit *e, const struct edit_reloc *r)
{
	return r->moves ? edit_new_end(e, r->value) - r->value : 0;
}

/* Adds to a field of n bytes that holds a difference or an address. */
static bool edit_data_add_to_field(const struct edit *e, const struct edit_reloc *r, uint8_t *field,
                                   unsigned n, uint64_t by, struct err *err)
{
	uint64_t value = 0;
	memcpy(&value, field, n);
	value += by;
	if (n == 4 && r->type == R_RISCV_32 && value >> 32)
		return edit_data_report_overflow(e, r, err);
	memcpy(field, &value, n);
	return true;
}

/* Whether a difference keeps its meaning in its field, which may be read as signed, or as unsigned
 * if it needed all bits. */
static bool still_fits(int64_t was, int64_t now, unsigned bytes)
{
	const int64_t half = INT64_C(1) << (8 * bytes - 1);
	return now >= -half && now < (was >= half ? 2 * half : half);
}

/* Checks a difference in loaded data: a pair of relocations of one place. */
static bool check_difference(const struct edit *e, const struct edit_reloc *r,
                             const struct edit_reloc *end, struct err *err)
{
	const unsigned bytes = edit_difference_bytes(r->type);
	const struct edit_reloc *other = r + 1;
	const bool pair = bytes && other < end && other->at == r->at &&
	                  edit_difference_bytes(other->type) == bytes;
	if (!pair || !(e->sections[r->section].head.sh_flags & SHF_ALLOC))
		return true;
	const bool subtracted =
		r->type == R_RISCV_SUB8 || r->type == R_RISCV_SUB16 || r->type == R_RISCV_SUB32;
	const struct edit_reloc *plus = subtracted ? other : r, *minus = subtracted ? r : other;
	const int64_t was = (int64_t)(plus->value - minus->value),
		      now = (int64_t)((uint64_t)was + edit_data_reloc_distance(e, plus) -
	                              edit_data_reloc_distance(e, minus));
	return still_fits(was, now, bytes) || edit_data_report_overflow(e, r, err);
}

static bool edit_data_apply_reloc(struct edit *e, const struct edit_reloc *r, uint8_t *field,
                                  struct err *err)
{
	const uint64_t by = edit_data_reloc_distance(e, r);
	switch (r->type) {
	case R_RISCV_64: case R_RISCV_ADD64:
		return edit_data_add_to_field(e, r, field, 8, by, err);
	case R_RISCV_32: case R_RISCV_ADD32: case R_RISCV_SET32:
		return edit_data_add_to_field(e, r, field, 4, by, err);
	case R_RISCV_ADD16: case R_RISCV_SET16:
		return edit_data_add_to_field(e, r, field, 2, by, err);
	case R_RISCV_ADD8: case R_RISCV_SET8:
		return edit_data_add_to_field(e, r, field, 1, by, err);
	case R_RISCV_SUB64:
		return edit_data_add_to_field(e, r, field, 8, -by, err);
	case R_RISCV_SUB32:
		return edit_data_add_to_field(e, r, field, 4, -by, err);
	case R_RISCV_SUB16:
		return edit_data_add_to_field(e, r, field, 2, -by, err);
	case R_RISCV_SUB8:
		return edit_data_add_to_field(e, r, field, 1, -by, err);
	case R_RISCV_32_PCREL:
		return edit_data_add_to_field(e, r, field, 4,
		                              by - (edit_new_address(e, r->at) - r->at), err);
	default:
		return true;
	}
}

static bool follow_section(struct edit *e, uint32_t section, struct err *err)
{
	struct edit_section *s = &e->sections[section];
	size_t i, end;
	for (edit_relocs_of(e, section, &i, &end); i < end; i++) {
		const struct edit_reloc *r = &e->relocs[i];
		const uint64_t offset = r->at - s->head.sh_addr;
		if (!s->bytes)
			continue;
		if (edit_field_bytes(r->type) > s->head.sh_size - offset)
			return err_set(err,
			               "%s: the relocation at 0x%" PRIx64
			               " reaches over the end of %s",
			               e->p->path, r->at, s->name);
		if (!check_difference(e, r, &e->relocs[end], err) ||
		    !edit_data_apply_reloc(e, r, s->bytes + offset, err))
			return false;
	}
	return true;
}

/* Copies changed data between code into items, which layout made from the original section. */
static void edit_data_refresh_items(struct edit *e)
{
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (item->origin == EDIT_NONE || !(e->insts[item->origin].flags & EDIT_DATA))
			continue;
		const uint64_t addr = e->insts[item->origin].addr;
		const struct edit_section *s = edit_code_section(e, addr, false);
		uint16_t raw;
		memcpy(&raw, s->bytes + (addr - s->head.sh_addr), sizeof raw);
		item->in.raw = raw;
	}
}

/* The loaded bytes at an address of the original program. */
static uint8_t *edit_data_loaded_bytes(const struct edit *e, uint64_t addr, size_t n)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		if ((s->head.sh_flags & SHF_ALLOC) && s->bytes && addr >= s->head.sh_addr &&
		    s->head.sh_size >= n && addr - s->head.sh_addr <= s->head.sh_size - n)
			return s->bytes + (addr - s->head.sh_addr);
	}
	return NULL;
}

/* Updates slots of the global offset table. They have no relocations: the relocations of code that
 * reads them count. */
static void follow_slots(struct edit *e)
{
	for (size_t i = 0; i < e->reloc_count; i++) {
		const struct edit_reloc *r = &e->relocs[i];
		uint32_t at = r->type == R_RISCV_GOT_HI20 ? edit_inst_at(e, r->at) : EDIT_NONE;
		uint8_t *slot =
			at == EDIT_NONE ? NULL : edit_data_loaded_bytes(e, e->insts[at].target, 8);
		uint64_t value;
		if (!slot || !r->moves)
			continue;
		memcpy(&value, slot, sizeof value);
		if (value != r->value)
			continue; /* done already, or filled in at run time */
		value = edit_new_end(e, value);
		memcpy(slot, &value, sizeof value);
	}
}

/* Updates resolvers of indirect functions, which the program calls when it starts. */
static void follow_resolvers(struct edit *e)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		struct edit_section *s = &e->sections[i];
		if (!edit_is_run_time(s))
			continue;
		for (size_t k = 0; (k + 1) * sizeof(Elf64_Rela) <= s->head.sh_size; k++) {
			Elf64_Rela r;
			memcpy(&r, s->bytes + k * sizeof r, sizeof r);
			if (ELF64_R_TYPE(r.r_info) != R_RISCV_IRELATIVE &&
			    ELF64_R_TYPE(r.r_info) != R_RISCV_RELATIVE)
				continue;
			r.r_addend = (Elf64_Sxword)edit_new_address(e, (uint64_t)r.r_addend);
			memcpy(s->bytes + k * sizeof r, &r, sizeof r);
		}
	}
}

bool edit_follow(struct edit *e, struct err *err)
{
	for (uint32_t i = 1; i < e->section_count; i++)
		if (strcmp(e->sections[i].name, ".eh_frame") != 0 &&
		    strcmp(e->sections[i].name, ".debug_frame") != 0 && !follow_section(e, i, err))
			return false;
	edit_data_refresh_items(e);
	follow_slots(e);
	follow_resolvers(e);
	return true;
}
