/* What the place where answers go can show. */
#ifndef CYCLOPS_UI_RENDER_TERMINAL_H
#define CYCLOPS_UI_RENDER_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct termios;

/* Cells in a line: COLUMNS if it is set, else the terminal's on stdout; 0 if stdout is no terminal.
 */
unsigned terminal_width(void);
/* Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) is a UTF-8 one. */
bool terminal_utf8(void);

/* ---- giving a terminal back: what fails is tried again, some times, for nobody else will do it.
 * For signal handlers too. ---- */
/* All of the bytes, or false. */
bool terminal_write(int fd, const char *bytes, size_t n);
/* Its modes, if they are not these already. False: they are not. */
bool terminal_set_modes(int fd, const struct termios *modes);

#endif
