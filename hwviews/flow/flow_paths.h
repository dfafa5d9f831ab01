/* Paths counted by an instrumented program, mapped to its functions' flow graphs. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_PATHS_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_PATHS_H

#include "hwviews/flow/flow_graph.h"
#include "hwviews/session/session.h"
#include "loader/instrument/path_profile.h"

/* Addresses of the function's blocks, without blocks that begin only because of a call before:
 * [*n], malloc'd. NULL: memory is out. */
uint64_t *flow_path_leaders(const struct path_function *f, size_t *n);
/* Takes counts of blocks and edges, and labels, from a profile of this one function. False if its
 * paths can't be read: nothing is known then. */
bool flow_take_paths(const struct session *s, struct flow_picture *p,
                     const struct path_profile *one);
/* Edges of the function's graph (path_profile.h) with the paper's numbers on every edge:
 * [graph.count], malloc'd. NULL: memory is out. */
struct path_edge *flow_plain_labels(const struct path_function *f);

/* The paths of a session's program, numbered at the first call only, which is slow. Borrowed; NULL:
 * the program counts no paths, or its description is damaged. */
const struct path_profile *session_paths(const struct session *s);
struct path_cache *path_cache_new(void);
void path_cache_free(struct path_cache *c);

/* Whether the program counts paths, and its counts. */
bool session_counts_paths(const struct session *s);
bool session_path_counts(const struct session *s, const struct path_profile *profile,
                         struct path_counts *out, struct err *err);

/* The blocks of path number k: in blocks[room], first to last, and as a text, "5↺ 3 5 ↺": 5↺ at the
 * start means a back edge from block 5, ↺ one from several blocks; ↺ at the end means that the path
 * ends with a back edge. Returns the number of blocks in blocks[]. */
uint32_t flow_path_text(const struct flow_picture *p, const struct path_function *f, uint64_t k,
                        uint32_t *blocks, uint32_t room, char *buf, size_t n);

#endif
