/* The machine's parameters by name: rows of params.def, which read, check and print values.
 *
 * Names are stable and the same everywhere (-o, set, Lua). A TEXT is checked by the function that
 * parses it, in core/os or core/prof, so this file is above them. The values, which all rooms read,
 * are in core/defs/config.h. */
#ifndef CYCLOPS_CORE_MACHINE_PARAMS_H
#define CYCLOPS_CORE_MACHINE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/config.h"

struct err;

enum param_type { PARAM_INT, PARAM_BOOL, PARAM_ENUM, PARAM_TEXT };

struct param {
	const char *name;
	enum param_type type;
	int64_t def, min, max; /* 0 of a TEXT */
	const char *unit; /* or the choices "a|b|c" of an ENUM, or what a TEXT takes */
	const char *help;
	size_t offset; /* of its int64_t, or its characters, in struct config */
	const char *text; /* a TEXT's default; else NULL */
	/* Checks a TEXT's value. False with *err, which is about the text and doesn't name the
	 * parameter. NULL: any text is valid. */
	bool (*check)(const char *text, struct err *err);
};

extern const struct param params[];
extern const size_t param_count;

/* Row of a name, or NULL with *err, which suggests the nearest name (err may be NULL). */
const struct param *param_find(const char *name, struct err *err);

/* The value of a row that is no TEXT. */
int64_t config_get(const struct config *cfg, const struct param *p);
/* The value of a TEXT; borrowed from cfg. */
const char *config_text(const struct config *cfg, const struct param *p);
/* True if both configurations have the same value in this row. */
bool config_same(const struct config *a, const struct config *b, const struct param *p);
/* "64", "64K", "2M", "0x40", "true", "combined": whatever the row's type takes. K, M and G are
 * powers of 1024, for Hz of 1000; a boolean is true|false, on|off, yes|no or 1|0; a text is all of
 * it, up to PARAM_TEXT_MAX - 1 printable characters of ASCII. Checks the row's range, but no rule
 * between rows: see config_check(). */
bool config_set(struct config *cfg, const char *name, const char *value, struct err *err);
/* "name=value". */
bool config_set_assignment(struct config *cfg, const char *assignment, struct err *err);
bool config_set_int(struct config *cfg, const struct param *p, int64_t value, struct err *err);
/* Formats a value as config_set() takes it; PARAM_TEXT_MAX bytes are enough for any. Returns buf.
 */
char *config_format(const struct config *cfg, const struct param *p, char *buf, size_t n);
/* Whether a parameter means anything in a machine of this configuration: of an absent device, only
 * NAME.enable does. */
bool param_exists(const struct config *cfg, const struct param *p);

#endif
