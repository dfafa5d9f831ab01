/* Common parts of tests of microcode. */
#ifndef CYCLOPS_TESTS_MICRO_FIXTURE_H
#define CYCLOPS_TESTS_MICRO_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/prof/cop/micro_asm.h"
#include "tests/cases.h"

/* A file's text, with a zero after it. */
static inline char *micro_fixture_read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s is missing: tests run at the top of the tree", path);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	const long size = ftell(f);
	rewind(f);
	char *text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	*n = fread(text, 1, (size_t)size, f);
	fclose(f);
	return text;
}

static inline struct micro_image micro_fixture_assemble_text(const char *text)
{
	struct micro_image image;
	struct err err;
	if (!micro_assemble(text, strlen(text), "t", NULL, 0, &image, &err))
		fail_msg("%s\n%s", err.msg, text);
	return image;
}

#endif
