#include "loader/dwarf/call_site.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/location.h"
#include "loader/dwarf/scope_chain.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool returns_to(Dwarf_Die *site, uint64_t pc)
{
	Dwarf_Attribute attr;
	Dwarf_Addr addr;
	return (dwarf_attr(site, DW_AT_call_return_pc, &attr) ||
	        dwarf_attr(site, DW_AT_low_pc, &attr)) &&
	       dwarf_formaddr(&attr, &addr) == 0 && addr == pc;
}

static bool is_for(const struct program *image, Dwarf_Die *parameter, struct passed what)
{
	Dwarf_Attribute attr;
	Dwarf_Die of;
	Dwarf_Op *ops;
	size_t n;
	if (what.reg < 0)
		return (dwarf_attr(parameter, DW_AT_call_parameter, &attr) ||
		        dwarf_attr(parameter, DW_AT_abstract_origin, &attr)) &&
		       dwarf_formref_die(&attr, &of) &&
		       dwarf_dieoffset(&of) == dwarf_dieoffset(what.parameter);
	const unsigned reg = (unsigned)what.reg;
	if (!dwarf_attr(parameter, DW_AT_location, &attr) ||
	    !location_ops(image, &attr, 0, &ops, &n) || n != 1)
		return false;
	return ops[0].atom == DW_OP_regx ? ops[0].number == reg
	                                 : ops[0].atom == DW_OP_reg0 + reg && reg < 32;
}

static bool call_site_find_parameter_value(const struct program *image, Dwarf_Die *site,
                                           struct passed what, Dwarf_Attribute *value)
{
	Dwarf_Die child;
	if (!walk_child(walk_of(image), site, &child))
		return false;
	do
		if (is_for(image, &child, what)) {
			const bool said = dwarf_attr(&child, DW_AT_call_value, value) ||
			                  dwarf_attr(&child, DW_AT_GNU_call_site_value, value);
			/* libdw reads only expressions of attributes of its own list;
			 * this is not among them. */
			value->code = DW_AT_location;
			return said;
		}
	while (walk_next(walk_of(image), &child));
	return false;
}

/* The DIE that all of a function's instances and declarations refer to. */
static Dwarf_Off call_site_die_identity(Dwarf_Die die)
{
	Dwarf_Attribute attr;
	for (unsigned i = 0; i < 8; i++)
		if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		     !dwarf_attr(&die, DW_AT_specification, &attr)) ||
		    !dwarf_formref_die(&attr, &die))
			break;
	return dwarf_dieoffset(&die);
}

static bool call_site_calls_function(Dwarf_Die *site, const struct place_frame *callee,
                                     const struct place_frame *caller, call_site_number *number)
{
	Dwarf_Die function = callee->function, origin;
	Dwarf_Attribute attr;
	Dwarf_Addr entry;
	uint64_t target;
	if (!function.addr)
		return false;
	if (dwarf_attr(site, DW_AT_call_target, &attr)) {
		attr.code = DW_AT_location;
		return dwarf_entrypc(&function, &entry) == 0 &&
		       number(caller, &attr, NULL, &target) &&
		       target == entry + callee->image->bias;
	}
	if ((!dwarf_attr(site, DW_AT_call_origin, &attr) &&
	     !dwarf_attr(site, DW_AT_abstract_origin, &attr)) ||
	    !dwarf_formref_die(&attr, &origin))
		return false;
	if (call_site_die_identity(origin) == call_site_die_identity(function))
		return true;
	/* A callee in another unit is only a declaration here. */
	const char *a = dwarf_diename(&origin),
		   *b = dwarf_attr_integrate(&function, DW_AT_name, &attr) ? dwarf_formstring(&attr)
	                                                                   : NULL;
	return dwarf_attr_integrate(&function, DW_AT_external, &attr) && a && b && !strcmp(a, b);
}

bool call_site_passes(const struct place_frame *callee, struct place_frame *caller,
                      struct passed what, call_site_number *number, Dwarf_Attribute *value)
{
	struct scope_chain chain;
	const uint64_t pc = caller->regs->pc - caller->image->bias;
	if (!scope_chain(caller->image, caller->look, &chain) ||
	    !scope_function(&chain, &caller->function))
		return false;
	for (unsigned i = chain.count; i-- > 0;) {
		Dwarf_Die child;
		if (!walk_child(walk_of(caller->image), &chain.block[i], &child))
			continue;
		do {
			const int tag = dwarf_tag(&child);
			if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
			    returns_to(&child, pc))
				return call_site_calls_function(&child, callee, caller, number) &&
				       call_site_find_parameter_value(caller->image, &child, what,
				                                      value);
		} while (walk_next(walk_of(caller->image), &child));
	}
	return false;
}
