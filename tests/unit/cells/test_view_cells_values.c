/* Cells of the views of hotlists and of replay traps against events: see view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "core/machine/params.h"
#include "core/prof/common/prof.h"
#include "core/run/value_daemon.h"
#include "scripting/values/value_modules.h"

enum {
	PCS = 1 << 14,
	TEXT_AT = 0x10000,
	SAMPLES = 1 << 14,
	RESULTS = 1 << 17,
	PAIRS = 256,
	DISTINCT = 1024,
	THEN = 4,
	SEQS = 1 << 18
};

/* Settings for frequent interpretation, so that most instructions have samples. */
#define EAGER                                                                                      \
	"vsample.enable=true;vsample.interval_min=20;vsample.interval_max=60;vsample.every=1;"     \
	"vsample.interrupt_cycles=3;vsample.start_cycles=2;"                                       \
	"vsample.inst_cycles=2;vsample.tuple_cycles=3;vsample.service=1;vsample.length=6;"

static struct value_modules *load_modules(const char *name, struct launch *launch)
{
	struct err err;
	struct config cfg;
	config_default(&cfg);
	assert_true(config_set(&cfg, "values.modules", name, &err) &&
	            config_set(&cfg, "values.method", "exact", &err));
	struct value_modules *modules = value_modules_load(&cfg, &err);
	if (!modules)
		fail_msg("%s", err.msg);
	value_modules_launch(modules, launch);
	return modules;
}

/* ---- what happened ---- */
struct seen {
	uint64_t pc, value;
};

struct heard_values {
	/* recorded by the handler; all that committed */
	struct seen sample[SAMPLES], result[RESULTS];
	unsigned samples, results;
};

struct counted {
	uint64_t value, times;
};

static void values_cells_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct heard_values *h = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (u->inst.rd == REG_SINK || (ev->id == EV_INTERPRET && !ev->interpret.recorded))
		return;
	struct seen *to = ev->id == EV_COMMIT ? &h->result[h->results++] : &h->sample[h->samples++];
	assert_true(h->results < RESULTS && h->samples < SAMPLES);
	*to = (struct seen){u->pc, u->result};
}

static int values_cells_compare_by_times(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	return x->times != y->times  ? x->times > y->times ? -1 : 1
	       : x->value < y->value ? -1
	                             : x->value > y->value;
}

/* The different values at pc, the most frequent first. */
static unsigned count_values(const struct seen *all, unsigned n, uint64_t pc,
                             struct counted out[DISTINCT], uint64_t *sum)
{
	unsigned found = 0;
	*sum = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;
		if (all[i].pc != pc)
			continue;
		while (k < found && out[k].value != all[i].value)
			k++;
		assert_true(k < DISTINCT);
		if (k == found)
			out[found++] = (struct counted){.value = all[i].value};
		out[k].times++;
		++*sum;
	}
	qsort(out, found, sizeof *out, values_cells_compare_by_times);
	return found;
}

/* ---- hotlists ---- */
static const char *value_text(uint64_t v)
{
	char *out = some_text();
	snprintf(out, 256, v < 10 ? "%llu" : "0x%llx", (ull)v);
	return out;
}

static void values_cells_check_share(struct cells *c, uint64_t part, uint64_t of)
{
	const double share = (double)part / (double)of;
	says_double(c, "share", 100 * share, "%s %.1f", eighths_bar(share, 10), 100 * share);
}

/* Checks the value's exact share of all values that the instruction computed. */
static void says_exact(struct cells *c, const struct heard_values *h, uint64_t pc, uint64_t value)
{
	uint64_t times = 0, of = 0;
	for (unsigned i = 0; i < h->results; i++) {
		of += h->result[i].pc == pc;
		times += h->result[i].pc == pc && h->result[i].value == value;
	}
	if (of)
		says_double(c, "exact", 100 * (double)times / (double)of, "%.1f",
		            100 * (double)times / (double)of);
	else
		says_nothing(c, "exact");
}

static void values_cells_check_hot_list(struct cells *c, const struct session *s,
                                        const struct heard_values *h, uint64_t pc)
{
	static struct counted all[DISTINCT];
	char others[256] = "";
	uint64_t seen;
	memset(all, 0, sizeof all);
	const unsigned n = count_values(h->sample, h->samples, pc, all, &seen);
	assert_true(n > 0);
	says(c, "mark", pc == machine_pc(s->machine) ? "▶" : "");
	says_addr(c, "place", s, pc);
	says(c, "instruction", "%s", assembly_at(s, pc));
	says(c, "kind", "results");
	says_uint(c, "vtot", seen);
	says(c, "value", "%s", value_text(all[0].value));
	values_cells_check_share(c, all[0].times, seen);
	says_exact(c, h, pc, all[0].value);
	for (unsigned i = 1; i < n && i < THEN; i++)
		sprintf(others + strlen(others), "%s%s %.1f%%", i > 1 ? "  " : "",
		        value_text(all[i].value), 100 * (double)all[i].times / (double)seen);
	says(c, "others", "%s", others);
	says_double(c, "thld", 1, "1.0");
	says_uint(c, "nv", n);
}

static int values_cells_compare_by_value(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* Instructions by descending samples: all, or those that fit a pane, with the present instruction
 * last. */
static void read_hotlists(const struct session *s, const struct heard_values *h, unsigned limit)
{
	static struct counted at[PCS];
	unsigned n = 0;
	bool shown = false;
	char words[32] = "hotlist all";
	struct cells c;
	memset(at, 0, sizeof at);
	for (unsigned i = 0; i < h->samples; i++) {
		unsigned k = 0;
		while (k < n && at[k].value != h->sample[i].pc)
			k++;
		at[k].value = h->sample[i].pc;
		at[k].times++;
		n += k == n;
	}
	qsort(at, n, sizeof *at, values_cells_compare_by_value);
	qsort(at, n, sizeof *at, values_cells_compare_by_times);
	if (limit)
		snprintf(words, sizeof words, "hotlist %u", limit);
	cells_open(&c, s, words);
	for (unsigned i = 0; i < n; i++) {
		const bool here = at[i].value == machine_pc(s->machine);
		if (limit && i >= limit && (shown || !here))
			continue;
		shown |= here;
		assert_int_equal(cells_row(&c)->pc, at[i].value);
		values_cells_check_hot_list(&c, s, h, at[i].value);
	}
	cells_close(&c);
}

static void values_cells_check_one_place(const struct session *s, const struct heard_values *h,
                                         uint64_t pc)
{
	static struct counted all[DISTINCT];
	uint64_t seen;
	char words[64];
	struct cells c;
	memset(all, 0, sizeof all);
	const unsigned n = count_values(h->sample, h->samples, pc, all, &seen);
	snprintf(words, sizeof words, "hotlist 0x%llx", (ull)pc);
	cells_open(&c, s, words);
	for (unsigned i = 0; i < n; i++) {
		cells_row(&c);
		says_uint(&c, "rank", i + 1);
		says(&c, "value", "%s", value_text(all[i].value));
		values_cells_check_share(&c, all[i].times, seen);
		says_exact(&c, h, pc, all[i].value);
		says_double(&c, "estimate", (double)all[i].times, "%llu", (ull)all[i].times);
		says_uint(&c, "count", all[i].times);
		says(&c, "kind", "results");
	}
	cells_close(&c);
}

TEST(hotlists_are_what_was_sampled)
{
	static struct heard_values h;
	struct launch launch = {.path = "tests/golden/guest.elf"};
	struct value_modules *modules = load_modules("results", &launch);
	struct session *s = open_launch(&launch, EAGER "oracle.enable=true;oracle.values=all");
	const struct event_filter filter = {.mask = EV_BIT(INTERPRET) | EV_BIT(COMMIT)};
	assert_true(machine_listen(s->machine, &filter, values_cells_on_event, &h) > 0);
	const struct value_daemon *daemon = value_modules_daemon(modules);
	unsigned marked = 0;
	while (machine_step(s->machine)) {
		/* Views are read only when the daemon has processed all samples, so that the
		 * present instruction's count can have a mark. */
		if (h.samples % 50 == 1 && value_daemon_totals(daemon).pairs == h.samples &&
		    marked < 400) {
			read_hotlists(s, &h, 5);
			marked++;
		}
	}
	assert_true(marked > 0 && h.samples > 300 && machine_status(s->machine) != MACHINE_RUNNING);
	read_hotlists(s, &h, 0);
	read_hotlists(s, &h, 5);
	for (unsigned i = 0; i < 40; i++)
		values_cells_check_one_place(s, &h, h.sample[i * 7].pc);
	struct grid g;
	struct err err;
	assert_false(view_build(s, "hotlist nowhere", &(struct view_args){0}, &g, &err));
	assert_non_null(strstr(err.msg, "it is no kind of values, such as 'results'"));
	assert_false(view_build(s, "hotlist main walk", &(struct view_args){0}, &g, &err));
	assert_non_null(strstr(err.msg, "one place too many"));
	session_free(s);
	value_modules_free(modules);
}

/* ---- replay traps ---- */
struct pair {
	/* now: seq of the instruction replayed in this cycle */
	uint64_t load, partner, type, times, squashed, now;
};

struct heard_traps {
	struct pair at[PAIRS];
	unsigned n;
	uint64_t partner[SEQS]; /* of the load of this number */
};

static void hear_trap(void *ctx, const struct machine *m, const struct event *ev)
{
	struct heard_traps *h = ctx;
	unsigned i = 0;
	(void)m;
	while (i < h->n && (h->at[i].load != ev->pc || h->at[i].partner != ev->replay.partner_pc ||
	                    h->at[i].type != ev->replay.type))
		i++;
	assert_true(i < PAIRS);
	h->n += i == h->n;
	h->at[i].load = ev->pc;
	h->at[i].partner = ev->replay.partner_pc;
	h->at[i].type = ev->replay.type;
	h->at[i].times++;
	h->at[i].squashed += ev->replay.count;
	h->at[i].now = ev->seq;
	assert_true(ev->seq < SEQS);
	h->partner[ev->seq] = ev->replay.partner_pc;
}

static int values_cells_compare_pairs_by_times(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	if (x->load != y->load)
		return x->load < y->load ? -1 : 1;
	return x->type != y->type        ? x->type < y->type ? -1 : 1
	       : x->partner < y->partner ? -1
	                                 : x->partner > y->partner;
}

static void says_pair(struct cells *c, const struct session *s, uint64_t type, uint64_t load,
                      uint64_t partner)
{
	static const char *const types[] = {"", "order", "size", "synonym"};
	const char *name = replay_name[type];
	assert_true(!strcmp(name, types[1]) || !strcmp(name, types[2]) || !strcmp(name, types[3]));
	says(c, "type", "%s", name);
	says_addr(c, "load", s, load);
	says(c, "instruction", "%s", assembly_at(s, load));
	if (partner)
		says_addr(c, "partner", s, partner);
	else
		says(c, "partner", "no instruction");
	says(c, "partner_instruction", "%s", partner ? assembly_at(s, partner) : "");
}

/* The share of this pair in the module's answers for this load. */
static void says_vreplay(struct cells *c, const struct value_daemon *d, const struct pair *p)
{
	static struct hot_estimate all[HOTLIST_MAX];
	struct err err;
	if (!d) {
		says_nothing(c, "vreplay");
		return;
	}
	const struct hotlists *lists = value_daemon_lists(d, HOTLIST_EXACT);
	const uint32_t list =
		hotlists_find(lists, p->load, (unsigned)value_daemon_kind(d, "vreplay", &err));
	const unsigned n = list == UINT32_MAX ? 0 : hotlists_top(lists, list, all, HOTLIST_MAX);
	uint64_t sum = 0, of = 0;
	for (unsigned i = 0; i < n; i++) {
		sum += all[i].count;
		of += all[i].value == p->partner * 4 + p->type ? all[i].count : 0;
	}
	if (of)
		says_double(c, "vreplay", 100 * (double)of / (double)sum, "%.1f",
		            100 * (double)of / (double)sum);
	else
		says(c, "vreplay", "not yet");
}

static void read_pairs(const struct session *s, struct heard_traps *h, const struct value_daemon *d)
{
	uint64_t all = 0;
	struct cells c;
	qsort(h->at, h->n, sizeof *h->at, values_cells_compare_pairs_by_times);
	for (unsigned i = 0; i < h->n; i++)
		all += h->at[i].times;
	cells_open(&c, s, "replay all");
	for (unsigned i = 0; i < h->n; i++) {
		const struct pair *p = &h->at[i];
		const double share = (double)p->times / (double)all,
			     each = (double)p->squashed / (double)p->times;
		assert_int_equal(cells_row(&c)->seq, p->now);
		says(&c, "mark", p->now ? "◆" : "");
		says_uint(&c, "times", p->times);
		says_double(&c, "share", 100 * share, "%s %5.1f", eighths_bar(share, 8),
		            100 * share);
		says_pair(&c, s, p->type, p->load, p->partner);
		says_vreplay(&c, d, p);
		says_double(&c, "squashed", each, "%.1f", each);
	}
	cells_close(&c);
}

/* Without an oracle, the view lists the traps still in the pool. */
static void read_latest(const struct session *s, const struct heard_traps *h)
{
	const struct pipe *p = machine_pipe(s->machine);
	uint64_t before = UINT64_MAX;
	struct cells c;
	cells_open(&c, s, "replay");
	for (unsigned row = 0; row < c.g.row_count; row++) {
		const struct uop *u = NULL;
		for (uint32_t i = 0; i < p->pool_size; i++)
			if (p->pool[i].seq ==
			    cells_at(&(struct cells){.g = c.g, .rows = row + 1, .view = "replay"},
			             "times")
			            ->raw.u)
				u = &p->pool[i];
		assert_non_null(u);
		assert_true(u->seq < before && u->mem.replay && u->state == UOP_SQUASHED);
		before = u->seq;
		cells_row(&c);
		says(&c, "mark", u->when.end + 1 == machine_cycle(s->machine) ? "◆" : "");
		says_word(&c, "times", RAW_UINT, u->seq, "#%llu", (ull)u->seq);
		says(&c, "share", "cycle %llu", (ull)u->when.end);
		says_pair(&c, s, u->mem.replay, u->pc, h->partner[u->seq]);
		says_nothing(&c, "vreplay");
		says_nothing(&c, "squashed");
	}
	cells_close(&c);
}

#define FETCHED "l1d.prefetch=stride;mem.latency=500;l2.size=8K"
#define TRAPS                                                                                      \
	"lsq.speculate=true;lsq.replay_size=true;lsq.replay_synonym=64;l1d.size=1K;l1d.line=64;"

/* True if the trap's partner has left the window and the same load and type have another row, with
 * another partner or none; that row has no mark now. */
static bool is_easily_mistaken(const struct session *s, const struct heard_traps *h,
                               const struct pair *trap, bool none)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *u = NULL, *partner = NULL;
	bool other = false;
	for (uint32_t i = 0; i < p->pool_size; i++)
		u = p->pool[i].seq == trap->now ? &p->pool[i] : u;
	for (uint32_t i = 0; u && i < p->pool_size; i++)
		partner = p->pool[i].seq == uop_partner(u) ? &p->pool[i] : partner;
	for (unsigned i = 0; i < h->n; i++)
		other |= &h->at[i] != trap && h->at[i].load == trap->load &&
		         h->at[i].type == trap->type && !h->at[i].partner == none;
	return u && !partner && trap->partner && other;
}

TEST(traps_are_those_of_events)
{
	static const char *const settings[] = {
		TRAPS, TRAPS "oracle.enable=true;oracle.replays=true",
		TRAPS "oracle.enable=true;oracle.replays=true;" EAGER "vsample.length=48",
		/* A prefetched line is no instruction's miss. */
		TRAPS FETCHED, TRAPS "oracle.enable=true;oracle.replays=true;" FETCHED};
	unsigned for_another = 0, for_none = 0;
	for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
		static struct heard_traps h;
		struct launch launch = {.path = "tests/golden/guest.elf"};
		struct value_modules *modules = i == 2 ? load_modules("vreplay", &launch) : NULL;
		struct session *s = open_launch(&launch, settings[i]);
		const struct event_filter filter = {.mask = EV_BIT(REPLAY)};
		unsigned now = 0;
		memset(&h, 0, sizeof h);
		assert_true(machine_listen(s->machine, &filter, hear_trap, &h) > 0);
		while (machine_step(s->machine)) {
			bool any = false;
			for (unsigned k = 0; k < h.n; k++)
				any |= h.at[k].now != 0;
			now += any;
			for (unsigned k = 0; k < h.n; k++)
				if (h.at[k].now) {
					for_another += is_easily_mistaken(s, &h, &h.at[k], false);
					for_none += is_easily_mistaken(s, &h, &h.at[k], true);
				}
			if (!strstr(settings[i], "oracle") &&
			    (any || machine_cycle(s->machine) % 509 == 0))
				read_latest(s, &h);
			else if (any || machine_cycle(s->machine) % 509 == 0)
				read_pairs(s, &h, modules ? value_modules_daemon(modules) : NULL);
			for (unsigned k = 0; k < h.n; k++)
				h.at[k].now = 0;
		}
		assert_true(h.n > 2 && now > 10);
		session_free(s);
		value_modules_free(modules);
	}
	assert_true(for_another > 0 && for_none > 0);
}

TEST(values_cells_are_complete)
{
	views_are_complete("values");
}
