#include "core/prof/sampler/sampler_exact.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/defs/config_fields.h"

/* ---- reading ---- */
static struct exact_tuple of_entry(const struct oracle_entry *e)
{
	return (struct exact_tuple){{e->key[0], e->key[1]}, e->count, e->more[0]};
}

struct exact_tuple sampler_exact_tuple(const struct sampler_exact *x, uint32_t i)
{
	return of_entry(oracle_table_entry(&x->table, i));
}

struct exact_tuple sampler_exact_find(const struct sampler_exact *x, struct tuple t)
{
	const struct oracle_entry *e = oracle_table_find(&x->table, t.pc, t.value);
	return e ? of_entry(e) : (struct exact_tuple){.tuple = t};
}

uint64_t sampler_exact_hash(const struct sampler_exact *x)
{
	return oracle_store_hash(&x->store);
}

/* ---- error ---- */
static bool sampler_exact_profiles(const struct sampler_exact *x, struct tuple_profile *ideal,
                            struct tuple_profile *told)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		if (ideal)
			ok = tuple_profile_add(ideal, t.tuple, t.selected);
		if (ok && told && t.told)
			ok = tuple_profile_add(told, t.tuple, t.told);
	}
	return ok;
}

struct tuple_thresholds sampler_thresholds(const struct config *cfg)
{
	return (struct tuple_thresholds){
		.min_count = (uint64_t)cfg->sampler_min_count,
		.invariant = (double)cfg->sampler_invariant / 100,
		.covered = (double)cfg->sampler_covered / 100,
		.tag = -1,
	};
}

bool sampler_exact_error(const struct sampler_exact *x, const struct tuple_thresholds *limits,
                         struct tuple_error *out)
{
	struct tuple_profile ideal, told;
	tuple_profile_init(&ideal, tuple_memory_host);
	tuple_profile_init(&told, tuple_memory_host);
	bool ok = sampler_exact_profiles(x, &ideal, &told);
	if (ok)
		tuple_profile_error(&ideal, &told, limits, out);
	tuple_profile_deinit(&ideal);
	tuple_profile_deinit(&told);
	return ok;
}

/* ---- buckets ---- */
uint32_t sampler_exact_buckets(const struct compressor *c, unsigned stage)
{
	return component_buckets(&c->spec.stage[stage]);
}

/* entropy sums n log n until sampler_exact_finish_bucket(). */
static void sampler_exact_add_tuple(struct exact_bucket *b, const struct exact_tuple *t)
{
	b->distinct++;
	b->selected += t->selected;
	b->entropy += (double)t->selected * log2((double)t->selected);
	if (t->selected > b->most) {
		b->most = t->selected;
		b->tuple = t->tuple;
	}
}

static void sampler_exact_finish_bucket(struct exact_bucket *b)
{
	if (!b->selected)
		return;
	b->bias = (double)b->most / (double)b->selected;
	b->entropy =
		b->distinct == 1
			? 0
			: fmax(0, log2((double)b->selected) - b->entropy / (double)b->selected);
}

void sampler_exact_fill(const struct sampler_exact *x, const struct compressor *c, unsigned stage,
                        struct exact_bucket *out)
{
	const uint32_t n = sampler_exact_buckets(c, stage);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct exact_bucket){0};
	for (uint32_t i = 0; n && i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		if (t.selected)
			sampler_exact_add_tuple(&out[compressor_index(c, stage, t.tuple)], &t);
	}
	for (uint32_t i = 0; i < n; i++)
		sampler_exact_finish_bucket(&out[i]);
}

struct exact_bucket sampler_exact_bucket(const struct sampler_exact *x, const struct compressor *c,
                                         unsigned stage, uint32_t bucket)
{
	struct exact_bucket b = {0};
	for (uint32_t i = 0; sampler_exact_buckets(c, stage) && i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		if (t.selected && compressor_index(c, stage, t.tuple) == bucket)
			sampler_exact_add_tuple(&b, &t);
	}
	sampler_exact_finish_bucket(&b);
	return b;
}

/* ---- counting ---- */
void sampler_exact_selected(struct sampler_exact *x, const struct tuple *t, size_t n)
{
	struct oracle_lost lost = {0};
	static_assert(sizeof *t == 2 * sizeof(uint64_t) &&
	                      offsetof(struct tuple, value) == sizeof(uint64_t),
	              "a tuple is a pair of keys");
	oracle_table_count(&x->table, (const uint64_t (*)[2])(const void *)t, n, &lost);
	x->head.selected += n;
	x->head.lost += lost.full + lost.no_memory;
	x->head.starved += lost.no_memory;
}

const char *sampler_exact_check(const struct sampler_exact *x)
{
	uint64_t selected = x->head.lost, told = x->head.lost_told;
	const char *wrong = oracle_table_check(&x->table);
	for (uint32_t i = 0; !wrong && i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		selected += t.selected;
		told += t.told;
	}
	if (!wrong && (selected != x->head.selected || told != x->head.told))
		wrong = "the sampler's exact counts don't add up to the tuples selected and told";
	return wrong;
}

static const char *sampler_exact_check_owner(const void *owner)
{
	return sampler_exact_check(owner);
}

/* ---- life ---- */
static const struct exact_head blank;
static_assert(offsetof(struct sampler_exact, store) == 0,
              "an attachment's functions get these counts, and find their store");

struct sampler_exact *sampler_exact_new(const struct config *cfg, struct err *err)
{
	const uint32_t chunks = (uint32_t)(cfg->sampler_memory / ORACLE_CHUNK);
	struct sampler_exact *x = alloc_zeroed(1, sizeof *x);
	if (!x) {
		err_set(err, "out of memory for the sampler's exact counts");
		return NULL;
	}
	x->store = (struct oracle_store){.tables = 1,
	                                 .head = &x->head,
	                                 .blank = &blank,
	                                 .head_bytes = sizeof x->head,
	                                 .what = "the sampler",
	                                 .memory = "sampler.memory",
	                                 .check = sampler_exact_check_owner};
	if (!oracle_store_init(&x->store, chunks, err)) {
		sampler_exact_free(x);
		return NULL;
	}
	x->table.count = &x->head.entries;
	x->table.hits = x->store.hits;
	oracle_table_init(&x->table, x->store.cow, 0, chunks, 1);
	return x;
}

void sampler_exact_free(struct sampler_exact *x)
{
	if (!x)
		return;
	oracle_store_deinit(&x->store);
	free(x);
}

const struct attachment_ops sampler_attachment = ORACLE_STORE_ATTACHMENT("sampler");
