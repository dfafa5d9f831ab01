/* Shared by the files of the screen's commands. */
#ifndef CYCLOPS_UI_SCREEN_CMD_H
#define CYCLOPS_UI_SCREEN_CMD_H

#include "ui/screen/screen_state.h"

#define SCREEN_COMMAND(id, ...) bool exec_##id(struct screen *s, const char *args, struct err *err);
#include "ui/screen/screen_commands.def"
#undef SCREEN_COMMAND

/* Finds the screen's command named word[0..n), or NULL. */
const struct command *screen_command_find(const struct screen *s, const char *word, size_t n);

bool arg_is(const char *args, const char *word);
/* Parses args as a number; false if it is not one. */
bool arg_int(const char *args, int64_t *out);
/* Sets *err to the usage of the command of this name; returns false. */
bool arg_wrong(const struct screen *s, const char *name, const char *args, struct err *err);

#endif
