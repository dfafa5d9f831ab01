/* Memory from the host: a failure is noted for the command's end, and texts grow. */
#include <stdint.h>
#include <string.h>

#include "core/base/alloc.h"
#include "tests/cases.h"

/* Larger than any host's memory. */
static const size_t TOO_MUCH = SIZE_MAX / 4;

TEST(test_failure_is_noted)
{
	struct err err = {"what it said"};
	assert_true(alloc_settle(true, &err));
	assert_false(alloc_settle(false, &err));
	assert_string_equal(err.msg, "what it said");
	volatile size_t n = TOO_MUCH;
	char *keep = alloc_bytes(8);
	assert_null(alloc_bytes(n));
	assert_true(alloc_failed());
	free(alloc_text("what succeeds takes nothing back"));
	assert_false(alloc_settle(true, &err));
	assert_non_null(strstr(err.msg, "out of memory"));
	assert_true(alloc_settle(true, &err));
	assert_null(alloc_zeroed(n, 16));
	assert_false(alloc_settle(false, NULL));
	assert_null(alloc_resize(keep, n));
	assert_false(alloc_settle(true, &err));
	assert_null(alloc_resize_array(keep, n, 64));
	assert_false(alloc_settle(true, &err));
	free(keep);
}

/* A command that reports the failure itself keeps its own error. */
TEST(test_own_words_stand)
{
	struct err err = {"out of memory for a list"};
	alloc_note_failure();
	assert_false(alloc_settle(false, &err));
	assert_string_equal(err.msg, "out of memory for a list");
	alloc_note_failure();
	strcpy(err.msg, "no such line");
	assert_false(alloc_settle(false, &err));
	assert_non_null(strstr(err.msg, "out of memory"));
}

TEST(test_try_notes_nothing)
{
	volatile size_t n = TOO_MUCH;
	assert_null(alloc_try_bytes(n));
	assert_null(alloc_try_zeroed(n, 16));
	assert_null(alloc_try_resize(NULL, n));
	assert_null(alloc_try_aligned(64, n));
	assert_true(alloc_settle(true, NULL));
}

/* Resizing to 0 bytes is no failure. */
TEST(test_nothing)
{
	void *p = alloc_bytes(16);
	assert_null(alloc_resize(p, 0));
	assert_true(alloc_settle(true, NULL));
	assert_null(alloc_file("/nonexistent/file", "r"));
	assert_null(alloc_real_path("/nonexistent/file"));
	assert_null(alloc_folder("/nonexistent"));
	assert_true(alloc_settle(true, NULL));
}

static bool broken;

static bool library_failed(void)
{
	const bool was = broken;
	broken = false;
	return was;
}

TEST(test_library_is_asked)
{
	alloc_ask_library(library_failed);
	assert_true(alloc_settle(true, NULL));
	broken = true;
	assert_false(alloc_settle(true, NULL));
	assert_true(alloc_settle(true, NULL));
	alloc_ask_library(NULL);
}

TEST(test_stream)
{
	char *text;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	assert_non_null(f);
	assert_string_equal(text, "");
	assert_int_equal(ftell(f), 0);
	fputs("begins", f);
	assert_int_equal(ftell(f), 6);
	fflush(f);
	assert_string_equal(text, "begins");
	for (int i = 0; i < 5000; i++)
		fprintf(f, " %d", i);
	fputc('\0', f);
	fputs("end", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(n, strlen(text) + 4);
	assert_string_equal(text + n - 3, "end");
	assert_non_null(strstr(text, " 4999"));
	free(text);
}
