/* Help of words as views draw them: heads of columns, rows of stacks, causes of waiting. */
#ifndef CYCLOPS_UI_HELP_HELP_DRAWN_H
#define CYCLOPS_UI_HELP_HELP_DRAWN_H

#include "ui/console/command.h"

/* Prints the meaning of a drawn word in each view that draws it. False: no view does. */
bool help_put_drawn(struct console *c, const char *word);

#endif
