/* What a backslash means in texts of commands. */
#ifndef CYCLOPS_UI_CMD_ESCAPES_H
#define CYCLOPS_UI_CMD_ESCAPES_H

#include <stddef.h>

/* Puts what the escapes of C in the text mean in their place (a zero ends the text; one that C has
 * not is its character); its length. */
size_t escapes_read(char *text);

#endif
