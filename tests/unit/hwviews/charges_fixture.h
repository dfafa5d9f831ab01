/* Programs whose cycles and slots are charged to instructions. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_CHARGES_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_CHARGES_FIXTURE_H

#include "hwviews/why/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/defs/stats_fields.h"
#include "core/pipe/pipe.h"
#include "scripting/config/config_lua.h"
#include "tests/scale.h"

/* ---- sessions ---- */
static inline void swallow(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static inline struct session *start(const char *path, const char *firmware, const char *settings)
{
	struct err err;
	struct session_options opt = {
		.launch = {.path = path, .stdin_fd = -1, .output = swallow, .firmware = firmware},
		.history = {.history = true, .first_spacing = 700}};
	char copy[300], *save;
	config_default(&opt.cfg);
	snprintf(copy, sizeof copy, "%s", settings);
	char *one = strtok_r(copy, ";", &save);
	if (one && !strchr(one, '=')) {
		assert_true(config_load(&opt.cfg, one, &err));
		one = strtok_r(NULL, ";", &save);
	}
	for (; one; one = strtok_r(NULL, ";", &save))
		if (!config_set_assignment(&opt.cfg, one, &err))
			fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static inline void go(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	if (!run_cycles(s->run, cycles, false, &info, &err))
		fail_msg("%s", err.msg);
}

static inline struct hot_profile take(const struct session *s, uint64_t from, uint64_t to)
{
	const struct region r = {.given = true, .from = from, .to = to};
	struct hot_profile p;
	struct err err;
	if (!hot_take(s, &r, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

#endif
