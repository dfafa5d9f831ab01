/* One error message, filled by whoever fails and shown by whoever asked.
 *
 * Fallible calls return bool and take a `struct err *` (may be NULL). On failure the call's target
 * is unchanged and the message says what was wrong, where, and what would be right: one line, no
 * trailing newline or full stop. */
#ifndef CYCLOPS_CORE_ERR_H
#define CYCLOPS_CORE_ERR_H

#include <stdbool.h>

struct err {
	char msg[512];
};

/* Formats the message; always returns false, so that callers can `return err_set(...)`. */
bool err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
