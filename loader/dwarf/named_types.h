/* The types of a program's debug information, as declared. */
#ifndef CYCLOPS_LOADER_DWARF_NAMED_TYPES_H
#define CYCLOPS_LOADER_DWARF_NAMED_TYPES_H

struct program;

/* declared: "typedef unsigned long size_t;"; name: with its scopes; line 0: a type of the language
 * itself, with its unit's source as file. All borrowed for the call. */
struct named_type {
	const char *declared, *name, *file;
	unsigned line;
};

typedef void named_type_fn(void *ctx, const struct named_type *t);
/* Calls fn for each type of the program and its libraries, in no order; some come several times. */
void named_types_each(const struct program *p, named_type_fn *fn, void *ctx);

#endif
