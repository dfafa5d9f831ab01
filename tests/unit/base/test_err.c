/* A message is one line, whatever is named in it, and never longer than its room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"

static void ends_of_lines_are_written_out(void **state)
{
	(void)state;
	struct err err;
	assert_false(err_set(&err, "no '%s'; expected '%s'", "a\nb\r\n", "\n"));
	assert_string_equal(err.msg, "no 'a\\nb\\r\\n'; expected '\\n'");
	assert_false(err_set(&err, "%s", ""));
	assert_string_equal(err.msg, "");
	assert_false(err_set(NULL, "%s", "\n"));
}

/* Of what does not fit the beginning stays, without half of an end of a line. */
static void it_fits(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_lines_are_written_out),
		cmocka_unit_test(it_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
