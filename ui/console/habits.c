#include "ui/console/habits.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *word, *right;
} habits[] = {
#define HABIT(word, right) {word, right},
#include "ui/console/habits.def"
#undef HABIT
};
enum { HABITS = sizeof habits / sizeof *habits };

const char *habit_find(const char *word)
{
	for (unsigned i = 0; i < HABITS; i++)
		if (!strcmp(habits[i].word, word))
			return habits[i].right;
	return NULL;
}

const char *habit_word(unsigned i)
{
	return i < HABITS ? habits[i].word : NULL;
}
