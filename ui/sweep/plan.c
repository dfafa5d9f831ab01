#include "ui/sweep/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/cli/cli.h"

static void *or_die(void *p)
{
	if (p)
		return p;
	fputs("cyclops: out of memory\n", stderr);
	exit(STATUS_ERROR);
}

void *plan_alloc(struct plan *p, size_t n)
{
	return or_die(pool_alloc(&p->pool, n));
}

char *plan_text(struct plan *p, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);
	char *text = plan_alloc(p, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(args);
	return text;
}

void words_add(struct plan *p, struct words *w, const char *text)
{
	/* Grow to powers of two, counting the NULL at the end. */
	if (!(w->count & (w->count + 1))) {
		char **more = plan_alloc(p, 2 * (w->count + 1) * sizeof *more);
		if (w->count)
			memcpy(more, w->text, w->count * sizeof *more);
		w->text = more;
	}
	w->text[w->count++] = plan_text(p, "%s", text);
	w->text[w->count] = NULL;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	pool_deinit(&p->pool);
	free(p);
}

/* ---- dimensions ---- */

const char *plan_dim_name(const struct plan *p, int dim)
{
	return dim == DIM_CONFIG ? "config" : dim == DIM_PROGRAM ? "program" : p->axes[dim].name;
}

const char *plan_dim_value(const struct plan *p, int dim, size_t i)
{
	if (dim == DIM_CONFIG)
		return p->configs[i].name;
	return dim == DIM_PROGRAM ? p->programs[i].name : p->axes[dim].values.text[i];
}

size_t plan_dim_count(const struct plan *p, int dim)
{
	if (dim == DIM_NONE)
		return 1;
	if (dim == DIM_CONFIG)
		return p->config_count;
	return dim == DIM_PROGRAM ? p->program_count : p->axes[dim].values.count;
}

size_t plan_dim_of(const struct plan_job *j, int dim)
{
	if (dim == DIM_NONE)
		return 0;
	if (dim == DIM_CONFIG)
		return j->config;
	return dim == DIM_PROGRAM ? j->program : j->value[dim];
}

const char *plan_job_name(const struct plan *p, const struct plan_job *j, char *buf, size_t n)
{
	FILE *f = alloc_file_in(buf, n, "w");
	*buf = '\0';
	if (!f)
		return buf;
	fprintf(f, "%s %s", p->configs[j->config].name, p->programs[j->program].name);
	for (size_t a = 0; a < p->axis_count; a++)
		fprintf(f, " %s=%s", p->axes[a].name, p->axes[a].values.text[j->value[a]]);
	fclose(f);
	buf[n - 1] = '\0';
	return buf;
}

char *plan_job_file(struct plan *p, const struct plan_job *j, const char *folder,
                    const char *ending)
{
	return plan_text(p, "%s/%s/%s%s", p->out, folder, j->key, ending);
}
