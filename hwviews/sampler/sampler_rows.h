/* What the views of the stream sampler share: counters as heat, tuples and what components did in
 * words. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_SAMPLER_ROWS_H
#define CYCLOPS_HWVIEWS_SAMPLER_SAMPLER_ROWS_H

#include "core/prof/sampler/sampler.h"
#include "hwviews/session/view_text.h"

/* The sampler of the session's machine, NULL if it has none; and the device state that its
 * functions take. */
const struct sampler *session_sampler(const struct session *s);
/* What the sampler makes of an instruction: "●" it gave a tuple when it committed, "○" a `mark`
 * stands before it, decode has seen; "◈" it is tagged for the co-processor; else "". */
const char *sampler_mark(const struct session *s, const struct uop *u);
/* The column of marks has room for it, in a machine with a sampler or a co-processor. */
void sampler_mark_column(const struct session *s, struct grid_column *c);
const struct prof *session_prof(const struct session *s);

/* A counter of a component, as the hardware has it. */
struct counter {
	bool known;     /* R(r) has none */
	bool used;      /* it holds something */
	bool evicts;    /* T: waits to be evicted */
	/* how far it is towards a message: tuples of samplers, hits of T, units of A */
	uint64_t at, of;
};

struct counter counter_of(const struct compressor *c, unsigned stage, uint32_t entry);
/* 0: empty, to 8: full. */
unsigned counter_level(const struct counter *c);
/* One character: how full; `×` for an entry that waits to be evicted. */
const char *counter_glyph(const struct counter *c);
/* "131 of 256", "82 to go". Returns buf. */
char *counter_text(const struct component *part, const struct counter *c, char *buf, size_t n);
/* "T(64)": without what a tagged table's parameters are; and these, "ways=2, tag=2, ...", empty if
 * there are none. Both return buf. */
char *format_component(const struct component *part, char *buf, size_t n);
char *format_component_options(const struct component *part, char *buf, size_t n);
/* `cells` characters of how full. Returns buf. */
char *level_bar(uint64_t at, uint64_t of, unsigned cells, char *buf, size_t n);

/* "find+0xc → 0x10": the second word as the streams of its tag have it, if these agree; "[1]"
 * before it: tag 1. Returns buf. */
char *format_tuple(const struct session *s, struct tuple t, char *buf, size_t n);
void cell_tuple(struct grid *g, const struct session *s, enum role role, struct tuple t);

/* What a component did last, if anything: "counter 1207 went from 130 to 131 of 256", "E4 in entry
 * 12: ...". Returns buf. */
char *format_touch(const struct component *part, const struct component_touch *t, char *buf,
                 size_t n);
/* In the cycle just done. */
bool step_is_now(const struct prof *d, const struct sampler_step *step);
/* "this cycle", "3 cycles ago, 1,204". Returns buf. */
char *format_ago(uint64_t now, uint64_t cycle, char *buf, size_t n);

extern const char *const tag_state_name[];

#endif
