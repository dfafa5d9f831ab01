/* The profile format of valgrind's callgrind: costs of lines, and of their calls.
 *
 * Costs of lines are the oracle's counts of instructions. A call costs the sum of everything below
 * it in the calling context tree; a recursive call costs nothing, since its cost is part of the
 * active procedure's. So no procedure costs more than the whole. If the tree is an instrumented
 * program's, costs of lines are unknown: a procedure's cost is given to its first line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/exports/export.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"

struct place {
	uint64_t procedure; /* its first instruction; 0: no symbol there */
	const char *file;   /* borrowed; "???" if unknown */
	unsigned line;
};

/* A cost of a line; of a call if `callee` is set. */
struct cost {
	struct place at, callee;
	bool call;
	uint64_t calls, words[CONTEXT_METRICS];
};

struct profile {
	const struct session *s;
	struct contexts c;
	unsigned events, weight[CONTEXT_METRICS];
	struct cost *costs; /* [count], owned */
	size_t count, room;
	uint32_t files, procedures; /* numbers given so far */
};

static struct place export_callgrind_locate_pc(const struct session *s, uint64_t pc)
{
	struct place p = {.file = "???"};
	struct source_line line;
	const struct symbol *sym = program_symbol_at(s->program, pc);
	if (sym)
		p.procedure = sym->addr;
	if (program_line_at(s->program, pc, &line)) {
		p.file = line.file;
		p.line = line.line;
	}
	return p;
}

static struct cost *export_callgrind_append_cost(struct profile *p, struct place at)
{
	struct cost *more = alloc_grow(p->costs, p->count, &p->room, sizeof *more, 1024);
	if (!more)
		return NULL;
	p->costs = more;
	struct cost *c = &p->costs[p->count++];
	*c = (struct cost){.at = at};
	return c;
}

/* ---- gathering ---- */
/* Adds the present count of each instruction, or subtracts the count if `off`. */
static bool export_callgrind_append_line_costs(struct profile *p, bool off)
{
	const struct oracle *o = session_oracle(p->s);
	const uint32_t n = oracle_entries(o, ORACLE_INSTS);
	for (uint32_t i = 0; i < n; i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_INSTS, i);
		struct cost *c = export_callgrind_append_cost(
			p, export_callgrind_locate_pc(p->s, e->key[0]));
		if (!c)
			return false;
		c->words[0] = off ? -e->count : e->count;
	}
	return true;
}

struct lines {
	struct profile *p;
	bool off, ok;
};

static void look_at_lines(void *ctx, const struct machine *m)
{
	struct lines *l = ctx;
	(void)m; /* the session's */
	l->ok = export_callgrind_append_line_costs(l->p, l->off);
}

/* Adds the costs of a region: costs at the region's end minus costs at its beginning. */
static bool add_lines_of(struct profile *p, const struct region *r, struct err *err)
{
	struct lines from = {.p = p, .off = true}, to = {.p = p};
	if (!r->given)
		return export_callgrind_append_line_costs(p, false);
	return region_look(p->s, r->to, look_at_lines, &to, err) && to.ok &&
	       region_look(p->s, r->from, look_at_lines, &from, err) && from.ok;
}

static bool add_procedures(struct profile *p)
{
	for (uint32_t i = 0; i < p->c.tree.count; i++) {
		struct cost *c = export_callgrind_append_cost(
			p, export_callgrind_locate_pc(p->s, p->c.tree.nodes[i].callee));
		if (!c)
			return false;
		for (unsigned e = 0; e < p->events; e++)
			c->words[e] = p->c.own[p->weight[e]][i];
	}
	return true;
}

static struct cost *add_call(struct profile *p, uint32_t from, uint32_t to, uint64_t site,
                             uint64_t calls)
{
	const struct context *k = p->c.tree.nodes;
	struct cost *c = export_callgrind_append_cost(
		p, export_callgrind_locate_pc(p->s, site ? site : k[from].callee));
	if (!c)
		return NULL;
	c->call = true;
	c->calls = calls;
	c->callee = export_callgrind_locate_pc(p->s, k[to].callee);
	return c;
}

static bool add_calls(struct profile *p)
{
	const struct context_tree *t = &p->c.tree;
	for (uint32_t i = 0; i < t->back_count; i++) {
		const struct context_back *b = &t->backs[i];
		if (!add_call(p, b->from, b->to, b->site, b->calls))
			return false;
	}
	for (uint32_t i = 1; i < t->count; i++) {
		struct cost *c =
			add_call(p, t->nodes[i].parent, i, t->nodes[i].site, p->c.entered[i]);
		if (!c)
			return false;
		for (unsigned e = 0; e < p->events; e++)
			c->words[e] = p->c.with[p->weight[e]][i];
	}
	return true;
}

/* ---- merging ---- */
static int callgrind_compare_place(const struct place *a, const struct place *b)
{
	if (a->procedure != b->procedure)
		return a->procedure < b->procedure ? -1 : 1;
	const int file = a->file == b->file ? 0 : strcmp(a->file, b->file);
	return file ? file : (a->line > b->line) - (a->line < b->line);
}

ORDER(by_costs, struct cost,
	callgrind_compare_place(&a->at, &b->at) ?: UP(call)
	?: callgrind_compare_place(&a->callee, &b->callee))

static bool costs_nothing(const struct cost *c)
{
	for (unsigned e = 0; e < CONTEXT_METRICS; e++)
		if (c->words[e])
			return false;
	return !c->calls;
}

/* Drops lines without costs in the region. */
static void drop_free(struct profile *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->count; i++)
		if (!costs_nothing(&p->costs[i]))
			p->costs[n++] = p->costs[i];
	p->count = n;
}

static void export_callgrind_merge_costs(struct profile *p)
{
	size_t n = 0;
	if (p->count)
		sort_stable(p->costs, p->count, sizeof *p->costs, by_costs);
	for (size_t i = 0; i < p->count; i++) {
		if (n && by_costs(&p->costs[n - 1], &p->costs[i]) == 0) {
			p->costs[n - 1].calls += p->costs[i].calls;
			for (unsigned e = 0; e < p->events; e++)
				p->costs[n - 1].words[e] += p->costs[i].words[e];
		} else {
			p->costs[n++] = p->costs[i];
		}
	}
	p->count = n;
}

/* ---- writing ---- */
static void export_callgrind_write_procedure(FILE *out, const struct profile *p, const char *prefix,
                                             const struct place *at)
{
	char name[256] = "???";
	if (at->procedure)
		program_addr_text(p->s->program, at->procedure, name, sizeof name);
	fprintf(out, "%sfn=%s\n", prefix, name);
}

static void export_callgrind_write_cost_line(FILE *out, const struct profile *p,
                                             const struct cost *c)
{
	fprintf(out, "%u", c->at.line);
	for (unsigned e = 0; e < p->events; e++)
		fprintf(out, " %" PRIu64, c->words[e]);
	putc('\n', out);
}

static void put_costs(FILE *out, const struct profile *p)
{
	const struct cost *last = NULL;
	const char *home = "", *file = "";
	for (size_t i = 0; i < p->count; i++) {
		const struct cost *c = &p->costs[i];
		if (!last || c->at.procedure != last->at.procedure) {
			/* fl= is the file that the procedure begins in; inlined lines may belong to
			 * others. */
			const struct place begin =
				export_callgrind_locate_pc(p->s, c->at.procedure);
			home = file = c->at.procedure ? begin.file : c->at.file;
			fprintf(out, "\nfl=%s\n", home);
			export_callgrind_write_procedure(out, p, "", &c->at);
		}
		if (strcmp(c->at.file, file) != 0) {
			file = c->at.file;
			fprintf(out, "%s=%s\n", strcmp(file, home) != 0 ? "fi" : "fe", file);
		}
		if (c->call) {
			const struct place begin =
				export_callgrind_locate_pc(p->s, c->callee.procedure);
			fprintf(out, "cfi=%s\n", c->callee.procedure ? begin.file : c->callee.file);
			export_callgrind_write_procedure(out, p, "c", &c->callee);
			fprintf(out, "calls=%" PRIu64 " %u\n", c->calls, c->callee.line);
		}
		export_callgrind_write_cost_line(out, p, c);
		last = c;
	}
}

/* Event names may have only letters, digits and underscores. */
static void put_events(FILE *out, const struct profile *p)
{
	fputs("events:", out);
	for (unsigned e = 0; e < p->events; e++) {
		putc(' ', out);
		for (const char *n = contexts_weight_name(&p->c, p->weight[e]); *n; n++)
			putc(*n == '.' ? '_' : *n, out);
	}
	putc('\n', out);
}

static void export_callgrind_write_header(FILE *out, const struct profile *p)
{
	const struct launch *l = &p->s->launch;
	fputs("# callgrind format\nversion: 1\ncreator: cyclops\npositions: line\ncmd:", out);
	fprintf(out, " %s", program_path(p->s->program));
	for (int i = 1; i < l->argc; i++)
		fprintf(out, " %s", l->argv[i]);
	putc('\n', out);
	put_events(out, p);
	fputs("summary:", out);
	for (unsigned e = 0; e < p->events; e++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < p->count; i++)
			sum += p->costs[i].call ? 0 : p->costs[i].words[e];
		fprintf(out, " %" PRIu64, sum);
	}
	putc('\n', out);
}

/* Selects all metrics; calls only if there is no other metric, or if requested. */
static void choose_events(struct profile *p, bool calls)
{
	for (unsigned w = 0; w < CONTEXT_METRICS && !calls; w++)
		if (p->c.own[w])
			p->weight[p->events++] = w;
	if (!p->events)
		p->weight[p->events++] = CONTEXT_CALLS;
}

static bool write_callgrind(const struct session *s, const struct view_args *args, FILE *out,
                            struct err *err)
{
	struct contexts_args a;
	struct profile p = {.s = s};
	if (!contexts_words(s, args, 0, "", &a, err) || !contexts_read(s, &a, &p.c, err))
		return false;
	choose_events(&p, a.by && p.c.by == CONTEXT_CALLS);
	const bool lines = p.c.from == CONTEXTS_ORACLE && p.weight[0] != CONTEXT_CALLS;
	err_set(err, "out of memory for %zu lines", p.count);
	const bool ok =
		(lines ? add_lines_of(&p, &a.region, err) : add_procedures(&p)) && add_calls(&p);
	if (ok) {
		export_callgrind_merge_costs(&p);
		if (a.region.given)
			drop_free(&p);
		export_callgrind_write_header(out, &p);
		put_costs(out, &p);
	}
	free(p.costs);
	contexts_free(&p.c);
	return ok;
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.title = "procedures, lines and calls, for callgrind_annotate and kcachegrind",
	.args = "[oracle|program|of FILE] [by calls] [threads|thread N] " REGION_ARGS,
	.write = write_callgrind,
	.help = "The cost of each source line, and of each call with its callees, in the\n"
	        "format of valgrind's callgrind:\n"
	        "    callgrind_annotate --inclusive=yes FILE      kcachegrind FILE\n"
	        "Calls of one procedure from one line are merged, whatever the context: the\n"
	        "format has no contexts. A call to a procedure that is already active\n"
	        "costs nothing: it is part of the active call's cost. From the oracle lines are\n"
	        "exact; from an instrumented program each procedure's cost stands at its first\n"
	        "line. The target of a tail call is part of the cost of the procedure's\n"
	        "callers, and is listed under its own name.",
};
