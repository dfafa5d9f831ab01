/* The associative table of counters (section 3.4): it has whole tuples, so nothing is lost. The
 * least recently used entry is sent to make room, and an entry is sent when its counter is full. */
#include "core/prof/sampler/compressor_priv.h"

enum { TUPLE_BITS = 128 };

struct entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/assoc_entry.def"
#undef STATE
};

struct table {
	uint64_t clock;
	struct entry entry[];
};

static size_t compress_assoc_state_bytes(const struct component *c)
{
	return sizeof(struct table) + c->entries * sizeof(struct entry);
}

/* Two words and a counter, and the entry's place in the order of use. */
static uint64_t compress_assoc_hardware_bits(const struct component *c)
{
	return (uint64_t)c->entries * (TUPLE_BITS + c->count_bits + bits_for(c->entries));
}

static void compress_assoc_reset_table(const struct component *c, void *state, uint64_t seed)
{
	struct table *t = state;
	(void)seed;
	t->clock = 0;
	for (uint32_t i = 0; i < c->entries; i++)
		t->entry[i] = (struct entry){0};
}

static bool compress_assoc_tuple_equals(struct tuple a, struct tuple b)
{
	return a.pc == b.pc && a.value == b.value;
}

/* The tuple's entry, else a free one, else the least recently used one. Free entries have `used` 0.
 */
static struct entry *compress_assoc_choose_entry(const struct component *c, struct table *t,
                                                 struct tuple tuple)
{
	struct entry *oldest = &t->entry[0];
	for (struct entry *e = t->entry; e < t->entry + c->entries; e++)
		if (compress_assoc_tuple_equals(e->tuple, tuple) && e->count)
			return e;
	for (struct entry *e = t->entry + 1; e < t->entry + c->entries; e++)
		oldest = e->used < oldest->used ? e : oldest;
	return oldest;
}

static uint64_t compress_assoc_entry_weight(const struct component *c, const struct entry *e)
{
	return e->count * (c->unit ? c->unit : 1);
}

/* Sends the entry's count; it is then the entry of m's tuple, with `units` counted. */
static bool compress_assoc_send_entry(const struct component *c, struct entry *e,
                                      const struct message *m, uint64_t units, struct message *out)
{
	*out = (struct message){e->tuple, compress_assoc_entry_weight(c, e)};
	e->tuple = m->tuple;
	e->count = units;
	return true;
}

/* Counts in the tuple's own entry. */
static bool compress_assoc_count_units(const struct component *c, struct entry *e,
                                       const struct message *m, uint64_t units, uint64_t most,
                                       struct message *out, uint32_t *act)
{
	*act = ACT_FULL;
	if (e->count + units > most)
		return compress_assoc_send_entry(c, e, m, units, out);
	e->count += units;
	if (e->count == most)
		return compress_assoc_send_entry(c, e, m, 0, out);
	*act = ACT_HIT;
	return false;
}

/* Gives a tuple an entry that is free, or another tuple's, which is sent. */
static bool compress_assoc_place_tuple(const struct component *c, struct entry *e,
                                       const struct message *m, uint64_t units, struct message *out,
                                       uint32_t *act)
{
	*act = e->count ? ACT_REPLACED : ACT_PLACED;
	if (e->count)
		return compress_assoc_send_entry(c, e, m, units, out);
	e->tuple = m->tuple;
	e->count = units;
	return false;
}

static bool compress_assoc_process_message(const struct component *c, void *state,
                                           const struct tuple_hasher *h, const struct message *m,
                                           struct message *out, struct component_touch *touch)
{
	struct table *t = state;
	struct entry *e = compress_assoc_choose_entry(c, t, m->tuple);
	uint64_t units = c->unit ? 1 : m->count, most = (UINT64_C(1) << c->count_bits) - 1;
	bool sent, own = e->count && compress_assoc_tuple_equals(e->tuple, m->tuple);
	(void)h;
	*touch = (struct component_touch){.entry = (uint32_t)(e - t->entry), .before = e->count};
	if (own || units < most) /* a message that is only passed on uses no other tuple's entry */
		e->used = ++t->clock;
	if (units >= most) { /* more than a counter holds: as if it had been counted and sent */
		*out = *m;
		touch->act = ACT_FULL;
		sent = true;
	} else if (own) {
		sent = compress_assoc_count_units(c, e, m, units, most, out, &touch->act);
	} else {
		sent = compress_assoc_place_tuple(c, e, m, units, out, &touch->act);
	}
	if (!e->count)
		e->used = 0;
	touch->after = e->count;
	return sent;
}

static size_t compress_assoc_feed_tuples(const struct component *c, void *state,
                                         const struct tuple_hasher *h, const struct tuple *t,
                                         size_t n, struct message *out, bool *sent)
{
	struct component_touch unseen;
	size_t i = 0;
	for (*sent = false; i < n && !*sent; i++)
		*sent = compress_assoc_process_message(c, state, h, &(struct message){t[i], 1}, out,
		                                       &unseen);
	return i;
}

/* Takes out the least recently used entry; false if the table is empty. */
static bool compress_assoc_drain_oldest(const struct component *c, void *state, struct message *out)
{
	struct table *t = state;
	struct entry *first = NULL;
	for (struct entry *e = t->entry; e < t->entry + c->entries; e++)
		if (e->count && (!first || e->used < first->used))
			first = e;
	if (!first)
		return false;
	*out = (struct message){first->tuple, compress_assoc_entry_weight(c, first)};
	*first = (struct entry){0};
	return true;
}

static uint64_t compress_assoc_held_weight(const struct component *c, const void *state)
{
	const struct table *t = state;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < c->entries; i++)
		sum += compress_assoc_entry_weight(c, &t->entry[i]);
	return sum;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(entry, __VA_ARGS__)
#include "core/prof/sampler/assoc_entry.def"
#undef STATE
};

static struct state_part compress_assoc_state_table(const struct component *c, const void *state,
                                                    const char *name)
{
	return STATE_PART(name, fields, ((const struct table *)state)->entry, c->entries);
}

static void compress_assoc_state_ranges(const struct component *c, const void *state,
                                        const char *name, struct ranges *rs)
{
	const struct table *t = state;
#define STATE(...) STATE_ROWS(rs, name, t->entry, c->entries, __VA_ARGS__)
#include "core/prof/sampler/assoc_entry.def"
#undef STATE
}

static const char *compress_assoc_check_table(const struct component *c, const void *state)
{
	const struct table *t = state;
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct entry *e = &t->entry[i];
		for (uint32_t j = 0; e->count && j < i; j++)
			if (t->entry[j].count &&
			    compress_assoc_tuple_equals(t->entry[j].tuple, e->tuple))
				return "two associative entries are of one tuple";
	}
	return NULL;
}

struct associative_view associative_view(const void *state, uint32_t entry)
{
	const struct entry *e = &((const struct table *)state)->entry[entry];
	return (struct associative_view){.tuple = e->tuple, .count = e->count, .used = e->used};
}

const struct component_ops component_associative = {
	.takes_any = true,
	.counts = true,
	.bytes = compress_assoc_state_bytes,
	.bits = compress_assoc_hardware_bits,
	.reset = compress_assoc_reset_table,
	.in = compress_assoc_process_message,
	.feed = compress_assoc_feed_tuples,
	.drain = compress_assoc_drain_oldest,
	.held = compress_assoc_held_weight,
	.ranges = compress_assoc_state_ranges,
	.table = compress_assoc_state_table,
	.check = compress_assoc_check_table,
};
