/* A memory hierarchy without a pipeline, for the tests of caches. */
#ifndef CYCLOPS_TESTS_UNIT_PIPE_CACHE_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_PIPE_CACHE_FIXTURE_H

#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/pipe/memory/bus.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/memory/warm_access.h"
#include "tests/cases.h"

/* A hierarchy with an arena of its own, which holds everything but cfg and stats. */
struct rig {
	struct config cfg;
	struct stats stats;
	struct arena arena;
	struct hierarchy h;
};

static inline void cache_fixture_open_rig(struct rig *r, const char *const assignments[])
{
	struct err err = {""};
	memset(r, 0, sizeof *r);
	config_default(&r->cfg);
	for (; assignments && *assignments; assignments++) {
		if (!config_set_assignment(&r->cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	}
	if (!config_check(&r->cfg, &err))
		fail_msg("%s", err.msg);
	hierarchy_place(&r->h, &r->cfg, &r->stats, &r->arena);
	r->arena = (struct arena){.base = aligned_alloc(64, (r->arena.used + 63) & ~(size_t)63)};
	assert_non_null(r->arena.base);
	hierarchy_place(&r->h, &r->cfg, &r->stats, &r->arena);
	memset(r->arena.base, 0xab, r->arena.used);
	hierarchy_reset(&r->h);
}

static inline void cache_fixture_close_rig(struct rig *r)
{
	free(r->arena.base);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Expects that the access was accepted, and its data come from `level` in cycle `ready`. */
static inline void cache_fixture_expect_access(struct access a, uint64_t ready,
                                               enum mem_level level)
{
	assert_true(a.accepted);
	assert_int_equal(a.ready, ready);
	assert_int_equal(a.level, level);
}

/* Earliest cycle after now in which a turned-away access could succeed; UINT64_MAX if nothing is
 * outstanding. */
static inline uint64_t next_free(const struct hierarchy *h, uint64_t now)
{
	const uint64_t miss = mshr_next_free(h->st, now),
		       write = wbuf_next_free(&h->st->wbuf, h->wbuf_limit, now);
	return miss < write ? miss : write;
}

#endif
