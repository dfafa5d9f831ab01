/* Parts of a sample, each by a process of its own if there are several. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_PARTS_H
#define CYCLOPS_UI_CLI_SAMPLE_PARTS_H

#include "core/base/err.h"
#include "core/run/sample.h"

/* Measures part k into *out, which is empty, and says how it ended. False with *err. */
typedef bool sample_part_fn(void *ctx, unsigned k, struct sample *out, enum sample_end *end,
                            struct err *err);

/* Of parts 0 to parts - 1, so many at once, appends what was measured to *out, in their order;
 * *end becomes the worst of all ends. One part alone is measured here. False with *err. */
bool sample_parts_run(sample_part_fn *fn, void *ctx, unsigned parts, unsigned jobs,
                      struct sample *out, enum sample_end *end, struct err *err);

#endif
