/* A grid: the contents of a view, as rows of cells with meanings. Renderers make a pane, text or
 * JSON of it, Lua gets it as a table; no code parses text.
 *
 * Texts are plain UTF-8, never padded, coloured or truncated: renderers do that. A row may have a
 * key that stays the same from stop to stop (a uop's seq, a register, set*ways+way), by which
 * changes are found and selections survive. The grid owns all its text.
 *
 * Functions that fill a grid cannot fail: if memory is out, their text is lost, and grid_complete()
 * reports it. */
#ifndef CYCLOPS_HWVIEWS_GRID_GRID_H
#define CYCLOPS_HWVIEWS_GRID_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/textbuf.h"
#include "hwviews/grid/role.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };

struct grid;
struct session;

/* A column of a view, all of it in one row of the view's table: name, head, unit, help sentence,
 * function that writes its cells, and shape. */
struct grid_column {
	const char *name;  /* identifier in JSON and Lua: "seq", "waits_for"; static */
	const char *title; /* its head, shown; static */
	const char *unit;  /* "cycles", "bytes", ""; static */
	/* Writes exactly one cell to g's last row. `row` is the argument of grid_cells(). NULL: the
	 * view itself writes the cells, since its rows are of several kinds. */
	void (*fill)(struct grid *g, const void *row);
	/* The column's meaning, for the view's help, which adds the head and breaks lines.
	 * AS_BEFORE: shares the help line of the column before it. NULL: a mark, whose signs the
	 * view explains. */
	const char *help;
	unsigned of; /* index among columns with the same fill (grid_of()) */
	/* True if a session's machine has the column; NULL: all have. */
	bool (*there)(const struct session *s);
	enum align align;
	unsigned min_width; /* character cells; 0: as wide as its texts */
	bool flexible;      /* takes the rest of a pane's width; truncated first */
	bool greedy;        /* later columns are left out of a pane before this one is truncated */
	bool restless;      /* changes in every cycle: never marked as changed */
};

#define AS_BEFORE "\""
/* Shapes of columns. */
#define AT_RIGHT .align = ALIGN_RIGHT
#define FLEXIBLE .flexible = true
/* A table of columns and its length: two arguments, or two members. */
#define GRID_TABLE(columns) columns, sizeof(columns) / sizeof *(columns)

/* RAW_NONE: JSON exports the text. RAW_HEX: addresses, exported as "0x..." strings. RAW_LIST:
 * several numbers, drawn by the text. */
enum raw_kind { RAW_NONE, RAW_UINT, RAW_INT, RAW_DOUBLE, RAW_HEX, RAW_LIST };

struct cell {
	char *text;     /* owned by the grid; never NULL */
	enum role role;
	bool changed;   /* set by grid_mark_changes() */
	enum raw_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double d;
		uint64_t *list; /* [count], owned by the grid */
	} raw;
	uint32_t count; /* of a list */
};

struct grid_row {
	struct cell *cells; /* [column_count], owned */
	uint64_t key;       /* stable identity, 0 if none */
	uint64_t seq;       /* seq of the row's uop, 0: none (for why) */
	uint64_t pc;        /* code address of the row, 0: none (for break, source) */
	enum role role;     /* of the whole row; cells with ROLE_PLAIN inherit it */
	/* the view of this row's subject, static; NULL: none */
	const char *opens;
	bool fresh;         /* its key is new since the last stop; set by grid_mark_changes() */
};

struct picture;

struct grid {
	char *title;     /* "Reorder buffer"; owned */
	char *summary;   /* "23/64": shown right of the title; owned, may be empty */
	/* meaning of its characters, shown if a pane has a line to spare; static; NULL: none
	 * needed */
	const char *legend;
	/* shown when there are no rows: "no instruction in flight"; owned, may be empty */
	char *empty;
	struct grid_column *columns; /* owned */
	unsigned column_count;
	struct grid_row *rows; /* owned */
	unsigned row_count, row_capacity;
	/* the number of first columns that are kept however narrow the pane; GRID_ESSENTIAL by
	 * default */
	unsigned essential;
	/* row that should be visible (the oldest, the current line); UINT_MAX if none */
	unsigned focus_row;
	unsigned fill;      /* cells of the last row written so far */
	/* of the rows, shown where there is room (hwviews/grid/picture.h); owned; NULL: none */
	struct picture *picture;
	/* bit c: JSON has texts in all of column c, since some of its cells have no number */
	uint64_t texts;
	bool out_of_memory; /* the grid is incomplete: don't show it; later text is dropped */
};

enum { GRID_COLUMNS_MAX = 1024, GRID_ESSENTIAL = 5 };

void grid_init(struct grid *g, const char *title, const struct grid_column *columns, unsigned n);
/* Omits the columns that the session's machine lacks. */
void grid_init_for(struct grid *g, const char *title, const struct grid_column *columns, unsigned n,
                   const struct session *s);
/* The column of a name, which must exist; it may be changed before the first row begins. */
struct grid_column *grid_column_named(struct grid *g, const char *name);
/* Removes a column, before the first row begins. */
void grid_drop_column(struct grid *g, const char *name);
/* Keeps only the columns in `names`, separated by blanks, in that order. */
void grid_keep_columns(struct grid *g, const char *names);
void grid_deinit(struct grid *g); /* frees everything; g may be initialised again */
/* Call after building, before showing. If memory was out, frees the grid: false with *err. */
bool grid_complete(struct grid *g, struct err *err);
/* Takes ownership of p; NULL: the caller ran out of memory. */
void grid_take_picture(struct grid *g, struct picture *p);
/* Makes JSON have texts in all of a column (one of the first 64), since only some of its cells are
 * numbers and a JSON column has one type. */
void grid_texts(struct grid *g, const char *column);
void grid_summary(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void grid_empty(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Begins a row; returns it (borrowed until the next row begins). Missing cells stay empty. */
struct grid_row *grid_row(struct grid *g, uint64_t key, enum role role);
/* The row begun last; at least one must have begun. */
struct grid_row *grid_last_row(struct grid *g);
/* Each of these fills the next cell of the last row. */
void grid_text(struct grid *g, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void grid_uint(struct grid *g, enum role role, uint64_t v); /* 1,234,567 */
void grid_int(struct grid *g, enum role role, int64_t v);   /* -1,234,567 */
void grid_hex(struct grid *g, enum role role, uint64_t v);  /* 0x1040c */
void grid_double(struct grid *g, enum role role, double v, int decimals);
void grid_double_text(struct grid *g, enum role role, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Calls each column's fill for the last row. */
void grid_cells(struct grid *g, const void *row);
/* Defines a column's fill: an expression of its row r, a `type`. */
#define FILL(name, type, ...)                                                                      \
	static void name(struct grid *g, const void *row)                                          \
	{                                                                                          \
		const type *r = row;                                                               \
		__VA_ARGS__;                                                                       \
	}
/* Fills of columns that show a member of the row as it is; `of` is its offset. A uint64_t, or a
 * text (const char *); _dim: of secondary interest. */
void fill_uint(struct grid *g, const void *row);
void fill_uint_dim(struct grid *g, const void *row);
void fill_text(struct grid *g, const void *row);
void fill_text_dim(struct grid *g, const void *row);
/* Writes a number, or an empty cell if the row has none (!there). */
void grid_uint_if(struct grid *g, bool there, enum role role, uint64_t v);
/* Leaves the cells before this column empty; the next call fills its cell. */
void grid_skip_to(struct grid *g, const char *name);
/* `of` of the column whose fill is running. */
unsigned grid_of(const struct grid *g);
/* An empty cell. */
void grid_blank(struct grid *g);
/* A raw value with a text of its own ("L2, 4 left" with the cycle that ends it). */
void grid_uint_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void grid_hex_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Writes a list of n numbers (copied), and the text that shows them. */
void grid_list_text(struct grid *g, enum role role, const uint64_t *list, uint32_t n,
                    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Marks cells of `now` that differ from the row of the same key in `before`, and new rows. Without
 * keys, rows are compared by position. Compares raw values if both cells have one, so that a
 * countdown to the same cycle is no change. before NULL: marks nothing. */
void grid_mark_changes(struct grid *now, const struct grid *before);

/* Chooses widths[column_count] so that the columns with `gap` cells between them take at most
 * `width` (0: no limit). Views put important columns first: drops optional columns from the right
 * (width 0), then shrinks flexible ones, then drops essential ones. Returns the number of columns
 * shown. */
unsigned grid_layout(const struct grid *g, unsigned width, unsigned gap, unsigned *widths);

/* The last two arguments of functions that write text into a buffer and return it; valid until the
 * end of the enclosing block. */
#define BUFFER(n) (char[n]){0}, (n)

#endif
