/* All areas of the API, in the order of the reference. */
#include <stddef.h>

#include "scripting/binding.h"

#define AREAS(A) \
	A(module) \
	A(files) \
	A(define_view) \
	A(define_command) \
	A(chart) \
	A(compressors) \
	A(compressor) \
	A(compressor_values) \
	A(streams) \
	A(stream) \
	A(message_lists) \
	A(messages) \
	A(profiles) \
	A(profile) \
	A(sampler) \
	A(sampler_value) \
	A(microprograms) \
	A(microprogram) \
	A(microprogram_values) \
	A(cop) \
	A(cop_value) \
	A(profileme) \
	A(profileme_value) \
	A(value_profile) \
	A(value_profile_value) \
	A(machine) \
	A(values) \
	A(motion) \
	A(regs) \
	A(mem_value) \
	A(mem) \
	A(change) \
	A(symbols) \
	A(stats) \
	A(oracle) \
	A(views) \
	A(output) \
	A(snapshots) \
	A(hooks) \
	A(event) \
	A(batch) \
	A(hook) \
	A(commands)

#define A(name) extern const struct binding_area area_##name;
AREAS(A)
#undef A

const struct binding_area *const binding_areas[] = {
#define A(name) &area_##name,
	AREAS(A)
#undef A
	NULL,
};
