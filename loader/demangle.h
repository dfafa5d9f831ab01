/* Names of C++ and Rust, as people write them: what a linker's name stands for, and what people
 * mean by a part of one. */
#ifndef CYCLOPS_LOADER_DEMANGLE_H
#define CYCLOPS_LOADER_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* What a name may be when it is written out; one that would be longer stays as the linker has it:
 * names are made that double with each of their letters. */
enum { DEMANGLED_MAX = 4096 };

/* "_ZN3geo3sumEii" is "geo::sum(int, int)", with results left out as in calls; "_ZN3geo3sumEii@plt"
 * keeps its end. NULL: it is a name already, or too long. Into buf[DEMANGLED_MAX]. */
char *demangle(const char *name, char *buf);

/* How many characters of a name are its function's: "geo::sum" of "geo::sum(int, int)". All of it,
 * if it has no arguments. */
size_t name_stem(const char *name);
/* The compiler's copy of a function, or a part of one: "f.isra.0", "f(int) [clone .cold]". */
bool name_is_clone(const char *name);
/* Whether a person who writes `asked` may mean the function `name`: scopes before, arguments of
 * templates and arguments may be missing. "sum", "geo::sum" and "sum(int)" all mean
 * "geo::sum(int)". */
bool name_means(const char *name, const char *asked);

#endif
