/* Going back and running on: the same answers, without calls to the host and without repeated
 * output. */
#include "tests/unit/os/replay_fixture.h"

TEST(a_second_run_is_the_first_again)
{
	struct guest *g = replay_fixture_guest(state);
	struct trace first, again;
	assert_int_equal(symlink("sub", "link"), 0);
	os_allow_writing(g->os, true);
	int in = replay_fixture_feed_stdin(g, "typed and more");
	struct moment start = os_fixture_save_moment(g);
	replay_fixture_run_session(g, &first);
	host_expect("v.txt", "written");
	assert_int_equal(first.ret[7], 5);
	assert_string_equal(g->out[1], "alpha beta gamma\nend\n");
	assert_string_equal(g->out[2], "err");
	uint64_t entries = g->journal.entries;
	assert_int_equal(g->past.pos, entries);
	assert_true(journal_bytes(&g->journal) > 0);

	spoil_the_tree();
	for (int i = 0; i < 3; i++) {
		os_fixture_restore_moment(g, &start);
		replay_fixture_run_session(g, &again);
		replay_fixture_expect_same(&first, &again);
	}
	host_expect("a.txt", "something else entirely");
	assert_false(host_exists("v.txt"));
	assert_false(host_exists("made"));
	assert_string_equal(g->out[1], "alpha beta gamma\nend\n");
	assert_string_equal(g->out[2], "err");
	assert_int_equal(g->journal.entries, entries);
	assert_string_equal(g->warned, "");
	mem_image_free(start.image);
	close(in);
}

TEST(a_run_goes_on_past_the_end_of_the_log)
{
	struct guest *g = replay_fixture_guest(state);
	struct trace first, again = {0};
	os_allow_writing(g->os, true);
	int in = replay_fixture_feed_stdin(g, "typed and more");
	struct moment start = os_fixture_save_moment(g);
	memset(&first, 0, sizeof first);
	session_part_one(g, &first);
	struct moment middle = os_fixture_save_moment(g);
	uint64_t entries = g->journal.entries;

	os_fixture_restore_moment(g, &start);
	replay_fixture_run_session(g, &again);
	assert_memory_equal(first.ret, again.ret, first.n * sizeof *first.ret);
	assert_true(g->journal.entries > entries);
	host_expect("v.txt", "written");
	assert_string_equal(g->out[1], "alpha beta gamma\nend\n");

	/* The same from the middle of the log to its end. */
	struct trace rest = first;
	spoil_the_tree();
	os_fixture_restore_moment(g, &middle);
	session_part_two(g, &rest);
	replay_fixture_expect_same(&again, &rest);
	mem_image_free(start.image);
	mem_image_free(middle.image);
	close(in);
}

TEST(output_stops_repeating_in_the_middle_of_a_write)
{
	struct guest *g = replay_fixture_guest(state);
	struct moment start = os_fixture_save_moment(g);
	CALL(g, write, 1, os_fixture_write_text(g, "abcdef"), 6);
	os_fixture_restore_moment(g, &start);
	CALL(g, write, 1, os_fixture_write_text(g, "abcdefghij"), 10);
	assert_string_equal(g->out[1], "abcdefghij");
	uint64_t at;
	size_t n;
	os_fixture_restore_moment(g, &start);
	os_output(g->os, 1, &at, &n);
	assert_int_equal(n, 0);
	CALL(g, write, 1, os_fixture_write_text(g, "abc"), 3);
	const char *kept = os_output(g->os, 1, &at, &n);
	assert_int_equal(n, 3);
	assert_memory_equal(kept, "abc", 3);
	mem_image_free(start.image);
}

TEST(a_cut_makes_a_new_future)
{
	struct guest *g = replay_fixture_guest(state);
	os_allow_writing(g->os, true);
	int in = replay_fixture_feed_stdin(g, "first second third");
	open_at(g, LX_AT_FDCWD, "a.txt", 0);
	CALL(g, write, 1, os_fixture_write_text(g, "before "), 7);
	CALL(g, read, 0, BUF, 6);
	struct moment then = os_fixture_save_moment(g);
	CALL(g, read, 0, BUF, 7);
	expect_bytes(g, BUF, "second ");
	CALL(g, read, 0, BUF, 2);
	CALL(g, write, 1, os_fixture_write_text(g, "lost"), 4);
	open_at(g, LX_AT_FDCWD, "lost", LX_O_CREAT | LX_O_WRONLY);
	CALL(g, write, 4, os_fixture_write_text(g, "kept on the host"), 16);

	os_fixture_restore_moment(g, &then);
	os_log_cut(g->os);
	assert_int_equal(g->journal.entries, then.past.pos);
	/* Typed input comes again, whatever sizes the guest reads now. */
	assert_int_equal(CALL(g, read, 0, BUF, 3), 3);
	expect_bytes(g, BUF, "sec");
	assert_int_equal(CALL(g, read, 0, BUF, 6), 6);
	expect_bytes(g, BUF, "ond th");
	assert_int_equal(CALL(g, read, 0, BUF, 100), 3);
	expect_bytes(g, BUF, "ird");
	CALL(g, write, 1, os_fixture_write_text(g, "new"), 3);
	assert_string_equal(g->out[1], "before lostnew");
	uint64_t at;
	size_t n;
	const char *kept = os_output(g->os, 1, &at, &n);
	assert_int_equal(n, 10);
	assert_memory_equal(kept, "before new", 10);
	host_expect("lost", "kept on the host");
	/* The same descriptor number, but another file. */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub/b.txt", 0), 4);
	assert_int_equal(CALL(g, read, 4, BUF, 5), 5);
	expect_bytes(g, BUF, "bravo");
	assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
	expect_bytes(g, BUF, "alpha");
	mem_image_free(then.image);
	close(in);
}

/* The kept output of both streams in its order: "1:text|2:text|"; stream 0 if the order is
 * unknown. */
static const char *os_replay_format_output(struct guest *g)
{
	static char out[512];
	size_t used = 0;
	const size_t pieces = os_output_pieces(g->os);
	out[0] = '\0';
	for (size_t k = 0; k < pieces; k++) {
		const struct os_output_piece p = os_output_piece(g->os, k, pieces);
		for (int fd = 1; fd <= 2; fd++) {
			uint64_t first;
			size_t n;
			const char *bytes = os_output(g->os, fd, &first, &n);
			if (p.to[fd - 1] > p.from[fd - 1])
				used += (size_t)snprintf(out + used, sizeof out - used, "%d:%.*s|",
				                         p.fd, (int)(p.to[fd - 1] - p.from[fd - 1]),
				                         bytes + (p.from[fd - 1] - first));
		}
	}
	return out;
}

TEST(both_streams_keep_their_order)
{
	struct guest *g = replay_fixture_guest(state);
	struct moment start = os_fixture_save_moment(g);
	assert_string_equal(os_replay_format_output(g), "");
	CALL(g, write, 2, os_fixture_write_text(g, "a"), 1);
	CALL(g, write, 1, os_fixture_write_text(g, "bc"), 2);
	CALL(g, write, 1, os_fixture_write_text(g, "d"), 1);
	struct moment then = os_fixture_save_moment(g);
	CALL(g, write, 2, os_fixture_write_text(g, "e"), 1);
	CALL(g, write, 1, os_fixture_write_text(g, "f"), 1);
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcd|2:e|1:f|");
	void *bytes;
	size_t n;
	os_save_output(g->os, &bytes, &n);

	os_fixture_restore_moment(g, &then);
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcd|");
	CALL(g, write, 2, os_fixture_write_text(g, "e"), 1);
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcd|2:e|");
	os_fixture_restore_moment(g, &then);
	os_log_cut(g->os);
	CALL(g, write, 1, os_fixture_write_text(g, "g"), 1);
	CALL(g, write, 2, os_fixture_write_text(g, "h"), 1);
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcdg|2:h|");
	os_fixture_restore_moment(g, &start);
	assert_string_equal(os_replay_format_output(g), "");

	/* A file's order is accepted only if it is possible. */
	enum { TURN = 3 * sizeof(uint64_t), TURNS = 4 };
	uint8_t *turn = (uint8_t *)bytes + n - TURNS * TURN;
	os_state(g->os)->out_bytes[0] = 4;
	os_state(g->os)->out_bytes[1] = 2;
	assert_true(os_load_output(g->os, bytes, n));
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcd|2:e|1:f|");
	for (unsigned at = 0; at < TURNS * TURN; at += sizeof(uint64_t)) {
		turn[at + 7] ^= 1;
		assert_false(os_load_output(g->os, bytes, n));
		turn[at + 7] ^= 1;
	}
	memset(turn + TURNS * TURN - TURN, 0, 2 * sizeof(uint64_t)); /* before its predecessor */
	assert_false(os_load_output(g->os, bytes, n));
	assert_string_equal(os_replay_format_output(g), "2:a|1:bcd|2:e|1:f|");
	free(bytes);
	mem_image_free(start.image);
	mem_image_free(then.image);
}

/* With more turns than are kept, the order of the oldest is lost, not that of the newest. */
TEST(the_order_is_bounded)
{
	struct guest *g = replay_fixture_guest(state);
	const uint64_t a = os_fixture_write_text(g, "a");
	for (int i = 0; i < (1 << 16) + 3; i++)
		CALL(g, write, 1 + (i & 1), a, 1);
	const size_t pieces = os_output_pieces(g->os);
	assert_true(pieces < (1 << 16) + 3 && pieces > 1 << 15);
	const struct os_output_piece oldest = os_output_piece(g->os, 0, pieces),
				     newest = os_output_piece(g->os, pieces - 1, pieces);
	assert_int_equal(oldest.fd, 0);
	assert_int_equal(oldest.to[0], 1 << 14);
	assert_int_equal(newest.fd, 1);
	assert_int_equal(newest.to[0] - newest.from[0], 1);
}

TEST(a_guest_that_asks_something_else_ends_the_log)
{
	struct guest *g = replay_fixture_guest(state);
	struct moment start = os_fixture_save_moment(g);
	open_at(g, LX_AT_FDCWD, "a.txt", 0);
	CALL(g, read, 3, BUF, 5);
	os_fixture_restore_moment(g, &start);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub/b.txt", 0), 3);
	assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
	expect_bytes(g, BUF, "bravo");
	assert_non_null(strstr(g->warned, "differ from the recorded ones"));
	assert_int_equal(g->journal.entries, 2);
	mem_image_free(start.image);
}

TEST(a_waiting_read_can_be_interrupted)
{
	struct guest *g = replay_fixture_guest(state);
	volatile sig_atomic_t stop = 1;
	int in = replay_fixture_feed_stdin(g, "");
	os_set_interrupt(g->os, &stop);
	struct os_state before = *os_state(g->os);
	uint64_t a7 = NR_read, a0 = 0;
	CALL(g, read, 0, BUF, 10);
	assert_true(g->interrupted);
	assert_int_equal(g->h.r[REG_A0], a0);
	assert_int_equal(g->h.r[REG_A7], a7);
	assert_memory_equal(&before, os_state(g->os), sizeof before);
	assert_int_equal(g->journal.entries, 0);
	/* Present input is read, with any flag. */
	assert_int_equal(write(in, "now", 3), 3);
	assert_int_equal(CALL(g, read, 0, BUF, 10), 3);
	assert_false(g->interrupted);
	stop = 0;
	close(in);
	assert_int_equal(CALL(g, read, 0, BUF, 10), 0);
}

/* Answers with a line each time, and counts its calls. */
static int64_t os_replay_answer_input(void *ctx, const void **bytes)
{
	static const char *const line[] = {"", "one\n", "two\n"};
	unsigned *asked = ctx;
	if (++*asked > 2)
		return 0;
	*bytes = line[*asked];
	return (int64_t)strlen(line[*asked]);
}

/* The next read gets the rest of a line, unless another state is loaded. */
TEST(who_types_is_asked_for_lines)
{
	struct guest *g = replay_fixture_guest(state);
	unsigned asked = 0;
	volatile sig_atomic_t stop = 1;
	os_set_stdin(g->os, -1);
	os_set_input(g->os, os_replay_answer_input, &asked, false);
	os_set_interrupt(g->os, &stop);
	struct moment start = os_fixture_save_moment(g);
	CALL(g, read, 0, BUF, 2);
	assert_true(g->interrupted);
	assert_int_equal(asked, 0);
	stop = 0;
	assert_int_equal(CALL(g, read, 0, BUF, 0), 0);
	assert_int_equal(asked, 0);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(CALL(g, read, 0, BUF, 2), 2);
		expect_bytes(g, BUF, "on");
		assert_int_equal(CALL(g, read, 0, BUF, 10), 2);
		expect_bytes(g, BUF, "e\n");
		assert_int_equal(asked, 1);
		os_fixture_restore_moment(g, &start);
	}
	os_log_cut(g->os);
	assert_int_equal(CALL(g, read, 0, BUF, 1), 1);
	assert_int_equal(asked, 1);

	void *bytes;
	size_t n;
	os_save_output(g->os, &bytes, &n);
	assert_true(os_load_output(g->os, bytes, n));
	assert_int_equal(CALL(g, read, 0, BUF, 10), 4);
	expect_bytes(g, BUF, "two\n");
	assert_int_equal(asked, 2);
	assert_int_equal(CALL(g, read, 0, BUF, 10), 0);
	free(bytes);
	mem_image_free(start.image);
}

static void expect_echo(struct guest *g, const char *want)
{
	uint64_t first;
	size_t n;
	const char *kept = os_output(g->os, OUT_TYPED, &first, &n);
	assert_int_equal(first, 0);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(kept, want, n);
}

/* Typed input is echoed when it is read, as by a terminal, also in the past; not while the program
 * has switched echo off, and not if it was not typed. */
TEST(what_is_typed_is_echoed)
{
	struct guest *g = replay_fixture_guest(state);
	unsigned asked = 0;
	struct lx_termios modes;
	os_free(g->os);
	g->cfg.terminal = 1;
	g->os = os_new(&g->cfg, &g->journal);
	g->arena.used = 0;
	os_place(g->os, &g->arena);
	os_reset(g->os);
	os_set_stdin(g->os, -1);
	os_set_input(g->os, os_replay_answer_input, &asked, true);
	struct moment start = os_fixture_save_moment(g);
	for (int again = 0; again < 2; again++) {
		expect_echo(g, "");
		assert_int_equal(CALL(g, read, 0, BUF, 2), 2);
		expect_echo(g, "on");
		assert_int_equal(CALL(g, read, 0, BUF, 10), 2);
		expect_echo(g, "one\n");
		assert_int_equal(CALL(g, ioctl, 0, LX_TCGETS, BUF), 0);
		assert_true(mem_read(g->mem, BUF, &modes, sizeof modes));
		assert_true(modes.lflag & 8);
		modes.lflag &= ~UINT32_C(8);
		assert_true(mem_write(g->mem, BUF, &modes, sizeof modes));
		assert_int_equal(CALL(g, ioctl, 0, LX_TCSETS, BUF), 0);
		assert_int_equal(CALL(g, ioctl, 0, LX_TCGETS, BUF + 100), 0);
		assert_true(mem_read(g->mem, BUF + 100, &modes, sizeof modes));
		assert_false(modes.lflag & 8);
		assert_int_equal(CALL(g, read, 0, BUF, 10), 4);
		expect_echo(g, "one\n");
		assert_int_equal(asked, 2);
		if (!again)
			os_fixture_restore_moment(g, &start);
	}
	os_fixture_restore_moment(g, &start);
	os_log_cut(g->os);
	asked = 0;
	os_set_input(g->os, os_replay_answer_input, &asked, false);
	assert_int_equal(CALL(g, read, 0, BUF, 10), 8); /* the bytes that were read before */
	expect_echo(g, "");
	mem_image_free(start.image);
}

TEST(a_file_as_input_has_an_offset)
{
	struct guest *g = replay_fixture_guest(state);
	int fd = open("a.txt", O_RDONLY);
	assert_int_equal(lseek(fd, 6, SEEK_SET), 6);
	os_set_stdin(g->os, fd);
	struct moment start = os_fixture_save_moment(g);
	assert_int_equal(CALL(g, read, 0, BUF, 4), 4);
	expect_bytes(g, BUF, "beta");
	assert_int_equal(CALL(g, lseek, 0, 0, LX_SEEK_SET), 0);
	assert_int_equal(CALL(g, read, 0, BUF, 100), 17);
	os_fixture_restore_moment(g, &start);
	os_log_cut(g->os);
	assert_int_equal(CALL(g, read, 0, BUF, 4), 4);
	expect_bytes(g, BUF, "beta");
	mem_image_free(start.image);
	close(fd);
}

TEST_EACH(tree_up, tree_down)
