/* The table of keys. */
#ifndef CYCLOPS_UI_SCREEN_KEYS_H
#define CYCLOPS_UI_SCREEN_KEYS_H

#include <stdbool.h>

#include "core/base/err.h"

struct key {
	const char *name;    /* "s", "Tab" */
	const char *command;
	const char *hint, *group, *help;
};

extern const struct key keys[];
extern const unsigned key_count;

/* The code of a named key, as from term_key(); TERM_NO_KEY if there is no such key. */
int key_code(const char *name);
/* Writes the name of a key's code to buf, [KEY_NAME]; false if the key has no name. */
enum { KEY_NAME = 16 };
bool key_name_of(int code, char *buf);
/* Maps the codes that different terminals send for a key to one code. */
int key_canonical(int code);
/* Command of a key in the table; NULL if it has none. */
const char *key_command(int code);

/* A key bound by the user. */
struct key_binding {
	int code;
	char *command; /* owned */
};

struct bindings {
	struct key_binding *b; /* owned; [count] */
	unsigned count;
};

/* Binds a key to a command line; "" = no command. False with *err if there is no such key. */
bool key_bind(struct bindings *all, const char *name, const char *command, struct err *err);
/* The command line of a key, bound by the user or in the table; NULL if none. */
const char *key_bound(const struct bindings *all, int code);
void bindings_deinit(struct bindings *all);

#endif
