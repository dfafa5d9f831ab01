/* A console over a small program, with its output in a buffer. */
#ifndef CYCLOPS_TESTS_UNIT_CONSOLE_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_CONSOLE_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "hwviews/session/session.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"
#include "ui/console/command.h"

/* Tests name these lines. */
static const char guest_source[] =
	"volatile int counter;\n"                                        /* 1 */
	"long numbers[4] = {10, 20, 30, -40};\n"
	"const char text[] = \"hello\";\n"
	"unsigned char small = 200;\n"
	"double half = 0.5;\n"                                           /* 5 */
	"__attribute__((noinline)) int twice(int x)\n"
	"{\n"
	"\tcounter++;\n"
	"\treturn 2 * x;\n"
	"}\n"                                                            /* 10 */
	"__attribute__((noinline)) int main(void)\n"
	"{\n"
	"\tint sum = 0;\n"
	"\tfor (int i = 0; i < 5; i++)\n"
	"\t\tsum += twice(i);\n"                                         /* 15 */
	"\tsum += (int)numbers[0];\n"
	"\treturn sum;\n"
	"}\n"
	"void _start(void)\n"
	"{\n"                                                            /* 20 */
	"\tregister long a0 __asm__(\"a0\") = main();\n"
	"\tregister long a7 __asm__(\"a7\") = 93;\n"
	"\t__asm__ volatile(\"ecall\" : : \"r\"(a0), \"r\"(a7));\n"
	"\t__builtin_unreachable();\n"
	"}\n";
enum { GUEST_STATUS = 2 * (0 + 1 + 2 + 3 + 4) + 10 };

struct fixture {
	struct cross cross;
	struct session *s;
	struct console c;
	char out[1 << 16];
	size_t length;
};

static inline void fixture_write(void *ctx, const char *text, size_t n)
{
	struct fixture *f = ctx;
	if (n > sizeof f->out - 1 - f->length)
		n = sizeof f->out - 1 - f->length;
	memcpy(f->out + f->length, text, n);
	f->length += n;
	f->out[f->length] = '\0';
}

static inline struct session *fixture_session(const char *path, struct err *err)
{
	struct session_options o = {.launch = {.path = path, .stdin_fd = -1},
	                            .history = {.history = true}};
	config_default(&o.cfg);
	return session_open(&o, err);
}

static inline int fixture_up(void **state)
{
	static struct fixture f;
	struct err err;
	memset(&f, 0, sizeof f);
	if (!cross_available())
		return 0;
	if (!cross_build(&f.cross, "c", guest_source,
	                 "-O1 -g -static -nostdlib -nostartfiles -fno-inline -Wl,--no-relax"))
		return -1;
	f.s = fixture_session(f.cross.program, &err);
	if (!f.s || !console_init(&f.c, f.s, fixture_write, &f, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	*state = &f;
	return 0;
}

static inline int fixture_down(void **state)
{
	struct fixture *f = *state;
	if (!f)
		return 0;
	console_deinit(&f->c);
	session_free(f->s);
	cross_remove(&f->cross);
	return 0;
}

/* The fixture; without a cross compiler, skips the test. */
static inline struct fixture *fixture_of(void **state)
{
	if (!*state)
		skip();
	return *state;
}

/* Runs a line that must succeed; returns what it printed. */
static inline const char *console_fixture_answer(struct fixture *f, const char *line)
{
	f->length = 0;
	f->out[0] = '\0';
	if (console_run(&f->c, line) == CMD_ERROR)
		fail_msg("'%s': %.400s", line, f->c.err.msg);
	return f->out;
}

/* Runs a line that must fail; returns its message. */
static inline const char *console_fixture_refusal(struct fixture *f, const char *line)
{
	f->length = 0;
	f->out[0] = '\0';
	if (console_run(&f->c, line) != CMD_ERROR)
		fail_msg("'%s' should have failed, but said: %s", line, f->out);
	return f->c.err.msg;
}

static inline void console_fixture_assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' should have '%s' in it", text ? text : "(nothing)", part);
}

#endif
