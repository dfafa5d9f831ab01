/* Whether libdw may run the rules of a table of call frame information. libdw has no limits: an
 * operation of one byte copies all rules, one of six bytes requests as many registers as its
 * operand. Tables of compilers stay within our limits; a table that does not is ignored. */
#ifndef CYCLOPS_LOADER_DWARF_CFI_CHECK_H
#define CYCLOPS_LOADER_DWARF_CFI_CHECK_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

/* Checks all of .eh_frame (eh) or .debug_frame; ident is the ELF file's. */
bool cfi_is_tame(const unsigned char *ident, Elf_Data *data, bool eh);

#endif
