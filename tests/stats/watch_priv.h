/* Common parts of a watch. */
#ifndef CYCLOPS_TESTS_STATS_WATCH_PRIV_H
#define CYCLOPS_TESTS_STATS_WATCH_PRIV_H

#include "tests/stats/watch.h"

struct flight *flight_of(struct watch *w, uint64_t seq);
/* A divider or root is held for the time of its parameter, all else takes its unit for a cycle.
 */
uint64_t watch_held(const struct watch *w, const struct uop *u);
void watch_hear(void *ctx, const struct machine *m, const struct event *ev);
void watch_charge(struct watch *w);
/* Rows of the slot stack: slots.c. */
enum slot_row full_line_row(const struct watch *w, const struct uop *u);
enum slot_row full_buffer_row(const struct watch *w);

#endif
