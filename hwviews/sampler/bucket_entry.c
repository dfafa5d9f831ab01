#include "hwviews/sampler/bucket_entry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/plugin.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"

const struct grid_column bucket_entry_columns[BUCKET_ENTRY_COLUMNS] = {
	{"what", "", "", .help = "with ENTRY: which row, its number, and what that means"},
	{"value", "", "", AT_RIGHT, .help = AS_BEFORE},
	{"says", "", "", FLEXIBLE, .help = AS_BEFORE},
};

uint32_t bucket_set_of(const struct buckets *a, uint32_t entry)
{
	return a->part->kind == COMPONENT_TAGGED ? entry / a->part->ways : entry;
}

static void say_row(struct grid *g, uint64_t key, const char *what)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", what);
}

enum entry_row {
	ROW_COUNTER = 1, ROW_SINCE, ROW_SET, ROW_STATE, ROW_TAG, ROW_HITS, ROW_MISSES, ROW_NEXT,
	ROW_OTHER, ROW_TUPLE, ROW_USED, ROW_LAST, ROW_DID, ROW_ORACLE, ROW_BIAS, ROW_ENTROPY,
	ROW_TUPLES, ROW_TABLES = ROW_TUPLES + BUCKETS_LISTED
};

static void bucket_entry_append_counter_row(struct grid *g, const struct buckets *a, uint32_t entry,
                                            const char *what)
{
	const struct counter c = counter_of(&a->sm->compressor, a->stage, entry);
	say_row(g, ROW_COUNTER, what);
	grid_uint(g, ROLE_NUMBER, a->part->kind == COMPONENT_COUNTDOWN ? c.of - c.at : c.at);
	grid_text(g, ROLE_PROFILE, "%s %s",
	          level_bar(c.at, c.of, BUCKET_BAR, BUFFER(BUCKET_BAR * BUCKET_GLYPH + 1)),
	          counter_text(a->part, &c, BUFFER(64)));
}

static void sampler_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	const struct component *part = a->part;
	const struct sampler_view v = compressor_sampler(&a->sm->compressor, a->stage, entry);
	if (part->kind != COMPONENT_RANDOM)
		bucket_entry_append_counter_row(
			g, a, entry, part->kind == COMPONENT_PERIODIC ? "counter" : "countdown");
	if (part->counted) {
		say_row(g, ROW_SINCE, "since");
		grid_uint(g, ROLE_NUMBER, v.since);
		grid_text(g, ROLE_DIM, "tuples since its last message, which the next one tells");
	}
	say_row(g, ROW_NEXT, "message");
	if (part->kind == COMPONENT_RANDOM) {
		grid_blank(g);
		grid_text(g, ROLE_DIM, "of one tuple in %s, by chance", GROUPED(part->rate));
	} else {
		const uint64_t left = part->kind == COMPONENT_PERIODIC ? part->rate - v.at : v.at;
		grid_uint(g, ROLE_NUMBER, left);
		grid_text(g, left == 1 ? ROLE_HOT : ROLE_DIM, "%s",
		          left == 1 ? "the very next tuple that comes here is sent"
		                    : "tuples from now: the last of these is sent");
	}
}

static const char *const on_hit[] = {"", "its tag: E3, or E2 if that fills it (a message)",
                                     "its tag: E6a, or E6 with enough hits (a message)"};
static const char *const on_miss[] = {
	"any tuple: E1, it's the entry's", "another tag: E4, it waits to be evicted",
	"another tag: E5a, or E5 with too many misses (it takes over)"};

static void tagged_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	static const enum role roles[] = {ROLE_DIM, ROLE_DONE, ROLE_WAITING};
	const struct component *part = a->part;
	const struct tagged_view v = compressor_tagged(&a->sm->compressor, a->stage, entry);
	say_row(g, ROW_STATE, "state");
	grid_blank(g);
	grid_text(g, roles[v.state],
	          "%s, set %" PRIu32 " of %" PRIu32 ", way %" PRIu32 " of %" PRIu32,
	          tag_state_name[v.state], entry / part->ways, part->entries / part->ways,
	          entry % part->ways, part->ways);
	if (v.state != TAG_EMPTY) {
		say_row(g, ROW_TAG, "tag");
		grid_uint_text(g, ROLE_NUMBER, v.tag, "0x%" PRIx64, (uint64_t)v.tag);
		grid_text(g, ROLE_DIM, "%" PRIu32 " bit%s", part->tag_bits,
		          part->tag_bits == 1 ? "" : "s");
	}
	bucket_entry_append_counter_row(g, a, entry, "hits");
	say_row(g, ROW_MISSES, "misses");
	grid_uint(g, ROLE_NUMBER, v.misses);
	grid_text(g, ROLE_DIM,
	          "another tuple takes over at %" PRIu32 "; with any, it's sent at %" PRIu32
	          " hits",
	          part->replace, part->evict);
	say_row(g, ROW_NEXT, "next");
	grid_blank(g);
	grid_text(g, ROLE_PLAIN, "%s", on_miss[v.state]);
	if (v.state == TAG_EMPTY)
		return;
	say_row(g, ROW_OTHER, "");
	grid_blank(g);
	grid_text(g, ROLE_PLAIN, "%s", on_hit[v.state]);
}

static void associative_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	const struct compressor *c = &a->sm->compressor;
	const struct associative_view v = compressor_associative(c, a->stage, entry);
	uint32_t newer = 0;
	bucket_entry_append_counter_row(g, a, entry, "counter");
	say_row(g, ROW_TUPLE, "tuple");
	grid_blank(g);
	if (!v.count) {
		grid_text(g, ROLE_DIM, "free");
		return;
	}
	cell_tuple(g, a->s, ROLE_ADDRESS, v.tuple);
	grid_last_row(g)->pc = tuple_pc(v.tuple);
	for (uint32_t i = 0; i < a->part->entries; i++) {
		const struct associative_view other = compressor_associative(c, a->stage, i);
		newer += other.count && other.used > v.used;
	}
	say_row(g, ROW_USED, "newer");
	grid_uint(g, ROLE_NUMBER, newer);
	grid_text(g, ROLE_DIM, "%s",
	          newer + 1 == a->part->entries ? "entries were used later: the next to make room"
	                                        : "entries were used later");
}

/* Rows for the plug-in's tables that have one element for each entry. */
static void plugin_rows(struct grid *g, const struct buckets *a, uint32_t entry)
{
	const struct plugin_state *state =
		&a->sm->compressor.plugins->state[PLUGIN_STAGE + a->part->plugin];
	for (unsigned t = 0; t < state->count; t++) {
		const struct plugin_table *table = &state->table[t];
		if (table->count != a->part->entries)
			continue;
		const int64_t value = plugin_get(state, t, entry);
		say_row(g, ROW_TABLES + t, table->name);
		grid_int(g, ROLE_NUMBER, value);
		grid_text(g, ROLE_DIM, "0x%" PRIx64 ", of %u bit%s", (uint64_t)value, table->bits,
		          table->bits == 1 ? "" : "s");
	}
}

static void bucket_entry_append_last_tuple(struct grid *g, const struct buckets *a, uint32_t entry)
{
	if (!a->step->cycle || a->step->touch.entry != entry || a->part->kind == COMPONENT_EXTERNAL)
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
	grid_text(g, ROLE_DIM, "tuple%s selected for it, %s time%s; the hardware doesn't know",
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

void bucket_entry_grid(struct grid *g, const struct buckets *a, uint32_t entry)
{
	grid_init(g, "Bucket", GRID_TABLE(bucket_entry_columns));
	grid_summary(g, "%s of %s in %u: %s", GROUPED(entry), GROUPED(a->part->entries), a->stage,
	             format_component(a->part, BUFFER(96)));
	if (a->part->kind == COMPONENT_TAGGED)
		tagged_rows(g, a, entry);
	else if (a->part->kind == COMPONENT_ASSOCIATIVE)
		associative_rows(g, a, entry);
	else if (a->part->kind == COMPONENT_EXTERNAL)
		plugin_rows(g, a, entry);
	else
		sampler_rows(g, a, entry);
	bucket_entry_append_last_tuple(g, a, entry);
	oracle_rows(g, a, entry);
}
