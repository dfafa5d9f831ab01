/* Types of C by DWARF. A type is a small value that can be copied; its DIEs and names are borrowed
 * from the program.
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
	CTYPE_COMPLEX, /* two floating-point numbers */
	CTYPE_ENUM,
	CTYPE_POINTER,
	CTYPE_MEMBER, /* pointer to member: 8 bytes, or 16 if to a function */
	CTYPE_ARRAY,
	CTYPE_STRUCT,
	CTYPE_UNION,
	CTYPE_FUNCTION
};

struct ctype {
	enum ctype_kind kind;
	bool is_signed;
	bool count_known;   /* of an array */
	bool is_reference;  /* of C++: a pointer that is dereferenced on each use */
	bool is_32bit;      /* of a program in which pointers and `long` have 4 bytes */
	uint64_t size;      /* bytes, 0: unknown or none */
	uint64_t count;     /* of an array: its elements */
	Dwarf_Die die;      /* without typedefs and qualifiers; addr NULL: a made type, or void */
	Dwarf_Die named;    /* as it was declared; addr NULL as above */
	unsigned dimension; /* of an array of several dimensions: the current one */
	unsigned stars;     /* pointers added to `named` */
	uint64_t made;      /* elements of an array made of the type above; 0: none made */
	const char *name;   /* of a made type */
};

/* The type that a variable, member, pointer, array... refers to (DW_AT_type): void if it has
 * none. */
struct ctype ctype_of(Dwarf_Die *die);
/* The type that a DIE describes. */
struct ctype ctype_at(Dwarf_Die *die);
/* C's own types by kind, size and sign: "int", "unsigned long", "double"... */
struct ctype ctype_made(enum ctype_kind kind, unsigned size, bool is_signed);
/* `long` of a program with pointers of 4 or 8 bytes; pointers to the result have that size, too. */
struct ctype ctype_long(bool is_signed, bool is_32bit);
/* C's longest integer types, and char, under their own names. */
struct ctype ctype_long_long(bool is_signed);
struct ctype ctype_unsigned_char(void);
struct ctype ctype_pointer_to(struct ctype t);
/* An array of `count` elements of t; if t was made so, of t's elements. */
struct ctype ctype_array_of(struct ctype t, uint64_t count);
/* The type that a typedef names, one step further; any other type itself. */
struct ctype ctype_behind_typedef(const struct ctype *t);
/* The type that a pointer points to, an array's elements, or a function's result. */
struct ctype ctype_target(const struct ctype *t);

/* The prefix of quoted text of a wide character type (`wchar_t`: 'L', `char16_t`: 'u', `char32_t`:
 * 'U'); 0 for other types. */
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
	const char *name;  /* NULL: an unnamed struct or union, or a base class */
	bool is_base;      /* a base class */
	bool is_static;    /* shared by all objects: `die` is that variable's */
	/* a virtual base, or a member of one: its offset depends on the object, and `offset` is
	 * unused */
	bool is_virtual;
	Dwarf_Die die;
	struct ctype type;
	uint64_t offset;   /* bytes */
	unsigned bit_offset, bit_size; /* of a bit-field: from `offset` on; bit_size 0: none */
};

/* Iterates over a type's members. Callers that descend into members' members must share a walk: a
 * corrupt type may contain itself. */
struct cmembers {
	Dwarf_Die next; /* addr NULL: there is none */
	struct dwarf_walk *walk; /* borrowed */
	bool statics, virtuals; /* include those, too */
};

struct cmembers ctype_members(const struct ctype *t, struct dwarf_walk *walk);
/* The next member; false after the last. */
bool cmember_next(struct cmembers *members, struct cmember *out);
/* The attribute that locates a virtual base, for place_number() with its object's address; false if
 * there is none. */
bool cmember_location(const struct cmember *m, Dwarf_Attribute *attr);
/* Finds a member by name, in unnamed members too. */
bool ctype_member_named(const struct ctype *t, const char *name, struct cmember *out);

/* The types of a function's parameters, at most `max`; returns their number, which may be larger.
 * *more: it takes further arguments (`...`, or declared without parameters). */
unsigned ctype_parameters(const struct ctype *function, struct ctype *out, unsigned max,
                          bool *more);
/* True for a class that is passed and returned by reference, as its copies need a constructor. */
bool ctype_by_reference(const struct ctype *t);

/* The i-th type argument of a C++ template. */
bool ctype_argument(const struct ctype *t, unsigned i, struct dwarf_walk *walk, struct ctype *out);

/* The class of a pointer to member. */
struct ctype ctype_containing(const struct ctype *t);
/* The name of the class's own virtual function with that vtable index, "A::v(int)". False if none
 * has it. */
bool ctype_virtual_name(const struct ctype *t, const struct program *image,
                        struct dwarf_walk *walk, unsigned entry, char *buf, size_t n);
/* The vtable index of a function; -1: it is not virtual. */
int ctype_virtual_entry(const struct ctype *function, const struct program *image);
/* The type of the class's own virtual function of this name, if it has exactly one. */
bool ctype_virtual_named(const struct ctype *t, const struct program *image,
                         struct dwarf_walk *walk, const char *name, struct ctype *out);
/* The highest vtable index of a virtual function declared in the class; -1: none. */
int ctype_last_virtual(const struct ctype *t, const struct program *image, struct dwarf_walk *walk);

/* Formats "struct node *", "int (*)(int)", "char [4]"; with a name, its declaration. Returns
 * buf. */
char *ctype_text(const struct ctype *t, const char *name, char *buf, size_t n);
/* The same with typedefs resolved and members listed, on several lines. Returns buf. */
char *ctype_long_text(const struct ctype *t, char *buf, size_t n);
/* The same for a struct or union, with members' offsets and holes. Returns buf. */
char *ctype_layout_text(const struct ctype *t, char *buf, size_t n);
/* Formats an enumerated value: "RED", "(READ WRITE)", "7". walk: of the text that the value is part
 * of. Returns buf. */
char *ctype_enum_text(const struct ctype *t, int64_t value, struct dwarf_walk *walk, char *buf,
                      size_t n);

#endif
