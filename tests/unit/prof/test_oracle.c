/* The oracle's tables against plain arrays, and the oracle when the host has no memory left: the
 * sources are taken in with an allocator of our own. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/cases.h"

static unsigned allocations_left;

static void *oracle_limited_malloc(size_t n)
{
	return allocations_left && allocations_left-- ? (malloc)(n) : NULL;
}

static void *oracle_limited_calloc(size_t count, size_t n)
{
	return allocations_left && allocations_left-- ? (calloc)(count, n) : NULL;
}

#include "core/base/alloc.h"
#define alloc_bytes oracle_limited_malloc
#define alloc_zeroed oracle_limited_calloc
#define alloc_try_bytes oracle_limited_malloc
#define alloc_try_zeroed oracle_limited_calloc
#include "core/base/cow.c"
#include "core/isa/op.h"
#include "core/prof/oracle/oracle.c"
#include "core/prof/oracle/oracle_contexts.c"
#include "core/prof/oracle/oracle_store.c"
#include "core/prof/oracle/oracle_table.c"
#undef alloc_bytes
#undef alloc_zeroed
#undef alloc_try_bytes
#undef alloc_try_zeroed

#include "core/isa/exec.h"
#include "core/prof/common/attachment.h"

enum { ENOUGH = 1000000, KEYS = 3000 };

/* ---- tables ---- */
struct fixture {
	struct cow *cow;
	struct oracle_hit hits[ORACLE_HITS];
	struct oracle_table t;
	uint32_t count;
	uint64_t seen[KEYS]; /* how often each key was counted */
};

static struct fixture *oracle_new_table_fixture(uint32_t chunks, unsigned more)
{
	struct fixture *f = (calloc)(1, sizeof *f);
	allocations_left = ENOUGH;
	f->cow = cow_new(ORACLE_CHUNK, chunks);
	assert_int_equal(oracle_table_init(&f->t, f->cow, 0, chunks, more), chunks);
	f->t.count = &f->count;
	f->t.hits = f->hits;
	return f;
}

static void table_free(struct fixture *f)
{
	cow_free(f->cow);
	free(f);
}

/* Makes near and distant keys, in both words. */
static void oracle_make_key(unsigned k, uint64_t *a, uint64_t *b)
{
	*a = 0x10000 + 2 * (uint64_t)(k / 3);
	*b = k % 3 ? UINT64_C(0x9e3779b97f4a7c15) * k : k;
}

static enum oracle_outcome count_key(struct fixture *f, unsigned k)
{
	uint64_t a, b;
	struct oracle_entry *e;
	oracle_make_key(k, &a, &b);
	enum oracle_outcome outcome = oracle_table_at(&f->t, a, b, k, &e);
	if (outcome > ORACLE_NEW) {
		assert_null(e);
		return outcome;
	}
	assert_true(e->key[0] == a && e->key[1] == b && e->aux == k);
	assert_int_equal(outcome == ORACLE_NEW, f->seen[k] == 0);
	assert_int_equal(e->count, f->seen[k]);
	e->count = ++f->seen[k];
	return outcome;
}

static void oracle_compare_table(const struct fixture *f)
{
	const char *wrong = oracle_table_check(&f->t);
	uint32_t n = 0;
	if (wrong)
		fail_msg("%s", wrong);
	for (unsigned k = 0; k < KEYS; k++) {
		uint64_t a, b;
		oracle_make_key(k, &a, &b);
		const struct oracle_entry *e = oracle_table_find(&f->t, a, b);
		assert_int_equal(e ? e->count : 0, f->seen[k]);
		n += e != NULL;
	}
	assert_int_equal(n, f->count);
}

TEST(tables_count_as_arrays_do)
{
	uint64_t random = 7;
	for (unsigned more = 0; more < 9; more += 8) {
		struct fixture *f = oracle_new_table_fixture(60, more);
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t r = hash_splitmix64_next(&random);
			assert_true(count_key(f, (unsigned)(r % (r & 1 << 20 ? KEYS : 50))) <=
			            ORACLE_NEW);
			if (i % 4000 == 0)
				oracle_compare_table(f);
		}
		oracle_compare_table(f);
		table_free(f);
	}
}

TEST(a_full_table_counts_what_it_knows)
{
	struct fixture *f = oracle_new_table_fixture(5, 0);
	unsigned capacity = f->t.capacity;
	assert_true(capacity > 500 && capacity < KEYS);
	for (unsigned k = 0; k < KEYS; k++)
		assert_int_equal(count_key(f, k), k < capacity ? ORACLE_NEW : ORACLE_FULL);
	for (unsigned k = 0; k < KEYS; k++)
		assert_int_equal(count_key(f, k), k < capacity ? ORACLE_THERE : ORACLE_FULL);
	oracle_compare_table(f);
	table_free(f);
}

/* Restoring a past image drops the later counts. */
TEST(tables_go_back)
{
	struct fixture *f = oracle_new_table_fixture(60, 0);
	for (unsigned k = 0; k < 1000; k++)
		count_key(f, k % 700);
	struct cow_image *image = cow_keep(f->cow);
	memset(f->hits, 0, sizeof f->hits);
	uint64_t seen[KEYS];
	uint32_t count = f->count;
	memcpy(seen, f->seen, sizeof seen);
	for (unsigned k = 0; k < KEYS; k++)
		count_key(f, k);
	oracle_compare_table(f);
	cow_restore(f->cow, image);
	memset(f->hits, 0, sizeof f->hits);
	memcpy(f->seen, seen, sizeof seen);
	f->count = count;
	oracle_compare_table(f);
	for (unsigned k = KEYS; k-- > 0;)
		count_key(f, k);
	oracle_compare_table(f);
	cow_image_free(image);
	table_free(f);
}

/* Counting many keys in a call equals counting one by one: the same entries in the same order, the
 * same losses, also in a full or shared table. */
TEST(many_count_as_one_by_one)
{
	static const uint32_t chunks[] = {5, 60};
	uint64_t random = 3;
	for (unsigned t = 0; t < 2; t++) {
		struct fixture *one = oracle_new_table_fixture(chunks[t], 1),
			       *many = oracle_new_table_fixture(chunks[t], 1);
		struct oracle_lost lost = {0};
		struct cow_image *image = NULL;
		uint64_t full = 0, keys[100][2];
		for (unsigned round = 0; round < 600; round++) {
			const size_t n = hash_splitmix64_next(&random) % 100;
			for (size_t i = 0; i < n; i++) {
				const uint64_t r = hash_splitmix64_next(&random);
				oracle_make_key((unsigned)(r % (r & 1 << 20 ? KEYS : 40)),
				                &keys[i][0], &keys[i][1]);
				struct oracle_entry *e;
				if (oracle_table_at(&one->t, keys[i][0], keys[i][1], 0, &e) <=
				    ORACLE_NEW)
					e->count++;
				else
					full++;
			}
			oracle_table_count(&many->t, (const uint64_t (*)[2])keys, n, &lost);
			assert_int_equal(lost.full, full);
			assert_int_equal(many->count, one->count);
			if (round % 50 == 0) { /* nothing can be written at once */
				cow_image_free(image);
				image = cow_keep(many->cow);
				memset(many->hits, 0, sizeof many->hits);
			}
		}
		assert_int_equal(lost.no_memory, 0);
		assert_true(t ? !full : full > 0);
		assert_null(oracle_table_check(&many->t));
		assert_int_equal(cow_hash(many->cow), cow_hash(one->cow));
		cow_image_free(image);
		table_free(one);
		table_free(many);
	}
}

/* ---- no memory ---- */
struct bench {
	struct config cfg;
	struct stats stats;
	uint64_t cycle;
	struct prof d;
};

static void bench_open(struct bench *b)
{
	struct err err;
	*b = (struct bench){.cycle = 0};
	config_default(&b->cfg);
	b->cfg.oracle = b->cfg.oracle_blocks = b->cfg.oracle_contexts = b->cfg.oracle_addresses =
		b->cfg.oracle_loads = 1;
	b->cfg.oracle_values = VALUES_ALL;
	b->d = (struct prof){.cfg = &b->cfg, .stats = &b->stats, .cycle = &b->cycle};
	allocations_left = ENOUGH;
	if (!device_oracle.init(&b->d, &err))
		fail_msg("%s", err.msg);
}

/* An invented program: loads, calls and returns at random. */
static void oracle_count_random_inst(struct bench *b, uint64_t *random)
{
	const struct inst load = {.op = OP_LD, .len = 4, .rd = 10, .rs1 = 2},
			  call = {.op = OP_JAL, .len = 4, .rd = 1},
			  ret = {.op = OP_JALR, .len = 2, .rd = REG_SINK, .rs1 = 1},
			  down = {.op = OP_ADDI, .len = 2, .rd = REG_SP};
	const struct inst *const all[] = {&load, &call, &ret, &down};
	uint64_t r = hash_splitmix64_next(random), pc = 0x10000 + r % 4096 * 2;
	const struct inst *in = all[r >> 60 & 3];
	const struct exec done = {.next_pc = in == &load || in == &down
	                                             ? pc + in->len
	                                             : 0x10000 + (r >> 20) % 300 * 64,
	                          .addr = r >> 40,
	                          .size = in == &load ? 8 : 0};
	const struct executed e = {
		.pc = pc, .in = in, .done = &done, .result = in == &down ? r >> 50 << 4 : r >> 54};
	device_oracle.executed(&b->d, &e);
}

TEST(memory_that_is_out_costs_counts_alone)
{
	bool starved = true;
	for (unsigned allowed = 0; starved; allowed += 1 + allowed / 8) {
		struct bench b;
		uint64_t random = 11;
		bench_open(&b);
		struct oracle *o = b.d.oracle;
		for (unsigned i = 0; i < 2000; i++)
			oracle_count_random_inst(&b, &random);
		/* From here on the counters are shared, and must be copied first. */
		void *past = devices[DEVICE_ORACLE]->attachment->save(o);
		assert_non_null(past);
		allocations_left = allowed;
		for (unsigned i = 0; i < 2000; i++)
			oracle_count_random_inst(&b, &random);
		assert_null(oracle_check(o));
		starved = o->head.starved;
		assert_int_equal(o->head.lost_all, o->head.starved);
		/* the machine's state does not depend on the host */
		assert_int_equal(b.stats.oracle_lost, 0);
		assert_int_equal(o->head.insts, 4000);
		/* Memory is available again. */
		allocations_left = ENOUGH;
		uint64_t lost = o->head.lost[ORACLE_INSTS];
		for (unsigned i = 0; i < 1000; i++)
			oracle_count_random_inst(&b, &random);
		assert_int_equal(o->head.lost[ORACLE_INSTS], lost);
		assert_null(oracle_check(o));
		devices[DEVICE_ORACLE]->attachment->restore(o, past);
		assert_null(oracle_check(o));
		assert_int_equal(o->head.insts, 2000);
		devices[DEVICE_ORACLE]->attachment->free(past);
		device_oracle.deinit(&b.d);
		assert_true(allowed || starved);
	}
}

TEST(check_finds_what_is_wrong)
{
	struct bench b;
	uint64_t random = 5;
	bench_open(&b);
	struct oracle *o = b.d.oracle;
	for (unsigned i = 0; i < 3000; i++)
		oracle_count_random_inst(&b, &random);
	assert_null(device_oracle.check(&b.d, true));
	b.stats.oracle_insts++;
	assert_non_null(device_oracle.check(&b.d, true));
	b.stats.oracle_insts--;
	struct oracle_entry *e = oracle_table_writable_entry(&o->table[ORACLE_INSTS], 3);
	e->count++;
	assert_non_null(oracle_check(o));
	e->count--;
	e->next ^= 1;
	assert_non_null(oracle_check(o));
	e->next ^= 1;
	e = oracle_table_writable_entry(&o->table[ORACLE_ARCS], 0);
	uint32_t aux = e->aux;
	e->aux = (uint32_t)o->head.nodes;
	assert_non_null(oracle_check(o));
	e->aux = aux;
	o->head.pending++;
	assert_non_null(oracle_check(o));
	o->head.pending--;
	assert_null(oracle_check(o));
	device_oracle.deinit(&b.d);
}
