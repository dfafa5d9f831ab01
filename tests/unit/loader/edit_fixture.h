/* Programs that are laid out again, for tests of loader/edit. */
#ifndef CYCLOPS_TESTS_UNIT_LOADER_EDIT_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_LOADER_EDIT_FIXTURE_H

#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "loader/edit/edit.h"
#include "loader/edit/liveness.h"
#include "loader/instrument/instrument.h"
#include "loader/instrument/path_profile.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

#define LINK "-static -Wl,--emit-relocs"

/* Switches, pointers to functions, recursion, setjmp, a loop over floating point, and the C library
 * with its hand-written code. */
static const char guest_text[] =
	"#include <setjmp.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static jmp_buf out;\n"
	"static int compare(const void *a, const void *b) { return *(const int *)a - *(const int "
        "*)b; }\n"
	"static int twice(int x) { return 2 * x; }\n"
	"static int thrice(int x) { return 3 * x; }\n"
	"static int (*const table[])(int) = {twice, thrice, abs};\n"
	"__attribute__((noinline)) static int choose(int x)\n"
	"{\n"
	"	switch (x % 9) {\n"
	"	case 0: return 17; case 1: return x ^ 5; case 2: return x << 2; case 3: return "
        "table[x % 3](x);\n"
	"	case 4: return 1; case 5: return -x; case 6: return x * x; case 7: return 99; "
        "default: return x / 3;\n"
	"	}\n"
	"}\n"
	"__attribute__((noinline)) static int depth(int n) { return n == 0 ? 0 : n == 7 ? "
        "(longjmp(out, n), 0) : 1 + depth(n - 1); }\n"
	"__attribute__((noinline)) static int jump(void)\n"
	"{\n"
	"	int n = setjmp(out);\n"
	"	if (n == 7) return n;\n"
	"	for (volatile int i = 0; i < 5; i++) if (i & 1) rand();\n"
	"	depth(30);\n"
	"	return n;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	int list[50]; unsigned sum = 0; double root = 1;\n"
	"	for (int i = 0; i < 50; i++) list[i] = (i * 37 + argc) % 50;\n"
	"	qsort(list, 50, sizeof *list, compare);\n"
	"	for (int i = 0; i < 3000; i++) sum = sum * 31 + (unsigned)choose(i + list[i % "
        "50]);\n"
	"	for (int i = 0; i < 20; i++) root = (root + 2 / root) / 2;\n"
	"	for (int i = 0; i < 100; i++) { if (list[i % 50] < 20) sum += 3; else if (i % 3) "
        "sum ^= 5; if (list[i / 2] & 1) sum--; }\n"
	"	int jumped = jump();\n"
	"	char *copy = strdup(argv[0]); sum += strlen(copy); free(copy);\n"
	"	printf(\"%u %d %.12f %s\\n\", sum, jumped, root, strchr(\"abc\", 'b'));\n"
	"	return (int)(sum % 100);\n"
	"}\n";

struct output {
	char text[4096];
	size_t n;
};

static inline void edit_fixture_on_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct output *out = ctx;
	(void)fd;
	assert_true(n < sizeof out->text - out->n);
	memcpy(out->text + out->n, bytes, n);
	out->n += n;
}

/* p, run to its end; the machine is the caller's. */
static inline struct machine *edit_fixture_run_program(const struct program *p, struct output *out)
{
	static char *argv[] = {(char *)"guest", NULL};
	struct err err;
	struct config cfg;
	config_default(&cfg);
	cfg.oracle = true;
	cfg.oracle_blocks = true;
	cfg.xprof = false; /* profile instructions are executed */
	struct launch l = {.path = "guest",
	                   .argc = 1,
	                   .argv = argv,
	                   .stdin_fd = -1,
	                   .output = edit_fixture_on_output,
	                   .output_ctx = out};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	machine_run_functional(m, UINT64_MAX, false);
	return m;
}

static inline int edit_fixture_setup_guest(void **state)
{
	static struct cross c;
	*state = NULL;
	if (!cross_available())
		return 0;
	assert_true(cross_build(&c, "c", guest_text, "-O2 -g " LINK));
	*state = &c;
	return 0;
}

static inline int edit_fixture_teardown_guest(void **state)
{
	if (*state)
		cross_remove(*state);
	return 0;
}

struct fixture {
	struct program *p;
	struct edit *e;
	const struct edit_inst *insts;
	uint32_t count;
	uint64_t counters; /* address of two for each instruction */
};

static inline void open_editor(struct fixture *f, const struct cross *c)
{
	struct err err;
	*f = (struct fixture){.p = program_open(c->program, &err)};
	f->e = f->p ? edit_open(f->p, &err) : NULL;
	if (!f->e)
		fail_msg("%s", err.msg);
	f->insts = edit_insts(f->e, &f->count);
	f->counters = edit_memory(f->e, 16 * (size_t)f->count);
}

static inline void close_editor(struct fixture *f)
{
	edit_free(f->e);
	program_free(f->p);
}

enum { COUNT_LENGTH = 11, SP = 2, T0 = 5, T1 = 6 };

static inline struct program *edit_fixture_finish_edit(struct fixture *f)
{
	struct err err;
	struct program *q = edit_finish(f->e, &err);
	if (!q)
		fail_msg("%s", err.msg);
	return q;
}

/* The edited program prints the same as the original. */
static inline struct machine *edit_fixture_compare_runs(struct fixture *f, struct program *q)
{
	struct output before = {{0}, 0}, after = {{0}, 0};
	struct machine *m = edit_fixture_run_program(f->p, &before),
		       *n = edit_fixture_run_program(q, &after);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_status(n), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), machine_exit_status(n));
	assert_true(before.n > 20);
	assert_int_equal(before.n, after.n);
	assert_memory_equal(before.text, after.text, before.n);
	machine_free(m);
	return n;
}

#endif
