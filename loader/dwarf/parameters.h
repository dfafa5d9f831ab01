/* Which argument registers a function has, by debug information and the calling convention (RISC-V
 * psABI, lp64d). */
#ifndef CYCLOPS_LOADER_DWARF_PARAMETERS_H
#define CYCLOPS_LOADER_DWARF_PARAMETERS_H

#include "loader/program.h"

enum { PARAMETERS_MAX = 8, PARAMETER_NAME = 32 };

/* Parameters that are in registers a0 to a7, one entry for each register. */
struct parameters {
	unsigned count;
	struct {
		char name[PARAMETER_NAME]; /* cut; "": it has none */
		unsigned reg;              /* 10 for a0 */
		bool address;              /* it is a pointer, or what it is lies there */
	} at[PARAMETERS_MAX];
	bool any; /* it takes a variable number: the registers behind those, too */
};

/* Of the function that begins at entry. False: debug information does not know it, or knows it as
 * it was before the compiler took some of its arguments away (f.isra.0, f.constprop.0). */
bool program_parameters(const struct program *p, uint64_t entry, struct parameters *out);

#endif
