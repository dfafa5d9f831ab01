/* Layouts: trees of splits with panes as leaves, and the texts that describe them.
 *
 *   tree := VIEW | "VIEW ARGUMENTS"
 *         | (columns WEIGHT tree WEIGHT tree ...) | (rows WEIGHT tree ...)
 *
 * Weights share out width or height. The built-in layouts and the files that people save are
 * written so. */
#ifndef CYCLOPS_UI_SCREEN_LAYOUT_H
#define CYCLOPS_UI_SCREEN_LAYOUT_H

#include "core/base/err.h"
#include "ui/screen/pane.h"

enum { NODE_CHILDREN = 8, LAYOUT_PANES = 32, LAYOUT_SIZES = 32, LAYOUTS = 9, LAYOUT_NAME = 32 };

struct node {
	struct node *parent;              /* borrowed, NULL: the root */
	struct node *child[NODE_CHILDREN]; /* owned */
	unsigned count;                   /* of children; 0: a leaf */
	bool columns;                     /* side by side, else one above the other */
	int weight;                       /* share among its siblings */
	struct pane *pane;                /* of a leaf, owned */
	/* a leaf that comes and goes by itself, and is saved with no layout */
	bool passing;
	struct rect r;
};

/* NULL with *err, which quotes where reading stopped. */
struct node *tiles_parse(const char *text, struct err *err);
/* malloc'd; NULL if memory is short. */
char *tiles_format(const struct node *n);
void tiles_free(struct node *n);
/* Gives every pane its rectangle; those for which there is no room are hidden. */
void tiles_place(struct node *n, struct rect r);
/* Lines between panes and under titles. */
void tiles_lines(const struct node *n, struct canvas *c);
/* All panes, hidden ones too, in reading order; returns their number, at most LAYOUT_PANES. */
unsigned tiles_panes(const struct node *n, struct pane **out);
struct node *tiles_leaf(struct node *n, const struct pane *p);
/* Puts a pane with the same view beside or below the leaf and returns it. NULL with *err. */
struct pane *tiles_split(struct node **root, struct node *leaf, bool columns, struct err *err);
/* Puts a leaf below all of the tree that takes `rows` of its `of` rows. NULL if memory is short. */
struct node *tiles_put_below(struct node **root, const char *words, int rows, int of);
/* Takes a leaf away. False with *err if it is the last. */
bool tiles_close(struct node **root, struct node *leaf, struct err *err);
/* Makes a leaf wider (or taller) by about `cells`, at its siblings' cost. False if nothing lies
 * beside it. */
bool tiles_grow(struct node *leaf, bool width, int cells);

/* ---- the set of layouts ---- */
/* What a tree is for: anything, programs that use Xprof, machines with a stream sampler, with a
 * co-processor, with both, or where calling contexts are kept; programs that count paths; those
 * that do both; and machines with a value sampler. */
enum layout_for {
	LAYOUT_ANY,
	LAYOUT_PROFILED = 1,
	LAYOUT_SAMPLED = 2,
	LAYOUT_COP = 4,
	LAYOUT_SAMPLED_COP = LAYOUT_SAMPLED | LAYOUT_COP,
	LAYOUT_CONTEXTS = 8,
	LAYOUT_PATHS = 16,
	LAYOUT_CONTEXTS_PATHS = LAYOUT_CONTEXTS | LAYOUT_PATHS,
	LAYOUT_VALUES = 32
};

struct layout {
	char name[LAYOUT_NAME];
	char help[64];
	bool own; /* from a person's file */
	struct {
		int cols, rows;    /* from this size on */
		enum layout_for of;
		struct node *root; /* owned; NULL behind the last */
	} size[LAYOUT_SIZES];
	struct node *mixed; /* owned, NULL: none; a pane of each kind: what no tree is for */
	unsigned mixed_of;
	bool mixed_wide;
};

struct layouts {
	struct layout layout[LAYOUTS];
	unsigned count;
};

/* The built-in ones, then a person's from the folder `layouts` beside the configuration. Files that
 * are no layouts are told about in *err (the last of them); false only if memory is short. */
bool layouts_load(struct layouts *l, struct err *err);
void layouts_deinit(struct layouts *l);
/* By number from 1 or by name; -1 with *err. */
int layouts_find(const struct layouts *l, const char *word, struct err *err);
/* The tree of a layout for this size of terminal, and what it is to show (enum layout_for). */
struct node **layout_tree(struct layout *l, int cols, int rows, unsigned what);
/* Reads the built-in description again. False with *err if it is a person's own. */
bool layouts_reset(struct layouts *l, unsigned i, struct err *err);
/* Writes a tree to NAME's file, and puts it among the layouts. *path receives the file's name,
 * malloc'd. Returns its index, -1 with *err. */
int layouts_save(struct layouts *l, const char *name, const struct node *tree, char **path,
                 struct err *err);

#endif
