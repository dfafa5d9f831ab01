/* Breakpoints of every kind that an editor sets. Several may be at one address, where one point of
 * the mover's stands for all of them; conditions are computed at the very place. */
#include "ui/dap/breakpoints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/console/location.h"

enum { BREAKPOINTS_MAX = 1024 };

bool breakpoints_init(struct dap *d)
{
	d->breakpoints = calloc(1, sizeof *d->breakpoints);
	return d->breakpoints;
}

static void forget(struct breakpoint *b)
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
		forget(&all->all[i]);
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

/* ---- making them ---- */
static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static char *copy(const char *text)
{
	return text && *text ? strdup(text) : NULL;
}

/* ">= 3", "% 5", "3". False: it is none of these. */
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

/* Reads what all kinds have in common. False with *err: it can't be set. */
static bool take_terms(struct dap *d, struct breakpoint *b, const json_t *from, struct err *err)
{
	char op;
	uint64_t n;
	b->condition = copy(asked_text(from, "condition"));
	b->hit = copy(asked_text(from, "hitCondition"));
	b->log = copy(asked_text(from, "logMessage"));
	if (b->hit && !parse_hit(b->hit, &op, &n))
		return err_set(err, "hit count '%.40s': right: 3, >= 3, > 3, < 3 or %% 3", b->hit);
	if (!b->condition)
		return true;
	b->test = expr_compile_in(d->console->exprs, b->condition,
	                          b->type <= 1 ? EXPR_PLACE : EXPR_FRAME, b->addr, err);
	return b->test && expr_knows_names(b->test, err);
}

/* Adds it, with the number and the hits of the same one of before; NULL: there is no room. */
struct breakpoint *breakpoints_add(struct dap *d, struct breakpoint *b,
                                   const struct breakpoints *before)
{
	struct breakpoints *all = d->breakpoints;
	struct breakpoint *more =
		all->n < BREAKPOINTS_MAX ? reallocarray(all->all, all->n + 1, sizeof *more) : NULL;
	if (!more) {
		forget(b);
		return NULL;
	}
	all->all = more;
	for (size_t i = 0; i < before->n && !b->id; i++) {
		const struct breakpoint *o = &before->all[i];
		if (o->kind == b->kind && o->addr == b->addr && o->size == b->size &&
		    o->type == b->type && same(o->path, b->path) &&
		    same(o->condition, b->condition) && same(o->hit, b->hit) &&
		    same(o->log, b->log)) {
			b->id = o->id;
			b->hits = o->hits;
		}
	}
	if (!b->id)
		b->id = ++all->last_id;
	more[all->n] = *b;
	return &more[all->n++];
}

/* Takes those of the kind (and source) out, to be compared with their successors. */
struct breakpoints breakpoints_take(struct dap *d, enum breakpoint_kind kind, const char *path)
{
	struct breakpoints *all = d->breakpoints, out = {0};
	size_t kept = 0;
	out.all = calloc(all->n + 1, sizeof *out.all);
	for (size_t i = 0; i < all->n; i++) {
		struct breakpoint *b = &all->all[i];
		if (b->kind != kind || (path && !same(b->path, path)))
			all->all[kept++] = *b;
		else if (out.all)
			out.all[out.n++] = *b;
		else
			forget(b);
	}
	all->n = kept;
	return out;
}

void breakpoints_drop(struct dap *d, struct breakpoints *old)
{
	for (size_t i = 0; i < old->n; i++) {
		if (old->all[i].stop_id)
			run_delete_stop(d->m.s->run, old->all[i].stop_id);
		forget(&old->all[i]);
	}
	free(old->all);
}

static bool is_plain(const struct breakpoint *b)
{
	return !b->condition && !b->hit && !b->log;
}

/* The mover's points are those that the breakpoints need. */
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
			    is_plain(&all->all[k]))
				p.conditional = false;
		struct err err;
		if (!points_insert(&d->m, &p, &err))
			b->set = false;
	}
}

static json_t *refused(struct breakpoint *b, const struct err *err)
{
	forget(b);
	return json_pack("{s:b, s:o}", "verified", 0, "message",
	                 dap_text(err->msg, strlen(err->msg)));
}

/* What the editor is told of one; b, which is taken over, is complete but for its terms. */
static json_t *set_one(struct dap *d, struct breakpoint *b, const json_t *from,
                       const struct breakpoints *before)
{
	struct err err;
	struct source_line at;
	if (!take_terms(d, b, from, &err))
		return refused(b, &err);
	b->set = true;
	const struct breakpoint *made = breakpoints_add(d, b, before);
	if (!made) {
		err_set(&err, "no room for more than %d breakpoints", BREAKPOINTS_MAX);
		b->path = b->condition = b->hit = b->log = NULL;
		b->test = NULL;
		return refused(b, &err);
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

static void answer(struct dap *d, const json_t *request, json_t *list, struct breakpoints *old)
{
	breakpoints_drop(d, old);
	put_points(d);
	dap_answer(d, request, json_pack("{s:o}", "breakpoints", list));
}

/* ---- by line ---- */
/* Whether the code at addr may be of this file: it is not, where both are found and are others. */
static bool may_be_of(const struct dap *d, const char *path, uint64_t addr)
{
	struct program *p = d->m.s->program;
	struct source_line at;
	const char *found = program_line_at(p, addr, &at) ? program_source_path(p, at.file) : NULL;
	char *asked = found && *path == '/' ? realpath(path, NULL) : NULL;
	const bool may = !asked || !strcmp(asked, found);
	free(asked);
	return may;
}

/* The editor knows a file by its whole path, the program by what the compiler was given: as many of
 * the last names as are right. */
static bool find_line(struct dap *d, const char *path, unsigned line, uint64_t *addr,
                      struct err *err)
{
	const struct program *p = d->m.s->program;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/' && at != path;
		if (program_addr_of_line(p, at, line, addr, err))
			return may_be_of(d, path, *addr) ||
			       err_set(err,
			               "the program was compiled of another file of this name");
		if (*at == '/')
			at++;
	}
	return false;
}

static void set_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *source = json_object_get(args, "source"), *one;
	const json_t *asked = json_object_get(args, "breakpoints");
	const char *path = asked_text(source, "path");
	if (!path)
		path = asked_text(source, "name");
	if (!path || (asked && !json_is_array(asked))) {
		dap_refuse(d, request, "setBreakpoints: right: a source with its path, and a list");
		return;
	}
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_LINE, path);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		struct breakpoint b = {.kind = BREAKPOINT_LINE, .path = strdup(path)};
		int64_t line = 0;
		struct err err;
		asked_number(one, "line", &line);
		line += d->lines_from_0;
		if (line < 1 || line > INT32_MAX)
			err_set(&err, "a line has a number");
		json_array_append_new(
			list, line >= 1 && line <= INT32_MAX &&
					      find_line(d, path, (unsigned)line, &b.addr, &err)
				      ? set_one(d, &b, one, &old)
				      : refused(&b, &err));
	}
	answer(d, request, list, &old);
}

/* The lines between two that have code. */
static void breakpoint_locations(struct dap *d, const json_t *request, const json_t *args)
{
	enum { LINES_MAX = 2000 };
	const char *path = asked_text(json_object_get(args, "source"), "path");
	int64_t from = 0, to = 0;
	json_t *list = json_array();
	struct source_line at;
	uint64_t addr;
	struct err err;
	asked_number(args, "line", &from);
	if (!asked_number(args, "endLine", &to))
		to = from;
	from += d->lines_from_0;
	to += d->lines_from_0;
	for (int64_t line = from; path && line >= 1 && line <= to && line < from + LINES_MAX;
	     line++)
		if (find_line(d, path, (unsigned)line, &addr, &err) &&
		    program_stop_line_at(d->m.s->program, addr, &at) && at.line == line)
			json_array_append_new(
				list,
				json_pack("{s:I}", "line", (json_int_t)(line - d->lines_from_0)));
	dap_answer(d, request, json_pack("{s:o}", "breakpoints", list));
}

/* ---- by function, by instruction ---- */
static void set_function_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_FUNCTION, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		const char *name = asked_text(one, "name");
		struct breakpoint b = {.kind = BREAKPOINT_FUNCTION, .path = copy(name)};
		struct location l;
		if (!name || !*name)
			console_fail(d->console, "a function has a name");
		if (name && *name && location_parse(d->console, name, &l)) {
			b.addr = location_stop(d->console, &l);
			json_array_append_new(list, set_one(d, &b, one, &old));
		} else {
			json_array_append_new(list, refused(&b, &d->console->err));
		}
	}
	answer(d, request, list, &old);
}

static void set_instruction_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_INSTRUCTION, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		struct breakpoint b = {.kind = BREAKPOINT_INSTRUCTION, .type = 1};
		int64_t offset = 0;
		struct err err;
		asked_number(one, "offset", &offset);
		bool ok = dap_parse_address(asked_text(one, "instructionReference"), &b.addr) ||
		          err_set(&err, "instructionReference: right: a text as \"0x10440\"");
		b.addr += (uint64_t)offset;
		if (ok && b.addr & 1)
			ok = err_set(&err, "0x%" PRIx64 " is odd: no instruction begins there",
			             b.addr);
		json_array_append_new(list, ok ? set_one(d, &b, one, &old) : refused(&b, &err));
	}
	answer(d, request, list, &old);
}

/* ---- by data ---- */
/* "0x10440/8" */
static bool parse_data(const char *text, uint64_t *addr, uint64_t *size)
{
	char place[32];
	const char *slash = text ? strchr(text, '/') : NULL;
	if (!slash || (size_t)(slash - text) >= sizeof place)
		return false;
	snprintf(place, sizeof place, "%.*s", (int)(slash - text), text);
	return dap_parse_address(place, addr) && dap_parse_address(slash + 1, size) && *size &&
	       *size <= WATCH_BYTES_MAX && *addr + *size >= *addr;
}

static void data_info(struct dap *d, const json_t *request, const json_t *args)
{
	const char *name = asked_text(args, "name");
	int64_t reference = 0, frame = 0, bytes = 0;
	struct expr_place at = {0};
	struct err err;
	char *text = NULL;
	asked_number(args, "variablesReference", &reference);
	asked_number(args, "frameId", &frame);
	asked_number(args, "bytes", &bytes);
	const struct handle *h = dap_handle_of(d, reference);
	if (!name || (reference && !h) || frame < 0 || frame > INT32_MAX) {
		dap_refuse(d, request,
		           "dataBreakpointInfo: right: a name, and a reference or a "
		           "frame");
		return;
	}
	if (h)
		frame = h->frame;
	if ((h && h->kind == HANDLE_PARTS
	             ? asprintf(&text, *name == '[' ? "(%s)%s" : "(%s).%s", h->text, name)
	             : asprintf(&text, "%s", name)) < 0)
		text = NULL;
	bool ok = text && (!h || h->kind <= HANDLE_LOCALS || h->kind == HANDLE_PARTS);
	if (!ok)
		err_set(&err, "%s is not in memory", name);
	if (ok && asked_flag(args, "asAddress")) {
		ok = dap_parse_address(name, &at.addr) ||
		     err_set(&err, "%.40s is no address", name);
		at.size = bytes > 0 ? (uint64_t)bytes : 8;
	} else if (ok && dap_look_at(d, (int)frame, &err)) {
		struct expr *e = expr_compile(d->console->exprs, text, &err);
		ok = e && expr_c_place(e, &at, &err);
		expr_free(e);
		dap_look_away(d);
		if (bytes > 0)
			at.size = (uint64_t)bytes;
	}
	if (ok && (!at.size || at.size > WATCH_BYTES_MAX))
		ok = err_set(&err, "a data breakpoint has 1 to %d bytes", WATCH_BYTES_MAX);
	free(text);
	if (!ok)
		dap_answer(d, request,
		           json_pack("{s:n, s:o}", "dataId", "description",
		                     dap_text(err.msg, strlen(err.msg))));
	else
		dap_answer(d, request,
		           json_pack("{s:o, s:o, s:[sss], s:b}", "dataId",
		                     json_sprintf("0x%" PRIx64 "/%" PRIu64, at.addr, at.size),
		                     "description",
		                     json_sprintf("%s, %" PRIu64 " bytes at 0x%" PRIx64, name,
		                                  at.size, at.addr),
		                     "accessTypes", "write", "read", "readWrite", "canPersist", 0));
}

static void set_data_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_DATA, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		const char *how = asked_text(one, "accessType");
		struct breakpoint b = {.kind = BREAKPOINT_DATA,
		                       .type = !how || !strcmp(how, "write") ? 2
		                               : !strcmp(how, "read")        ? 3
		                                                             : 4};
		struct err err;
		if (parse_data(asked_text(one, "dataId"), &b.addr, &b.size))
			json_array_append_new(list, set_one(d, &b, one, &old));
		else
			json_array_append_new(
				list, (err_set(&err, "dataId: right: what dataBreakpointInfo said"),
			               refused(&b, &err)));
	}
	answer(d, request, list, &old);
}

const struct request breakpoints_requests[] = {
	{"setBreakpoints", set_breakpoints, ANY_TIME, false},
	{"breakpointLocations", breakpoint_locations, ANY_TIME, false},
	{"setFunctionBreakpoints", set_function_breakpoints, ANY_TIME, false},
	{"setInstructionBreakpoints", set_instruction_breakpoints, ANY_TIME, false},
	{"dataBreakpointInfo", data_info, ANY_TIME, false},
	{"setDataBreakpoints", set_data_breakpoints, ANY_TIME, false},
	{0},
};

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
