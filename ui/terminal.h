/* What the place where answers go can show. */
#ifndef CYCLOPS_UI_TERMINAL_H
#define CYCLOPS_UI_TERMINAL_H

#include <stdbool.h>

/* Cells in a line: COLUMNS if it is set, else the terminal's on stdout; 0 if stdout is no terminal. */
unsigned terminal_width(void);
/* Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) is a UTF-8 one. */
bool terminal_utf8(void);

#endif
