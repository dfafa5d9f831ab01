/* The rows of one unit's line table, decoded when they are needed. */
#ifndef CYCLOPS_LOADER_DWARF_LINE_ROWS_H
#define CYCLOPS_LOADER_DWARF_LINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_header;
struct program;

struct line_row {
	uint64_t addr;  /* as loaded */
	uint32_t file;  /* its number in the header; later that of lines.c */
	uint32_t line;  /* 0 = unknown */
	uint32_t order; /* as read: later rows at an address win */
	bool stmt;      /* a recommended place to stop */
	/* continues the line of the row before it (a part of it, as of a `for`): debuggers do not
	 * take it for a beginning */
	bool part;
	bool end; /* ends a sequence: addresses from here have no line */
};

/* Executes the header's program, which may add files to the header. The rows are in address order,
 * without rows of code that the linker dropped, which lie outside the program. Returns an owned
 * array of *count rows; NULL: there are none, at most `most`, or they take more memory than the
 * program's limit or the host has. */
struct line_row *line_rows_read(const struct program *p, struct line_header *h, size_t most,
                                size_t *count);

#endif
