/* The screen's own commands (screen_commands.def). */
#ifndef CYCLOPS_UI_SCREEN_SCREEN_COMMANDS_H
#define CYCLOPS_UI_SCREEN_SCREEN_COMMANDS_H

#include "ui/console/command.h"

/* Finds the command named word[0..n), or NULL. */
const struct command *screen_command_find(const char *word, size_t n);

#endif
