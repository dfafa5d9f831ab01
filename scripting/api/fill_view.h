/* Views written in Lua (cyclops.view): define_view.c reads their definition, fill_view.c fills
 * their grids. */
#ifndef CYCLOPS_SCRIPTING_API_FILL_VIEW_H
#define CYCLOPS_SCRIPTING_API_FILL_VIEW_H

#include "scripting/api/api.h"

enum { COLUMNS_MAX = 24, ROWS_MAX = 100000, NAME_BYTES = 24, STEPS_PER_ROW = 32 };

/* A redefinition keeps it in place: panes refer to it. */
struct own_view {
	struct view view;
	struct script *script;
	int rows; /* registry: the function */
	struct grid_column columns[COLUMNS_MAX];
	bool hex[COLUMNS_MAX];
	unsigned count;
	const char *empty;
	bool building;
	struct own_view *next; /* of script->own_views */
};

/* Pushes a raw field of the table at `index`; returns its type. */
int own_view_field(lua_State *L, int index, const char *name);
bool own_view_build(const struct view *view, const struct session *s, const struct view_args *args,
                    struct grid *out, struct err *err);

#endif
