/* The types that a program's debug information has, as they are declared. */
#ifndef CYCLOPS_LOADER_DWARF_NAMED_TYPES_H
#define CYCLOPS_LOADER_DWARF_NAMED_TYPES_H

struct program;

/* declared: "typedef unsigned long size_t;"; name: with its scopes; line 0: of the language itself,
 * and file is what its unit was compiled from. All borrowed for the call. */
struct named_type {
	const char *declared, *name, *file;
	unsigned line;
};

typedef void named_type_fn(void *ctx, const struct named_type *t);
/* Calls fn for each of the program and of its libraries, in no order; some come several times. */
void named_types_each(const struct program *p, named_type_fn *fn, void *ctx);

#endif
