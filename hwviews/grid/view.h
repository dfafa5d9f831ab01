/* Views: each turns machine state into a grid. One file per view, listed in views.def. */
#ifndef CYCLOPS_HWVIEWS_GRID_VIEW_H
#define CYCLOPS_HWVIEWS_GRID_VIEW_H

#include "core/base/err.h"
#include "hwviews/grid/grid.h"
#include "hwviews/grid/view_help.h"
#include "hwviews/session/session.h"

struct view_args {
	int argc;           /* words after the view's name: "mem 0x1000 64" has two */
	const char *const *argv;
	unsigned rows;      /* how many rows fit, 0 = no limit (text output) */
	unsigned columns;   /* how many character columns fit, 0 = no limit */
	/* views whose window moves with the pane (mem, disasm, pipe): rows from the natural place
	 */
	int64_t scroll;
};

struct view {
	const char *name;   /* "rob" */
	const char *also;   /* other names for it, separated by blanks; NULL: none */
	const char *title;  /* "Reorder buffer" */
	const char *args;   /* "[ADDRESS [BYTES]]", or "" */
	struct view_help help;
	/* Fills *out (initialised by the view). False with *err on bad arguments: *out untouched.
	 * Must not change anything that the machine's hash covers. */
	bool (*build)(const struct session *s, const struct view_args *args, struct grid *out,
	              struct err *err);
	/* Device (core/defs/devices.def) without which build must not be called, or NULL. */
	const char *device;
	/* In place of build, for views that are not in views.def: *v may be a part of something
	 * larger. */
	bool (*build_own)(const struct view *v, const struct session *s,
	                  const struct view_args *args, struct grid *out, struct err *err);
};

/* Views that a session has beside those of views.def. */
struct view_list {
	const struct view *const *at; /* [count] */
	unsigned count;
};

#define VIEW(name) extern const struct view view_##name;
#include "hwviews/grid/views.def"
#undef VIEW

/* False with *err, one line that says how to switch it on, if the session's machine lacks the
 * device (NULL: needs none). */
bool device_there(const struct session *s, const char *device, struct err *err);
/* Builds v; if the machine lacks v's device, a grid without rows that says how to switch it on. */
bool view_fill(const struct view *v, const struct session *s, const struct view_args *args,
               struct grid *out, struct err *err);

/* In the order of views.def. */
extern const struct view *const views[];
extern const unsigned view_count;

/* The i-th view of a session, those of views.def first; NULL behind the last. Without a session
 * there are only those. */
const struct view *view_at(const struct session *s, unsigned i);
/* View of exactly this name, or of this other name; NULL if there is none. */
const struct view *view_named(const struct session *s, const char *name);
/* View of a name (exact, or an unambiguous prefix), or NULL with *err naming the nearest. */
const struct view *view_find(const struct session *s, const char *name, struct err *err);

/* Builds the view that words name, "btb 3", with its arguments; of *args all but those counts.
 * False with *err: *out is not initialised. */
bool view_build(const struct session *s, const char *words, const struct view_args *args,
                struct grid *out, struct err *err);

#endif
