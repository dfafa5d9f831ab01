/* Saving without host memory: each allocation fails once. The save then fails with a message, or
 * its file can be restored. */
#include "tests/reverse/failing_memory.h"
#include "tests/reverse/rig.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "ui/checkpoint/checkpoint.h"

static unsigned named; /* named temporary files just before a write */

/* Number of temporary files of unfinished saves in this folder. */
static unsigned save_failures_count_temporaries(void)
{
	unsigned n = 0;
	DIR *here = opendir(".");
	for (const struct dirent *d = here ? readdir(here) : NULL; d; d = readdir(here))
		n += !strncmp(d->d_name, ".cyclops-", 9);
	if (here)
		closedir(here);
	return n;
}

static void count_temporaries(void)
{
	named += save_failures_count_temporaries();
}

/* Files in the current directory. */
static unsigned save_failures_count_files(void)
{
	unsigned n = 0;
	DIR *here = opendir(".");
	assert_non_null(here);
	for (const struct dirent *d = readdir(here); d; d = readdir(here))
		n += d->d_name[0] != '.' || d->d_name[1] == 'c'; /* ours begin with .cyclops */
	closedir(here);
	return n;
}

static void put_old(void)
{
	FILE *f = fopen("point", "w");
	assert_non_null(f);
	assert_true(fputs("an older one", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool old_is_there(void)
{
	char have[64] = {0};
	FILE *f = fopen("point", "r");
	assert_non_null(f);
	const size_t n = fread(have, 1, sizeof have - 1, f);
	fclose(f);
	return n == 12 && !strcmp(have, "an older one");
}

/* Saves with the n-th allocation failing; whether that was one. */
static bool try_to_save(struct rig *g, unsigned n)
{
	struct err err = {""};
	put_old();
	const unsigned before = save_failures_count_files();
	scarce = (struct scarce){
		.on = true, .left = n, .fail = 1, .before_fdopen = count_temporaries};
	const bool saved = checkpoint_save(g->s, "point", &err);
	scarce.on = false;
	assert_int_equal(save_failures_count_files(), before);
	if (!saved) {
		if (!strstr(err.msg, "point: out of memory"))
			fail_msg("allocation %u: '%s' does not say what is missing", n, err.msg);
		assert_true(old_is_there());
		return true;
	}
	const uint64_t hash = rig_hash(g);
	struct machine *m = checkpoint_load(g->s, "point", &err);
	if (!m)
		fail_msg("saved with allocation %u failing, and now: %s", n, err.msg);
	assert_int_equal(machine_hash(m), hash);
	machine_free(m);
	/* the failing one was called, and had no effect */
	return scarce.failed;
}

static void save_each(const char *settings, const char *arguments)
{
	unsigned n = 0;
	struct subject how = guest;
	how.settings = settings;
	how.arguments = arguments;
	struct rig *g = rig_open(&how);
	rig_goto(g, 4000);
	while (try_to_save(g, n))
		n++;
	assert_true(n >= 6);
	rig_close(g);
	unlink("point");
}

TEST(a_machine_is_saved_whole_or_not_at_all)
{
	save_each("", NULL);
}

TEST(and_so_is_what_stands_beside_it)
{
	save_each("oracle.enable=1 oracle.contexts=1", "x");
}

/* Where a file may have no name before it is whole, a save that is killed leaves none. */
TEST(nothing_has_a_name_before_it_is_whole)
{
	const int fd = open(".", O_TMPFILE | O_WRONLY, 0600);
	if (fd < 0)
		skip();
	close(fd);
	assert_int_equal(named, 0);
}

TEST_GROUP(rig_enter, rig_leave)
