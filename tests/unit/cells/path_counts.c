/* Paths of an instrumented program: their blocks, and their counts, by the program's counters in
 * memory and by the executed instructions. */
#include "tests/unit/cells/path_counts.h"

#include "tests/unit/cells/path_model.h"
#include "tests/unit/loader/cross.h"

unsigned way_of(const struct procedure *f, uint64_t path, const struct arc *way[WAY])
{
	unsigned n = 0;
	for (unsigned v = ENTRY; v != EXIT; v = way[n++]->to) {
		const struct arc *best = NULL;
		for (unsigned a = 0; a < f->arcs; a++)
			if (f->arc[a].from == v && (uint64_t)f->arc[a].label <= path &&
			    f->paths[f->arc[a].to] && (!best || f->arc[a].label >= best->label))
				best = &f->arc[a];
		assert_true(best && n < WAY);
		path -= (uint64_t)best->label;
		way[n] = best;
	}
	assert_int_equal(path, 0);
	return n;
}

static bool path_counts_arc_is_cut(const struct procedure *f, const struct arc *a)
{
	return f->edge[a->edge].cut;
}

bool goes_back(const struct procedure *f, const struct arc *const *way, unsigned n)
{
	return path_counts_arc_is_cut(f, way[n - 1]) && !way[n - 1]->begins;
}

static uint64_t path_counts_path_insts(const struct model *m, const struct procedure *f,
                                       uint64_t path)
{
	const struct arc *way[WAY];
	const unsigned n = way_of(f, path, way);
	uint64_t insts = 0;
	for (unsigned i = 0; i < n; i++)
		for (uint64_t k = 0; way[i]->to != EXIT && k < m->g->map.count; k++)
			insts += m->g->map.pairs[2 * k + 1] >= f->start[way[i]->to] &&
			         m->g->map.pairs[2 * k + 1] < f->end[way[i]->to];
	return insts;
}

unsigned blocks_of(const struct procedure *f, uint64_t path, unsigned blocks[WAY])
{
	const struct arc *way[WAY];
	const unsigned length = way_of(f, path, way);
	unsigned n = 0;
	for (unsigned i = 0; i < length; i++)
		if (way[i]->to != EXIT && flow_begins(&f->flow, f->start[way[i]->to]))
			blocks[n++] = flow_block_of(&f->flow, f->start[way[i]->to]);
	return n;
}

const char *blocks_text(const struct procedure *f, uint64_t path)
{
	char *out = some_text();
	const struct arc *way[WAY];
	unsigned blocks[WAY];
	const unsigned length = way_of(f, path, way), n = blocks_of(f, path, blocks);
	*out = '\0';
	if (way[0]->begins)
		sprintf(out, "%u↺ ", flow_block_of(&f->flow, f->start[f->edge[way[0]->edge].from]));
	else if (n && blocks[0])
		strcpy(out, "→ ");
	for (unsigned i = 0; i < n; i++)
		sprintf(out + strlen(out), "%s%u", i ? " " : "", blocks[i]);
	return strcat(out, goes_back(f, way, length) ? " ↺" : "");
}

const char *offsets_text(const struct procedure *f, uint64_t path)
{
	char *out = some_text();
	const struct arc *way[WAY];
	const unsigned n = way_of(f, path, way);
	*out = '\0';
	for (unsigned i = 0; i < n; i++)
		if (way[i]->to != EXIT)
			sprintf(out + strlen(out), "%s%s+0x%llx", i ? " " : "",
			        way[i]->begins ? "round " : "",
			        (ull)(f->start[way[i]->to] - f->at));
	return strcat(out, goes_back(f, way, n) ? " back" : "");
}

/* ---- counts ---- */
void read_counts(struct model *m)
{
	struct counters k;
	m->n = 0;
	memset(m->sum, 0, sizeof m->sum);
	for (unsigned i = 0; program_counters(m->g->s->program, i, &k) &&
	                     k.kind != INSTRUMENT_PATH && k.kind != INSTRUMENT_PATH_HW;
	     i++)
		;
	for (unsigned f = 0; f < m->functions; f++)
		for (uint64_t path = 0; path < m->f[f].paths[ENTRY]; path++) {
			struct counted *c = &m->all[m->n];
			*c = (struct counted){.f = f, .path = path};
			assert_true(machine_peek(m->g->s->machine,
			                         k.memory + 8 * k.words * (m->f[f].first + path),
			                         c->value, 8 * k.words));
			if (!c->value[0])
				continue;
			c->value[INSTS] = c->value[0] * path_counts_path_insts(m, &m->f[f], path);
			for (unsigned v = 0; v < VALUES; v++)
				m->sum[v] += c->value[v];
			assert_true(++m->n < COUNTED);
		}
}

struct activation {
	const struct procedure *f;
	unsigned vertex;
	uint64_t number, insts;
};

/* Takes the activation's path off the counts that are left, and checks its length. */
static void path_counts_end_path(struct model *m, uint64_t left[COUNTED],
                                 const struct activation *a, int64_t more)
{
	const uint64_t path = a->number + (uint64_t)more;
	for (unsigned i = 0; i < m->n; i++)
		if (&m->f[m->all[i].f] == a->f && m->all[i].path == path) {
			assert_true(left[i] > 0);
			left[i]--;
			assert_int_equal(a->insts * m->all[i].value[0], m->all[i].value[INSTS]);
			return;
		}
	fail_msg("path %llu of %s was executed, and not counted", (ull)path, a->f->name);
}

/* Moves the activation to a vertex; a cut edge ends a path and begins another. */
static void path_counts_move_to_vertex(struct model *m, uint64_t left[COUNTED],
                                       struct activation *a, unsigned to)
{
	const struct procedure *f = a->f;
	unsigned ways = 0;
	for (unsigned i = 0; i < f->arcs; i++) {
		const struct arc *arc = &f->arc[i];
		if (arc->from != a->vertex || arc->begins || f->edge[arc->edge].to != to)
			continue;
		assert_int_equal(ways++, 0);
		if (path_counts_arc_is_cut(f, arc)) {
			path_counts_end_path(m, left, a, arc->label);
			a->insts = 0;
			for (unsigned k = 0; k < f->arcs; k++)
				if (f->arc[k].begins && f->arc[k].edge == arc->edge)
					a->number = (uint64_t)f->arc[k].label;
		} else {
			a->number += (uint64_t)arc->label;
		}
		if (to == EXIT)
			path_counts_end_path(m, left, a, 0);
	}
	assert_int_equal(ways, 1);
	a->vertex = to;
}

void follow(struct model *m)
{
	struct activation at[32];
	uint64_t left[COUNTED];
	unsigned depth = 0;
	for (unsigned i = 0; i < m->n; i++)
		left[i] = m->all[i].value[0];
	for (unsigned i = 0; i < m->g->steps; i++) {
		const struct step *s = &m->g->step[i];
		if (!i || instrumented_is_link(&m->g->step[i - 1])) {
			assert_true(depth < 32);
			at[depth++] = (struct activation){.f = NULL};
			for (unsigned f = 0; f < m->functions; f++)
				if (m->f[f].at == s->was)
					at[depth - 1].f = &m->f[f];
		}
		struct activation *a = &at[depth - 1];
		for (unsigned v = FIRST; a->f && v < a->f->vertices; v++)
			if (a->f->start[v] == s->was) {
				path_counts_move_to_vertex(m, left, a, v);
				break;
			}
		a->insts++;
		if ((op_info[s->inst.op].flags & OPF_INDIRECT) && !instrumented_is_link(s)) {
			if (a->f)
				path_counts_move_to_vertex(m, left, a, EXIT);
			depth--;
		}
	}
	for (unsigned i = 0; i < m->n; i++)
		if (left[i])
			fail_msg("path %llu of %s was counted %llu times too often",
			         (ull)m->all[i].path, m->f[m->all[i].f].name, (ull)left[i]);
}

/* ---- order ---- */
unsigned by_value;

int most_first(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	if (x->value[by_value] != y->value[by_value])
		return x->value[by_value] > y->value[by_value] ? -1 : 1;
	if (x->f != y->f)
		return x->f < y->f ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

unsigned sums_of(const struct model *m, struct counted sums[FUNCTIONS])
{
	unsigned n = 0;
	for (unsigned f = 0; f < m->functions; f++) {
		sums[n] = (struct counted){.f = f};
		for (unsigned i = 0; i < m->n; i++)
			for (unsigned v = 0; m->all[i].f == f && v < VALUES; v++) {
				sums[n].value[v] += m->all[i].value[v];
				sums[n].path += v == 0;
			}
		n += sums[n].path > 0;
	}
	qsort(sums, n, sizeof *sums, most_first);
	return n;
}
