/* Help topics: the same text for `help WORD` in a session and `cyclops help WORD`. */
#ifndef CYCLOPS_UI_HELP_HELP_H
#define CYCLOPS_UI_HELP_HELP_H

#include "ui/console/command.h"

/* Prints a topic; the overview if it is empty. CMD_ERROR with c->err, which names the nearest
 * topic, if there is none of that name. */
enum command_result help_topic(struct console *c, const char *topic);
/* Lists every topic with `word` in its name, summary or text: a line each. */
enum command_result help_search(struct console *c, const char *word);
/* i-th name that help_topic() finds; NULL: there are fewer. */
const char *help_name(struct console *c, unsigned i);

#endif
