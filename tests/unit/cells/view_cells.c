/* Opens views, reads their cells, and reports the columns and views that no test has read. */
#include "tests/unit/cells/view_cells.h"

#include "core/pipe/pipe.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "tests/scale.h"

/* The test of a view's cells is in the file
 * tests/unit/cells/test_view_cells_NAME.c. */
static const struct {
	const char *view, *test;
} view_readers[] = {
	{"pipe", "pipeline"},      {"fetchq", "pipeline"},
	{"rob", "pipeline"},       {"lsq", "pipeline"},
	{"fu", "pipeline"},        {"rename", "pipeline"},
	{"iq", "pipeline"},
	{"regs", "pipeline"},      {"fregs", "pipeline"},
	{"bpred", "pipeline"},     {"btb", "pipeline"},
	{"ras", "pipeline"},       {"bdt", "pipeline"},
	{"l1i", "memory"},         {"l1d", "memory"},
	{"l2", "memory"},          {"tlb", "memory"},
	{"mshr", "memory"},        {"mem", "memory"},
	{"stack", "code"},         {"backtrace", "code"},
	{"disasm", "code"},        {"source", "code"},
	{"locals", "session"},     {"displays", "session"},
	{"output", "session"},     {"breakpoints", "session"},
	{"history", "session"},    {"config", "session"},
	{"stats", "profiling"},    {"cpi", "profiling"},
	{"slots", "profiling"},    {"what-if", "what_if"},
	{"hot", "profiling"},      {"branches", "profiling"},
	{"spent", "profiling"},
	{"oracle", "profiling"},   {"pflag", "pflag"},
	{"vsample", "vsample"},    {"hotlist", "values"},
	{"replay", "values"},      {"compressor", "compressor"},
	{"buckets", "buckets"},    {"cop", "cop"},
	{"copslots", "copfilter"}, {"copfilter", "copfilter"},
	{"cfg", "flow"},           {"paths", "paths"},
	{"cct", "contexts"},       {"firmware", "profiles"},
	{"profile", "profiles"},   {"timeline", "timeline"},
	{"machine", "machine"},    {"twin", "twin"},
	{"gap", "twin"},           {"bakeoff", "bakeoff"},
	{"beside", "twin"},        {"systems", "twin"},
	{"device", "state"},
	{"sample", "sample"},      {"phases", "sample"},
	{"device", "state"},
};

/* ---- what has been read ---- */
enum { CELLS_SEEN = 512 };

static struct {
	char view[24], column[32];
	bool held;     /* something, once */
	uint32_t roles; /* of its cells: 1 << enum role */
} cells_seen[CELLS_SEEN];
static unsigned cells_seen_count;

static inline unsigned cells_seen_at(const char *view, const char *column)
{
	unsigned i = 0;
	while (i < cells_seen_count &&
	       (strcmp(cells_seen[i].view, view) != 0 || strcmp(cells_seen[i].column, column) != 0))
		i++;
	if (i < cells_seen_count)
		return i;
	assert_true(cells_seen_count < CELLS_SEEN);
	snprintf(cells_seen[i].view, sizeof cells_seen[i].view, "%s", view);
	snprintf(cells_seen[i].column, sizeof cells_seen[i].column, "%s", column);
	cells_seen_count++;
	return i;
}

void cells_open_in(struct cells *c, const struct session *s, const char *words, unsigned rows,
                   unsigned columns)
{
	struct err err;
	*c = (struct cells){.rows = 0};
	snprintf(c->words, sizeof c->words, "%s", words);
	snprintf(c->view, sizeof c->view, "%.*s", (int)strcspn(words, " "), words);
	if (!view_build(s, words, &(struct view_args){.rows = rows, .columns = columns}, &c->g,
	                &err))
		fail_msg("view %s: %s", words, err.msg);
	assert_true(c->g.column_count <= 64);
	for (unsigned i = 0; i < c->g.column_count; i++)
		cells_seen_at(c->view, c->g.columns[i].name);
}

void cells_open(struct cells *c, const struct session *s, const char *words)
{
	cells_open_in(c, s, words, 0, 0);
}

void cells_open_report(struct cells *c, const struct session *s, const char *words)
{
	const char *argv[8];
	char copy[64], *save;
	int argc = 0, used;
	struct err err;
	*c = (struct cells){.rows = 0};
	snprintf(c->words, sizeof c->words, "report %s", words);
	snprintf(copy, sizeof copy, "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w && argc < 8; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	const struct report *r = report_find(argc, argv, &used, &err);
	if (!r || !report_build(r, s, &(struct view_args){.argc = argc - used, .argv = argv + used},
	                        &c->g, &err))
		fail_msg("report %s: %s", words, err.msg);
	/* reports have different columns */
	snprintf(c->view, sizeof c->view, "r %s%s", r->name, argc > used ? " of" : "");
	assert_true(c->g.column_count <= 64);
	for (unsigned i = 0; i < c->g.column_count; i++)
		cells_seen_at(c->view, c->g.columns[i].name);
}

static inline void cells_row_is_complete(const struct cells *c)
{
	for (unsigned i = 0; c->rows && i < c->g.column_count; i++)
		if (!(c->said >> i & 1))
			fail_msg("view %s, row %u: no test computes '%s'; its test in "
			         "tests/unit/cells/test_view_cells_*.c has to read it from the "
			         "machine",
			         c->words, c->rows - 1, c->g.columns[i].name);
}

const struct grid_row *cells_row(struct cells *c)
{
	cells_row_is_complete(c);
	if (c->rows == c->g.row_count)
		fail_msg("view %s has %u rows, which is too few", c->words, c->rows);
	c->said = 0;
	return &c->g.rows[c->rows++];
}

/* A row's key identifies it at the next stop. */
static void cells_keys_differ(const struct cells *c)
{
	for (unsigned i = 0; i < c->g.row_count; i++)
		for (unsigned k = i; c->g.rows[i].key && k-- > 0;)
			if (c->g.rows[k].key == c->g.rows[i].key)
				fail_msg("view %s: rows %u and %u have the same key", c->words, k,
				         i);
}

void cells_close(struct cells *c)
{
	cells_keys_differ(c);
	cells_row_is_complete(c);
	if (c->rows != c->g.row_count)
		fail_msg("view %s has %u rows, not %u; the first too many says '%s' '%s'", c->words,
		         c->g.row_count, c->rows, c->g.rows[c->rows].cells[0].text,
		         c->g.column_count > 1 ? c->g.rows[c->rows].cells[1].text : "");
	for (unsigned i = 0; i < c->g.column_count; i++) {
		uint32_t *roles = &cells_seen[cells_seen_at(c->view, c->g.columns[i].name)].roles;
		for (unsigned r = 0; r < c->g.row_count; r++)
			if (*c->g.rows[r].cells[i].text)
				*roles |= UINT32_C(1) << (c->g.rows[r].cells[i].role != ROLE_PLAIN
				                                  ? c->g.rows[r].cells[i].role
				                                  : c->g.rows[r].role);
	}
	grid_deinit(&c->g);
}

const struct cell *cells_at(struct cells *c, const char *column)
{
	unsigned i = 0;
	while (i < c->g.column_count && strcmp(c->g.columns[i].name, column) != 0)
		i++;
	if (i == c->g.column_count)
		fail_msg("view %s has no column '%s'", c->words, column);
	const struct cell *cell = &c->g.rows[c->rows - 1].cells[i];
	c->said |= UINT64_C(1) << i;
	cells_seen[cells_seen_at(c->view, column)].held |= *cell->text != '\0';
	return cell;
}

static inline void cells_check(const struct cells *c, const char *column, const struct cell *cell,
                               enum raw_kind kind, const char *text)
{
	if (strcmp(cell->text, text) != 0)
		fail_msg("view %s, row %u, %s: '%s', not '%s'", c->words, c->rows - 1, column,
		         cell->text, text);
	if (cell->kind != kind)
		fail_msg("view %s, row %u, %s: '%s' is of kind %d, not %d", c->words, c->rows - 1,
		         column, text, (int)cell->kind, (int)kind);
}

void says(struct cells *c, const char *column, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	cells_check(c, column, cells_at(c, column), RAW_NONE, text);
}

void says_summary(const struct cells *c, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	if (strcmp(c->g.summary, text) != 0)
		fail_msg("view %s, summary: '%s', expected '%s'", c->words, c->g.summary, text);
}

void says_list(struct cells *c, const char *column, const uint64_t *list, uint32_t n,
               const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, RAW_LIST, text);
	if (cell->count != n || memcmp(cell->raw.list, list, n * sizeof *list) != 0)
		fail_msg("view %s, row %u, %s: other numbers", c->words, c->rows - 1, column);
}

void says_nothing(struct cells *c, const char *column)
{
	says(c, column, "%s", "");
}

void says_word(struct cells *c, const char *column, enum raw_kind kind, uint64_t v, const char *fmt,
               ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, kind, text);
	if (cell->raw.u != v)
		fail_msg("view %s, row %u, %s: '%s' stands for %llu, not %llu", c->words,
		         c->rows - 1, column, text, (ull)cell->raw.u, (ull)v);
}

void says_double(struct cells *c, const char *column, double v, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, RAW_DOUBLE, text);
	if (fabs(cell->raw.d - v) > 1e-9 * fabs(v))
		fail_msg("view %s, row %u, %s: '%s' stands for %g, not %g", c->words, c->rows - 1,
		         column, text, cell->raw.d, v);
}

/* ---- coverage of views ---- */
void view_is_complete(const char *view)
{
	char path[64], line[512];
	regex_t column;
	regmatch_t at[2];
	glob_t found;
	snprintf(path, sizeof path, "hwviews/*/view_%s.c", view);
	for (char *c = path; (c = strchr(c, '-'));)
		*c = '_';
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	FILE *f = fopen(found.gl_pathv[0], "r");
	globfree(&found);
	assert_non_null(f);
	assert_int_equal(regcomp(&column, "\\{\"([a-z_0-9]+)\", [^,]*, (\"[^\"]*\"|[^,]*), ALIGN_",
	                         REG_EXTENDED),
	                 0);
	while (fgets(line, sizeof line, f))
		if (!regexec(&column, line, 2, at, 0)) {
			line[at[1].rm_eo] = '\0';
			cells_seen_at(view, line + at[1].rm_so);
		}
	fclose(f);
	regfree(&column);
	for (unsigned i = 0; i < cells_seen_count; i++)
		if (!strcmp(cells_seen[i].view, view) && !cells_seen[i].held)
			fail_msg("view %s: column '%s' held nothing wherever its test looked: have "
			         "it come to a machine where it does",
			         view, cells_seen[i].column);
}

/* ---- roles ---- */
static const char cells_roles_path[] = "tests/unit/cells/roles.txt";
enum { ROLE_LINES = 1024, ROLE_LINE = 512 };

static int cells_compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *cells_reader_of(const char *view)
{
	for (unsigned i = 0; i < sizeof view_readers / sizeof *view_readers; i++)
		if (!strcmp(view_readers[i].view, view))
			return view_readers[i].test;
	return NULL;
}

/* True if the program of these tests reads the view or report. test NULL: of reports. */
static bool cells_reads_view(const char *view, const char *test)
{
	const char *reader = cells_reader_of(view);
	bool seen = false;
	for (unsigned i = 0; i < cells_seen_count; i++)
		seen |= !strcmp(cells_seen[i].view, view);
	return seen && (test ? reader && !strcmp(reader, test) : !strncmp(view, "r ", 2));
}

/* Compares the roles of each column's cells with roles.txt, which has lines "VIEW.COLUMN: ROLE...".
 * UPDATE=1 writes it anew. */
static void cells_check_roles(const char *test)
{
	static char kept[ROLE_LINES][ROLE_LINE], now[ROLE_LINES][ROLE_LINE];
	unsigned n = 0, m = 0, others = 0;
	if (scale_is("small"))
		return; /* not all roles occurred */
	FILE *f = fopen(cells_roles_path, "r");
	while (f && fgets(kept[n], ROLE_LINE, f)) {
		char view[24];
		snprintf(view, sizeof view, "%.*s", (int)strcspn(kept[n], "."), kept[n]);
		if (cells_reads_view(view, test))
			n++;
		else
			memcpy(now[others++], kept[n], ROLE_LINE);
		assert_true(n + others < ROLE_LINES);
	}
	if (f)
		fclose(f);
	m = others;
	for (unsigned i = 0; i < cells_seen_count; i++) {
		char *line = now[m];
		if (!cells_reads_view(cells_seen[i].view, test))
			continue;
		assert_true(++m < ROLE_LINES);
		int at = snprintf(line, ROLE_LINE, "%s.%s:", cells_seen[i].view,
		                  cells_seen[i].column);
		for (unsigned r = 0; r < ROLE_COUNT; r++)
			if (cells_seen[i].roles >> r & 1)
				at += snprintf(line + at, ROLE_LINE - (size_t)at, " %s",
				               role_name[r]);
		snprintf(line + at, ROLE_LINE - (size_t)at, "\n");
	}
	qsort(now[others], m - others, ROLE_LINE, cells_compare_lines);
	if (getenv("UPDATE")) {
		qsort(now, m, ROLE_LINE, cells_compare_lines);
		f = fopen(cells_roles_path, "w");
		assert_non_null(f);
		for (unsigned i = 0; i < m; i++)
			fputs(now[i], f);
		assert_int_equal(fclose(f), 0);
		return;
	}
	for (unsigned i = 0; i < n || i < m - others; i++)
		if (i >= n || i >= m - others || strcmp(kept[i], now[others + i]) != 0)
			fail_msg("cells have '%s', %s '%s'; UPDATE=1 writes it anew",
			         i < m - others ? now[others + i] : "", cells_roles_path,
			         i < n ? kept[i] : "");
}

void reports_are_complete(void)
{
	cells_check_roles(NULL);
	for (unsigned i = 0; i < cells_seen_count; i++)
		if (!cells_seen[i].held)
			fail_msg("report %s: column '%s' held nothing wherever its test looked",
			         cells_seen[i].view + 2, cells_seen[i].column);
}

void column_may_be_empty(const char *view, const char *column)
{
	cells_seen[cells_seen_at(view, column)].held = true;
}

bool column_held(const char *view, const char *column)
{
	return cells_seen[cells_seen_at(view, column)].held;
}

void views_are_complete(const char *test)
{
	cells_check_roles(test);
	for (unsigned i = 0; i < view_count; i++) {
		const char *reader = cells_reader_of(views[i]->name);
		if (!reader)
			fail_msg("no test says what the cells of view %s have to be: read them "
			         "from the machine in a tests/unit/cells/test_view_cells_*.c, and "
			         "add it to view_readers in tests/unit/cells/view_cells.c",
			         views[i]->name);
		else if (!strcmp(reader, test))
			view_is_complete(views[i]->name);
	}
}
