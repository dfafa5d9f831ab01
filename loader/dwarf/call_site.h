/* What calls pass, as compilers say it of optimised code: DW_TAG_call_site. */
#ifndef CYCLOPS_LOADER_DWARF_CALL_SITE_H
#define CYCLOPS_LOADER_DWARF_CALL_SITE_H

#include "loader/dwarf/place_frame.h"

/* What is passed in a register, or as a parameter that needs no register any more. */
struct passed {
	int reg;              /* -1: a parameter */
	Dwarf_Die *parameter;
};

/* Computes an attribute in a frame: place_number(). */
typedef bool call_site_number(const struct place_frame *f, Dwarf_Attribute *attr,
                              const uint64_t *first, uint64_t *value);

/* The expression, of the caller's frame, for what the call there passes to the callee;
 * caller->function is filled. False: nothing is said of it, or the callee may have been called by
 * another function, which was called there and ended with that. */
bool call_site_passes(const struct place_frame *callee, struct place_frame *caller,
                      struct passed what, call_site_number *number, Dwarf_Attribute *value);

#endif
