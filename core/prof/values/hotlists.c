/* Hotlists by instruction and kind of value. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/prof/values/hotlist.h"

enum { PLACE_BITS = 48 };

/* Extra words of an entry of the lists' table, for `exact`; for other methods it is a struct
 * hotlist. */
enum { EXACT_SEEN, EXACT_USED, EXACT_FIRST, EXACT_LAST, EXACT_WORDS };
/* Extra word of an entry of the values' table: number + 1 of the next value of its list. */
enum { VALUE_NEXT, VALUE_WORDS };

static struct hotlist *hotlists_entry_list(struct oracle_entry *e)
{
	return (struct hotlist *)(void *)e->more;
}

static const struct hotlist *hotlists_list_at(const struct hotlists *h, uint32_t i)
{
	return (const struct hotlist *)(const void *)oracle_table_entry(&h->lists, i)->more;
}

/* ---- adding ---- */
static bool hotlists_count_lost(struct hotlists *h, enum oracle_outcome why)
{
	h->head.lost++;
	h->head.starved += why == ORACLE_NO_MEMORY;
	return false;
}

/* The last value of this list, writable; NULL if memory is out. */
static struct oracle_entry *last_of(struct hotlists *h, const struct oracle_entry *list,
                                    uint64_t key)
{
	struct oracle_entry *e;
	const uint64_t value =
		oracle_table_entry(&h->values, (uint32_t)list->more[EXACT_LAST] - 1)->key[1];
	oracle_table_at(&h->values, key, value, 0, &e);
	return e;
}

/* Appends a value that is new to its list. False: it is lost. */
static bool add_value(struct hotlists *h, struct oracle_entry *list, uint64_t key, uint64_t value)
{
	struct oracle_entry *e, *last = list->more[EXACT_LAST] ? last_of(h, list, key) : NULL;
	if (list->more[EXACT_LAST] && !last)
		return hotlists_count_lost(h, ORACLE_NO_MEMORY);
	const enum oracle_outcome found = oracle_table_at(&h->values, key, value, 0, &e);
	if (found != ORACLE_NEW)
		return hotlists_count_lost(h, found);
	*(last ? &last->more[VALUE_NEXT] : &list->more[EXACT_FIRST]) = h->head.values;
	list->more[EXACT_LAST] = h->head.values;
	list->more[EXACT_USED]++;
	list->more[EXACT_SEEN]++;
	e->count = 1;
	return true;
}

static bool add_exactly(struct hotlists *h, struct oracle_entry *list, uint64_t key, uint64_t value)
{
	struct oracle_entry *e;
	if (!oracle_table_find(&h->values, key, value))
		return add_value(h, list, key, value);
	if (oracle_table_at(&h->values, key, value, 0, &e) != ORACLE_THERE)
		return hotlists_count_lost(h, ORACLE_NO_MEMORY);
	e->count++;
	list->more[EXACT_SEEN]++;
	return true;
}

bool hotlists_add(struct hotlists *h, uint64_t place, unsigned kind, uint64_t value)
{
	struct oracle_entry *list;
	assert(kind < HOTLIST_KINDS && place >> PLACE_BITS == 0);
	h->head.told++;
	/* aux: its number */
	const enum oracle_outcome found =
		oracle_table_at(&h->lists, place, kind, h->head.lists, &list);
	if (found > ORACLE_NEW)
		return hotlists_count_lost(h, found);
	if (h->spec.method == HOTLIST_EXACT)
		return add_exactly(h, list, place | (uint64_t)kind << PLACE_BITS, value);
	hotlist_note(&h->spec, hotlists_entry_list(list), value, &h->head.random);
	return true;
}

/* ---- reading ---- */
struct hotlist_info hotlists_info(const struct hotlists *h, uint32_t i)
{
	const struct oracle_entry *e = oracle_table_entry(&h->lists, i);
	struct hotlist_info info = {
		.pc = e->key[0] & ((UINT64_C(1) << HOTLIST_PC_BITS) - 1),
		.version = (unsigned)(e->key[0] >> HOTLIST_PC_BITS),
		.kind = (unsigned)e->key[1],
		.probability = 1,
	};
	if (h->spec.method == HOTLIST_EXACT) {
		info.seen = e->more[EXACT_SEEN];
		info.used = e->more[EXACT_USED];
		return info;
	}
	const struct hotlist *l = hotlists_list_at(h, i);
	info.seen = l->seen;
	info.used = l->used;
	info.probability = hotlist_probability(l);
	return info;
}

uint32_t hotlists_find(const struct hotlists *h, uint64_t place, unsigned kind)
{
	const struct oracle_entry *e = oracle_table_find(&h->lists, place, kind);
	return e ? e->aux : UINT32_MAX;
}

static bool comes_before(struct hot_value a, const struct hot_estimate *b)
{
	return a.count > b->count || (a.count == b->count && a.value < b->value);
}

/* Inserts v in order among the n best so far. Returns their new number. */
static unsigned hotlists_insert_estimate(struct hot_estimate *out, unsigned n, unsigned most,
                                         struct hot_value v, double estimate)
{
	unsigned i = n;
	while (i && comes_before(v, &out[i - 1]))
		i--;
	if (i == most)
		return n;
	n += n < most;
	memmove(&out[i + 1], &out[i], (n - 1 - i) * sizeof *out);
	out[i] = (struct hot_estimate){v.value, v.count, estimate};
	return n;
}

unsigned hotlists_top(const struct hotlists *h, uint32_t i, struct hot_estimate *out, unsigned most)
{
	unsigned n = 0;
	if (!most)
		return 0;
	if (h->spec.method == HOTLIST_EXACT) {
		uint64_t at = oracle_table_entry(&h->lists, i)->more[EXACT_FIRST];
		while (at) {
			const struct oracle_entry *e =
				oracle_table_entry(&h->values, (uint32_t)at - 1);
			n = hotlists_insert_estimate(out, n, most,
			                             (struct hot_value){e->key[1], e->count},
			                             (double)e->count);
			at = e->more[VALUE_NEXT];
		}
		return n;
	}
	const struct hotlist *l = hotlists_list_at(h, i);
	for (uint64_t k = 0; k < l->used; k++)
		n = hotlists_insert_estimate(out, n, most, l->at[k],
		                             hotlist_estimate(&h->spec, l, l->at[k].count));
	return n;
}

uint64_t hotlists_hash(const struct hotlists *h)
{
	return oracle_store_hash(&h->store);
}

/* ---- invariants ---- */
static const char *check_exact(const struct hotlists *h, const struct oracle_entry *list)
{
	uint64_t sum = 0, used = 0;
	for (uint64_t at = list->more[EXACT_FIRST]; at; used++) {
		if (at > h->head.values || used == h->head.values)
			return "a list of values leads nowhere";
		const struct oracle_entry *e = oracle_table_entry(&h->values, (uint32_t)at - 1);
		if (e->key[0] != (list->key[0] | list->key[1] << PLACE_BITS))
			return "a value is in another's list";
		sum += e->count;
		at = e->more[VALUE_NEXT];
	}
	return sum != list->more[EXACT_SEEN] || used != list->more[EXACT_USED]
	               ? "a list's values don't add up"
	               : NULL;
}

const char *hotlists_check(const struct hotlists *h)
{
	uint64_t seen = h->head.lost;
	const bool exact = h->spec.method == HOTLIST_EXACT;
	const char *wrong = oracle_table_check(&h->lists);
	if (!wrong && exact)
		wrong = oracle_table_check(&h->values);
	for (uint32_t i = 0; !wrong && i < h->head.lists; i++) {
		wrong = exact ? check_exact(h, oracle_table_entry(&h->lists, i))
		              : hotlist_check(&h->spec, hotlists_list_at(h, i));
		seen += hotlists_info(h, i).seen;
	}
	return wrong || seen == h->head.told
	               ? wrong
	               : "hotlists have counted other values than they were given";
}

static const char *hotlists_check_owner(const void *owner)
{
	return hotlists_check(owner);
}

/* ---- life ---- */
static_assert(offsetof(struct hotlists, store) == 0,
              "an attachment's functions get these lists, and find their store");
static_assert(sizeof(struct hotlists_head) % sizeof(uint64_t) == 0, "no padding: it is hashed");

static void hotlists_divide_memory(struct hotlists *h, uint32_t chunks)
{
	const bool exact = h->spec.method == HOTLIST_EXACT;
	const unsigned words =
		exact ? EXACT_WORDS : (unsigned)(hotlist_bytes(&h->spec) / sizeof(uint64_t));
	const uint32_t next =
		oracle_table_init(&h->lists, h->store.cow, 0, exact ? chunks / 8 : chunks, words);
	h->lists.count = &h->head.lists;
	h->lists.hits = h->store.hits;
	if (exact)
		oracle_table_init(&h->values, h->store.cow, next, chunks - next, VALUE_WORDS);
	h->values.count = &h->head.values;
	h->values.hits = h->store.hits + ORACLE_HITS;
}

struct hotlists *hotlists_new(const struct hotlist_spec *spec, uint64_t seed, uint64_t memory,
                              struct err *err)
{
	if (!hotlist_spec_ok(spec, err))
		return NULL;
	if (memory < HOTLIST_MEMORY_MIN || memory / ORACLE_CHUNK > UINT32_MAX / 2) {
		err_set(err, "hotlists can't have %llu bytes; expected %d or more",
		        (unsigned long long)memory, HOTLIST_MEMORY_MIN);
		return NULL;
	}
	struct hotlists *h = alloc_zeroed(1, sizeof *h);
	if (!h) {
		err_set(err, "out of memory for hotlists");
		return NULL;
	}
	h->spec = *spec;
	h->blank.random = seed;
	h->store = (struct oracle_store){.tables = 2,
	                                 .head = &h->head,
	                                 .blank = &h->blank,
	                                 .head_bytes = sizeof h->head,
	                                 .what = "the hotlists",
	                                 .memory = "the memory they may take",
	                                 .check = hotlists_check_owner};
	if (!oracle_store_init(&h->store, (uint32_t)(memory / ORACLE_CHUNK), err)) {
		hotlists_free(h);
		return NULL;
	}
	hotlists_divide_memory(h, (uint32_t)(memory / ORACLE_CHUNK));
	return h;
}

void hotlists_free(struct hotlists *h)
{
	if (!h)
		return;
	oracle_store_deinit(&h->store);
	free(h);
}

void hotlists_clear(struct hotlists *h)
{
	oracle_store_restore(h, NULL);
}

const struct attachment_ops hotlists_attachment = ORACLE_STORE_ATTACHMENT("hotlists");
