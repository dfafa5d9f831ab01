/* What views, `why` and commands say about the value sampler: what its handler does, or waits for,
 * and what it recorded. Every function that takes buf writes at most n bytes there, NUL included,
 * and returns it. */
#ifndef CYCLOPS_HWVIEWS_VALUES_VSAMPLE_ROWS_H
#define CYCLOPS_HWVIEWS_VALUES_VSAMPLE_ROWS_H

#include "core/prof/values/vsample.h"
#include "hwviews/session/view_text.h"

/* The state of the session's value sampler, NULL if its machine has none. */
const struct vsample_state *session_vsample(const struct session *s);
/* The handler runs; and this interrupt is one for values. */
bool vsample_runs(const struct session *s);
bool vsample_interprets(const struct session *s);
/* Cycles until this phase is over, the next one included; while the handler runs. */
uint64_t vsample_cycles_left(const struct session *s);
/* In a few words: "41,210 instructions to go", "interprets walk+0x10, 3 of 4". */
char *format_vsample(const struct session *s, char *buf, size_t n);
/* What the interrupt that comes is for: "it interprets", "the third from now interprets". */
char *format_vsample_turn(const struct session *s, char *buf, size_t n);
/* A line: what its handler does, or what it waits for. */
char *why_vsample(const struct session *s, char *buf, size_t n);

/* Instructions of the program that the last interpretation has recorded; those that were lost and
 * not, up to `most`, the newest: oldest first, NULL for one that was lost. Returns how many are in
 * out. */
unsigned vsample_recorded(const struct session *s, const struct vsample_tuple **out, unsigned most);
/* "12", "-40", "0x1040c". */
char *format_value(uint64_t value, char *buf, size_t n);
/* The same of a register; "3.25" of a floating-point one. */
char *format_register_value(unsigned reg, uint64_t value, char *buf, size_t n);
/* `cells` characters, of which as much is filled as the share, 0 to 1, says. */
char *share_bar(double share, unsigned cells, char *buf, size_t n);

/* "ld a5,8(s1)" */
char *format_vsample_inst(const struct session *s, const struct vsample_tuple *t, char *buf,
                        size_t n);
/* "s1 0x2a010 → a5 0x10, at nodes+0x18, L2, 14 cycles": what was captured of it, "?" for what its
 * method could not know. */
char *format_vsample_values(const struct session *s, const struct vsample_tuple *t, char *buf,
                          size_t n);

#endif
