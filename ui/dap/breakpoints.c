/* Breakpoints of every kind that an editor sets. Several may be at one address, where they share
 * one point of the mover; conditions are evaluated where it stops. */
#include "ui/dap/breakpoints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/location.h"

enum { BREAKPOINTS_MAX = 1024 };

bool breakpoints_init(struct dap *d)
{
	d->breakpoints = alloc_zeroed(1, sizeof *d->breakpoints);
	return d->breakpoints;
}

static void breakpoints_free_entry(struct breakpoint *b)
{
	expr_free(b->test);
	free(b->path);
	free(b->condition);
	free(b->hit);
	free(b->log);
}

void breakpoints_clear(struct dap *d)
{
	struct breakpoints *all = d->breakpoints;
	for (size_t i = 0; i < all->n; i++) {
		if (all->all[i].stop_id && d->m.s)
			run_delete_stop(d->m.s->run, all->all[i].stop_id);
		breakpoints_free_entry(&all->all[i]);
	}
	free(all->all);
	*all = (struct breakpoints){.last_id = all->last_id};
	if (d->m.s)
		points_clear(&d->m);
}

void breakpoints_free(struct dap *d)
{
	if (d->breakpoints)
		breakpoints_clear(d);
	free(d->breakpoints);
	d->breakpoints = NULL;
}

/* ---- setting ---- */
static bool breakpoints_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static char *breakpoints_copy_text(const char *text)
{
	return text && *text ? alloc_text(text) : NULL;
}

/* Parses ">= 3", "% 5", "3". False for any other text. */
static bool parse_hit(const char *text, char *op, uint64_t *n)
{
	char word[3] = "";
	char *end;
	text += strspn(text, " \t");
	const size_t length = strspn(text, "<>=%");
	if (length > 2)
		return false;
	memcpy(word, text, length);
	text += length;
	text += strspn(text, " \t");
	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
		return false;
	*n = strtoull(text, &end, 10);
	*op = !*word || !strcmp(word, "=") || !strcmp(word, "==") ? '='
	      : !strcmp(word, ">")                                ? '>'
	      : !strcmp(word, "<")                                ? '<'
	      : !strcmp(word, ">=")                               ? 'g'
	      : !strcmp(word, "<=")                               ? 'l'
	      : !strcmp(word, "%")                                ? '%'
	                                                          : '\0';
	return *op && (*op != '%' || *n);
}

/* Reads condition, hit condition and log message, which all kinds have. False with *err: it can't
 * be set. */
static bool take_terms(struct dap *d, struct breakpoint *b, const json_t *from, struct err *err)
{
	char op;
	uint64_t n;
	b->condition = breakpoints_copy_text(asked_text(from, "condition"));
	b->hit = breakpoints_copy_text(asked_text(from, "hitCondition"));
	b->log = breakpoints_copy_text(asked_text(from, "logMessage"));
	if (b->hit && !parse_hit(b->hit, &op, &n))
		return err_set(err, "hit count '%.40s': expected 3, >= 3, > 3, < 3 or %% 3",
		               b->hit);
	if (!b->condition)
		return true;
	b->test = expr_compile_in(d->console->exprs, b->condition,
	                          b->type <= 1 ? EXPR_PLACE : EXPR_FRAME, b->addr, err);
	return b->test && expr_knows_names(b->test, err);
}

struct breakpoint *breakpoints_add(struct dap *d, struct breakpoint *b,
                                   const struct breakpoints *before)
{
	struct breakpoints *all = d->breakpoints;
	struct breakpoint *more = all->n < BREAKPOINTS_MAX
	                                  ? alloc_resize_array(all->all, all->n + 1, sizeof *more)
	                                  : NULL;
	if (!more) {
		breakpoints_free_entry(b);
		return NULL;
	}
	all->all = more;
	for (size_t i = 0; i < before->n && !b->id; i++) {
		const struct breakpoint *o = &before->all[i];
		if (o->kind == b->kind && o->addr == b->addr && o->size == b->size &&
		    o->type == b->type && breakpoints_same_text(o->path, b->path) &&
		    breakpoints_same_text(o->condition, b->condition) &&
		    breakpoints_same_text(o->hit, b->hit) &&
		    breakpoints_same_text(o->log, b->log)) {
			b->id = o->id;
			b->hits = o->hits;
		}
	}
	if (!b->id)
		b->id = ++all->last_id;
	more[all->n] = *b;
	return &more[all->n++];
}

struct breakpoints breakpoints_take(struct dap *d, enum breakpoint_kind kind, const char *path)
{
	struct breakpoints *all = d->breakpoints, out = {0};
	size_t kept = 0;
	out.all = alloc_zeroed(all->n + 1, sizeof *out.all);
	for (size_t i = 0; i < all->n; i++) {
		struct breakpoint *b = &all->all[i];
		if (b->kind != kind || (path && !breakpoints_same_text(b->path, path)))
			all->all[kept++] = *b;
		else if (out.all)
			out.all[out.n++] = *b;
		else
			breakpoints_free_entry(b);
	}
	all->n = kept;
	return out;
}

void breakpoints_drop(struct dap *d, struct breakpoints *old)
{
	for (size_t i = 0; i < old->n; i++) {
		if (old->all[i].stop_id)
			run_delete_stop(d->m.s->run, old->all[i].stop_id);
		breakpoints_free_entry(&old->all[i]);
	}
	free(old->all);
}

static bool breakpoints_is_unconditional(const struct breakpoint *b)
{
	return !b->condition && !b->hit && !b->log;
}

/* Sets the mover's points that the breakpoints need. */
static void put_points(struct dap *d)
{
	const struct breakpoints *all = d->breakpoints;
	points_clear(&d->m);
	for (size_t i = 0; i < all->n; i++) {
		struct breakpoint *b = &all->all[i];
		struct point p = {
			.type = b->type, .addr = b->addr, .size = b->size, .conditional = true};
		if (!b->set || b->kind == BREAKPOINT_EVENT || d->only_runs)
			continue;
		for (size_t k = 0; k < all->n; k++)
			if (all->all[k].set && all->all[k].type == b->type &&
			    all->all[k].kind != BREAKPOINT_EVENT && all->all[k].addr == b->addr &&
			    breakpoints_is_unconditional(&all->all[k]))
				p.conditional = false;
		struct err err;
		if (!points_insert(&d->m, &p, &err))
			b->set = false;
	}
}

/* Hits of breakpoint `id`; every place of the breakpoint counts the total. */
static uint64_t hits_of(const struct dap *d, int id)
{
	for (size_t i = 0; i < d->breakpoints->n; i++)
		if (d->breakpoints->all[i].id == id)
			return d->breakpoints->all[i].hits;
	return 0;
}

json_t *breakpoints_refuse(struct breakpoint *b, const struct err *err)
{
	breakpoints_free_entry(b);
	return json_pack("{s:b, s:o}", "verified", 0, "message",
	                 dap_text(err->msg, strlen(err->msg)));
}

json_t *breakpoints_set(struct dap *d, struct breakpoint *b, const json_t *from,
                        const struct breakpoints *before)
{
	struct err err;
	struct source_line at;
	if (!take_terms(d, b, from, &err))
		return breakpoints_refuse(b, &err);
	b->set = true;
	const struct breakpoint *made = breakpoints_add(d, b, before);
	if (!made) {
		err_set(&err, "no room for more than %d breakpoints", BREAKPOINTS_MAX);
		b->path = b->condition = b->hit = b->log = NULL;
		b->test = NULL;
		return breakpoints_refuse(b, &err);
	}
	json_t *out = json_pack("{s:i, s:b, s:o}", "id", made->id, "verified", 1,
	                        "instructionReference", dap_address(made->addr));
	if (made->type <= 1 && program_stop_line_at(d->m.s->program, made->addr, &at) && at.line) {
		json_object_set_new(out, "line",
		                    json_integer((json_int_t)at.line - d->lines_from_0));
		json_object_set_new(out, "source", dap_source(d, at.file));
	}
	if (made->type > 1)
		json_object_del(out, "instructionReference");
	return out;
}

json_t *breakpoints_set_all(struct dap *d, struct breakpoint *b, const uint64_t *at, size_t n,
                            const json_t *from, const struct breakpoints *before)
{
	const enum breakpoint_kind kind = b->kind;
	char *path = breakpoints_copy_text(b->path);
	b->addr = at[0];
	json_t *out = breakpoints_set(d, b, from, before);
	const int id = (int)json_integer_value(json_object_get(out, "id"));
	for (size_t i = 1; id && i < n; i++) {
		struct breakpoint more = {.kind = kind,
		                          .id = id,
		                          .set = true,
		                          .path = breakpoints_copy_text(path),
		                          .addr = at[i]};
		struct err err;
		if (take_terms(d, &more, from, &err)) {
			more.hits = hits_of(d, id);
			breakpoints_add(d, &more, before);
		} else {
			breakpoints_free_entry(&more);
		}
	}
	free(path);
	return out;
}

void breakpoints_answer(struct dap *d, const json_t *request, json_t *list,
                        struct breakpoints *old)
{
	breakpoints_drop(d, old);
	put_points(d);
	dap_answer(d, request, json_pack("{s:o}", "breakpoints", list));
}

bool breakpoints_hit(const struct breakpoint *b)
{
	char op;
	uint64_t n;
	if (!b->hit || !parse_hit(b->hit, &op, &n))
		return true;
	switch (op) {
	case '>':
		return b->hits > n;
	case '<':
		return b->hits < n;
	case 'g':
		return b->hits >= n;
	case 'l':
		return b->hits <= n;
	case '%':
		return b->hits % n == 0;
	default:
		return b->hits == n;
	}
}
