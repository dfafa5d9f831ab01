/* The header of a unit's line program (DWARF 2 to 5): its files' names, and how to execute it. Read
 * without libdw, which decodes all rows for the name of one file, and keeps them. */
#ifndef CYCLOPS_LOADER_DWARF_LINE_HEADER_H
#define CYCLOPS_LOADER_DWARF_LINE_HEADER_H

#include "loader/dwarf/debug_reader.h"

/* Contents of .debug_line, .debug_line_str and .debug_str; NULL: there is none. Borrowed. */
struct line_sections {
	const Elf_Data *line, *line_text, *text;
};

struct line_file {
	const char *name; /* borrowed from a section */
	uint64_t folder;  /* index into folders */
};

struct line_header {
	struct debug_reader rows; /* the program: from its first opcode to its end */
	unsigned version, address_bytes, least_bytes; /* bytes of an instruction, at least */
	bool is_stmt;                                 /* of the first row */
	int line_base;
	unsigned line_range, opcode_base;
	const uint8_t *lengths; /* [opcode_base - 1]: operands of standard opcodes */
	/* [folder_count], owned; 0 is the unit's; names borrowed, may be NULL */
	const char **folders;
	struct line_file *files; /* [file_count], owned; by the numbers that rows use */
	size_t folder_count, folder_room, file_count, file_room;
};

/* Reads the header at this byte of .debug_line; the unit was compiled in `folder`, NULL: unknown.
 * False if it is damaged, or without memory; *out needs line_header_deinit() in any case. */
bool line_header_read(const struct line_sections *s, uint64_t at, const char *folder,
                      struct line_header *out);
/* Adds a file that the program itself defines. */
bool line_header_add_file(struct line_header *h, const char *name, uint64_t folder);
/* The path of file `number`, at most n bytes with the end; false if there is none. */
bool line_header_path(const struct line_header *h, uint64_t number, char *out, size_t n);
void line_header_deinit(struct line_header *h);

#endif
