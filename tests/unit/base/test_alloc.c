/* Memory from the host: a failure is noted for the command's end, and texts grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/alloc.h"

/* More than any host has. */
static const size_t TOO_MUCH = SIZE_MAX / 4;

static void test_failure_is_noted(void **state)
{
	(void)state;
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

/* The error of a command that reports it itself stands. */
static void test_own_words_stand(void **state)
{
	(void)state;
	struct err err = {"out of memory for a list"};
	alloc_note_failure();
	assert_false(alloc_settle(false, &err));
	assert_string_equal(err.msg, "out of memory for a list");
	alloc_note_failure();
	strcpy(err.msg, "no such line");
	assert_false(alloc_settle(false, &err));
	assert_non_null(strstr(err.msg, "out of memory"));
}

static void test_try_notes_nothing(void **state)
{
	(void)state;
	volatile size_t n = TOO_MUCH;
	assert_null(alloc_try_bytes(n));
	assert_null(alloc_try_zeroed(n, 16));
	assert_null(alloc_try_resize(NULL, n));
	assert_null(alloc_try_aligned(64, n));
	assert_true(alloc_settle(true, NULL));
}

/* Nothing is no failure. */
static void test_nothing(void **state)
{
	(void)state;
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

static void test_library_is_asked(void **state)
{
	(void)state;
	alloc_ask_library(library_failed);
	assert_true(alloc_settle(true, NULL));
	broken = true;
	assert_false(alloc_settle(true, NULL));
	assert_true(alloc_settle(true, NULL));
	alloc_ask_library(NULL);
}

static void test_stream(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failure_is_noted), cmocka_unit_test(test_own_words_stand),
		cmocka_unit_test(test_try_notes_nothing), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_library_is_asked), cmocka_unit_test(test_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
