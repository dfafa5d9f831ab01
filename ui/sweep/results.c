#include "ui/sweep/results.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "hwviews/grid/grid.h"
#include "ui/cli/version.h"
#include "ui/render/render_csv.h"
#include "ui/render/render_text.h"
#include "ui/render/safe_print.h"
#include "ui/render/terminal.h"
#include "ui/sweep/plot.h"

struct results_count results_count(const struct sweep *s)
{
	struct results_count n = {0};
	for (size_t i = 0; i < s->plan->job_count; i++) {
		const struct record *r = &s->records[i];
		if (r->status == RECORD_NONE) {
			n.missing++;
			continue;
		}
		if (r->status == RECORD_FAILED)
			n.failed++;
		else
			n.done++;
		n.stale += strcmp(r->build, s->plan->build) != 0;
	}
	return n;
}

/* ---- the table ---- */

/* Number of statistics in the table; the rest is in the files. */
enum { TEXT_STATS = 8 };

/* Appends a value; exact: with all digits of the run's record, else with fewer. */
static void results_append_stat_cell(struct grid *g, const json_t *v, bool exact)
{
	if (!v)
		grid_blank(g);
	else if (json_is_integer(v))
		grid_uint(g, ROLE_NUMBER, (uint64_t)json_integer_value(v));
	else if (exact)
		grid_text(g, ROLE_NUMBER, "%.17g", json_real_value(v));
	else
		grid_double(g, ROLE_NUMBER, json_real_value(v), 4);
}

static void results_append_job_row(struct grid *g, const struct sweep *s, size_t job, size_t stats,
                                   bool exact)
{
	const struct plan *p = s->plan;
	const struct plan_job *j = &p->jobs[job];
	const struct record *r = &s->records[job];
	grid_row(g, job + 1, r->status == RECORD_FAILED ? ROLE_ERROR : ROLE_PLAIN);
	grid_text(g, ROLE_PLAIN, "%s", p->configs[j->config].name);
	for (size_t a = 0; a < p->axis_count; a++)
		grid_text(g, ROLE_PLAIN, "%s", p->axes[a].values.text[j->value[a]]);
	grid_text(g, ROLE_PLAIN, "%s", p->programs[j->program].name);
	if (!exact && r->status == RECORD_FAILED)
		grid_text(g, ROLE_ERROR, "FAILED");
	else
		grid_text(g, ROLE_PLAIN, "%s", record_status_name[r->status]);
	if (exact)
		grid_text(g, ROLE_ERROR, "%s", r->reason);
	for (size_t i = 0; i < stats; i++)
		results_append_stat_cell(g, record_stat(r, p->stats[i]), exact);
	if (!exact)
		grid_text(g, ROLE_ERROR, "%s", r->reason);
}

/* Builds a grid of all jobs; exact: for files. */
static bool build_grid(struct grid *g, const struct sweep *s, bool exact)
{
	const struct plan *p = s->plan;
	size_t stats = exact || p->stat_count <= TEXT_STATS ? p->stat_count : TEXT_STATS, n = 0;
	struct grid_column *c = alloc_zeroed(p->axis_count + stats + 4, sizeof *c);
	if (!c)
		return false;
	c[n++] = (struct grid_column){.name = "config", .title = "config"};
	for (size_t a = 0; a < p->axis_count; a++)
		c[n++] = (struct grid_column){
			.name = p->axes[a].name, .title = p->axes[a].name, .align = ALIGN_RIGHT};
	c[n++] = (struct grid_column){.name = "program", .title = "program"};
	c[n++] = (struct grid_column){.name = "status", .title = "status"};
	if (exact)
		c[n++] = (struct grid_column){.name = "reason"};
	for (size_t i = 0; i < stats; i++)
		c[n++] = (struct grid_column){.name = p->stats[i]->name,
		                              .title = p->stats[i]->name,
		                              .align = ALIGN_RIGHT};
	if (!exact)
		c[n++] = (struct grid_column){.name = "reason", .title = "", .flexible = true};
	grid_init(g, p->title ? p->title : p->path, c, (unsigned)n);
	g->essential = (unsigned)(p->axis_count + 3);
	for (size_t i = 0; i < p->job_count; i++)
		results_append_job_row(g, s, i, stats, exact);
	free(c);
	struct err unused;
	return grid_complete(g, &unused);
}

void results_print(const struct sweep *s, bool files)
{
	struct grid g;
	struct results_count n = results_count(s);
	if (!build_grid(&g, s, false))
		return;
	grid_summary(&g, "%zu done, %zu failed, %zu missing", n.done, n.failed, n.missing);
	render_text(stdout, &g,
	            &(struct text_style){.width = terminal_width(), .ascii = !terminal_utf8()});
	grid_deinit(&g);
	if (n.stale)
		printf("%zu of these results are another build's; --any-build accepts them, else "
		       "they are run again\n",
		       n.stale);
	if (!files)
		return;
	say(stdout, "%s/results.csv, results.json", s->plan->out);
	for (size_t i = 0; i < s->plan->plot_count; i++)
		say(stdout, ", %s", s->plan->plots[i].file);
	putchar('\n');
}

/* ---- files ---- */

static bool write_csv(const struct sweep *s, struct err *err)
{
	struct grid g;
	struct output_file o;
	const char *path = plan_text(s->plan, "%s/results.csv", s->plan->out);
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	if (!build_grid(&g, s, true)) {
		output_drop(&o);
		return err_set(err, "%s: out of memory", path);
	}
	render_csv(o.f, &g);
	grid_deinit(&g);
	return output_end(&o, path, err);
}

static json_t *results_string_array(char *const *text, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, record_text(text[i]));
	return list;
}

static json_t *job_json(const struct sweep *s, size_t job)
{
	const struct plan *p = s->plan;
	const struct plan_job *j = &p->jobs[job];
	const struct record *r = &s->records[job];
	json_t *o = json_object(), *varied = json_object();
	json_object_set_new(o, "config", json_string(p->configs[j->config].name));
	for (size_t a = 0; a < p->axis_count; a++)
		json_object_set_new(varied, p->axes[a].name,
		                    json_string(p->axes[a].values.text[j->value[a]]));
	json_object_set_new(o, "vary", varied);
	json_object_set_new(o, "program", json_string(p->programs[j->program].name));
	json_object_set_new(o, "arguments", results_string_array(j->run.text, j->run.count));
	if (p->programs[j->program].stdin_path)
		json_object_set_new(o, "stdin", record_text(p->programs[j->program].stdin_path));
	if (r->json)
		json_object_update(o, r->json);
	else
		json_object_update_new(o, json_pack("{s:s, s:s}", "key", j->key, "status",
		                                    record_status_name[r->status]));
	return o;
}

static bool results_write_json(const struct sweep *s, struct err *err)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->plan->job_count; i++)
		json_array_append_new(list, job_json(s, i));
	json_t *all = json_pack("{s:s, s:s, s:o, s:o}", "cyclops", CYCLOPS_VERSION, "build",
	                        s->plan->build, "sweep", record_text(s->plan->path), "jobs", list);
	const char *path = plan_text(s->plan, "%s/results.json", s->plan->out);
	bool ok = all ? record_write_json(path, all, err) : err_set(err, "%s: out of memory", path);
	json_decref(all);
	return ok;
}

static bool write_plot(const struct sweep *s, const struct plan_plot *q, struct err *err)
{
	struct output_file o;
	const char *path = plan_text(s->plan, "%s/%s", s->plan->out, q->file);
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	plot_write(o.f, s, q);
	return output_end(&o, path, err);
}

bool results_write(const struct sweep *s, struct err *err)
{
	if (!write_csv(s, err) || !results_write_json(s, err))
		return false;
	for (size_t i = 0; i < s->plan->plot_count; i++)
		if (!write_plot(s, &s->plan->plots[i], err))
			return false;
	return true;
}
