/* The rows of one unit's line table, decoded when they are needed. */
#ifndef CYCLOPS_LOADER_DWARF_LINE_ROWS_H
#define CYCLOPS_LOADER_DWARF_LINE_ROWS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_header;
struct program;

/* A large program has a million rows, so 16 bytes each. */
enum { LINE_ADDR_BITS = 61 };

struct line_row {
	uint64_t addr : LINE_ADDR_BITS; /* as loaded */
	uint64_t stmt : 1;              /* a recommended place to stop */
	/* continues the line of the row before it (a part of it, as of a `for`): debuggers do not
	 * take it for a beginning */
	uint64_t part : 1;
	uint64_t end : 1; /* ends a sequence: addresses from here have no line */
	uint32_t file;    /* its number in the header; later that of lines.c */
	uint32_t line;    /* 0 = unknown */
};
static_assert(sizeof(struct line_row) == 16, "no room between rows");

/* Executes the header's program, which may add files to the header. The rows are in address order,
 * of one address as read (later ones win), without rows of code that the linker dropped, which lie
 * outside the program. Returns an owned array of *count rows; NULL: there are none, at most `most`,
 * or they take more memory than the program's limit or the host has. */
struct line_row *line_rows_read(const struct program *p, struct line_header *h, size_t most,
                                size_t *count);

#endif
