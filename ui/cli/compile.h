/* `cyclops prog.c`: a source file in a program's place is compiled first. */
#ifndef CYCLOPS_UI_CLI_COMPILE_H
#define CYCLOPS_UI_CLI_COMPILE_H

#include "ui/cli/options.h"

/* If the program that they name is a source file, compiles it into the cache folder, cyclops/ in
 * XDG_CACHE_HOME or ~/.cache: they name the program then, which is called as the source file is,
 * without its ending, wherever the cache lies. What the compiler says is passed on as it is. False
 * with *err if it doesn't compile. */
bool compile_source(struct options *o, struct err *err);
/* Whether they name an assembly file for the built-in assembler. */
bool compile_is_text(const struct options *o);
/* Where what a compiler makes of a source file lies in the cache folder, which is made. */
bool compiled_place(const char *source, const char *cc, char *place, size_t n, struct err *err);
/* The options' program, a source file, is what lies at this place. */
bool options_compiled(struct options *o, const char *place, struct err *err);

#endif
