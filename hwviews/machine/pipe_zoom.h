/* The zoomed-out pipeline diagram: a column is many cycles, and a row as many instructions as
 * needed to fit all that were in the machine into the rows.
 *
 * In each cycle an instruction is in one stage, the letter of the diagram. A cell counts the
 * letters over its instructions and cycles, and shows the most frequent; of equals, the later
 * stage. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_PIPE_ZOOM_H
#define CYCLOPS_HWVIEWS_MACHINE_PIPE_ZOOM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/pipe/uop.h"
#include "hwviews/grid/grid.h"

struct session;
struct pipe_zoom;

enum {
	ZOOM_CYCLES_MOST = 1 << 20, /* shown at once: they are executed again */
	ZOOM_BY_MOST = 1 << 14,     /* cycles a column */
	ZOOM_ROWS_MOST = 256,
	ZOOM_LETTERS = 12
};

/* The letters in order of the pipeline, and a word for each. */
extern const char *const zoom_letter[ZOOM_LETTERS];
extern const char *const zoom_word[ZOOM_LETTERS];

/* Facts about a row's instructions. */
struct zoom_row {
	struct uop first;          /* the oldest known; seq 0: none */
	uint32_t known, retired, squashed; /* dropped ones count as neither */
	uint32_t in_flight;
	uint64_t fetch, end;       /* first fetch, last end; those in flight have no end */
};

/* Borrowed from a session's pipe_zoom until the next pipe_zoom_take(). */
struct zoom {
	uint64_t from, end;        /* cycles [from, end) */
	uint64_t base, by;         /* column i: cycles [base + i * by, base + (i + 1) * by) */
	unsigned columns, rows;    /* rows 0: nothing had been fetched */
	uint64_t first_seq, per;   /* row i: `per` instructions from first_seq + i * per on */
	const struct zoom_row *row;  /* [rows] */
	const uint32_t *count;     /* [rows][columns][ZOOM_LETTERS], instructions times cycles */
};

/* Empty; NULL if memory runs out. */
struct pipe_zoom *pipe_zoom_new(void);
void pipe_zoom_free(struct pipe_zoom *z);

/* The window that ends with cycle `last`, at most columns x rows. Parts that were executed again
 * for an earlier window are reused. False with *err: history doesn't reach, or re-execution was
 * interrupted. */
bool pipe_zoom_take(const struct session *s, uint64_t last, uint64_t by, unsigned columns,
                    unsigned rows, struct zoom *out, struct err *err);

/* Its columns. */
enum { PIPE_ZOOM_COLUMNS = 11 };
extern const struct grid_column pipe_zoom_columns[PIPE_ZOOM_COLUMNS];
/* Fills *out with the window of pipe_zoom_take(). */
bool pipe_zoom_grid(const struct session *s, uint64_t last, uint64_t by, unsigned width,
                    unsigned rows, struct grid *out, struct err *err);

#endif
