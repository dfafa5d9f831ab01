/* Counts the profile instructions in a program's file, by type. */
#ifndef CYCLOPS_LOADER_PROFILE_CODE_H
#define CYCLOPS_LOADER_PROFILE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct program;

enum { PROFILE_TYPES = 8 };

struct profile_code {
	uint32_t insts[PROFILE_TYPES]; /* prefixes pi.k, by type k */
	uint32_t control;              /* setpf, resetpf, pushpf, poppf, pblen */
	/* [count], owned: addresses of the prefixes, rising in each section */
	uint64_t *at;
	size_t count, room;
};

/* Counts of the executable sections (without sections: segments) of p, not of attached firmware;
 * computed on the first call. Borrowed from p. All 0 if memory is out. */
const struct profile_code *program_profile_code(const struct program *p);

#endif
