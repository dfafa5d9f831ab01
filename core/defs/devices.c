#include "core/defs/config_fields.h"

#include "core/defs/devices.h"

#include <string.h>

const struct device_row device_rows[DEVICE_COUNT] = {
#define DEVICE(id, name, option, first, count, help) {#name, help, option},
#include "core/defs/devices.def"
#undef DEVICE
};

bool device_exists(const struct config *cfg, enum device_id id)
{
	switch (id) {
#define DEVICE(id, name, ...)                                                                      \
	case DEVICE_##id:                                                                          \
		return cfg->name;
#include "core/defs/devices.def"
#undef DEVICE
	case DEVICE_COUNT:
		break;
	}
	return false;
}

enum device_id device_of_name(const char *name)
{
	const size_t n = strcspn(name, ".");
	unsigned i = 0;
	while (i < DEVICE_COUNT &&
	       (strlen(device_rows[i].name) != n || strncmp(device_rows[i].name, name, n) != 0))
		i++;
	return (enum device_id)i;
}
