/* Cells of the oracle's reports, against events observed while they happened, and of those
 * of the sampler and of ProfileMe (see view_cells.h). */
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "tests/unit/cells/report_cells.h"

/* Places sorted by descending number `by`, without those whose number `with` is 0; owned by the
 * caller. */
static struct place *report_cells_rank_places(const struct happened *h, size_t by, size_t with,
                                              unsigned *n)
{
	struct place *all = malloc(PLACES * sizeof *all);
	*n = 0;
	for (unsigned i = 0; i < PLACES; i++)
		if (*(const uint64_t *)((const char *)&h->at[i] + with)) {
			unsigned k = (*n)++;
			const uint64_t mine = *(const uint64_t *)((const char *)&h->at[i] + by);
			for (; k && *(const uint64_t *)((const char *)&all[k - 1] + by) < mine; k--)
				all[k] = all[k - 1];
			all[k] = h->at[i];
		}
	return all;
}

/* ---- the oracle's ---- */
static void report_cells_check_oracle(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all = report_cells_rank_places(h, offsetof(struct place, times),
	                                             offsetof(struct place, times), &n);
	struct cells c;
	cells_open_report(&c, s, "oracle");
	for (unsigned i = 0; i < n; i++) {
		cells_row(&c);
		says_uint(&c, "count", all[i].times);
		says_share(&c, "share", all[i].times, h->insts);
		says_report_code(&c, s, all[i].pc);
	}
	cells_close(&c);
	free(all);
}

static void read_loads(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all = report_cells_rank_places(h, offsetof(struct place, cycles),
	                                             offsetof(struct place, loads), &n);
	struct cells c;
	cells_open_report(&c, s, "oracle loads");
	for (unsigned i = 0; i < n; i++) {
		const struct place *p = &all[i];
		const double mean = (double)p->cycles / (double)p->loads;
		cells_row(&c);
		says_uint(&c, "count", p->loads);
		says_double(&c, "mean", mean, "%.2f", mean);
		says_uint(&c, "most", p->most);
		says_uint(&c, "l1d", p->level[LEVEL_L1]);
		says_uint(&c, "l2", p->level[LEVEL_L2]);
		says_uint(&c, "memory", p->level[LEVEL_MEMORY]);
		says_uint(&c, "delayed", p->delayed);
		says_uint(&c, "forwarded", p->level[LEVEL_FORWARD] + p->level[LEVEL_BUFFER]);
		says_report_code(&c, s, p->pc);
		says_uint(&c, "untimed", 0);
		says_uint(&c, "cycles", p->cycles);
	}
	cells_close(&c);
	free(all);
}

static void read_speculative(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all = report_cells_rank_places(h, offsetof(struct place, wrong),
	                                             offsetof(struct place, dispatched), &n);
	struct cells c;
	cells_open_report(&c, s, "oracle speculative");
	for (unsigned i = 0; i < n; i++) {
		cells_row(&c);
		says_uint(&c, "dispatched", all[i].dispatched);
		says_uint(&c, "wrong_path", all[i].wrong);
		says_uint(&c, "squashed", all[i].squashed);
		says_uint(&c, "accessed", all[i].accessed);
		says_uint(&c, "accessed_wrong", all[i].accessed_wrong);
		says_uint(&c, "committed", all[i].times);
		says_report_code(&c, s, all[i].pc);
	}
	cells_close(&c);
	free(all);
}

static int report_cells_compare_by_times(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->times != y->times ? ascending(y->times, x->times)
	       : x->pc != y->pc     ? ascending(x->pc, y->pc)
	                            : ascending(x->to, y->to);
}

static void read_edges(const struct session *s, struct happened *h, bool calls)
{
	static const char *const kinds[] = {"taken",    "not taken", "jump",
	                                    "indirect", "call",      "return"};
	struct cells c;
	qsort(h->edges.at, h->edges.n, sizeof *h->edges.at, report_cells_compare_by_times);
	cells_open_report(&c, s, calls ? "oracle calls" : "oracle edges");
	for (unsigned i = 0; i < h->edges.n; i++) {
		const struct pair *e = &h->edges.at[i];
		if (calls && e->kind != CALL)
			continue;
		assert_int_equal(cells_row(&c)->pc, e->pc);
		says_uint(&c, "count", e->times);
		says_share(&c, "share", e->times, h->at[(e->pc - TEXT_AT) / 2].times);
		says(&c, "kind", "%s", kinds[e->kind]);
		says_place(&c, s, "address", "place", e->pc);
		says_place(&c, s, "to", "to_place", e->to);
	}
	cells_close(&c);
}

struct block {
	uint64_t start, end, count, insts, length;
};

static int report_cells_compare_by_insts(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->insts != y->insts ? ascending(y->insts, x->insts) : ascending(x->start, y->start);
}

static bool is_led_to(const struct happened *h, uint64_t pc)
{
	for (unsigned i = 0; i < h->edges.n; i++)
		if (h->edges.at[i].to == pc)
			return true;
	return false;
}

/* A block continues with the next instruction in memory, unless the block has ended or another edge
 * leads there. */
static void read_blocks(const struct session *s, const struct happened *h)
{
	static struct block all[1024];
	unsigned n = 0;
	bool open = false;
	struct cells c;
	for (unsigned i = 0; i < PLACES; i++) {
		const struct place *p = &h->at[i];
		if (!p->times)
			continue;
		if (!open || all[n - 1].end != p->pc || is_led_to(h, p->pc)) {
			assert_true(n < 1024);
			all[n++] = (struct block){.start = p->pc, .count = p->times};
		}
		all[n - 1].end = p->pc + p->len;
		all[n - 1].insts += p->times;
		all[n - 1].length++;
		open = !p->ends;
	}
	qsort(all, n, sizeof *all, report_cells_compare_by_insts);
	cells_open_report(&c, s, "oracle blocks");
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(cells_row(&c)->pc, all[i].start);
		says_uint(&c, "count", all[i].count);
		says_share(&c, "share", all[i].insts, h->insts);
		says_uint(&c, "length", all[i].length);
		says_place(&c, s, "address", "place", all[i].start);
		says_hex(&c, "end", all[i].end);
	}
	cells_close(&c);
}

static unsigned of_place(const struct pairs *all, uint64_t pc, struct pair *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < all->n; i++)
		if (all->at[i].pc == pc)
			out[n++] = all->at[i];
	qsort(out, n, sizeof *out, report_cells_compare_by_times);
	return n;
}

static void report_cells_check_one_inst(const struct session *s, const char *report,
                                        const struct pair *of, unsigned n, uint64_t times)
{
	char words[64];
	struct cells c;
	snprintf(words, sizeof words, "%s 0x%llx", report, (ull)of->pc);
	cells_open_report(&c, s, words);
	for (unsigned i = 0; i < n; i++) {
		cells_row(&c);
		says_uint(&c, "count", of[i].times);
		says_share(&c, "share", of[i].times, times);
		says_hex(&c, "value", of[i].to);
		says(&c, "decimal", "%lld", (long long)of[i].to);
		says(&c, "place", "%s", of[i].to < 4096 ? "" : place_of(s, of[i].to));
	}
	cells_close(&c);
}

/* Reads reports of values or addresses: of all instructions, then of some single ones. */
static void read_data(const struct session *s, const struct happened *h, bool addresses)
{
	static struct pair of[PAIRS];
	const struct pairs *all = addresses ? &h->addresses : &h->values;
	const uint64_t line = (uint64_t)CONFIG(machine_config(s->machine), l1d_line);
	const char *report = addresses ? "oracle addresses" : "oracle values";
	unsigned n;
	struct place *rank = report_cells_rank_places(h, offsetof(struct place, times),
	                                              offsetof(struct place, times), &n);
	struct cells c;
	cells_open_report(&c, s, report);
	for (unsigned i = 0; i < n; i++) {
		const unsigned different = of_place(all, rank[i].pc, of);
		unsigned lines = 0;
		if (!different)
			continue;
		for (unsigned k = 0; k < different; k++) {
			unsigned j = 0;
			while (of[j].to / line != of[k].to / line)
				j++;
			lines += j == k;
		}
		cells_row(&c);
		says_uint(&c, "count", rank[i].times);
		says_uint(&c, "distinct", different);
		says_share(&c, "invariance", of[0].times, rank[i].times);
		says_hex(&c, "top", of[0].to);
		says_report_code(&c, s, rank[i].pc);
		if (addresses)
			says_uint(&c, "lines", lines);
	}
	cells_close(&c);
	for (unsigned i = 0; i < n; i += 7) {
		const unsigned different = of_place(all, rank[i].pc, of);
		if (different)
			report_cells_check_one_inst(s, report, of, different, rank[i].times);
	}
	free(rank);
}

static void read_contexts_below(struct cells *c, const struct session *s, const struct happened *h,
                                const uint64_t *with, unsigned node)
{
	bool shown[NODES] = {false};
	const struct node *k = &h->node[node];
	assert_int_equal(cells_row(c)->pc, k->callee);
	says_share(c, "share", with[node], h->insts);
	says_uint(c, "inclusive", with[node]);
	says_uint(c, "insts", k->own);
	says_uint(c, "calls", k->calls);
	says(c, "context", "%*s%s", (int)(2 * k->depth), "", addr_of(s, k->callee));
	if (node)
		says_addr(c, "site", s, k->site);
	else
		says_nothing(c, "site");
	says_uint(c, "depth", k->depth);
	says_hex(c, "callee", k->callee);
	for (;;) {
		unsigned best = 0;
		for (unsigned i = 1; i < h->nodes; i++)
			if (h->node[i].parent == node && !shown[i] &&
			    (!best || with[i] > with[best]))
				best = i;
		if (!best)
			return;
		shown[best] = true;
		read_contexts_below(c, s, h, with, best);
	}
}

static void read_contexts(const struct session *s, const struct happened *h)
{
	uint64_t with[NODES];
	struct cells c;
	for (unsigned i = 0; i < h->nodes; i++)
		with[i] = h->node[i].own;
	for (unsigned i = h->nodes; i-- > 1;)
		with[h->node[i].parent] += with[i];
	cells_open_report(&c, s, "oracle contexts");
	read_contexts_below(&c, s, h, with, 0);
	cells_close(&c);
}

TEST(reports_are_what_happened)
{
	static const char settings[] =
		"oracle.enable=1;oracle.blocks=1;oracle.contexts=1;oracle.values=all;oracle."
	        "addresses=1;oracle.loads=1;oracle.speculative=1;"
		"sampler.enable=1;sampler.exact=false;sampler.compressor=H(C(P(4)), 64), "
	        "A(4);profileme.enable=1;profileme.interval_max=20";
	struct session *s = open_program("tests/golden/guest.elf", settings);
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(DISPATCH) |
	                                            EV_BIT(LEAVE) | EV_BIT(MEM)};
	struct happened *h = calloc(1, sizeof *h);
	assert_true(machine_listen(s->machine, &filter, report_hear, h) > 0);
	for (unsigned stop = 0; stop < 2; stop++) {
		run_for(s, stop ? 8000 : 5000);
		report_cells_check_oracle(s, h);
		read_loads(s, h);
		read_speculative(s, h);
		read_edges(s, h, false);
		read_edges(s, h, true);
		read_blocks(s, h);
		read_data(s, h, false);
		read_data(s, h, true);
		read_contexts(s, h);
		read_profileme(s);
		read_profileme_functions(s);
		read_sampler(s);
	}
	free(h);
	session_free(s);
}

TEST(report_cells_are_complete)
{
	reports_are_complete();
}
