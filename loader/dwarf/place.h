/* The place of a variable in a call frame, by its DWARF location. A location that fails a check has
 * no place. */
#ifndef CYCLOPS_LOADER_DWARF_PLACE_H
#define CYCLOPS_LOADER_DWARF_PLACE_H

#include <elfutils/libdw.h>

#include "loader/dwarf/expression.h"

enum { PLACE_BYTES_MAX = 128 };
typedef unsigned __int128 place_mask; /* bit i: byte i */

/* The mask of n bytes from byte `from` on. */
place_mask place_bytes(uint64_t from, uint64_t n);

/* The place of a value. */
struct place {
	bool in_memory;
	uint64_t addr;                   /* in_memory: byte address */
	/* else: its bytes, put together from registers, memory and constants */
	uint8_t bytes[PLACE_BYTES_MAX];
	place_mask known;                /* of bytes */
	int reg;                         /* the register that holds the whole value, -1: none */
};

/* The place of a value of `size` bytes by the attribute (DW_AT_location). False: it has none at
 * f->look, or the location is invalid. */
bool place_find(const struct place_frame *f, Dwarf_Attribute *attr, uint64_t size,
                struct place *out);
#endif
