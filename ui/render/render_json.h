/* A grid as one JSON object, for scripts:
 *
 *   {"view": "rob", "schema": 1, "title": "Reorder buffer", "summary": "23/64", "cycle": 1204377,
 *    "columns": [{"name": "seq", "unit": null}, ...],
 *    "rows": [{"seq": 81211, "state": "memory", ..., "role": "plain", "changed": ["state"]}, ...]}
 *
 * A count is a number, an address a "0x..." string, an empty cell null, any other cell its text;
 * empty units and an empty summary are null, too. Rows of headings are left out. "changed" names
 * the cells that changed since the last stop; a row that did not exist then has "new": true. */
#ifndef CYCLOPS_UI_RENDER_RENDER_JSON_H
#define CYCLOPS_UI_RENDER_RENDER_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "hwviews/grid/grid.h"

/* Cycle of a grid that belongs to no cycle: "cycle" is left out. */
#define RENDER_NO_CYCLE UINT64_MAX

/* view: its name; cycle: machine_cycle() at which the grid was built. Ends in a newline. */
void render_json(FILE *f, const struct grid *g, const char *view, uint64_t cycle);
/* Returns the same as a string, malloc'd; NULL if memory runs out. */
char *render_json_string(const struct grid *g, const char *view, uint64_t cycle);
/* Version of these objects' shape; raise it when a key is removed or changes its meaning. */
enum { RENDER_JSON_SCHEMA = 1 };

/* Writes the first n bytes of s as render_json_text() does. */
void render_json_bytes(FILE *f, const char *s, size_t n);
/* Writes s as render_json_text() does; null if s is "" or NULL. */
void render_json_or_null(FILE *f, const char *s);
/* Writes a JSON string, quotes included; s is UTF-8. (jansson, linked too, has json_string().) */
void render_json_text(FILE *f, const char *s);

#endif
