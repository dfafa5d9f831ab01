/* Whether libdw may run the rules of a table of call frame information. It has no limit of its own:
 * an operation of one byte keeps a copy of all rules, one of six asks for as many as there are
 * registers by its word. Tables of compilers are tame; what is not is left out. */
#ifndef CYCLOPS_LOADER_DWARF_CFI_CHECK_H
#define CYCLOPS_LOADER_DWARF_CFI_CHECK_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

/* All of .eh_frame (eh) or .debug_frame; ident is the ELF file's. */
bool cfi_is_tame(const unsigned char *ident, Elf_Data *data, bool eh);

#endif
