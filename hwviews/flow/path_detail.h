/* One path, block by block. */
#ifndef CYCLOPS_HWVIEWS_FLOW_PATH_DETAIL_H
#define CYCLOPS_HWVIEWS_FLOW_PATH_DETAIL_H

#include "hwviews/flow/path_rows.h"

/* Its columns: a row is a block. */
enum { PATH_DETAIL_COLUMNS = 9 };
extern const struct grid_column path_detail_columns[PATH_DETAIL_COLUMNS];

/* Of path number `path` of f. False with *err, *out untouched: f has no such path, or memory is
 * out. */
bool path_detail(const struct path_rows *p, const struct path_function *f, uint64_t path,
                 struct grid *out, struct err *err);

#endif
