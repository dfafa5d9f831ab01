/* An editor (loader/launch.h) that replaces bytes of a program before it is loaded: "what if this
 * branch were not there". The result is another program, with its own digest, and stays patched at
 * each start. */
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

/* Applies the patches; ctx is a struct patches. NULL with *err if one of them is invalid: p is
 * freed. */
struct program *patches_apply(struct program *p, void *ctx, struct err *err);

#endif
