/* DWARF expressions, over the registers and memory of one call frame: what a rule of unwinding or a
 * variable's location says.
 *
 * Nothing of an expression is believed: a stack of bounded depth, a bounded number of steps,
 * registers that the frame knows, memory that is mapped. What fails a check, and what is not
 * understood, has no place. */
#ifndef CYCLOPS_LOADER_DWARF_PLACE_H
#define CYCLOPS_LOADER_DWARF_PLACE_H

#include <elfutils/libdw.h>

#include "loader/program.h"

/* What expressions are about. All pointers are borrowed. */
struct place_frame {
	const struct program *image; /* the program or its firmware: whose code this is */
	const struct frame_memory *mem;
	const struct unwind_regs *regs;
	/* an address inside the frame's instruction: of callers, in the call */
	uint64_t look;
	uint64_t cfa;
	bool cfa_known;
	/* whose DW_AT_frame_base is meant; addr NULL: none, or not looked up */
	Dwarf_Die function;
	const struct place_frame *caller; /* NULL: not known */
};

enum { PLACE_BYTES_MAX = 128 };
typedef unsigned __int128 place_mask; /* bit i: byte i */

/* Those n from this one on. */
place_mask place_bytes(uint64_t from, uint64_t n);

/* Where a value is. */
struct place {
	bool in_memory;
	uint64_t addr;                   /* in_memory: byte address */
	/* else: its bytes, put together from registers, memory and constants */
	uint8_t bytes[PLACE_BYTES_MAX];
	place_mask known;                /* of bytes */
	int reg;                         /* the register that holds all of it, -1: none does */
};

/* The result of an expression, and the value at a location of 8 bytes (for rules of unwinding).
 * False if it can't be had. */
bool place_compute(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);
bool place_read(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value);

/* Where the attribute (DW_AT_location) says that a value of so many bytes is. False: nowhere at
 * f->look, or what it says can't be followed. */
bool place_find(const struct place_frame *f, Dwarf_Attribute *attr, uint64_t size,
                struct place *out);
/* The result of an attribute that is a number or an expression, as bounds and offsets are; `first`
 * is pushed before. */
bool place_number(const struct place_frame *f, Dwarf_Attribute *attr, const uint64_t *first,
                  uint64_t *value);

#endif
