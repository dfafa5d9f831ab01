/* Estimates the host memory that reading debug information will take, before it is read. libdw has
 * no limits: it unpacks compressed sections, and ends the process when memory runs out. */
#ifndef CYCLOPS_LOADER_DWARF_DEBUG_LIMIT_H
#define CYCLOPS_LOADER_DWARF_DEBUG_LIMIT_H

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
/* The contents of a section under one of these names, unpacked if libdw has opened the file; NULL
 * if there is none. */
Elf_Data *debug_section_data(Elf *elf, const char *name, const char *packed);
/* Takes bytes from the limit; false if they are not left: the limit is reached. */
bool debug_limit_take(struct debug_limit *l, uint64_t bytes);
/* Takes the memory of all debug sections, unpacked. Before libdw opens the file. */
bool debug_limit_open(struct debug_limit *l, Elf *elf);
/* Takes the memory of all units. Before libdw looks at any. */
bool debug_limit_units(struct debug_limit *l, Elf *elf);

#endif
