#include "loader/dwarf/variable.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/elf_place.h"

/* Reads a value that the compiler found to be constant. */
static bool variable_read_const_value(Dwarf_Attribute *attr, struct place *out)
{
	Dwarf_Block block;
	Dwarf_Word v;
	switch (dwarf_whatform(attr)) {
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
		if (dwarf_formblock(attr, &block) != 0 || block.length > sizeof out->bytes)
			return false;
		memcpy(out->bytes, block.data, block.length);
		out->known = place_bytes(0, block.length);
		return true;
	default:
		if (dwarf_formudata(attr, &v) != 0)
			return false;
		memcpy(out->bytes, &v, sizeof v);
		out->known = place_bytes(0, sizeof v);
		return true;
	}
}

/* Reads a compiler-made variable: an array's bound. */
static bool number_at(const struct place_frame *f, Dwarf_Die *variable, uint64_t *out)
{
	struct place at;
	Dwarf_Attribute where;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &where) ||
	    !place_find(f, &where, sizeof *out, &at))
		return false;
	if (at.in_memory)
		return frame_read(f->mem, at.addr, out, sizeof *out);
	memcpy(out, at.bytes, sizeof *out);
	return at.known == place_bytes(0, sizeof *out);
}

/* Computes the length of an array whose length is known only at run time. */
static void variable_compute_array_length(const struct place_frame *f, struct ctype *t)
{
	Dwarf_Die range, bound;
	Dwarf_Attribute attr;
	uint64_t upper;
	if (t->kind != CTYPE_ARRAY || t->count_known || t->dimension ||
	    dwarf_child(&t->die, &range) != 0 || dwarf_tag(&range) != DW_TAG_subrange_type ||
	    !dwarf_attr(&range, DW_AT_upper_bound, &attr))
		return;
	if (!(dwarf_formref_die(&attr, &bound) ? number_at(f, &bound, &upper)
	                                       : place_number(f, &attr, NULL, &upper)))
		return;
	const struct ctype element = ctype_target(t);
	t->count = upper + 1;
	t->count_known = t->count < UINT32_MAX;
	if (t->count_known && __builtin_mul_overflow(t->count, element.size, &t->size))
		t->size = 0;
}

bool variable_find(const struct place_frame *f, const struct scope_name *name, struct ctype *type,
                   struct place *out)
{
	Dwarf_Die die = name->die;
	Dwarf_Attribute attr;
	*out = (struct place){.reg = -1};
	if (name->kind == SCOPE_FUNCTION) {
		*type = ctype_at(&die);
		out->in_memory = true;
		return scope_entry(name, &out->addr);
	}
	Dwarf_Die of = name->type;
	*type = name->kind != SCOPE_ENUMERATOR ? ctype_of(&die)
	        : of.addr                      ? ctype_at(&of)
	                                       : ctype_made(CTYPE_INT, 4, true);
	variable_compute_array_length(f, type);
	if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr))
		return variable_read_const_value(&attr, out);
	if (elf_place_copied(name, &out->addr) || elf_place_thread(f, name, &out->addr))
		return out->in_memory = true;
	return dwarf_attr_integrate(&die, DW_AT_location, &attr) &&
	       place_find(f, &attr, type->size, out);
}
