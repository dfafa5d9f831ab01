/* Types of C by DWARF. A type is a small value that can be copied; what it says of itself is
 * borrowed from the program.
 *
 * Chains of types are followed a bounded number of times; a damaged type is CTYPE_UNKNOWN. */
#ifndef CYCLOPS_LOADER_DWARF_CTYPE_H
#define CYCLOPS_LOADER_DWARF_CTYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/dwarf/walk.h"

enum ctype_kind {
	CTYPE_UNKNOWN,
	CTYPE_VOID,
	CTYPE_BOOL,
	CTYPE_CHAR,
	CTYPE_INT,
	CTYPE_FLOAT,
	CTYPE_COMPLEX, /* two numbers of floating point */
	CTYPE_ENUM,
	CTYPE_POINTER,
	CTYPE_MEMBER, /* which member of a class: of 8 bytes, or of 16 if it is a function */
	CTYPE_ARRAY,
	CTYPE_STRUCT,
	CTYPE_UNION,
	CTYPE_FUNCTION
};

struct ctype {
	enum ctype_kind kind;
	bool is_signed;
	bool count_known;   /* of an array */
	bool is_reference;  /* of C++, a pointer that is followed wherever it is used */
	uint64_t size;      /* bytes, 0: unknown or none */
	uint64_t count;     /* of an array: its elements */
	Dwarf_Die die;      /* without typedefs and qualifiers; addr NULL: a made one, or void */
	Dwarf_Die named;    /* as it was declared; addr NULL as above */
	unsigned dimension; /* of an array with several: which one counts its elements */
	unsigned stars;     /* pointers that were made to `named` */
	uint64_t made;      /* elements of an array that was made of all that; 0: none was */
	const char *name;   /* of a made one */
};

/* The type that a variable, member, pointer, array... has (DW_AT_type): void if it says nothing. */
struct ctype ctype_of(Dwarf_Die *die);
/* The type that a DIE is. */
struct ctype ctype_at(Dwarf_Die *die);
/* C's own: "int", "unsigned long", "double"... by kind, size and sign. */
struct ctype ctype_made(enum ctype_kind kind, unsigned size, bool is_signed);
/* The longest of C's integers, and what char is here, by their own names. */
struct ctype ctype_long_long(bool is_signed);
struct ctype ctype_unsigned_char(void);
struct ctype ctype_pointer_to(struct ctype t);
/* So many of them, one behind the other. Of an array of those nothing more is made. */
struct ctype ctype_array_of(struct ctype t, uint64_t count);
/* What a typedef stands for, one step further; any other as it is. */
struct ctype ctype_behind_typedef(const struct ctype *t);
/* What a pointer points to; an array's element; what a function returns. */
struct ctype ctype_target(const struct ctype *t);

/* What a character of text begins with in quotes, if the type is one of wide ones (`wchar_t`: 'L',
 * `char16_t`: 'u', `char32_t`: 'U'); 0: it is none. */
char ctype_wide_prefix(const struct ctype *t);

static inline bool ctype_is_integer(const struct ctype *t)
{
	return t->kind == CTYPE_INT || t->kind == CTYPE_CHAR || t->kind == CTYPE_BOOL ||
	       t->kind == CTYPE_ENUM;
}

static inline bool ctype_is_scalar(const struct ctype *t)
{
	return ctype_is_integer(t) || t->kind == CTYPE_FLOAT || t->kind == CTYPE_POINTER;
}

struct cmember {
	const char *name;  /* NULL: an unnamed struct or union, or a class that it comes from */
	bool is_base;      /* the latter */
	bool is_static;    /* of all objects: `die` says which variable that is */
	/* a virtual base, or of one: where it is only its object knows; `offset` says nothing */
	bool is_virtual;
	Dwarf_Die die;
	struct ctype type;
	uint64_t offset;   /* bytes */
	unsigned bit_offset, bit_size; /* of a bit-field: from `offset` on; bit_size 0: none */
};

/* Its members, one after the other. Who shows members of members lets them share a walk: a type may
 * be made to hold itself. */
struct cmembers {
	Dwarf_Die next; /* addr NULL: there is none */
	struct dwarf_walk *walk; /* borrowed */
	bool statics, virtuals; /* those, too */
};

struct cmembers ctype_members(const struct ctype *t, struct dwarf_walk *walk);
/* The next one, false behind the last. */
bool cmember_next(struct cmembers *members, struct cmember *out);
/* What says where a virtual base is, for place_number() with its object's address; false: nothing.
 */
bool cmember_location(const struct cmember *m, Dwarf_Attribute *attr);
/* The member of a name, in unnamed members too. */
bool ctype_member_named(const struct ctype *t, const char *name, struct cmember *out);

/* The i-th type that a template of C++ was given. */
bool ctype_argument(const struct ctype *t, unsigned i, struct dwarf_walk *walk, struct ctype *out);

/* Whose members a pointer to them means. */
struct ctype ctype_containing(const struct ctype *t);
/* The virtual function declared in a class that has that entry of its table, "A::v(int)". False:
 * none has. */
bool ctype_virtual_name(const struct ctype *t, const struct program *image,
                        struct dwarf_walk *walk, unsigned entry, char *buf, size_t n);
/* The last entry of a class's table that a virtual function declared in it has; -1: none. */
int ctype_last_virtual(const struct ctype *t, const struct program *image, struct dwarf_walk *walk);

/* "struct node *", "int (*)(int)", "char [4]"; with a name, as one declares it. Returns buf. */
char *ctype_text(const struct ctype *t, const char *name, char *buf, size_t n);
/* The same with typedefs resolved and members listed, over several lines. Returns buf. */
char *ctype_long_text(const struct ctype *t, char *buf, size_t n);
/* The same, of a struct or union with where its members lie, and the holes between. */
char *ctype_layout_text(const struct ctype *t, char *buf, size_t n);
/* "RED", "(READ | WRITE)", "7"; of a value that is none of the enumerators. walk: of the text that
 * it is for. Returns buf. */
char *ctype_enum_text(const struct ctype *t, int64_t value, struct dwarf_walk *walk, char *buf,
                      size_t n);

#endif
