/* All reports build, leave the machine unchanged, and name missing data. */
#include "hwviews/reports/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "hwviews/grid/utf8.h"
#include "tests/cases.h"
#include "tests/unit/hwviews/json_check.h"
#include "ui/render/render_csv.h"
#include "ui/render/report_out.h"
#include "tests/unit/hwviews/session_fixture.h"

static struct session *reports_start_session(const char *settings)
{
	struct err err;
	char copy[512], *rest = copy;
	struct session_options opt = {
		.launch = {.path = "tests/golden/guest.elf",
		           .stdin_fd = -1,
		           .output = os_no_output},
		.history = {.history = true}};
	config_default(&opt.cfg);
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		assert_true(config_set_assignment(&opt.cfg, word, &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

#define ALL                                                                                        \
	"oracle.enable=1 oracle.blocks=1 oracle.contexts=1 oracle.values=all oracle.addresses=1 "  \
	"oracle.loads=1 "                                                                          \
	"oracle.speculative=1 sampler.enable=1 profileme.enable=1 profileme.interval_max=20"

static struct session *reports_run_session(const char *settings)
{
	struct session *s = reports_start_session(settings);
	session_fixture_run_cycles(s, UINT64_C(1) << 40);
	assert_int_equal(machine_status(s->machine), MACHINE_EXITED);
	return s;
}

static void reports_build_grid(const struct session *s, const char *name, struct grid *g)
{
	struct err err;
	const char *argv[4];
	char copy[64], *save;
	int argc = 0, used;
	snprintf(copy, sizeof copy, "%s", name);
	for (char *w = strtok_r(copy, " ", &save); w && argc < 4; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	const struct report *r = report_find(argc, argv, &used, &err);
	if (!r || !report_build(r, s, &(struct view_args){.argc = argc - used, .argv = argv + used},
	                        g, &err))
		fail_msg("%s: %s", name, err.msg);
}

/* Cells and sums: test_report_cells. */
TEST(limits_keep_trees_whole)
{
	struct session *s = reports_run_session(ALL);
	struct grid g;
	reports_build_grid(s, "oracle 3", &g);
	assert_int_equal(g.row_count, 3);
	grid_deinit(&g);
	reports_build_grid(s, "oracle contexts 5", &g);
	assert_in_range(g.row_count, 1, 5);
	for (unsigned i = 1; i < g.row_count; i++)
		assert_true(g.rows[i].cells[6].raw.u <= g.rows[i - 1].cells[6].raw.u + 1);
	grid_deinit(&g);
	session_free(s);
}

static void check_out(struct session *s, const struct report *r, enum report_as as)
{
	char *text = NULL;
	size_t n;
	struct err err;
	uint64_t before = machine_hash(s->machine);
	FILE *f = open_memstream(&text, &n);
	if (!report_write(f, s, r->name, &(struct report_style){.as = as, .width = 80, .rows = 20},
	                  &err))
		fail_msg("%s: %s", r->name, err.msg);
	fclose(f);
	assert_true(n > 20);
	if (as == REPORT_JSON)
		assert_true(json_ok(text));
	assert_int_equal(machine_hash(s->machine), before);
	free(text);
}

/* True for reports on counters that this program lacks; tests/edit/run.sh reads those reports. */
static bool of_instrumented(const struct report *r)
{
	return !strcmp(r->name, "counters") || !strcmp(r->name, "hot-paths") ||
	       !strcmp(r->name, "hot-procedures") || !strcmp(r->name, "untouched") ||
	       !strcmp(r->name, "flags") || !strcmp(r->name, "callgraph") ||
	       /* there are no values here: tests/values/outputs.sh, tests/hints/run.sh */
	       !strcmp(r->name, "values") || !strcmp(r->name, "invariants") ||
	       !strcmp(r->name, "hints");
}

TEST(every_report_can_be_written)
{
	struct session *s = reports_start_session(ALL);
	for (int at = 0; at < 3; at++) {
		for (unsigned i = 0; i < report_count; i++)
			for (enum report_as as = REPORT_TEXT;
			     as <= REPORT_CSV && !of_instrumented(reports[i]); as++)
				check_out(s, reports[i], as);
		session_fixture_run_cycles(s, 1500);
	}
	session_free(s);
	for (unsigned i = 0; i < report_count; i++) {
		char *help = view_help_text(&reports[i]->help);
		assert_non_null(help);
		for (const char *line = help; *line; line += strcspn(line, "\n"),
		                 line += *line == '\n') {
			char one[200];
			snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			assert_true(utf8_width(one) <= 78);
		}
		free(help);
	}
}

static void reports_expect_error(const struct session *s, const char *words, const char *what)
{
	struct err err = {""};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	assert_false(report_write(f, s, words, &(struct report_style){.rows = 20}, &err));
	fclose(f);
	assert_int_equal(n, 0);
	free(text);
	if (!strstr(err.msg, what))
		fail_msg("'%s' should say '%s'", err.msg, what);
}

TEST(what_is_missing_is_named)
{
	struct session *s = reports_start_session("");
	reports_expect_error(s, "oracle", "no oracle: start with -o oracle.enable=true");
	reports_expect_error(s, "oracle blocks", "-o oracle.enable=true");
	reports_expect_error(s, "profileme", "no profileme: start with -o profileme.enable=true");
	reports_expect_error(s, "orcale", "did you mean 'oracle'");
	session_free(s);
	s = reports_start_session("oracle.enable=1 profileme.enable=1");
	reports_expect_error(s, "invariants", "--values results");
	reports_expect_error(s, "oracle blocks", "-o oracle.blocks=true");
	reports_expect_error(s, "oracle contexts", "-o oracle.contexts=true");
	reports_expect_error(s, "oracle values", "-o oracle.values=loads");
	reports_expect_error(s, "oracle speculative", "-o oracle.speculative=true");
	reports_expect_error(s, "oracle many", "'many' is not a number");
	reports_expect_error(s, "oracle 1 2", "too many words");
	session_free(s);
	s = reports_run_session(ALL " oracle.memory=1M");
	struct grid g;
	reports_build_grid(s, "oracle", &g);
	const struct oracle *o = oracle_of(machine_pipe(s->machine)->prof);
	assert_int_equal(strstr(g.summary, "LOST") != NULL, o->head.lost_all != 0);
	grid_deinit(&g);
	session_free(s);
}

TEST(csv_quotes_what_needs_it)
{
	static const struct grid_column columns[] = {{"a", "", "", .align = ALIGN_LEFT},
	                                             {"b", "", "", .align = ALIGN_LEFT},
	                                             {"c", "", "", .align = ALIGN_LEFT}};
	struct grid g;
	char *text = NULL;
	size_t n;
	grid_init(&g, "t", columns, 3);
	grid_row(&g, 1, ROLE_PLAIN);
	grid_text(&g, ROLE_PLAIN, "x \"y\", z");
	grid_uint(&g, ROLE_PLAIN, 1234567);
	grid_hex(&g, ROLE_PLAIN, 0x1040c);
	grid_row(&g, 2, ROLE_HEAD);
	grid_row(&g, 3, ROLE_PLAIN);
	grid_double_text(&g, ROLE_PLAIN, 0.5, "50%%");
	FILE *f = open_memstream(&text, &n);
	render_csv(f, &g);
	fclose(f);
	assert_string_equal(text, "a,b,c\n\"x \"\"y\"\", z\",1234567,0x1040c\n0.5,,\n");
	free(text);
	grid_deinit(&g);
}
