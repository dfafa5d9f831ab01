/* A profile that firmware has collected, found by its symbol and read from guest memory as the
 * committed program sees it.
 *
 * Firmware that exports `struct firmware_profile firmware_profile` (demos/firmware/firmware.h) can
 * be asked, whatever it does besides. Nothing in it is believed before it is checked: it may be
 * half written, or not be what its name says. */
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
	uint64_t exact; /* how often it was executed, as the oracle counted; 0 without one */
};

struct profile {
	uint64_t dropped; /* samples for which there was no room */
	uint64_t period;  /* program instructions between two samples, on average; 0: not told */
	struct profile_entry *entries; /* [count], owned; most samples first, then by address */
	size_t count;
	uint64_t sum;     /* of all counts: samples in the entries */
	uint64_t exact;   /* instructions that the oracle has seen; 0: there is none */
};

/* False with *err if there is no firmware, or none with a profile, or what is there is none:
 * nothing to deinit. */
bool profile_read(const struct session *s, struct profile *out, struct err *err);
/* Puts entries of one function together, under its first address; what belongs to none stays as it
 * is. */
void profile_by_function(const struct session *s, struct profile *p);
void profile_deinit(struct profile *p);

#endif
