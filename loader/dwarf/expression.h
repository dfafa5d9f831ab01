/* DWARF expressions, over the registers and memory of one call frame: unwinding rules and locations
 * of variables.
 *
 * Expressions are not trusted: stack depth and steps are bounded, registers must be known to the
 * frame, memory must be mapped. An expression that fails a check, or is not understood, has no
 * place. */
#ifndef CYCLOPS_LOADER_DWARF_EXPRESSION_H
#define CYCLOPS_LOADER_DWARF_EXPRESSION_H

#include "loader/dwarf/place_frame.h"

/* Maximal nesting of expressions, each evaluated in the frame of the previous one or of a caller.
 */
enum { EXPRESSION_NESTED_MAX = 8 };

/* Computes an expression, and of a location loads its 8 bytes (for unwinding rules). False if that
 * is impossible. */
bool place_compute(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);
bool place_read(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);

/* The same for operations of this attribute (NULL: none). `first`, if not NULL, is pushed
 * before. */
bool place_run(const struct place_frame *f, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
               const uint64_t *first, uint64_t *value);
/* The register that is the location; -1 if the location is no register. */
int place_register(const Dwarf_Op *ops, size_t n);
/* Whether the frame has the value of this register. */
bool place_knows(const struct place_frame *f, uint64_t reg);
/* Computes an attribute that is a number or an expression, such as bounds and offsets; `first` is
 * pushed before. */
bool place_number(const struct place_frame *f, Dwarf_Attribute *attr, const uint64_t *first,
                  uint64_t *value);

#endif
