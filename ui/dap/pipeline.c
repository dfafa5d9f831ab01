/* The pipeline as a scope of variables: the in-flight instructions of the line in this cycle, and
 * what each waits for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "hwviews/grid/grid.h"
#include "hwviews/why/why_text.h"
#include "ui/dap/dap.h"

enum { SHOWN_MAX = 32, WHY_MAX = 1024 };

static void dap_pipeline_append_variable(json_t *variables, const char *name, const char *text)
{
	json_array_append_new(variables,
	                      json_pack("{s:o, s:o, s:i}", "name", dap_text(name, strlen(name)),
	                                "value", dap_text(text, strlen(text)), "variablesReference",
	                                0));
}

/* Appends "#81213 ld a5,8(a4): L1D miss, ..."; the number is the variable's name. */
static void dap_pipeline_append_uop(struct dap *d, json_t *variables, const struct uop *u)
{
	char text[WHY_MAX], name[32];
	why_line(d->m.s, u, text, sizeof text);
	snprintf(name, sizeof name, "#%" PRIu64, u->seq);
	const size_t n = strlen(name);
	const char *rest = !strncmp(text, name, n) && text[n] == ' ' ? text + n + 1 : text;
	dap_pipeline_append_variable(variables, name, rest);
}

/* Appends the current position within the cycle. */
static void dap_pipeline_append_cycle(struct dap *d, json_t *variables)
{
	const struct group g = spot_group(d->m.at);
	char text[256], digits[32];
	dap_pipeline_append_variable(variables, "cycle",
	                             group_digits(machine_cycle(d->m.s->machine), digits));
	if (!d->m.at->back || d->m.at->back > g.n)
		return;
	snprintf(text, sizeof text,
	         "before #%" PRIu64 ", which committed in this cycle with %u of the %u others",
	         g.u[g.n - d->m.at->back]->seq, d->m.at->back - 1, g.n - 1);
	dap_pipeline_append_variable(variables, "place", text);
}

static bool dap_pipeline_pc_in_range(const struct uop *u, uint64_t lo, uint64_t hi)
{
	return u->pc - lo < hi - lo;
}

void dap_pipeline(struct dap *d, json_t *variables)
{
	const struct session *s = d->m.s;
	const struct pipe *p = machine_pipe(s->machine);
	const uint32_t window = p->st->rob_count;
	char text[WHY_MAX];
	uint64_t lo, hi;
	unsigned shown = 0;
	dap_pipeline_append_cycle(d, variables);
	if (window)
		why_line(s, pipe_rob_at(p, 0), text, sizeof text);
	else
		why_fetch_line(s, text, sizeof text);
	dap_pipeline_append_variable(variables, "waits for", text);
	snprintf(text, sizeof text, "%u in the window, %u in the fetch queue", (unsigned)window,
	         (unsigned)p->st->fetchq_count);
	dap_pipeline_append_variable(variables, "in flight", text);
	if (!program_line_range(s->program, machine_pc(s->machine), &lo, &hi)) {
		lo = machine_pc(s->machine);
		hi = lo + 1;
	}
	const struct group g = spot_group(d->m.at);
	for (unsigned i = g.n - (d->m.at->back < g.n ? d->m.at->back : g.n); i < g.n; i++)
		if (dap_pipeline_pc_in_range(g.u[i], lo, hi))
			dap_pipeline_append_uop(d, variables, g.u[i]);
	for (uint32_t i = 0; i < window && shown < SHOWN_MAX; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (dap_pipeline_pc_in_range(u, lo, hi)) {
			dap_pipeline_append_uop(d, variables, u);
			shown++;
		}
	}
}
