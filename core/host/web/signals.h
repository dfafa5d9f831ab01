/* Where signals take effect: for functions that wait. */
#ifndef CYCLOPS_CORE_HOST_WEB_SIGNALS_H
#define CYCLOPS_CORE_HOST_WEB_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Runs the handlers of signals that have come. True: a call that waits ends with EINTR. Exported to
 * library.js. */
bool signals_take(void);
/* The milliseconds for which a call that waits for `ms` (-1: without an end) may wait before the
 * next timer. */
int signals_wait_limit(int ms);
/* Takes one of the numbers (bit n - 1 for n), which are blocked. -1: the seconds are over, or a
 * handler ran. */
int signals_wait_for(uint64_t numbers, double seconds);

#endif
