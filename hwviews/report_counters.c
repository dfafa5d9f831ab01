/* Reports of what an instrumented program has counted: the counters lie in its memory, and its file says what they count
 * (loader/edit/instrument.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/oracle_rows.h"
#include "hwviews/report.h"
#include "loader/edit/instrument.h"
#include "loader/edit/moved.h"
#include "loader/edit/path_profile.h"

enum { WORDS_MAX = 1 + INSTRUMENT_METRICS, WAY_MAX = 64 };

/* A counter that has counted. */
struct counted {
	uint64_t index;          /* of its struct counter, or of a function */
	uint64_t words[WORDS_MAX];
};

struct profile {
	const struct session *s;
	struct counters counters;
	struct moved moved;
	struct counted *list;    /* [n], owned: the most first */
	uint64_t n, total[WORDS_MAX];
	unsigned order;          /* the word that they are ordered by */
};

static int by_words(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	/* The first of words[] has been exchanged for the one that orders. */
	if (x->words[0] != y->words[0])
		return x->words[0] > y->words[0] ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The most first, by the word `order`. */
static void rank(struct profile *p)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < p->n; i++) {
			uint64_t *w = p->list[i].words, first = w[0];
			w[0] = w[p->order];
			w[p->order] = first;
		}
		if (pass == 0)
			qsort(p->list, p->n, sizeof *p->list, by_words);
	}
}

static bool read_counter(const struct profile *p, uint64_t k, uint64_t words[WORDS_MAX])
{
	const uint64_t n = p->counters.words < WORDS_MAX ? p->counters.words : WORDS_MAX;
	memset(words, 0, WORDS_MAX * sizeof *words);
	return machine_peek(p->s->machine, p->counters.memory + 8 * p->counters.words * k, words, n * sizeof *words);
}

static bool read_all(struct profile *p, struct err *err)
{
	p->list = malloc((p->counters.count + 1) * sizeof *p->list);
	if (!p->list)
		return err_set(err, "out of memory for the counters of an instrumented program");
	for (uint64_t k = 0; k < p->counters.count; k++) {
		struct counted *c = &p->list[p->n];
		c->index = k;
		if (!read_counter(p, k, c->words) || !c->words[0])
			continue;
		p->n++;
		for (unsigned i = 0; i < WORDS_MAX; i++)
			p->total[i] += c->words[i];
	}
	return true;
}

static bool is_path_kind(enum instrument_kind kind)
{
	return kind == INSTRUMENT_PATH || kind == INSTRUMENT_PATH_HW;
}

/* The n-th kind that counts paths, or of those that don't. */
static bool find_counters(const struct program *p, bool paths, unsigned n, struct counters *out)
{
	for (unsigned k = 0; program_counters(p, k, out); k++)
		if (is_path_kind(out->kind) == paths && !n--)
			return true;
	return false;
}

static bool profile_init(struct profile *p, const struct session *s, bool paths, unsigned n, struct err *err)
{
	struct counters any;
	*p = (struct profile){.s = s};
	if (!program_counters(s->program, 0, &any) || !program_moved(s->program, &p->moved))
		return err_set(err, "the program counts nothing; right: --instrument %s, or one that `cyclops instrument --kind %s` has made",
		               paths ? "path" : "bb", paths ? "path" : "bb");
	if (!find_counters(s->program, paths, n, &p->counters))
		return err_set(err, "the program is instrumented for %s; right: `report %s`", instrument_name[any.kind],
		               paths ? "counters" : "hot-paths");
	if (!read_all(p, err))
		return false;
	p->order = p->total[1] > 0; /* by the first metric, if there is one; without timing it stands still */
	return true;
}

static void cell_at(struct grid *g, const struct profile *p, uint64_t old)
{
	const uint64_t now = moved_to(&p->moved, old);
	char text[128];
	if (now)
		grid_text(g, ROLE_ADDRESS, "%s", program_addr_text(p->s->program, now, text, sizeof text));
	else
		grid_hex(g, ROLE_DIM, old);
}

static void cell_function(struct grid *g, const struct profile *p, uint64_t old)
{
	const struct symbol *s = program_symbol_at(p->s->program, moved_to(&p->moved, old));
	grid_text(g, ROLE_ADDRESS, "%s", s ? s->name : "?");
}

/* ---- blocks and edges ---- */
static const struct grid_column counter_columns[] = {
	{"kind", "kind", "", ALIGN_LEFT, 0, false, false},
	{"type", "type", "profile type", ALIGN_RIGHT, 0, false, false},
	{"count", "count", "times", ALIGN_RIGHT, 0, false, false},
	{"share", "share", "%", ALIGN_RIGHT, 0, false, false},
	{"address", "address", "", ALIGN_RIGHT, 0, false, false},
	{"place", "place", "", ALIGN_LEFT, 0, true, false},
	{"to", "to", "", ALIGN_LEFT, 0, true, false},
	{"was", "was at", "", ALIGN_RIGHT, 0, false, false},
};

static void counter_row(struct grid *g, const struct profile *p, const struct counted *c)
{
	const struct counter *k = &p->counters.all[c->index];
	const uint64_t now = moved_to(&p->moved, k->at);
	grid_row(g, (uint64_t)p->counters.kind << 56 | c->index, ROLE_PLAIN)->pc = now;
	grid_text(g, ROLE_DIM, "%s", instrument_name[p->counters.kind]);
	if (p->counters.type < 0)
		grid_blank(g);
	else
		grid_uint(g, ROLE_DIM, (uint64_t)p->counters.type);
	grid_uint(g, ROLE_NUMBER, c->words[0]);
	cell_share(g, c->words[0], p->total[0]);
	grid_hex(g, ROLE_ADDRESS, now);
	cell_at(g, p, k->at);
	if (p->counters.kind == INSTRUMENT_EDGE)
		cell_at(g, p, k->to);
	else
		grid_blank(g);
	grid_hex(g, ROLE_DIM, k->at);
}

static bool build_counters(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	struct counters c;
	uint64_t counted = 0, all = 0;
	unsigned n = 0;
	bool ok = true;
	do {
		struct profile p;
		uint64_t limit;
		ok = profile_init(&p, s, false, n, err) && oracle_row_limit(args, 0, p.n, &limit, err);
		if (ok && !n) {
			grid_init(out, "Counters", counter_columns, sizeof counter_columns / sizeof *counter_columns);
			grid_empty(out, "nothing was counted");
		}
		if (ok)
			rank(&p);
		for (uint64_t i = 0; ok && i < limit; i++)
			counter_row(out, &p, &p.list[i]);
		counted += p.n;
		all += p.counters.count;
		free(p.list);
	} while (ok && find_counters(s->program, false, ++n, &c));
	if (ok)
		grid_summary(out, "%llu of %llu counters counted", (unsigned long long)counted, (unsigned long long)all);
	return ok;
}

/* ---- paths ---- */
static const struct grid_column path_columns[] = {
	{"count", "count", "times", ALIGN_RIGHT, 0, false, false},
	{"share", "share", "%", ALIGN_RIGHT, 0, false, false},
	{"metric0", "metric 0", "", ALIGN_RIGHT, 0, false, false},
	{"metric1", "metric 1", "", ALIGN_RIGHT, 0, false, false},
	{"function", "function", "", ALIGN_LEFT, 0, true, false},
	{"path", "path", "", ALIGN_LEFT, 0, true, false},
	{"number", "number", "", ALIGN_RIGHT, 0, false, false},
};

/* The blocks of a path, by their distance from the function: "round +0x12 +0x20 +0x34 round": a round begins, or is over. */
static void path_text(const struct path_function *f, uint64_t number, char *buf, size_t n)
{
	uint32_t way[WAY_MAX];
	const uint32_t length = paths_decode(&f->graph, number, way, WAY_MAX);
	size_t used = 0;
	buf[0] = '\0';
	for (uint32_t i = 0; i < length && i < WAY_MAX && used < n; i++) {
		const struct path_edge *e = &f->edges[way[i]];
		if (e->cut && i + 1 == length && i > 0)
			used += (size_t)snprintf(buf + used, n - used, " back");
		else if (e->to >= CFG_BLOCKS)
			used += (size_t)snprintf(buf + used, n - used, "%s%s+0x%llx", i ? " " : "", e->cut ? "round " : "",
			                         (unsigned long long)(f->blocks[e->to - CFG_BLOCKS].start - f->at));
	}
	if (length > WAY_MAX && used < n)
		snprintf(buf + used, n - used, " ...");
}

static void path_row(struct grid *g, const struct profile *p, const struct path_profile *paths, const struct counted *c)
{
	uint64_t number;
	char text[512];
	const struct path_function *f = path_of_counter(paths, c->index, &number);
	grid_row(g, c->index, ROLE_PLAIN)->pc = f ? moved_to(&p->moved, f->at) : 0;
	grid_uint(g, ROLE_NUMBER, c->words[0]);
	cell_share(g, c->words[p->order], p->total[p->order]);
	for (unsigned i = 1; i < WORDS_MAX; i++) {
		if (p->counters.words > 1)
			grid_uint(g, ROLE_NUMBER, c->words[i]);
		else
			grid_blank(g);
	}
	if (!f)
		return;
	cell_function(g, p, f->at);
	path_text(f, number, text, sizeof text);
	grid_text(g, ROLE_ADDRESS, "%s", text);
	grid_uint(g, ROLE_DIM, number);
}

static bool build_paths(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	struct profile p;
	struct path_profile paths = {0};
	uint64_t limit;
	bool ok = profile_init(&p, s, true, 0, err) && oracle_row_limit(args, 0, p.n, &limit, err);
	if (ok && !program_paths(s->program, &paths))
		ok = err_set(err, "the program's description of its paths is damaged");
	if (ok) {
		rank(&p);
		grid_init(out, "Paths", path_columns, sizeof path_columns / sizeof *path_columns);
		grid_empty(out, "nothing was counted");
		char type[32] = "";
		if (p.counters.type >= 0)
			snprintf(type, sizeof type, ", profile type %d", p.counters.type);
		grid_summary(out, "%llu of %llu paths executed%s", (unsigned long long)p.n, (unsigned long long)p.counters.count, type);
		for (uint64_t i = 0; i < limit; i++)
			path_row(out, &p, &paths, &p.list[i]);
	}
	path_profile_free(&paths);
	free(p.list);
	return ok;
}

/* ---- procedures ---- */
static const struct grid_column procedure_columns[] = {
	{"count", "count", "paths", ALIGN_RIGHT, 0, false, false},
	{"share", "share", "%", ALIGN_RIGHT, 0, false, false},
	{"metric0", "metric 0", "", ALIGN_RIGHT, 0, false, false},
	{"metric1", "metric 1", "", ALIGN_RIGHT, 0, false, false},
	{"paths", "different", "paths", ALIGN_RIGHT, 0, false, false},
	{"possible", "possible", "paths", ALIGN_RIGHT, 0, false, false},
	{"function", "function", "", ALIGN_LEFT, 0, true, false},
};

/* Sums counters by function: counters of one stand behind each other. different[i]: how many counted. */
static void sum_functions(struct profile *p, const struct path_profile *paths, uint64_t *different)
{
	uint64_t n = 0, f = 0;
	for (uint64_t i = 0; i < p->n; i++) {
		const struct counted c = p->list[i];
		while (f + 1 < paths->count && c.index >= paths->functions[f + 1].first)
			f++;
		if (!n || p->list[n - 1].index != f) {
			different[f] = 0;
			p->list[n++] = (struct counted){.index = f};
		}
		different[f]++;
		for (unsigned k = 0; k < WORDS_MAX; k++)
			p->list[n - 1].words[k] += c.words[k];
	}
	p->n = n;
}

static bool build_procedures(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	struct profile p;
	struct path_profile paths = {0};
	uint64_t limit, *different = NULL;
	bool ok = profile_init(&p, s, true, 0, err);
	if (ok && !program_paths(s->program, &paths))
		ok = err_set(err, "the program's description of its paths is damaged");
	if (ok && !(different = calloc(paths.count + 1, sizeof *different)))
		ok = err_set(err, "out of memory for procedures");
	if (ok) {
		sum_functions(&p, &paths, different);
		ok = oracle_row_limit(args, 0, p.n, &limit, err);
	}
	if (ok) {
		rank(&p);
		grid_init(out, "Procedures", procedure_columns, sizeof procedure_columns / sizeof *procedure_columns);
		grid_empty(out, "nothing was counted");
		for (uint64_t i = 0; i < limit; i++) {
			const struct counted *c = &p.list[i];
			const struct path_function *f = &paths.functions[c->index];
			grid_row(out, f->at, ROLE_PLAIN)->pc = moved_to(&p.moved, f->at);
			grid_uint(out, ROLE_NUMBER, c->words[0]);
			cell_share(out, c->words[p.order], p.total[p.order]);
			for (unsigned k = 1; k < WORDS_MAX; k++) {
				if (p.counters.words > 1)
					grid_uint(out, ROLE_NUMBER, c->words[k]);
				else
					grid_blank(out);
			}
			grid_uint(out, ROLE_NUMBER, different[c->index]);
			grid_uint(out, ROLE_DIM, f->graph.paths);
			cell_function(out, &p, f->at);
		}
	}
	path_profile_free(&paths);
	free(different);
	free(p.list);
	return ok;
}

const struct report report_counters = {
	.name = "counters",
	.title = "What an instrumented program has counted: blocks, or edges",
	.args = "[ROWS|all]",
	.help = "Counters of a program that was started with --instrument bb or edge, or that\n"
	        "`cyclops instrument` has made: those that counted most first. Each kind has\n"
	        "rows and shares of its own.\n"
	        "\n"
	        "  type        of its profile instructions; nothing: it is plain code\n"
	        "  to          of edges: where the branch or jump leads\n"
	        "  was at      the address in the program before code was put into it",
	.build = build_counters,
};

const struct report report_hot_paths = {
	.name = "hot-paths",
	.title = "Which paths through procedures an instrumented program has taken",
	.args = "[ROWS|all]",
	.help = "Paths of a program that was started with --instrument path or path+hw, most\n"
	        "executed first; with path+hw those first on which metric 0 grew most.\n"
	        "\n"
	        "  metric 0, 1 what the two statistics grew by: sim.cycles and l1d.misses\n"
	        "  path        blocks, by their distance from the procedure's first one;\n"
	        "              round: it begins where a loop goes back to, back: it ends there\n"
	        "  number      the path's, of all of the procedure\n"
	        "\n"
	        "Ammons, Ball and Larus, section 2 and 3.",
	.build = build_paths,
};

const struct report report_hot_procedures = {
	.name = "hot-procedures",
	.title = "Which procedures an instrumented program has spent its paths in",
	.args = "[ROWS|all]",
	.help = "The same by procedure (`report hot-paths`).\n"
	        "\n"
	        "  count       paths executed, rounds of loops among them\n"
	        "  different   paths of it that were executed at all, of the possible ones",
	.build = build_procedures,
};
