/* Paths that a program counts in the records of its calling context tree (kind cct+path), whatever
 * the context. */
#ifndef CYCLOPS_HWVIEWS_FLOW_PATH_RECORDS_H
#define CYCLOPS_HWVIEWS_FLOW_PATH_RECORDS_H

#include "hwviews/session/session.h"
#include "loader/instrument/path_profile.h"

/* As path_counts_read(). profile: the program's paths, or those of one of its functions. False with
 * *err: the records can't be read, or memory is out. */
bool path_records_read(const struct session *s, const struct path_profile *profile,
                       struct path_counts *out, struct err *err);

#endif
