/* Views on the tab bar, their places, and showing them in a pane. */
#include "ui/screen/tabs.h"

#include <string.h>

#include "hwviews/flow/contexts.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/reports/report.h"
#include "ui/screen/cmd.h"
#include "ui/tour/tour.h"

enum { TABS = 48 };

/* In order of importance, each once. */
struct names {
	const char *name[TABS];
	unsigned count;
};

static void tabs_add_view(struct names *all, const struct session *s, const char *words)
{
	char name[32];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(words, " "), words);
	const struct view *v = view_named(s, name);
	for (unsigned i = 0; v && i < all->count; i++)
		if (!strcmp(all->name[i], v->name))
			return;
	if (v && all->count < TABS)
		all->name[all->count++] = v->name;
}

static bool has_them_always(const struct screen *s)
{
	const struct layout *l = &s->layouts.layout[s->layout];
	return !l->own && !strcmp(l->name, "profilers");
}

/* Collects the views that belong to the layout, shown or not. */
static void tabs_collect_views(const struct screen *s, struct names *all)
{
	static const char *const of_xprof[] = {"pflag", "bdt"},
				 *const of_paths[] = {"paths", "cfg"},
				 *const of_time[] = {"cpi",      "slots", "hot",
	                                             "branches", "stats", "history"};
	const struct session *se = screen_session(s);
	const struct tour *t = s->narration.place ? s->narration.place->tour : NULL;
	const struct view *v;
	struct pane *p[LAYOUT_PANES];
	struct err err;
	*all = (struct names){0};
	if (has_them_always(s)) {
		for (unsigned i = 0; t && i < t->count; i++)
			for (unsigned k = 0; k < t->beats[i].count; k++)
				if (!strncmp(t->beats[i].commands[k], "view ", 5))
					tabs_add_view(all, se, t->beats[i].commands[k] + 5);
		for (size_t i = 0; session_uses_xprof(se) && i < sizeof of_xprof / sizeof *of_xprof;
		     i++)
			tabs_add_view(all, se, of_xprof[i]);
		if (contexts_are_kept(se))
			tabs_add_view(all, se, "cct");
		for (size_t i = 0;
		     session_counts_paths(se) && i < sizeof of_paths / sizeof *of_paths; i++)
			tabs_add_view(all, se, of_paths[i]);
		for (unsigned i = 0; (v = view_at(se, i)); i++)
			if (v->device && device_there(se, v->device, &err))
				tabs_add_view(all, se, v->name);
		for (size_t i = 0; i < sizeof of_time / sizeof *of_time; i++)
			tabs_add_view(all, se, of_time[i]);
	}
	const unsigned n = tiles_panes(*s->root, p);
	for (unsigned i = 0; i < n; i++)
		tabs_add_view(all, se, p[i]->words);
}

static bool is_on_bar(const struct screen *s, const char *view)
{
	return !screen_shows(s, view);
}

static bool tabs_bar_is_wanted(const struct screen *s)
{
	return !s->zoomed && !s->narration.on_stage && (s->tabs.crowded || has_them_always(s));
}

struct rect tabs_place(struct screen *s, struct rect area)
{
	s->tabs.r = (struct rect){0};
	if (!tabs_bar_is_wanted(s) || area.h <= 2 * PANE_MIN_ROWS)
		return area;
	s->tabs.r = (struct rect){area.y, area.x, 1, area.w};
	area.y++;
	area.h--;
	return area;
}

void tabs_arrange(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	s->tabs.crowded = false;
	tiles_place(*s->root, screen_area(s));
	const unsigned n = tiles_panes(*s->root, p);
	for (unsigned i = 0; i < n; i++)
		s->tabs.crowded = s->tabs.crowded || !p[i]->r.h;
	if (s->tabs.crowded && !s->tabs.r.h)
		tiles_place(*s->root, screen_area(s));
}

/* The last visible pane, which is the least important. */
static struct pane *place_of_tabs(const struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = tiles_panes(*s->root, p);
	while (n > 1 && (!p[n - 1]->r.h || tiles_leaf(*s->root, p[n - 1])->passing))
		n--;
	return p[n - 1];
}

bool tabs_show(struct screen *s, const char *view)
{
	struct names all;
	struct pane *p[LAYOUT_PANES], *to = place_of_tabs(s);
	struct err err;
	unsigned i = 0;
	tabs_collect_views(s, &all);
	while (i < all.count && strncmp(all.name[i], view, strlen(view)) != 0)
		i++;
	if (!s->tabs.r.h || i == all.count || !is_on_bar(s, all.name[i]))
		return false;
	/* A hidden pane with this view swaps views with the last pane. */
	const unsigned n = tiles_panes(*s->root, p);
	char words[128];
	snprintf(words, sizeof words, "%s", all.name[i]);
	for (unsigned k = 0; k < n; k++) {
		if (p[k]->r.h || !p[k]->view || strcmp(p[k]->view->name, all.name[i]) != 0)
			continue;
		snprintf(words, sizeof words, "%s", p[k]->words);
		if (!pane_set_view(p[k], screen_session(s), to->words, &err))
			return false;
		break;
	}
	if (!pane_set_view(to, screen_session(s), words, &err))
		return false;
	screen_focus(s, to);
	screen_arrange(s);
	return true;
}

bool exec_tab(struct screen *s, const char *args, struct err *err)
{
	const bool back = arg_is(args, "previous");
	struct names all;
	const struct pane *at = place_of_tabs(s);
	if (!s->tabs.r.h)
		return err_set(err, "there is no tab bar: every pane of this layout is visible; "
		                    "`layout 3` has one");
	if (*args && !back && !arg_is(args, "next"))
		return tabs_show(s, args) || err_set(err,
		                                     "'%s' is not on the tab bar; expected tab "
		                                     "next, tab previous, or a name on it",
		                                     args);
	tabs_collect_views(s, &all);
	unsigned i = 0;
	while (i < all.count && !(at->view && !strcmp(all.name[i], at->view->name)))
		i++;
	for (unsigned k = 1; k <= all.count; k++) {
		const unsigned next = (i + (back ? all.count - k : k)) % all.count;
		if (is_on_bar(s, all.name[next]))
			return tabs_show(s, all.name[next]);
	}
	return err_set(err, "nothing is on the tab bar");
}

void tabs_follow_tour(struct screen *s)
{
	const struct tour *t = s->narration.place ? s->narration.place->tour : NULL;
	const char *last = NULL;
	struct pane *p = place_of_tabs(s);
	struct err err;
	for (unsigned i = 0; t && i < s->narration.place->beat && i < t->count; i++)
		for (unsigned k = 0; k < t->beats[i].count; k++)
			if (!strncmp(t->beats[i].commands[k], "view ", 5))
				last = t->beats[i].commands[k] + 5;
	char name[32];
	snprintf(name, sizeof name, "%.*s", last ? (int)strcspn(last, " ") : 0, last ? last : "");
	if (last && has_them_always(s) && !screen_shows(s, name) &&
	    pane_set_view(p, screen_session(s), last, &err))
		screen_arrange(s);
}

/* Walks the views on the bar as far as there is room, drawing them if `draw`. Returns the view at
 * `column`, or NULL. */
static const char *tabs_walk_bar(struct screen *s, const struct names *all, int from, int column,
                                 bool draw)
{
	struct canvas *c = &s->canvas;
	int x = from;
	for (unsigned i = 0; i < all->count; i++) {
		const char *name = all->name[i];
		const int w = (int)strlen(name);
		if (!is_on_bar(s, name))
			continue;
		if (x + w + 2 > s->tabs.r.x + s->tabs.r.w) {
			if (draw)
				draw_text(c, s->tabs.r.y, x, 1,
				          theme_ink(&c->theme, ROLE_DIM, GROUND_NONE), "…");
			return NULL;
		}
		if (draw)
			draw_text(c, s->tabs.r.y, x, w,
			          theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE), name);
		if (column >= x && column < x + w)
			return name;
		x += w + 2;
	}
	return NULL;
}

static const char lead[] = "[ ]";

void tabs_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	struct names all;
	const struct rect *r = &s->tabs.r;
	if (!r->h)
		return;
	tabs_collect_views(s, &all);
	const int x = r->x + 1 +
	              draw_text(c, r->y, r->x + 1, r->w - 1,
	                        theme_ink(&c->theme, INK_KEY, GROUND_NONE), lead);
	const int from = x + 1 +
	                 draw_text(c, r->y, x + 1, r->w - 1,
	                           theme_ink(&c->theme, ROLE_DIM, GROUND_NONE), "also:");
	tabs_walk_bar(s, &all, from + 1, -1, true);
}

const char *tabs_at(struct screen *s, int y, int x)
{
	struct names all;
	if (!s->tabs.r.h || y != s->tabs.r.y)
		return NULL;
	tabs_collect_views(s, &all);
	return tabs_walk_bar(s, &all, s->tabs.r.x + 1 + (int)sizeof lead - 1 + 1 + 5 + 1, x, false);
}
