/* `cyclops prog.c`: compiles a source file that is given as the program. */
#ifndef CYCLOPS_UI_CLI_COMPILE_H
#define CYCLOPS_UI_CLI_COMPILE_H

#include "ui/cli/options.h"

/* If the options name a source file as the program, compiles it into the cache folder, cyclops/ in
 * XDG_CACHE_HOME or ~/.cache, and makes them name the result; the guest sees it under the source
 * file's name without ending, not under the cache's path. Compiler messages are passed on
 * unchanged. False with *err if it doesn't compile. */
bool compile_source(struct options *o, struct err *err);
/* The number of leading arguments that are assembly files, of one program. */
unsigned compile_texts(const struct options *o);
/* Bits of a register that the user has set; 0: none. */
unsigned compile_xlen(const struct options *o);
/* Writes to `place` the path in the cache folder, created if missing, of the program that `cc`
 * makes of `source`. */
bool compiled_place(const char *source, const char *cc, char *place, size_t n, struct err *err);
/* Replaces the options' program, a source file, by the compiled program at `place`. */
bool options_compiled(struct options *o, const char *place, struct err *err);

#endif
