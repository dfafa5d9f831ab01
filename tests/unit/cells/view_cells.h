/* A view's cells against a plain reading of the machine, written without the code of views: a test
 * opens a view, goes through its rows and checks each cell's value. A missing or surplus row, an
 * unchecked cell, a column that was always empty, and a view that no test reads each fail, with a
 * hint.
 *
 * Places, disassembly, number formats and words of causes are written again here, not shared with
 * views. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_VIEW_CELLS_H
#define CYCLOPS_TESTS_UNIT_CELLS_VIEW_CELLS_H

#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "core/pipe/why.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "tests/cases.h"

typedef unsigned long long ull;

struct cells {
	char words[64]; /* "rename all" */
	char view[24];
	struct grid g;
	unsigned rows; /* begun so far */
	uint64_t said; /* bit i: of column i, in this row */
};

#define CELLS_FORMAT(at) __attribute__((format(printf, at, at + 1)))
#define CELLS_TEXT(fmt)                                                                            \
	char text[1024];                                                                           \
	va_list ap;                                                                                \
	va_start(ap, fmt);                                                                         \
	vsnprintf(text, sizeof text, fmt, ap);                                                     \
	va_end(ap)

void cells_open_in(struct cells *c, const struct session *s, const char *words, unsigned rows,
                   unsigned columns);
void cells_open(struct cells *c, const struct session *s, const char *words);
/* Opens a report. words: its name (one or two words) and arguments; its coverage is recorded as
 * "report NAME". */
void cells_open_report(struct cells *c, const struct session *s, const char *words);
/* The next row; all cells of the row before must have been checked. */
const struct grid_row *cells_row(struct cells *c);
void cells_close(struct cells *c);
/* The cell of this column in the present row; counts as checked. */
const struct cell *cells_at(struct cells *c, const char *column);
CELLS_FORMAT(3) void says(struct cells *c, const char *column, const char *fmt, ...);
/* The line above the rows. */
CELLS_FORMAT(2) void says_summary(const struct cells *c, const char *fmt, ...);
/* Checks a list of numbers, and the text that shows them. */
CELLS_FORMAT(5)
void says_list(struct cells *c, const char *column, const uint64_t *list, uint32_t n,
               const char *fmt, ...);
void says_nothing(struct cells *c, const char *column);
CELLS_FORMAT(5)
void says_word(struct cells *c, const char *column, enum raw_kind kind, uint64_t v, const char *fmt,
               ...);
CELLS_FORMAT(4)
void says_double(struct cells *c, const char *column, double v, const char *fmt, ...);
/* A text buffer from a ring that is large enough for one call. */
char *some_text(void);
/* For qsort: the smaller number first. */
int ascending(uint64_t first, uint64_t second);
/* 1,234,567 */
const char *grouped(uint64_t v);
void says_uint(struct cells *c, const char *column, uint64_t v);
void says_hex(struct cells *c, const char *column, uint64_t v);
/* The name of a place: "walk+0x10", "sp+24", "heap+0x8"; "" if none covers it. */
const char *place_of(const struct session *s, uint64_t addr);
const char *addr_of(const struct session *s, uint64_t addr);
/* An address with the place as its text. */
void says_addr(struct cells *c, const char *column, const struct session *s, uint64_t addr);
/* Checks a future cycle: "12 left, 2,012"; `now` is the next cycle. */
void says_due(struct cells *c, const char *column, uint64_t now, uint64_t cycle);
void says_since(struct cells *c, const char *column, uint64_t now, uint64_t cycle);
/* Writes an instruction as assembly into out [128]; targets of branches and jumps are written as
 * places. */
void assembly(const struct session *s, const struct inst *in, uint64_t pc, char *out);
/* The instruction in memory at pc, as assembly. */
const char *assembly_at(const struct session *s, uint64_t pc);
/* A share as a bar of eighths; a share above 0 has at least one. */
const char *eighths_bar(double share, unsigned width);
const char *assembly_of(const struct session *s, const struct uop *u);
bool wrong_path(const struct pipe *p, const struct uop *u);
const char *number_of(const struct pipe *p, const struct uop *u);
const char *phase_of(const struct uop *u);
const char *served_by(unsigned level);
/* The text of u's wait in a column "waits for"; the cause is computed by the core
 * (core/pipe/why.h). */
const char *wait_of(const struct pipe *p, const struct uop *u);
/* With settings as `name=value;name=value`, or NULL. Input and output of launch are set here. */
struct session *open_launch(const struct launch *launch, const char *settings);
struct session *open_program(const char *path, const char *settings);
/* The name of a file without its folders. */
const char *file_name(const char *path);
/* The machine's pipeline. */
const struct pipe *pipe_of(const struct session *s);
void run_for(struct session *s, uint64_t cycles);
/* Runs until the program is in that function, or ends. */
void run_into(struct session *s, const char *function);
/* Checks that each column of the view was read, and was not always empty. */
void view_is_complete(const char *view);
/* Checks that no column of the opened reports was always empty. */
void reports_are_complete(void);
/* Allows a column to be empty always. */
void column_may_be_empty(const char *view, const char *column);
/* True if a row was read whose cell in that column was not empty. */
bool column_held(const char *view, const char *column);
/* Checks that each view has a test, and that `test` read its views completely. */
void views_are_complete(const char *test);

#endif
