/* Readers of the views of the pipeline: each gives the expected value of every cell of one view
 * now. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_PIPELINE_CELLS_H
#define CYCLOPS_TESTS_UNIT_CELLS_PIPELINE_CELLS_H

#include "tests/unit/cells/view_cells.h"

enum { STOPS = 60, STRIDE = 67 };

/* Checks the end of u's wait, which only causes with a known end have. */
void says_wait_end(struct cells *c, const struct pipe *p, const struct uop *u);
void says_seq(struct cells *c, const struct pipe *p, const struct uop *u);
void says_result(struct cells *c, const char *column, const struct uop *u);
void read_rob(const struct session *s);
void read_lsq(const struct session *s);
void read_iq(const struct session *s);
void read_fetchq(const struct session *s);
void read_units(const struct session *s);
void read_fu(const struct session *s);
void read_rename(const struct session *s, const char *words);
/* Reads the registers that the squash of each unresolved branch restores. */
void read_rename_branches(const struct session *s);
void read_registers(const struct session *s, const char *view, unsigned first);
void read_bpred(const struct session *s);
void read_btb(const struct session *s);
/* Reads the map of the BTB: 64 characters a row, each for a group of sets. */
void read_btb_map(const struct session *s);
void read_ras(const struct session *s);

#endif
