/* Hotlists, step by step, against another implementation of each method. */
#include "tests/unit/prof/hotlist_fixture.h"

/* ---- counting samples ---- */
/* Gibbons and Matias' section 3.2: a value in the sample is counted, another comes in with p; when
 * p falls, each value is drawn again. */
struct counting {
	double p;
	unsigned n;
	uint64_t value[LIST_MAX + 1], count[LIST_MAX + 1], random;
};

static double hotlist_model_random_fraction(struct counting *m)
{
	return (double)hash_splitmix64_next(&m->random) / 18446744073709551616.0;
}

static void counting_note(struct counting *m, uint64_t value, unsigned most, double f)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->value[i] == value) {
			m->count[i]++;
			return;
		}
	if (m->p < 1 && hotlist_model_random_fraction(m) >= m->p)
		return;
	m->value[m->n] = value;
	m->count[m->n++] = 1;
	while (m->n > most) {
		unsigned n = 0;
		m->p /= f;
		for (unsigned i = 0; i < m->n; i++) {
			double heads = 1 / f;
			while (m->count[i] && hotlist_model_random_fraction(m) >= heads) {
				m->count[i]--;
				heads = m->p;
			}
			if (m->count[i]) {
				m->value[n] = m->value[i];
				m->count[n++] = m->count[i];
			}
		}
		m->n = n;
	}
}

TEST(counting_samples_are_as_they_should)
{
	static uint64_t stream[LENGTH];
	static const struct hotlist_spec specs[] = {{HOTLIST_COUNTING, 16, 16, 15, 0},
	                                            {HOTLIST_COUNTING, 1, 2, 1, 0},
	                                            {HOTLIST_COUNTING, 5, 10, 9, 0},
	                                            {HOTLIST_COUNTING, 64, 3, 2, 0}};
	for (unsigned k = 0; k < STREAMS * 4; k++) {
		const struct hotlist_spec *spec = &specs[k / STREAMS];
		struct buffer b;
		struct hotlist *l = hotlist_fixture_init_list(&b);
		uint64_t random = 177 + k;
		struct counting m = {.p = 1, .random = random};
		hotlist_fixture_make_stream(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			counting_note(&m, stream[i], spec->entries,
			              (double)spec->f_up / spec->f_down);
			assert_null(hotlist_check(spec, l));
			assert_true(fabs(hotlist_probability(l) / m.p - 1) < 1e-9);
			assert_int_equal(l->used, m.n);
			for (unsigned v = 0; v < m.n; v++)
				assert_true(l->at[v].value == m.value[v] &&
				            l->at[v].count == m.count[v]);
		}
	}
}

/* ---- Calder's table ---- */
/* Written from its description: sorted by counts at each value, the last entry replaced, the lower
 * half emptied. */
struct top {
	struct hot_value at[LIST_MAX];
	unsigned n;
	uint64_t since;
};

static void top_note(struct top *t, uint64_t value, const struct hotlist_spec *spec)
{
	unsigned i = 0;
	while (i < t->n && t->at[i].value != value)
		i++;
	if (i == t->n) {
		if (t->n == spec->entries)
			i--;
		else
			t->n++;
		t->at[i] = (struct hot_value){value, 0};
	}
	t->at[i].count++;
	const struct hot_value moved = t->at[i];
	unsigned to = 0;
	while (to < i && t->at[to].count >= moved.count)
		to++;
	memmove(&t->at[to + 1], &t->at[to], (i - to) * sizeof *t->at);
	t->at[to] = moved;
	if (spec->clear && ++t->since == spec->clear) {
		t->since = 0;
		if (t->n > (spec->entries + 1) / 2)
			t->n = (spec->entries + 1) / 2;
	}
}

TEST(top_values_are_as_calder_says)
{
	static uint64_t stream[LENGTH];
	static const struct hotlist_spec specs[] = {{HOTLIST_TOP, 16, 0, 0, 2000},
	                                            {HOTLIST_TOP, 1, 0, 0, 10},
	                                            {HOTLIST_TOP, 7, 0, 0, 100},
	                                            {HOTLIST_TOP, 16, 0, 0, 0}};
	for (unsigned k = 0; k < STREAMS * 4; k++) {
		const struct hotlist_spec *spec = &specs[k / STREAMS];
		struct buffer b;
		struct hotlist *l = hotlist_fixture_init_list(&b);
		struct top t = {.n = 0};
		uint64_t random = 1;
		hotlist_fixture_make_stream(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			top_note(&t, stream[i], spec);
			assert_null(hotlist_check(spec, l));
			assert_int_equal(l->used, t.n);
			assert_memory_equal(l->at, t.at, t.n * sizeof *t.at);
		}
		assert_int_equal(random, 1); /* the method draws no random numbers */
		for (uint64_t v = 0; v < l->used; v++)
			assert_true(l->at[v].count <= times_in(stream, l->at[v].value));
	}
}

/* The purpose of clearing, which the paper prefers to avoid: after a change of phase, the second
 * phase's value gets in; without clearing, a table full of the first phase keeps it out. */
TEST(clearing_lets_later_values_in)
{
	struct hotlist_spec spec = {HOTLIST_TOP, 4, 0, 0, 500};
	for (unsigned k = 0; k < 2; k++, spec.clear = 0) {
		struct buffer b;
		struct hotlist *l = hotlist_fixture_init_list(&b);
		uint64_t random = 0;
		for (uint64_t i = 0; i < 4000; i++)
			hotlist_note(&spec, l, i % 4, &random);
		/* Two later values in turn: each replaces the other. Ends before a clearing, which
		 * would drop both. */
		for (uint64_t i = 0; i < 3900; i++)
			hotlist_note(&spec, l, 100 + i % 2, &random);
		assert_int_equal(hotlist_fixture_count_of_value(l, 100) > 100 &&
		                         hotlist_fixture_count_of_value(l, 101) > 100,
		                 spec.clear != 0);
	}
}

/* ---- lists by instruction and kind ---- */
static struct hotlists *hotlist_model_new_lists(const struct hotlist_spec *spec, uint64_t memory)
{
	struct err err;
	struct hotlists *h = hotlists_new(spec, 42, memory, &err);
	if (!h)
		fail_msg("%s", err.msg);
	return h;
}

TEST(lists_are_kept_apart)
{
	const struct hotlist_spec *const specs[] = {&hotlist_samples_paper, &hotlist_top_calder,
	                                            &hotlist_all, &hotlist_counting};
	for (unsigned k = 0; k < 4; k++) {
		struct hotlists *h = hotlist_model_new_lists(specs[k], 1 << 20);
		for (uint64_t i = 0; i < 9000; i++)
			assert_true(hotlists_add(h, 0x10000 + 4 * (i % 50), (unsigned)(i % 3),
			                         i % 150 + (i & 1024)));
		assert_int_equal(hotlists_count(h), 150);
		assert_null(hotlists_check(h));
		for (uint64_t i = 0; i < 150; i++) {
			const uint32_t at =
				hotlists_find(h, 0x10000 + 4 * (i % 50), (unsigned)(i % 3));
			const struct hotlist_info info = hotlists_info(h, at);
			struct hot_estimate top[3];
			assert_int_equal(at, i); /* as they came */
			assert_int_equal(info.pc, 0x10000 + 4 * (i % 50));
			assert_int_equal(info.kind, i % 3);
			assert_int_equal(info.seen, 60);
			assert_int_equal(info.used, 2);
			assert_true(info.probability == 1);
			assert_int_equal(hotlists_top(h, at, top, 3), 2);
			assert_int_equal(hotlists_top(h, at, top, 1), 1);
			assert_true(top[0].estimate == (double)top[0].count &&
			            top[0].count >= top[1].count);
			assert_int_equal(top[0].count + top[1].count, 60);
			assert_int_equal(top[0].value % 1024, i);
		}
		assert_int_equal(hotlists_find(h, 0x10000, 3), UINT32_MAX);
		assert_int_equal(hotlists_find(h, 0x10002, 0), UINT32_MAX);
		hotlists_clear(h);
		assert_int_equal(hotlists_count(h), 0);
		hotlists_free(h);
	}
}

TEST(exact_counts_are_exact)
{
	static uint64_t stream[LENGTH];
	for (unsigned k = 0; k < STREAMS; k++) {
		struct hotlists *h = hotlist_model_new_lists(&hotlist_all, 4 << 20);
		struct hot_estimate top[8];
		hotlist_fixture_make_stream(k, stream);
		for (unsigned i = 0; i < LENGTH; i++)
			assert_true(hotlists_add(h, 4, 1, stream[i]));
		assert_null(hotlists_check(h));
		const unsigned n = hotlists_top(h, 0, top, 8);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(top[i].count, times_in(stream, top[i].value));
			assert_true(!i || top[i - 1].count > top[i].count ||
			            (top[i - 1].count == top[i].count &&
			             top[i - 1].value < top[i].value));
		}
		/* No value outside the list is more frequent than the list's first. */
		for (unsigned i = 0; i < LENGTH; i += 7)
			assert_true(times_in(stream, stream[i]) <= top[0].count);
		hotlists_free(h);
	}
}

TEST(test_hotlist_model_memory_is_bounded)
{
	const struct hotlist_spec *const specs[] = {&hotlist_samples_paper, &hotlist_top_calder,
	                                            &hotlist_all, &hotlist_counting};
	for (unsigned k = 0; k < 4; k++) {
		struct hotlists *h = hotlist_model_new_lists(specs[k], HOTLIST_MEMORY_MIN);
		uint64_t random = 3, lost = 0;
		for (unsigned i = 0; i < 200000; i++)
			lost += !hotlists_add(h, hash_splitmix64_next(&random) >> 45 << 1, 0,
			                      hash_splitmix64_next(&random));
		assert_true(lost > 0 && lost < 200000);
		assert_int_equal(h->head.lost, lost);
		assert_int_equal(h->head.starved, 0);
		assert_null(hotlists_check(h));
		assert_true(cow_bytes(h->store.cow) <= HOTLIST_MEMORY_MIN + HOTLIST_MEMORY_MIN / 4);
		/* Present values are still counted. */
		const struct hotlist_info first = hotlists_info(h, 0);
		struct hot_estimate top;
		assert_int_equal(hotlists_top(h, 0, &top, 1), 1);
		assert_true(hotlists_add(h, first.pc, 0, top.value));
		assert_int_equal(hotlists_info(h, 0).seen, first.seen + 1);
		hotlists_free(h);
	}
}

/* The same stream gives the same lists, another seed gives others. Lists are restored as an
 * attachment's state. */
TEST(states_come_back)
{
	struct err err;
	struct hotlists *a = hotlist_model_new_lists(&hotlist_samples_paper, 1 << 20),
			*b = hotlist_model_new_lists(&hotlist_samples_paper, 1 << 20);
	struct hotlists *c = hotlists_new(&hotlist_samples_paper, 43, 1 << 20, &err);
	uint64_t random = 9;
	size_t n;
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t pc = 2 * hotlist_fixture_random_below(&random, 20),
			       value = hotlist_fixture_random_below(&random, 30);
		hotlists_add(a, pc, 0, value);
		hotlists_add(b, pc, 0, value);
		hotlists_add(c, pc, 0, value);
	}
	const uint64_t then = hotlists_hash(a);
	assert_int_equal(hotlists_hash(b), then);
	assert_int_not_equal(hotlists_hash(c), then);
	void *kept = hotlists_attachment.save(a), *bytes = hotlists_attachment.pack(a, &n);
	for (uint64_t i = 0; i < 1000; i++)
		hotlists_add(a, 2 * (i % 50), 0, i);
	const uint64_t later = hotlists_hash(a);
	assert_int_not_equal(later, then);
	hotlists_attachment.restore(a, kept);
	assert_int_equal(hotlists_hash(a), then);
	assert_true(hotlists_attachment.unpack(b, bytes, n, &err));
	assert_int_equal(hotlists_hash(b), then);
	for (uint64_t i = 0; i < 1000; i++)
		hotlists_add(a, 2 * (i % 50), 0, i);
	assert_int_equal(hotlists_hash(a), later); /* the random numbers repeat */
	assert_false(hotlists_attachment.unpack(b, bytes, n - 9, &err));
	hotlists_attachment.free(kept);
	free(bytes);
	hotlists_free(a);
	hotlists_free(b);
	hotlists_free(c);
}

TEST(test_hotlist_model_refuses_bad_specs)
{
	static const struct {
		struct hotlist_spec spec;
		uint64_t memory;
		const char *says;
	} cases[] = {
		{{HOTLIST_SAMPLES, 0, 16, 15, 0},
	         1 << 20,
	         "a hotlist of 0 values; expected 1 to 256"},
		{{HOTLIST_TOP, 257, 0, 0, 0},
	         1 << 20,
	         "a hotlist of 257 values; expected 1 to 256"},
		{{HOTLIST_SAMPLES, 16, 15, 15, 0},
	         1 << 20,
	         "a hotlist whose f is 15/15: f must be greater than 1, such as 16/15"},
		{{HOTLIST_SAMPLES, 16, 15, 0, 0},
	         1 << 20,
	         "a hotlist whose f is 15/0: f must be greater than 1, such as 16/15"},
		{{HOTLIST_EXACT, 0, 0, 0, 0},
	         1000,
	         "hotlists can't have 1000 bytes; expected 262144 or more"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = {""};
		assert_null(hotlists_new(&cases[i].spec, 1, cases[i].memory, &err));
		assert_string_equal(err.msg, cases[i].says);
	}
}
