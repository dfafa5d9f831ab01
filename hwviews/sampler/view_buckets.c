/* `view buckets`: the compressor's counters as a heat map. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/sampler/sampler_rows.h"

enum {
	BUCKETS_LISTED = 8, /* most entries listed of the hottest, or of tuples of one entry */
	BUCKET_GLYPH = 3,   /* most bytes of a character */
	BUCKET_BAR = 16
};

/* The component whose counters are shown. */
struct buckets {
	const struct session *s;
	const struct sampler *sm;
	const struct prof *d;
	unsigned stage;
	const struct component *part;
	const struct sampler_step *step;
	uint32_t touched; /* entry touched in the cycle just done; UINT32_MAX: none */
	/* [sets], owned by the view of the map; NULL: no oracle, or no hashing */
	struct exact_bucket *exact;
};

enum {
	ROWS_DEFAULT = 25, /* for text output */
	WIDTH_MIN = 16,
	WIDTH_MAX = 64,
	NUMBER = 10,       /* cells of the first column, gaps and marks */
	ORACLE = 56,       /* cells of the oracle's columns */
	WIDTH_ORACLE = 24 /* least width of the map beside these columns */
};

/* ---- one entry: `view buckets STAGE ENTRY` ---- */

static const struct grid_column bucket_entry_columns[] = {
	{"what", "", "", .help = "with ENTRY: the row, its number, and its meaning"},
	{"value", "", "", AT_RIGHT, .help = AS_BEFORE},
	{"says", "", "", FLEXIBLE, .help = AS_BEFORE},
};

/* The oracle's bucket number of an entry. */
static uint32_t bucket_set_of(const struct buckets *a, uint32_t entry)
{
	return entry / a->part->ways;
}

static void say_row(struct grid *g, uint64_t key, const char *what)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", what);
}

/* Row keys; the component's own rows are before. */
enum bucket_row {
	ROW_OWN = 1, ROW_LAST = ROW_OWN + ENTRY_ROWS_MAX, ROW_DID, ROW_ORACLE, ROW_BIAS,
	ROW_ENTROPY, ROW_TUPLES
};

/* One of the component's own rows. */
static void bucket_entry_append_own_row(struct grid *g, const struct buckets *a, uint32_t entry,
                                        uint64_t key, const struct entry_row *r)
{
	static const enum role tones[] = {
		[ENTRY_DIM] = ROLE_DIM, [ENTRY_PLAIN] = ROLE_PLAIN, [ENTRY_DONE] = ROLE_DONE,
		[ENTRY_WAITING] = ROLE_WAITING, [ENTRY_HOT] = ROLE_HOT};
	const struct component_counter c = counter_of(&a->sm->compressor, a->stage, entry);
	say_row(g, key, r->what);
	if (r->shows == ENTRY_SIGNED)
		grid_int(g, ROLE_NUMBER, (int64_t)r->number);
	else if (r->shows == ENTRY_HEX)
		grid_uint_text(g, ROLE_NUMBER, r->number, "0x%" PRIx64, r->number);
	else if (r->shows == ENTRY_NUMBER || r->shows == ENTRY_COUNTER)
		grid_uint(g, ROLE_NUMBER, r->number);
	else
		grid_blank(g);
	if (r->shows == ENTRY_TUPLE) {
		cell_tuple(g, a->s, ROLE_ADDRESS, r->tuple);
		grid_last_row(g)->pc = tuple_pc(r->tuple);
	} else if (r->shows == ENTRY_COUNTER) {
		grid_text(g, ROLE_PROFILE, "%s %s",
		          level_bar(c.at, c.of, BUCKET_BAR, BUFFER(BUCKET_BAR * BUCKET_GLYPH + 1)),
		          counter_text(a->part, &c, BUFFER(64)));
	} else {
		grid_text(g, tones[r->tone], "%s", r->says);
	}
}

static void bucket_entry_append_own_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	struct entry_row rows[ENTRY_ROWS_MAX];
	const unsigned n =
		a->part->ops->rows(&a->sm->compressor, a->stage, entry, rows);
	for (unsigned i = 0; i < n; i++)
		if (rows[i].what)
			bucket_entry_append_own_row(g, a, entry, ROW_OWN + i, &rows[i]);
}

static void bucket_entry_append_last_tuple(struct grid *g, const struct buckets *a, uint32_t entry)
{
	if (!a->step->cycle || a->step->touch.entry != entry ||
	    a->part->ops->plugin)
		return;
	const enum role role = entry == a->touched ? ROLE_CURRENT : ROLE_PLAIN;
	grid_row(g, ROW_LAST, role)->pc = tuple_pc(a->step->in.tuple);
	grid_text(g, ROLE_DIM, "last");
	grid_blank(g);
	grid_text(g, role, "%s%s: %s", entry == a->touched ? "◆ " : "",
	          format_tuple(a->s, a->step->in.tuple, BUFFER(256)),
	          format_ago(prof_now(a->d), a->step->cycle, BUFFER(96)));
	grid_row(g, ROW_DID, role);
	grid_blank(g);
	grid_blank(g);
	grid_text(g, role, "%s", format_touch(a->part, &a->step->touch, BUFFER(256)));
}

/* Rows for the tuples hashed to the bucket, the most frequent first. */
static void oracle_tuples(struct grid *g, const struct buckets *a, uint32_t bucket, uint64_t all)
{
	const struct sampler_exact *x = sampler_exact_of(a->d);
	struct exact_tuple top[BUCKETS_LISTED];
	unsigned n = 0;
	for (uint32_t i = 0; i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		unsigned at = n;
		if (!t.selected ||
		    compressor_index(&a->sm->compressor, a->stage, t.tuple) != bucket)
			continue;
		while (at > 0 && top[at - 1].selected < t.selected)
			at--;
		if (at >= BUCKETS_LISTED)
			continue;
		n += n < BUCKETS_LISTED;
		memmove(top + at + 1, top + at, (n - at - 1) * sizeof *top);
		top[at] = t;
	}
	for (unsigned i = 0; i < n; i++) {
		say_row(g, ROW_TUPLES + i, i ? "" : "tuples");
		grid_last_row(g)->pc = tuple_pc(top[i].tuple);
		grid_uint(g, ROLE_NUMBER, top[i].selected);
		grid_text(g, ROLE_ADDRESS, "%s, %.1f %%",
		          format_tuple(a->s, top[i].tuple, BUFFER(256)),
		          100 * (double)top[i].selected / (double)all);
	}
}

static void oracle_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	const struct sampler_exact *x = sampler_exact_of(a->d);
	const struct compressor *c = &a->sm->compressor;
	if (!x || !sampler_exact_buckets(c, a->stage))
		return;
	const struct exact_bucket b = sampler_exact_bucket(x, c, a->stage, bucket_set_of(a, entry));
	say_row(g, ROW_ORACLE, "oracle");
	grid_uint(g, ROLE_NUMBER, b.distinct);
	grid_text(g, ROLE_DIM, "tuple%s selected for it, %s time%s; unknown to the hardware",
	          b.distinct == 1 ? "" : "s", GROUPED(b.selected), b.selected == 1 ? "" : "s");
	if (!b.selected)
		return;
	say_row(g, ROW_BIAS, "bias");
	grid_double_text(g, ROLE_NUMBER, b.bias, "%.1f %%", 100 * b.bias);
	grid_text(g, ROLE_DIM, "share of the most frequent of them");
	say_row(g, ROW_ENTROPY, "entropy");
	grid_double(g, ROLE_NUMBER, b.entropy, 2);
	grid_text(g, ROLE_DIM, "bits: 0 if all are the same");
	oracle_tuples(g, a, bucket_set_of(a, entry), b.selected);
}

/* Initialises g with everything known about one entry. */
static void bucket_entry_grid(struct grid *g, const struct buckets *a, uint32_t entry)
{
	grid_init(g, "Bucket", GRID_TABLE(bucket_entry_columns));
	grid_summary(g, "%s of %s in %u: %s", GROUPED(entry), GROUPED(a->part->entries), a->stage,
	             format_component(a->part, BUFFER(96)));
	bucket_entry_append_own_rows(g, a, entry);
	bucket_entry_append_last_tuple(g, a, entry);
	oracle_rows(g, a, entry);
}

static const struct grid_column map_columns[] = {
	{"entry", "entry", "", AT_RIGHT, .help = "number of the row's first counter"},
	{"map", "counters", "count of each", .help = "the map; below, how full this one is"},
	{"count", "used", "counters; of a single one, its count", AT_RIGHT,
         .help = "counters of the row that hold something"},
	{"distinct", "oracle", "tuples that were selected for it", AT_RIGHT,
         .help = "tuples that were selected for it"},
	{"bias", "", "percent, by the oracle", AT_RIGHT, .restless = true, .help = "see below"},
	{"entropy", "", "bits, by the oracle", AT_RIGHT, .restless = true, .help = AS_BEFORE},
	{"mostly", "", "by the oracle", FLEXIBLE, .help = AS_BEFORE},
	{"tuple", "", "", FLEXIBLE, .help = "tuples of this cycle; below, the counter's fields"},
};

static struct buckets buckets_of_stage(const struct session *s, unsigned stage)
{
	const struct sampler *sm = session_sampler(s);
	struct buckets a = {.s = s, .sm = sm, .d = session_prof(s), .stage = stage,
	                  .part = &sm->compressor.spec.stage[stage], .step = &sm->st->step[stage],
	                  .touched = UINT32_MAX};
	if (step_is_now(a.d, a.step) && !a.part->ops->plugin)
		a.touched = a.step->touch.entry;
	return a;
}

/* The first component that is a table. */
static unsigned first_table(const struct compressor *c)
{
	for (unsigned i = 0; i < c->spec.count; i++)
		if (c->spec.stage[i].entries > 1)
			return i;
	return 0;
}

/* ---- the map ---- */
/* Entries [first, first + count), `per` in a character, which shows the fullest. */
static void view_buckets_append_map_row(struct grid *g, const struct buckets *a, uint32_t first,
                                        uint32_t count, uint32_t per, uint64_t *stands)
{
	char line[WIDTH_MAX * BUCKET_GLYPH + 1];
	size_t n = 0;
	uint32_t used = 0;
	uint64_t distinct = 0;
	bool now = a->touched >= first && a->touched < first + count;
	for (uint32_t i = first; a->exact && i < first + count; i++)
		distinct += i == first || bucket_set_of(a, i) != bucket_set_of(a, i - 1)
		                    ? a->exact[bucket_set_of(a, i)].distinct : 0;
	for (uint32_t at = first; at < first + count; at += per) {
		struct component_counter most = {0};
		bool here = false;
		for (uint32_t i = at; i < at + per && i < first + count; i++) {
			struct component_counter c = counter_of(&a->sm->compressor, a->stage, i);
			used += c.used;
			stands[i - first] = c.used ? c.at : 0;
			here |= i == a->touched;
			if (c.evicts > most.evicts ||
			    (c.evicts == most.evicts && counter_level(&c) > counter_level(&most)))
				most = c;
		}
		n += (size_t)snprintf(line + n, sizeof line - n, "%s",
		                      here ? "◆" : counter_glyph(&most));
	}
	grid_row(g, 1 + (uint64_t)first, now ? ROLE_CURRENT : used ? ROLE_PLAIN : ROLE_DIM);
	grid_uint_text(g, ROLE_DIM, first, "%" PRIu32, first);
	grid_list_text(g, now ? ROLE_CURRENT : used ? ROLE_PROFILE : ROLE_DIM,
	               stands, count, "%s", line);
	grid_uint(g, used ? ROLE_NUMBER : ROLE_DIM, used);
	if (a->exact)
		grid_uint(g, ROLE_DIM, distinct);
	for (unsigned i = 0; a->exact && i < 3; i++)
		grid_blank(g);
	if (now)
		cell_tuple(g, a->s, ROLE_CURRENT, a->step->in.tuple);
}

static void map_rows(struct grid *g, const struct buckets *a, uint32_t rows, uint32_t columns)
{
	const uint32_t entries = a->part->entries;
	uint32_t width = WIDTH_MAX, per = 1;
	const uint32_t beside = a->exact ? NUMBER + ORACLE : NUMBER;
	while (columns && width > (a->exact ? WIDTH_ORACLE : WIDTH_MIN) && width + beside > columns)
		width -= 8;
	while ((uint64_t)per * width * rows < entries)
		per *= 2;
	uint64_t *stands = alloc_zeroed(per * width, sizeof *stands);
	if (!stands) {
		g->out_of_memory = true;
		return;
	}
	for (uint32_t first = 0; first < entries; first += per * width)
		view_buckets_append_map_row(
			g, a, first, entries - first < per * width ? entries - first : per * width,
			per, stands);
	free(stands);
}

/* ---- the hottest ---- */
/* Heat of a counter: the oracle's count of its tuples; without an oracle, the counter's fill. */
static double view_buckets_entry_heat(const struct buckets *a, uint32_t entry)
{
	const struct component_counter c = counter_of(&a->sm->compressor, a->stage, entry);
	if (!a->exact)
		return c.used && c.at ? (double)c.at / (double)c.of : 0;
	/* Ways of a set share the count: the fuller one comes first. */
	return (double)a->exact[bucket_set_of(a, entry)].selected +
	       (c.of && c.at < c.of ? (double)c.at / (double)c.of / 2 : 0);
}

/* Finds at most `most` entries in use, the hottest first; returns their number. */
static unsigned find_hottest(const struct buckets *a, unsigned most, uint32_t *out)
{
	unsigned n = 0;
	double hot[BUCKETS_LISTED];
	for (uint32_t i = 0; i < a->part->entries; i++) {
		const double f = view_buckets_entry_heat(a, i);
		unsigned at = n;
		while (at > 0 && hot[at - 1] < f)
			at--;
		if (f <= 0 || at >= most)
			continue;
		n += n < most;
		memmove(hot + at + 1, hot + at, (n - at - 1) * sizeof *hot);
		memmove(out + at + 1, out + at, (n - at - 1) * sizeof *out);
		hot[at] = f;
		out[at] = i;
	}
	return n;
}

/* The tuple of an entry: the stored one, or, in components that store none, the last one to touch
 * the entry. False if unknown. */
static bool tuple_of(const struct buckets *a, uint32_t entry, struct tuple *out)
{
	if (a->part->ops->tuple)
		return a->part->ops->tuple(&a->sm->compressor, a->stage, entry, out);
	*out = a->step->in.tuple;
	return a->step->cycle && a->step->touch.entry == entry && !a->part->ops->plugin;
}

static void cells_exact(struct grid *g, const struct buckets *a, const struct exact_bucket *b)
{
	grid_uint(g, ROLE_NUMBER, b->distinct);
	grid_double_text(g, ROLE_NUMBER, 100 * b->bias, "%.1f %%", 100 * b->bias);
	grid_double(g, ROLE_NUMBER, b->entropy, 2);
	if (b->selected)
		cell_tuple(g, a->s, ROLE_ADDRESS, b->tuple);
	else
		grid_blank(g);
}

static void hottest_row(struct grid *g, const struct buckets *a, uint32_t entry)
{
	const struct component_counter c = counter_of(&a->sm->compressor, a->stage, entry);
	struct tuple t;
	const bool now = entry == a->touched;
	grid_row(g, UINT64_C(1) << 32 | entry, now ? ROLE_CURRENT : ROLE_PLAIN);
	grid_uint_text(g, ROLE_DIM, entry, "%" PRIu32, entry);
	grid_list_text(g, c.evicts ? ROLE_WAITING : now ? ROLE_CURRENT : ROLE_HOT,
	               &(uint64_t){c.at}, 1, "%s%s %s",
	               level_bar(c.at, c.of, BUCKET_BAR / 2, BUFFER(BUCKET_BAR * BUCKET_GLYPH + 1)),
	               now ? "◆" : c.evicts ? "×" : "",
	               counter_text(a->part, &c, BUFFER(64)));
	grid_uint(g, ROLE_NUMBER, c.at);
	if (a->exact)
		cells_exact(g, a, &a->exact[bucket_set_of(a, entry)]);
	if (tuple_of(a, entry, &t))
		cell_tuple(g, a->s, now ? ROLE_CURRENT : ROLE_ADDRESS, t);
}

static void hottest_rows(struct grid *g, const struct buckets *a, unsigned most)
{
	uint32_t at[BUCKETS_LISTED];
	const unsigned n = find_hottest(a, most, at);
	if (!n)
		return;
	grid_row(g, UINT64_C(2) << 32, ROLE_HEAD);
	grid_text(g, ROLE_HEAD, "entry");
	grid_text(g, ROLE_HEAD, "%s",
	          a->exact                          ? "hottest"
	          : a->part->ops->fullest ? a->part->ops->fullest : "fullest");
	grid_text(g, ROLE_HEAD, "count");
	static const char *const heads[] = {"tuples", "bias", "entropy", "mostly"};
	for (unsigned i = 0; a->exact && i < sizeof heads / sizeof *heads; i++)
		grid_text(g, ROLE_HEAD, "%s", heads[i]);
	grid_text(g, ROLE_HEAD, "%s", a->part->ops->tuple ? "tuple" : "last tuple");
	for (unsigned i = 0; i < n; i++)
		hottest_row(g, a, at[i]);
}

static void view_buckets_format_summary(struct grid *g, const struct buckets *a)
{
	uint32_t used = 0, evicts = 0;
	char waits[48] = "";
	for (uint32_t i = 0; i < a->part->entries; i++) {
		struct component_counter c = counter_of(&a->sm->compressor, a->stage, i);
		used += c.used;
		evicts += c.evicts;
	}
	if (evicts)
		snprintf(waits, sizeof waits, ", %s to be evicted", GROUPED(evicts));
	grid_summary(g, "%u: %s  %s/%s in use%s", a->stage, format_component(a->part, BUFFER(96)),
	             GROUPED(used), GROUPED(a->part->entries), waits);
}

/* The oracle's counts of every bucket; NULL: none, or memory is out, and the view omits them. */
static struct exact_bucket *ask_oracle(const struct buckets *a)
{
	const struct sampler_exact *x = sampler_exact_of(a->d);
	const uint32_t sets = x ? sampler_exact_buckets(&a->sm->compressor, a->stage) : 0;
	struct exact_bucket *out = sets ? alloc_zeroed(sets, sizeof *out) : NULL;
	if (out)
		sampler_exact_fill(x, &a->sm->compressor, a->stage, out);
	return out;
}

static void build_map(struct grid *g, struct buckets *a, const struct view_args *args)
{
	const unsigned rows = args->rows ? args->rows : ROWS_DEFAULT;
	const unsigned below = rows / 3 > BUCKETS_LISTED ? BUCKETS_LISTED : rows / 3;
	a->exact = ask_oracle(a);
	grid_init(g, "Buckets", GRID_TABLE(map_columns));
	if (!a->exact)
		grid_keep_columns(g, "entry map count tuple");
	g->essential = 2;
	if (!counter_of(&a->sm->compressor, a->stage, 0).known) {
		grid_empty(g, "%s counts nothing", format_component(a->part, BUFFER(96)));
		free(a->exact);
		return;
	}
	view_buckets_format_summary(g, a);
	map_rows(g, a, rows > below + 2 ? rows - below - 1 : 1, args->columns);
	if (below)
		hottest_rows(g, a, below);
	for (unsigned i = 0; i < g->row_count && g->focus_row == UINT32_MAX; i++)
		if (g->rows[i].role == ROLE_CURRENT)
			g->focus_row = i;
	free(a->exact);
}

static bool view_buckets_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	const struct compressor *c = &session_sampler(s)->compressor;
	uint64_t stage = first_table(c), entry = 0;
	char what[128];
	if (!arg_count(args, 2, "buckets", err))
		return false;
	if (args->argc > 0 && !arg_number(args->argv[0], "a component of the compressor",
	                                  c->spec.count - 1, &stage, err))
		return false;
	snprintf(what, sizeof what, "an entry of %s",
	         component_format(&c->spec.stage[stage], BUFFER(96)));
	if (args->argc > 1 &&
	    !arg_number(args->argv[1], what, c->spec.stage[stage].entries - 1, &entry, err))
		return false;
	struct buckets a = buckets_of_stage(s, (unsigned)stage);
	if (args->argc > 1)
		bucket_entry_grid(out, &a, (uint32_t)entry);
	else
		build_map(out, &a, args);
	return true;
}

const struct view view_buckets = {
	.name = "buckets",
	.title = "Buckets",
	.args = "[COMPONENT [ENTRY]]",
	.device = "sampler",
	.build = view_buckets_build_grid,
	.help.about =
		"The counters of a component of the sampler's compressor, as a map: a character\n"
		"each, or several to a character where space is short (the fullest\n"
		"is shown). Without an argument of the first component that is a table;\n"
		"components are numbered from 0, in the order in which tuples meet them. Of a\n"
		"plug-in (`help plugins`) its table `counts`, if it has one; with ENTRY, what\n"
		"its tables of as many entries contain there.\n"
		"\n"
		"  · ▁ ▂ ▃ ▄ ▅ ▆ ▇ █  empty, to full: a full counter sends a message\n"
		"  ×        T: an entry that waits to be evicted (state Evict)\n"
		"  ◆        a tuple's counter in this cycle\n",
	.help.tables = {{GRID_TABLE(map_columns), .indent = 11},
                        {GRID_TABLE(bucket_entry_columns), .indent = 11}},
	.help.hints =
		"Below, the hottest, by the oracle (sampler.exact), else the fullest: each\n"
		"one's count, and its tuple if that is known. Only the associative table keeps\n"
		"tuples; of other counters the hardware has only the current tuple. The last\n"
		"columns are the oracle's alone: how many tuples collide there, the most\n"
		"frequent one and its share (bias), and their entropy, both of all that the\n"
		"selector picked.\n"
		"\n"
		"With ENTRY, one counter: its count, its next message, of T\n"
		"its state, tag and misses, and the effect of the next tuple, by the names of\n"
		"the transitions (E1 to E6a) that `catch compress if act == 'E5'` takes.\n"
		"\n"
		"Look for rows that stay dark: strata that no tuple reaches. `compressor` shows\n"
		"the way of a tuple to its counter. Shaped by sampler.compressor.",
};
