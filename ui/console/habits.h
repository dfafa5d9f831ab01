/* What people type who are used to another program. */
#ifndef CYCLOPS_UI_CONSOLE_HABITS_H
#define CYCLOPS_UI_CONSOLE_HABITS_H

/* What does here what the word does elsewhere; NULL: nobody knows. */
const char *habit_find(const char *word);
/* i-th word; NULL behind the last. */
const char *habit_word(unsigned i);

#endif
