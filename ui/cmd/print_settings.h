/* Limits and styles for printing values: `set print elements 20`, `print -elements 20`. */
#ifndef CYCLOPS_UI_CMD_PRINT_SETTINGS_H
#define CYCLOPS_UI_CMD_PRINT_SETTINGS_H

#include "scripting/c/limits.h"
#include "ui/console/command.h"

/* True if the name is a setting or an unambiguous prefix of one. */
bool print_setting_named(const char *name);
/* Sets the setting to the word at *value and moves *value past it. A flag without `on` or `off` is
 * set on. False with c->err. */
bool print_setting(struct console *c, const char *name, const char **value,
                   struct c_limits *limits);
/* `set print NAME VALUE`, `show print [NAME]`. */
enum command_result print_settings_set(struct console *c, const char *args);
enum command_result print_settings_show(struct console *c, const char *args);

#endif
