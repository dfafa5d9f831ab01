/* A program under views, for their tests. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_VIEWS_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_VIEWS_FIXTURE_H

#include "hwviews/grid/view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_names.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/machine/pipe_rows.h"
#include "loader/microprogram.h"
#include "tests/cases.h"
#include "tests/scale.h"
#include "tests/unit/hwviews/json_check.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"
#include "tests/unit/hwviews/session_fixture.h"

static inline struct session *views_fixture_start_program(const char *path, const char *setting)
{
	return session_on(&(struct launch){.path = path}, setting, 500);
}

static inline struct session *views_fixture_start_guest(const char *setting)
{
	return views_fixture_start_program("tests/golden/guest.elf", setting);
}

/* ---- the pipeline diagram ---- */

static inline const char *views_fixture_cell_text(const struct grid *g, unsigned row,
                                                  const char *column)
{
	for (unsigned c = 0; c < g->column_count; c++)
		if (strcmp(g->columns[c].name, column) == 0)
			return g->rows[row].cells[c].text;
	fail_msg("no column %s", column);
	return "";
}

#endif
