/* The journal by itself: entries are read in their order and cycle, cut, saved, and refused when
 * damaged. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/change.h"
#include "core/os/journal.h"
#include "tests/cases.h"

struct book {
	struct journal j;
	struct journal_state st;
};

static int journal_setup_book(void **state)
{
	struct book *b = calloc(1, sizeof *b);
	b->j.st = &b->st;
	*state = b;
	return 0;
}

static int journal_teardown_book(void **state)
{
	struct book *b = *state;
	journal_deinit(&b->j);
	free(b);
	return 0;
}

static void journal_write_answer(struct journal *j, uint32_t key, uint64_t cycle, const char *text)
{
	struct journal_entry *e = journal_open(j, JOURNAL_STDIN, key, cycle, strlen(text));
	assert_non_null(e);
	e->ret = (int64_t)strlen(text);
	e->n = strlen(text);
	memcpy(e + 1, text, strlen(text));
	journal_close(j, e);
}

/* A register set, as core/machine/change.c writes it. */
static void write_change(struct journal *j, uint64_t cycle, uint64_t value)
{
	const uint64_t words[2] = {5, value};
	struct journal_entry *e = journal_open(j, JOURNAL_REG, 0, cycle, sizeof words);
	assert_non_null(e);
	e->n = sizeof words;
	memcpy(e + 1, words, sizeof words);
	journal_close(j, e);
}

static void read_answer(struct journal *j, uint32_t key, uint64_t cycle, const char *text)
{
	bool strayed;
	const struct journal_entry *e = journal_answer(j, JOURNAL_STDIN, key, cycle, &strayed);
	assert_non_null(e);
	assert_false(strayed);
	assert_int_equal(e->n, strlen(text));
	assert_memory_equal(journal_payload(e), text, strlen(text));
}

static void read_change(struct journal *j, uint64_t cycle, uint64_t value)
{
	uint64_t words[2];
	assert_int_equal(journal_next_change(j), cycle);
	const struct journal_entry *e = journal_take_change(j, cycle);
	assert_non_null(e);
	memcpy(words, journal_payload(e), sizeof words);
	assert_int_equal(words[1], value);
}

/* Two answers and three changes, two of them in one cycle. */
static void journal_write_all_entries(struct journal *j)
{
	journal_write_answer(j, 77, 10, "first line\n");
	write_change(j, 20, 1);
	write_change(j, 20, 2);
	journal_write_answer(j, 78, 20, "x");
	write_change(j, 31, 3);
}

static void journal_read_all_entries(struct journal *j)
{
	assert_null(journal_take_change(j, 20)); /* an answer comes first */
	read_answer(j, 77, 10, "first line\n");
	assert_null(journal_take_change(j, 19));
	read_change(j, 20, 1);
	read_change(j, 20, 2);
	read_answer(j, 78, 20, "x");
	read_change(j, 31, 3);
	assert_int_equal(journal_next_change(j), UINT64_MAX);
}

TEST(entries_come_again_in_order)
{
	struct book *b = *state;
	journal_write_all_entries(&b->j);
	assert_int_equal(b->st.pos, 5);
	assert_int_equal(b->st.changes, 3);
	for (int i = 0; i < 3; i++) {
		b->st = (struct journal_state){0};
		journal_read_all_entries(&b->j);
		assert_int_equal(b->st.pos, 5);
	}
	bool strayed;
	assert_null(journal_answer(&b->j, JOURNAL_STDIN, 79, 40, &strayed));
	assert_false(strayed); /* the end: ask */
	assert_null(journal_at(&b->j, 5));
}

TEST(another_question_strays)
{
	struct book *b = *state;
	bool strayed;
	journal_write_all_entries(&b->j);
	b->st = (struct journal_state){0};
	assert_null(journal_answer(&b->j, JOURNAL_READ, 77, 10, &strayed));
	assert_true(strayed);
	assert_null(journal_answer(&b->j, JOURNAL_STDIN, 76, 10, &strayed));
	assert_true(strayed);
	assert_null(journal_answer(&b->j, JOURNAL_STDIN, 77, 11, &strayed));
	assert_true(strayed);
	assert_int_equal(b->st.pos, 0);
	read_answer(&b->j, 77, 10, "first line\n");
	/* a change comes first */
	assert_null(journal_answer(&b->j, JOURNAL_STDIN, 78, 20, &strayed));
	assert_true(strayed);
}

TEST(a_cut_ends_it_at_the_position)
{
	struct book *b = *state;
	journal_write_all_entries(&b->j);
	journal_cut(&b->j); /* at the end: nothing */
	assert_int_equal(b->j.entries, 5);
	size_t all = journal_bytes(&b->j);
	b->st = (struct journal_state){.pos = 2, .changes = 1};
	journal_cut(&b->j);
	assert_int_equal(b->j.entries, 2);
	assert_int_equal(b->j.changes, 1);
	assert_true(journal_bytes(&b->j) < all);
	assert_int_equal(journal_next_change(&b->j), UINT64_MAX);
	write_change(&b->j, 25, 9);
	b->st = (struct journal_state){0};
	read_answer(&b->j, 77, 10, "first line\n");
	read_change(&b->j, 20, 1);
	read_change(&b->j, 25, 9);
}

TEST(an_entry_not_closed_is_none)
{
	struct book *b = *state;
	assert_non_null(journal_open(&b->j, JOURNAL_STDIN, 1, 5, 1000));
	assert_int_equal(b->j.entries, 0);
	journal_write_answer(&b->j, 2, 6, "y");
	assert_int_equal(b->j.entries, 1);
	b->st.pos = 0;
	read_answer(&b->j, 2, 6, "y");
}

/* Changes take as much memory as their contents. */
TEST(a_thousand_changes_are_small)
{
	struct book *b = *state;
	for (uint64_t i = 0; i < 1000; i++)
		write_change(&b->j, i, i);
	assert_true(journal_bytes(&b->j) <= 1000 * (sizeof(struct journal_entry) + 16 + 16));
	b->st = (struct journal_state){0};
	for (uint64_t i = 0; i < 1000; i++)
		read_change(&b->j, i, i);
}

static bool journal_entry_is_acceptable(const struct journal_entry *e, const void *payload)
{
	return !journal_is_change(e->kind) || change_ok(e, payload);
}

TEST(the_consumed_part_is_saved)
{
	struct book *b = *state, other = {.j.st = &other.st};
	struct err err;
	void *bytes;
	size_t n;
	journal_write_all_entries(&b->j);
	b->st = (struct journal_state){.pos = 4, .changes = 2};
	journal_save(&b->j, NULL, NULL, &bytes, &n);
	assert_true(journal_load(&other.j, bytes, n, journal_entry_is_acceptable, &err));
	assert_int_equal(other.j.entries, 4);
	read_answer(&other.j, 77, 10, "first line\n");
	read_change(&other.j, 20, 1);
	read_change(&other.j, 20, 2);
	read_answer(&other.j, 78, 20, "x");
	write_change(&other.j, 50, 4); /* it goes on */
	assert_int_equal(other.j.entries, 5);
	journal_deinit(&other.j);
	free(bytes);
}

static void journal_expect_load_refusal(struct book *b, const void *bytes, size_t n,
                                        const char *why)
{
	struct err err = {""};
	size_t entries = b->j.entries;
	assert_false(journal_load(&b->j, bytes, n, journal_entry_is_acceptable, &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
	assert_int_equal(b->j.entries, entries);
}

TEST(damage_is_named)
{
	enum { HEAD = 24 };
	struct book *b = *state, other = {.j.st = &other.st};
	uint8_t *bytes, *copy;
	size_t n;
	journal_write_all_entries(&b->j);
	journal_save(&b->j, NULL, NULL, (void **)&bytes, &n);
	copy = malloc(n);
	write_change(&other.j, 1, 1); /* stays */
	other.st = (struct journal_state){0};
	for (size_t len = 0; len < n; len++)
		journal_expect_load_refusal(&other, bytes, len, len < HEAD ? "begin" : "cut off");

	struct journal_entry e;
	memcpy(copy, bytes, n);
	memcpy(&e, copy + HEAD, sizeof e);
	e.kind = JOURNAL_KINDS;
	memcpy(copy + HEAD, &e, sizeof e);
	journal_expect_load_refusal(&other, copy, n,
	                            "entry 1 is of a kind unknown to this version");
	e.kind = JOURNAL_STDIN;
	e.cycle = 21;
	memcpy(copy + HEAD, &e, sizeof e);
	journal_expect_load_refusal(&other, copy, n, "entry 2 (a register set) is older");
	e.cycle = 10;
	e.n = UINT64_MAX - 3;
	memcpy(copy + HEAD, &e, sizeof e);
	journal_expect_load_refusal(&other, copy, n, "entry 1 (standard input read) is cut off");

	memcpy(copy, bytes, n);
	uint64_t reg = 64; /* the first change's register, after an entry of 11 bytes */
	memcpy(copy + HEAD + sizeof e + 16 + sizeof e, &reg, sizeof reg);
	journal_expect_load_refusal(&other, copy, n, "entry 2 (a register set) makes no sense");

	other.st = (struct journal_state){.pos = 2, .changes = 0};
	journal_expect_load_refusal(&other, bytes, n, "not at a place");
	other.st = (struct journal_state){.pos = 6, .changes = 3};
	journal_expect_load_refusal(&other, bytes, n, "not at a place");
	journal_deinit(&other.j);
	free(copy);
	free(bytes);
}

/* Without reverse motion used entries are dropped, except those that a repeated call needs. */
TEST(the_used_can_be_forgotten)
{
	struct book *b = *state;
	struct journal *j = &b->j;
	bool strayed;
	journal_write_answer(j, 1, 10, "kept, as nobody said otherwise");
	journal_forget(j);
	assert_non_null(journal_at(j, 0));
	j->forgets = true;
	journal_forget(j);
	assert_null(journal_at(j, 0));
	for (uint32_t i = 0; i < 5000; i++) {
		journal_forget(j);
		journal_write_answer(j, i, 20 + i, "some bytes that came from outside");
		write_change(j, 20 + i, i);
		assert_non_null(journal_at(j, j->entries - 1));
	}
	assert_int_equal(j->entries, 10001);
	assert_int_equal(b->st.pos, 10001);
	assert_int_equal(b->st.changes, 5000);
	assert_int_equal(journal_next_change(j), UINT64_MAX);
	assert_true(journal_bytes(j) < 5000 * 2 * sizeof(uint64_t));
	/* Goes back before the last two changes: these are replayed, then new ones follow. */
	b->st = (struct journal_state){.pos = 9999, .changes = 4999};
	journal_forget(j);
	read_answer(j, 4999, 5019, "some bytes that came from outside");
	read_change(j, 5019, 4999);
	assert_null(journal_answer(j, JOURNAL_STDIN, 7, 6000, &strayed));
	journal_write_answer(j, 7, 6000, "new");
	assert_int_equal(j->entries, 10002);
	b->st.pos = 10001;
	journal_cut(j);
	assert_int_equal(j->entries, 10001);
	assert_null(journal_at(j, 10001));
	journal_write_answer(j, 8, 6001, "newer");
	b->st.pos = 10001;
	read_answer(j, 8, 6001, "newer");
}

TEST(every_kind_has_a_text)
{
	for (uint32_t k = JOURNAL_NONE + 1; k < JOURNAL_KINDS; k++)
		assert_non_null(journal_kind_text(k));
	assert_null(journal_kind_text(JOURNAL_NONE));
	assert_null(journal_kind_text(JOURNAL_KINDS));
	assert_false(journal_is_change(JOURNAL_STDIN));
	assert_false(journal_is_change(JOURNAL_KINDS));
	assert_true(journal_is_change(JOURNAL_MEMORY));
}

TEST_EACH(journal_setup_book, journal_teardown_book)
