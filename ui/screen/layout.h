/* Layouts: trees of splits with panes as leaves, and the texts that describe them.
 *
 *   tree := VIEW | "VIEW ARGUMENTS"
 *         | (columns WEIGHT tree WEIGHT tree ...) | (rows WEIGHT tree ...)
 *
 * Weights divide width or height. The built-in layouts and users' layout files have this syntax. */
#ifndef CYCLOPS_UI_SCREEN_LAYOUT_H
#define CYCLOPS_UI_SCREEN_LAYOUT_H

#include "core/base/err.h"
#include "ui/screen/pane.h"

enum { NODE_CHILDREN = 8, LAYOUT_PANES = 32, LAYOUT_SIZES = 32, LAYOUTS = 16, LAYOUT_NAME = 32 };

struct node {
	struct node *parent;              /* borrowed, NULL: the root */
	struct node *child[NODE_CHILDREN]; /* owned */
	unsigned count;                   /* of children; 0: a leaf */
	bool columns;                     /* side by side, else one above the other */
	int weight;                       /* share among its siblings */
	struct pane *pane;                /* of a leaf, owned */
	/* a leaf that opens and closes automatically; not saved with a layout */
	bool passing;
	struct rect r;
};

/* Parses a tree. NULL with *err, which quotes the text at which parsing stopped. */
struct node *tiles_parse(const char *text, struct err *err);
/* Formats a tree, malloc'd; NULL if memory is short. */
char *tiles_format(const struct node *n);
void tiles_free(struct node *n);
/* Gives every pane its rectangle; panes without room are hidden. */
void tiles_place(struct node *n, struct rect r);
/* Draws lines between panes and under titles. */
void tiles_lines(const struct node *n, struct canvas *c);
/* Stores all panes in out, in reading order, including hidden panes; returns their number, at most
 * LAYOUT_PANES. */
unsigned tiles_panes(const struct node *n, struct pane **out);
struct node *tiles_leaf(struct node *n, const struct pane *p);
/* Puts a pane with the same view beside or below the leaf and returns it. NULL with *err. */
struct pane *tiles_split(struct node **root, struct node *leaf, bool columns, struct err *err);
/* Adds a leaf below the whole tree, with `rows` of its `of` rows. NULL if memory is short. */
struct node *tiles_put_below(struct node **root, const char *words, int rows, int of);
/* Removes a leaf. False with *err if it is the last. */
bool tiles_close(struct node **root, struct node *leaf, struct err *err);
/* Makes a leaf wider (or taller) by about `cells`, at its siblings' cost. False if there is no
 * sibling in that direction. */
bool tiles_grow(struct node *leaf, bool width, int cells);

/* ---- the set of layouts ---- */
/* Features that a tree shows, or'ed: Xprof, the stream sampler, the co-processor, calling contexts,
 * path counts, the value sampler, a twin, a textbook's pipeline (without reorder buffer, queues and
 * renaming), an ended program, whose window is empty; LAYOUT_ANY: none in particular. */
enum layout_for {
	LAYOUT_ANY,
	LAYOUT_PROFILED = 1,
	LAYOUT_SAMPLED = 2,
	LAYOUT_COP = 4,
	LAYOUT_SAMPLED_COP = LAYOUT_SAMPLED | LAYOUT_COP,
	LAYOUT_CONTEXTS = 8,
	LAYOUT_PATHS = 16,
	LAYOUT_CONTEXTS_PATHS = LAYOUT_CONTEXTS | LAYOUT_PATHS,
	LAYOUT_VALUES = 32,
	LAYOUT_TWIN = 64,
	LAYOUT_TEXTBOOK = 128,
	LAYOUT_ENDED = 256
};

struct layout {
	char name[LAYOUT_NAME];
	char help[64];
	bool own; /* from a user's file */
	struct {
		int cols, rows;    /* smallest size */
		enum layout_for of;
		struct node *root; /* owned; NULL after the last */
	} size[LAYOUT_SIZES];
	/* the tree that the user has changed, shown at any size; NULL: none */
	struct node **chosen;
	/* owned, NULL: none; for a combination of features that no tree shows: a pane of each */
	struct node *mixed;
	unsigned mixed_of;
	bool mixed_wide;
};

struct layouts {
	struct layout layout[LAYOUTS];
	unsigned count;
};

/* Loads the built-in layouts, then the user's from the folder `layouts` beside the configuration.
 * *err reports the last of the files that are no layouts; false only if memory is short. */
bool layouts_load(struct layouts *l, struct err *err);
void layouts_deinit(struct layouts *l);
/* Finds a layout by number from 1 or by name; -1 with *err. */
int layouts_find(const struct layouts *l, const char *word, struct err *err);
/* Selects the tree of a layout for this size of terminal and these features (enum layout_for bits).
 */
struct node **layout_tree(struct layout *l, int cols, int rows, unsigned what);
/* Restores a built-in layout. False with *err if it is the user's own. */
bool layouts_reset(struct layouts *l, unsigned i, struct err *err);
/* Saves a tree as layout NAME, in a file and in l. *path receives the file's name, malloc'd.
 * Returns the layout's index, -1 with *err. */
int layouts_save(struct layouts *l, const char *name, const struct node *tree, char **path,
                 struct err *err);

#endif
