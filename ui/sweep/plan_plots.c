/* Reads the plots of a plan. */
#include <string.h>

#include "core/base/nearest_word.h"
#include "ui/sweep/plan_priv.h"

static const char *const entries[] = {"x",      "y",        "series", "panels", "kind",
                                      "title", "relative", "mean",   "file",   NULL};

static bool find_dim(const struct plan *p, const struct lua_value *plot, const char *name,
                     int fallback, int *dim, struct err *err)
{
	const struct lua_value *v = lua_value_named(plot, name);
	struct nearest n;
	*dim = fallback;
	if (!v)
		return true;
	nearest_init(&n, v->text);
	for (int d = DIM_PROGRAM; d < (int)p->axis_count; d++) {
		*dim = d;
		if (!strcmp(plan_dim_name(p, d), v->text))
			return true;
		nearest_offer(&n, plan_dim_name(p, d));
	}
	return plan_wrong(p, v, err, "%s = '%s' does not vary here; %s", name, v->text,
	                  nearest_said(&n, "expected config, program or a parameter of vary"));
}

/* Index of the entry's text in words, `fallback` if there is no such entry. */
static bool find_word(const struct plan *p, const struct lua_value *plot, const char *name,
                      const char *const *words, int fallback, int *out, struct err *err)
{
	const struct lua_value *v = lua_value_named(plot, name);
	char right[128] = "";
	*out = fallback;
	if (!v)
		return true;
	for (int i = 0; words[i]; i++) {
		*out = i;
		if (!strcmp(words[i], v->text))
			return true;
		strncat(right, i ? ", " : "", sizeof right - strlen(right) - 1);
		strncat(right, words[i], sizeof right - strlen(right) - 1);
	}
	return plan_wrong(p, v, err, "%s = '%s'; expected %s", name, v->text, right);
}

/* Checks the dimensions that are not in the plot: each must have one value, unless a mean is given.
 */
static bool check_rest(const struct plan *p, const struct lua_value *v, const struct plan_plot *q,
                       struct err *err)
{
	if (q->x == q->series ||
	    (q->panels != DIM_NONE && (q->panels == q->x || q->panels == q->series)))
		return plan_wrong(p, v, err, "x, series and panels of a plot differ");
	if (q->mean != MEAN_NONE)
		return true;
	for (int d = DIM_PROGRAM; d < (int)p->axis_count; d++)
		if (d != q->x && d != q->series && d != q->panels && plan_dim_count(p, d) > 1)
			return plan_wrong(p, v, err,
			                  "the plot of %s leaves %s open, which has %zu values; "
			                  "add panels = \"%s\" or mean = \"arithmetic\"",
			                  q->y->name, plan_dim_name(p, d), plan_dim_count(p, d),
			                  plan_dim_name(p, d));
	return true;
}

/* Default series: a dimension other than x with several values; configurations before programs
 * before parameters. */
static int usual_series(const struct plan *p, int x)
{
	static const int usual[] = {DIM_CONFIG, DIM_PROGRAM};
	for (int i = 0; i < 2; i++)
		if (usual[i] != x && plan_dim_count(p, usual[i]) > 1)
			return usual[i];
	for (int a = 0; a < (int)p->axis_count; a++)
		if (a != x && plan_dim_count(p, a) > 1)
			return a;
	return DIM_NONE;
}

static bool read_relative(const struct plan *p, const struct lua_value *plot, struct plan_plot *q,
                          struct err *err)
{
	const struct lua_value *v = lua_value_named(plot, "relative");
	struct nearest n;
	if (!v)
		return true;
	nearest_init(&n, v->text);
	for (size_t i = 0; i < p->config_count; i++) {
		q->relative = p->configs[i].name;
		if (!strcmp(q->relative, v->text))
			return true;
		nearest_offer(&n, q->relative);
	}
	return plan_wrong(p, v, err, "relative names a configuration; there is no '%s'%s",
	                  v->text, nearest_tail(&n));
}

static bool read_file_name(struct plan *p, const struct lua_value *plot, size_t index,
                           struct plan_plot *q, struct err *err)
{
	const struct lua_value *v = lua_value_named(plot, "file");
	const char *name;
	if (!v) {
		q->file = index ? plan_text(p, "plot%zu.svg", index + 1) : "plot.svg";
		return true;
	}
	if (!plan_want_text(p, v, &name, err))
		return false;
	size_t len = strlen(name);
	if (strchr(name, '/') || len < 5 || strcmp(name + len - 4, ".svg") != 0)
		return plan_wrong(
			p, v, err,
			"file is a name in the folder of results; expected file = \"ipc.svg\"");
	for (size_t i = 0; i < index; i++)
		if (!strcmp(p->plots[i].file, name))
			return plan_wrong(p, v, err, "two plots have the file '%s'", name);
	q->file = plan_text(p, "%s", name);
	return true;
}

static bool read_plot(struct plan *p, const struct lua_value *v, size_t index, struct plan_plot *q,
                      struct err *err)
{
	static const char *const kinds[] = {"bars", "lines", NULL};
	static const char *const means[] = {"none", "arithmetic", "geometric", "harmonic", NULL};
	const struct lua_value *y, *title;
	struct err why;
	int kind, mean;
	if (v->kind != LUA_VALUE_TABLE || v->positions)
		return plan_wrong(p, v, err,
		                  "expected plot = { y = \"sim.ipc\", x = \"program\", series = "
		                  "\"config\", kind = \"bars\" }");
	for (size_t i = 0; i < v->count; i++)
		if (!plan_known_name(p, &v->items[i], entries, "a plot", err))
			return false;
	y = lua_value_named(v, "y");
	if (!y || !(q->y = stat_find(y->text, &why)))
		return plan_wrong(p, y ? y : v, err, "%s",
		                  y ? why.msg : "a plot needs y, a statistic: y = \"sim.ipc\"");
	title = lua_value_named(v, "title");
	if (title && !plan_want_label(p, title, &q->title, err))
		return false;
	if (!find_dim(p, v, "x", p->axis_count ? 0 : DIM_PROGRAM, &q->x, err) ||
	    !find_dim(p, v, "series", usual_series(p, q->x), &q->series, err) ||
	    !find_dim(p, v, "panels", DIM_NONE, &q->panels, err) ||
	    !find_word(p, v, "kind", kinds, q->x >= 0 ? PLOT_LINES : PLOT_BARS, &kind, err) ||
	    !find_word(p, v, "mean", means, MEAN_NONE, &mean, err) ||
	    !read_relative(p, v, q, err) || !read_file_name(p, v, index, q, err))
		return false;
	q->kind = (enum plot_kind)kind;
	q->mean = (enum plot_mean)mean;
	return check_rest(p, v, q, err);
}

bool plan_read_plots(struct plan *p, const struct lua_value *v, struct err *err)
{
	if (!v)
		return true;
	bool list = v->kind == LUA_VALUE_TABLE && v->positions && v->positions == v->count;
	size_t n = list ? v->count : 1;
	p->plots = plan_alloc(p, n * sizeof *p->plots);
	for (; p->plot_count < n; p->plot_count++)
		if (!read_plot(p, list ? &v->items[p->plot_count] : v, p->plot_count,
		               &p->plots[p->plot_count], err))
			return false;
	return true;
}
