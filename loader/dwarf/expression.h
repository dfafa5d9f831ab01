/* DWARF expressions, over the registers and memory of one call frame: what a rule of unwinding or a
 * variable's location says.
 *
 * Nothing of an expression is believed: a stack of bounded depth, a bounded number of steps,
 * registers that the frame knows, memory that is mapped. What fails a check, and what is not
 * understood, has no place. */
#ifndef CYCLOPS_LOADER_DWARF_EXPRESSION_H
#define CYCLOPS_LOADER_DWARF_EXPRESSION_H

#include "loader/dwarf/place_frame.h"

/* The result of an expression, and the value at a location of 8 bytes (for rules of unwinding).
 * False if it can't be had. */
bool place_compute(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);
bool place_read(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);

/* The same of operations that are this attribute's; NULL: nobody's. `first`, if not NULL, is pushed
 * before. */
bool place_run(const struct place_frame *f, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
               const uint64_t *first, uint64_t *value);
/* The register that is the location, -1: none is. */
int place_register(const Dwarf_Op *ops, size_t n);
/* Whether the frame knows what it holds. */
bool place_knows(const struct place_frame *f, uint64_t reg);
/* The result of an attribute that is a number or an expression, as bounds and offsets are; `first`
 * is pushed before. */
bool place_number(const struct place_frame *f, Dwarf_Attribute *attr, const uint64_t *first,
                  uint64_t *value);

#endif
