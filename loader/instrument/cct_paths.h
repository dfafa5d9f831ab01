/* Paths in the call records of a program instrumented with cct+path. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_PATHS_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_PATHS_H

#include "loader/instrument/cct.h"
#include "loader/instrument/path_profile.h"

struct cct_paths {
	struct cct cct;
	struct path_profile profile; /* owned */
};

/* Reads the sections. False if p counts no paths in contexts, or they are damaged. */
bool cct_paths_of(const struct program *p, struct cct_paths *out);
void cct_paths_free(struct cct_paths *p);

/* Receives a path that was executed in a context; words as in path_table.h. */
typedef void cct_path_fn(void *ctx, const struct path_function *f, uint64_t path,
                         const uint64_t *words);

/* Calls each for the paths of a node of cct_tree(); lost, if not NULL, receives how many found no
 * room in its hash tables. False with *err if the memory is damaged. */
bool cct_paths_each(const struct cct_paths *p, const struct cct_source *from,
                    const struct context *node, cct_path_fn *each, void *ctx, uint64_t *lost,
                    struct err *err);
/* The same for paths executed where the heap was full, or in no known context. */
bool cct_paths_spare(const struct cct_paths *p, const struct cct_source *from, cct_path_fn *each,
                     void *ctx, struct err *err);

/* Fills one_path of all nodes. False with *err. */
bool cct_one_path(const struct cct_paths *p, const struct cct_source *from, struct context_tree *t,
                  struct err *err);

#endif
