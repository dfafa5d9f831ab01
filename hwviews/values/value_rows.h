/* A session's lists of sampled values, and a list as text. */
#ifndef CYCLOPS_HWVIEWS_VALUES_VALUE_ROWS_H
#define CYCLOPS_HWVIEWS_VALUES_VALUE_ROWS_H

#include "core/run/value_daemon.h"
#include "hwviews/session/session.h"

/* The session's value profile; NULL if there is none, and *err explains how to get one. */
const struct value_daemon *session_values(const struct session *s, struct err *err);

/* The place of hotlists for the code that is at pc now. */
uint64_t value_place(const struct session *s, uint64_t pc);
/* False: the list is of code that was replaced, and what is at its pc now is no matter of it. */
bool value_list_is_present(const struct session *s, const struct hotlist_info *info);
/* "main+4"; "0x2000418, replaced" of code that was replaced. Returns buf. */
char *value_place_text(const struct session *s, const struct hotlist_info *info, char *buf,
                       size_t n);

/* "(94.26% D) (3.58% M) (2.15% B)": at most `most` values of list i, with their shares. Returns
 * buf. */
char *value_list_text(const struct value_daemon *d, const struct hotlists *lists, uint32_t i,
                      unsigned most, char *buf, size_t n);
/* Estimated share of its most frequent value among all seen, 0 to 1. */
double value_top_share(const struct hotlists *lists, uint32_t i);

#endif
