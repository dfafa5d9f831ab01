/* The terminal: taking it, restoring it on every exit path, its signals and its keys.
 *
 * A process has one terminal, and signal handlers have no context, so the state is static. While
 * the terminal is taken, output to stdout, or to a stderr on the terminal, is caught, not shown. */
#ifndef CYCLOPS_UI_SCREEN_TERM_H
#define CYCLOPS_UI_SCREEN_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "ui/screen/term_keys.h"

/* True if stdin and stdout are a terminal with cursor addressing. If the terminal's type has no
 * entry on this host, sets TERM to a type that has one: the name without its suffix ("xterm" of
 * "xterm-kitty"), or else xterm-256color. */
bool term_possible(void);
/* A sentence about the replaced type; NULL: not replaced. */
const char *term_substituted(void);
/* Takes the terminal; stdin and stdout must be a terminal. False with *err: the terminal is
 * unchanged. */
bool term_open(struct err *err);
/* Restores the terminal; prints caught stderr output there. Safe to call twice. */
void term_close(void);

enum { TERM_INPUT = 1, TERM_SIGNAL = 2 };
/* Waits for a key or a signal, at most timeout_ms (-1: for ever); returns TERM_* bits, 0 on
 * timeout. */
int term_wait(int timeout_ms);

enum { TERM_RESIZED = 1, TERM_INTERRUPT = 2, TERM_STOP = 4, TERM_GONE = 8, TERM_CONTINUED = 16 };
/* Signals since the last call: TERM_* bits. */
unsigned term_signals(void);
/* Sets a function to call in the signal handler for Ctrl-C; NULL: none. */
void term_on_interrupt(void (*fn)(void *ctx), void *ctx);

/* Whether SIGTERM and SIGHUP are TERM_GONE, so that the session can keep what it has, and don't end
 * the process at once. */
void term_end_in_order(bool on);

/* Handles Ctrl-Z: restores the terminal, stops the process, and takes the terminal again when it
 * continues. */
void term_suspend(void);
/* Runs argv (NULL at the end) on the terminal, waits for its end, and takes the terminal again: the
 * program argv[0], or our own if that is no absolute path. False with *err if it could not
 * start, or its status is that of a shell which found no program. */
bool term_lend(char *const argv[], struct err *err);
/* Sets the terminal up again after the process was stopped and continued. */
void term_continue(void);
/* Adapts to the terminal's current size. */
void term_resize(void);
/* Redraws everything at the next update, whatever the terminal shows. */
void term_redraw(void);

/* Gives the terminal's clipboard a text in base64, if the terminal supports that (OSC 52). False:
 * the terminal is not taken. */
bool term_copy(const char *base64);

/* Output caught since the last call, malloc'd; NULL if none. */
char *term_caught(void);

#endif
