/* Programs whose cycles and slots are charged to instructions. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_CHARGES_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_CHARGES_FIXTURE_H

#include "hwviews/why/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/pipe/pipe.h"
#include "scripting/config/config_lua.h"
#include "tests/cases.h"
#include "tests/scale.h"
#include "tests/unit/hwviews/session_fixture.h"

/* ---- sessions ---- */
static inline struct session *charges_fixture_open_session(const char *path, const char *firmware,
                                                           const char *settings)
{
	return session_on(&(struct launch){.path = path, .firmware = firmware}, settings, 700);
}

static inline struct hot_profile charges_fixture_build_profile(const struct session *s,
                                                               uint64_t from, uint64_t to)
{
	const struct region r = {.given = true, .from = from, .to = to};
	struct hot_profile p;
	struct err err;
	if (!hot_take(s, &r, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

#endif
