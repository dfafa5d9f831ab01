#include "ui/screen/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

/* ---- reading and writing ---- */
static void tiles_skip_blanks(const char **s)
{
	while (isspace((unsigned char)**s))
		(*s)++;
}

static bool tiles_match_token(const char **s, const char *token)
{
	size_t n = strlen(token);
	tiles_skip_blanks(s);
	if (strncmp(*s, token, n) != 0)
		return false;
	*s += n;
	return true;
}

static struct node *node_new(void)
{
	struct node *n = alloc_zeroed(1, sizeof *n);
	if (n)
		n->weight = 1;
	return n;
}

void tiles_free(struct node *n)
{
	if (!n)
		return;
	for (unsigned i = 0; i < n->count; i++)
		tiles_free(n->child[i]);
	pane_free(n->pane);
	free(n);
}

static struct node *read_leaf(const char **s, struct err *err)
{
	char words[128];
	bool quoted = tiles_match_token(s, "\"");
	size_t n = quoted ? strcspn(*s, "\"") : strcspn(*s, " \t\r\n()\"");
	if (!n || n >= sizeof words || (quoted && (*s)[n] != '"')) {
		err_set(err,
		        "not a layout at '%.24s'; expected a view, or (rows WEIGHT ... WEIGHT ...)",
		        *s);
		return NULL;
	}
	snprintf(words, sizeof words, "%.*s", (int)n, *s);
	*s += n + quoted;
	struct node *leaf = node_new();
	if (leaf)
		leaf->pane = pane_new(words);
	if (leaf && leaf->pane)
		return leaf;
	free(leaf);
	err_set(err, "out of memory");
	return NULL;
}

static struct node *tiles_parse_tree(const char **s, int depth, struct err *err)
{
	if (!tiles_match_token(s, "(")) {
		tiles_skip_blanks(s);
		return read_leaf(s, err);
	}
	struct node *n = node_new();
	if (!n) {
		err_set(err, "out of memory");
		return NULL;
	}
	n->columns = tiles_match_token(s, "columns");
	if ((!n->columns && !tiles_match_token(s, "rows")) || depth > 8) {
		err_set(err,
		        "not a layout at '%.24s'; expected (columns ...) or (rows ...), nested at "
		        "most 8 deep",
		        *s);
		goto failed;
	}
	while (!tiles_match_token(s, ")")) {
		char *end;
		long weight = strtol(*s, &end, 10);
		if (end == *s || weight < 1 || weight > 10000 || n->count == NODE_CHILDREN) {
			err_set(err,
			        "not a layout at '%.24s'; expected 2 to %d parts, each a weight "
			        "and "
			        "a view",
			        *s, NODE_CHILDREN);
			goto failed;
		}
		*s = end;
		struct node *child = tiles_parse_tree(s, depth + 1, err);
		if (!child)
			goto failed;
		child->parent = n;
		child->weight = (int)weight;
		n->child[n->count++] = child;
	}
	if (n->count >= 2)
		return n;
	err_set(err, "a split of a layout needs at least 2 parts");
failed:
	tiles_free(n);
	return NULL;
}

struct node *tiles_parse(const char *text, struct err *err)
{
	struct node *n = tiles_parse_tree(&text, 0, err);
	if (!n)
		return NULL;
	tiles_skip_blanks(&text);
	if (!*text)
		return n;
	err_set(err, "not a layout: '%.24s' follows its end", text);
	tiles_free(n);
	return NULL;
}

static void write_tree(FILE *f, const struct node *n)
{
	if (n->pane) {
		fprintf(f, strchr(n->pane->words, ' ') ? "\"%s\"" : "%s", n->pane->words);
		return;
	}
	unsigned kept = 0, last = 0;
	for (unsigned i = 0; i < n->count; i++) {
		if (n->child[i]->passing)
			continue;
		kept++;
		last = i;
	}
	if (kept == 1) {
		write_tree(f, n->child[last]);
		return;
	}
	fprintf(f, "(%s", n->columns ? "columns" : "rows");
	for (unsigned i = 0; i < n->count; i++) {
		if (n->child[i]->passing)
			continue;
		fprintf(f, " %d ", n->child[i]->weight);
		write_tree(f, n->child[i]);
	}
	fputc(')', f);
}

char *tiles_format(const struct node *n)
{
	char *text = NULL;
	size_t size;
	FILE *f = alloc_stream(&text, &size);
	if (!f)
		return NULL;
	write_tree(f, n);
	fclose(f);
	return text;
}

/* ---- placing ---- */
/* Distributes `total` cells by weight, at least `least` each; if that is not possible the last
 * children get none. */
static void tiles_distribute_cells(const struct node *n, int total, int least, int *out)
{
	int sum = 0, used = 0, fit = total / least;
	unsigned count = fit < (int)n->count ? (unsigned)(fit > 0 ? fit : 1) : n->count;
	for (unsigned i = 0; i < count; i++)
		sum += n->child[i]->weight;
	for (unsigned i = 0; i < n->count; i++) {
		out[i] = i < count ? total * n->child[i]->weight / sum : 0;
		if (i < count && out[i] < least)
			out[i] = least < total ? least : total;
		used += out[i];
	}
	/* The largest absorbs rounding and minima. */
	while (used != total) {
		unsigned at = 0;
		for (unsigned i = 1; i < count; i++)
			if (out[i] > out[at])
				at = i;
		int step = used > total ? -1 : 1;
		out[at] += step;
		used += step;
	}
}

void tiles_place(struct node *n, struct rect r)
{
	int size[NODE_CHILDREN] = {0};
	n->r = r;
	if (n->pane) {
		pane_place(n->pane,
		           r.h >= PANE_MIN_ROWS && r.w >= PANE_MIN_COLS ? r : (struct rect){0});
		return;
	}
	/* Columns are separated by a line. */
	int between = n->columns ? 1 : 0, total = (n->columns ? r.w : r.h) + between;
	tiles_distribute_cells(n, total, (n->columns ? PANE_MIN_COLS : PANE_MIN_ROWS) + between,
	                       size);
	int at = n->columns ? r.x : r.y;
	for (unsigned i = 0; i < n->count; i++) {
		int len = size[i] > between ? size[i] - between : 0;
		tiles_place(n->child[i], n->columns ? (struct rect){r.y, at, r.h, len}
		                                    : (struct rect){at, r.x, len, r.w});
		at += size[i];
	}
}

void tiles_lines(const struct node *n, struct canvas *c)
{
	if (n->pane)
		pane_rule(n->pane, c);
	for (unsigned i = 0; i < n->count; i++) {
		const struct rect *r = &n->child[i]->r;
		tiles_lines(n->child[i], c);
		if (n->columns && i > 0 && r->w > 0)
			draw_vline(c, r->y, r->x - 1, r->h);
	}
}

/* ---- walking and changing ---- */
static unsigned tiles_collect_panes(const struct node *n, struct pane **out, unsigned count)
{
	if (n->pane && count < LAYOUT_PANES)
		out[count++] = n->pane;
	for (unsigned i = 0; i < n->count; i++)
		count = tiles_collect_panes(n->child[i], out, count);
	return count;
}

unsigned tiles_panes(const struct node *n, struct pane **out)
{
	return tiles_collect_panes(n, out, 0);
}

struct node *tiles_leaf(struct node *n, const struct pane *p)
{
	if (n->pane == p)
		return n;
	for (unsigned i = 0; i < n->count; i++) {
		struct node *found = tiles_leaf(n->child[i], p);
		if (found)
			return found;
	}
	return NULL;
}

static unsigned tiles_child_index(const struct node *n)
{
	unsigned i = 0;
	while (n->parent->child[i] != n)
		i++;
	return i;
}

static void put_in_place_of(struct node **root, struct node *old, struct node *by)
{
	by->parent = old->parent;
	by->weight = old->weight;
	if (old->parent)
		old->parent->child[tiles_child_index(old)] = by;
	else
		*root = by;
}

/* Joins two nodes under a new one, in the place of the first. */
static void tiles_join_nodes(struct node **root, struct node *split, struct node *first,
                             struct node *second)
{
	put_in_place_of(root, first, split);
	split->child[0] = first;
	split->child[1] = second;
	split->count = 2;
	first->parent = second->parent = split;
}

struct pane *tiles_split(struct node **root, struct node *leaf, bool columns, struct err *err)
{
	struct pane *all[LAYOUT_PANES];
	int have = columns ? leaf->r.w : leaf->r.h,
	    need = columns ? 2 * PANE_MIN_COLS + 1 : 2 * PANE_MIN_ROWS;
	if (tiles_panes(*root, all) == LAYOUT_PANES) {
		err_set(err, "a layout has at most %d panes", LAYOUT_PANES);
		return NULL;
	}
	if (have < need) {
		err_set(err, "this pane is too small to be split: it would need %d %s", need,
		        columns ? "columns" : "rows");
		return NULL;
	}
	struct node *split = node_new(), *added = node_new();
	struct pane *pane = pane_new(leaf->pane->words);
	if (!split || !added || !pane) {
		free(split);
		free(added);
		pane_free(pane);
		err_set(err, "out of memory");
		return NULL;
	}
	added->pane = pane;
	split->columns = columns;
	tiles_join_nodes(root, split, leaf, added);
	leaf->weight = added->weight = 50;
	return pane;
}

struct node *tiles_put_below(struct node **root, const char *words, int rows, int of)
{
	struct node *whole = *root, *split = node_new(), *added = node_new();
	if (added)
		added->pane = pane_new(words);
	if (!split || !added || !added->pane) {
		free(split);
		tiles_free(added);
		return NULL;
	}
	tiles_join_nodes(root, split, whole, added);
	whole->weight = of - rows;
	added->weight = rows;
	return added;
}

bool tiles_close(struct node **root, struct node *leaf, struct err *err)
{
	struct node *parent = leaf->parent;
	if (!parent)
		return err_set(err, "this is the last pane of the layout");
	unsigned at = tiles_child_index(leaf);
	parent->count--;
	for (unsigned i = at; i < parent->count; i++)
		parent->child[i] = parent->child[i + 1];
	tiles_free(leaf);
	if (parent->count == 1) {
		put_in_place_of(root, parent, parent->child[0]);
		parent->count = 0;
		tiles_free(parent);
	}
	return true;
}

/* Cells of a child of a row or column, with its separating line. */
static int tiles_extent_cells(const struct node *n, bool width)
{
	return width ? n->r.w + 1 : n->r.h;
}

bool tiles_grow(struct node *leaf, bool width, int cells)
{
	struct node *n = leaf;
	while (n->parent && n->parent->columns != width)
		n = n->parent;
	if (!n->parent)
		return false;
	struct node *p = n->parent;
	const unsigned at = tiles_child_index(n), other = at + 1 < p->count ? at + 1 : at - 1;
	const int least = width ? PANE_MIN_COLS + 1 : PANE_MIN_ROWS;
	/* If some panes have no room, sizes don't reflect weights: keep the weights. */
	for (unsigned i = 0; i < p->count; i++)
		if (tiles_extent_cells(p->child[i], width) < least)
			return true;
	/* Set weights to current sizes, so that a unit of weight is a cell. */
	for (unsigned i = 0; i < p->count; i++)
		p->child[i]->weight = tiles_extent_cells(p->child[i], width);
	int most = p->child[other]->weight - least, fewest = least - n->weight;
	cells = cells > most ? most : cells < fewest ? fewest : cells;
	n->weight += cells;
	p->child[other]->weight -= cells;
	return true;
}
