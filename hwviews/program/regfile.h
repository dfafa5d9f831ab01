/* Shared by the views of the integer and the floating point registers. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_REGFILE_H
#define CYCLOPS_HWVIEWS_PROGRAM_REGFILE_H

#include "hwviews/session/view_text.h"

enum { REGFILE_COLUMNS = 6 };
extern const struct grid_column regfile_columns[REGFILE_COLUMNS];

/* The meaning of a register's value, in words. Returns buf. */
typedef char *reg_meaning(const struct session *s, unsigned reg, uint64_t value, char *buf,
                          size_t n);

/* Thirty-two registers from `first`, one to a row, or two if fewer rows fit. */
void regfile_build(struct grid *g, const char *title, const struct session *s,
                   const struct view_args *args, unsigned first, reg_meaning *meaning);

#endif
