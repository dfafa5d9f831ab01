/* The table of the screen's own commands (screen_commands.def). */
#ifndef CYCLOPS_UI_SCREEN_SCREEN_COMMANDS_H
#define CYCLOPS_UI_SCREEN_SCREEN_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

struct screen;

struct screen_command {
	const char *name, *usage, *help;
	bool (*exec)(struct screen *s, const char *args, struct err *err); /* false with *err */
};

extern const struct screen_command screen_commands[];
extern const unsigned screen_command_count;

/* The command whose name is word[0..n), or NULL. */
const struct screen_command *screen_command_find(const char *word, size_t n);

#endif
