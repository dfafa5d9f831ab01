/* Commands of other debuggers and shells, with their equivalents here. */
#ifndef CYCLOPS_UI_CONSOLE_HABITS_H
#define CYCLOPS_UI_CONSOLE_HABITS_H

/* Returns the equivalent of a word; NULL: none. */
const char *habit_find(const char *word);
/* Returns the i-th word; NULL past the last. */
const char *habit_word(unsigned i);

#endif
