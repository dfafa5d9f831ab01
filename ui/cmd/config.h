/* Configurations named in a session. */
#ifndef CYCLOPS_UI_CMD_CONFIG_H
#define CYCLOPS_UI_CMD_CONFIG_H

#include <stdbool.h>

struct config;
struct console;

/* Loads the preset or file of this name into *out, but keeps its sim.terminal. The configuration
 * may name only the session's own files. False with c->err. */
bool config_load_named(struct console *c, const char *name, struct config *out);

#endif
