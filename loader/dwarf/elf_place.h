/* Where a variable is that the debug information does not place, or places wrongly: what the
 * dynamic linker made of it says so.
 *
 * A program that is not position-independent has variables of its libraries copied into itself, and
 * all use the copy. Of thread-local ones, RISC-V compilers say no place: it follows from the symbol
 * and from the slots in which glibc keeps the number of a library's block. */
#ifndef CYCLOPS_LOADER_DWARF_ELF_PLACE_H
#define CYCLOPS_LOADER_DWARF_ELF_PLACE_H

#include "loader/dwarf/place.h"
#include "loader/dwarf/scope.h"

/* The program's copy of a library's variable; false if there is none. */
bool elf_place_copied(const struct scope_name *name, uint64_t *addr);
/* A thread-local variable; false if it is none, or its block is not made yet. */
bool elf_place_thread(const struct place_frame *f, const struct scope_name *name, uint64_t *addr);
/* Whether it is one, made or not. */
bool elf_place_is_thread(const struct scope_name *name);

#endif
