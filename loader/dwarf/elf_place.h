/* Places of variables that the debug information omits or gets wrong; they follow from the dynamic
 * linker's work.
 *
 * Variables of libraries are copied into a program that is not position-independent, and all use
 * the copy. RISC-V compilers omit the place of thread-local variables: it follows from the symbol
 * and from the slots in which glibc keeps the number of a library's block. */
#ifndef CYCLOPS_LOADER_DWARF_ELF_PLACE_H
#define CYCLOPS_LOADER_DWARF_ELF_PLACE_H

#include "loader/dwarf/place.h"
#include "loader/dwarf/scope.h"

/* The program's copy of a library's variable; false if there is none. */
bool elf_place_copied(const struct scope_name *name, uint64_t *addr);
/* The address of a thread-local variable; false for any other variable, or if its block does not
 * exist yet. */
bool elf_place_thread(const struct place_frame *f, const struct scope_name *name, uint64_t *addr);
/* Whether it is a thread-local variable, whether or not its block exists. */
bool elf_place_is_thread(const struct scope_name *name);

#endif
