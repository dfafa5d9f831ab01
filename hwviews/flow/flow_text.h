/* What is said of a flow graph's blocks in words: their code, their source lines, where they lead.
 * Every flow_*_text() writes to buf (n bytes) and returns it. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_TEXT_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_TEXT_H

#include "hwviews/flow/flow_picture.h"

/* Whether a block simply goes on to what stands behind it, or never comes back from its last call.
 */
bool flow_goes_on(const struct flow_block *b);
/* "words.c:41 43": the lines of blocks' code in the order in which they come, those of the first
 * line's file; empty if none is known. */
char *flow_lines_text(const struct session *s, const struct flow_picture *p, const uint32_t *blocks,
                      size_t count, char *buf, size_t n);
/* "14 insts, calls printf, qsort". */
char *flow_about_text(const struct session *s, const struct flow_picture *p,
                      const struct flow_block *b, char *buf, size_t n);
/* An instruction that was at `was`, with the names that places have now. */
char *flow_code_text(const struct session *s, const struct flow_picture *p, uint64_t was, char *buf,
                     size_t n);
/* Where a block that doesn't go on leads: "12", "3, 5, ↺ 8", "exit", "?". Empty if it returns. */
char *flow_targets_text(const struct session *s, const struct flow_picture *p,
                        const struct flow_block *b, char *buf, size_t n);
/* "bne a1,a2 → 12": how it ends. */
char *flow_end_text(const struct session *s, const struct flow_picture *p,
                    const struct flow_block *b, char *buf, size_t n);

#endif
