/* Cells and argument parsers that views share: times, reasons and fields read the same
 * everywhere. */
#ifndef CYCLOPS_HWVIEWS_SESSION_VIEW_TEXT_H
#define CYCLOPS_HWVIEWS_SESSION_VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/field_text.h"
#include "hwviews/grid/grid.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/place_text.h"
#include "hwviews/session/session.h"
#include "hwviews/session/uop_fields.h"
#include "hwviews/why/why_text.h"

/* ---- cells of several views ---- */
/* "4 left, 1,204,381" (raw: the cycle); empty for NO_CYCLE. */
void cell_due(struct grid *g, uint64_t now, uint64_t cycle);
/* "3 ago, 1,204,374" (raw: the cycle); empty for NO_CYCLE. */
void cell_since(struct grid *g, uint64_t now, uint64_t cycle);
/* True if the program has several threads: views then have a column for the thread. */
bool has_threads(const struct session *s);
void cell_seq(struct grid *g, const struct pipe *p, const struct uop *u);
void cell_inst(struct grid *g, const struct session *s, const struct uop *u);
/* Commit slots in cycles, "1,234.50": they may end in a fraction of the commit width. */
void cell_slots(struct grid *g, enum role role, uint64_t slots, uint64_t width);
/* A row of a stack: its statistic's last words, "memory_order" as "memory order"; and its share, 0
 * to 1, as a bar of up to 24 columns. */
void cell_cause(struct grid *g, const char *name);
void cell_bar(struct grid *g, double share, enum role role);
/* "find+0x10", raw: the address. */
void cell_addr(struct grid *g, const struct session *s, enum role role, uint64_t addr);
/* A field of u, formatted by its type; blank if u lacks the field, or does not have it yet. */
void cell_field(struct grid *g, const struct session *s, const struct uop *u, enum uop_field f,
                enum role role);

/* ---- fills of columns of views of instructions in flight ---- */
/* The row of such a view, or its first member. */
struct uop_row {
	const struct session *s;
	const struct uop *u;
};
/* Begins a row about u, with the role of its state. */
struct grid_row *uop_grid_row(struct grid *g, const struct session *s, const struct uop *u);
void fill_seq(struct grid *g, const void *uop_row);
void fill_thread(struct grid *g, const void *uop_row);
void fill_inst(struct grid *g, const void *uop_row);
void fill_pc(struct grid *g, const void *uop_row);
/* The reason why u waits. If u does not wait: empty, or (fill_wait_or_state) u's state in a word or
 * two. */
void fill_wait(struct grid *g, const void *uop_row);
void fill_wait_or_state(struct grid *g, const void *uop_row);
/* The cycle in which u's wait ends. */
void fill_due(struct grid *g, const void *uop_row);
void fill_state(struct grid *g, const void *uop_row);

/* ---- tables of the largest of many parts: two rows sum up ---- */
#define KEY_TOTAL UINT64_MAX
#define KEY_OTHERS (UINT64_MAX - 1)
/* How many of n parts have a row of their own. */
size_t parts_shown(size_t n, const struct view_args *args, bool all);
/* Begins the row that sums up `others` parts, or, if 0, the row of the total. Returns what: "17
 * others" or "total". */
const char *parts_sum_row(struct grid *g, size_t others, char *what, size_t n);

/* ---- arguments ---- */
/* address_parse() (hwviews/session/address.h) with bare numbers as addresses. */
bool arg_address(const struct session *s, const char *text, uint64_t *out, struct err *err);
bool arg_number(const char *text, const char *what, uint64_t max, uint64_t *out, struct err *err);
/* False with *err if there are more than `most` words. */
bool arg_count(const struct view_args *args, int most, const char *view, struct err *err);

#endif
