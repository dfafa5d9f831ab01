/* Numbers of files in reverse and in checkpoints: core/os/inode.h. */
#include "tests/unit/os/inode_fixture.h"

/* ---- times ---- */

/* ---- the past ---- */
TEST(numbers_go_back_and_come_again)
{
	struct guest *g = inode_fixture_guest(state);
	char first[1024], again[1024];
	inode_fixture_expect_number(g, "a.txt", 1);
	struct moment start = os_fixture_save_moment(g);
	inode_fixture_expect_number(g, "sub/b.txt", 2);
	CALL(g, close, (uint64_t)inode_fixture_create_file(g, "new"));
	inode_fixture_format_listing(g, ".", first, sizeof first);
	assert_string_equal(first, ". 3 4 .. 3 4 a.txt 1 8 new 4 8 sub 5 4 ");
	assert_int_equal(CALL(g, fchmodat, FDCWD, os_fixture_write_text(g, "sub/b.txt"), 0600), 0);
	const struct os_state end = *os_state(g->os);

	/* The journal repeats the answers, although the files have changed. */
	assert_int_equal(rename("sub/b.txt", "sub/c.txt"), 0);
	host_put("sub/b.txt", "another");
	os_fixture_restore_moment(g, &start);
	assert_int_equal(os_state(g->os)->inodes, 1);
	inode_fixture_expect_number(g, "sub/b.txt", 2);
	CALL(g, close, (uint64_t)inode_fixture_create_file(g, "new"));
	inode_fixture_format_listing(g, ".", again, sizeof again);
	assert_string_equal(first, again);
	assert_int_equal(CALL(g, fchmodat, FDCWD, os_fixture_write_text(g, "sub/b.txt"), 0600), 0);
	assert_memory_equal(os_state(g->os), &end, sizeof end);
	/* After its end the known numbers stay. */
	inode_fixture_expect_number(g, "sub/c.txt", 2);
	inode_fixture_expect_number(g, "new", 4);
	inode_fixture_expect_number(g, "sub/b.txt", 6);

	/* Another continuation accesses inodes in another order. Changes of files persist. */
	os_fixture_restore_moment(g, &start);
	os_log_cut(g->os);
	inode_fixture_expect_number(g, "sub", 2);
	inode_fixture_expect_number(g, "new", 3);
	inode_fixture_expect_number(g, "a.txt", 1);
	inode_fixture_expect_number(g, "sub/c.txt", 4);
	assert_int_equal(inode_fixture_stat_path(g, "sub/c.txt").mode, 0100600);
	mem_image_free(start.image);
}

/* ---- checkpoints ---- */

/* Files numbered by g, seen by a guest in a copy of the tree. */
static void take_over(struct guest *to, const struct guest *g)
{
	void *bytes;
	size_t n;
	*os_state(to->os) = *os_state_const(g->os);
	os_save_files(g->os, &bytes, &n);
	assert_true(os_load_files(to->os, bytes, n));
	free(bytes);
}

TEST(a_checkpoint_knows_files_by_name)
{
	struct guest *g = inode_fixture_guest(state);
	struct guest copy;
	g->h.cycle = 50;
	inode_fixture_expect_number(g, "sub/b.txt", 1);
	inode_fixture_expect_number(g, "a.txt", 2);
	CALL(g, close, (uint64_t)inode_fixture_create_file(g, "gone"));
	inode_fixture_expect_number(g, "gone", 3);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "gone"), 0), 0);
	CALL(g, close, (uint64_t)inode_fixture_create_file(g, "made"));
	inode_fixture_expect_number(g, "made", 4);
	assert_int_equal(CALL(g, fchmodat, FDCWD, os_fixture_write_text(g, "made"), 0600), 0);
	assert_int_equal(CALL(g, renameat, FDCWD, os_fixture_write_text(g, "sub"), FDCWD,
	                      os_fixture_write_text(g, "moved")),
	                 0);
	const int64_t fd = open_at(g, LX_AT_FDCWD, "a.txt", 0);
	char names[1024];
	inode_fixture_format_listing(g, "moved", names, sizeof names);
	assert_string_equal(names, ". 5 4 .. 6 4 b.txt 1 8 ");

	assert_int_equal(mkdir("../copy", 0755), 0);
	assert_int_equal(chdir("../copy"), 0);
	host_put("made", "");
	host_put("gone", "");
	host_put("a.txt", "");
	assert_int_equal(mkdir("moved", 0755), 0);
	host_put("moved/b.txt", "");
	inode_fixture_boot_guest(&copy);
	copy.h.cycle = 60;
	take_over(&copy, g);
	assert_int_equal(CALL(&copy, renameat, FDCWD, os_fixture_write_text(&copy, "moved"), FDCWD,
	                      os_fixture_write_text(&copy, "again")),
	                 0);
	inode_fixture_expect_number(&copy, "again/b.txt", 1);
	inode_fixture_expect_number(&copy, ".", 6); /* seen as `..` alone */
	inode_fixture_expect_number(&copy, "made", 4);
	expect_times(&copy, "made", 50, 50, 50);
	assert_int_equal(inode_fixture_stat_path(&copy, "made").mode, 0100600);
	assert_int_equal(look_fd(&copy, fd).ino, 2);
	inode_fixture_expect_number(&copy, "gone", 7);
	guest_drop(&copy);
	assert_int_equal(chdir("../tree"), 0);
}

TEST(damaged_files_are_refused_or_harmless)
{
	struct guest *g = inode_fixture_guest(state);
	struct guest other;
	char names[1024];
	uint8_t *bytes;
	size_t n;
	uint64_t seed = 11;
	inode_fixture_format_listing(g, ".", names, sizeof names);
	os_save_files(g->os, (void **)&bytes, &n);
	inode_fixture_boot_guest(&other);
	for (size_t len = 0; len < n; len++)
		assert_false(os_load_files(other.os, bytes, len));
	for (int i = 0; n && i < 2000; i++) {
		const size_t at = random_from(&seed, n);
		const uint8_t was = bytes[at];
		bytes[at] ^= (uint8_t)(1u << random_from(&seed, 8));
		guest_reset(&other);
		other.bump = DATA;
		if (os_load_files(other.os, bytes, n))
			inode_fixture_format_listing(&other, ".", names, sizeof names);
		bytes[at] = was;
		journal_deinit(&other.journal);
	}
	/* An unused number, and a name that leads out of the tree. */
	assert_true(os_load_files(other.os, bytes, n));
	os_state(other.os)->inodes = 1;
	assert_non_null(os_beside_state_error(other.os));
	*os_state(other.os) = *os_state(g->os);
	assert_null(os_beside_state_error(other.os));
	memcpy(memmem(bytes, n, "a.txt", 5), "../ab", 5);
	assert_false(os_load_files(other.os, bytes, n));
	free(bytes);
	guest_drop(&other);
}

TEST_EACH(inode_fixture_setup_tree, tree_down)
