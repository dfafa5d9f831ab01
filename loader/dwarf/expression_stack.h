/* The typed stack of a DWARF expression. Its depth is bounded; an operation that does not fit or
 * has no meaning fails. */
#ifndef CYCLOPS_LOADER_DWARF_EXPRESSION_STACK_H
#define CYCLOPS_LOADER_DWARF_EXPRESSION_STACK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_STACK_MAX = 32 };

/* A base type; the generic one has 8 bytes, and most operations take it as signed. */
struct expression_base {
	uint8_t size; /* bytes: 1, 2, 4, 8 */
	bool is_signed, is_float, is_generic;
};

extern const struct expression_base expression_generic;

struct expression_entry {
	uint64_t v; /* of floating point its bits */
	struct expression_base base;
};

struct expression_stack {
	struct expression_entry entry[EXPRESSION_STACK_MAX]; /* [depth] */
	size_t depth;
};

/* Pushes a value. False if there is no room, or the type is invalid. */
bool stack_push(struct expression_stack *s, uint64_t v, struct expression_base b);
/* The top entry; NULL if it is empty. */
struct expression_entry *stack_top(struct expression_stack *s);
/* Converts the top to another type, by its value or, reinterpreted, by its bits. */
bool stack_convert(struct expression_stack *s, const Dwarf_Op *op, struct expression_base to);
/* Operations on two values, on one value, and on the stack itself. False: another operation, or
 * operands are missing. */
bool stack_binary(struct expression_stack *s, unsigned atom);
bool stack_unary(struct expression_stack *s, const Dwarf_Op *op);
bool stack_shuffle(struct expression_stack *s, const Dwarf_Op *op);

#endif
