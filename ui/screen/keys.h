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

/* The code of a key's name as term_key() gives it; TERM_NO_KEY if it is no name. */
int key_code(const char *name);
/* The name of a key's code into buf, [KEY_NAME]; false if it has none. */
enum { KEY_NAME = 16 };
bool key_name_of(int code, char *buf);
/* One key, whichever way terminals send it. */
int key_canonical(int code);
/* The command of a key in the table; NULL if it has none. */
const char *key_command(int code);

/* What a person has bound instead. */
struct key_binding {
	int code;
	char *command; /* owned */
};

struct bindings {
	struct key_binding *b; /* owned; [count] */
	unsigned count;
};

/* Binds a key to a command line; "" = nothing. False with *err if it is no key's name. */
bool key_bind(struct bindings *all, const char *name, const char *command, struct err *err);
/* The command of a key, bound by a person or in the table; NULL if it has none. */
const char *key_bound(const struct bindings *all, int code);
void bindings_deinit(struct bindings *all);

#endif
