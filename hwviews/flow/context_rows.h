/* One node of the calling context tree in full, parsing of node names, and the line above the
 * tree. */
#ifndef CYCLOPS_HWVIEWS_FLOW_CONTEXT_ROWS_H
#define CYCLOPS_HWVIEWS_FLOW_CONTEXT_ROWS_H

#include "hwviews/flow/contexts.h"
#include "hwviews/grid/grid.h"

/* "words.c:41", else "main+0x12". Returns buf. */
char *context_line_text(const struct session *s, uint64_t pc, char *buf, size_t n);
/* Its cell; empty for 0. Raw: the address. */
void context_cell_line(struct grid *g, const struct session *s, uint64_t pc);
/* Sets the summary: the number of contexts, the weight, the source, and losses. */
void context_summary(struct grid *g, const struct session *s, const struct contexts *c);
/* The node of a word: a number, or a procedure, of which the largest node is taken. False with
 * *err. */
bool contexts_find(const struct session *s, const struct contexts *c, const char *word,
                   uint32_t *node, struct err *err);
/* Initialises g for one node, with these columns. */
enum { CONTEXT_NODE_COLUMNS = 4 };
extern const struct grid_column context_node_columns[CONTEXT_NODE_COLUMNS];
void context_node_grid(struct grid *g, const struct session *s, struct contexts *c, uint32_t node);

#endif
