/* Plug-ins in C that repeat the built-in kinds, and a different one of each. */
#ifndef TESTS_REVERSE_PLUGINS_H
#define TESTS_REVERSE_PLUGINS_H

#include "core/pipe/plugin.h"

/* gshare with 1024 counters; a target buffer of one way; a plug-in without targets that fails if its
 * scratch tables have an instruction of a wrong path; LRU; Smith's tagged next line; the prediction
 * bits of descriptors; the periodic sampler P(4). */
extern const struct plugin plugin_gshare, plugin_direct_targets, plugin_counts_control, plugin_lru,
	plugin_next_line, plugin_flag_bits, plugin_every_fourth;
/* All of them: gshare, targets, LRU in every cache, next lines for every cache, flags, and the
 * sampler's compressor. */
extern const struct plugins plugins_all;

/* Fails at its n-th call; its table counts the calls. */
struct failing {
	int64_t calls; /* n */
};
extern const struct plugin plugin_failing; /* copy it, and set a ctx of this type */

/* plugin_failing for a place, with `when` as its ctx. */
struct plugin plugin_failing_at(enum plugin_place place, struct failing *when);

#endif
