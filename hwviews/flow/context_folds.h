/* Which parts of the calling context tree are shown: what a person has expanded and collapsed, and
 * for all else what is large.
 *
 * The session keeps it, as it keeps what is selected: panes, text, JSON and scripts show the same.
 */
#ifndef CYCLOPS_HWVIEWS_FLOW_CONTEXT_FOLDS_H
#define CYCLOPS_HWVIEWS_FLOW_CONTEXT_FOLDS_H

#include "hwviews/flow/contexts.h"

enum fold {
	FOLD_AUTO,   /* children of a node that is large, if they are not small */
	FOLD_OPEN,   /* all children */
	FOLD_CLOSED
};

/* Of everything, in percent: what is as large is expanded by itself; what is smaller is one row
 * with its like. */
enum { FOLD_LARGE = 5, FOLD_SMALL = 1 };

struct context_folds {
	uint8_t *of;    /* [count], enum fold; owned */
	uint32_t count;
	enum fold all;  /* of those that nobody has asked for */
};

/* False if memory is out. */
bool context_fold_set(struct session *s, uint32_t node, enum fold fold);
/* For every node, whatever was set before. */
void context_fold_all(struct session *s, enum fold fold);
/* How a node is shown: FOLD_AUTO and FOLD_OPEN show children, FOLD_CLOSED does not, or there are
 * none. */
enum fold context_fold(const struct session *s, const struct contexts *c, uint32_t node);
/* Whether a child of a node that is shown so has a row of its own. */
bool context_shown(const struct contexts *c, enum fold parent, uint32_t child);
void context_folds_free(struct context_folds *f);

/* Rows of the view `cct`: the key of a node's, or of the one that stands for its smaller children.
 */
uint64_t context_key(uint32_t node, bool rest);
/* The node that a row with this key is about; CONTEXT_NONE: none. *rest receives which of both. */
uint32_t context_of_key(uint64_t key, bool *rest);

#endif
