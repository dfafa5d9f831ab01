/* Rows and sentences about the co-processor that views, `why` and commands share.
 * Every function that takes buf writes at most n bytes there, NUL included, and
 * returns it. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_ROWS_H
#define CYCLOPS_HWVIEWS_COP_COP_ROWS_H

#include "core/prof/cop/micro_code.h"
#include "hwviews/cop/cop_names.h"
#include "hwviews/session/view_text.h"

enum { MICRO_OPS = 5 }; /* ALU, index ALU, associative array, data array, branch */

/* An operation of a microinstruction, as text. */
struct micro_op_text {
	const char *unit;          /* "alu"; static */
	char text[MICRO_TEXT_MAX]; /* "sadd.32 samples, samples, one" */
	/* what it reads: "samples 12, one 1"; or what it did: "samples 13"; "" : nothing to say */
	char values[160];
};

/* Those of a microinstruction that is about to execute, with what they will read, in the order of
 * its text. Returns how many. */
unsigned micro_ops_ahead(const struct session *s, const struct micro_slot *slot,
                         struct micro_op_text out[MICRO_OPS]);
/* Those of the one that was executed last, with what they did. */
unsigned micro_ops_done(const struct session *s, const struct micro_trace *t,
                        struct micro_op_text out[MICRO_OPS]);

/* A number of a register: "12", "0x1040c find+0xc" where it may be an address. */
char *format_micro_value(const struct session *s, uint64_t value, char *buf, size_t n);
/* That of a register of this letter (0: of something else): constants are no addresses, targets are
 * places in the microcode. */
char *format_micro_register(const struct session *s, char letter, uint64_t value, char *buf,
                          size_t n);
/* "#812 load at find+0xc, result 0x10, 12 cycles, L1_MISS". */
char *format_record(const struct session *s, const struct cop_record *r, char *buf, size_t n);
/* In a word or two: "running", "waits for a record", "halted". */
const char *cop_status_words(const struct session *s, enum role *role);
/* A line: what the co-processor does, or what it waits for. */
char *why_cop(const struct session *s, char *buf, size_t n);
/* A line: "tagged: a load that no filter masks"; "" if there is nothing to say, or decode has not
 * seen it yet. */
char *why_tagged(const struct session *s, const struct uop *u, char *buf, size_t n);
/* Why an instruction of this class at pc would be tagged, or not. */
char *why_wanted(const struct session *s, unsigned kind, uint64_t pc, char *buf, size_t n);
/* Whether it is tagged, as far as decode has seen it: "◈" in queues. */
bool cop_mark(const struct session *s, const struct uop *u);
/* Executed in the cycle just done. */
bool cop_executed_now(const struct session *s);

#endif
