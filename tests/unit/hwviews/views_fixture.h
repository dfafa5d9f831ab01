/* A program under views, for their tests. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_VIEWS_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_VIEWS_FIXTURE_H

#include "hwviews/grid/view.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_names.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/machine/pipe_rows.h"
#include "loader/microprogram.h"
#include "tests/scale.h"
#include "tests/unit/hwviews/json_check.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"

static inline void swallow(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static inline struct session *start_program(const char *path, const char *setting)
{
	struct err err;
	struct session_options opt = {.launch = {.path = path, .stdin_fd = -1, .output = swallow},
	                              .history = {.history = true, .first_spacing = 500}};
	config_default(&opt.cfg);
	char settings[256], *save;
	snprintf(settings, sizeof settings, "%s", setting ? setting : "");
	for (char *one = strtok_r(settings, ";", &save); one; one = strtok_r(NULL, ";", &save))
		assert_true(config_set_assignment(&opt.cfg, one, &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static inline struct session *start(const char *setting)
{
	return start_program("tests/golden/guest.elf", setting);
}

static inline void go(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	assert_true(run_cycles(s->run, cycles, false, &info, &err));
}

/* ---- the pipeline diagram ---- */

static inline const char *cell(const struct grid *g, unsigned row, const char *column)
{
	for (unsigned c = 0; c < g->column_count; c++)
		if (strcmp(g->columns[c].name, column) == 0)
			return g->rows[row].cells[c].text;
	fail_msg("no column %s", column);
	return "";
}

#endif
