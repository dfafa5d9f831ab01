/* Shared by the files that rewrite unwind tables: the table that is read, and the bytes written. */
#ifndef CYCLOPS_LOADER_EDIT_FRAME_TABLE_H
#define CYCLOPS_LOADER_EDIT_FRAME_TABLE_H

#include "loader/edit/edit_priv.h"

struct buffer {
	uint8_t *bytes; /* [n], owned */
	size_t n, room;
	bool failed;    /* out of memory */
};

/* A table being read, from `at` on. */
struct table {
	const struct edit *e;
	const uint8_t *bytes; /* [n] */
	size_t n, at;
	bool eh;              /* .eh_frame, else .debug_frame */
	uint64_t addr, new_addr; /* of its first byte; .debug_frame: 0 */
	bool damaged;
	struct buffer out;
	struct edit_entry *entries; /* [entry_count], owned */
	size_t entry_count, entry_room;
};

/* How the frame's address is computed. */
struct frame_cfa {
	bool at_sp;       /* sp + offset; else from another register, or by an expression */
	uint64_t offset;
};

/* The fields of a CIE that its FDEs need. */
struct cie {
	size_t at, new_at; /* offsets in the tables */
	uint64_t code_factor;
	struct frame_cfa cfa; /* at a function's beginning */
	uint8_t pointers;  /* DW_EH_PE_* of an FDE's addresses */
	uint8_t lsda;      /* the same for its language-specific data; DW_EH_PE_omit: none */
	bool augmented;
};

void frame_put(struct buffer *b, const void *bytes, size_t n);
/* Writes a number of n bytes, lowest first. */
void frame_put_number(struct buffer *b, uint64_t value, unsigned n);
void frame_put_leb(struct buffer *b, uint64_t value);
/* Copies the bytes from `from` to the current read position. */
void frame_copy_from(struct table *t, size_t from);
uint64_t frame_number(struct table *t, unsigned n);
/* Skips an LEB128 number; returns its value if it is unsigned. */
uint64_t frame_leb(struct table *t);

/* frame_rows.c: skips a call frame instruction that does not advance the address, after its first
 * byte; updates cfa. */
void frame_instruction(struct table *t, unsigned op, struct frame_cfa *cfa);
/* Rewrites the call frame instructions of a function at pc, from t->at to end. */
void frame_rows(struct table *t, size_t end, const struct cie *c, uint64_t pc, uint64_t bytes);

#endif
