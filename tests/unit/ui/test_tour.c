/* Reading a tour's file: header, prose in paragraphs, commands in steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/tour/tour.h"
#include "tests/cases.h"

static struct tour tour_read_text(const char *text)
{
	char path[] = "/tmp/test_tour_XXXXXX.cyc";
	struct tour t;
	struct err err = {""};
	const int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	if (!tour_read(&t, path, &err))
		fail_msg("%s", err.msg);
	unlink(path);
	return t;
}

TEST(lines_of_a_paragraph_are_joined)
{
	struct tour t =
		tour_read_text("# Title\n# program: fib\n\n# One\n# two.\n\n# Three.\nstep\n");
	(void)state;
	assert_string_equal(t.title, "Title");
	assert_int_equal(t.count, 1);
	assert_string_equal(t.beats[0].prose, "One two.\n\nThree.");
	assert_string_equal(t.beats[0].commands[0], "step");
	tour_deinit(&t);
}

TEST(breaks_that_are_meant_stay)
{
	struct tour t = tour_read_text("# Title\n# program: fib\n\n# One.\n#\n# Two:\n"
	                               "#         cyclops run fib\n#    and on.\nstep\n");
	(void)state;
	assert_string_equal(t.beats[0].prose, "One.\n\nTwo:\ncyclops run fib\nand on.");
	tour_deinit(&t);
}
