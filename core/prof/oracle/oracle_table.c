#include "core/prof/oracle/oracle_table.h"

#include "core/base/hash.h"

enum { HEADS_PER_CHUNK = ORACLE_CHUNK / sizeof(uint32_t) };

uint32_t oracle_table_init(struct oracle_table *t, struct cow *cow, uint32_t first, uint32_t chunks,
                           unsigned more)
{
	uint32_t bytes = (uint32_t)(sizeof(struct oracle_entry) + more * sizeof(uint64_t));
	uint32_t per_chunk = ORACLE_CHUNK / bytes;
	/* Each entry needs a bucket, and so a head. */
	uint32_t heads =
		(uint32_t)(((uint64_t)chunks * per_chunk + HEADS_PER_CHUNK + per_chunk - 1) /
	                   (HEADS_PER_CHUNK + per_chunk));
	t->cow = cow;
	t->first = first;
	t->bytes = bytes;
	t->per_chunk = per_chunk;
	t->heads = first + chunks - heads;
	t->capacity = (chunks - heads) * per_chunk;
	assert(chunks > heads && t->capacity <= heads * (uint32_t)HEADS_PER_CHUNK);
	return first + chunks;
}

static uint64_t oracle_table_hash_key(uint64_t a, uint64_t b)
{
	/* Buckets are chosen by the low bits: the last step brings differences of the highest bits
	 * there, for words that differ only in these, as chess bitboards do. */
	return hash_word(hash_word(HASH_WORDS_START, a), b) * HASH_WORDS_START >> 32;
}

/* The largest power of two that is at most n > 0. */
static uint32_t oracle_table_floor_pow2(uint32_t n)
{
	return UINT32_C(1) << (31 - __builtin_clz(n));
}

/* Bucket of a digest while there are this many, > 0. */
static uint32_t oracle_bucket_of(uint64_t h, uint32_t buckets)
{
	uint32_t low = oracle_table_floor_pow2(buckets), b = (uint32_t)h & (2 * low - 1);
	return b < buckets ? b : b & (low - 1);
}

static uint32_t oracle_table_bucket_head(const struct oracle_table *t, uint32_t bucket)
{
	const uint32_t *heads = cow_read(t->cow, t->heads + bucket / HEADS_PER_CHUNK);
	return heads[bucket % HEADS_PER_CHUNK];
}

static uint32_t *write_head(const struct oracle_table *t, uint32_t bucket)
{
	uint32_t *heads = cow_write(t->cow, t->heads + bucket / HEADS_PER_CHUNK);
	return heads ? &heads[bucket % HEADS_PER_CHUNK] : NULL;
}

const struct oracle_entry *oracle_table_entry(const struct oracle_table *t, uint32_t i)
{
	const uint8_t *chunk = cow_read(t->cow, t->first + i / t->per_chunk);
	return (const struct oracle_entry *)(const void *)(chunk +
	                                                   (size_t)(i % t->per_chunk) * t->bytes);
}

static struct oracle_entry *oracle_table_writable_entry(const struct oracle_table *t, uint32_t i)
{
	uint8_t *chunk = cow_write(t->cow, t->first + i / t->per_chunk);
	return chunk ? (struct oracle_entry *)(void *)(chunk +
	                                               (size_t)(i % t->per_chunk) * t->bytes)
	             : NULL;
}

/* Number + 1 of the entry, 0 if there is none. */
static uint32_t oracle_table_find_in_bucket(const struct oracle_table *t, uint64_t h, uint64_t a,
                                            uint64_t b)
{
	uint32_t at = *t->count ? oracle_table_bucket_head(t, oracle_bucket_of(h, *t->count)) : 0;
	while (at) {
		const struct oracle_entry *e = oracle_table_entry(t, at - 1);
		if (e->key[0] == a && e->key[1] == b)
			break;
		at = e->next;
	}
	return at;
}

const struct oracle_entry *oracle_table_find(const struct oracle_table *t, uint64_t a, uint64_t b)
{
	uint32_t at =
		t->capacity ? oracle_table_find_in_bucket(t, oracle_table_hash_key(a, b), a, b) : 0;
	return at ? oracle_table_entry(t, at - 1) : NULL;
}

/* Moves the entries of the new bucket to it from the one that it splits. All that is written is
 * writable already. */
static void oracle_table_split_bucket(const struct oracle_table *t, uint32_t from, uint32_t to)
{
	uint32_t *link = write_head(t, from), *tail = write_head(t, to);
	*tail = 0;
	while (*link) {
		uint32_t at = *link;
		struct oracle_entry *e = oracle_table_writable_entry(t, at - 1);
		if (oracle_bucket_of(oracle_table_hash_key(e->key[0], e->key[1]), to + 1) != to) {
			link = &e->next;
			continue;
		}
		*link = e->next;
		e->next = 0;
		*tail = at;
		tail = &e->next;
	}
}

/* Makes writable all that oracle_table_split_bucket() and a new entry in `bucket` will write; false
 * if memory is out.
 */
static bool oracle_table_prepare_insert(const struct oracle_table *t, uint32_t n, uint32_t bucket)
{
	if (!oracle_table_writable_entry(t, n) || !write_head(t, n) || !write_head(t, bucket))
		return false;
	if (!n)
		return true;
	uint32_t from = n - oracle_table_floor_pow2(n);
	if (!write_head(t, from))
		return false;
	for (uint32_t at = oracle_table_bucket_head(t, from); at;
	     at = oracle_table_entry(t, at - 1)->next)
		if (!oracle_table_writable_entry(t, at - 1))
			return false;
	return true;
}

/* Entry number - 1; NULL if number is 0, or the entry's chunk is not writable. */
static struct oracle_entry *entry_at_hand(const struct oracle_table *t, uint32_t number)
{
	uint8_t *chunk = number ? t->cow->own[t->first + (number - 1) / t->per_chunk] : NULL;
	return chunk ? (struct oracle_entry *)(void *)(chunk +
	                                               (size_t)((number - 1) % t->per_chunk) *
	                                                       t->bytes)
	             : NULL;
}

static const uint32_t *head_at_hand(const struct oracle_table *t, uint32_t bucket)
{
	const uint32_t *heads = t->cow->own[t->heads + bucket / HEADS_PER_CHUNK];
	return heads ? &heads[bucket % HEADS_PER_CHUNK] : NULL;
}

/* Prefetches the entries of buckets that will be split soon, because these lie anywhere in memory:
 * a chain's first entry 16 splits before, its second one 12. */
static void fetch_soon(const struct oracle_table *t, uint32_t n)
{
	enum { STEPS = 4, SPLITS = 4 };
	for (uint32_t ahead = SPLITS * STEPS, hops = 0; ahead && n + ahead < t->capacity;
	     ahead -= SPLITS, hops++) {
		const uint32_t *head =
			head_at_hand(t, n + ahead - oracle_table_floor_pow2(n + ahead));
		struct oracle_entry *e = head ? entry_at_hand(t, *head) : NULL;
		for (uint32_t i = 0; e && i < hops; i++)
			e = entry_at_hand(t, e->next);
		__builtin_prefetch(e, 1);
	}
}

static enum oracle_outcome oracle_table_insert_entry(const struct oracle_table *t, uint64_t h,
                                                     uint64_t a, uint64_t b, uint32_t aux,
                                                     struct oracle_entry **entry)
{
	uint32_t n = *t->count, bucket = oracle_bucket_of(h, n + 1);
	if (n == t->capacity)
		return ORACLE_FULL;
	fetch_soon(t, n);
	if (!oracle_table_prepare_insert(t, n, bucket))
		return ORACLE_NO_MEMORY;
	if (n)
		oracle_table_split_bucket(t, n - oracle_table_floor_pow2(n), n);
	uint32_t *head = write_head(t, bucket);
	struct oracle_entry *e = oracle_table_writable_entry(t, n);
	memset(e, 0, t->bytes);
	e->key[0] = a;
	e->key[1] = b;
	e->aux = aux;
	e->next = *head;
	*head = n + 1;
	*t->count = n + 1;
	*entry = e;
	return ORACLE_NEW;
}

enum oracle_outcome oracle_table_enter(const struct oracle_table *t, uint64_t a, uint64_t b,
                                       uint32_t aux, struct oracle_entry **entry)
{
	uint64_t h = oracle_table_hash_key(a, b);
	uint32_t at = oracle_table_find_in_bucket(t, h, a, b);
	enum oracle_outcome outcome = ORACLE_THERE;
	*entry = NULL;
	if (at) {
		*entry = oracle_table_writable_entry(t, at - 1);
		outcome = *entry ? ORACLE_THERE : ORACLE_NO_MEMORY;
	} else {
		outcome = oracle_table_insert_entry(t, h, a, b, aux, entry);
	}
	if (*entry)
		*oracle_table_hit(t, a, b) = (struct oracle_hit){{a, b}, *entry};
	return outcome;
}

/* ---- many at a time ---- */
enum { LOOK_AHEAD = 32 };

/* A key that is not in hits[]. */
struct look {
	const uint64_t *key;
	const uint32_t *head;   /* NULL: its chunk is not writable */
	/* entry of its chain that was reached; NULL: the end, or one whose chunk is not writable */
	struct oracle_entry *e;
};

static bool oracle_table_entry_matches(const struct oracle_entry *e, const uint64_t *key)
{
	return e->key[0] == key[0] && e->key[1] == key[1];
}

/* Entries never move, so an entry that is found is right. If none is found, a new entry may have
 * split the chain meanwhile: look the key up again. */
static void oracle_table_count_lookup(const struct oracle_table *t, const struct look *at,
                                      struct oracle_lost *lost)
{
	struct oracle_entry *e = at->e;
	while (e && !oracle_table_entry_matches(e, at->key))
		e = entry_at_hand(t, e->next);
	if (e) {
		*oracle_table_hit(t, at->key[0], at->key[1]) =
			(struct oracle_hit){{at->key[0], at->key[1]}, e};
	} else {
		enum oracle_outcome outcome = oracle_table_at(t, at->key[0], at->key[1], 0, &e);
		lost->full += outcome == ORACLE_FULL;
		lost->no_memory += outcome == ORACLE_NO_MEMORY;
	}
	if (e)
		e->count++;
}

static void count_some(const struct oracle_table *t, const uint64_t (*key)[2], size_t n,
                       struct oracle_lost *lost)
{
	struct look look[LOOK_AHEAD];
	size_t left = 0;
	for (size_t i = 0; i < n; i++) {
		const struct oracle_hit *hit = oracle_table_hit(t, key[i][0], key[i][1]);
		if (hit->entry && hit->key[0] == key[i][0] && hit->key[1] == key[i][1]) {
			hit->entry->count++;
			continue;
		}
		const uint32_t bucket =
			*t->count ? oracle_bucket_of(oracle_table_hash_key(key[i][0], key[i][1]),
		                                     *t->count)
				  : 0;
		look[left] = (struct look){key[i], head_at_hand(t, bucket), NULL};
		__builtin_prefetch(look[left++].head);
	}
	for (struct look *at = look; at < look + left; at++) {
		at->e = at->head ? entry_at_hand(t, *at->head) : NULL;
		__builtin_prefetch(at->e, 1);
	}
	for (struct look *at = look; at < look + left; at++) {
		if (!at->e || oracle_table_entry_matches(at->e, at->key))
			continue;
		at->e = entry_at_hand(t, at->e->next);
		__builtin_prefetch(at->e, 1);
	}
	for (const struct look *at = look; at < look + left; at++)
		oracle_table_count_lookup(t, at, lost);
}

void oracle_table_count(const struct oracle_table *t, const uint64_t (*key)[2], size_t n,
                        struct oracle_lost *lost)
{
	for (; n > LOOK_AHEAD; key += LOOK_AHEAD, n -= LOOK_AHEAD)
		count_some(t, key, LOOK_AHEAD, lost);
	count_some(t, key, n, lost);
}

const char *oracle_table_check(const struct oracle_table *t)
{
	uint32_t n = *t->count, seen = 0;
	if (n > t->capacity)
		return "more entries than there is room for";
	for (uint32_t bucket = 0; bucket < n; bucket++)
		for (uint32_t at = oracle_table_bucket_head(t, bucket); at; seen++) {
			if (at > n || seen == n)
				return "a chain leads nowhere";
			const struct oracle_entry *e = oracle_table_entry(t, at - 1);
			if (oracle_bucket_of(oracle_table_hash_key(e->key[0], e->key[1]), n) !=
			    bucket)
				return "an entry is in another's chain";
			at = e->next;
		}
	return seen == n ? NULL : "an entry is in no chain";
}
