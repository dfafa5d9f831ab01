/* The oracle's counts as rows: order, number, and functions that fill the cells. */
#ifndef CYCLOPS_HWVIEWS_ORACLE_ORACLE_ROWS_H
#define CYCLOPS_HWVIEWS_ORACLE_ORACLE_ROWS_H

#include "core/prof/oracle/oracle.h"
#include "hwviews/session/view_text.h"

/* The oracle of the session's machine; NULL if there is none. */
const struct oracle *session_oracle(const struct session *s);

/* The oracle if it fills this table; else NULL, and *err names the parameter that makes it
 * ("oracle.blocks=true"). */
const struct oracle *oracle_with(const struct session *s, enum oracle_table_id id,
                                 const char *parameter, struct err *err);

/* Entries by descending count, then by key: malloc'd, *n of them; NULL with *err if memory is
 * out. */
struct ranked {
	uint64_t count;
	const struct oracle_entry *e; /* borrowed until the machine moves */
};
struct ranked *oracle_rank(const struct oracle *o, enum oracle_table_id id, uint32_t *n,
                           struct err *err);
/* Sorts again, after the caller changed the counts. */
void oracle_rank_again(struct ranked *r, uint32_t n);

/* Parses "[ROWS|all]" after the first `skip` words: how many of n rows to show. False with *err. */
bool oracle_row_limit(const struct view_args *args, int skip, uint64_t n, uint64_t *limit,
                      struct err *err);

/* Sets the summary: "2,000 of 31,415 instructions ... ; lost: 12 values". shown < all: also the
 * number of rows. */
void oracle_summary(struct grid *g, const struct session *s, const struct oracle *o, uint64_t shown,
                    uint64_t all);

/* First members of a row about the instruction at pc; the functions fill its columns. */
struct code_row {
	const struct session *s;
	uint64_t pc;
};
void fill_code_address(struct grid *g, const void *code_row);
void fill_code_place(struct grid *g, const void *code_row);
void fill_code_inst(struct grid *g, const void *code_row);
/* Writes part of whole, in percent. */
void cell_share(struct grid *g, uint64_t part, uint64_t whole);

/* "(thread 2) ", "(SIGUSR1) ", "(thread 3, coroutine) " for the root of a stream; "" for another
 * site: false. */
bool oracle_root_text(uint64_t site, char *buf, size_t n);

#endif
