/* Readers of bpred, btb and ras: the branch predictors, and each one's prediction of a branch. */
#include "tests/unit/cells/pipeline_cells.h"

#include "core/defs/kinds.h"

/* ---- prediction ---- */
static const char *read_predictors_format_outcomes(const struct pipe *p, uint32_t history)
{
	char *out = some_text();
	const int n = (int)p->cfg->bpred_history;
	for (int i = 0; i < n; i++)
		out[i] = history & 1u << (n - 1 - i) ? 'T' : 'n';
	out[n] = '\0';
	return out;
}

/* The latest branches that are in flight or have committed, oldest first: how many, at most 24. */
static unsigned latest_branches(const struct pipe *p, const struct uop *out[24])
{
	uint64_t below = UINT64_MAX;
	unsigned n = 0;
	while (n < 24) {
		const struct uop *next = NULL;
		for (uint32_t i = 0; i < p->pool_size; i++) {
			const struct uop *u = &p->pool[i];
			if (u->state > UOP_FREE && u->state <= UOP_RETIRED &&
			    (op_info[u->inst.op].flags & OPF_BRANCH) && u->seq < below &&
			    (!next || u->seq > next->seq))
				next = u;
		}
		if (!next)
			break;
		below = next->seq;
		memmove(out + 1, out, n++ * sizeof *out);
		out[0] = next;
	}
	return n;
}

static void says_counter(struct cells *c, const char *column, unsigned counter, bool first,
                         const char *yes, const char *no)
{
	says_word(c, column, RAW_UINT, counter, "%u, %s", counter, first ? yes : no);
}

static void says_tables(struct cells *c, const struct pipe *p, const struct bpred_mark *m)
{
	const struct bpred *b = &p->bpred;
	says_counter(c, "bimodal", b->bimodal[m->bimodal], m->flags & BPM_BIMODAL_TAKEN, "taken",
	             "not");
	says_counter(c, "two_level", b->l2[m->l2], m->flags & BPM_L2_TAKEN, "taken", "not");
	says_counter(c, "chooser", b->meta[m->meta], m->flags & BPM_USED_L2, "two-level",
	             "bimodal");
}

/* A perceptron's sum: a bias and a weight for each outcome, youngest first; the length of a row is
 * a multiple of eight. */
static int read_predictors_perceptron_sum(const struct bpred *b, uint32_t index, uint32_t history)
{
	const size_t row = ((size_t)b->cfg->bpred_history + 8) / 8 * 8;
	const int16_t *w = (const int16_t *)b->own + index * row;
	int sum = w[0];
	for (int i = 0; i < (int)b->cfg->bpred_history; i++)
		sum += history >> i & 1 ? w[i + 1] : -w[i + 1];
	return sum;
}

static void read_predictors_check_share(struct cells *c, const char *column, const uint8_t *table,
                                        uint32_t mask, unsigned state)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i <= mask; i++)
		n += table[i] == state;
	says_word(c, column, RAW_UINT, n, "%s, %.0f%%", grouped(n), 100.0 * n / (mask + 1.0));
}

static void read_branch(struct cells *c, const struct session *s, const struct uop *u)
{
	const struct pipe *p = pipe_of(s);
	const bool known = u->state == UOP_DONE || u->state == UOP_RETIRED,
		   taken = u->mark.flags & BPM_TAKEN;
	assert_int_equal(cells_row(c)->seq, u->seq);
	says(c, "what", "%s %s", addr_of(s, u->pc), op_info[u->inst.op].mnemonic);
	says(c, "predicts", "%s", taken ? "taken" : "not taken");
	says(c, "outcome", "%s",
	     !known                   ? "not known"
	     : u->exec.taken == taken ? "right"
	     : u->exec.taken          ? "wrong: taken"
	                              : "wrong: not taken");
	if (p->cfg->bpred_kind == BPRED_PERCEPTRON)
		says(c, "sum", "%+d",
		     read_predictors_perceptron_sum(&p->bpred, u->mark.bimodal,
		                                    u->mark.old_history));
	else
		says_tables(c, p, &u->mark);
	says(c, "seq", "%s", number_of(p, u));
	says(c, "history", "%s",
	     p->cfg->bpred_kind == BPRED_PERCEPTRON || (u->mark.flags & BPM_HISTORY)
	             ? read_predictors_format_outcomes(p, u->mark.old_history)
	             : "");
}

static void read_counters(struct cells *c, const struct pipe *p)
{
	static const char *const what[] = {"0: strongly not taken", "1: weakly not taken",
	                                   "2: weakly taken", "3: strongly taken"},
				 *const choice[] = {"surely bimodal", "rather bimodal",
	                                            "rather two-level", "surely two-level"};
	for (unsigned at = 4; at-- > 0;) {
		cells_row(c);
		says(c, "what", "%s", what[at]);
		says(c, "predicts", "%s", choice[at]);
		says_nothing(c, "outcome");
		read_predictors_check_share(c, "bimodal", p->bpred.bimodal, p->bpred.bimodal_mask,
		                            at);
		read_predictors_check_share(c, "two_level", p->bpred.l2, p->bpred.l2_mask, at);
		read_predictors_check_share(c, "chooser", p->bpred.meta, p->bpred.meta_mask, at);
		says_nothing(c, "seq");
		says_nothing(c, "history");
	}
}

/* The global history if the predictor has one; for perceptrons, the training threshold comes first.
 */
static void read_history(struct cells *c, const struct pipe *p)
{
	const bool sums = p->cfg->bpred_kind == BPRED_PERCEPTRON;
	for (unsigned row = !sums; row < 2; row++) {
		if (row && p->bpred.l1_mask)
			break;
		cells_row(c);
		says(c, "what",
		     row ? "history, newest right" : "learns when wrong, and up to a sum of");
		says_nothing(c, "predicts");
		says_nothing(c, "outcome");
		if (!sums) {
			says_nothing(c, "bimodal");
			says(c, "two_level", "%s",
			     read_predictors_format_outcomes(p, p->bpred.history[0]));
			says_nothing(c, "chooser");
		} else if (row) {
			says(c, "sum", "%s",
			     read_predictors_format_outcomes(p, p->bpred.history[0]));
		} else {
			const int least = (int)(1.93 * (double)p->cfg->bpred_history + 14);
			says_word(c, "sum", RAW_INT, (uint64_t)least, "%d", least);
		}
		says_nothing(c, "seq");
		says_nothing(c, "history");
	}
}

void read_bpred(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct uop *branch[24];
	struct cells c;
	const unsigned n = latest_branches(p, branch);
	cells_open(&c, s, "bpred");
	for (unsigned i = 0; i < n; i++)
		read_branch(&c, s, branch[i]);
	if (p->cfg->bpred_kind != BPRED_PERCEPTRON)
		read_counters(&c, p);
	read_history(&c, p);
	cells_close(&c);
	/* A branch looked up in this cycle was predicted by these tables. */
	const struct uop *u = n ? branch[n - 1] : NULL;
	if (!u || p->cfg->bpred_kind == BPRED_PERCEPTRON)
		return;
	char words[40];
	struct bpred_mark now;
	bpred_predict(&p->bpred, u->pc, &u->inst, true, &now);
	snprintf(words, sizeof words, "bpred 0x%llx", (ull)u->pc);
	cells_open(&c, s, words);
	cells_row(&c);
	says(&c, "what", "a branch at %s", addr_of(s, u->pc));
	says(&c, "predicts", "%s", now.flags & BPM_TAKEN ? "taken" : "not taken");
	says(&c, "outcome", "if fetched now");
	assert_int_equal(now.bimodal, u->mark.bimodal);
	says_tables(&c, p, &now);
	says_nothing(&c, "seq");
	says(&c, "history", "%s",
	     read_predictors_format_outcomes(p, p->bpred.history[now.history_index]));
	read_counters(&c, p);
	read_history(&c, p);
	cells_close(&c);
}

/* The place of a way in the order of use; used[]: the times of valid entries. */
static const char *read_predictors_format_lru_rank(const uint64_t *used, unsigned ways,
                                                   unsigned way)
{
	unsigned newer = 0, valid = 0;
	char *out = some_text();
	for (unsigned w = 0; w < ways; w++) {
		valid += used[w] != UINT64_MAX;
		newer += used[w] != UINT64_MAX && used[w] > used[way];
	}
	snprintf(out, 256, "%u newer", newer);
	return valid == ways && ways > 1 && newer == ways - 1 ? "oldest: next to go"
	       : !newer                                       ? "most recent"
	                                                      : out;
}

void read_btb(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	for (uint32_t set = 0; set <= b->btb_mask; set++) {
		const struct btb_entry *e = b->btb + (size_t)set * b->btb_ways;
		uint64_t used[64];
		char words[32];
		bool any = set == 1;
		for (uint32_t way = 0; way < b->btb_ways; way++) {
			used[way] = e[way].tag ? e[way].used : UINT64_MAX;
			any |= e[way].tag != 0;
		}
		if (!any)
			continue;
		snprintf(words, sizeof words, "btb %u", set);
		cells_open(&c, s, words);
		for (uint32_t way = 0; way < b->btb_ways; way++) {
			const uint64_t pc = e[way].tag * 2;
			assert_int_equal(cells_row(&c)->pc, pc);
			says_uint(&c, "way", way);
			if (!pc) {
				says(&c, "branch", "empty");
				says_nothing(&c, "target");
				says_nothing(&c, "order");
				says_nothing(&c, "address");
				continue;
			}
			assert_int_equal(pc / 2 % (b->btb_mask + 1), set);
			says_addr(&c, "branch", s, pc);
			says_addr(&c, "target", s, e[way].target);
			says(&c, "order", "%s",
			     read_predictors_format_lru_rank(used, b->btb_ways, way));
			says_hex(&c, "address", pc);
		}
		cells_close(&c);
	}
}

void read_btb_map(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	const uint32_t sets = b->btb_mask + 1, width = 64;
	assert_true(sets <= width * 16);
	cells_open(&c, s, "btb");
	for (uint32_t first = 0; first < sets; first += width) {
		char map[width * 3 + 1];
		uint32_t valid = 0;
		uint64_t newest = 0, latest = 0;
		map[0] = '\0';
		for (uint32_t set = first; set < first + width && set < sets; set++) {
			uint32_t here = 0;
			bool recent = false;
			for (uint32_t way = 0; way < b->btb_ways; way++) {
				const struct btb_entry *e =
					&b->btb[(size_t)set * b->btb_ways + way];
				here += e->tag != 0;
				recent |= e->tag && e->used + 64 > b->st->btb_clock;
				if (e->tag && e->used >= latest) {
					latest = e->used;
					newest = e->tag * 2;
				}
			}
			valid += here;
			strcat(map, recent ? "█" : here == b->btb_ways ? "▒" : here ? "░" : "·");
		}
		cells_row(&c);
		says(&c, "sets", "%u-%u", first, (first + width < sets ? first + width : sets) - 1);
		says(&c, "map", "%s", map);
		says_uint(&c, "valid", valid);
		if (valid)
			says_addr(&c, "newest", s, newest);
		else
			says_nothing(&c, "newest");
	}
	cells_close(&c);
}

void read_ras(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	cells_open(&c, s, "ras");
	for (uint32_t depth = 0; depth < b->st->ras_count; depth++) {
		const uint64_t to =
			b->ras[(b->st->ras_top + 2 * b->ras_size - 1 - depth) % b->ras_size];
		assert_int_equal(cells_row(&c)->pc, to);
		says_uint(&c, "depth", depth);
		says_addr(&c, "returns_to", s, to);
		says_hex(&c, "address", to);
		says(&c, "state", "%s", depth ? "" : "predicts next");
	}
	const uint64_t right = machine_stats(s->machine)->ras_hits,
		       all = machine_stats(s->machine)->commit_returns;
	says_summary(&c, "%u/%u; %.1f%% of returns right (%s of %s)", b->st->ras_count, b->ras_size,
	             all ? 100.0 * (double)right / (double)all : 0, grouped(right), grouped(all));
	cells_close(&c);
}
