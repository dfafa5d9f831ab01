/* Help of words as views draw them: heads of columns, rows of stacks, causes of waiting. */
#ifndef CYCLOPS_UI_HELP_HELP_DRAWN_H
#define CYCLOPS_UI_HELP_HELP_DRAWN_H

#include "ui/console/command.h"

/* Prints what a drawn word means, in each view that draws it. False: none does. */
bool help_put_drawn(struct console *c, const char *word);

#endif
