/* The machine's parameters: values of params.def, by field and by name.
 *
 * A config is a plain value: copy it freely. Names are stable and the same everywhere (-o, set,
 * Lua). */
#ifndef CYCLOPS_CORE_DEFS_CONFIG_H
#define CYCLOPS_CORE_DEFS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct err;

/* Bytes of a TEXT with the zero at its end; printed values of other types are shorter. */
enum { PARAM_TEXT_MAX = 256 };

/* A file that only holds configs sees room for the values; one that uses their fields includes
 * core/defs/config_fields.h, before this header. Texts and the room are filled up with zeros, so
 * that equal configs are equal bytes. */
enum { CONFIG_ROOM = 8192 };
#ifndef CYCLOPS_CORE_DEFS_CONFIG_FIELDS_H
struct config {
	int64_t room[CONFIG_ROOM / sizeof(int64_t)];
};
#endif

/* The value of a field that is no TEXT, for files that should not be recompiled for each new row:
 * the linker resolves its place. */
#define CONFIG(cfg, field) \
	(*({ \
		extern const size_t config_at_##field; \
		const struct config *const config_ = (cfg); \
		(const int64_t *)(const void *)((const char *)config_ + config_at_##field); \
	}))

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

/* Bytes of the room that are in use: if equal in two programs, these lay out values alike. */
size_t config_bytes(void);
void config_default(struct config *cfg);
/* The value of a row that is no TEXT. */
int64_t config_get(const struct config *cfg, const struct param *p);
/* The value of a TEXT; borrowed from cfg. */
const char *config_text(const struct config *cfg, const struct param *p);
/* Whether both have the same value in this row. */
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
/* Cycles per tick of the guest's time counter, which runs at 10 MHz. */
uint64_t config_time_div(const struct config *cfg);
/* Checks rules between parameters: powers of two, line sizes, ways that divide. */
bool config_check(const struct config *cfg, struct err *err);

#endif
