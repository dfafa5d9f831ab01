/* The associative table of counters (section 3.4): it has whole tuples, so nothing is lost. The
 * least recently used entry is sent to make room, and an entry is sent when its counter is full. */
#include <inttypes.h>
#include <stdio.h>

#include "core/prof/sampler/compress_hash.h"
#include "core/prof/sampler/compress_read.h"
#include "core/prof/sampler/compressor.h"

enum { TUPLE_BITS = 128, ASSOCIATIVE_MAX = 4096 };

struct entry {
#define STATE STATE_FIELD
#include "core/prof/sampler/associative_entry.def"
#undef STATE
};

struct table {
	uint64_t clock;
	struct entry entry[];
};

/* ---- text ---- */
/* (k) or (k, bits) */
static bool associative_parse(struct compress_reader *r, struct component *c)
{
	static const char how[] = "associative counters are written as A(16) or A(16, 8)";
	if (!compress_read_sign(r, '(', how) ||
	    !compress_read_number(r, "the number of associative counters", 1, ASSOCIATIVE_MAX,
	                          &c->entries))
		return false;
	if (compress_accept(r, ',') && !compress_read_number(r, "bits of an associative counter", 1,
	                                                     COMPRESS_BITS_MAX, &c->count_bits))
		return false;
	return compress_read_sign(r, ')', how);
}

static uint32_t associative_default_bits(const struct component *c)
{
	return c->unit ? 8 : 16;
}

static void associative_link(struct component *c)
{
	if (!c->count_bits)
		c->count_bits = associative_default_bits(c);
}

static void associative_format(const struct component *c, struct textbuf *t)
{
	textbuf_add(t, "(%" PRIu32, c->entries);
	if (c->count_bits != associative_default_bits(c))
		textbuf_add(t, ", %" PRIu32, c->count_bits);
	textbuf_add(t, ")");
}

/* ---- state ---- */
static size_t associative_state_bytes(const struct component *c)
{
	return sizeof(struct table) + c->entries * sizeof(struct entry);
}

/* Two words and a counter, and the entry's place in the order of use. */
static uint64_t associative_hardware_bits(const struct component *c)
{
	return (uint64_t)c->entries * (TUPLE_BITS + c->count_bits + bits_for(c->entries));
}

static void associative_reset_table(const struct compressor *c, unsigned stage, uint64_t seed)
{
	struct table *t = c->state[stage];
	(void)seed;
	t->clock = 0;
	for (uint32_t i = 0; i < c->spec.stage[stage].entries; i++)
		t->entry[i] = (struct entry){0};
}

static bool associative_tuple_equals(struct tuple a, struct tuple b)
{
	return a.pc == b.pc && a.value == b.value;
}

/* The tuple's entry, else a free one, else the least recently used one. Free entries have `used` 0.
 */
static struct entry *associative_choose_entry(const struct component *c, struct table *t,
                                              struct tuple tuple)
{
	struct entry *oldest = &t->entry[0];
	for (struct entry *e = t->entry; e < t->entry + c->entries; e++)
		if (associative_tuple_equals(e->tuple, tuple) && e->count)
			return e;
	for (struct entry *e = t->entry + 1; e < t->entry + c->entries; e++)
		oldest = e->used < oldest->used ? e : oldest;
	return oldest;
}

static uint64_t associative_entry_weight(const struct component *c, const struct entry *e)
{
	return e->count * (c->unit ? c->unit : 1);
}

/* Sends the entry's count; it is then the entry of m's tuple, with `units` counted. */
static bool associative_send_entry(const struct component *c, struct entry *e,
                                   const struct message *m, uint64_t units, struct message *out)
{
	*out = (struct message){e->tuple, associative_entry_weight(c, e)};
	e->tuple = m->tuple;
	e->count = units;
	return true;
}

/* Counts in the tuple's own entry. */
static bool associative_count_units(const struct component *c, struct entry *e,
                                    const struct message *m, uint64_t units, uint64_t most,
                                    struct message *out, uint32_t *act)
{
	*act = ACT_FULL;
	if (e->count + units > most)
		return associative_send_entry(c, e, m, units, out);
	e->count += units;
	if (e->count == most)
		return associative_send_entry(c, e, m, 0, out);
	*act = ACT_HIT;
	return false;
}

/* Gives a tuple an entry that is free, or another tuple's, which is sent. */
static bool associative_place_tuple(const struct component *c, struct entry *e,
                                    const struct message *m, uint64_t units, struct message *out,
                                    uint32_t *act)
{
	*act = e->count ? ACT_REPLACED : ACT_PLACED;
	if (e->count)
		return associative_send_entry(c, e, m, units, out);
	e->tuple = m->tuple;
	e->count = units;
	return false;
}

static bool associative_process_message(struct compressor *of, unsigned stage,
                                        const struct message *m, struct message *out,
                                        struct component_touch *touch)
{
	const struct component *c = &of->spec.stage[stage];
	struct table *t = of->state[stage];
	struct entry *e = associative_choose_entry(c, t, m->tuple);
	uint64_t units = c->unit ? 1 : m->count, most = (UINT64_C(1) << c->count_bits) - 1;
	bool sent, own = e->count && associative_tuple_equals(e->tuple, m->tuple);
	*touch = (struct component_touch){.entry = (uint32_t)(e - t->entry), .before = e->count};
	if (own || units < most) /* a message that is only passed on uses no other tuple's entry */
		e->used = ++t->clock;
	if (units >= most) { /* more than a counter holds: as if it had been counted and sent */
		*out = *m;
		touch->act = ACT_FULL;
		sent = true;
	} else if (own) {
		sent = associative_count_units(c, e, m, units, most, out, &touch->act);
	} else {
		sent = associative_place_tuple(c, e, m, units, out, &touch->act);
	}
	if (!e->count)
		e->used = 0;
	touch->after = e->count;
	return sent;
}

/* Takes out the least recently used entry; false if the table is empty. */
static bool associative_drain_oldest(struct compressor *of, unsigned stage, struct message *out,
                                     unsigned drained)
{
	const struct component *c = &of->spec.stage[stage];
	struct table *t = of->state[stage];
	(void)drained;
	struct entry *first = NULL;
	for (struct entry *e = t->entry; e < t->entry + c->entries; e++)
		if (e->count && (!first || e->used < first->used))
			first = e;
	if (!first)
		return false;
	*out = (struct message){first->tuple, associative_entry_weight(c, first)};
	*first = (struct entry){0};
	return true;
}

static uint64_t associative_held_weight(const struct compressor *of, unsigned stage)
{
	const struct component *c = &of->spec.stage[stage];
	const struct table *t = of->state[stage];
	uint64_t sum = 0;
	for (uint32_t i = 0; i < c->entries; i++)
		sum += associative_entry_weight(c, &t->entry[i]);
	return sum;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(entry, __VA_ARGS__)
#include "core/prof/sampler/associative_entry.def"
#undef STATE
};

static struct state_part associative_state_table(const struct compressor *c, unsigned stage,
                                                 const char *name)
{
	const struct table *t = c->state[stage];
	return STATE_PART(name, fields, t->entry, c->spec.stage[stage].entries);
}

static void associative_state_ranges(const struct compressor *of, unsigned stage, const char *name,
                                     struct ranges *rs)
{
	const struct component *c = &of->spec.stage[stage];
	const struct table *t = of->state[stage];
#define STATE(...) STATE_ROWS(rs, name, t->entry, c->entries, __VA_ARGS__)
#include "core/prof/sampler/associative_entry.def"
#undef STATE
}

static const char *associative_check_table(const struct compressor *of, unsigned stage)
{
	const struct component *c = &of->spec.stage[stage];
	const struct table *t = of->state[stage];
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct entry *e = &t->entry[i];
		for (uint32_t j = 0; e->count && j < i; j++)
			if (t->entry[j].count &&
			    associative_tuple_equals(t->entry[j].tuple, e->tuple))
				return "two associative entries are of one tuple";
	}
	return NULL;
}

/* ---- display ---- */
static const struct entry *associative_entry(const struct compressor *c, unsigned stage,
                                             uint32_t entry)
{
	return &((const struct table *)c->state[stage])->entry[entry];
}

static struct component_counter associative_counter(const struct compressor *c, unsigned stage,
                                                    uint32_t entry)
{
	const uint64_t count = associative_entry(c, stage, entry)->count;
	return (struct component_counter){.known = true,
	                                  .used = count != 0,
	                                  .at = count,
	                                  .of = (UINT64_C(1) << c->spec.stage[stage].count_bits) -
	                                        1};
}

static unsigned associative_fields(const struct compressor *c, unsigned stage, uint32_t entry,
                                   struct entry_field *out)
{
	const struct entry *e = associative_entry(c, stage, entry);
	out[0] = (struct entry_field){"pc", .value = tuple_pc(e->tuple)};
	out[1] = (struct entry_field){"value", .value = e->tuple.value};
	out[2] = (struct entry_field){"tag", .value = tuple_tag(e->tuple)};
	out[3] = (struct entry_field){"count", .value = e->count};
	out[4] = (struct entry_field){"used", .value = e->used};
	return 5;
}

static unsigned associative_rows(const struct compressor *c, unsigned stage, uint32_t entry,
                                 struct entry_row *out)
{
	const struct entry *e = associative_entry(c, stage, entry);
	const uint32_t entries = c->spec.stage[stage].entries;
	uint64_t newer = 0;
	out[0] = (struct entry_row){"counter", ENTRY_COUNTER, .number = e->count};
	out[1] = (struct entry_row){"tuple", e->count ? ENTRY_TUPLE : ENTRY_TEXT, .tuple = e->tuple,
	                            .says = "free"};
	if (!e->count)
		return 2;
	for (uint32_t i = 0; i < entries; i++)
		newer += associative_entry(c, stage, i)->used > e->used;
	out[2] = (struct entry_row){"newer", ENTRY_NUMBER, .number = newer};
	snprintf(out[2].says, sizeof out[2].says, "entries were used later%s",
	         newer + 1 == entries ? ": the next to make room" : "");
	return 3;
}

static bool associative_tuple(const struct compressor *c, unsigned stage, uint32_t entry,
                              struct tuple *out)
{
	const struct entry *e = associative_entry(c, stage, entry);
	*out = e->tuple;
	return e->count != 0;
}

static void associative_say_touch(const struct component *c, const struct component_touch *touch,
                                  struct textbuf *t)
{
	(void)c;
	textbuf_add(t, "entry %" PRIu32 ": %s; %" PRIu64 " to %" PRIu64, touch->entry,
	            component_act_help[touch->act], touch->before, touch->after);
}

const struct component_ops component_associative = {
	.takes_any = true,
	.counts = true,
	.lossless = true,
	.parse = associative_parse,
	.link = associative_link,
	.format = associative_format,
	.bytes = associative_state_bytes,
	.reset = associative_reset_table,
	.bits = associative_hardware_bits,
	.in = associative_process_message,
	.drain = associative_drain_oldest,
	.held = associative_held_weight,
	.ranges = associative_state_ranges,
	.table = associative_state_table,
	.check = associative_check_table,
	.counter = associative_counter,
	.fields = associative_fields,
	.rows = associative_rows,
	.tuple = associative_tuple,
	.say_touch = associative_say_touch,
};
