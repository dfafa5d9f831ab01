/* A function's argument registers, by debug information and the calling convention (RISC-V psABI,
 * lp64d). */
#ifndef CYCLOPS_LOADER_DWARF_PARAMETERS_H
#define CYCLOPS_LOADER_DWARF_PARAMETERS_H

#include "loader/program.h"

enum { PARAMETERS_MAX = 8, PARAMETER_NAME = 32 };

/* Parameters that are in registers a0 to a7, one entry for each register. */
struct parameters {
	unsigned count;
	struct {
		char name[PARAMETER_NAME]; /* cut; "": none */
		unsigned reg;              /* 10 for a0 */
		bool address;              /* a pointer, or the address of the value */
	} at[PARAMETERS_MAX];
	bool any; /* variadic: the registers after those hold arguments, too */
};

/* The parameters of the function that begins at entry. False if it has no debug information, or
 * only from before the compiler removed some of its arguments (f.isra.0, f.constprop.0). */
bool program_parameters(const struct program *p, uint64_t entry, struct parameters *out);

#endif
