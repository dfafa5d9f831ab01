/* The prompt of a text session: readline with history and completion. */
#ifndef CYCLOPS_UI_PROMPT_H
#define CYCLOPS_UI_PROMPT_H

#include "ui/command.h"

/* Reads and runs lines until quit or end of input. Returns the exit status. */
int prompt_main(struct console *c);

/* History that the prompt keeps between sessions; the screen's prompt shares it. Failing to read or write the file is
 * no error. */
void prompt_history_load(void);
void prompt_history_save(void);
/* Adds a line unless it repeats the last one. */
void prompt_history_add(const char *line);
/* Lets readline complete through console_complete(). */
void prompt_complete_with(struct console *c);

#endif
