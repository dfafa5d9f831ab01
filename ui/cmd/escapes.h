/* Backslash escapes in texts of commands. */
#ifndef CYCLOPS_UI_CMD_ESCAPES_H
#define CYCLOPS_UI_CMD_ESCAPES_H

#include <stddef.h>

/* Replaces C escapes in place (a zero ends the text; an unknown escape becomes its character).
 * Returns the new length. */
size_t escapes_read(char *text);

#endif
