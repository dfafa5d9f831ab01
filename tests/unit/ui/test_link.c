/* Links: what is written is read again, and nothing else is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/machine/params.h"
#include "ui/link/base64.h"
#include "ui/link/link.h"
#include "tests/cases.h"

enum { DAMAGED = 4000, PLAIN_MAX = 4096 };

static const char good[] = "text prog.s 12\narg one two\nabi rars\nconfig wide6\n"
			   "set pipe.rob_size=48\nff 7\nwarm\ncycle 123\ninsts 45\nlayout window\n"
			   "tree (rows 46 pipe 54 \"mem sp 64\")\n\n_start: nop\n";

static char *link_of_text(const char *text, size_t n)
{
	unsigned char packed[PLAIN_MAX * 2];
	uLongf size = sizeof packed;
	char *fragment = malloc(PLAIN_MAX * 4), *digits;
	assert_int_equal(compress(packed, &size, (const Bytef *)text, n), Z_OK);
	assert_non_null(digits = base64_encode(packed, size, true));
	sprintf(fragment, "1.%s", digits);
	free(digits);
	return fragment;
}

/* Reads lines as a link; the error, or "". */
static const char *link_error_of(const char *text)
{
	static struct err err;
	struct link l;
	char *fragment = link_of_text(text, strlen(text));
	const bool ok = link_read(&l, fragment, &err);
	free(fragment);
	if (ok)
		link_deinit(&l);
	return ok ? "" : err.msg;
}

static void link_assert_refused(const char *text, const char *why)
{
	if (!strstr(link_error_of(text), why))
		fail_msg("'%s' has '%s', not '%s'", text, link_error_of(text), why);
}

TEST(test_link_round_trip)
{
	struct link l, again;
	struct err err;
	char *fragment = link_of_text(good, sizeof good - 1), *written, *rewritten;
	char *address = malloc(strlen(fragment) + 64);
	sprintf(address, " https://example.org/c/?x=1#%s\n", fragment);
	assert_true(link_read(&l, address, &err));
	assert_string_equal(l.text[0].bytes, "_start: nop\n");
	assert_string_equal(l.arg[0], "one two");
	assert_string_equal(l.layout, "window");
	assert_string_equal(l.tree, "(rows 46 pipe 54 \"mem sp 64\")");
	assert_int_equal(l.ff, 7);
	assert_true(l.warm && l.cycle == 123 && l.insts == 45);
	assert_int_equal(config_get(&l.config, param_find("pipe.rob_size", NULL)), 48);
	assert_non_null(written = link_write(&l, &err));
	assert_true(link_read(&again, written, &err));
	assert_non_null(rewritten = link_write(&again, &err));
	assert_string_equal(written, rewritten);
	assert_memory_equal(&l.config, &again.config, sizeof l.config);
	link_deinit(&l);
	link_deinit(&again);
	free(written);
	free(rewritten);
	free(fragment);
	free(address);
}

TEST(test_link_base64)
{
	unsigned char bytes[64];
	for (size_t n = 0; n < sizeof bytes; n++) {
		bytes[n] = (unsigned char)(n * 37 + 250);
		char *text = base64_encode(bytes, n, true);
		size_t size, wrong;
		unsigned char *back = base64_decode(text, strlen(text), &size, &wrong);
		assert_int_equal(size, n);
		assert_memory_equal(back, bytes, n);
		free(back);
		free(text);
	}
	char *padded = base64_encode("\xff\xfe", 2, false);
	assert_string_equal(padded, "//4=");
	free(padded);
}

TEST(test_link_is_refused)
{
	static const char *const cases[][2] = {
		{"cycle 1\n\n", "expected a demo or a text"},
		{"demo linked\ntext a.s 1\n\nx", "expected a demo or a text"},
		{"demo linked\ndemo sort\n\n", "two programs"},
		{"demo ../../../bin/sh\n\n", "is no name of a demo"},
		{"demo a/../b\n\n", "is no name of a demo"},
		{"demo /etc/passwd\n\n", "is no name of a demo"},
		{"demo -x\n\n", "is no name of a demo"},
		{"demo linked\ncycle -1\n\n", "is no number"},
		{"demo linked\ncycle 99999999999999999999\n\n", "is no number"},
		{"demo linked\ncycle 5", "have no end"},
		{"demo linked\nshell rm -r x\n\n", "does not know 'shell'"},
		{"demo linked\nlua os.exit(1)\n\n", "does not know 'lua'"},
		{"demo linked\nset pipe.rob_sise=3\n\n", "pipe.rob_size"},
		{"demo linked\nset pipe.rob_size=x\n\n", "pipe.rob_size"},
		{"demo linked\nset values.modules=./x.lua\n\n", "file"},
		{"demo linked\nset sim.memory=64G\n\n", "can't raise sim.memory"},
		{"demo linked\nset oracle.memory=4G\n\n", "can't raise oracle.memory"},
		{"demo linked\nlayout x;quit\n\n", "is no name"},
		{"demo linked\nlayout ../x\n\n", "is no name of a layout"},
		{"demo linked\ntree (rows 1 \"cct of secret\")\n\n", "an expression or a file"},
		{"demo linked\ntree (rows 1 \"mem /etc/x\")\n\n", "an expression or a file"},
		{"demo linked\ntree \"mem f(1)=2\"\n\n", "an expression or a file"},
		{"demo linked\nconfig ./own.lua\n\n", "is no preset"},
		{"demo linked\narg a\x1b[2J\n\n", "control character"},
		{"demo linked\n\nrest", "belong to no file"},
		{"text ../a.s 1\n\nx", "can't be a link's file"},
		{"text .bashrc 1\n\nx", "can't be a link's file"},
		{"text a.c 1\n\nx", "can't be a link's file"},
		{"text a.s 9\n\nx", "is no number"},
		{"text a.s\n\nx", "without its length"},
		{"text a.s 1\ntext a.s 1\n\nxy", "two files a.s"},
		{"text a.s 1\nabi windows\n\nx", "unknown ABI"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		link_assert_refused(cases[i][0], cases[i][1]);
	assert_string_equal(link_error_of("demo scenarios/forwarding\n\n"), "");
}

TEST(test_link_fragment)
{
	static const char *const cases[][2] = {
		{"", "is empty"},
		{"#  \n", "is empty"},
		{"https://example.org/", "has no '#'"},
		{"hello", "no link of Cyclops"},
		{"7.abc", "format 7"},
		{"1.ab+d", "after its '#'"},
		{"1.ab%20", "after its '#'"},
		{"1.abcde", "cut short"},
		{"1.abcd", "damaged, or cut short"},
	};
	struct link l;
	struct err err;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(link_read(&l, cases[i][0], &err));
		if (!strstr(err.msg, cases[i][1]))
			fail_msg("'%s' has '%s'", cases[i][0], err.msg);
	}
	char *fragment = link_of_text(good, sizeof good - 1), *copy = strdup(fragment);
	for (size_t n = strlen(fragment) - 1; n; n--) {
		copy[n] = '\0';
		assert_false(link_read(&l, copy, &err));
	}
	free(copy);
	free(fragment);
	/* A small fragment that would be large: more than any link may be. */
	char *large = calloc(1, LINK_BYTES + 2);
	uLongf size = compressBound(LINK_BYTES + 1);
	unsigned char *packed = malloc(size);
	memset(large, 'a', LINK_BYTES + 1);
	assert_int_equal(compress(packed, &size, (Bytef *)large, LINK_BYTES + 1), Z_OK);
	char *digits = base64_encode(packed, size, true);
	sprintf(large, "1.%s", digits);
	assert_false(link_read(&l, large, &err));
	assert_non_null(strstr(err.msg, "longer than"));
	free(digits);
	free(packed);
	free(large);
}

TEST(test_link_damaged)
{
	unsigned seed = 1;
	struct link l;
	struct err err;
	unsigned read = 0;
	for (int i = 0; i < DAMAGED; i++) {
		char text[PLAIN_MAX];
		size_t n = sizeof good - 1;
		memcpy(text, good, n);
		for (int k = rand_r(&seed) % 4; k >= 0; k--)
			text[(size_t)rand_r(&seed) % n] = (char)(rand_r(&seed) % 256);
		if (rand_r(&seed) % 4 == 0)
			n = (size_t)rand_r(&seed) % n;
		char *fragment = link_of_text(text, n), *written;
		if (i % 8 == 0) /* the packed bytes, too */
			fragment[2 + (size_t)rand_r(&seed) % (strlen(fragment) - 2)] =
				"AZaz09-_+ #"[rand_r(&seed) % 11];
		if (link_read(&l, fragment, &err)) {
			read++;
			assert_non_null(written = link_write(&l, &err));
			link_deinit(&l);
			assert_true(link_read(&l, written, &err));
			free(written);
			link_deinit(&l);
		} else {
			assert_true(*err.msg && !strchr(err.msg, '\n'));
			assert_int_equal(l.text_count + l.arg_count, 0);
		}
		free(fragment);
	}
	assert_in_range(read, 1, DAMAGED - 1); /* both happen */
}
