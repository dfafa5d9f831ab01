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
	/* operands before execution: "samples 12, one 1"; results after: "samples 13"; may be "" */
	char values[160];
};

/* Operations of a microinstruction that is about to execute, with their operands, in the order of
 * its text. Returns their number. */
unsigned micro_ops_ahead(const struct session *s, const struct micro_slot *slot,
                         struct micro_op_text out[MICRO_OPS]);
/* Operations of the last executed microinstruction, with their results. */
unsigned micro_ops_done(const struct session *s, const struct micro_trace *t,
                        struct micro_op_text out[MICRO_OPS]);

/* A value: "12"; "0x1040c find+0xc" where it may be an address. */
char *format_micro_value(const struct session *s, uint64_t value, char *buf, size_t n);
/* The value of a register of this letter (0: not a register): constants are never shown as
 * addresses, targets are places in the microcode. */
char *format_micro_register(const struct session *s, char letter, uint64_t value, char *buf,
                          size_t n);
/* "#812 load at find+0xc, result 0x10, 12 cycles, L1_MISS". */
char *format_record(const struct session *s, const struct cop_record *r, char *buf, size_t n);
/* In a word or two: "running", "waits for a record", "halted". */
const char *cop_status_words(const struct session *s, enum role *role);
/* A line: the co-processor's activity, or the reason why it waits. */
char *why_cop(const struct session *s, char *buf, size_t n);
/* A line: "tagged: a load that no filter masks"; "" if decode has not seen u, or there is no reason
 * to show. */
char *why_tagged(const struct session *s, const struct uop *u, char *buf, size_t n);
/* Why an instruction of this class at pc is tagged, or not. */
char *why_wanted(const struct session *s, unsigned kind, uint64_t pc, char *buf, size_t n);
/* True if decode has tagged it: "◈" in queues. */
bool cop_mark(const struct session *s, const struct uop *u);
/* True if it executed a microinstruction in the cycle just done. */
bool cop_executed_now(const struct session *s);

#endif
