/* The table of all devices, and memory for those that a machine can have: the only place that names
 * them all. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/prof/common/firmware.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"

#define DEVICE(id, name, ...) extern const struct device device_##name;
#include "core/defs/devices.def"
#undef DEVICE

const struct device *const devices[DEVICE_COUNT] = {
#define DEVICE(id, name, ...) &device_##name,
#include "core/defs/devices.def"
#undef DEVICE
};

struct devices {
	struct firmware firmware;
	struct sampler sampler;
	struct cop cop;
	struct vsample vsample;
	struct profileme profileme;
};

bool prof_alloc(struct prof *d)
{
	struct devices *all = alloc_zeroed(1, sizeof *all);
	if (!all)
		return false;
	d->devices = all;
	d->table = devices;
	d->firmware = &all->firmware;
	d->sampler = &all->sampler;
	d->cop = &all->cop;
	d->vsample = &all->vsample;
	d->profileme = &all->profileme;
	return true;
}
