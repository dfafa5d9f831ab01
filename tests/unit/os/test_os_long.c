/* Long system calls can be interrupted in the middle, without an effect; a repeated call ends as if
 * uninterrupted. */
#include <signal.h>

#include "tests/unit/os/os_fixture.h"

enum { ROOM = 0x10000000, ROOM_BYTES = 24 << 20, PAIRS = ROOM_BYTES / 16 };

static struct guest *os_long_guest(void **state)
{
	return &((struct tree *)*state)->g;
}

/* The test's system calls: arguments and expected results. */
struct work {
	const char *name;
	uint32_t number;
	uint64_t a[6];
	int64_t answer;
};

static int64_t do_work(struct guest *g, const struct work *w)
{
	return os_fixture_call(g, w->number, w->a);
}

/* A machine's state after a call. */
struct after {
	uint64_t memory, journal, entries;
	struct os_state st;
};

static struct after os_long_capture_state(struct guest *g)
{
	return (struct after){.memory = mem_hash(g->mem),
	                      .journal = g->past.pos,
	                      .entries = g->journal.entries,
	                      .st = *os_state(g->os)};
}

static void os_long_prepare_files(struct guest *g)
{
	FILE *f = fopen("big", "w");
	assert_non_null(f);
	for (uint32_t i = 0; i < ROOM_BYTES / 4 - 1000; i++)
		fwrite(&i, sizeof i, 1, f);
	assert_int_equal(fclose(f), 0);
	assert_true(mem_map(g->mem, ROOM, ROOM_BYTES, PROT_R | PROT_W, "room"));
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "big", LX_O_RDONLY), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/zero", LX_O_RDONLY), 4);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/urandom", LX_O_RDONLY), 5);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "copy", LX_O_RDWR | LX_O_CREAT), 6);
	const uint64_t iov[4] = {ROOM, ROOM_BYTES / 2 + 3, ROOM + ROOM_BYTES / 2 + 3,
	                         ROOM_BYTES / 2 - 3};
	assert_true(mem_write(g->mem, DATA, iov, sizeof iov));
	os_set_stdin(g->os, open("big", O_RDONLY));
}

enum { BIG = ROOM_BYTES - 4000 };

static const struct work all[] = {
	{"getrandom", NR_getrandom, {ROOM, ROOM_BYTES}, ROOM_BYTES},
	{"read of zeros", NR_read, {4, ROOM, ROOM_BYTES}, ROOM_BYTES},
	{"read of random bytes", NR_read, {5, ROOM, ROOM_BYTES}, ROOM_BYTES},
	{"read", NR_read, {3, ROOM, ROOM_BYTES}, BIG},
	{"readv", NR_preadv, {3, DATA, 2, 0}, BIG},
	{"standard input", NR_read, {0, ROOM, ROOM_BYTES}, BIG},
	{"write", NR_write, {6, ROOM, ROOM_BYTES}, ROOM_BYTES},
	{"output", NR_write, {1, ROOM, ROOM_BYTES}, ROOM_BYTES},
	{"outputs", NR_writev, {2, DATA, 2}, ROOM_BYTES},
	{"mmap",
         NR_mmap,
         {0x40000000, ROOM_BYTES, 1, LX_MAP_PRIVATE | LX_MAP_FIXED, 3, 0},
         0x40000000},
	{"hwprobe", NR_riscv_hwprobe, {ROOM, PAIRS}, 0},
	{"mincore", NR_mincore, {UINT64_C(0x1000000000), UINT64_C(1) << 35, ROOM}, 0},
};

TEST_WITH(each_long_call_can_be_taken_back, tree_up, tree_down)
{
	struct guest *g = os_long_guest(state);
	struct tree other;
	volatile sig_atomic_t stop = 0;
	os_long_prepare_files(g);
	guest_boot(&other.g);
	os_long_prepare_files(&other.g);
	assert_true(mem_map(g->mem, UINT64_C(0x1000000000), UINT64_C(1) << 35, 0, "sparse"));
	assert_true(mem_map(other.g.mem, UINT64_C(0x1000000000), UINT64_C(1) << 35, 0, "sparse"));
	os_set_interrupt(g->os, &stop);
	g->journal.forgets = true; /* drops used answers, except those of an undone call */
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct work *w = &all[i];
		const struct after before = os_long_capture_state(g);
		for (unsigned k = 0; k < 3; k++) {
			stop = 1;
			do_work(g, w);
			const struct after now = os_long_capture_state(g);
			if (!g->interrupted)
				fail_msg("%s can't be interrupted", w->name);
			assert_int_equal(now.memory, before.memory);
			assert_int_equal(now.journal, before.journal);
			assert_memory_equal(&now.st, &before.st, sizeof now.st);
		}
		stop = 0;
		const int64_t got = do_work(g, w), want = do_work(&other.g, w);
		assert_false(g->interrupted);
		if (got != want || got != w->answer)
			fail_msg("%s: %lld, without an interruption %lld, expected %lld", w->name,
			         (long long)got, (long long)want, (long long)w->answer);
		const struct after a = os_long_capture_state(g),
				   b = os_long_capture_state(&other.g);
		if (a.memory != b.memory)
			fail_msg("%s: memory differs", w->name);
		assert_int_equal(a.entries, b.entries);
		assert_memory_equal(&a.st, &b.st, sizeof a.st);
		assert_int_equal(g->out_n[1], other.g.out_n[1]);
		assert_int_equal(g->out_n[2], other.g.out_n[2]);
	}
	/* A machine without reverse motion keeps the last call's answers. */
	CALL(g, getpid);
	assert_true(journal_bytes(&g->journal) < 1000);
	assert_true(journal_bytes(&other.g.journal) > 3 * BIG);
	guest_drop(&other.g);
}

/* Short calls complete before they look for an interrupt. */
TEST_WITH(short_calls_are_not, tree_up, tree_down)
{
	struct guest *g = os_long_guest(state);
	volatile sig_atomic_t stop = 1;
	os_long_prepare_files(g);
	os_set_interrupt(g->os, &stop);
	assert_int_equal(CALL(g, read, 3, ROOM, 100000), 100000);
	assert_false(g->interrupted);
	assert_int_equal(CALL(g, write, 1, ROOM, 100000), 100000);
	assert_false(g->interrupted);
}

/* A pipe without a reader: its bytes stay, and are delivered once. */
TEST_WITH(a_full_pipe_can_be_left, tree_up, tree_down)
{
	struct guest *g = os_long_guest(state);
	volatile sig_atomic_t stop = 1;
	int ends[2], saved = dup(STDOUT_FILENO);
	os_long_prepare_files(g);
	for (uint32_t i = 0; i < 50000; i++)
		assert_true(mem_write(g->mem, ROOM + 4 * i, &i, 4));
	assert_int_equal(pipe(ends), 0);
	os_set_interrupt(g->os, &stop);
	os_set_output(g->os, NULL, NULL);
	fflush(stdout);
	dup2(ends[1], STDOUT_FILENO);
	const struct os_state before = *os_state(g->os);
	CALL(g, write, 1, ROOM, 200000);
	const bool gave_up = g->interrupted;
	const bool same = !memcmp(&before, os_state(g->os), sizeof before);
	uint8_t *got = malloc(200000), *want = malloc(200000);
	size_t n = (size_t)read(ends[0], got, 200000);
	/* Another 60 KiB at most go into the pipe at a time. */
	int64_t answer = 0;
	for (unsigned k = 0; k < 40 && n < 200000; k++) {
		answer = CALL(g, write, 1, ROOM, 200000);
		n += (size_t)read(ends[0], got + n, 200000 - n);
	}
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
	assert_true(gave_up);
	assert_true(same);
	assert_int_equal(n, 200000);
	assert_int_equal(answer, 200000);
	assert_true(mem_read(g->mem, ROOM, want, 200000));
	assert_memory_equal(got, want, 200000);
	assert_int_equal(os_lost_output(g->os), 0);
	free(got);
	free(want);
}

/* A directory read in pieces has its contents at the first call, whatever other directories are
 * read meanwhile, and whichever files come and go. */
TEST_WITH(a_listing_is_not_forgotten, tree_up, tree_down)
{
	struct guest *g = os_long_guest(state);
	static const char *const names[] = {"one", "two", "three", "four"};
	unsigned seen = 0, pieces = 0;
	os_long_prepare_files(g);
	g->journal.forgets = true;
	assert_int_equal(mkdir("listed", 0700), 0);
	for (size_t i = 0; i < 4; i++) {
		char path[64];
		snprintf(path, sizeof path, "listed/%s", names[i]);
		assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	}
	const int64_t dir = open_at(g, LX_AT_FDCWD, "listed", LX_O_RDONLY | LX_O_DIRECTORY);
	for (int64_t n; (n = CALL(g, getdents64, (uint64_t)dir, ROOM, 32)) > 0; pieces++) {
		struct lx_dirent d;
		char name[32] = "";
		assert_true(mem_read(g->mem, ROOM, &d, sizeof d));
		assert_true(mem_read(g->mem, ROOM + sizeof d, name, (size_t)n - sizeof d));
		for (unsigned i = 0; i < 4; i++)
			seen |= (unsigned)!strcmp(name, names[i]) << i;
		assert_int_equal(CALL(g, read, 3, ROOM, 1 << 20), 1 << 20);
		host_put("listed/another", "");
	}
	assert_int_equal(seen, 15);
	assert_int_equal(pieces, 6); /* with . and .. */
	CALL(g, getpid);
	assert_true(journal_bytes(&g->journal) < 1000);
}
