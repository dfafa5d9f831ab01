/* Facts about machine and program for customisation modules of the value sampler: the global
 * `machine` of their files. */
#ifndef CYCLOPS_SCRIPTING_VALUES_VALUE_MACHINE_H
#define CYCLOPS_SCRIPTING_VALUES_VALUE_MACHINE_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/config.h"

struct mem;
struct program;

/* Facts for modules. Initialise with zeros and cfg; free with value_facts_deinit(). */
struct value_facts {
	struct config cfg;
	const struct program *program; /* borrowed; NULL: not known yet */
	/* owned: the program as in its file; NULL: not loaded yet */
	struct mem *image;
	uint64_t latency[3];           /* measured, cycles: L1D, L2, memory; 0: not yet */
};

void value_facts_deinit(struct value_facts *f);

/* Sets `machine` in the environment on top of the stack; f is borrowed for the host's lifetime. */
void value_machine_open(lua_State *L, struct value_facts *f);

/* Measures the latencies of loads from L1D, L2 and memory as the value sampler sees them: by a
 * probe program, whose loads are interpreted, in a machine of this configuration. Returns the most
 * frequent latencies: cycles[0] < cycles[1] < cycles[2], or fewer distinct ones. False with *err if
 * no such machine can be built. */
bool value_probe(const struct config *cfg, uint64_t cycles[3], struct err *err);

#endif
