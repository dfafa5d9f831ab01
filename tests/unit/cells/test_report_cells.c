/* Cells of reports against what events tell, and against devices' state where no event does: see
 * view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"

enum { PLACES = 1 << 15, TEXT_AT = 0x10000, SEQS = 1 << 18, PAIRS = 1 << 14, NODES = 256 };

/* ---- what happened ---- */
struct place {
	uint64_t pc, len, times, dispatched, wrong, squashed, accessed, accessed_wrong;
	uint64_t loads, level[LEVEL_COUNT], cycles, most;
	bool ends; /* a block */
};

/* What an instruction came to, with a number: a value, an address, a place. */
struct pair {
	uint64_t pc, to, times;
	unsigned kind; /* of edges */
};

struct pairs {
	struct pair at[PAIRS];
	unsigned n;
};

struct node {
	uint64_t callee, site, calls, own;
	unsigned parent, depth;
};

struct active {
	uint64_t back;
	unsigned node;
};

struct happened {
	struct place at[PLACES]; /* by (pc - TEXT_AT) / 2 */
	uint64_t insts, seqs;
	struct pairs values, addresses, edges;
	uint8_t is_wrong[SEQS];
	struct node node[NODES];
	struct active frame[64];
	unsigned nodes, frames, here;
};

enum edge { TAKEN, NOT_TAKEN, JUMP, INDIRECT, CALL, RETURN };

static void add_pair(struct pairs *all, uint64_t pc, uint64_t to, unsigned kind)
{
	unsigned i = 0;
	while (i < all->n && (all->at[i].pc != pc || all->at[i].to != to))
		i++;
	assert_true(i < PAIRS);
	if (i == all->n)
		all->at[all->n++] = (struct pair){pc, to, 0, kind};
	all->at[i].times++;
}

/* A call makes a node below the present one, unless its procedure is active. */
static void call(struct happened *h, uint64_t site, uint64_t callee, uint64_t back)
{
	unsigned to = h->here;
	assert_true(h->frames < 64 && h->nodes < NODES);
	h->frame[h->frames].back = back;
	h->frame[h->frames++].node = h->here;
	while (to && h->node[to].callee != callee)
		to = h->node[to].parent;
	if (h->node[to].callee != callee)
		for (to = 1;
		     to < h->nodes && (h->node[to].parent != h->here || h->node[to].site != site ||
		                       h->node[to].callee != callee);
		     to++)
			;
	if (to == h->nodes)
		h->node[h->nodes++] = (struct node){.callee = callee,
		                                    .site = site,
		                                    .parent = h->here,
		                                    .depth = h->node[h->here].depth + 1};
	h->node[to].calls++;
	h->here = to;
}

static bool links(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static void hear_control(struct happened *h, const struct uop *u)
{
	const bool branch = u->op_flags & OPF_BRANCH, link = links(u->inst.rd),
		   indirect = u->op_flags & OPF_INDIRECT, ret = indirect && links(u->inst.rs1);
	const uint64_t next = u->exec.next_pc;
	add_pair(&h->edges, u->pc, next,
	         branch     ? next == u->pc + u->inst.len ? NOT_TAKEN : TAKEN
	         : link     ? CALL
	         : ret      ? RETURN
	         : indirect ? INDIRECT
	                    : JUMP);
	if (!branch && link) {
		call(h, u->pc, next, u->pc + u->inst.len);
	} else if (!branch && ret) {
		assert_true(h->frames > 0 && h->frame[h->frames - 1].back == next);
		h->here = h->frame[--h->frames].node;
	}
}

static void hear_commit(struct happened *h, const struct uop *u)
{
	struct place *p = &h->at[(u->pc - TEXT_AT) / 2];
	if (!h->insts)
		h->node[h->nodes++] = (struct node){.callee = u->pc};
	h->insts++;
	h->node[h->here].own++;
	p->pc = u->pc;
	p->len = u->inst.len;
	p->ends = u->op_flags & (OPF_BRANCH | OPF_JUMP);
	p->times++;
	if (u->inst.rd != REG_SINK)
		add_pair(&h->values, u->pc, u->result, 0);
	if (u->op_flags & (OPF_LOAD | OPF_STORE))
		add_pair(&h->addresses, u->pc, u->exec.addr, 0);
	if (u->op_flags & OPF_LOAD) {
		const uint64_t cycles = u->when.done - u->when.mem;
		p->loads++;
		p->level[u->mem.level]++;
		p->cycles += cycles;
		p->most = cycles > p->most ? cycles : p->most;
	}
	if (u->op_flags & (OPF_BRANCH | OPF_JUMP))
		hear_control(h, u);
}

static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct happened *h = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_true(ev->seq < SEQS && (ev->pc - TEXT_AT) / 2 < PLACES);
	struct place *p = &h->at[(ev->pc - TEXT_AT) / 2];
	p->pc = ev->pc;
	if (ev->id == EV_COMMIT) {
		hear_commit(h, u);
	} else if (ev->id == EV_DISPATCH) {
		p->dispatched++;
		p->wrong += ev->dispatch.wrong_path;
		h->is_wrong[ev->seq] = ev->dispatch.wrong_path != 0;
	} else if (ev->id == EV_LEAVE) {
		p->squashed += ev->leave.entered && !ev->leave.retired && !ev->leave.dropped;
	} else if (u->op_flags & OPF_LOAD) {
		p->accessed += ev->mem.level > LEVEL_FORWARD;
		p->accessed_wrong += ev->mem.level > LEVEL_FORWARD && h->is_wrong[ev->seq];
	}
}

/* ---- cells that reports share ---- */
static void says_share(struct cells *c, const char *column, uint64_t part, uint64_t of)
{
	const double percent = of ? 100 * (double)part / (double)of : 0;
	says_double(c, column, percent, "%.2f%%", percent);
}

static void says_place(struct cells *c, const struct session *s, const char *address,
                       const char *place, uint64_t pc)
{
	says_hex(c, address, pc);
	says(c, place, "%s", place_of(s, pc));
}

static void says_code(struct cells *c, const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char text[128];
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, text);
	assert_int_equal(c->g.rows[c->rows - 1].pc, pc);
	says_place(c, s, "address", "place", pc);
	says(c, "instruction", "%s", text);
}

static int order(uint64_t first, uint64_t second)
{
	return first < second ? -1 : first > second;
}

/* Places by one of their numbers, the most first, of those where another is not 0; the caller's. */
static struct place *ranked(const struct happened *h, size_t by, size_t with, unsigned *n)
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
static void read_oracle(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all =
		ranked(h, offsetof(struct place, times), offsetof(struct place, times), &n);
	struct cells c;
	cells_open_report(&c, s, "oracle");
	for (unsigned i = 0; i < n; i++) {
		cells_row(&c);
		says_uint(&c, "count", all[i].times);
		says_share(&c, "share", all[i].times, h->insts);
		says_code(&c, s, all[i].pc);
	}
	cells_close(&c);
	free(all);
}

static void read_loads(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all =
		ranked(h, offsetof(struct place, cycles), offsetof(struct place, loads), &n);
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
		says_uint(&c, "forwarded", p->level[LEVEL_FORWARD] + p->level[LEVEL_BUFFER]);
		says_code(&c, s, p->pc);
		says_uint(&c, "untimed", 0);
		says_uint(&c, "cycles", p->cycles);
	}
	cells_close(&c);
	free(all);
}

static void read_speculative(const struct session *s, const struct happened *h)
{
	unsigned n;
	struct place *all =
		ranked(h, offsetof(struct place, wrong), offsetof(struct place, dispatched), &n);
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
		says_code(&c, s, all[i].pc);
	}
	cells_close(&c);
	free(all);
}

static int by_times(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->times != y->times ? order(y->times, x->times)
	       : x->pc != y->pc     ? order(x->pc, y->pc)
	                            : order(x->to, y->to);
}

static void read_edges(const struct session *s, struct happened *h, bool calls)
{
	static const char *const kinds[] = {"taken",    "not taken", "jump",
	                                    "indirect", "call",      "return"};
	struct cells c;
	qsort(h->edges.at, h->edges.n, sizeof *h->edges.at, by_times);
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

static int by_insts(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->insts != y->insts ? order(y->insts, x->insts) : order(x->start, y->start);
}

static bool is_led_to(const struct happened *h, uint64_t pc)
{
	for (unsigned i = 0; i < h->edges.n; i++)
		if (h->edges.at[i].to == pc)
			return true;
	return false;
}

/* A block goes on with what follows in memory, unless it has ended or something else leads there,
 * too. */
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
	qsort(all, n, sizeof *all, by_insts);
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
	qsort(out, n, sizeof *out, by_times);
	return n;
}

static void read_one(const struct session *s, const char *report, const struct pair *of, unsigned n,
                     uint64_t times)
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

/* Values or addresses, by instruction and then of some of them. */
static void read_data(const struct session *s, const struct happened *h, bool addresses)
{
	static struct pair of[PAIRS];
	const struct pairs *all = addresses ? &h->addresses : &h->values;
	const uint64_t line = (uint64_t)CONFIG(machine_config(s->machine), l1d_line);
	const char *report = addresses ? "oracle addresses" : "oracle values";
	unsigned n;
	struct place *rank =
		ranked(h, offsetof(struct place, times), offsetof(struct place, times), &n);
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
		says_code(&c, s, rank[i].pc);
		if (addresses)
			says_uint(&c, "lines", lines);
	}
	cells_close(&c);
	for (unsigned i = 0; i < n; i += 7) {
		const unsigned different = of_place(all, rank[i].pc, of);
		if (different)
			read_one(s, report, of, different, rank[i].times);
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

/* ---- the sampler's ---- */
static void number_row(struct cells *c, const char *what, const char *unit, const char *about)
{
	cells_row(c);
	says(c, "what", "%s", what);
	says(c, "unit", "%s", unit);
	says(c, "about", "%s", about);
}

static void count_row(struct cells *c, const char *what, uint64_t n, const char *unit,
                      const char *about)
{
	number_row(c, what, unit, about);
	says_uint(c, "value", n);
}

static void ratio_row(struct cells *c, const char *what, double v, const char *unit,
                      const char *about)
{
	number_row(c, what, unit, about);
	if (isfinite(v))
		says_double(c, "value", v, "%.2f", v);
	else
		says_nothing(c, "value");
}

static void read_sampler(const struct session *s)
{
	const struct sampler *sm = sampler_of(machine_pipe(s->machine)->prof);
	const struct stats *st = machine_stats(s->machine);
	const uint64_t taken = STAT(st, sampler_selected) - STAT(st, sampler_dropped),
		       service = (uint64_t)CONFIG(machine_config(s->machine), sampler_service);
	const double cycles = (double)machine_cycle(s->machine),
		     model = (double)STAT(st, sampler_model_cycles);
	uint64_t gaps = 0;
	struct cells c;
	cells_open_report(&c, s, "sampler");
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++)
		if (sm->st->stream[i].kind) {
			char what[32], text[512];
			snprintf(what, sizeof what, "stream %u", i);
			number_row(&c, what, "",
			           sampler_format_stream(&sm->st->stream[i], text, sizeof text));
			says_nothing(&c, "value");
		}
	for (unsigned i = 0; i < sm->compressor.spec.count; i++) {
		char what[32], text[COMPRESSOR_TEXT_MAX];
		snprintf(what, sizeof what, "component %u", i);
		count_row(&c, what, component_bits(&sm->compressor.spec.stage[i]), "bits",
		          component_format(&sm->compressor.spec.stage[i], text, sizeof text));
	}
	count_row(&c, "selected", STAT(st, sampler_selected), "tuples", "that the selector picked");
	count_row(&c, "dropped", STAT(st, sampler_dropped), "tuples",
	          "of these, at a full tuple queue");
	count_row(&c, "messages", STAT(st, sampler_messages), "messages",
	          "that the compressor sent");
	count_row(&c, "messages dropped", STAT(st, sampler_messages_dropped), "messages",
	          "of these, at a full message queue");
	count_row(&c, "read", STAT(st, sampler_read), "messages", "that software took");
	count_row(&c, "waiting", sm->st->message_count, "messages", "in the queue now");
	count_row(&c, "held", sampler_held(machine_pipe(s->machine)->prof), "tuples",
	          "in the sampler and in messages that wait");
	ratio_row(&c, "compression", (double)taken / (double)STAT(st, sampler_messages),
	          "tuples/message", "what one message stands for");
	number_row(&c, "error", "%", "needs sampler.exact=true");
	says_nothing(&c, "value");
	ratio_row(&c, "model overhead", 100 * model / cycles, "%",
	          "of all cycles, by the paper's model (5.3.2)");
	number_row(&c, "measured overhead", "%", "of all cycles, in firmware");
	says_nothing(&c, "value");
	ratio_row(&c, "model cost", model / (double)STAT(st, sampler_messages), "cycles/message",
	          "interrupts included");
	number_row(&c, "measured cost", "cycles/message", "interrupts included");
	says_nothing(&c, "value");
	count_row(&c, "late", STAT(st, sampler_late), "messages",
	          "sooner after the one before than sampler.service");
	for (unsigned i = 0; i < GAP_BUCKETS; i++) {
		const uint64_t from = i ? UINT64_C(1) << (i - 1) : 0, to = (UINT64_C(1) << i) - 1;
		char what[64];
		if (!sm->st->gap[i])
			continue;
		snprintf(what, sizeof what, "gap %llu-%llu cycles", (ull)from, (ull)to);
		count_row(&c, what, sm->st->gap[i], "messages",
		          to < service     ? "the service thread is behind"
		          : from < service ? "it is behind after some"
		                           : "it has time");
		gaps += sm->st->gap[i];
	}
	assert_int_equal(gaps, STAT(st, sampler_messages) ? STAT(st, sampler_messages) - 1 : 0);
	cells_close(&c);
}

/* ---- ProfileMe's ---- */
static int by_delay(const void *a, const void *b)
{
	const struct profileme_counts *x = *(const struct profileme_counts *const *)a,
				      *y = *(const struct profileme_counts *const *)b;
	return order(y->delay, x->delay);
}

static void read_profileme(const struct session *s)
{
	static const char *const latencies[] = {"fetch",   "operands", "issue",
	                                        "execute", "retire",   "load"};
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct profileme_counts *all[512];
	const uint32_t n = profileme_entries(d);
	const struct stats *st = machine_stats(s->machine);
	uint64_t delay = 0, records = 0;
	struct cells c;
	assert_true(n > 10 && n < 512);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t pc;
		all[i] = profileme_entry(d, i, &pc);
		delay += all[i]->delay;
		for (unsigned k = 0; k < PROFILEME_FATE_COUNT; k++)
			records += all[i]->fates[k];
	}
	assert_int_equal(records, STAT(st, profileme_records));
	qsort(all, n, sizeof *all, by_delay);
	cells_open_report(&c, s, "profileme");
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t pc = cells_row(&c)->pc;
		const struct profileme_counts *k = profileme_find(d, pc);
		uint64_t mine = 0;
		char text[256] = "";
		assert_non_null(k);
		assert_int_equal(k->delay, all[i]->delay);
		for (unsigned f = 0; f < PROFILEME_FATE_COUNT; f++)
			mine += k->fates[f];
		const uint64_t retired = k->fates[PROFILEME_FATE_RETIRED];
		const uint64_t times =
			(uint64_t)((double)retired * (double)STAT(st, profileme_decoded) /
		                           (double)records +
		                   0.5);
		says_share(&c, "share", k->delay, delay);
		if (retired)
			says_double(&c, "delay", (double)k->delay / (double)retired, "%.2f",
			            (double)k->delay / (double)retired);
		else
			says_nothing(&c, "delay");
		says_uint(&c, "executions", times);
		says_code(&c, s, pc);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			if (k->events[e])
				snprintf(text + strlen(text), sizeof text - strlen(text),
				         "%s%.0f %s", *text ? ", " : "",
				         1000 * (double)k->events[e] / (double)mine,
				         profileme_event_name[e]);
		says(&c, "per_1000", "%s", text);
		says_uint(&c, "records", mine);
		says_double(&c, "retired", 100 * (double)retired / (double)mine, "%.0f%%",
		            100 * (double)retired / (double)mine);
		for (unsigned l = 0; l < PROFILEME_LATENCY_COUNT; l++)
			if (retired)
				says_double(&c, latencies[l],
				            (double)k->latency[l] / (double)retired, "%.2f",
				            (double)k->latency[l] / (double)retired);
			else
				says_nothing(&c, latencies[l]);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			for (uint32_t j = 0; j < n; j++)
				if (all[j]->events[e]) {
					says_uint(&c, profileme_event_name[e], k->events[e]);
					break;
				}
	}
	cells_close(&c);
}

/* The records of all instructions of a function, which begins there. */
struct function_records {
	uint64_t at, delay, records, retired, events[PROFILEME_EVENT_COUNT];
};

static int by_function_delay(const void *a, const void *b)
{
	const struct function_records *x = a, *y = b;
	return x->delay != y->delay       ? order(y->delay, x->delay)
	       : x->records != y->records ? order(y->records, x->records)
	                                  : order(x->at, y->at);
}

static uint64_t function_of(const struct session *s, uint64_t pc)
{
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].code && pc >= all[i].addr && pc < all[i].addr + all[i].size)
			return all[i].addr;
	fail_msg("no function has 0x%llx", (ull)pc);
	return 0;
}

static void read_profileme_functions(const struct session *s)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct stats *st = machine_stats(s->machine);
	struct function_records all[32];
	unsigned n = 0;
	uint64_t delay = 0, records = 0;
	struct cells c;
	for (uint32_t i = 0; i < profileme_entries(d); i++) {
		uint64_t pc;
		const struct profileme_counts *k = profileme_entry(d, i, &pc);
		const uint64_t at = function_of(s, pc);
		unsigned f = 0;
		while (f < n && all[f].at != at)
			f++;
		assert_true(f < 32);
		if (f == n)
			all[n++] = (struct function_records){.at = at};
		all[f].delay += k->delay;
		all[f].retired += k->fates[PROFILEME_FATE_RETIRED];
		for (unsigned e = 0; e < PROFILEME_FATE_COUNT; e++)
			all[f].records += k->fates[e];
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			all[f].events[e] += k->events[e];
		delay += k->delay;
	}
	for (unsigned i = 0; i < n; i++)
		records += all[i].records;
	qsort(all, n, sizeof *all, by_function_delay);
	cells_open_report(&c, s, "profileme functions");
	for (unsigned i = 0; i < n; i++) {
		const struct function_records *f = &all[i];
		const double mean = (double)f->delay / (double)f->retired,
			     retired = 100 * (double)f->retired / (double)f->records;
		char text[256] = "";
		assert_int_equal(cells_row(&c)->pc, f->at);
		says_share(&c, "share", f->delay, delay);
		if (f->retired)
			says_double(&c, "delay", mean, "%.2f", mean);
		else
			says_nothing(&c, "delay");
		says_uint(&c, "executions",
		          (uint64_t)((double)f->retired * (double)STAT(st, profileme_decoded) /
		                             (double)records +
		                     0.5));
		says_place(&c, s, "address", "function", f->at);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			if (f->events[e])
				snprintf(text + strlen(text), sizeof text - strlen(text),
				         "%s%.0f %s", *text ? ", " : "",
				         1000 * (double)f->events[e] / (double)f->records,
				         profileme_event_name[e]);
		says(&c, "per_1000", "%s", text);
		says_uint(&c, "records", f->records);
		says_double(&c, "retired", retired, "%.0f%%", retired);
	}
	cells_close(&c);
}

static void reports_are_what_happened(void **state)
{
	(void)state;
	static const char settings[] =
		"oracle.enable=1;oracle.blocks=1;oracle.contexts=1;oracle.values=all;oracle."
	        "addresses=1;oracle.loads=1;oracle.speculative=1;"
		"sampler.enable=1;sampler.exact=false;sampler.compressor=H(C(P(4)), 64), "
	        "A(4);profileme.enable=1;profileme.interval_max=20";
	struct session *s = open_program("tests/golden/guest.elf", settings);
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(DISPATCH) |
	                                            EV_BIT(LEAVE) | EV_BIT(MEM)};
	struct happened *h = calloc(1, sizeof *h);
	assert_true(machine_listen(s->machine, &filter, hear, h) > 0);
	for (unsigned stop = 0; stop < 2; stop++) {
		run_for(s, stop ? 8000 : 5000);
		read_oracle(s, h);
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

static void nothing_is_left_out(void **state)
{
	(void)state;
	reports_are_complete();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_what_happened),
		cmocka_unit_test(nothing_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
