/* Tells what reading debug information would take of the host's memory, before it is read. libdw
 * has no limit of its own, unpacks what is compressed, makes a record of each byte of a line table,
 * and ends the process when memory runs out. */
#ifndef CYCLOPS_LOADER_DWARF_DEBUG_LIMIT_H
#define CYCLOPS_LOADER_DWARF_DEBUG_LIMIT_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_limit {
	uint64_t most;  /* bytes; 0: no limit */
	uint64_t taken; /* of them */
	bool reached;   /* something was left out */
	bool damaged;   /* nothing is read: no compiler writes such tables */
};

/* The first section of this name, NULL if there is none. */
Elf_Scn *debug_section(Elf *elf, const char *name, GElf_Shdr *shdr);
/* What it holds, under one of these names, unpacked if libdw has opened the file; NULL if there is
 * none. */
Elf_Data *debug_section_data(Elf *elf, const char *name, const char *packed);
/* Takes so much, if there is so much; else the limit is reached. */
bool debug_limit_take(struct debug_limit *l, uint64_t bytes);
/* For so many rows of line tables, once they are known. */
bool debug_limit_rows(struct debug_limit *l, size_t rows);
/* Before libdw opens the file: for all debug sections, unpacked. */
bool debug_limit_open(struct debug_limit *l, Elf *elf);
/* Before libdw looks at any unit: for all of them. */
bool debug_limit_units(struct debug_limit *l, Elf *elf);
/* Before dwarf_getsrclines() of this unit: whether there is room for as many rows as its table may
 * have. */
bool debug_limit_lines(struct debug_limit *l, Elf *elf, Dwarf_Die *unit);

#endif
