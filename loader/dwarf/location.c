#include "loader/dwarf/location.h"

#include <dwarf.h>
#include <search.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/debug_reader.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

/* Bytes: the longest expression that is read; work of walks per list entry; and, as measured with
 * elfutils 0.188 and 64-bit libraries, memory of an expression and of an operation, while it is
 * read and kept. */
enum { EXPRESSION_MAX = 4096, ENTRY_BYTES = 8, EXPRESSION_BYTES = 256, OP_BYTES = 96 };

static bool pass_expression(struct debug_reader *r, uint64_t length)
{
	debug_skip(r, length);
	return r->bad || length <= EXPRESSION_MAX;
}

/* Skips a DWARF 5 list entry. False if its expression is too long. */
static bool pass_entry(struct debug_reader *r, bool *last)
{
	switch (debug_fixed(r, 1)) {
	case DW_LLE_base_addressx:
		debug_leb(r);
		return true;
	case DW_LLE_GNU_view_pair:
		debug_leb(r), debug_leb(r);
		return true;
	case DW_LLE_startx_endx: case DW_LLE_startx_length: case DW_LLE_offset_pair:
		debug_leb(r), debug_leb(r);
		break;
	case DW_LLE_default_location:
		break;
	case DW_LLE_base_address:
		debug_skip(r, 8);
		return true;
	case DW_LLE_start_end:
		debug_skip(r, 16);
		break;
	case DW_LLE_start_length:
		debug_skip(r, 8);
		debug_leb(r);
		break;
	default: /* the end; libdw also ends the list at an unknown entry */
		return *last = true;
	}
	return pass_expression(r, debug_leb(r));
}

/* The same for lists before DWARF 5. */
static bool pass_old_entry(struct debug_reader *r, bool *last)
{
	const uint64_t begin = debug_fixed(r, 8), end = debug_fixed(r, 8);
	*last = !begin && !end;
	return *last || begin == UINT64_MAX || pass_expression(r, debug_fixed(r, 2));
}

/* Whether no expression of the list is too long, and the list has an end. */
static bool list_is_short(const struct program *image, Dwarf_Attribute *attr)
{
	Dwarf_Half version;
	Dwarf_Word from;
	Dwarf_Die unit;
	bool last = false;
	if (!attr->cu ||
	    dwarf_cu_info(attr->cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_formudata(attr, &from) != 0)
		return false;
	struct debug_reader r = debug_reader_of(
		version >= 5 ? debug_section_data(program_debug_elf(image), ".debug_loclists",
	                                          ".zdebug_loclists")
			     : debug_section_data(program_debug_elf(image), ".debug_loc",
	                                          ".zdebug_loc"));
	debug_skip(&r, from);
	while (!r.bad && !last)
		if (!walk_take(walk_of(image), ENTRY_BYTES) ||
		    !(version >= 5 ? pass_entry(&r, &last) : pass_old_entry(&r, &last)))
			return false;
	return !r.bad;
}

static int dwarf_location_compare_by_address(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : a != b;
}

/* Counts the memory that libdw keeps, once per expression. If it exceeds the limit no further
 * expression is read: their sizes are known only after libdw has kept them. */
static bool dwarf_location_account_for_ops(const struct program *image, const Dwarf_Op *ops,
                                           size_t n)
{
	struct program_debug *d = image->debug;
	if (tfind(ops, &d->locations, dwarf_location_compare_by_address))
		return true;
	d->locations_full = !debug_limit_take(&d->limit, EXPRESSION_BYTES + n * OP_BYTES);
	if (!d->locations_full && !tsearch(ops, &d->locations, dwarf_location_compare_by_address)) {
		alloc_note_failure();
		return false;
	}
	return !d->locations_full;
}

/* Notes that libdw was out of memory, which does not mean that there is no location. Returns false.
 */
static bool dwarf_location_failed(void)
{
	const char *why = dwarf_errmsg(-1);
	if (why && strcmp(why, "out of memory") == 0)
		alloc_note_failure();
	return false;
}

bool location_ops(const struct program *image, Dwarf_Attribute *attr, Dwarf_Addr at, Dwarf_Op **ops,
                  size_t *n)
{
	Dwarf_Block block;
	if (image->debug->locations_full)
		return false;
	const unsigned form = dwarf_whatform(attr);
	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		if (dwarf_formblock(attr, &block) != 0 || block.length > EXPRESSION_MAX)
			return dwarf_location_failed();
		/* libdw reads no blocks as expressions in units of DWARF 4, where Go writes them. A
		 * short block has the same bytes in both forms. */
		if (form == DW_FORM_block || (form == DW_FORM_block1 && block.length < 0x80))
			attr->form = DW_FORM_exprloc;
		if (dwarf_getlocation(attr, ops, n) != 0)
			return dwarf_location_failed();
		break;
	default:
		if (!list_is_short(image, attr) || dwarf_getlocation_addr(attr, at, ops, n, 1) != 1)
			return dwarf_location_failed();
	}
	return *n && dwarf_location_account_for_ops(image, *ops, *n);
}

static void dwarf_location_ignore_ops(void *ops)
{
	(void)ops; /* freed by libdw */
}

void locations_free(void *locations)
{
	tdestroy(locations, dwarf_location_ignore_ops);
}
