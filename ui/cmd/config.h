/* Configurations named in a session. */
#ifndef CYCLOPS_UI_CMD_CONFIG_H
#define CYCLOPS_UI_CMD_CONFIG_H

#include <stdbool.h>

struct config;
struct console;

/* Makes *out the preset or file of this name; sim.terminal stays as in *out. Files that it names
 * must be those of the session. False with c->err. */
bool config_load_named(struct console *c, const char *name, struct config *out);

#endif
