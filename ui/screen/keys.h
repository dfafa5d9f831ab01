/* The table of keys. */
#ifndef CYCLOPS_UI_SCREEN_KEYS_H
#define CYCLOPS_UI_SCREEN_KEYS_H

#include <stdbool.h>

#include "core/err.h"

struct key {
	const char *name;    /* "s", "Tab" */
	const char *command;
	const char *hint, *group, *help;
};

extern const struct key keys[];
extern const unsigned key_count;

/* The code of a key's name as term_key() gives it; TERM_NO_KEY if it is no name. */
int key_code(const char *name);
/* The command of a key; NULL if it has none. */
const char *key_command(int code);

#endif
