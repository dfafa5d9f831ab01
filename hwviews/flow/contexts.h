/* A session's calling context tree, ready to be shown: from an instrumented program's records or
 * from the oracle.
 *
 * A copy: it does not change while the machine runs. */
#ifndef CYCLOPS_HWVIEWS_FLOW_CONTEXTS_H
#define CYCLOPS_HWVIEWS_FLOW_CONTEXTS_H

#include "core/base/err.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/marks.h"
#include "loader/context_tree.h"
#include "loader/instrument/kinds.h"

/* Weights of nodes: the tree's metrics, then calls. */
enum { CONTEXT_CALLS = CONTEXT_METRICS, CONTEXT_WEIGHTS };

enum contexts_from {
	/* the program's, if it exists and there are no threads that the oracle separates; else the
	 * oracle's */
	CONTEXTS_ANY,
	CONTEXTS_PROGRAM,
	CONTEXTS_ORACLE,
	CONTEXTS_FILE     /* the file that the program wrote at its exit */
};

struct contexts {
	struct context_tree tree;
	enum contexts_from from;         /* not CONTEXTS_ANY */
	/* [count], without callees; NULL: the tree has no such metric; owned */
	uint64_t *own[CONTEXT_WEIGHTS];
	uint64_t *with[CONTEXT_WEIGHTS]; /* [count], with all descendants; owned or own[] */
	/* [count], calls from its parent, without those by back edges if these are counted;
	 * owned */
	uint64_t *entered;
	/* [count + 1]: children of i are kids[first[i]] up to kids[first[i + 1]]; owned */
	uint32_t *first;
	uint32_t *kids;
	/* [count + 1]: as `first`, for back edges by source node */
	uint32_t *back_first;
	uint32_t *back_kids;
	unsigned by;        /* the weight that sorts them */
};

/* "; THREADS ..." if the program had some, and this kind's records or counters are plain: not
 * exact; else "". */
const char *contexts_thread_note(const struct session *s, enum instrument_kind kind);

/* How to get contexts in a session, in a line. */
extern const char contexts_how[];

/* True if the session has contexts. */
bool contexts_are_kept(const struct session *s);

/* Parsed words that views and exports of contexts have in common: "oracle", "program", "of FILE",
 * "by METRIC", "threads", "thread N", a region of the run. */
#define CONTEXTS_ARGS "[oracle|program|of FILE] [by METRIC] [threads|thread N]"
enum { CONTEXTS_WORDS = 8 };
/* Threads of a tree: all merged, all separate, or a single one by its number. */
enum { CONTEXTS_MERGED = 0, CONTEXTS_APART = -1 };
struct contexts_args {
	enum contexts_from from;
	const char *file; /* of CONTEXTS_FILE; borrowed */
	int thread;       /* CONTEXTS_MERGED, CONTEXTS_APART, or a number */
	/* name of a metric, "calls", or NULL: the first metric that has counted anything, else
	 * calls */
	const char *by;
	struct region region; /* counts of this region; all until now unless given */
	const char *rest[CONTEXTS_WORDS]; /* all other words; borrowed */
	int rest_count;
};
/* False with *err: more than `most` other words, or no metric after "by". `right` lists the
 * accepted other words. */
bool contexts_words(const struct session *s, const struct view_args *args, int most,
                    const char *right, struct contexts_args *out, struct err *err);

/* Reads a tree. a NULL: from any source, by its first weight. False with *err, which explains how
 * to get contexts; *out is unchanged then. */
bool contexts_read(const struct session *s, const struct contexts_args *a, struct contexts *out,
                   struct err *err);
/* Like contexts_read(), and also fills in one_path of the nodes, which is slow. */
bool contexts_read_sites(const struct session *s, const struct contexts_args *a,
                         struct contexts *out, struct err *err);
/* The oracle's tree, threads apart (contexts_oracle.c). False with *err; *t is empty then. */
bool contexts_read_oracle(const struct session *s, struct context_tree *t, struct err *err);
/* Merges the threads of a tree that has them apart, or leaves one (contexts_threads.c): thread as
 * in struct contexts_args. False with *err; *t is empty then. */
bool contexts_select_threads(struct context_tree *t, int thread, struct err *err);
/* Makes *out from a tree, which it takes over, also on failure. */
bool contexts_from_tree(struct context_tree *tree, enum contexts_from from, const char *by,
                        struct contexts *out, struct err *err);
void contexts_free(struct contexts *c);

/* Children of a node, by weight: the largest first. Borrowed; *n of them. */
const uint32_t *contexts_children(struct contexts *c, uint32_t node, uint32_t *n);
/* Back edges from a node, by calls. */
const uint32_t *contexts_backs(const struct contexts *c, uint32_t node, uint32_t *n);
/* "sim.insts", "calls". */
const char *contexts_weight_name(const struct contexts *c, unsigned weight);
/* Name of the procedure; "root" at the root. Returns buf. */
char *contexts_name(const struct session *s, const struct contexts *c, uint32_t node, char *buf,
                    size_t n);

#endif
