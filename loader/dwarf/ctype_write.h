/* Shared by the files that write types: ctype_text.c, ctype_class.c and ctype_enum.c. */
#ifndef CYCLOPS_LOADER_DWARF_CTYPE_WRITE_H
#define CYCLOPS_LOADER_DWARF_CTYPE_WRITE_H

#include "core/base/textbuf.h"
#include "loader/dwarf/ctype.h"
#include "loader/dwarf/scoped.h"

enum { CTYPE_DEPTH_MAX = 32, CTYPE_LINES_MAX = 200, CTYPE_TEMPLATE_MAX = 8 };

struct ctype_how {
	bool expand;     /* typedefs are followed, members listed */
	unsigned indent, depth;
	unsigned dimension; /* of an array: the first to write */
	struct dwarf_walk *walk;  /* of the whole text */
	/* [count]: types with a template parameter's name, as in gdb; borrowed */
	const struct ctype_parameter {
		const void *type; /* a DIE's address */
		const char *name;
	} *parameter;
	unsigned count;
};

/* Writes a declaration: "const struct node *next". */
void ctype_declare(struct textbuf *out, Dwarf_Die *die, const char *qualifiers,
                   const char *declarator, struct ctype_how how);
/* The same for the type that the DIE refers to (DW_AT_type). */
void ctype_declare_of(struct textbuf *out, Dwarf_Die *die, const char *qualifiers,
                      const char *declarator, struct ctype_how how);
/* Writes a member with its indentation, up to the semicolon. */
void ctype_write_member(struct textbuf *out, const struct cmember *m, struct ctype_how how);
/* Writes " {...}" of a C++ class, with its bases before. */
void ctype_write_class(struct textbuf *out, Dwarf_Die *die, struct ctype_how how);
/* Writes " {RED, GREEN = 5}". */
void ctype_write_enum(struct textbuf *out, Dwarf_Die *die, struct dwarf_walk *walk);

#endif
