/* The table of all devices, and memory for those that a machine can have. */
#include "core/base/alloc.h"
#include "core/prof/common/prof.h"

#define DEVICE(id, name, ...) extern const struct device device_##name;
#include "core/defs/devices.def"
#undef DEVICE

const struct device *const devices[DEVICE_COUNT] = {
#define DEVICE(id, name, ...) &device_##name,
#include "core/defs/devices.def"
#undef DEVICE
};

enum { ALIGNED = 64 };

bool prof_alloc(struct prof *d)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		bytes += (devices[i]->bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
	uint8_t *at = d->devices = alloc_zeroed(1, bytes);
	if (!at)
		return false;
	d->table = devices;
#define DEVICE(id, name, ...)                                                                      \
	if (device_##name.bytes) {                                                                 \
		d->name = (void *)at;                                                              \
		at += (device_##name.bytes + ALIGNED - 1) / ALIGNED * ALIGNED;                     \
	}
#include "core/defs/devices.def"
#undef DEVICE
	return true;
}
