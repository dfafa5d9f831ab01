/* Reads bytes of debug information before libdw does. A read past the end returns 0 and sets `bad`,
 * and so do all later ones. */
#ifndef CYCLOPS_LOADER_DWARF_DEBUG_READER_H
#define CYCLOPS_LOADER_DWARF_DEBUG_READER_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct debug_reader {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct debug_reader debug_reader_of(const Elf_Data *d)
{
	return d && d->d_buf ? (struct debug_reader){.at = d->d_buf,
	                                             .end = (const uint8_t *)d->d_buf + d->d_size}
	                     : (struct debug_reader){0};
}

static inline void debug_skip(struct debug_reader *r, uint64_t bytes)
{
	if (r->bad || (uint64_t)(r->end - r->at) < bytes)
		r->bad = true;
	else
		r->at += bytes;
}

/* Reads a number of 1 to 8 bytes. */
static inline uint64_t debug_fixed(struct debug_reader *r, unsigned bytes)
{
	uint64_t v = 0;
	const uint8_t *from = r->at;
	debug_skip(r, bytes);
	if (!r->bad)
		memcpy(&v, from, bytes);
	return v;
}

/* Reads LEB128; bits beyond 64 are lost. */
static inline uint64_t debug_leb(struct debug_reader *r)
{
	uint64_t v = 0, byte = 0x80;
	for (unsigned shift = 0; !r->bad && (byte & 0x80); shift += 7) {
		byte = debug_fixed(r, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return v;
}

#endif
