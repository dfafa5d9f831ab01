/* Cells of the view of flow graphs, of functions as they are and of instrumented ones, against
 * their code and what committed: see view_cells.h. */
#include "tests/unit/loader/cross.h"
#include "tests/unit/cells/path_model.h"

enum { TAKEN, NEXT, AWAY, WAYS, LINES = 256, LANES = 12, WIDE_LANES = 4 };

/* The counting method. */
enum who { NOBODY, ORACLE_EDGES, ORACLE_INSTS, EDGE, BB, PATHS };

struct flow_shown {
	const struct guest *g;
	const struct guest *moved; /* the same guest, if the editor has moved its code */
	struct flow_model *f;
	struct cells c;
	uint64_t times[FLOW_BLOCKS], way[FLOW_BLOCKS][WAYS];
	bool known[FLOW_BLOCKS], way_known[FLOW_BLOCKS][WAYS], way_there[FLOW_BLOCKS][WAYS];
	/* rows of blocks, and of their ends; 0: the block falls through */
	unsigned row[FLOW_BLOCKS], end_row[FLOW_BLOCKS], rows;
	const struct procedure *paths; /* NULL: paths are not counted */
	char left[LINES][64], right[LINES][64];
	bool code;
};

static const struct flow_inst *flow_cells_last_inst(const struct flow_model *f, unsigned k)
{
	return &f->inst[f->block[k].last];
}

static bool flow_cells_falls_through(const struct flow_model *f, unsigned k)
{
	return !flow_model_ends_block(flow_cells_last_inst(f, k));
}

/* ---- counts ---- */
static void flow_cells_count_blocks(struct flow_shown *v)
{
	const struct guest *g = v->g;
	const struct flow_model *f = v->f;
	for (unsigned i = 0; i < g->steps; i++)
		for (unsigned k = 0; k < f->blocks; k++) {
			const struct flow_inst *last = flow_cells_last_inst(f, k);
			v->times[k] += g->step[i].was == f->inst[f->block[k].first].at;
			if (g->step[i].was != last->at || !(last->flags & OPF_BRANCH))
				continue;
			const uint64_t next =
				i + 1 < g->steps ? g->step[i + 1].was : machine_pc(g->s->machine);
			v->way[k][next == last->at + last->in.len ? NEXT : TAKEN]++;
		}
}

/* Counts known at once, and derived ones: inflow equals outflow. */
static void find_known(struct flow_shown *v, enum who by)
{
	const struct flow_model *f = v->f;
	for (unsigned k = 0; k < f->blocks; k++) {
		const struct flow_inst *last = flow_cells_last_inst(f, k);
		const bool branch = last->flags & OPF_BRANCH,
			   direct = flow_model_ends_block(last) && !(last->flags & OPF_INDIRECT);
		v->way_there[k][TAKEN] = direct;
		v->way_there[k][NEXT] = branch || flow_cells_falls_through(f, k);
		v->way_there[k][AWAY] = flow_model_ends_block(last) && !direct;
		v->known[k] = by == ORACLE_EDGES || by == ORACLE_INSTS || by == BB || by == PATHS;
		for (unsigned w = 0; w < WAYS; w++)
			v->way_known[k][w] = by == ORACLE_EDGES || by == PATHS ||
			                     (by == EDGE && direct) ||
			                     (by == ORACLE_INSTS && !branch);
	}
	for (bool more = by != NOBODY; more;) {
		more = false;
		for (unsigned k = 0; k < f->blocks; k++)
			for (unsigned side = 0; side < 2; side++) {
				unsigned all = 0, unknown = 0;
				bool *one = NULL;
				for (unsigned b = 0; b < f->blocks; b++)
					for (unsigned w = 0; w < WAYS; w++) {
						const unsigned to = w == TAKEN  ? f->block[b].to
						                    : w == NEXT ? f->block[b].next
						                                : FLOW_OUT;
						if (!v->way_there[b][w] ||
						    (side ? to != k : b != k))
							continue;
						all++;
						unknown += !v->way_known[b][w];
						one = v->way_known[b][w] ? one
						                         : &v->way_known[b][w];
					}
				if (side && !k)
					continue; /* the entry has unknown inflow */
				if (all && !unknown && !v->known[k])
					more = v->known[k] = true;
				else if (unknown == 1 && v->known[k])
					more = *one = true;
			}
	}
}

/* ---- arrows ---- */
struct bundle {
	unsigned to, lo, hi, lane, ends;
	unsigned end[FLOW_BLOCKS];
};

static int flow_cells_compare_by_length(const void *a, const void *b)
{
	const struct bundle *x = a, *y = b;
	if (x->hi - x->lo != y->hi - y->lo)
		return x->hi - x->lo < y->hi - y->lo ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool is_end(const struct bundle *b, unsigned row)
{
	for (unsigned i = 0; i < b->ends; i++)
		if (b->end[i] == row)
			return true;
	return b->to == row;
}

/* The characters in a row at a distance from the text, of lanes that begin at 2. */
static const char *shape_at(const struct bundle *all, unsigned n, unsigned spacing, unsigned row,
                            unsigned x, bool left)
{
	bool across = false, arrow = false, up = false, down = false, end = false;
	for (unsigned i = 0; i < n; i++) {
		const struct bundle *b = &all[i];
		const unsigned at = 2 + spacing * b->lane;
		if (at == x && row >= b->lo && row <= b->hi) {
			up |= row > b->lo;
			down |= row < b->hi;
			end |= is_end(b, row);
		}
		across |= at > x && is_end(b, row);
		arrow |= b->to == row;
	}
	if (x == 0)
		return arrow ? left ? "▶" : "◀" : across ? "─" : " ";
	if (!end)
		return across ? "─" : up || down ? "│" : " ";
	if (across)
		return up && down ? "┼" : up ? "┴" : "┬";
	return up && down ? left ? "├" : "┤" : up ? left ? "└" : "┘" : left ? "┌" : "┐";
}

/* Draws the arrows: those that lead down on the left, those that lead up on the right. */
static void flow_cells_draw_arrows(struct flow_shown *v, bool left)
{
	static struct bundle all[FLOW_BLOCKS];
	const struct flow_model *f = v->f;
	unsigned n = 0, lanes = 0;
	for (unsigned k = 0; k < f->blocks; k++) {
		const unsigned from = v->end_row[k],
			       to = f->block[k].to == FLOW_OUT ? 0 : v->row[f->block[k].to];
		unsigned i = 0;
		if (f->block[k].to == FLOW_OUT || (to > from) != left)
			continue;
		while (i < n && all[i].to != to)
			i++;
		if (i == n)
			all[n++] = (struct bundle){.to = to, .lo = to, .hi = to};
		all[i].lo = from < all[i].lo ? from : all[i].lo;
		all[i].hi = from > all[i].hi ? from : all[i].hi;
		all[i].end[all[i].ends++] = from;
	}
	qsort(all, n, sizeof *all, flow_cells_compare_by_length);
	for (unsigned i = 0; i < n; i++) {
		for (bool taken = true; taken; all[i].lane += taken) {
			taken = false;
			for (unsigned k = 0; k < i; k++)
				taken |= all[k].lane == all[i].lane && all[k].lo <= all[i].hi &&
				         all[i].lo <= all[k].hi;
		}
		lanes = all[i].lane + 1 > lanes ? all[i].lane + 1 : lanes;
	}
	assert_true(lanes <= LANES && v->rows < LINES);
	const unsigned spacing = lanes <= WIDE_LANES ? 2 : 1,
		       width = lanes ? 3 + spacing * (lanes - 1) : 0;
	for (unsigned row = 0; row < v->rows; row++) {
		char *out = left ? v->left[row] : v->right[row];
		*out = '\0';
		for (unsigned x = 0; x < width; x++)
			strcat(out, shape_at(all, n, spacing, row, left ? width - 1 - x : x, left));
	}
}

/* ---- labels ---- */
/* Label of a path that leaves block k: the path's number, and the vertex at its end. */
static void flow_cells_append_label(char *text, const struct flow_shown *v, unsigned k, unsigned to,
                                    bool alone)
{
	const struct procedure *p = v->paths;
	const struct flow_inst *last = flow_cells_last_inst(v->f, k);
	for (unsigned i = 0; i < p->arcs; i++) {
		const struct arc *a = &p->arc[i];
		const unsigned target = p->edge[a->edge].to;
		if (a->begins || a->from < FIRST || p->end[a->from] != last->at + last->in.len)
			continue;
		if (to == FLOW_OUT ? target != EXIT
		                   : target == EXIT || p->start[target] !=
		                                               v->f->inst[v->f->block[to].first].at)
			continue;
		const bool cut = p->edge[a->edge].cut;
		if (alone && !cut && !a->label)
			return;
		sprintf(text + strlen(text), cut ? "%scount r%+lld" : "%sr += %lld",
		        *text ? " | " : "", (long long)a->label);
		for (unsigned b = 0; cut && b < p->arcs; b++)
			if (p->arc[b].begins && p->arc[b].edge == a->edge)
				sprintf(text + strlen(text), ", r = %lld",
				        (long long)p->arc[b].label);
		return;
	}
	fail_msg("no edge leads from block %u to %u", k, to);
}

static void says_labels(struct flow_shown *v, unsigned k)
{
	char text[256] = "";
	const bool branch = flow_cells_last_inst(v->f, k)->flags & OPF_BRANCH;
	if (!v->paths)
		return;
	if (branch || v->f->block[k].to != FLOW_OUT)
		flow_cells_append_label(text, v, k, v->f->block[k].to, !branch);
	if (branch || flow_cells_falls_through(v->f, k))
		flow_cells_append_label(text, v, k, v->f->block[k].next, !branch);
	if (flow_model_is_return(flow_cells_last_inst(v->f, k)))
		flow_cells_append_label(text, v, k, FLOW_OUT, true);
	says(&v->c, "path", "%s", text);
}

/* ---- rows ---- */
static void says_times(struct cells *c, const char *column, bool known, uint64_t n)
{
	if (known)
		says_uint(c, column, n);
	else
		says_nothing(c, column);
}

static void flow_cells_check_share(struct cells *c, bool known, uint64_t part, uint64_t of)
{
	if (known && of)
		says_double(c, "share", 100 * (double)part / (double)of, "%.1f%%",
		            100 * (double)part / (double)of);
	else
		says_nothing(c, "share");
}

/* mark: for a row within block k; NULL: the block's first row, which has its number. */
static void flow_cells_check_row_start(struct flow_shown *v, unsigned k, uint64_t now,
                                       const char *mark)
{
	assert_int_equal(cells_row(&v->c)->pc, now);
	says(&v->c, "jumps", "%s", v->left[v->c.rows - 1]);
	if (mark)
		says_word(&v->c, "block", RAW_UINT, k, "%s", mark);
	says(&v->c, "loops", "%s", v->right[v->c.rows - 1]);
}

static void says_places(struct flow_shown *v, const struct flow_inst *in)
{
	says_hex(&v->c, "address", in->now);
	if (v->moved)
		says_hex(&v->c, "was", in->at);
}

static void flow_cells_check_block(struct flow_shown *v, unsigned k, unsigned here, uint64_t insts)
{
	struct flow_model *f = v->f;
	const struct flow_inst *first = &f->inst[f->block[k].first],
			       *last = flow_cells_last_inst(f, k);
	const uint64_t pc = machine_pc(v->g->s->machine),
		       n = f->block[k].last - f->block[k].first + 1;
	struct cells *c = &v->c;
	flow_cells_check_row_start(v, k, first->now, NULL);
	says_word(c, "block", RAW_UINT, k, "%s%u", here == k ? "▶" : "", k);
	says_times(c, "count", v->known[k], v->times[k]);
	flow_cells_check_share(c, v->known[k], v->times[k] * n, insts);
	says(c, "code", "%s", flow_about(f, v->moved, k));
	says_nothing(c, "else");
	if (flow_cells_falls_through(f, k))
		says_labels(v, k);
	else if (v->paths)
		says_nothing(c, "path");
	says(c, "lines", "%s", flow_lines(f, &k, 1));
	says_nothing(c, "to");
	says_places(v, first);
	for (unsigned i = f->block[k].first; v->code && i <= f->block[k].last; i++) {
		const struct flow_inst *in = &f->inst[i];
		if (in == last && !flow_cells_falls_through(f, k))
			continue;
		flow_cells_check_row_start(v, k, in->now, in->now == pc ? "▶" : "");
		says_nothing(c, "count");
		says_nothing(c, "share");
		says(c, "code", "%s", flow_code(f, v->moved, i));
		says_nothing(c, "else");
		if (v->paths)
			says_nothing(c, "path");
		says(c, "lines", "%s", flow_model_format_line(v->g->s, in->now));
		says_nothing(c, "to");
		says_places(v, in);
	}
	if (flow_cells_falls_through(f, k))
		return;
	flow_cells_check_row_start(v, k, last->now, last->now == pc ? "▶" : "");
	if (last->flags & OPF_BRANCH) {
		const uint64_t taken = v->way[k][TAKEN], next = v->way[k][NEXT];
		says_times(c, "count", v->way_known[k][TAKEN], taken);
		flow_cells_check_share(c, v->way_known[k][TAKEN], taken, taken + next);
		if (f->block[k].next_back && v->way_known[k][NEXT])
			says_word(c, "else", RAW_UINT, next, "↺ %s", grouped(next));
		else if (f->block[k].next_back)
			says(c, "else", "↺");
		else
			says_times(c, "else", v->way_known[k][NEXT], next);
	} else {
		says_nothing(c, "count");
		says_nothing(c, "share");
		says_nothing(c, "else");
	}
	says(c, "code", "%s", flow_code(f, v->moved, f->block[k].last));
	says_labels(v, k);
	says(c, "lines", "%s", flow_model_format_line(v->g->s, last->now));
	says(c, "to", "%s", flow_leads(f, k));
	says_places(v, last);
}

static void read_flow(const struct guest *g, bool moved, const char *name, enum who by, bool code,
                      const struct procedure *paths)
{
	static struct flow_shown v;
	static struct flow_model f;
	char words[64];
	uint64_t insts = 0;
	unsigned here = FLOW_OUT;
	v = (struct flow_shown){
		.g = g, .moved = moved ? g : NULL, .f = &f, .code = code, .paths = paths};
	flow_read(&f, g->s, v.moved, name);
	flow_cells_count_blocks(&v);
	find_known(&v, by);
	for (unsigned k = 0; k < f.blocks; k++) {
		const unsigned n = f.block[k].last - f.block[k].first + 1;
		v.row[k] = v.rows++;
		v.rows += code ? n - !flow_cells_falls_through(&f, k) : 0;
		v.end_row[k] = flow_cells_falls_through(&f, k) ? 0 : v.rows++;
		insts += v.known[k] ? v.times[k] * n : 0;
		for (unsigned i = f.block[k].first; i <= f.block[k].last; i++)
			here = f.inst[i].now == machine_pc(g->s->machine) ? k : here;
	}
	flow_cells_draw_arrows(&v, true);
	flow_cells_draw_arrows(&v, false);
	snprintf(words, sizeof words, "cfg %s%s", name, code ? " code" : "");
	cells_open(&v.c, g->s, words);
	for (unsigned k = 0; k < f.blocks; k++)
		flow_cells_check_block(&v, k, here, insts);
	cells_close(&v.c);
}

/* ---- all of it ---- */
static void read_functions(const struct guest *g, bool moved, const char *const *names, enum who by,
                           const struct model *m)
{
	for (unsigned i = 0; names[i]; i++) {
		const struct procedure *paths = NULL;
		for (unsigned f = 0; m && f < m->functions; f++)
			paths = strcmp(m->f[f].name, names[i]) == 0 ? &m->f[f] : paths;
		assert_true(!m || paths);
		read_flow(g, moved, names[i], by, false, paths);
		read_flow(g, moved, names[i], by, true, paths);
	}
}

static void read_plain(const char *path, const char *const *names, const char *settings,
                       enum who by)
{
	static struct guest g;
	static uint32_t pairs[2 * 4096];
	const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
	memset(&g, 0, sizeof g);
	/* An identity map: the program has no inserted code. */
	for (unsigned i = 0; i < 4096; i++)
		pairs[2 * i + 1] = (pairs[2 * i] = 2 * i) + 0x10000;
	g.s = open_program(path, settings);
	g.map = (struct moved_code){.text = 0x10000, .end = 0x12000, .pairs = pairs, .count = 4096};
	assert_true(machine_listen(g.s->machine, &filter, guest_hear, &g) > 0);
	/* The present path is compared with the oracle's edges alone: counts derived from other
	 * sources may be one higher before the path ends. */
	for (unsigned stop = 0; by == ORACLE_EDGES && stop < 12; stop++) {
		run_for(g.s, 97);
		read_functions(&g, false, names, by, NULL);
	}
	guest_run(&g);
	read_functions(&g, false, names, by, NULL);
	session_free(g.s);
}

static void read_instrumented(const char *path, const char *const *names, const char *kind,
                              enum who by)
{
	static struct model m;
	struct instrument_options o = {.count = 0};
	struct guest *g = guest_open(path, kind, &o, NULL);
	guest_run(g);
	m = (struct model){.g = g};
	if (by == PATHS)
		read_procedures(&m);
	read_functions(g, true, names, by, by == PATHS ? &m : NULL);
	guest_close(g);
}

static void flow_cells_check_program(const char *path, const char *const *names)
{
	read_plain(path, names, NULL, NOBODY);
	read_plain(path, names, "oracle.enable=true;oracle.blocks=true", ORACLE_EDGES);
	read_plain(path, names, "oracle.enable=true", ORACLE_INSTS);
	read_instrumented(path, names, "edge", EDGE);
	read_instrumented(path, names, "bb", BB);
	read_instrumented(path, names, "path", PATHS);
}

TEST(graphs_are_those_of_the_code)
{
	flow_cells_check_program(
		"build/tests/cmd/contexts",
		(const char *const[]){"leaf", "other", "down", "up", "work", NULL});
}

/* A loop of one block, a loop with an exit in its middle, a nested loop, and crossing edges. */
static const char loops_text[] =
	"volatile int sink;\n"
	"int data[12] = {3, 8, 5, 2, 9, 4, 41, 6, 7, 12, 50, 1};\n"
	"__attribute__((noinline)) void spin(int n)\n"
	"{\n"
	"	do sink += n; while (--n);\n"
	"}\n"
	"__attribute__((naked, noinline)) void endless(int n)\n"
	"{\n"
	"	__asm__ volatile(\"li a1, 0; 1: addi a0, a0, -1; bltz a0, 2f; addi a1, a1, 1; j "
        "1b; 2: ret\");\n"
	"}\n"
	"__attribute__((noinline)) int mixed(const int *p, int n)\n"
	"{\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		if (p[i] & 1)\n"
	"			sink ^= p[i];\n"
	"		else\n"
	"			sink += 2;\n"
	"		for (int k = p[i] & 3; k; k--) {\n"
	"			if (sink & 4)\n"
	"				goto out;\n"
	"			sink++;\n"
	"		}\n"
	"		if (p[i] > 40)\n"
	"			return sink;\n"
	"out:\n"
	"		sink--;\n"
	"	}\n"
	"	return 1;\n"
	"}\n"
	"void _start(void)\n"
	"{\n"
	"	for (int i = 1; i < 12; i++) {\n"
	"		spin(i);\n"
	"		endless(i);\n"
	"		sink += mixed(data + i, 12 - i);\n"
	"	}\n"
	"	register int a0 __asm__(\"a0\") = 0, a7 __asm__(\"a7\") = 93;\n"
	"	__asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7));\n"
	"	for (;;);\n"
	"}\n";

TEST(flow_cells_of_loops_are_right)
{
	struct cross c;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "c", loops_text,
	                        "-O1 -g -fno-if-conversion -fno-if-conversion2 "
	                        "-fno-tree-loop-if-convert -static -nostdlib -nostartfiles "
	                        "-Wl,--no-relax,--emit-relocs"));
	flow_cells_check_program(c.program,
	                         (const char *const[]){"spin", "endless", "mixed", NULL});
	cross_remove(&c);
}

TEST(flow_cells_are_complete)
{
	views_are_complete("flow");
}
