/* buckets, cell by cell, against a plain reading of the sampler's counters
 * (tests/unit/cells/view_cells.h). */
#include "core/defs/kinds.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/component.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "tests/unit/cells/view_cells.h"

enum { SHOWN = 8 };

/* ---- the sampler's counters ---- */
struct count {
	uint64_t at, of;
	bool used, evicts;
};

static struct entry_field buckets_cells_entry_field(const struct compressor *c, unsigned stage,
                                                    uint32_t entry, const char *name)
{
	struct entry_field all[ENTRY_FIELDS_MAX];
	const unsigned n = c->spec.stage[stage].ops->fields(c, stage, entry, all);
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return all[i];
	fail_msg("no field '%s'", name);
	return all[0];
}

static uint64_t buckets_cells_entry_value(const struct compressor *c, unsigned stage,
                                          uint32_t entry, const char *name)
{
	return buckets_cells_entry_field(c, stage, entry, name).value;
}

static struct tuple buckets_cells_entry_tuple(const struct compressor *c, unsigned stage,
                                              uint32_t entry)
{
	return (struct tuple){buckets_cells_entry_value(c, stage, entry, "pc"),
	                      buckets_cells_entry_value(c, stage, entry, "value")};
}

static struct count buckets_cells_entry_count(const struct compressor *c, unsigned stage,
                                              uint32_t entry)
{
	const struct component *part = &c->spec.stage[stage];
	if (part->kind == COMPONENT_TAGGED) {
		const char *state = buckets_cells_entry_field(c, stage, entry, "state").word;
		return (struct count){buckets_cells_entry_value(c, stage, entry, "hits"),
		                      UINT64_C(1) << part->hit_bits, strcmp(state, "empty") != 0,
		                      !strcmp(state, "evict")};
	}
	if (part->kind == COMPONENT_ASSOCIATIVE) {
		const uint64_t n = buckets_cells_entry_value(c, stage, entry, "count");
		return (struct count){n, (UINT64_C(1) << part->count_bits) - 1, n > 0, false};
	}
	const uint64_t since = buckets_cells_entry_value(c, stage, entry, "since"),
		       n = buckets_cells_entry_value(c, stage, entry, "at");
	if (part->kind == COMPONENT_RANDOM)
		return (struct count){since / part->unit, part->rate, since > 0, false};
	assert_int_equal(part->kind, COMPONENT_PERIODIC);
	return (struct count){n, part->rate, n > 0, false};
}

static unsigned buckets_cells_fill_eighths(const struct count *c)
{
	return !c->at && !c->used ? 0 : c->at >= c->of ? 8 : 1 + (unsigned)(c->at * 8 / c->of);
}

static const char *buckets_cells_format_bar(const struct count *c, unsigned width)
{
	char *out = some_text();
	const uint64_t halves = (c->at < c->of ? c->at : c->of) * width * 2 / c->of;
	*out = '\0';
	for (uint64_t i = 0; i < width; i++)
		strcat(out, halves >= 2 * i + 2 || (!i && c->at) ? "█"
		            : halves >= 2 * i + 1                ? "▌"
		                                                 : "░");
	return out;
}

/* The text after the bar. */
static const char *buckets_cells_format_count(const struct component *part, const struct count *c)
{
	char *out = some_text();
	if (part->kind == COMPONENT_RANDOM)
		snprintf(out, 256, "%s, one in %s is sent", grouped(c->at), grouped(c->of));
	else
		snprintf(out, 256, "%s of %s", grouped(c->at), grouped(c->of));
	return out;
}

static const char *buckets_cells_format_tuple(const struct session *s, struct tuple t)
{
	char *out = some_text();
	assert_int_equal(tuple_tag(t), 0);
	snprintf(out, 256, "%s → 0x%llx", addr_of(s, tuple_pc(t)), (ull)t.value);
	return out;
}

/* The selected tuples of a set. */
struct mix {
	uint64_t distinct, selected, most;
	double entropy;
	struct tuple tuple;
};

static struct mix mix_of(const struct prof *d, unsigned stage, uint32_t set)
{
	const struct sampler_exact *x = sampler_exact_of(d);
	struct mix mix = {.distinct = 0};
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < x->head.entries; i++) {
			const struct exact_tuple t = sampler_exact_tuple(x, i);
			if (!t.selected ||
			    compressor_index(&sampler_of(d)->compressor, stage, t.tuple) != set)
				continue;
			const double share = pass ? (double)t.selected / (double)mix.selected : 1;
			mix.entropy -= pass ? share * log2(share) : 0;
			mix.distinct += !pass;
			mix.selected += pass ? 0 : t.selected;
			if (t.selected > mix.most) {
				mix.most = t.selected;
				mix.tuple = t.tuple;
			}
		}
	return mix;
}

struct subject {
	const struct session *s;
	const struct prof *d;
	const struct compressor *c;
	const struct component *part;
	const struct sampler_step *step;
	unsigned stage;
	uint32_t now; /* the entry that a tuple went to in the last cycle; UINT32_MAX: none */
	struct mix *mix; /* by set; NULL: no oracle */
};

static struct mix *mix_at(const struct subject *a, uint32_t entry)
{
	return &a->mix[a->part->kind == COMPONENT_TAGGED ? entry / a->part->ways : entry];
}

static void buckets_cells_check_map(struct cells *c, const struct subject *a)
{
	const uint32_t entries = a->part->entries;
	uint32_t per = 1;
	while (per * 64 * 16 < entries)
		per *= 2;
	for (uint32_t first = 0; first < entries; first += per * 64) {
		char line[256] = "";
		uint64_t used = 0, distinct = 0, stands[1024];
		uint32_t listed = 0;
		bool now = false;
		assert_true(per * 64 <= 1024);
		for (uint32_t at = first; at < first + per * 64 && at < entries; at += per) {
			static const char *const glyphs[] = {"·", "▁", "▂", "▃", "▄",
			                                     "▅", "▆", "▇", "█"};
			unsigned level = 0;
			bool here = false, evicts = false;
			for (uint32_t i = at; i < at + per && i < entries; i++) {
				const struct count n = buckets_cells_entry_count(a->c, a->stage, i);
				used += n.used;
				stands[listed++] = n.used ? n.at : 0;
				evicts |= n.evicts;
				here |= i == a->now;
				level = buckets_cells_fill_eighths(&n) > level
				                ? buckets_cells_fill_eighths(&n)
				                : level;
				distinct +=
					a->mix && (i == first || mix_at(a, i) != mix_at(a, i - 1))
						? mix_at(a, i)->distinct
						: 0;
			}
			strcat(line, here ? "◆" : evicts ? "×" : glyphs[level]);
			now |= here;
		}
		cells_row(c);
		says_word(c, "entry", RAW_UINT, first, "%u", first);
		says_list(c, "map", stands, listed, "%s", line);
		says_uint(c, "count", used);
		if (a->mix) {
			says_uint(c, "distinct", distinct);
			says_nothing(c, "bias");
			says_nothing(c, "entropy");
			says_nothing(c, "mostly");
		}
		says(c, "tuple", "%s",
		     now ? buckets_cells_format_tuple(a->s, a->step->in.tuple) : "");
	}
}

static double buckets_cells_entry_heat(const struct subject *a, uint32_t entry)
{
	const struct count n = buckets_cells_entry_count(a->c, a->stage, entry);
	const double full = (double)n.at / (double)n.of;
	if (a->mix)
		return (double)mix_at(a, entry)->selected + (n.at < n.of ? full / 2 : 0);
	return n.used ? full : 0;
}

static void read_hottest(struct cells *c, const struct subject *a)
{
	const bool associative = a->part->kind == COMPONENT_ASSOCIATIVE;
	bool *shown = calloc(a->part->entries, sizeof *shown);
	for (unsigned rows = 0; rows < SHOWN; rows++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t i = 0; i < a->part->entries; i++)
			if (!shown[i] && buckets_cells_entry_heat(a, i) > 0 &&
			    (best == UINT32_MAX ||
			     buckets_cells_entry_heat(a, i) > buckets_cells_entry_heat(a, best)))
				best = i;
		if (best == UINT32_MAX)
			break;
		shown[best] = true;
		if (!rows) {
			cells_row(c);
			says(c, "entry", "entry");
			says(c, "map", "%s", a->mix ? "hottest" : "fullest");
			says(c, "count", "count");
			for (unsigned i = 0; a->mix && i < 4; i++)
				says(c,
				     (const char *[]){"distinct", "bias", "entropy", "mostly"}[i],
				     "%s",
				     (const char *[]){"tuples", "bias", "entropy", "mostly"}[i]);
			says(c, "tuple", "%s", associative ? "tuple" : "last tuple");
		}
		const struct count n = buckets_cells_entry_count(a->c, a->stage, best);
		const bool came = a->step->cycle && a->step->touch.entry == best;
		const struct tuple t = associative
		                               ? buckets_cells_entry_tuple(a->c, a->stage, best)
		                               : a->step->in.tuple;
		cells_row(c);
		says_word(c, "entry", RAW_UINT, best, "%u", best);
		says_list(c, "map", &n.at, 1, "%s%s %s", buckets_cells_format_bar(&n, 8),
		          best == a->now ? "◆"
		          : n.evicts     ? "×"
		                         : "",
		          buckets_cells_format_count(a->part, &n));
		says_uint(c, "count", n.at);
		if (a->mix) {
			const struct mix *m = mix_at(a, best);
			const double bias =
				100 * (double)m->most / (double)(m->selected ? m->selected : 1);
			says_uint(c, "distinct", m->distinct);
			says_double(c, "bias", bias, "%.1f %%", bias);
			/* sums in another order */
			const double entropy = cells_at(c, "entropy")->raw.d;
			assert_true(fabs(entropy - m->entropy) < 1e-6);
			says_double(c, "entropy", entropy, "%.2f", entropy);
			says(c, "mostly", "%s",
			     m->selected ? buckets_cells_format_tuple(a->s, m->tuple) : "");
		}
		says(c, "tuple", "%s",
		     (associative ? n.at > 0 : came) ? buckets_cells_format_tuple(a->s, t) : "");
	}
	free(shown);
}

/* An entry's own rows, up to the last tuple and the oracle's figures. */
static void entry_row(struct cells *c, const char *what, bool number, uint64_t value,
                      const char *text)
{
	cells_row(c);
	says(c, "what", "%s", what);
	if (number)
		says_uint(c, "value", value);
	else
		says_nothing(c, "value");
	says(c, "says", "%s", text);
}

static void buckets_cells_check_entry(const struct subject *a, uint32_t entry)
{
	const struct count n = buckets_cells_entry_count(a->c, a->stage, entry);
	char words[32], text[256];
	struct cells c;
	snprintf(words, sizeof words, "buckets %u %u", a->stage, entry);
	cells_open(&c, a->s, words);
	if (a->part->kind == COMPONENT_TAGGED) {
		const char *state =
			buckets_cells_entry_field(a->c, a->stage, entry, "state").word;
		const uint64_t tag = buckets_cells_entry_value(a->c, a->stage, entry, "tag");
		const uint32_t ways = a->part->ways;
		cells_row(&c);
		says(&c, "what", "state");
		says_nothing(&c, "value");
		says(&c, "says", "%c%s, set %u of %u, way %u of %u", *state - 'a' + 'A', state + 1,
		     entry / ways, a->part->entries / ways, entry % ways, ways);
		if (strcmp(state, "empty") != 0) {
			cells_row(&c);
			says(&c, "what", "tag");
			says_word(&c, "value", RAW_UINT, tag, "0x%llx", (ull)tag);
			says(&c, "says", "%u bits", a->part->tag_bits);
		}
	}
	snprintf(text, sizeof text, "%s %s", buckets_cells_format_bar(&n, 16),
	         buckets_cells_format_count(a->part, &n));
	if (a->part->kind != COMPONENT_RANDOM)
		entry_row(&c, a->part->kind == COMPONENT_TAGGED ? "hits" : "counter", true, n.at,
		          text);
	if (a->part->kind == COMPONENT_TAGGED) {
		snprintf(text, sizeof text,
		         "another tuple takes over at %u; with any, it's sent at %u hits",
		         a->part->replace, a->part->evict);
		entry_row(&c, "misses", true,
		          buckets_cells_entry_value(a->c, a->stage, entry, "misses"), text);
	} else if (a->part->kind == COMPONENT_PERIODIC) {
		const uint64_t left = a->part->rate - n.at;
		entry_row(&c, "since", true,
		          buckets_cells_entry_value(a->c, a->stage, entry, "since"),
		          "tuples since its last message, for the next one");
		entry_row(&c, "message", true, left,
		          left == 1 ? "the very next tuple that comes here is sent"
		                    : "tuples from now: the last of these is sent");
	} else if (a->part->kind == COMPONENT_RANDOM) {
		entry_row(&c, "since", true,
		          buckets_cells_entry_value(a->c, a->stage, entry, "since"),
		          "tuples since its last message, for the next one");
		snprintf(text, sizeof text, "of one tuple in %s, by chance", grouped(n.of));
		entry_row(&c, "message", false, 0, text);
	} else if (n.at) {
		const uint64_t used = buckets_cells_entry_value(a->c, a->stage, entry, "used");
		uint32_t newer = 0;
		for (uint32_t i = 0; i < a->part->entries; i++)
			newer += buckets_cells_entry_value(a->c, a->stage, i, "count") &&
				 buckets_cells_entry_value(a->c, a->stage, i, "used") > used;
		entry_row(&c, "tuple", false, 0,
		          buckets_cells_format_tuple(
				  a->s, buckets_cells_entry_tuple(a->c, a->stage, entry)));
		entry_row(&c, "newer", true, newer,
		          newer + 1 == a->part->entries
		                  ? "entries were used later: the next to make room"
		                  : "entries were used later");
	}
	c.rows = c.g.row_count; /* what came last: tests/cmd/sampler.sh */
	cells_close(&c);
}

static void read_buckets(const struct session *s, unsigned stage)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct sampler *sm = sampler_of(d);
	struct subject a = {.s = s,
	                    .d = d,
	                    .c = &sm->compressor,
	                    .part = &sm->compressor.spec.stage[stage],
	                    .step = &sm->st->step[stage],
	                    .stage = stage};
	const uint32_t sets = sampler_exact_of(d) ? sampler_exact_buckets(a.c, stage) : 0;
	char words[32];
	struct cells c;
	a.now = a.step->cycle && a.step->cycle + 1 == prof_now(d) ? a.step->touch.entry
	                                                          : UINT32_MAX;
	a.mix = sets ? calloc(sets, sizeof *a.mix) : NULL;
	for (uint32_t i = 0; i < sets; i++)
		a.mix[i] = mix_of(d, stage, i);
	snprintf(words, sizeof words, "buckets %u", stage);
	cells_open(&c, s, words);
	buckets_cells_check_map(&c, &a);
	read_hottest(&c, &a);
	cells_close(&c);
	for (uint32_t i = 0; i < a.part->entries && i < 64; i += 3)
		buckets_cells_check_entry(&a, i);
	if (a.step->cycle)
		buckets_cells_check_entry(&a, a.step->touch.entry);
	free(a.mix);
}

TEST(counters_are_the_compressors)
{
	static const char *const settings[] = {
		"sampler.enable=true;sampler.exact=true;sampler.compressor=H(C(P(4)), 64), A(4)",
		"sampler.enable=true;sampler.exact=true;sampler.compressor=T(64, hit=3, replace=2, "
	        "evict=4), A(4)",
		"sampler.enable=true;sampler.exact=false;sampler.compressor=H(C(P(8)), 2048), "
	        "A(4)",
		"sampler.enable=true;sampler.exact=true;sampler.compressor=H(C(R(6)), 64), A(4)"};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[i]);
		unsigned now = 0;
		for (unsigned k = 0; k < 40; k++) {
			const struct sampler_step *step =
				sampler_of(machine_pipe(s->machine)->prof)->st->step;
			run_for(s, k % 8 ? 1 : 900);
			for (unsigned wait = 0;
			     k % 2 && wait < 500 &&
			     step->cycle + 1 != prof_now(machine_pipe(s->machine)->prof);
			     wait++)
				run_for(s, 1);
			now += step->cycle + 1 == prof_now(machine_pipe(s->machine)->prof);
			read_buckets(s, 0);
			read_buckets(s, 1);
		}
		assert_true(now > 2);
		session_free(s);
	}
}

TEST(buckets_cells_are_complete)
{
	views_are_complete("buckets");
}
