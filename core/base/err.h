/* One error message, filled by the call that fails and printed by its caller.
 *
 * Fallible calls return bool and take a `struct err *` (may be NULL). On failure the call's target
 * is unchanged and the message says what was wrong, where, and what was expected: one line, no full
 * stop. A line break within it, as in a file's name, becomes the two characters \n. */
#ifndef CYCLOPS_CORE_BASE_ERR_H
#define CYCLOPS_CORE_BASE_ERR_H

#include <stdbool.h>

struct err {
	char msg[512];
};

void err_format(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline bool err_false(void)
{
	return false;
}

/* err_set(err, fmt, ...) formats the message and is false, so that callers can `return
 * err_set(...)`; a macro, so that compilers and checkers know it is false. */
#define err_set(err, ...) (err_format(err, __VA_ARGS__), err_false())

#endif
