/* The tagged compressor: counters with partial tags (section 4, figure 6).
 *
 * Counts are passed on, never dropped: a set's messages, hits and misses account for all tuples
 * that entered it. An entry that loses to another tuple can't be sent then, because its own tuple
 * is not known: it waits until that comes again. */
#include "core/prof/sampler/compressor_priv.h"

struct entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
};

static size_t compress_tagged_state_bytes(const struct component *c)
{
	return c->entries * sizeof(struct entry);
}

/* Misses distinguish TAG_EVICT (4.2): the other two states take one bit. */
static uint64_t compress_tagged_hardware_bits(const struct component *c)
{
	return (uint64_t)c->entries * (c->hit_bits + c->miss_bits + c->tag_bits + 1);
}

static void compress_tagged_reset_table(const struct component *c, void *state, uint64_t seed)
{
	struct entry *e = state;
	(void)seed;
	for (uint32_t i = 0; i < c->entries; i++)
		e[i] = (struct entry){.state = TAG_EMPTY};
}

/* The cost of giving an entry to another tuple: least if it is empty, then if it waits to be
 * evicted, then by its hits. */
static inline uint64_t compress_tagged_replace_cost(const struct entry *e)
{
	return e->state == TAG_VALID ? (uint64_t)2 + e->hits : e->state == TAG_EVICT;
}

/* The way for a tuple with this tag: the one with its tag, else the first one of the least cost. */
static inline uint32_t compress_tagged_choose_way(const struct component *c,
                                                  const struct entry *set, uint32_t tag)
{
	uint32_t best = 0;
	if (c->ways == 1)
		return 0;
	for (uint32_t i = 0; i < c->ways; i++) {
		if (set[i].state != TAG_EMPTY && set[i].tag == tag)
			return i;
		if (compress_tagged_replace_cost(&set[i]) <
		    compress_tagged_replace_cost(&set[best]))
			best = i;
	}
	return best;
}

static bool compress_tagged_entry_is_full(const struct component *c, const struct entry *e)
{
	return e->hits >= UINT32_C(1) << c->hit_bits;
}

/* Sends the entry's hits for this tuple; the entry is then empty but for `hits`. */
static bool compress_tagged_send_hits(struct entry *e, const struct message *m, uint32_t unit,
                                      uint32_t hits, struct message *out)
{
	*out = (struct message){m->tuple, (uint64_t)e->hits * unit};
	*e = (struct entry){.state = TAG_EMPTY, .hits = hits};
	return true;
}

static inline bool compress_tagged_count_hit(const struct component *c, struct entry *e,
                                             const struct message *m, struct message *out,
                                             uint32_t *act)
{
	e->hits++;
	if (e->state == TAG_VALID) {
		*act = compress_tagged_entry_is_full(c, e) ? ACT_E2 : ACT_E3;
		return *act == ACT_E2 && compress_tagged_send_hits(e, m, c->unit, 0, out);
	}
	/* evict is at most the hits that make it full */
	*act = e->hits >= c->evict ? ACT_E6 : ACT_E6A;
	return *act == ACT_E6 && compress_tagged_send_hits(e, m, c->unit, e->misses, out);
}

static bool compress_tagged_count_miss(const struct component *c, struct entry *e, uint32_t tag,
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
	return compress_tagged_entry_is_full(c, e) &&
	       compress_tagged_send_hits(e, m, c->unit, 0, out);
}

static inline bool compress_tagged_count_tuple(const struct component *c, void *state,
                                               const struct tuple_hasher *h,
                                               const struct message *m, struct message *out,
                                               struct component_touch *touch)
{
	uint32_t tag = hasher_tag(h, m->tuple), first = hasher_index(h, m->tuple) * c->ways;
	uint32_t at =
		first + compress_tagged_choose_way(c, (const struct entry *)state + first, tag);
	struct entry *e = (struct entry *)state + at;
	*touch = (struct component_touch){.entry = at, .before = e->hits};
	bool sent;
	if (e->state == TAG_EMPTY) {
		*e = (struct entry){.tag = tag, .state = TAG_VALID, .hits = e->hits + 1};
		touch->act = ACT_E1;
		sent = compress_tagged_entry_is_full(c, e) &&
		       compress_tagged_send_hits(e, m, c->unit, 0, out);
	} else if (e->tag == tag) {
		sent = compress_tagged_count_hit(c, e, m, out, &touch->act);
	} else {
		sent = compress_tagged_count_miss(c, e, tag, m, out, &touch->act);
	}
	touch->after = e->hits;
	touch->misses = e->misses;
	return sent;
}

static bool compress_tagged_process_message(const struct component *c, void *state,
                                            const struct tuple_hasher *h, const struct message *m,
                                            struct message *out, struct component_touch *touch)
{
	return compress_tagged_count_tuple(c, state, h, m, out, touch);
}

static size_t compress_tagged_feed_tuples(const struct component *c, void *state,
                                          const struct tuple_hasher *h, const struct tuple *t,
                                          size_t n, struct message *out, bool *sent)
{
	const struct component part = *c; /* a copy, which no store into the state can alias */
	struct component_touch unseen;
	size_t i = 0;
	for (*sent = false; i < n && !*sent; i++)
		*sent = compress_tagged_count_tuple(&part, state, h, &(struct message){t[i], 1},
		                                    out, &unseen);
	return i;
}

static uint64_t compress_tagged_held_weight(const struct component *c, const void *state)
{
	const struct entry *e = state;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < c->entries; i++)
		sum += (uint64_t)e[i].hits + e[i].misses;
	return sum * c->unit;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(entry, __VA_ARGS__)
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
};

static struct state_part compress_tagged_state_table(const struct component *c, const void *state,
                                                     const char *name)
{
	return STATE_PART(name, fields, (const struct entry *)state, c->entries);
}

static void compress_tagged_state_ranges(const struct component *c, const void *state,
                                         const char *name, struct ranges *rs)
{
	const struct entry *e = state;
#define STATE(...) STATE_ROWS(rs, name, e, c->entries, __VA_ARGS__)
#include "core/prof/sampler/tagged_entry.def"
#undef STATE
}

static const char *compress_tagged_check_table(const struct component *c, const void *state)
{
	const struct entry *e = state;
	for (uint32_t i = 0; i < c->entries; i++, e++)
		if ((e->state == TAG_EVICT) != (e->misses > 0))
			return "a tagged entry has misses that it can't have";
	return NULL;
}

struct tagged_view tagged_view(const void *state, uint32_t entry)
{
	const struct entry *e = (const struct entry *)state + entry;
	return (struct tagged_view){.state = (enum tag_state)e->state,
	                            .tag = e->tag,
	                            .hits = e->hits,
	                            .misses = e->misses};
}

const struct component_ops component_tagged = {
	.counts = true,
	.hashes = true,
	.bytes = compress_tagged_state_bytes,
	.bits = compress_tagged_hardware_bits,
	.reset = compress_tagged_reset_table,
	.in = compress_tagged_process_message,
	.feed = compress_tagged_feed_tuples,
	.held = compress_tagged_held_weight,
	.ranges = compress_tagged_state_ranges,
	.table = compress_tagged_state_table,
	.check = compress_tagged_check_table,
};
