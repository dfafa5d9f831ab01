/* The prompt of a text session: readline with history and completion. */
#ifndef CYCLOPS_UI_CONSOLE_PROMPT_H
#define CYCLOPS_UI_CONSOLE_PROMPT_H

#include "ui/console/command.h"

/* Reads and runs lines until quit or end of input. Returns the exit status. */
int prompt_main(struct console *c);

#endif
