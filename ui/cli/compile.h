/* `cyclops prog.c`: a source file in a program's place is compiled first. */
#ifndef CYCLOPS_UI_CLI_COMPILE_H
#define CYCLOPS_UI_CLI_COMPILE_H

#include "ui/cli/options.h"

/* If the program that they name is a source file, compiles it into the cache folder, cyclops/ in
 * XDG_CACHE_HOME or ~/.cache: they name the program then, which is called as the source file is,
 * without its ending, wherever the cache lies. What the compiler says is passed on as it is. False
 * with *err if it doesn't compile. */
bool compile_source(struct options *o, struct err *err);

#endif
