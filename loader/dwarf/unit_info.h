/* How a unit of debug information was compiled. */
#ifndef CYCLOPS_LOADER_DWARF_UNIT_INFO_H
#define CYCLOPS_LOADER_DWARF_UNIT_INFO_H

#include <stdbool.h>
#include <stdint.h>

struct program;

struct unit_info {
	const char *folder, *producer; /* borrowed from the program; NULL: unknown */
	const char *language;          /* "c", "c++", ...; NULL: another */
	unsigned dwarf;                /* version of the format */
};

/* For the unit that has the address; false if there is none. */
bool unit_info_at(const struct program *p, uint64_t addr, struct unit_info *out);

#endif
