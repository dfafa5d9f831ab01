/* Instructions in memory as the committed program sees them, and which of them are in flight. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_CODE_LINES_H
#define CYCLOPS_HWVIEWS_PROGRAM_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwviews/session/session.h"

/* An instruction as the machine takes it: a profile instruction with its prefix. */
struct code {
	struct inst inst;
	uint64_t pc;     /* byte address of the prefix, or of the instruction if unprefixed */
	unsigned prefix; /* bytes; 0: no prefix */
	unsigned type;   /* profile type, if prefixed */
	unsigned len;    /* bytes, prefix included */
};

/* Decodes the instruction at pc; false if nothing is mapped there. */
bool code_at(const struct session *s, uint64_t pc, struct code *out);
/* "pi.0 ld t2,0(s3)". Returns buf. */
char *code_text(const struct session *s, const struct code *c, char *buf, size_t n);
/* "4002 0003bb83": in hexadecimal, in parcels. Returns buf. */
char *code_bytes(const struct session *s, const struct code *c, char *buf, size_t n);
/* Number of instructions in [from, to). */
unsigned code_count(const struct session *s, uint64_t from, uint64_t to);
/* Fills at[] with the addresses of n instructions in sequence, so that at[before] is pc if the code
 * before it can be decoded; returns the number filled and sets *index to pc's index. */
size_t code_around(const struct session *s, uint64_t pc, size_t before, size_t n, uint64_t *at,
                   size_t *index);
/* Number of instructions between the start of pc's function and pc. */
size_t code_ordinal(const struct session *s, uint64_t pc);
/* "#81213 waiting, #81220? fetched", oldest first; empty if none. Returns buf. */
char *code_in_flight(const struct session *s, uint64_t lo, uint64_t hi, uint64_t *first_seq,
                     char *buf, size_t n);
/* Number of the first enabled breakpoint at code addresses [lo, hi), 0 if none. */
int code_breakpoint(const struct session *s, uint64_t lo, uint64_t hi);

#endif
