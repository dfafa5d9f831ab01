/* The terminal: taking it, giving it back on every way out, its signals and its keys.
 *
 * A process has one terminal and signal handlers know nothing else, so what stands behind these
 * functions is static. While it is taken, what anybody prints to stdout or to a stderr on the
 * terminal is caught, not shown. */
#ifndef CYCLOPS_UI_SCREEN_TERM_H
#define CYCLOPS_UI_SCREEN_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "ui/screen/term_keys.h"

/* Whether stdin and stdout are a terminal that can place text anywhere. */
bool term_possible(void);
/* stdin and stdout are a terminal. False with *err: it is as it was. */
bool term_open(struct err *err);
/* Gives the terminal back; what was printed to stderr meanwhile appears there now. Safe to call
 * twice. */
void term_close(void);

enum { TERM_INPUT = 1, TERM_SIGNAL = 2 };
/* Waits for a key or a signal, at most timeout_ms (-1: for ever); returns TERM_* bits, 0 if the
 * time is over. */
int term_wait(int timeout_ms);

enum { TERM_RESIZED = 1, TERM_INTERRUPT = 2, TERM_STOP = 4, TERM_GONE = 8, TERM_CONTINUED = 16 };
/* What signals have asked for since the last call: TERM_* bits. */
unsigned term_signals(void);
/* Called in a signal handler when Ctrl-C arrives; NULL: nothing. */
void term_on_interrupt(void (*fn)(void *ctx), void *ctx);

/* Ctrl-Z: gives the terminal back, stops the process, and takes the terminal again when it goes on.
 */
void term_suspend(void);
/* Gives the terminal to this program of ours, with its arguments (NULL at the end), waits for its
 * end, and takes the terminal again. False with *err if it could not begin. */
bool term_lend(char *const argv[], struct err *err);
/* The process was stopped and goes on: whatever others did to the terminal is undone. */
void term_continue(void);
/* Adapts to the terminal's present size. */
void term_resize(void);
/* Redraws everything at the next update, whatever is believed to be on the terminal. */
void term_redraw(void);

/* What was caught since the last call, malloc'd; NULL if nothing. */
char *term_caught(void);

#endif
