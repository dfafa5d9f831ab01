/* Width and character set of the terminal, and restoring it. */
#ifndef CYCLOPS_UI_RENDER_TERMINAL_H
#define CYCLOPS_UI_RENDER_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct termios;

/* Cells in a line: COLUMNS if it is set, else the width of the terminal on stdout; 0 if stdout is
 * no terminal. */
unsigned terminal_width(void);
/* True if the locale of the environment (LC_ALL, LC_CTYPE, LANG) is UTF-8. */
bool terminal_utf8(void);

/* ---- restoring a terminal: failures are retried a few times, as no later code would.
 * Async-signal-safe. ---- */
/* Writes all of the bytes; false if it cannot. */
bool terminal_write(int fd, const char *bytes, size_t n);
/* Sets the terminal's modes if they differ. False: they still do. */
bool terminal_set_modes(int fd, const struct termios *modes);

#endif
