/* Logs of the host's answers: saved, read elsewhere, damaged, of random calls, of two machines. */
#include "tests/unit/os/replay_fixture.h"

TEST(saved_logs_replay_elsewhere)
{
	struct guest *g = replay_fixture_guest(state);
	struct trace first, again;
	struct err err;
	void *bytes, *output;
	size_t n, output_n;
	os_allow_writing(g->os, true);
	int in = replay_fixture_feed_stdin(g, "typed and more");
	replay_fixture_run_session(g, &first);
	journal_save(&g->journal, NULL, NULL, &bytes, &n);
	os_save_output(g->os, &output, &output_n);
	spoil_the_tree();

	struct guest *other = calloc(1, sizeof *other);
	guest_boot(other);
	assert_true(journal_load(&other->journal, bytes, n, os_answer_ok, &err));
	assert_true(os_load_output(other->os, output, output_n));
	assert_int_equal(other->journal.entries, g->journal.entries);
	replay_fixture_run_session(other, &again);
	replay_fixture_expect_same(&first, &again);
	assert_int_equal(other->out_n[1], 0); /* logged before */
	uint64_t at;
	size_t kept;
	const char *text_out = os_output(other->os, 1, &at, &kept);
	assert_int_equal(kept, 21);
	assert_memory_equal(text_out, "alpha beta gamma\nend\n", 21);
	/* The log is at its end; from here on the host answers again. */
	assert_int_equal(open_at(other, LX_AT_FDCWD, "none", 0), 4);
	CALL(other, write, 1, os_fixture_write_text(other, "+"), 1);
	assert_string_equal(other->out[1], "+");
	guest_drop(other);
	free(other);
	free(bytes);
	free(output);
	close(in);
}

/* A session with a listing and a loop, on whatever log there is. */
static void os_logs_run_session(struct guest *g)
{
	struct trace t;
	replay_fixture_run_session(g, &t);
}

TEST(damaged_logs_are_refused_or_harmless)
{
	struct guest *g = replay_fixture_guest(state);
	struct err err;
	uint8_t *bytes, *output;
	size_t n, output_n;
	os_allow_writing(g->os, true);
	int in = replay_fixture_feed_stdin(g, "typed and more");
	os_logs_run_session(g);
	journal_save(&g->journal, NULL, NULL, (void **)&bytes, &n);
	os_save_output(g->os, (void **)&output, &output_n);

	struct guest *other = calloc(1, sizeof *other);
	guest_boot(other);
	for (size_t len = 0; len < n; len += 1 + len / 64)
		assert_false(journal_load(&other->journal, bytes, len, os_answer_ok, &err));
	for (size_t len = 0; len < output_n; len++)
		assert_false(os_load_output(other->os, output, len));
	assert_int_equal(other->journal.entries, 0);
	uint64_t seed = 7;
	for (int i = 0; i < 400; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		/* A few of the many bytes of padding in paths are enough. */
		size_t at = (size_t)(seed >> 20) % (i % 2 && n > 256 ? n : 256);
		uint8_t was = bytes[at];
		bytes[at] ^= (uint8_t)(1u << (seed >> 60 & 7));
		guest_reset(other);
		other->bump = DATA;
		if (journal_load(&other->journal, bytes, n, os_answer_ok, &err))
			os_logs_run_session(other);
		bytes[at] = was;
	}
	guest_reset(other);
	assert_true(journal_load(&other->journal, bytes, n, os_answer_ok, &err));
	assert_true(os_load_output(other->os, output, output_n));
	guest_drop(other);
	free(other);
	free(bytes);
	free(output);
	close(in);
}

/* Valid and invalid calls: the replay repeats each result. */
TEST(any_calls_at_all_repeat)
{
	enum { CALLS = 300, ROUNDS = 60 };
	struct guest *g = replay_fixture_guest(state);
	static int64_t first[CALLS];
	unsigned said = 0; /* successful calls: a meaningful test needs many */
	os_allow_writing(g->os, true);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		put_paths(g);
		struct moment start = os_fixture_save_moment(g);
		uint64_t seed = round;
		for (int i = 0; i < CALLS; i++) {
			first[i] = random_call(g, &seed);
			said += first[i] >= 0;
		}
		struct os_state end = *os_state(g->os);
		uint64_t memory = mem_hash(g->mem), entries = g->journal.entries;

		os_fixture_restore_moment(g, &start);
		seed = round;
		for (int i = 0; i < CALLS; i++) {
			uint64_t was = seed;
			int64_t ret = random_call(g, &seed);
			if (ret != first[i])
				fail_msg("round %d, call %d (seed %llu, %s): %lld, then %lld",
				         (int)round, i, (unsigned long long)was,
				         os_syscall_name(g->h.r[REG_A7]), (long long)first[i],
				         (long long)ret);
		}
		assert_memory_equal(&end, os_state(g->os), sizeof end);
		assert_int_equal(mem_hash(g->mem), memory);
		assert_int_equal(g->journal.entries, entries);
		mem_image_free(start.image);
		/* The next round starts anew, but keeps the tree of this round. */
		guest_reset(g);
		os_log_cut(g->os);
		mem_map(g->mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data");
	}
	assert_true(said > 30 * ROUNDS);
	assert_null(strstr(g->warned, "differ from the recorded ones"));
	/* By its full path: the calls may have removed the current folder. */
	char secret[96];
	snprintf(secret, sizeof secret, "%s/secret", ((struct tree *)*state)->base);
	host_expect(secret, "do not tell");
}

TEST(two_machines_do_not_meet)
{
	struct guest *g = replay_fixture_guest(state);
	struct guest *other = calloc(1, sizeof *other);
	guest_boot(other);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", 0), 3);
	assert_int_equal(CALL(other, read, 3, BUF, 5), -EBADF);
	assert_int_equal(open_at(other, LX_AT_FDCWD, "sub/b.txt", 0), 3);
	CALL(g, read, 3, BUF, 5);
	CALL(other, read, 3, BUF, 5);
	expect_bytes(g, BUF, "alpha");
	expect_bytes(other, BUF, "bravo");
	CALL(g, write, 1, BUF, 5);
	assert_int_equal(other->out_n[1], 0);
	guest_drop(other);
	free(other);
}

TEST_EACH(tree_up, tree_down)
