/* Formats values of expressions. */
#ifndef CYCLOPS_UI_CONSOLE_VALUE_TEXT_H
#define CYCLOPS_UI_CONSOLE_VALUE_TEXT_H

#include "scripting/expr/expr.h"
#include "ui/console/command.h"

/* Letter as in gdb: x d u o t a c f s, or 0: the most informative format ("66572 (0x1040c,
 * find+0x10)"); n: the same for an unsigned number. Returns buf. */
char *value_text(const struct console *c, const struct expr_value *v, char letter, char *buf,
                 size_t n);
/* The same for the bits of a register or of memory; size in bytes (1, 2, 4, 8). */
char *value_bits_text(const struct console *c, uint64_t bits, unsigned size, char letter, char *buf,
                      size_t n);
/* True if the name is a count: a statistic, cycle, insts, newest. */
bool value_is_count(const char *name);
/* True if v is an address in the program's memory that a symbol covers. */
bool value_is_place(const struct console *c, uint64_t v);
/* Prints a line about the instruction in flight that will write the value just shown; coming: the
 * new value, "" or NULL: not known yet. Nothing if seq is 0. */
void value_print_coming(struct console *c, uint64_t seq, const char *coming);

#endif
