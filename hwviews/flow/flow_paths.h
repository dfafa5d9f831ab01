/* Paths that an instrumented program counts, as its functions' flow graphs have them. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_PATHS_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_PATHS_H

#include "hwviews/flow/flow_graph.h"
#include "hwviews/session/session.h"
#include "loader/instrument/path_profile.h"

/* Where the function's blocks begin, without those that only a call stands before: *n, malloc'd.
 * NULL: memory is out. */
uint64_t *flow_path_leaders(const struct path_function *f, size_t *n);
/* Counts of blocks and edges, and labels, of the one function of a profile. False if its paths
 * can't be read: nothing is known then. */
bool flow_take_paths(const struct session *s, struct flow_picture *p,
                     const struct path_profile *one);
/* Edges of the function's graph (path_profile.h) numbered as the paper does it, on every edge:
 * [graph.count], malloc'd. NULL: memory is out. */
struct path_edge *flow_plain_labels(const struct path_function *f);

/* The paths of a session's program: numbering all its functions takes a while, so it is done once.
 * Borrowed; NULL: it counts none, or its description is damaged. */
const struct path_profile *session_paths(const struct session *s);
struct path_cache *path_cache_new(void);
void path_cache_free(struct path_cache *c);

/* Whether its program counts paths; and what it has counted. */
bool session_counts_paths(const struct session *s);
bool session_path_counts(const struct session *s, const struct path_profile *profile,
                         struct path_counts *out, struct err *err);

/* The blocks of path number k, as the flow graph has them: into blocks[room], first to last, and as
 * a text, "5↺ 3 5 ↺": 5↺ has led back to the first, ↺: some block has, or so does what follows.
 * Returns how many blocks are in blocks[]. */
uint32_t flow_path_text(const struct flow_picture *p, const struct path_function *f, uint64_t k,
                        uint32_t *blocks, uint32_t room, char *buf, size_t n);

/* As path_counts_read(). profile: the program's paths, or those of one of its functions. False with
 * *err: the records can't be read, or memory is out. */
bool path_records_read(const struct session *s, const struct path_profile *profile,
                       struct path_counts *out, struct err *err);

#endif
