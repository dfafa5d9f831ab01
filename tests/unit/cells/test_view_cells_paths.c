/* Cells of the view of paths and of the reports of hot paths and procedures. Paths are numbered
 * again as Ball and Larus do it, from the graph in the section .cyclops.paths; counts are read from
 * the program's memory, and are those of the paths that committed: see view_cells.h. */
#include "tests/unit/cells/path_counts.h"
#include "tests/unit/cells/path_model.h"
#include "tests/unit/loader/cross.h"

/* ---- reports ---- */
static void says_counted(struct cells *c, const struct model *m, const struct counted *k)
{
	says_uint(c, "count", k->value[0]);
	instrumented_check_percent(c, "share", k->value[by_value], m->sum[by_value]);
	for (unsigned v = 0; v < 2; v++)
		if (v < m->metrics)
			says_uint(c, v ? "metric1" : "metric0", k->value[1 + v]);
		else
			says_nothing(c, v ? "metric1" : "metric0");
}

static void read_reports(const struct model *m)
{
	struct counted all[COUNTED], sums[FUNCTIONS];
	struct cells c;
	by_value = m->sum[1] ? 1 : 0;
	memcpy(all, m->all, sizeof all);
	qsort(all, m->n, sizeof *all, most_first);
	cells_open_report(&c, m->g->s, "hot-paths");
	for (unsigned i = 0; i < m->n; i++) {
		const struct procedure *f = &m->f[all[i].f];
		assert_int_equal(cells_row(&c)->pc, now_of(m->g, f->at));
		says_counted(&c, m, &all[i]);
		says(&c, "function", "%s", f->name);
		says(&c, "blocks", "%s", blocks_text(f, all[i].path));
		says_uint(&c, "number", all[i].path);
		says_hex(&c, "was", f->at);
		says(&c, "offsets", "%s", offsets_text(f, all[i].path));
	}
	cells_close(&c);
	const unsigned n = sums_of(m, sums);
	cells_open_report(&c, m->g->s, "hot-procedures");
	for (unsigned i = 0; i < n; i++) {
		const struct procedure *f = &m->f[sums[i].f];
		assert_int_equal(cells_row(&c)->pc, now_of(m->g, f->at));
		says_counted(&c, m, &sums[i]);
		says_uint(&c, "paths", sums[i].path);
		says_uint(&c, "possible", f->paths[ENTRY]);
		says(&c, "function", "%s", f->name);
	}
	cells_close(&c);
}

/* ---- the view ---- */
static void says_weight(struct cells *c, const struct model *m, const struct counted *k)
{
	instrumented_check_percent(c, "share", k->value[by_value], m->sum[by_value]);
	says_uint(c, "times", k->value[0]);
	for (unsigned v = 0; v < m->metrics; v++)
		says_uint(c, v ? "metric1" : "metric0", k->value[1 + v]);
	says_uint(c, "insts", k->value[INSTS]);
}

static void paths_cells_add_counts(struct counted *to, const struct counted *k)
{
	for (unsigned v = 0; v < VALUES; v++)
		to->value[v] += k->value[v];
	to->path++;
}

static bool is_hot(const struct model *m, const struct counted *k, double from)
{
	return k->value[by_value] && (double)k->value[by_value] >= from * (double)m->sum[by_value];
}

/* A hot path is dense if an instruction costs more there than in the whole program. */
static const char *class_of(const struct model *m, const struct counted *k, double from)
{
	const bool metric = by_value == 1 || by_value == 2;
	return !is_hot(m, k, from)                                                       ? "cold"
	       : !metric                                                                 ? "hot"
	       : k->value[by_value] * m->sum[INSTS] > m->sum[by_value] * k->value[INSTS] ? "dense"
	                                                                                 : "sparse";
}

static void read_path(struct cells *c, const struct model *m, const struct counted *k, double from)
{
	const struct procedure *f = &m->f[k->f];
	unsigned blocks[WAY];
	const unsigned n = blocks_of(f, k->path, blocks);
	assert_int_equal(cells_row(c)->pc,
	                 now_of(m->g, f->flow.inst[f->flow.block[blocks[0]].first].at));
	says(c, "class", "%s", class_of(m, k, from));
	says_weight(c, m, k);
	says(c, "blocks", "%s", blocks_text(f, k->path));
	says(c, "lines", "%s", flow_lines(&f->flow, blocks, n));
	says_uint(c, "number", k->path);
	says(c, "function", "%s", f->name);
}

/* Reads the rows of a procedure: its own, its hot paths or all of them, and the sum of the others.
 */
static void read_group(struct cells *c, const struct model *m, const struct counted *sum,
                       bool every, double from)
{
	const struct procedure *f = &m->f[sum->f];
	const uint64_t pc = machine_pc(m->g->s->machine), now = now_of(m->g, f->at);
	struct counted all[COUNTED], rest = {.f = sum->f};
	unsigned n = 0, i = 0;
	for (unsigned k = 0; k < m->n; k++)
		if (m->all[k].f == sum->f)
			all[n++] = m->all[k];
	qsort(all, n, sizeof *all, most_first);
	assert_int_equal(cells_row(c)->pc, now);
	says(c, "class",
	     pc >= f->flow.symbol->addr && pc < f->flow.symbol->addr + f->flow.symbol->size ? "▶"
	                                                                                    : "");
	says_weight(c, m, sum);
	says(c, "blocks", "%s: %u of %llu path%s", f->name, n, (ull)f->paths[ENTRY],
	     f->paths[ENTRY] == 1 ? "" : "s");
	says(c, "lines", "%s", flow_model_format_line(m->g->s, now));
	says_nothing(c, "number");
	says(c, "function", "%s", f->name);
	if (!every && !is_hot(m, &all[0], from))
		return;
	for (; i < n && (every || is_hot(m, &all[i], from)); i++)
		read_path(c, m, &all[i], from);
	if (i == n)
		return;
	for (; i < n; i++)
		paths_cells_add_counts(&rest, &all[i]);
	assert_int_equal(cells_row(c)->pc, now);
	says(c, "class", "cold");
	says_weight(c, m, &rest);
	says(c, "blocks", "%llu cold path%s", (ull)rest.path, rest.path == 1 ? "" : "s");
	says_nothing(c, "lines");
	says_nothing(c, "number");
	says(c, "function", "%s", f->name);
}

static void paths_cells_check_view(const struct model *m, const char *words, unsigned by,
                                   double from)
{
	struct counted sums[FUNCTIONS], rest = {.path = 0};
	struct cells c;
	unsigned i = 0;
	by_value = by;
	const unsigned n = sums_of(m, sums);
	cells_open(&c, m->g->s, words);
	for (; i < n && is_hot(m, &sums[i], from); i++)
		read_group(&c, m, &sums[i], false, from);
	if (i < n) {
		const unsigned others = n - i;
		uint64_t paths = 0;
		for (; i < n; i++) {
			paths += sums[i].path;
			paths_cells_add_counts(&rest, &sums[i]);
		}
		cells_row(&c);
		says(&c, "class", "cold");
		says_weight(&c, m, &rest);
		says(&c, "blocks", "%u procedure%s, %llu path%s", others, others == 1 ? "" : "s",
		     (ull)paths, paths == 1 ? "" : "s");
		says_nothing(&c, "lines");
		says_nothing(&c, "number");
		says_nothing(&c, "function");
	}
	cells_close(&c);
}

static void paths_cells_check_function(const struct model *m, const struct procedure *f)
{
	struct counted sums[FUNCTIONS];
	char words[64];
	struct cells c;
	by_value = m->metrics && m->sum[1] ? 1 : INSTS;
	const unsigned n = sums_of(m, sums);
	snprintf(words, sizeof words, "paths %s", f->name);
	cells_open(&c, m->g->s, words);
	for (unsigned i = 0; i < n; i++)
		if (&m->f[sums[i].f] == f)
			read_group(&c, m, &sums[i], true, 0.01);
	cells_close(&c);
}

/* ---- one path ---- */
static void says_sums(struct cells *c, const char *label, int64_t sum, int64_t left)
{
	says(c, "label", "%s", label);
	says_word(c, "sum", RAW_INT, (uint64_t)sum, "%lld", (long long)sum);
	says_word(c, "left", RAW_INT, (uint64_t)left, "%lld", (long long)left);
}

static void read_insts(struct cells *c, const struct model *m, const struct procedure *f,
                       unsigned block, char last[64])
{
	for (unsigned i = f->flow.block[block].first; i <= f->flow.block[block].last; i++) {
		const struct flow_inst *in = &f->flow.inst[i];
		const char *line = flow_model_format_line(m->g->s, in->now);
		struct source_line at;
		assert_int_equal(cells_row(c)->pc, in->now);
		says(c, "block", in->now == machine_pc(m->g->s->machine) ? "▶" : "");
		says_nothing(c, "label");
		says_nothing(c, "sum");
		says_nothing(c, "left");
		says(c, "code", "%s", flow_code(&f->flow, m->g, i));
		if (*line && strcmp(line, last) != 0 &&
		    program_line_at(m->g->s->program, in->now, &at)) {
			const char *text =
				program_source_text(m->g->s->program, at.file, at.line, NULL);
			says(c, "lines", "%s", line);
			says(c, "source", "%s", text ? text + strspn(text, " \t") : "");
			snprintf(last, 64, "%s", line);
		} else {
			says_nothing(c, "lines");
			says_nothing(c, "source");
		}
		says_hex(c, "address", in->now);
		says_hex(c, "was", in->at);
	}
}

static void paths_cells_check_one_path(const struct model *m, const struct procedure *f,
                                       uint64_t path)
{
	const struct arc *way[WAY];
	char words[64], label[64] = "", last[64] = "";
	const unsigned n = way_of(f, path, way);
	const bool back = goes_back(f, way, n);
	int64_t sum = 0;
	struct cells c;
	snprintf(words, sizeof words, "paths %s %llu", f->name, (ull)path);
	cells_open(&c, m->g->s, words);
	for (unsigned i = 0; i < n && way[i]->to != EXIT; i++) {
		const uint64_t start = f->start[way[i]->to];
		sum += way[i]->label;
		snprintf(label, sizeof label, i ? "r += %lld" : "r = %lld",
		         (long long)way[i]->label);
		if (!flow_begins(&f->flow, start))
			continue;
		const unsigned block = flow_block_of(&f->flow, start);
		assert_int_equal(cells_row(&c)->pc, now_of(m->g, start));
		says_word(&c, "block", RAW_UINT, block, "%u", block);
		says_sums(&c, label, sum, (int64_t)path - sum);
		says(&c, "code", "%s", flow_about(&f->flow, m->g, block));
		says_nothing(&c, "lines");
		says_nothing(&c, "source");
		says_hex(&c, "address", now_of(m->g, start));
		says_hex(&c, "was", start);
		read_insts(&c, m, f, block, last);
	}
	int used = snprintf(label, sizeof label, "count r+%lld", (long long)way[n - 1]->label);
	for (unsigned a = 0; back && a < f->arcs; a++)
		if (f->arc[a].begins && f->arc[a].edge == way[n - 1]->edge)
			snprintf(label + used, sizeof label - (size_t)used, ", r = %lld",
			         (long long)f->arc[a].label);
	cells_row(&c);
	says(&c, "block", back ? "↺" : "end");
	says_sums(&c, label, (int64_t)path, 0);
	if (back)
		says(&c, "code", "path %llu is counted; ↺ %u", (ull)path,
		     flow_block_of(&f->flow, f->start[f->edge[way[n - 1]->edge].to]));
	else
		says(&c, "code", "path %llu is counted", (ull)path);
	says_nothing(&c, "lines");
	says_nothing(&c, "source");
	says_nothing(&c, "address");
	says_nothing(&c, "was");
	cells_close(&c);
}

/* ---- all of it ---- */
static void paths_cells_check_program(const char *path, const char *kind, const char *first,
                                      const char *second, bool every)
{
	static struct model m;
	struct instrument_options o = {.metrics = {first, second}};
	struct guest *g = guest_open(path, kind, &o, NULL);
	m = (struct model){.g = g, .metrics = !first ? 0 : *second ? 2 : 1};
	read_procedures(&m);
	for (unsigned stop = 0; stop < 5; stop++) {
		if (stop < 4)
			run_for(g->s, 450);
		else
			guest_run(g);
		read_counts(&m);
		read_reports(&m);
		paths_cells_check_view(&m, "paths", m.sum[1] ? 1 : INSTS, 0.01);
		paths_cells_check_view(&m, "paths by times", 0, 0.01);
		paths_cells_check_view(&m, "paths 9%", m.sum[1] ? 1 : INSTS, 0.09);
		paths_cells_check_view(&m, "paths by insts 0%", INSTS, 0);
		if (m.metrics == 2)
			paths_cells_check_view(&m, "paths by l1d.misses 20%", 2, 0.2);
		for (unsigned f = 0; f < m.functions; f++)
			paths_cells_check_function(&m, &m.f[f]);
	}
	follow(&m);
	assert_true(m.n > 5);
	for (unsigned f = 0; f < m.functions; f++)
		for (uint64_t k = 0; every && k < m.f[f].paths[ENTRY]; k++)
			paths_cells_check_one_path(&m, &m.f[f], k);
	guest_close(g);
}

TEST(paths_are_those_that_committed)
{
	paths_cells_check_program("build/tests/cmd/contexts", "path", NULL, NULL, true);
	paths_cells_check_program("build/tests/cmd/contexts", "path+hw", "sim.cycles", "l1d.misses",
	                          true);
	paths_cells_check_program("build/tests/cmd/contexts", "path+hw", "lsq.size_replays",
	                          "l1d.misses", false);
}

/* A loop of one block, and a loop with an exit in its middle. */
static const char loops_text[] =
	"volatile int sink;\n"
	"int data[12] = {3, 8, 5, 2, 9, 4, 41, 6, 7, 12, 50, 1};\n"
	"__attribute__((noinline)) void spin(int n)\n"
	"{\n"
	"	do sink += n; while (--n);\n"
	"}\n"
	"__attribute__((noinline)) int mixed(const int *p, int n)\n"
	"{\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		if (p[i] & 1)\n"
	"			sink ^= p[i];\n"
	"		else\n"
	"			sink += 2;\n"
	"		if (p[i] > 40)\n"
	"			return sink;\n"
	"	}\n"
	"	return 1;\n"
	"}\n"
	"void _start(void)\n"
	"{\n"
	"	for (int i = 1; i < 12; i++) {\n"
	"		spin(i);\n"
	"		sink += mixed(data + i, 12 - i);\n"
	"	}\n"
	"	register int a0 __asm__(\"a0\") = 0, a7 __asm__(\"a7\") = 93;\n"
	"	__asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7));\n"
	"	for (;;);\n"
	"}\n";

TEST(paths_cells_of_loops_are_right)
{
	struct cross c;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "c", loops_text,
	                        "-O1 -g -fno-if-conversion -fno-if-conversion2 "
	                        "-fno-tree-loop-if-convert -static -nostdlib -nostartfiles "
	                        "-Wl,--no-relax,--emit-relocs"));
	paths_cells_check_program(c.program, "path", NULL, NULL, true);
	paths_cells_check_program(c.program, "path+hw", "commit.loads", "", true);
	cross_remove(&c);
}

TEST(a_program_without_has_no_rows)
{
	struct session *s = open_program("build/tests/cmd/contexts", NULL);
	struct cells c;
	cells_open(&c, s, "paths");
	cells_close(&c);
	column_may_be_empty("paths", "nothing");
	session_free(s);
}

TEST(paths_cells_are_complete)
{
	views_are_complete("paths");
	reports_are_complete();
}
