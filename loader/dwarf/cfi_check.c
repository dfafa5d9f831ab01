#include "loader/dwarf/cfi_check.h"

#include <dwarf.h>
#include <stdint.h>

enum {
	PROGRAM_MAX = 1 << 16,  /* bytes of one entry's operations */
	EXPRESSION_MAX = 1024,  /* bytes */
	REGISTERS_MAX = 256,
	REMEMBERED_MAX = 64     /* states at once */
};

struct reader {
	const uint8_t *at, *end;
	unsigned remembered;
};

static bool cfi_check_skip_bytes(struct reader *r, uint64_t bytes)
{
	if (bytes > (uint64_t)(r->end - r->at))
		return false;
	r->at += bytes;
	return true;
}

/* Reads a signed or unsigned LEB128 number; of a number that is too large, only the lowest bits. */
static bool cfi_check_read_leb128(struct reader *r, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		const uint8_t byte = *r->at++;
		if (shift < 63)
			*out |= (uint64_t)(byte & 0x7f) << shift;
		else if (byte & 0x7f)
			*out = UINT64_MAX;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool cfi_check_skip_leb128(struct reader *r)
{
	uint64_t n;
	return cfi_check_read_leb128(r, &n);
}

static bool skip_register(struct reader *r)
{
	uint64_t reg;
	return cfi_check_read_leb128(r, &reg) && reg < REGISTERS_MAX;
}

static bool skip_expression(struct reader *r)
{
	uint64_t n;
	return cfi_check_read_leb128(r, &n) && n <= EXPRESSION_MAX && cfi_check_skip_bytes(r, n);
}

static bool is_tame_operation(struct reader *r)
{
	const uint8_t op = *r->at++;
	if (op & 0xc0)
		return (op & 0xc0) != DW_CFA_offset || cfi_check_skip_leb128(r);
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		return cfi_check_skip_bytes(r, 1);
	case DW_CFA_advance_loc2:
		return cfi_check_skip_bytes(r, 2);
	case DW_CFA_advance_loc4:
		return cfi_check_skip_bytes(r, 4);
	case DW_CFA_remember_state:
		return ++r->remembered <= REMEMBERED_MAX;
	case DW_CFA_restore_state:
		return r->remembered-- > 0;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_def_cfa: case DW_CFA_def_cfa_sf:
		return skip_register(r) && cfi_check_skip_leb128(r);
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_def_cfa_register:
		return skip_register(r);
	case DW_CFA_register:
		/* NOLINTNEXTLINE(misc-redundant-expression): two registers */
		return skip_register(r) && skip_register(r);
	case DW_CFA_def_cfa_offset: case DW_CFA_def_cfa_offset_sf: case DW_CFA_GNU_args_size:
		return cfi_check_skip_leb128(r);
	case DW_CFA_def_cfa_expression:
		return skip_expression(r);
	case DW_CFA_expression: case DW_CFA_val_expression:
		return skip_register(r) && skip_expression(r);
	default:
		return false;
	}
}

static bool is_tame_program(const uint8_t *from, const uint8_t *end)
{
	struct reader r = {.at = from, .end = end};
	if (end - from > PROGRAM_MAX)
		return false;
	while (r.at < r.end)
		if (!is_tame_operation(&r))
			return false;
	return true;
}

/* Bytes of an encoded address; 0: no encoding that compilers use. */
static unsigned encoded_bytes(unsigned encoding)
{
	static const uint8_t bytes[16] = {
		[DW_EH_PE_absptr] = 8, [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4,
		[DW_EH_PE_udata8] = 8, [DW_EH_PE_sdata2] = 2, [DW_EH_PE_sdata4] = 4,
		[DW_EH_PE_sdata8] = 8};
	return (encoding & 0x70) == DW_EH_PE_aligned ? 0 : bytes[encoding & 0xf];
}

/* The layout of entries of one CIE, before their operations. */
struct common {
	unsigned address_bytes; /* of an address, and of a length */
	bool sized;             /* and a sized block after these */
};

/* Reads "", or 'z' and letters that describe the block of data that follows. */
static bool cfi_check_read_augmentation(const Dwarf_CIE *cie, struct common *out)
{
	struct reader r = {.at = cie->augmentation_data,
	                   .end = cie->augmentation_data + cie->augmentation_data_size};
	const char *letter = cie->augmentation;
	*out = (struct common){.address_bytes = 8, .sized = *letter == 'z'};
	if (!out->sized)
		return !*letter;
	while (*++letter) {
		const bool has = cie->augmentation_data && r.at < r.end;
		if (*letter == 'S')
			continue;
		if (!has || (*letter != 'R' && *letter != 'L' && *letter != 'P'))
			return false;
		const unsigned bytes = encoded_bytes(*r.at++);
		if (*letter == 'R')
			out->address_bytes = bytes;
		else if (*letter == 'P' && (!bytes || !cfi_check_skip_bytes(&r, bytes)))
			return false;
	}
	return out->address_bytes;
}

/* Checks the CIE of an entry, which may lie anywhere. False also if there is no CIE: libdw ignores
 * such entries, and no program needs them. */
static bool is_tame_common(const unsigned char *ident, Elf_Data *data, bool eh, Dwarf_Off at,
                           struct common *out)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	return at < data->d_size && dwarf_next_cfi(ident, data, eh, at, &next, &entry) == 0 &&
	       dwarf_cfi_cie_p(&entry) && cfi_check_read_augmentation(&entry.cie, out) &&
	       is_tame_program(entry.cie.initial_instructions, entry.cie.initial_instructions_end);
}

static bool is_tame_entry(const Dwarf_FDE *fde, const struct common *common)
{
	struct reader r = {.at = fde->start, .end = fde->end};
	uint64_t n = 0;
	if (!cfi_check_skip_bytes(&r, 2 * (uint64_t)common->address_bytes) ||
	    (common->sized && (!cfi_check_read_leb128(&r, &n) || !cfi_check_skip_bytes(&r, n))))
		return false;
	return is_tame_program(r.at, r.end);
}

bool cfi_is_tame(const unsigned char *ident, Elf_Data *data, bool eh)
{
	struct common common = {0};
	Dwarf_Off checked = UINT64_MAX;
	for (Dwarf_Off at = 0, next = 0;; at = next) {
		Dwarf_CFI_Entry entry;
		const int result = dwarf_next_cfi(ident, data, eh, at, &next, &entry);
		if (result > 0 || (result < 0 && next == at))
			return true; /* libdw ends there, too, */
		if (result < 0 || dwarf_cfi_cie_p(&entry))
			continue; /* and skips an entry that is invalid */
		if (entry.fde.CIE_pointer != checked &&
		    !is_tame_common(ident, data, eh, entry.fde.CIE_pointer, &common))
			return false;
		checked = entry.fde.CIE_pointer;
		if (!is_tame_entry(&entry.fde, &common))
			return false;
	}
}
