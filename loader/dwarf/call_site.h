/* Values that calls pass, as optimising compilers describe them: DW_TAG_call_site. */
#ifndef CYCLOPS_LOADER_DWARF_CALL_SITE_H
#define CYCLOPS_LOADER_DWARF_CALL_SITE_H

#include "loader/dwarf/place_frame.h"

/* A value passed in a register, or for a parameter that no longer has a register. */
struct passed {
	int reg;              /* -1: a parameter */
	Dwarf_Die *parameter;
};

/* Computes an attribute in a frame: place_number(). */
typedef bool call_site_number(const struct place_frame *f, Dwarf_Attribute *attr,
                              const uint64_t *first, uint64_t *value);

/* Finds the expression, over the caller's frame, for a value that the call there passes to the
 * callee; caller->function is filled. False: it is not described, or the callee may have been
 * called by another function that was called there and ended in a tail call. */
bool call_site_passes(const struct place_frame *callee, struct place_frame *caller,
                      struct passed what, call_site_number *number, Dwarf_Attribute *value);

#endif
