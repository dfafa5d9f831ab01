/* Instructions in memory as the committed program sees them, and what of them is in flight. */
#ifndef CYCLOPS_HWVIEWS_CODE_LINES_H
#define CYCLOPS_HWVIEWS_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwviews/session.h"

/* Decodes the instruction at pc; false if nothing is mapped there. */
bool code_at(const struct session *s, uint64_t pc, struct inst *in);
/* Fills at[] with the addresses of n instructions in sequence, so that at[before] is pc where the code
 * before it can be told; returns the number filled and sets *index to pc's place. */
size_t code_around(const struct session *s, uint64_t pc, size_t before, size_t n, uint64_t *at, size_t *index);
/* How many instructions stand between the start of pc's function and pc. */
size_t code_ordinal(const struct session *s, uint64_t pc);
/* "#81213 waiting, #81220? fetched", oldest first; empty if none. Returns buf. */
char *code_in_flight(const struct session *s, uint64_t lo, uint64_t hi, uint64_t *first_seq, char *buf, size_t n);
/* Number of the first enabled breakpoint at code addresses [lo, hi), 0 if none. */
int code_breakpoint(const struct session *s, uint64_t lo, uint64_t hi);

#endif
