/* Cells of the view of calling contexts and of the report on their tree: an instrumented program's
 * records, and the oracle's, against the calls that committed: see view_cells.h. */
#include "tests/unit/cells/context_model.h"

#include "hwviews/flow/context_folds.h"

/* ---- the view ---- */
struct shown {
	const struct tree *t;
	struct cells c;
	bool all;
	unsigned here;
	bool here_rest;
};

static enum fold fold_at(const struct shown *v, unsigned node)
{
	const struct context_folds *f = v->t->s->context_folds;
	const enum fold fold = !f || v->all      ? FOLD_AUTO
	                       : node < f->count ? (enum fold)f->of[node]
	                                         : f->all;
	if (v->all)
		return FOLD_OPEN;
	return is_leaf(v->t, node) || (fold == FOLD_AUTO && node &&
	                               !context_model_has_percent(v->t, node, 5))
	               ? FOLD_CLOSED
	               : fold;
}

/* Number of children, in order, with rows of their own. A single smaller child has one, too. */
static unsigned rows_below(const struct shown *v, unsigned node, unsigned kids[NODES], unsigned *n)
{
	unsigned own = 0;
	*n = children_of(v->t, node, kids);
	while (own < *n &&
	       (fold_at(v, node) == FOLD_OPEN || context_model_has_percent(v->t, kids[own], 1)))
		own++;
	return *n - own == 1 ? *n : own;
}

/* Finds the current row: the last shown node on the way from the root to the program's. */
static void contexts_cells_find_current_row(struct shown *v)
{
	unsigned way[NODES], length = 0;
	for (unsigned i = v->t->current == NODES ? 0 : v->t->current; i; i = v->t->node[i].parent)
		way[length++] = i;
	v->here = v->t->current == NODES ? NODES : 0;
	v->here_rest = false;
	while (length) {
		unsigned kids[NODES], n, k = 0;
		if (fold_at(v, v->here) == FOLD_CLOSED)
			return;
		const unsigned own = rows_below(v, v->here, kids, &n);
		while (kids[k] != way[length - 1])
			k++;
		if (k >= own) {
			v->here_rest = true;
			return;
		}
		v->here = way[--length];
	}
}

static void says_metrics(struct cells *c, const struct tree *t, const struct node *k, bool own)
{
	static const char *const with[] = {"inclusive", "inclusive1"}, *const without[] = {"own",
	                                                                                   "own1"};
	for (unsigned m = 0; m < 2; m++) {
		if (!t->metric[m])
			continue;
		if (k)
			says_uint(c, with[m], k->with[m]);
		else
			says_nothing(c, with[m]);
		if (own)
			says_uint(c, without[m], k->own[m]);
		else
			says_nothing(c, without[m]);
	}
}

static void contexts_cells_check_line(struct cells *c, const char *column, const struct tree *t,
                                      uint64_t pc)
{
	if (pc)
		says_word(c, column, RAW_HEX, pc, "%s", context_line(t, pc));
	else
		says_nothing(c, column);
}

static void contexts_cells_check_share(struct cells *c, const struct tree *t, uint64_t part)
{
	const uint64_t whole = t->node[0].with[t->by];
	const double percent = whole ? 100 * (double)part / (double)whole : 0;
	says_double(c, "share", percent, "%.1f %%", percent);
}

static void nothing_else(struct cells *c)
{
	says_nothing(c, "procedure");
	says_nothing(c, "depth");
	says_nothing(c, "callee");
}

static void contexts_cells_check_node(struct shown *v, unsigned node)
{
	const struct tree *t = v->t;
	const struct node *k = &t->node[node];
	struct cells *c = &v->c;
	unsigned kids[NODES], n;
	char here[128] = "";
	if (node == v->here && !v->here_rest)
		snprintf(here, sizeof here, node == t->current ? "  ◀ here" : "  ◀ in %s",
		         context_name(t, t->current));
	assert_int_equal(cells_row(c)->pc, k->callee);
	says_word(c, "node", RAW_UINT, node, "%u", node);
	says(c, "context", "%*s%s %s%s", (int)(2 * k->depth), "",
	     is_leaf(t, node)                  ? " "
	     : fold_at(v, node) == FOLD_CLOSED ? "▸"
	                                       : "▾",
	     context_name(t, node), here);
	contexts_cells_check_share(c, t, k->with[t->by]);
	says_uint(c, "calls", k->own[CALLS]);
	says_metrics(c, t, k, true);
	contexts_cells_check_line(c, "site", t, k->site);
	contexts_cells_check_line(c, "procedure", t, k->callee);
	if (node)
		says_word(c, "parent", RAW_UINT, k->parent, "%u", k->parent);
	else
		says_nothing(c, "parent");
	says_uint(c, "depth", k->depth);
	says_hex(c, "callee", k->callee);
	if (fold_at(v, node) == FOLD_CLOSED)
		return;
	const unsigned own = rows_below(v, node, kids, &n);
	for (unsigned i = 0; i < own; i++)
		contexts_cells_check_node(v, kids[i]);
	if (own < n) {
		struct node rest = {.callee = 0};
		for (unsigned i = own; i < n; i++)
			for (unsigned m = 0; m < METRICS; m++) {
				rest.with[m] += t->node[kids[i]].with[m];
				rest.own[m] += t->node[kids[i]].own[m];
			}
		snprintf(here, sizeof here, "  ◀ in %s", context_name(t, t->current));
		cells_row(c);
		says_nothing(c, "node");
		says(c, "context", "%*s⋯ %u smaller ones%s", (int)(2 * k->depth + 2), "", n - own,
		     node == v->here && v->here_rest ? here : "");
		contexts_cells_check_share(c, t, rest.with[t->by]);
		says_uint(c, "calls", rest.own[CALLS]);
		says_metrics(c, t, &rest, false);
		says_nothing(c, "site");
		says_nothing(c, "parent");
		nothing_else(c);
	}
	for (unsigned i = 0; i < t->backs; i++) {
		const struct back *b = &t->back[i];
		if (b->from != node)
			continue;
		assert_int_equal(cells_row(c)->pc, b->site);
		says_word(c, "node", RAW_UINT, b->to, "↺ %u", b->to);
		says(c, "context", "%*s↺ %s%s", (int)(2 * k->depth + 2), "", context_name(t, b->to),
		     b->to == node ? " (itself)" : " (back up)");
		says_nothing(c, "share");
		if (b->calls)
			says_uint(c, "calls", b->calls);
		else
			says_nothing(c, "calls");
		says_metrics(c, t, NULL, false);
		contexts_cells_check_line(c, "site", t, b->site);
		says_word(c, "parent", RAW_UINT, node, "%u", node);
		nothing_else(c);
	}
}

static void contexts_cells_check_view(const struct tree *t, const char *words, bool all)
{
	static struct shown v;
	v = (struct shown){.t = t, .all = all};
	cells_open(&v.c, t->s, words);
	if (t->nodes) {
		contexts_cells_find_current_row(&v);
		contexts_cells_check_node(&v, 0);
	}
	cells_close(&v.c);
}

/* ---- one node ---- */
static void contexts_cells_check_row(struct cells *c, const char *what)
{
	cells_row(c);
	says(c, "what", "%s", what);
}

static void contexts_cells_check_number_row(struct cells *c, const char *what, uint64_t part,
                                            uint64_t whole)
{
	contexts_cells_check_row(c, what);
	says_uint(c, "value", part);
	instrumented_check_percent(c, "share", part, whole);
}

static void contexts_cells_check_count_row(struct cells *c, const char *what, uint64_t n)
{
	contexts_cells_check_row(c, what);
	says_uint(c, "value", n);
	says_nothing(c, "share");
}

/* Checks the view of a node, opened by number or by its procedure's name, which selects the
 * procedure's largest context. */
static void contexts_cells_check_one_node(const struct tree *t, unsigned node, bool by_name)
{
	const struct node *k = &t->node[node], *top = &t->node[0];
	const char *by = t->by == CALLS ? "calls" : t->metric[t->by];
	uint64_t everywhere = 0, into = 0, led = 0;
	unsigned same = 0, kids[NODES], backs = 0, way[NODES], length = 0;
	char words[64];
	struct cells c;
	snprintf(words, sizeof words, "cct %u", node);
	for (unsigned i = 0; by_name && i < t->nodes; i++)
		if (t->node[i].callee == t->node[node].callee &&
		    (t->node[i].with[t->by] > t->node[node].with[t->by] ||
		     (t->node[i].with[t->by] == t->node[node].with[t->by] && i < node)))
			return;
	if (by_name)
		snprintf(words, sizeof words, "cct %s", context_name(t, node));
	cells_open(&c, t->s, words);
	contexts_cells_check_row(&c, "procedure");
	says_hex(&c, "value", k->callee);
	says_nothing(&c, "share");
	if (k->callee && strcmp(context_name(t, node), context_line(t, k->callee)) != 0)
		says(&c, "says", "%s, %s", context_name(t, node), context_line(t, k->callee));
	else
		says(&c, "says", "%s", context_name(t, node));
	contexts_cells_check_number_row(&c, "calls", k->own[CALLS], top->with[CALLS]);
	says(&c, "says", "calls to here, recursive ones included");
	for (unsigned m = 0; m < 2; m++) {
		if (!t->metric[m])
			continue;
		contexts_cells_check_number_row(&c, t->metric[m], k->with[m], top->with[m]);
		says(&c, "says", "including all callees");
		contexts_cells_check_number_row(&c, "", k->own[m], top->with[m]);
		says(&c, "says", "here itself");
	}
	for (unsigned i = 0; i < t->nodes; i++)
		if (t->node[i].callee == k->callee) {
			same++;
			everywhere += t->node[i].with[t->by];
		}
	contexts_cells_check_number_row(&c, "everywhere", everywhere, top->with[t->by]);
	says(&c, "says", "%s in the %u context%s of this procedure", by, same,
	     same == 1 ? "" : "s");
	const unsigned n = children_of(t, node, kids);
	contexts_cells_check_count_row(&c, "leads to", n);
	says(&c, "says", n == 1 ? "context below" : "contexts below");
	for (unsigned i = 0; i < t->backs; i++) {
		backs += t->back[i].from == node;
		into += t->back[i].to == node;
		led += t->back[i].to == node ? t->back[i].calls : 0;
	}
	contexts_cells_check_count_row(&c, "back", backs);
	says(&c, "says",
	     backs == 1 ? "call site that leads back up, to active procedures"
	                : "call sites that lead back up, to active procedures");
	if (into) {
		contexts_cells_check_count_row(&c, "recursion", led);
		says(&c, "says", "of the calls, over %llu back edge%s from below", (ull)into,
		     into == 1 ? "" : "s");
	}
	if (k->record) {
		contexts_cells_check_row(&c, "record");
		says_hex(&c, "value", k->record);
		says_nothing(&c, "share");
		says(&c, "says", "in guest memory, %llu bytes", (ull)k->size);
	}
	contexts_cells_check_row(&c, "node");
	says(&c, "value", "%s", by);
	says(&c, "share", "share");
	says(&c, "says", "called by the one above it");
	for (unsigned i = node;; i = t->node[i].parent) {
		way[length++] = i;
		if (!i)
			break;
	}
	while (length) {
		const struct node *at = &t->node[way[--length]];
		assert_int_equal(cells_row(&c)->pc, at->callee);
		says_word(&c, "what", RAW_UINT, way[length], "%u", way[length]);
		says_uint(&c, "value", at->with[t->by]);
		instrumented_check_percent(&c, "share", at->with[t->by], top->with[t->by]);
		if (at->site)
			says(&c, "says", "%s, at %s", context_name(t, way[length]),
			     context_line(t, at->site));
		else
			says(&c, "says", "%s", context_name(t, way[length]));
	}
	cells_close(&c);
}

/* ---- the report ---- */
static void says_average(struct cells *c, const char *column, bool known, uint64_t sum, uint64_t n)
{
	if (known)
		says_double(c, column, (double)sum / (double)n, "%.1f", (double)sum / (double)n);
	else
		says(c, column, "-");
}

static void says_count(struct cells *c, const char *column, bool known, uint64_t n)
{
	if (known)
		says_uint(c, column, n);
	else
		says(c, column, "-");
}

/* Number of calls in a procedure's code. */
static uint64_t calls_in(const struct session *s, uint64_t callee)
{
	static struct flow_model f;
	uint64_t n = 0;
	flow_read(&f, s, NULL, name_at(s, callee));
	for (unsigned i = 0; i < f.insts; i++)
		n += flow_model_is_call(&f.inst[i]);
	return n;
}

static void contexts_cells_check_stats(const struct tree *t, const char *words)
{
	uint64_t size = 0, nodes = 0, inner = 0, children = 0, leaves = 0, height = 0, highest = 0,
		 sites = 0, used = 0, one_path = 0, most = 0, whose = 0;
	const unsigned above = t->node[0].callee == 0;
	struct cells c;
	for (unsigned i = 0; i < t->nodes; i++) {
		const struct node *k = &t->node[i];
		unsigned kids[NODES], same = 0;
		const unsigned n = children_of(t, i, kids);
		uint64_t site[NODES + BACKS];
		unsigned found = 0;
		size += k->size;
		if (!k->callee)
			continue;
		nodes++;
		inner += n > 0;
		children += n;
		leaves += !n;
		height += n ? 0 : k->depth - above;
		highest = k->depth - above > highest ? k->depth - above : highest;
		sites += t->oracle ? calls_in(t->s, k->callee) : k->sites;
		one_path += k->one_path;
		for (unsigned e = 0; e < t->nodes + t->backs; e++) {
			const bool back = e >= t->nodes;
			const uint64_t at = back ? t->back[e - t->nodes].site : t->node[e].site;
			unsigned f = 0;
			if (back ? t->back[e - t->nodes].from != i : !e || t->node[e].parent != i)
				continue;
			while (f < found && site[f] != at)
				f++;
			if (f == found)
				site[found++] = at;
		}
		used += found;
		for (unsigned e = 0; e < t->nodes; e++)
			same += t->node[e].callee == k->callee;
		if (same > most || (same == most && k->callee < whose)) {
			most = same;
			whose = k->callee;
		}
	}
	cells_open_report(&c, t->s, words);
	cells_row(&c);
	says_count(&c, "size", !t->oracle, size);
	says_uint(&c, "nodes", nodes);
	says_average(&c, "node_size", !t->oracle, size, nodes);
	says_average(&c, "out_degree", inner, children, inner);
	says_average(&c, "height", true, height, leaves);
	says_uint(&c, "height_max", highest);
	says_uint(&c, "replication", most);
	says_uint(&c, "sites", sites);
	says_uint(&c, "used", used);
	says_count(&c, "one_path", t->one_path, one_path);
	says_uint(&c, "backs", t->backs);
	says(&c, "from", t->oracle ? "oracle" : "program");
	says(&c, "replicated", "%s", addr_of(t->s, whose));
	cells_close(&c);
}

/* ---- all of it ---- */
static void contexts_cells_check_all(struct tree *t, struct session *s)
{
	contexts_cells_check_view(t, "cct", false);
	contexts_cells_check_view(t, "cct all", true);
	context_fold_set(s, 2, FOLD_OPEN);
	context_fold_set(s, 1, FOLD_CLOSED);
	contexts_cells_check_view(t, "cct", false);
	context_fold_all(s, FOLD_OPEN);
	contexts_cells_check_view(t, "cct", false);
	context_fold_all(s, FOLD_AUTO);
	for (unsigned i = 0; i < t->nodes; i++) {
		contexts_cells_check_one_node(t, i, false);
		contexts_cells_check_one_node(t, i, true);
	}
	const unsigned by = t->by;
	for (t->by = 0; t->by < METRICS; t->by++) {
		char words[64];
		snprintf(words, sizeof words, "cct by %s",
		         t->by == CALLS     ? "calls"
		         : t->metric[t->by] ? t->metric[t->by]
		                            : "");
		if (t->by == CALLS || t->metric[t->by])
			contexts_cells_check_view(t, words, false);
	}
	t->by = by;
}

TEST(contexts_are_in_the_programs_records)
{
	static const char *const kinds[] = {"cct", "cct+hw", "cct+path"};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		static struct tree t, happened;
		struct instrument_options o = {.count = 0};
		struct guest *g = guest_open("build/tests/cmd/contexts", kinds[i], &o, NULL);
		unsigned read = 0;
		for (unsigned stop = 0; machine_status(g->s->machine) == MACHINE_RUNNING; stop++) {
			run_for(g->s, 43);
			const bool ended = machine_status(g->s->machine) != MACHINE_RUNNING,
				   still = ended || was_of(g, machine_pc(g->s->machine));
			if (!still || !g->steps || instrumented_is_link(&g->step[g->steps - 1]))
				continue;
			t = (struct tree){.s = g->s, .one_path = i == 2};
			happened = (struct tree){.s = g->s};
			if (i == 1)
				memcpy(t.metric, (const char *const[2]){"sim.cycles", "l1d.misses"},
				       sizeof t.metric);
			context_model_read_records(&t);
			context_model_follow_steps(&happened, g, true);
			if (ended)
				assert_true(are_alike(&t, &happened));
			if (!are_alike(&t, &happened))
				continue;
			/* an ended program is in no procedure */
			t.current = ended ? NODES : happened.current;
			for (unsigned k = 0; k < t.nodes; k++)
				t.node[k].one_path = happened.node[k].one_path;
			move_places(&t, g);
			context_model_sum_metrics(&t);
			contexts_cells_check_all(&t, g->s);
			contexts_cells_check_stats(&t, "cct-stats");
			read++;
		}
		assert_true(read > 5);
		guest_close(g);
	}
}

TEST(contexts_are_what_the_oracle_saw)
{
	static struct tree t;
	static struct guest g;
	const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
	/* An identity map: the program has no inserted code. */
	static uint32_t pairs[2 * 2048];
	for (unsigned i = 0; i < 2048; i++)
		pairs[2 * i + 1] = (pairs[2 * i] = 2 * i) + 0x10000;
	g.s = open_program("build/tests/cmd/contexts", "oracle.enable=true;oracle.contexts=true");
	g.map = (struct moved_code){.text = 0x10000, .end = 0x11000, .pairs = pairs, .count = 2048};
	assert_true(machine_listen(g.s->machine, &filter, guest_hear, &g) > 0);
	for (unsigned stop = 0; stop < 40; stop++) {
		run_for(g.s, stop < 39 ? 37 : 10000);
		t = (struct tree){.s = g.s, .oracle = true, .metric = {"sim.insts"}};
		if (!g.steps)
			continue;
		context_model_follow_steps(&t, &g, false);
		context_model_sum_metrics(&t);
		contexts_cells_check_all(&t, g.s);
		contexts_cells_check_stats(&t, "cct-stats oracle");
	}
	session_free(g.s);
}

TEST(contexts_cells_are_complete)
{
	views_are_complete("contexts");
	reports_are_complete();
}
