/* Texts of the reason why an instruction is where it is: phrases for the causes of core/pipe/why.h,
 * from one table (why_phrases.def). Every function that takes buf writes at most n bytes there, NUL
 * included, and returns it. */
#ifndef CYCLOPS_HWVIEWS_WHY_WHY_TEXT_H
#define CYCLOPS_HWVIEWS_WHY_WHY_TEXT_H

#include <stddef.h>

#include "core/pipe/why.h"
#include "hwviews/grid/grid.h"

struct session;

/* The cause's name: "older store's data". */
const char *why_words(enum why_id id);
enum role why_role(const struct why *w);
/* For a table, without the time: "a5 #81211", "TLB, L2", "mem unit, all 2 taken"; "" if nothing
 * holds it. */
char *why_cell(const struct pipe *p, const struct uop *u, const struct why *w, char *buf, size_t n);
/* One line, down to the root cause: "#81213 bne a3,a0 waits for a3 from #81212 add, which waits for
 * a5 from #81211 ld: L2 hit, data in 4 cycles". */
char *why_line(const struct session *s, const struct uop *u, char *buf, size_t n);
/* The same for fetch: "fetch waits for the line at hash+0x40 from beyond the L1I, here in 23 cycles
 * (cycle 162)". */
char *why_fetch_line(const struct session *s, char *buf, size_t n);
/* A line for a stall of that many cycles without commit: the reason why the oldest instruction or
 * fetch waits. */
char *why_stalled(const struct session *s, uint64_t cycles, char *buf, size_t n);
/* Short form, before fetch's address: "redirected, resumes at". */
const char *why_fetch_words(const struct pipe *p);

#endif
