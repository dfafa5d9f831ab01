/* Decides whether breakpoints stop the program or log; and exception filters: events of the
 * machine. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "loader/dwarf/inlined.h"
#include "ui/dap/breakpoints.h"

/* ---- conditions ---- */
/* True with *err if the condition can't be evaluated. */
static bool breakpoints_condition_holds(struct dap *d, const struct breakpoint *b, struct err *err)
{
	struct expr_value v;
	err_set(err, "%s", "");
	if (!b->test || !dap_look_at(d, 0, err))
		return true;
	const bool ok = expr_eval(b->test, NULL, &v, err);
	dap_look_away(d);
	return !ok || expr_true(&v);
}

static void say_failed(struct dap *d, const struct breakpoint *b, const struct err *err)
{
	char text[600];
	const int n =
		snprintf(text, sizeof text, "condition %.200s: %.300s\n", b->condition, err->msg);
	dap_say(d, "important", text, (size_t)n);
}

static bool breakpoints_matches_point(const struct breakpoint *b, const struct point *p)
{
	return b->set && b->kind != BREAKPOINT_EVENT && b->type == p->type && b->addr == p->addr &&
	       b->size == p->size;
}

bool breakpoints_hold(void *ctx, const struct point *p)
{
	struct dap *d = ctx;
	struct err err;
	for (size_t i = 0; i < d->breakpoints->n; i++)
		if (breakpoints_matches_point(&d->breakpoints->all[i], p) &&
		    breakpoints_condition_holds(d, &d->breakpoints->all[i], &err))
			return true;
	return false;
}

/* Prints a log message: "x is {x}"; expressions in braces are evaluated. */
static void say_log(struct dap *d, const struct breakpoint *b)
{
	char *text = NULL;
	size_t n;
	struct err err;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return;
	if (dap_look_at(d, 0, &err)) {
		for (const char *at = b->log; *at;) {
			const char *end = *at == '{' ? strchr(at, '}') : NULL;
			char *inside = end ? alloc_text_n(at + 1, (size_t)(end - at - 1)) : NULL;
			if (!inside) {
				fputc(*at++, f);
				continue;
			}
			json_t *out = json_object();
			if (dap_value(d, 0, inside, false, false, out, &err))
				fputs(json_string_value(json_object_get(out, "value")), f);
			else
				fprintf(f, "{%s}", err.msg);
			json_decref(out);
			free(inside);
			at = end + 1;
		}
		dap_look_away(d);
	}
	fputc('\n', f);
	if (fclose(f) == 0)
		dap_say(d, "console", text, n);
	free(text);
}

/* Counts a hit in all places of the breakpoint. */
static void breakpoints_count_hit(struct dap *d, int id)
{
	for (size_t i = 0; i < d->breakpoints->n; i++)
		d->breakpoints->all[i].hits += d->breakpoints->all[i].id == id;
}

bool breakpoints_stop(void *ctx, const struct point *p, bool forward)
{
	struct dap *d = ctx;
	bool stops = false;
	for (size_t i = 0; i < d->breakpoints->n; i++) {
		struct breakpoint *b = &d->breakpoints->all[i];
		struct err err;
		if (!breakpoints_matches_point(b, p) || !breakpoints_condition_holds(d, b, &err))
			continue;
		if (*err.msg)
			say_failed(d, b, &err);
		if (forward)
			breakpoints_count_hit(d, b->id);
		/* Going backwards, hits are not counted and messages not repeated. */
		if ((forward && !breakpoints_hit(b)) || (b->log && !forward))
			continue;
		if (b->log)
			say_log(d, b);
		else
			stops = b->stopped = true;
	}
	return stops;
}

void breakpoints_moving(struct dap *d)
{
	for (size_t i = 0; i < d->breakpoints->n; i++)
		d->breakpoints->all[i].stopped = false;
}

/* ---- reporting a stop ---- */
static bool is_at(const struct dap *d, const struct breakpoint *b)
{
	const struct halt *h = &d->m.halt;
	const bool data = h->kind >= HALT_WATCH && h->kind <= HALT_AWATCH;
	if (b->kind == BREAKPOINT_EVENT)
		return h->stop_id && h->stop_id == b->stop_id;
	if (!b->set || (!data && h->kind != HALT_SWBREAK && h->kind != HALT_HWBREAK) ||
	    data != (b->kind == BREAKPOINT_DATA) || b->addr != h->addr)
		return false;
	return b->stopped || (!b->condition && !b->hit && !b->log);
}

unsigned breakpoints_inlined(const struct dap *d, uint64_t pc)
{
	const struct program *p = d->m.s->program;
	const struct symbol *sym = program_symbol_at(p, pc);
	unsigned most = 0;
	bool found = false;
	for (size_t i = 0; i < d->breakpoints->n; i++) {
		const struct breakpoint *b = &d->breakpoints->all[i];
		if (b->addr != pc || !is_at(d, b))
			continue;
		const unsigned n = inlined_begun(
			p, pc, b->kind == BREAKPOINT_FUNCTION ? b->path : NULL);
		most = n > most ? n : most;
		found = true;
	}
	return found || (sym && sym->addr == pc) ? most : inlined_begun(p, pc, NULL);
}

void breakpoints_tell(struct dap *d, json_t *stopped)
{
	static const char *const reasons[] = {
		[BREAKPOINT_LINE] = "breakpoint",
		[BREAKPOINT_FUNCTION] = "function breakpoint",
		[BREAKPOINT_INSTRUCTION] = "instruction breakpoint",
		[BREAKPOINT_DATA] = "data breakpoint",
		[BREAKPOINT_EVENT] = "exception",
	};
	json_t *ids = json_array();
	for (size_t i = 0; i < d->breakpoints->n; i++) {
		const struct breakpoint *b = &d->breakpoints->all[i];
		if (!is_at(d, b))
			continue;
		if (!json_array_size(ids) || b->kind == BREAKPOINT_LINE)
			json_object_set_new(stopped, "reason", json_string(reasons[b->kind]));
		json_array_append_new(ids, json_integer(b->id));
		if (b->kind == BREAKPOINT_EVENT)
			json_object_set_new(stopped, "text", dap_text(b->path, strlen(b->path)));
	}
	if (json_array_size(ids))
		json_object_set(stopped, "hitBreakpointIds", ids);
	json_decref(ids);
}

/* ---- exception filters ---- */
static const struct filter {
	const char *name, *command;
	const char *condition; /* condition on the event, NULL: none */
} filters[] = {
	{"signals", "catch signal", NULL},
	{"mispredictions", "catch squash", NULL},
	{"l2_misses", "catch mem", "level == 'memory'"},
};

static json_t *set_filter(struct dap *d, const char *name, const char *condition,
                          const struct breakpoints *before)
{
	struct breakpoint b = {.kind = BREAKPOINT_EVENT, .set = true};
	const struct filter *f = NULL;
	char *line = NULL;
	for (size_t i = 0; name && i < sizeof filters / sizeof *filters; i++)
		if (!strcmp(filters[i].name, name))
			f = &filters[i];
	if (d->only_runs)
		return json_pack("{s:b}", "verified", 0);
	if (!f)
		return json_pack("{s:b, s:s}", "verified", 0, "message",
		                 "expected signals, mispredictions or l2_misses");
	const bool asked = condition && *condition;
	if (!(line = alloc_format("%s%s%s%s%s%s", f->command, f->condition || asked ? " if " : "",
	                          f->condition ? f->condition : "",
	                          f->condition && asked ? " and (" : "", asked ? condition : "",
	                          f->condition && asked ? ")" : "")))
		return NULL;
	d->m.quiet = true;
	const bool ok = !strpbrk(line, ";#\n")
	                        ? console_run(d->console, line) == CMD_OK
	                        : console_fail(d->console, "; and # are no part "
	                                                   "of a condition") == CMD_OK;
	d->m.quiet = false;
	free(line);
	if (!ok)
		return json_pack("{s:b, s:o}", "verified", 0, "message",
		                 dap_text(d->console->err.msg, strlen(d->console->err.msg)));
	const struct stop_point *sp, *last = NULL;
	for (unsigned i = 0; (sp = run_stop_at(d->m.s->run, i)); i++)
		last = sp;
	b.stop_id = last->id;
	b.path = alloc_text(name);
	b.condition = asked ? alloc_text(condition) : NULL;
	const struct breakpoint *made = breakpoints_add(d, &b, before);
	if (!made)
		run_delete_stop(d->m.s->run, b.stop_id);
	return made ? json_pack("{s:i, s:b}", "id", made->id, "verified", 1)
	            : json_pack("{s:b}", "verified", 0);
}

static void set_filters(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *names = json_object_get(args, "filters"), *one;
	const json_t *options = json_object_get(args, "filterOptions");
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_EVENT, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(names, i, one)
		json_array_append_new(list, set_filter(d, json_string_value(one), NULL, &old));
	json_array_foreach(options, i, one)
		json_array_append_new(list, set_filter(d, asked_text(one, "filterId"),
	                                               asked_text(one, "condition"), &old));
	breakpoints_drop(d, &old);
	dap_answer(d, request, json_pack("{s:o}", "breakpoints", list));
}

static void exception_info(struct dap *d, const json_t *request, const json_t *args)
{
	const struct halt *h = &d->m.halt;
	const char *id = h->kind == HALT_SIGNAL ? os_signal_name((unsigned)h->number) : NULL;
	(void)args;
	for (size_t i = 0; i < d->breakpoints->n; i++)
		if (d->breakpoints->all[i].kind == BREAKPOINT_EVENT &&
		    is_at(d, &d->breakpoints->all[i]))
			id = d->breakpoints->all[i].path;
	if (!id) {
		dap_refuse(d, request, "exceptionInfo: no exception has stopped it");
		return;
	}
	json_t *body = json_pack("{s:s, s:s}", "exceptionId", id, "breakMode", "always");
	if (*h->why.msg)
		json_object_set_new(body, "description", dap_text(h->why.msg, strlen(h->why.msg)));
	dap_answer(d, request, body);
}

const struct request stops_requests[] = {
	{"setExceptionBreakpoints", set_filters, ANY_TIME, false},
	{"exceptionInfo", exception_info, ANY_TIME, false},
	{0},
};
