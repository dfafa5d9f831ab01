/* core/prof/tuple_stream and tuple_profile without memory: a failed call changes nothing.
 * tests/sampler/ compares their results. */
#include "core/prof/sampler/tuple_profile.h"
#include "tests/cases.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Memory that is given `left` times; counts allocations, and checks callers' sizes on free. */
struct meagre {
	unsigned left;
	size_t out;
};

static void *tuple_profile_limited_resize(void *ctx, void *old, size_t had, size_t n)
{
	struct meagre *m = ctx;
	void *p = NULL;
	assert_true(old || !had);
	assert_true(had <= m->out);
	if (n) {
		if (!m->left)
			return NULL;
		m->left--;
		p = malloc(n); /* always at another address, and filled */
		assert_non_null(p);
		memset(p, 0xab, n);
		if (old)
			memcpy(p, old, had < n ? had : n);
	}
	free(old);
	m->out += n - had;
	return p;
}

TEST(streams_keep_what_they_have)
{
	struct meagre m = {.left = 3};
	struct tuple_stream s;
	(void)state;
	tuple_stream_init(&s, 1000, (struct tuple_memory){tuple_profile_limited_resize, &m});
	uint64_t n = 0;
	while (tuple_stream_add(&s, (struct tuple){n, n * n}, 1) == TUPLES_ADDED)
		n++;
	assert_int_equal(n, s.count);
	assert_int_equal(n, 256); /* 64 at first, then twice as many, and again */
	assert_int_equal(tuple_stream_add(&s, (struct tuple){0, 0}, 1), TUPLES_NO_MEMORY);
	assert_int_equal(tuple_stream_add(&s, (struct tuple){0, 0}, 1000), TUPLES_FULL);
	m.left = 9;
	assert_int_equal(tuple_stream_add(&s, (struct tuple){7, 7}, 1000 - n), TUPLES_ADDED);
	assert_int_equal(tuple_stream_add(&s, (struct tuple){0, 0}, 1), TUPLES_FULL);
	assert_int_equal(tuple_stream_add(&s, (struct tuple){0, 0}, 0), TUPLES_ADDED);
	assert_int_equal(tuple_stream_add(&s, (struct tuple){0, 0}, SIZE_MAX), TUPLES_FULL);
	assert_int_equal(s.room, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(s.at[i].pc == (i < n ? i : 7) && s.at[i].value == (i < n ? i * i : 7));
	tuple_stream_deinit(&s);
	assert_int_equal(m.out, 0);
	assert_int_equal(s.count, 0);
}

TEST(lists_keep_what_they_have)
{
	struct meagre m = {.left = 2};
	struct message_list l;
	uint64_t n = 0;
	(void)state;
	message_list_init(&l, 1 << 20, (struct tuple_memory){tuple_profile_limited_resize, &m});
	while (message_list_add(&l, &(struct message){{n, n}, n + 1}) == TUPLES_ADDED)
		n++;
	assert_int_equal(n, 128);
	for (uint64_t i = 0; i < n; i++)
		assert_true(l.at[i].tuple.pc == i && l.at[i].count == i + 1);
	message_list_deinit(&l);
	assert_int_equal(m.out, 0);
}

/* For each of the four arrays: if it can't grow, all counts stay correct, and counting continues
 * when memory is available. */
TEST(profiles_keep_what_they_have)
{
	for (unsigned failing = 0; failing < 24; failing++) {
		struct meagre m = {.left = failing};
		struct tuple_profile p;
		unsigned n = 0, refused = 0;
		tuple_profile_init(&p, (struct tuple_memory){tuple_profile_limited_resize, &m});
		while (n < 3000) {
			struct tuple t = {4 * (n % 700), n};
			if (tuple_profile_add(&p, t, n + 1)) {
				n++;
				continue;
			}
			refused++;
			assert_null(tuple_profile_find(&p, t));
			assert_int_equal(p.tuples, n);
			assert_int_equal(p.total, (uint64_t)n * (n + 1) / 2);
			for (unsigned i = 0; i < n; i++)
				assert_int_equal(
					tuple_profile_find(&p, (struct tuple){4 * (i % 700), i})
						->count,
					i + 1);
			m.left = failing % 3 + 1; /* on, and then out of memory again */
		}
		assert_true(refused > 0);
		uint64_t sum = 0;
		for (uint32_t i = 0; i < p.pcs; i++) {
			const struct pc_count *pc = &p.pc[i];
			uint64_t count = 0, values = 0;
			for (uint32_t k = pc->first; k != TUPLE_NONE; k = p.tuple[k].next, values++)
				count += p.tuple[k].count;
			assert_int_equal(count, pc->count);
			assert_int_equal(values, pc->values);
			assert_ptr_equal(tuple_profile_find_pc(&p, pc->pc), pc);
			sum += count;
		}
		assert_int_equal(sum, p.total);
		tuple_profile_clear(&p);
		assert_null(tuple_profile_find(&p, (struct tuple){0, 0}));
		tuple_profile_deinit(&p);
		assert_int_equal(m.out, 0);
	}
}
