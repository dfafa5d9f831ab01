#include "core/defs/config_fields.h"

#include "core/defs/kinds.h"

/* The rest of a text is zero. */
static const struct config defaults = {
#define PARAM(field, name, type, def, ...) .field = def,
#define TEXT(field, name, def, ...) .field = def,
#include "core/defs/params.def"
#undef PARAM
#undef TEXT
};

/* Places of fields, for CONFIG(). */
#define PARAM(field, ...) \
	extern const size_t config_at_##field; \
	const size_t config_at_##field = offsetof(struct config, field);
#define TEXT(field, ...)
#include "core/defs/params.def"
#undef PARAM
#undef TEXT

size_t config_bytes(void)
{
	return CONFIG_USED;
}

void config_default(struct config *cfg)
{
	*cfg = defaults;
}

uint64_t config_time_div(const struct config *cfg)
{
	uint64_t div = (uint64_t)cfg->clock_hz / 10000000;
	return div ? div : 1;
}
