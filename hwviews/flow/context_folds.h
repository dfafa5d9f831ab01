/* Which parts of the calling context tree are shown: nodes that the user has expanded or collapsed,
 * and elsewhere the large ones.
 *
 * The session keeps it, like the selection: panes, text, JSON and scripts show the same. */
#ifndef CYCLOPS_HWVIEWS_FLOW_CONTEXT_FOLDS_H
#define CYCLOPS_HWVIEWS_FLOW_CONTEXT_FOLDS_H

#include "hwviews/flow/contexts.h"

enum fold {
	FOLD_AUTO,   /* children of a large node, except small ones */
	FOLD_OPEN,   /* all children */
	FOLD_CLOSED
};

/* Percent of the whole: larger nodes are expanded automatically; smaller ones share a row. */
enum { FOLD_LARGE = 5, FOLD_SMALL = 1 };

struct context_folds {
	uint8_t *of;    /* [count], enum fold; owned */
	uint32_t count;
	enum fold all;  /* for nodes not set by the user */
};

/* Sets how a node is shown. False if memory is out. */
bool context_fold_set(struct session *s, uint32_t node, enum fold fold);
/* Sets the fold of every node, and drops earlier settings. */
void context_fold_all(struct session *s, enum fold fold);
/* The fold of a node: FOLD_AUTO or FOLD_OPEN if its children are shown; FOLD_CLOSED if they are
 * hidden or it has none. */
enum fold context_fold(const struct session *s, const struct contexts *c, uint32_t node);
/* True if a child has a row of its own under a parent with this fold. */
bool context_shown(const struct contexts *c, enum fold parent, uint32_t child);
void context_folds_free(struct context_folds *f);

/* Row keys of the view `cct`: of a node, or of the row for its smaller children (rest). */
uint64_t context_key(uint32_t node, bool rest);
/* The node of a row key; CONTEXT_NONE: none. *rest: true if the row is for its smaller children. */
uint32_t context_of_key(uint64_t key, bool *rest);

#endif
