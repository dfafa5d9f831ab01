/* Untrusted expressions, in a session: printed, displayed, and used as conditions and watchpoints
 * while the machine goes back and forth. Properties: no crash, no leak, no undefined behaviour, no
 * endless loop; a failure has a message of one line; nothing is opened or written, no secret comes
 * out; and the machine's state afterwards is that of an unobserved one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "tests/fuzz/fence.h"
#include "tests/fuzz/grammar.h"
#include "ui/console/command.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINES_MAX = 6, PROGRESS_MAX = 5 };

static struct session *alone; /* without watchpoints */

static void fuzz_expression_drop_text(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	fence_look(text, n);
}

static void fuzz_expression_drop_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static bool fuzz_expression_progress_exceeded(void *ctx, uint64_t cycle)
{
	(void)cycle;
	return ++*(unsigned *)ctx > PROGRESS_MAX;
}

static struct session *fuzz_expression_open_session(void)
{
	static const char *const settings[] = {
		"l1i.size=1K",      "l1d.size=1K",        "l2.size=4K", "bpred.bimodal_size=64",
		"bpred.l2_size=64", "bpred.meta_size=64", "btb.sets=8"};
	struct session_options o = {
		.launch = {.path = "guest", .stdin_fd = -1, .output = fuzz_expression_drop_output},
		.history = {.history = true}};
	struct err err = {""};
	config_default(&o.cfg);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		hold(config_set_assignment(&o.cfg, settings[i], &err));
	struct session *s = session_open(&o, &err);
	if (!s)
		fprintf(stderr, "%s\n", err.msg);
	hold(s);
	return s;
}

static void close_alone(void)
{
	session_free(alone);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fence_make("build/tests/lua/guest");
	fence_enter();
	alone = fuzz_expression_open_session();
	atexit(close_alone);
	fence_leave();
	return 0;
}

static uint64_t hash_alone_at(uint64_t cycle)
{
	struct run_stop_info info;
	struct err err;
	hold(run_goto_cycle(alone->run, cycle, &info, &err) &&
	     machine_cycle(alone->machine) == cycle);
	return machine_hash(alone->machine);
}

static void fuzz_expression_run_command(struct console *c, const char *line)
{
	const enum command_result r = console_run(c, line);
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s: %s\n", line, r == CMD_ERROR ? c->err.msg : "done");
	hold(r != CMD_ERROR || (*c->err.msg && !strchr(c->err.msg, '\n')));
	fence_look(c->err.msg, strlen(c->err.msg));
}

/* Uses the expression in one of these ways, and moves. */
static void fuzz_expression_run_in_command(struct console *c, unsigned how, const char *expression)
{
	static const char *const ways[] = {
		"print %s",           "display %s",      "break twice if %s",  "watch %s",
		"catch commit if %s", "catch mem if %s", "break *main if %s",  "catch squash if %s",
		"condition 1 %s",     "x/2xg %s",        "tbreak start if %s", "display/x %s",
		"catch * if %s",      "until %s",        "watch mem64(%s)"};
	static const char *const motions[] = {"step 200", "continue",         "reverse-step 30",
	                                      "continue", "reverse-continue", "goto 700",
	                                      "next",     "stepi 20"};
	static char line[GRAMMAR_TEXT_MAX + 64];
	snprintf(line, sizeof line, ways[how % (sizeof ways / sizeof *ways)], expression);
	for (char *end; (end = strchr(line, '\n'));)
		*end = ' ';
	fuzz_expression_run_command(c, line);
	fuzz_expression_run_command(c, motions[how / 16 % (sizeof motions / sizeof *motions)]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct grammar g;
	struct console c;
	struct err err;
	unsigned calls = 0;
	fence_enter();
	struct session *s = fuzz_expression_open_session();
	hold(console_init(&c, s, fuzz_expression_drop_text, NULL, &err));
	run_set_progress(s->run, fuzz_expression_progress_exceeded, &calls);
	grammar_begin(&g, data, n);
	for (unsigned i = 0; i < LINES_MAX && g.at < g.end; i++) {
		const unsigned how = *g.at++;
		fuzz_expression_run_in_command(&c, how, grammar_write(&g, GRAMMAR_EXPRESSION));
	}
	hold(machine_hash(s->machine) == hash_alone_at(machine_cycle(s->machine)));
	console_deinit(&c);
	session_free(s);
	fence_leave();
	return 0;
}
