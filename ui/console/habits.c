#include "ui/console/habits.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "core/isa/regs.h"

static const struct habit habits[] = {
#define MEANS(words, line) {words, line, true},
#define HABIT(words, advice) {words, advice, false},
#include "ui/console/habits.def"
};
enum { HABITS = sizeof habits / sizeof *habits };

static char habit_fold(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

/* Length of `words` at the beginning of the text, up to the end of a word; 0: not there. */
static size_t habit_length(const char *words, const char *text)
{
	size_t i = 0;
	while (words[i] && habit_fold(words[i]) == habit_fold(text[i]))
		i++;
	return !words[i] && (!text[i] || text[i] == ' ' || text[i] == '\t') ? i : 0;
}

const char *habit_find(const char *words)
{
	for (unsigned i = 0; i < HABITS; i++)
		if (!habits[i].runs && habit_length(habits[i].words, words) == strlen(words))
			return *words ? habits[i].right : NULL;
	return NULL;
}

/* Whether the words are the line without its hyphens: whatif. */
static bool habit_spells(const char *words, const char *line)
{
	while (*words && (*words == *line || *line == '-'))
		words += *words == *line++;
	return !*words && !*line;
}

const char *habit_line(const char *text, const char **rest)
{
	const char *line = NULL;
	size_t longest = 0;
	if (habit_find(text))
		return NULL;
	for (unsigned i = 0; i < HABITS; i++) {
		const size_t n = habits[i].runs ? habit_length(habits[i].words, text) : 0;
		const char *behind = text + n + strspn(text + n, " \t");
		/* Skips the command itself: "what if" means `what-if`. Skips sentences: text after
		 * a single word, other than the command itself, must be a number or register. */
		if (n <= longest || !strncmp(text, habits[i].right, n) ||
		    (*behind && !strchr(habits[i].words, ' ') &&
		     !habit_spells(habits[i].words, habits[i].right) &&
		     !strchr("0123456789+-#$", *behind) && reg_from_name(behind) < 0))
			continue;
		longest = n;
		line = habits[i].right;
		*rest = behind;
	}
	return line;
}

const char *habit_shows(const char *text)
{
	static const char *const shows[] = {"view ", "stats", "info ",  "help",
	                                    "list",  "show",  "report "};
	const char *rest, *line = habit_line(text, &rest);
	for (size_t i = 0; line && !*rest && i < sizeof shows / sizeof *shows; i++)
		if (!strncmp(line, shows[i], strlen(shows[i])))
			return line;
	return NULL;
}

const struct habit *habit_at(unsigned i)
{
	return i < HABITS ? &habits[i] : NULL;
}
