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
	unsigned rows;      /* rows that fit, 0: no limit (text output) */
	unsigned columns;   /* character columns that fit, 0: no limit */
	/* for views whose window moves with the pane (mem, disasm, pipe): rows from the default
	 * place */
	int64_t scroll;
};

struct view {
	const char *name;   /* "rob" */
	const char *also;   /* aliases, separated by blanks; NULL: none */
	const char *title;  /* "Reorder buffer" */
	const char *args;   /* "[ADDRESS [BYTES]]", or "" */
	struct view_help help;
	/* Fills *out (initialised by the view). False with *err on bad arguments: *out untouched.
	 * Must not change anything that the machine's hash covers. */
	bool (*build)(const struct session *s, const struct view_args *args, struct grid *out,
	              struct err *err);
	/* Device (core/defs/devices.def) that build requires, or NULL. */
	const char *device;
	/* Used in place of build by views that are not in views.def: *v may be a member of a larger
	 * structure. */
	bool (*build_own)(const struct view *v, const struct session *s,
	                  const struct view_args *args, struct grid *out, struct err *err);
};

/* A session's views in addition to those of views.def. */
struct view_list {
	const struct view *const *at; /* [count] */
	unsigned count;
};

#define VIEW(name) extern const struct view view_##name;
#include "hwviews/grid/views.def"
#undef VIEW

/* True if the session's machine has the device (NULL: none needed). Else false with *err, one line
 * that explains how to switch it on. */
bool device_there(const struct session *s, const char *device, struct err *err);
/* Builds v; if the machine lacks v's device, makes a grid without rows that explains how to switch
 * it on. */
bool view_fill(const struct view *v, const struct session *s, const struct view_args *args,
               struct grid *out, struct err *err);

/* In the order of views.def. */
extern const struct view *const views[];
extern const unsigned view_count;

/* The i-th view of a session, those of views.def first; NULL after the last. s NULL: only those of
 * views.def. */
const struct view *view_at(const struct session *s, unsigned i);
/* View of exactly this name or alias, in letters of any case; NULL if there is none. */
const struct view *view_named(const struct session *s, const char *name);
/* View of a name (exact, or an unambiguous prefix); else NULL with *err naming the nearest. */
const struct view *view_find(const struct session *s, const char *name, struct err *err);

/* Builds the view named by `words`, such as "btb 3", with arguments; takes everything else from
 * *args. False with *err: *out is not initialised. */
bool view_build(const struct session *s, const char *words, const struct view_args *args,
                struct grid *out, struct err *err);

#endif
