/* Texts of views, `why` and commands about the value sampler: its handler's activity or wait, and
 * the recorded values. Every function that takes buf writes at most n bytes there, NUL included,
 * and returns it. */
#ifndef CYCLOPS_HWVIEWS_VALUES_VSAMPLE_ROWS_H
#define CYCLOPS_HWVIEWS_VALUES_VSAMPLE_ROWS_H

#include "core/prof/values/vsample.h"
#include "hwviews/session/view_text.h"

/* The state of the session's value sampler, NULL if its machine has none. */
const struct vsample_state *session_vsample(const struct session *s);
/* The handler is running; and this interrupt interprets values. */
bool vsample_runs(const struct session *s);
bool vsample_interprets(const struct session *s);
/* Cycles until the handler's present phase ends, including the next cycle. Call only while the
 * handler runs. */
uint64_t vsample_cycles_left(const struct session *s);
/* Short form: "41,210 instructions to go", "interprets walk+0x10, 3 of 4". */
char *format_vsample(const struct session *s, char *buf, size_t n);
/* Purpose of the next interrupt: "it interprets", "the third from now interprets". */
char *format_vsample_turn(const struct session *s, char *buf, size_t n);
/* A line: the handler's activity, or its wait. */
char *why_vsample(const struct session *s, char *buf, size_t n);

/* The newest `most` program instructions that the last interpretation recorded or lost, oldest
 * first; NULL for a lost one. Returns their number in out. */
unsigned vsample_recorded(const struct session *s, const struct vsample_tuple **out, unsigned most);
/* "12", "-40", "0x1040c". */
char *format_value(uint64_t value, char *buf, size_t n);
/* The same for a register; "3.25" for a floating-point one. */
char *format_register_value(unsigned reg, uint64_t value, char *buf, size_t n);
/* A bar of `cells` characters, filled by the share, 0 to 1. */
char *share_bar(double share, unsigned cells, char *buf, size_t n);

/* "ld a5,8(s1)" */
char *format_vsample_inst(const struct session *s, const struct vsample_tuple *t, char *buf,
                        size_t n);
/* "s1 0x2a010 → a5 0x10, at nodes+0x18, L2, 14 cycles": captured values; "?" for a value that the
 * method can't capture. */
char *format_vsample_values(const struct session *s, const struct vsample_tuple *t, char *buf,
                          size_t n);

#endif
