/* A call frame, as DWARF expressions see it. */
#ifndef CYCLOPS_LOADER_DWARF_PLACE_FRAME_H
#define CYCLOPS_LOADER_DWARF_PLACE_FRAME_H

#include <elfutils/libdw.h>

#include "loader/program.h"

/* The frame that an expression is evaluated in. All pointers are borrowed. */
struct place_frame {
	const struct program *image; /* the program or firmware that has the code */
	const struct frame_memory *mem;
	const struct unwind_regs *regs;
	/* an address inside the frame's instruction: in a caller, the call */
	uint64_t look;
	uint64_t cfa;
	bool cfa_known;
	/* has the DW_AT_frame_base; addr NULL: none, or not looked up */
	Dwarf_Die function;
	const struct place_frame *caller; /* NULL: not known */
};

#endif
