/* Help topics: the same text for `help WORD` in a session and `cyclops help WORD`. */
#ifndef CYCLOPS_UI_HELP_HELP_H
#define CYCLOPS_UI_HELP_HELP_H

#include "ui/console/command.h"

/* Prints a topic, or the overview for "". CMD_ERROR if there is no such topic; c->err names the
 * nearest. */
enum command_result help_topic(struct console *c, const char *topic);
/* Lists the topics with `word` in name, summary or text, one per line. */
enum command_result help_search(struct console *c, const char *word);
/* Writes the name of a topic whose name or text has the words to out[size]; one whose name or
 * summary has them comes first. False: there is none, or the words are too short. */
bool help_mentions(struct console *c, const char *words, char *out, size_t size);
/* i-th name that help_topic() finds; NULL: there are fewer. */
const char *help_name(struct console *c, unsigned i);

#endif
