/* A profile collected by firmware, found by its symbol and read from guest memory as the committed
 * program sees it.
 *
 * Any firmware that exports `struct firmware_profile firmware_profile` (demos/firmware/firmware.h)
 * works. Everything is checked before use: the profile may be half written, or something else of
 * the same name. */
#ifndef CYCLOPS_HWVIEWS_XPROF_FIRMWARE_PROFILE_H
#define CYCLOPS_HWVIEWS_XPROF_FIRMWARE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

#define PROFILE_SYMBOL "firmware_profile"

struct profile_entry {
	uint64_t pc;
	uint64_t count; /* samples */
	uint64_t exact; /* exact executions by the oracle; 0 without one */
};

struct profile {
	uint64_t dropped; /* samples dropped for lack of room */
	uint64_t period;  /* mean number of program instructions between samples; 0: unknown */
	struct profile_entry *entries; /* [count], owned; most samples first, then by address */
	size_t count;
	uint64_t sum;     /* samples in all entries */
	uint64_t exact;   /* instructions counted by the oracle; 0: no oracle */
};

/* False with *err if there is no firmware, it exports no profile, or the profile is invalid:
 * nothing to deinit. */
bool profile_read(const struct session *s, struct profile *out, struct err *err);
/* Merges the entries of each function under its first address; keeps entries outside functions. */
void profile_by_function(const struct session *s, struct profile *p);
void profile_deinit(struct profile *p);

#endif
