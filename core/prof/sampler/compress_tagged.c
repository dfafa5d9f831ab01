/* The tagged compressor: counters with partial tags (section 4, figure 6).
 *
 * Counts are passed on, never dropped: a set's messages, hits and misses account for all tuples
 * that entered it. An entry that loses to another tuple can't be sent at once, because its own
 * tuple is not known: it waits until that tuple arrives again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/sampler/compress_hash.h"
#include "core/prof/sampler/compress_read.h"
#include "core/prof/sampler/compressor.h"

enum {
	TAGGED_MAX = 1 << 20,
	WAYS_MAX = 4096,
	MISS_BITS_MAX = 15,
	REPLACE_MIN = 2 /* the first miss is E4 */
};

struct entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
};

/* ---- text ---- */
struct tagged_option {
	const char *name;
	uint32_t *value, min, max;
};

static bool tagged_parse_option(struct compress_reader *r, struct component *c)
{
	const struct tagged_option options[] = {
		{"ways", &c->ways, 1, WAYS_MAX},
		{"tag", &c->tag_bits, 0, COMPRESS_BITS_MAX},
		{"hit", &c->hit_bits, 1, COMPRESS_BITS_MAX},
		{"miss", &c->miss_bits, 1, MISS_BITS_MAX},
		{"evict", &c->evict, 1, INT32_MAX},
		{"replace", &c->replace, REPLACE_MIN, 1 << MISS_BITS_MAX},
	};
	enum { OPTIONS = sizeof options / sizeof *options };
	const char *names[OPTIONS + 1];
	char w[COMPRESS_WORD_MAX];
	for (unsigned i = 0; i < OPTIONS; i++)
		names[i] = options[i].name;
	names[OPTIONS] = "hash";
	compress_read_word(r, w);
	int i = nearest_choice(w, names, OPTIONS + 1, "option of T", r->err);
	if (i < 0 || !compress_read_sign(r, '=', "options of T are written as ways=2"))
		return false;
	return i == OPTIONS ? compress_read_hash(r, c)
	                    : compress_read_number(r, w, options[i].min, options[i].max,
	                                           options[i].value);
}

static bool tagged_check_options(struct compress_reader *r, const struct component *c)
{
	uint32_t sets = c->entries / c->ways;
	if (c->entries % c->ways || (c->hash != HASH_MODULO && !compressor_is_power_of_two(sets)))
		return err_set(r->err,
		               "T(%" PRIu32 ", ways=%" PRIu32
		               "); expected entries divided by ways to be a power of two, or any "
		               "number with hash=modulo",
		               c->entries, c->ways);
	if (c->evict > UINT32_C(1) << c->hit_bits)
		return err_set(r->err,
		               "evict=%" PRIu32 " is more than a hit counter of %" PRIu32
		               " bits reaches, %" PRIu32,
		               c->evict, c->hit_bits, UINT32_C(1) << c->hit_bits);
	if (c->replace > UINT32_C(1) << c->miss_bits)
		return err_set(r->err,
		               "replace=%" PRIu32 " is more than a miss counter of %" PRIu32
		               " bits reaches, %" PRIu32,
		               c->replace, c->miss_bits, UINT32_C(1) << c->miss_bits);
	if (c->replace > UINT32_C(1) << c->hit_bits) /* E6 turns misses into hits */
		return err_set(r->err,
		               "replace=%" PRIu32
		               ": misses become hits, which a counter of %" PRIu32
		               " bits holds only if replace is at most %" PRIu32,
		               c->replace, c->hit_bits, UINT32_C(1) << c->hit_bits);
	return true;
}

/* (n) or (n, ways=2, ...) */
static bool tagged_parse(struct compress_reader *r, struct component *c)
{
	static const char how[] =
		"tagged counters are written as T(2048) or T(2048, ways=2, tag=2)";
	c->ways = 2;
	c->tag_bits = 2;
	c->hit_bits = 8;
	c->miss_bits = 3;
	c->evict = 32;
	c->replace = 8;
	if (!compress_read_sign(r, '(', how) ||
	    !compress_read_number(r, "the number of tagged counters", 1, TAGGED_MAX, &c->entries))
		return false;
	if (c->entries < c->ways)
		c->ways = c->entries;
	while (compress_accept(r, ','))
		if (!tagged_parse_option(r, c))
			return false;
	return compress_read_sign(r, ')', how) && tagged_check_options(r, c);
}

static void tagged_format(const struct component *c, struct textbuf *t)
{
	textbuf_add(t, "(%" PRIu32 ")", c->entries);
}

static void tagged_format_options(const struct component *c, struct textbuf *t)
{
	textbuf_add(t,
	            "ways=%" PRIu32 ", tag=%" PRIu32 ", hit=%" PRIu32 ", miss=%" PRIu32
	            ", evict=%" PRIu32 ", replace=%" PRIu32 "%s%s",
	            c->ways, c->tag_bits, c->hit_bits, c->miss_bits, c->evict, c->replace,
	            c->hash ? ", hash=" : "", c->hash ? tuple_hash_name[c->hash] : "");
}

/* ---- state ---- */
static size_t tagged_state_bytes(const struct component *c)
{
	return c->entries * sizeof(struct entry);
}

/* Misses distinguish TAG_EVICT (4.2): the other two states take one bit. */
static uint64_t tagged_hardware_bits(const struct component *c)
{
	return (uint64_t)c->entries * (c->hit_bits + c->miss_bits + c->tag_bits + 1);
}

static void tagged_reset_table(const struct compressor *c, unsigned stage, uint64_t seed)
{
	struct entry *e = c->state[stage];
	(void)seed;
	for (uint32_t i = 0; i < c->spec.stage[stage].entries; i++)
		e[i] = (struct entry){.state = TAG_EMPTY};
}

/* The cost of giving an entry to another tuple: least if it is empty, then if it waits to be
 * evicted, then by its hits. */
static inline uint64_t tagged_replace_cost(const struct entry *e)
{
	return e->state == TAG_VALID ? (uint64_t)2 + e->hits : e->state == TAG_EVICT;
}

/* The way for a tuple with this tag: the way that has the tag, else the first way of least cost. */
static inline uint32_t tagged_choose_way(const struct component *c, const struct entry *set,
                                         uint32_t tag)
{
	uint32_t best = 0;
	if (c->ways == 1)
		return 0;
	for (uint32_t i = 0; i < c->ways; i++) {
		if (set[i].state != TAG_EMPTY && set[i].tag == tag)
			return i;
		if (tagged_replace_cost(&set[i]) < tagged_replace_cost(&set[best]))
			best = i;
	}
	return best;
}

static bool tagged_entry_is_full(const struct component *c, const struct entry *e)
{
	return e->hits >= UINT32_C(1) << c->hit_bits;
}

/* Sends the entry's hits for this tuple; the entry is then empty but for `hits`. */
static bool tagged_send_hits(struct entry *e, const struct message *m, uint32_t unit, uint32_t hits,
                             struct message *out)
{
	*out = (struct message){m->tuple, (uint64_t)e->hits * unit};
	*e = (struct entry){.state = TAG_EMPTY, .hits = hits};
	return true;
}

static inline bool tagged_count_hit(const struct component *c, struct entry *e,
                                    const struct message *m, struct message *out, uint32_t *act)
{
	e->hits++;
	if (e->state == TAG_VALID) {
		*act = tagged_entry_is_full(c, e) ? ACT_E2 : ACT_E3;
		return *act == ACT_E2 && tagged_send_hits(e, m, c->unit, 0, out);
	}
	/* evict is at most the hits that make it full */
	*act = e->hits >= c->evict ? ACT_E6 : ACT_E6A;
	return *act == ACT_E6 && tagged_send_hits(e, m, c->unit, e->misses, out);
}

static bool tagged_count_miss(const struct component *c, struct entry *e, uint32_t tag,
                              const struct message *m, struct message *out, uint32_t *act)
{
	e->misses++;
	if (e->state == TAG_VALID) {
		e->state = TAG_EVICT;
		*act = ACT_E4;
		return false;
	}
	if (e->misses < c->replace) {
		*act = ACT_E5A;
		return false;
	}
	*e = (struct entry){.tag = tag, .state = TAG_VALID, .hits = e->hits + e->misses};
	*act = ACT_E5;
	return tagged_entry_is_full(c, e) && tagged_send_hits(e, m, c->unit, 0, out);
}

static inline bool tagged_count_tuple(const struct component *c, void *state,
                                      const struct tuple_hasher *h, const struct message *m,
                                      struct message *out, struct component_touch *touch)
{
	uint32_t tag = hasher_tag(h, m->tuple), first = hasher_index(h, m->tuple) * c->ways;
	uint32_t at = first + tagged_choose_way(c, (const struct entry *)state + first, tag);
	struct entry *e = (struct entry *)state + at;
	*touch = (struct component_touch){.entry = at, .before = e->hits};
	bool sent;
	if (e->state == TAG_EMPTY) {
		*e = (struct entry){.tag = tag, .state = TAG_VALID, .hits = e->hits + 1};
		touch->act = ACT_E1;
		sent = tagged_entry_is_full(c, e) && tagged_send_hits(e, m, c->unit, 0, out);
	} else if (e->tag == tag) {
		sent = tagged_count_hit(c, e, m, out, &touch->act);
	} else {
		sent = tagged_count_miss(c, e, tag, m, out, &touch->act);
	}
	touch->after = e->hits;
	touch->misses = e->misses;
	return sent;
}

static bool tagged_process_message(struct compressor *c, unsigned stage, const struct message *m,
                                   struct message *out, struct component_touch *touch)
{
	return tagged_count_tuple(&c->spec.stage[stage], c->state[stage], c->hasher[stage], m, out,
	                          touch);
}

static size_t tagged_feed_tuples(struct compressor *c, unsigned stage, const struct tuple *t,
                                 size_t n, struct message *out, bool *sent)
{
	const struct component part = c->spec.stage[stage]; /* a copy, which no store can alias */
	void *state = c->state[stage];
	const struct tuple_hasher *h = c->hasher[stage];
	struct component_touch unseen;
	size_t i = 0;
	for (*sent = false; i < n && !*sent; i++)
		*sent = tagged_count_tuple(&part, state, h, &(struct message){t[i], 1}, out,
		                           &unseen);
	return i;
}

static uint64_t tagged_held_weight(const struct compressor *c, unsigned stage)
{
	const struct component *part = &c->spec.stage[stage];
	const struct entry *e = c->state[stage];
	uint64_t sum = 0;
	for (uint32_t i = 0; i < part->entries; i++)
		sum += (uint64_t)e[i].hits + e[i].misses;
	return sum * part->unit;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(entry, __VA_ARGS__)
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
};

static struct state_part tagged_state_table(const struct compressor *c, unsigned stage,
                                            const char *name)
{
	return STATE_PART(name, fields, (const struct entry *)c->state[stage],
	                  c->spec.stage[stage].entries);
}

static void tagged_state_ranges(const struct compressor *of, unsigned stage, const char *name,
                                struct ranges *rs)
{
	const struct component *c = &of->spec.stage[stage];
	const struct entry *e = of->state[stage];
#define STATE(...) STATE_ROWS(rs, name, e, c->entries, __VA_ARGS__)
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
}

static const char *tagged_check_table(const struct compressor *c, unsigned stage)
{
	const struct entry *e = c->state[stage];
	for (uint32_t i = 0; i < c->spec.stage[stage].entries; i++, e++)
		if ((e->state == TAG_EVICT) != (e->misses > 0))
			return "a tagged entry has misses that it can't have";
	return NULL;
}

/* ---- display ---- */
static const char *const tagged_state_name[] = {
	[TAG_EMPTY] = "empty", [TAG_VALID] = "valid", [TAG_EVICT] = "evict"};

static const struct entry *tagged_entry(const struct compressor *c, unsigned stage, uint32_t entry)
{
	return (const struct entry *)c->state[stage] + entry;
}

static struct component_counter tagged_counter(const struct compressor *c, unsigned stage,
                                               uint32_t entry)
{
	const struct entry *e = tagged_entry(c, stage, entry);
	return (struct component_counter){.known = true,
	                                  .used = e->state != TAG_EMPTY,
	                                  .evicts = e->state == TAG_EVICT,
	                                  .at = e->hits,
	                                  .of = UINT64_C(1) << c->spec.stage[stage].hit_bits};
}

static unsigned tagged_fields(const struct compressor *c, unsigned stage, uint32_t entry,
                              struct entry_field *out)
{
	const struct entry *e = tagged_entry(c, stage, entry);
	out[0] = (struct entry_field){"state", .word = tagged_state_name[e->state]};
	out[1] = (struct entry_field){"tag", .value = e->tag};
	out[2] = (struct entry_field){"hits", .value = e->hits};
	out[3] = (struct entry_field){"misses", .value = e->misses};
	return 4;
}

static unsigned tagged_rows(const struct compressor *c, unsigned stage, uint32_t entry,
                            struct entry_row *out)
{
	static const struct entry_row
		state_row[] =
			{
				[TAG_EMPTY] = {"state", .tone = ENTRY_DIM, .says = "Empty"},
				[TAG_VALID] = {"state", .tone = ENTRY_DONE, .says = "Valid"},
				[TAG_EVICT] = {"state", .tone = ENTRY_WAITING, .says = "Evict"},
			},
		on_miss[] =
			{
				[TAG_EMPTY] = {"next", .tone = ENTRY_PLAIN,
	                                       .says = "any tuple: E1, it's the entry's"},
				[TAG_VALID] = {"next", .tone = ENTRY_PLAIN,
	                                       .says = "another tag: E4, it waits to be evicted"},
				[TAG_EVICT] = {"next", .tone = ENTRY_PLAIN,
	                                       .says = "another tag: E5a, or E5 with too many "
	                                               "misses (it takes over)"},
			},
		on_hit[] = {
			[TAG_VALID] = {"", .tone = ENTRY_PLAIN,
	                               .says = "its tag: E3, or E2 if that fills it (a message)"},
			[TAG_EVICT] = {"", .tone = ENTRY_PLAIN,
	                               .says = "its tag: E6a, or E6 with enough hits (a message)"},
		};
	const struct component *part = &c->spec.stage[stage];
	const struct entry *e = tagged_entry(c, stage, entry);
	out[0] = state_row[e->state];
	struct textbuf state = {out[0].says, sizeof out[0].says, strlen(out[0].says)};
	textbuf_add(&state, ", set %" PRIu32 " of %" PRIu32 ", way %" PRIu32 " of %" PRIu32,
	            entry / part->ways, part->entries / part->ways, entry % part->ways, part->ways);
	out[1] = (struct entry_row){e->state != TAG_EMPTY ? "tag" : NULL, ENTRY_HEX,
	                            .number = e->tag};
	snprintf(out[1].says, sizeof out[1].says, "%" PRIu32 " bit%s", part->tag_bits,
	         part->tag_bits == 1 ? "" : "s");
	out[2] = (struct entry_row){"hits", ENTRY_COUNTER, .number = e->hits};
	out[3] = (struct entry_row){"misses", ENTRY_NUMBER, .number = e->misses};
	snprintf(out[3].says, sizeof out[3].says,
	         "another tuple takes over at %" PRIu32 "; with any, it's sent at %" PRIu32 " hits",
	         part->replace, part->evict);
	out[4] = on_miss[e->state];
	out[5] = on_hit[e->state];
	return 6;
}

static void tagged_say_touch(const struct component *c, const struct component_touch *touch,
                             struct textbuf *t)
{
	textbuf_add(t,
	            "%s in entry %" PRIu32 ": %s; hits %" PRIu64 " to %" PRIu64 " of %" PRIu64
	            ", misses %" PRIu64,
	            component_act_name[touch->act], touch->entry, component_act_help[touch->act],
	            touch->before, touch->after, UINT64_C(1) << c->hit_bits, touch->misses);
}

const struct component_ops component_tagged = {
	.counts = true,
	.tagged = true,
	.lossless = true,
	.parse = tagged_parse,
	.format = tagged_format,
	.options = tagged_format_options,
	.bytes = tagged_state_bytes,
	.reset = tagged_reset_table,
	.bits = tagged_hardware_bits,
	.in = tagged_process_message,
	.feed = tagged_feed_tuples,
	.held = tagged_held_weight,
	.ranges = tagged_state_ranges,
	.table = tagged_state_table,
	.check = tagged_check_table,
	.counter = tagged_counter,
	.fields = tagged_fields,
	.rows = tagged_rows,
	.say_touch = tagged_say_touch,
};
