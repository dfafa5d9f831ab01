/* What help explains: the same text for `help WORD` in a session and `cyclops help WORD`. */
#ifndef CYCLOPS_UI_HELP_HELP_H
#define CYCLOPS_UI_HELP_HELP_H

#include "ui/console/command.h"

/* CMD_ERROR with c->err, naming the nearest topic, if nothing has that name. An empty topic gives
 * the overview. */
enum command_result help_topic(struct console *c, const char *topic);
/* Every topic with `word` in its name, summary or text: a line each. */
enum command_result help_search(struct console *c, const char *word);
/* i-th name that help_topic() knows, NULL behind the last. */
const char *help_name(struct console *c, unsigned i);

#endif
