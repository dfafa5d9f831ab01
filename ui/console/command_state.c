#include "ui/console/command_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

struct command_state *state_new(void)
{
	return alloc_zeroed(1, sizeof(struct command_state));
}

void state_free(struct command_state *st)
{
	if (!st)
		return;
	for (size_t i = 0; i < st->alias_count; i++) {
		free(st->aliases[i].name);
		free(st->aliases[i].text);
	}
	free(st->aliases);
	for (size_t i = 0; i < st->display_count; i++)
		free(st->displays[i].line);
	free(st->displays);
	for (int i = 0; i < SHOWN_MAX; i++) {
		free(st->shown[i].words);
		if (st->shown[i].has_before)
			grid_deinit(&st->shown[i].before);
	}
	for (size_t i = 0; i < st->completion_count; i++)
		free(st->completions[i]);
	free(st->completions);
	free(st->own_mover);
	free(st);
}

const char *alias_text(const struct command_state *st, const char *word)
{
	for (size_t i = 0; i < st->alias_count; i++)
		if (!strcmp(st->aliases[i].name, word))
			return st->aliases[i].text;
	return NULL;
}

static bool alias_forget(struct command_state *st, const char *word)
{
	for (size_t i = 0; i < st->alias_count; i++) {
		if (strcmp(st->aliases[i].name, word) != 0)
			continue;
		free(st->aliases[i].name);
		free(st->aliases[i].text);
		st->aliases[i] = st->aliases[--st->alias_count];
		return true;
	}
	return false;
}

bool alias_set(struct command_state *st, const char *word, const char *text)
{
	if (!text)
		return alias_forget(st, word);
	struct alias *grown = alloc_resize(st->aliases, (st->alias_count + 1) * sizeof *grown);
	if (!grown)
		return false;
	st->aliases = grown;
	struct alias a = {alloc_text(word), alloc_text(text)};
	if (!a.name || !a.text) {
		free(a.name);
		free(a.text);
		return false;
	}
	alias_forget(st, word);
	st->aliases[st->alias_count++] = a;
	return true;
}
