/* An editor (loader/launch.h) that replaces bytes of a program's file before it is loaded: "what if
 * this branch were not there". The program is another one then: its digest says so, and it stays so
 * however often it is started. */
#ifndef CYCLOPS_LOADER_PATCH_H
#define CYCLOPS_LOADER_PATCH_H

#include "core/base/err.h"
#include "loader/program.h"

struct patches {
	/* [count], borrowed: PLACE=HEX. PLACE is SYMBOL, SYMBOL+0x10 or an address; HEX one number
	 * of 2, 4, 8 or 16 digits as `disassemble` prints instructions, which goes into memory
	 * lowest byte first. */
	const char *const *text;
	unsigned count;
};

/* ctx is a struct patches. NULL with *err if one of them can't be made: p is freed. */
struct program *patches_apply(struct program *p, void *ctx, struct err *err);

#endif
