/* core/prof/compressor: text, saved and restored state, refusals. tests/sampler/ compares
 * components with a reference. */
#include "core/prof/sampler/compressor.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "tests/cases.h"

static struct compressor compressor_new_from_text(const char *text, void **memory)
{
	struct compressor_spec spec;
	struct compressor c;
	struct err err = {""};
	if (!compressor_parse(text, &spec, &err))
		fail_msg("%s: %s", text, err.msg);
	size_t bytes = compressor_bytes(&spec);
	assert_int_equal(bytes % 64, 0);
	*memory = aligned_alloc(64, bytes);
	assert_non_null(*memory);
	memset(*memory, 0, bytes);
	assert_true(compressor_init(&c, &spec, *memory, &err));
	compressor_reset(&c, 1);
	return c;
}

static void compressor_release_memory(struct compressor *c, void *memory)
{
	compressor_deinit(c);
	free(memory);
}

/* A few frequent tuples, many rare ones. */
static struct tuple compressor_random_tuple(uint64_t *random)
{
	uint64_t r = hash_splitmix64_next(random);
	unsigned k = (unsigned)__builtin_ctzll(r | UINT64_C(1) << 40);
	return (struct tuple){(0x10400 + 4 * (k / 2)) | (uint64_t)(k & 1) << TUPLE_TAG_SHIFT,
	                      k * UINT64_C(0x123456789) + (r >> 62)};
}

/* ---- text ---- */
/* Written text is read as the same; nothing is left to defaults. */
static void same_again(const char *text)
{
	struct compressor_spec spec, again;
	char first[COMPRESSOR_TEXT_MAX], second[COMPRESSOR_TEXT_MAX];
	struct err err = {""};
	if (!compressor_parse(text, &spec, &err))
		fail_msg("'%s': %s", text, err.msg);
	compressor_format(&spec, first, sizeof first);
	if (!compressor_parse(first, &again, &err))
		fail_msg("'%s' is written as '%s': %s", text, first, err.msg);
	bool same = spec.count == again.count && compressor_bits(&spec) == compressor_bits(&again);
	for (unsigned i = 0; i < spec.count && same; i++) {
		const struct component *a = &spec.stage[i], *b = &again.stage[i];
		same = a->kind == b->kind && a->split == b->split && a->counted == b->counted &&
		       a->hash == b->hash && a->rate == b->rate && a->entries == b->entries &&
		       a->unit == b->unit && a->ways == b->ways && a->tag_bits == b->tag_bits &&
		       a->hit_bits == b->hit_bits && a->miss_bits == b->miss_bits &&
		       a->evict == b->evict && a->replace == b->replace &&
		       a->count_bits == b->count_bits;
	}
	if (!same)
		fail_msg("'%s' is written as '%s', which means something else", text, first);
	assert_string_equal(first, compressor_format(&again, second, sizeof second));
}

TEST(text_is_read_and_written)
{
	static const char *const texts[] = {
		"R(10)",
		"Rc(1)",
		"P(1073741824)",
		"C(R(10))",
		"C( Rc ( 10 ) )",
		"H(P(256),2048)",
		"H(C(R(3)), 1, fold)",
		"H(Rc(5), 37, modulo)",
		"T(2048)",
		"T(1)",
		"T(64, ways=64)",
		"T(8, hash=fold, tag=0, hit=31, miss=15, evict=1, replace=32768)",
		"T(6, hash=modulo, ways=3)",
		"A(16)",
		"A(16, 8)",
		"A(16, 16)",
		"A(4096, 31)",
		"H(P(256), 2048), A(16)",
		"P(2),P(3),P(4),A(1)",
		"T(2048, ways=2), A(16, 8)",
		"C(R(4)), A(3, 5), A(4, 16)",
		" P ( 3 ) , A ( 2 ) ",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		same_again(texts[i]);
}

static void compressor_expect_refusal(const char *text, const char *why)
{
	struct compressor_spec spec = {.count = 77};
	struct err err = {""};
	if (compressor_parse(text, &spec, &err))
		fail_msg("'%s' should be refused", text);
	if (!strstr(err.msg, why))
		fail_msg("'%s': '%s' should say '%s'", text, err.msg, why);
	assert_int_equal(spec.count, 77);
}

TEST(mistakes_are_told)
{
	compressor_expect_refusal("", "a component is missing at the end");
	compressor_expect_refusal("P(3),", "a component is missing at the end");
	compressor_expect_refusal("P(3),,A(1)", "a component is missing at ','");
	compressor_expect_refusal("Q(3)", "no component 'Q': there are R(r)");
	compressor_expect_refusal("P", "'(' is missing at the end");
	compressor_expect_refusal("P(", "a number is needed at the end");
	compressor_expect_refusal("P(x)", "a number is needed at 'x', column 3");
	compressor_expect_refusal("P(3", "')' is missing at the end");
	compressor_expect_refusal("P(3) A(1)", "a comma or nothing belongs at 'A', column 6");
	compressor_expect_refusal("P(0)", "a sampler's rate is 1 to 1073741824, not 0");
	compressor_expect_refusal("P(1073741825)", "a sampler's rate is 1 to 1073741824");
	compressor_expect_refusal("P(99999999999999999999)", "a sampler's rate is 1 to 1073741824");
	compressor_expect_refusal("P(-1)", "a number is needed");
	compressor_expect_refusal("P(3x)", "a number is needed");
	compressor_expect_refusal("P(1073741824), P(2)", "the rates multiply to more than");
	compressor_expect_refusal("C(C(P(3)))", "not for another C");
	compressor_expect_refusal("C(H(P(3), 4))", "C counts for R(r), Rc(r), P(r)");
	compressor_expect_refusal("H(A(3), 4)", "H splits for R(r), Rc(r), P(r)");
	compressor_expect_refusal("H(P(3), 5)", "power of two");
	compressor_expect_refusal("H(P(3), 2097152)", "number of strata is 1 to 1048576");
	compressor_expect_refusal("H(P(3), 4, modul)", "did you mean 'modulo'?");
	compressor_expect_refusal("T(8, wyas=2)", "did you mean 'ways'?");
	compressor_expect_refusal("T(8, ways 2)", "options of T are written as ways=2");
	compressor_expect_refusal("T(6, ways=2)", "divided by ways to be a power of two");
	compressor_expect_refusal("T(8, ways=3)", "divided by ways to be a power of two");
	compressor_expect_refusal("T(8, hit=4, evict=17)",
	                          "evict=17 is more than a hit counter of 4 bits reaches, 16");
	compressor_expect_refusal("T(8, replace=1)", "2 to 32768");
	compressor_expect_refusal("T(8, miss=2)",
	                          "replace=8 is more than a miss counter of 2 bits reaches, 4");
	compressor_expect_refusal(
		"T(8, hit=2, evict=1)",
		"misses become hits, which a counter of 2 bits holds only if replace is at most 4");
	compressor_expect_refusal("A(0)", "associative counters is 1 to 4096");
	compressor_expect_refusal("A(4, 32)", "bits of an associative counter is 1 to 31");
	compressor_expect_refusal("A(4), P(2)", "P(2) can't follow A(4)");
	compressor_expect_refusal("T(8), R(2)", "expected A or external");
	compressor_expect_refusal("C(P(2)), H(P(3), 4)", "expected A or external");
	compressor_expect_refusal("P(1), P(1), P(1), P(1), P(1)", "at most 4 components");
}

/* Texts of valid pieces in mostly invalid orders; an accepted one must be written and read
 * again. */
TEST(any_text_is_read_or_refused)
{
	static const char *const pieces[] = {
		"P",         "R",          "Rc",     "C",         "H",       "T",          "A",
		"(",         ")",          ",",      "(",         ")",       ", ",         "=",
		"1",         "3",          "4",      "16",        "2048",    "ways=2",     "tag=",
		"hash=fold", "modulo",     "miss=1", "replace=2", "evict=1", "4294967296", "P(3)",
		"A(16)",     "H(P(4), 8)", "T(8",    " ",         "-",       "%s%n",       "\xff",
		"C(R(2))",   "x",          "0",
	};
	enum { PIECES = sizeof pieces / sizeof *pieces, TEXTS = 200000 };
	uint64_t random = 9;
	unsigned read = 0;
	(void)state;
	for (unsigned i = 0; i < TEXTS; i++) {
		char text[400] = "";
		struct compressor_spec spec;
		struct err err = {""};
		for (uint64_t n = hash_splitmix64_next(&random) % 9; n; n--)
			strcat(text, pieces[hash_splitmix64_next(&random) % PIECES]);
		if (compressor_parse(text, &spec, &err)) {
			read++;
			same_again(text);
		} else if (!*err.msg || strchr(err.msg, '\n')) {
			fail_msg("'%s' is refused by '%s'", text, err.msg);
		}
	}
	assert_in_range(read, 1000, TEXTS - 1000);
}

static void compressor_expect_bits(const char *text, uint64_t want)
{
	struct compressor_spec spec;
	struct err err;
	assert_true(compressor_parse(text, &spec, &err));
	if (compressor_bits(&spec) != want)
		fail_msg("%s takes %llu bits, not %llu", text,
		         (unsigned long long)compressor_bits(&spec), (unsigned long long)want);
}

/* 4.2: a tagged table beside strata; 3.4: an associative entry has two words and a counter. */
TEST(storage_is_the_papers)
{
	compressor_expect_bits("P(256)", 8);
	compressor_expect_bits("P(1)", 0);
	compressor_expect_bits("P(257)", 9);
	compressor_expect_bits("H(P(256), 2048)", 2048 * 8);
	compressor_expect_bits("T(2048, ways=1, tag=1)", 2048 * 13);
	compressor_expect_bits("T(2048, ways=2, tag=2)", 2048 * 14);
	compressor_expect_bits("A(16, 8)", 16 * (128 + 8 + 4));
	compressor_expect_bits("C(P(256))", 8 + 32);
	compressor_expect_bits("H(Rc(128), 4)", 4 * 8 + 64);
	compressor_expect_bits("R(10)", 64);
	compressor_expect_bits("H(P(256), 2048), A(16)", 2048 * 8 + 16 * (128 + 8 + 4));
}

/* ---- state ---- */
static const char *const chains[] = {
	"H(P(4), 32), A(4)", "T(16, ways=2, tag=2, hit=4, miss=3, evict=6), A(5)",
	"R(3), Rc(2)",       "H(C(Rc(5)), 8)",
	"A(3, 3), A(4, 6)",  "H(R(4), 16), A(3, 2)",
};
enum { CHAINS = sizeof chains / sizeof *chains, TUPLES = 5000, KEPT_AT = 1234 };

/* A snapshot is a copy of the memory: the same input then gives the same output, in the same object
 * and in another. */
TEST(copies_go_on_the_same)
{
	for (unsigned i = 0; i < CHAINS; i++) {
		static struct message first[TUPLES];
		void *memory, *other_memory;
		struct compressor c = compressor_new_from_text(chains[i], &memory),
				  other = compressor_new_from_text(chains[i], &other_memory);
		size_t bytes = compressor_bytes(&c.spec), n = 0, k = 0;
		void *kept = malloc(bytes);
		uint64_t random = 5, then = 0;
		assert_non_null(kept);
		for (unsigned t = 0; t < TUPLES; t++) {
			if (t == KEPT_AT) {
				memcpy(kept, memory, bytes);
				then = random;
				n = 0;
			}
			n += compressor_take(&c, compressor_random_tuple(&random), &first[n]);
		}
		assert_null(compressor_check(&c));
		memcpy(memory, kept, bytes);
		memcpy(other_memory, kept, bytes);
		for (unsigned t = KEPT_AT; t < TUPLES; t++) {
			struct message again, there;
			struct tuple tuple = compressor_random_tuple(&then);
			bool sent = compressor_take(&c, tuple, &again);
			assert_int_equal(sent, compressor_take(&other, tuple, &there));
			if (!sent)
				continue;
			assert_memory_equal(&again, &first[k], sizeof again);
			assert_memory_equal(&there, &first[k++], sizeof there);
		}
		assert_int_equal(k, n);
		assert_true(n > 100);
		assert_memory_equal(memory, other_memory, bytes);
		free(kept);
		compressor_release_memory(&c, memory);
		compressor_release_memory(&other, other_memory);
	}
}

/* compressor_feed() is compressor_take() of each, also when there is room for few messages at once;
 * state and flows too. */
TEST(feeding_is_taking)
{
	static struct tuple stream[TUPLES];
	uint64_t random = 6;
	(void)state;
	for (unsigned t = 0; t < TUPLES; t++)
		stream[t] = compressor_random_tuple(&random);
	for (unsigned i = 0; i < CHAINS; i++) {
		void *memory, *other_memory;
		struct compressor c = compressor_new_from_text(chains[i], &memory),
				  other = compressor_new_from_text(chains[i], &other_memory);
		struct message few[3], one;
		size_t at = 0, told = 0;
		for (size_t done = 0, taken; done < TUPLES; done += taken) {
			size_t n =
				compressor_feed(&c, stream + done, TUPLES - done, few, 3, &taken);
			assert_true(n <= 3 && taken <= TUPLES - done &&
			            (n == 3 || taken == TUPLES - done));
			for (size_t m = 0; m < n; m++, told++) {
				while (!compressor_take(&other, stream[at++], &one))
					assert_true(at < TUPLES);
				assert_memory_equal(&one, &few[m], sizeof one);
			}
		}
		while (at < TUPLES)
			assert_false(compressor_take(&other, stream[at++], &one));
		assert_true(told > 100);
		assert_memory_equal(memory, other_memory, compressor_bytes(&c.spec));
		assert_int_equal(compressor_feed(&c, stream, 0, few, 3, &at), 0);
		assert_int_equal(at, 0);
		compressor_release_memory(&c, memory);
		compressor_release_memory(&other, other_memory);
	}
}

/* A reset object equals a new one. */
TEST(reset_forgets)
{
	for (unsigned i = 0; i < CHAINS; i++) {
		void *memory, *fresh_memory;
		struct compressor c = compressor_new_from_text(chains[i], &memory),
				  fresh = compressor_new_from_text(chains[i], &fresh_memory);
		struct message m;
		uint64_t random = 7;
		for (unsigned t = 0; t < TUPLES; t++)
			compressor_take(&c, compressor_random_tuple(&random), &m);
		compressor_reset(&c, 1);
		assert_memory_equal(memory, fresh_memory, compressor_bytes(&c.spec));
		compressor_release_memory(&c, memory);
		compressor_release_memory(&fresh, fresh_memory);
	}
}

/* States of a damaged checkpoint. */
TEST(impossible_states_are_told)
{
	static const struct {
		const char *text;
		size_t word; /* of the stage's state, of 32 bits */
		uint32_t value;
		const char *says;
	} cases[] = {
		{"P(4)", 2, 4, "component 0: at is 0x4, more than 0x3"},
		{"P(4)", 3, 1, "counted to where it can't"},
		{"Rc(4)", 2, 0, "counted to where it can't"},
		{"Rc(4)", 2, 8, "at is 0x8, more than 0x7"},
		{"R(4)", 2, 1, "at is 0x1, more than 0x0"},
		{"C(R(4))", 3, 1, "lost count of its stream"},
		{"T(2, tag=1)", 0, 2, "tag of number 0 is 0x2, more than 0x1"},
		{"T(2)", 1, 3, "state of number 0 is 0x3, more than 0x2"},
		{"T(2)", 1, 8 << 16 | 2, "misses of number 0 is 0x8, more than 0x7"},
		{"T(2)", 1, 1 << 16 | 1, "misses that it can't have"},
		{"T(2)", 2, 256, "hits of number 0 is 0x100, more than 0xff"},
		{"T(2)", 2, 255, "lost count of its stream"},
		{"A(2)", 8, 1, "used of number 0 is 0x1, more than 0x0"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		void *memory;
		struct compressor c = compressor_new_from_text(cases[i].text, &memory);
		assert_null(compressor_check(&c));
		memcpy((char *)c.state[0] + 4 * cases[i].word, &cases[i].value, 4);
		struct err err;
		struct range_search search = range_search(&err);
		compressor_ranges(&c, &search.rs);
		const char *wrong = search.ok ? compressor_check(&c) : err.msg;
		if (!wrong || !strstr(wrong, cases[i].says))
			fail_msg("%s, word %zu: '%s' should say '%s'", cases[i].text, cases[i].word,
			         wrong ? wrong : "nothing", cases[i].says);
		compressor_release_memory(&c, memory);
	}
}
