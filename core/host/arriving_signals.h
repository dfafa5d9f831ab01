/* Signals on hosts where nothing interrupts code that computes. */
#ifndef CYCLOPS_CORE_HOST_ARRIVING_SIGNALS_H
#define CYCLOPS_CORE_HOST_ARRIVING_SIGNALS_H

/* Runs the handlers of signals that have come; where signals interrupt code, it does nothing. For
 * loops that run for long, some times a second. */
void arriving_signals_take(void);

#endif
