/* The devices that a machine can have beside its pipeline, and which of them a configuration adds.
 */
#ifndef CYCLOPS_CORE_DEFS_DEVICES_H
#define CYCLOPS_CORE_DEFS_DEVICES_H

#include <stdbool.h>

struct config;

enum device_id {
#define DEVICE(id, ...) DEVICE_##id,
#include "core/defs/devices.def"

#undef DEVICE
	DEVICE_COUNT
};

struct device_row {
	const char *name, *help;
	const char *option; /* the option that adds it: "-o oracle.enable=true" */
};

extern const struct device_row device_rows[DEVICE_COUNT];

bool device_exists(const struct config *cfg, enum device_id id);
/* The device that a row of this name ("firmware.insts") belongs to; DEVICE_COUNT if that is the
 * machine itself. */
enum device_id device_of_name(const char *name);

#endif
