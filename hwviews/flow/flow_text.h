/* Texts about a flow graph's blocks: code, source lines, targets. Every flow_*_text() writes to buf
 * (n bytes) and returns it. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_TEXT_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_TEXT_H

#include "hwviews/flow/flow_picture.h"

/* True if a block just falls through to the next one, or never returns from its last call. */
bool flow_goes_on(const struct flow_block *b);
/* "words.c:41 43": lines of the blocks' code, in order of execution, of the first line's file only;
 * empty if none is known. */
char *flow_lines_text(const struct session *s, const struct flow_picture *p, const uint32_t *blocks,
                      size_t count, char *buf, size_t n);
/* "14 insts, calls printf, qsort". */
char *flow_about_text(const struct session *s, const struct flow_picture *p,
                      const struct flow_block *b, char *buf, size_t n);
/* An instruction at original address `was`, with present names of places. */
char *flow_code_text(const struct session *s, const struct flow_picture *p, uint64_t was, char *buf,
                     size_t n);
/* Targets of a block that doesn't fall through: "12", "3, 5, ↺ 8", "exit", "?". Empty if it
 * returns. */
char *flow_targets_text(const struct session *s, const struct flow_picture *p,
                        const struct flow_block *b, char *buf, size_t n);
/* "bne a1,a2 → 12": how it ends. */
char *flow_end_text(const struct session *s, const struct flow_picture *p,
                    const struct flow_block *b, char *buf, size_t n);

#endif
