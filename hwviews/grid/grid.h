/* A grid: what a view shows, as rows of cells with meanings. Renderers make a pane, text or JSON of
 * it, Lua gets it as a table; nobody parses text.
 *
 * Texts are plain (UTF-8), never padded, coloured or truncated: renderers do that. A row may carry
 * a key that stays the same from stop to stop (a uop's seq, a register, set*ways+way), by which
 * changes are found and selections survive. The grid owns all its text.
 *
 * Nothing that fills a grid fails: where there is no memory, what is written is lost, and
 * grid_complete() tells. */
#ifndef CYCLOPS_HWVIEWS_GRID_GRID_H
#define CYCLOPS_HWVIEWS_GRID_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "hwviews/grid/role.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };

struct grid;
struct session;

/* A column of a view, all of it in one row of the view's table: its name, head and unit, the
 * sentence that explains it, what writes its cells, and its shape. */
struct grid_column {
	const char *name;  /* identifier in JSON and Lua: "seq", "waits_for"; static */
	const char *title; /* its head, shown; static */
	const char *unit;  /* "cycles", "bytes", ""; static */
	/* Writes its cell of g's last row: exactly one. `row` is what the view gave to
	 * grid_cells(). NULL: the view itself writes the cells, since its rows are of several
	 * kinds. */
	void (*fill)(struct grid *g, const void *row);
	/* What it tells, for the view's help, which adds the head and breaks lines; AS_BEFORE: what
	 * the column before it does, in the same line. NULL: a mark, whose signs the view explains.
	 */
	const char *help;
	unsigned of; /* which of several columns that have the same fill it is (grid_of()) */
	/* Whether a session's machine has it; NULL: all have. */
	bool (*there)(const struct session *s);
	enum align align;
	unsigned min_width; /* character cells; 0 = as its texts need */
	bool flexible;      /* takes the rest of a pane's width; truncated first */
	bool restless;      /* moves with every cycle by its nature: never marked as changed */
};

#define AS_BEFORE "\""
/* Shapes of columns. */
#define AT_RIGHT .align = ALIGN_RIGHT
#define FLEXIBLE .flexible = true
/* A table of columns and how many it has: two arguments, or two members. */
#define GRID_TABLE(columns) columns, sizeof(columns) / sizeof *(columns)

/* RAW_NONE: JSON exports the text. RAW_HEX: addresses, exported as "0x..." strings. RAW_LIST:
 * several numbers, of which the text is a picture. */
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
	uint64_t seq;       /* uop this row is about, 0 if none (for why) */
	uint64_t pc;        /* code address this row is about, 0 if none (for break, source) */
	enum role role;     /* of the whole row; cells with ROLE_PLAIN inherit it */
	/* the view that shows what this row is about, static; NULL: none does */
	const char *opens;
	bool fresh;         /* its key was not there at the last stop; set by grid_mark_changes() */
};

struct picture;

struct grid {
	char *title;     /* "Reorder buffer"; owned */
	char *summary;   /* "23/64": stands right of the title; owned, may be empty */
	/* what its characters mean, where a pane has a line to spare; static; NULL: they need none
	 */
	const char *legend;
	/* said when there are no rows: "no instruction in flight"; owned, may be empty */
	char *empty;
	struct grid_column *columns; /* owned */
	unsigned column_count;
	struct grid_row *rows; /* owned */
	unsigned row_count, row_capacity;
	/* the first columns, kept however narrow the pane; GRID_ESSENTIAL of them if the view says
	 * nothing */
	unsigned essential;
	/* row that should be visible (the oldest, the current line); UINT_MAX if none */
	unsigned focus_row;
	unsigned fill;      /* cells of the last row written so far */
	/* of the rows, shown where there is room (hwviews/grid/picture.h); owned; NULL: there is
	 * none */
	struct picture *picture;
	/* bit c: JSON has text in all of column c, since some of its cells have no number */
	uint64_t texts;
	bool out_of_memory; /* some of it is missing: it is not to be shown, and more is not kept */
};

enum { GRID_COLUMNS_MAX = 1024, GRID_ESSENTIAL = 5 };

void grid_init(struct grid *g, const char *title, const struct grid_column *columns, unsigned n);
/* Without the columns that the session's machine lacks. */
void grid_init_for(struct grid *g, const char *title, const struct grid_column *columns, unsigned n,
                   const struct session *s);
/* The column of a name, which is there; it may be changed before the first row begins. */
struct grid_column *grid_column_named(struct grid *g, const char *name);
/* Takes it away, before the first row begins. */
void grid_drop_column(struct grid *g, const char *name);
/* Keeps only the columns that `names` names, separated by blanks, in that order. */
void grid_keep_columns(struct grid *g, const char *names);
void grid_deinit(struct grid *g); /* frees everything; g may be initialised again */
/* Whoever has built it asks before it is shown: whether all of it is there. If memory was out, it
 * is freed: false with *err. */
bool grid_complete(struct grid *g, struct err *err);
/* The grid owns p from now on; NULL: there was no memory for it. */
void grid_take_picture(struct grid *g, struct picture *p);
/* Of a column, one of the first 64, in which some cells are numbers and others words: in JSON all
 * are texts, for a column has one type there. */
void grid_texts(struct grid *g, const char *column);
void grid_summary(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void grid_empty(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Begins a row; returns it (borrowed until the next row begins). Missing cells stay empty. */
struct grid_row *grid_row(struct grid *g, uint64_t key, enum role role);
/* The one that was begun last, if any was. */
struct grid_row *grid_last_row(struct grid *g);
/* Each fills the next cell of the last row. */
void grid_text(struct grid *g, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void grid_uint(struct grid *g, enum role role, uint64_t v); /* 1,234,567 */
void grid_int(struct grid *g, enum role role, int64_t v);   /* -1,234,567 */
void grid_hex(struct grid *g, enum role role, uint64_t v);  /* 0x1040c */
void grid_double(struct grid *g, enum role role, double v, int decimals);
void grid_double_text(struct grid *g, enum role role, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Lets all columns of the table fill their cells of the last row. */
void grid_cells(struct grid *g, const void *row);
/* A column's fill that is an expression of its row r, a `type`. */
#define FILL(name, type, ...)                                                                      \
	static void name(struct grid *g, const void *row)                                          \
	{                                                                                          \
		const type *r = row;                                                               \
		__VA_ARGS__;                                                                       \
	}
/* Fills of columns that show a member of the row as it is: `of` is its offset. A uint64_t; the
 * same, of secondary interest; a text, const char *; the same, of secondary interest. */
void fill_uint(struct grid *g, const void *row);
void fill_uint_dim(struct grid *g, const void *row);
void fill_text(struct grid *g, const void *row);
void fill_text_dim(struct grid *g, const void *row);
/* For columns of numbers that not every row has. */
void grid_uint_if(struct grid *g, bool there, enum role role, uint64_t v);
/* Leaves the cells before this column empty, and the next one fills it. */
void grid_skip_to(struct grid *g, const char *name);
/* While a column fills its cell: its `of`. */
unsigned grid_of(const struct grid *g);
/* An empty cell. */
void grid_blank(struct grid *g);
/* A raw value with a text of its own ("L2, 4 left" with the cycle that ends it). */
void grid_uint_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void grid_hex_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Numbers (`n` of them, copied) with a text that shows them all. */
void grid_list_text(struct grid *g, enum role role, const uint64_t *list, uint32_t n,
                    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Marks cells of `now` that differ from the row of the same key in `before`, and rows that are new.
 * Without keys, rows are compared by position. Raw values are compared where both have them, so
 * that what only counts down to the same cycle has not changed. before may be NULL (nothing is
 * marked). */
void grid_mark_changes(struct grid *now, const struct grid *before);

/* Chooses widths[column_count] so that the columns with `gap` cells between them take at most
 * `width` (0: no limit). Views put what matters first: columns that are not essential are left out
 * from the right (width 0), then flexible ones give way, then essential ones go too. Returns the
 * number of columns shown. */
unsigned grid_layout(const struct grid *g, unsigned width, unsigned gap, unsigned *widths);

/* Grouped decimal digits: 1,204,377. Returns buf (at least 32 bytes). */
char *group_digits(uint64_t v, char *buf);
/* -1234567 -> "-1,234,567"; buf holds 33 bytes. */
char *group_digits_signed(int64_t v, char *buf);
/* The same as arguments: good until the end of the block that they stand in. */
#define GROUPED(v) group_digits(v, (char[32]){0})
#define GROUPED_SIGNED(v) group_digits_signed(v, (char[33]){0})
/* The last two arguments of what writes a text into a buffer and returns it: good as long. */
#define BUFFER(n) (char[n]){0}, (n)

#endif
