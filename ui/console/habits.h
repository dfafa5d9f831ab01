/* Words that are no commands: of other debuggers, of shells, of the field. */
#ifndef CYCLOPS_UI_CONSOLE_HABITS_H
#define CYCLOPS_UI_CONSOLE_HABITS_H

#include <stdbool.h>

struct habit {
	const char *words;
	const char *right; /* a command line if `runs`, else advice */
	bool runs;
};

/* Returns the advice for a line's words; NULL: none. */
const char *habit_find(const char *words);
/* Returns the command line that the first words of `text` mean; *rest: the text after these words
 * (after a single word, only a number or register). NULL: none. */
const char *habit_line(const char *text, const char **rest);
/* Like habit_line(), for a whole text; only for command lines that move and change nothing. */
const char *habit_shows(const char *text);
/* Returns the i-th row; NULL past the last. */
const struct habit *habit_at(unsigned i);

#endif
