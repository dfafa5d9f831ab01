/* Demangled names of C++ and Rust, and matching of partial names as users write them. */
#ifndef CYCLOPS_LOADER_DEMANGLE_H
#define CYCLOPS_LOADER_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a demangled name; a longer one stays mangled: names exist that double with each of their
 * letters. */
enum { DEMANGLED_MAX = 4096 };

/* Demangles into buf[DEMANGLED_MAX]: "_ZN3geo3sumEii" gives "geo::sum(int, int)", without the
 * result type, as in calls; a suffix as in "_ZN3geo3sumEii@plt" stays. NULL if the name is not
 * mangled, or too long. */
char *demangle(const char *name, char *buf);

/* Length of the function's name without arguments: "geo::sum" of "geo::sum(int, int)". The whole
 * length if it has no arguments. */
size_t name_stem(const char *name);
/* The name without arguments, template arguments and blanks, "std::shuffle"; buf[DEMANGLED_MAX].
 * Returns buf. */
char *name_short(const char *name, char *buf);
/* Whether the name is the compiler's copy of a function, or a part of one: "f.isra.0", "f(int)
 * [clone .cold]". */
bool name_is_clone(const char *name);
/* Whether `asked`, as a user writes it, matches the function `name`: leading scopes, template
 * arguments and arguments may be missing. "sum", "geo::sum" and "sum(int)" all match
 * "geo::sum(int)". */
bool name_means(const char *name, const char *asked);
/* Whether `name` is a copy of the function `asked` that the compiler specialised, with a beginning
 * of its own: "f.constprop.0" of "f", no "f.cold". */
bool name_is_copy(const char *name, const char *asked);

#endif
