/* The machine's parameters: values of params.def, by field. core/machine/params.h has them by name.
 *
 * A config is a plain value: copy it freely. */
#ifndef CYCLOPS_CORE_DEFS_CONFIG_H
#define CYCLOPS_CORE_DEFS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct err;

/* Bytes of a TEXT with the zero at its end; printed values of other types are shorter. */
enum { PARAM_TEXT_MAX = 256 };

/* A file that only holds configs sees room for the values; a file that uses their fields includes
 * core/defs/config_fields.h before this header. Texts and the room are filled up with zeros, so
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

/* Bytes of the room that are in use: if equal in two programs, these lay out values alike. */
size_t config_bytes(void);
void config_default(struct config *cfg);
/* Cycles per tick of the guest's time counter, which runs at 10 MHz. */
uint64_t config_time_div(const struct config *cfg);
/* Checks rules between parameters: powers of two, line sizes, ways that divide. */
bool config_check(const struct config *cfg, struct err *err);

#endif
