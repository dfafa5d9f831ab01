/* Shared by the views of the stream sampler: counters as heat, and tuples and components' steps in
 * words. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_SAMPLER_ROWS_H
#define CYCLOPS_HWVIEWS_SAMPLER_SAMPLER_ROWS_H

#include "core/prof/sampler/component.h"
#include "core/prof/sampler/sampler.h"
#include "hwviews/session/view_text.h"

/* The sampler of the session's machine, NULL if there is none; and the device state that sampler
 * functions need. */
const struct sampler *session_sampler(const struct session *s);
/* An instruction's mark: "●" gave a tuple at its commit; "○" decode has seen a `mark` before it;
 * "◈" tagged for the co-processor; else "". */
const char *sampler_mark(const struct session *s, const struct uop *u);
/* Widens the column of marks for it, in a machine with a sampler or a co-processor. */
void sampler_mark_column(const struct session *s, struct grid_column *c);
const struct prof *session_prof(const struct session *s);

struct component_counter counter_of(const struct compressor *c, unsigned stage, uint32_t entry);
/* Fill from 0, empty, to 8, full. */
unsigned counter_level(const struct component_counter *c);
/* One character for the fill; `×` for an entry that waits to be evicted. */
const char *counter_glyph(const struct component_counter *c);
/* "131 of 256", "82 to go". Returns buf. */
char *counter_text(const struct component *part, const struct component_counter *c, char *buf,
                   size_t n);
/* "T(64)", without a tagged table's options; and these options, "ways=2, tag=2, ..." or "". Both
 * return buf. */
char *format_component(const struct component *part, char *buf, size_t n);
char *format_component_options(const struct component *part, char *buf, size_t n);
/* A bar of `cells` characters. Returns buf. */
char *level_bar(uint64_t at, uint64_t of, unsigned cells, char *buf, size_t n);

/* "find+0xc → 0x10": the second word in the format of its tag's streams, if they agree; a leading
 * "[1]" means tag 1. Returns buf. */
char *format_tuple(const struct session *s, struct tuple t, char *buf, size_t n);
void cell_tuple(struct grid *g, const struct session *s, enum role role, struct tuple t);

/* A component's last step, if any: "counter 1207 went from 130 to 131 of 256", "E4 in entry 12:
 * ...". Returns buf. */
char *format_touch(const struct component *part, const struct component_touch *t, char *buf,
                 size_t n);
/* True if the step was in the cycle just done. */
bool step_is_now(const struct prof *d, const struct sampler_step *step);
/* "this cycle", "3 cycles ago, 1,204". Returns buf. */
char *format_ago(uint64_t now, uint64_t cycle, char *buf, size_t n);

#endif
