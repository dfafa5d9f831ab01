/* A message is one line, whatever is named in it, and never longer than its room. */
#include <string.h>

#include "core/base/err.h"
#include "tests/cases.h"

TEST(ends_of_lines_are_written_out)
{
	struct err err;
	assert_false(err_set(&err, "no '%s'; expected '%s'", "a\nb\r\n", "\n"));
	assert_string_equal(err.msg, "no 'a\\nb\\r\\n'; expected '\\n'");
	assert_false(err_set(&err, "%s", ""));
	assert_string_equal(err.msg, "");
	assert_false(err_set(NULL, "%s", "\n"));
}

/* A message that does not fit keeps its beginning, without half a line end. */
TEST(it_fits)
{
	char text[sizeof(struct err)];
	struct err err;
	for (size_t lines = 0; lines < 20; lines++)
		for (size_t at = 0; at + lines < sizeof text - 1; at += 13) {
			memset(text, 'x', sizeof text - 1);
			memset(text + at, '\n', lines);
			text[sizeof text - 1] = 0;
			err_set(&err, "%s", text);
			char want[3 * sizeof text], *end = want;
			for (size_t i = 0; text[i]; i++)
				end = stpcpy(end, text[i] == '\n' ? "\\n" : "x");
			const size_t n = strlen(err.msg);
			assert_true(n >= sizeof err.msg - 2 && n < sizeof err.msg);
			assert_memory_equal(err.msg, want, n);
			assert_true(err.msg[n - 1] != '\\');
		}
}
