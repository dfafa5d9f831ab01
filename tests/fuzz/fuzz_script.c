/* Untrusted scripts, as `cyclops lua --lua-safe` runs them: an input chooses the text from a
 * grammar (grammar.h). Properties: no crash, no leak, no undefined behaviour; the script ends, by
 * itself, by its limits, or because it was interrupted; a failure has a message; nothing beyond the
 * fence is opened, nothing is written, no secret comes out; Lua's memory stays within its limit. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "core/machine/params.h"
#include "scripting/script.h"
#include "tests/fuzz/fence.h"
#include "tests/fuzz/grammar.h"
#include "ui/console/script_port.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Machine time has no limit: Ctrl-C ends it. A script that Ctrl-C does not end hangs; detected
 * here, as our timer replaces libFuzzer's alarm. Limits: processor time, and, for waiting scripts,
 * elapsed time. */
enum { STEPS = 300000, INTERRUPT_MS = 300, HANGS_CPU_S = 15, HANGS_INTERRUPTS = 400 };

static struct config base;
static struct script *volatile running;
static volatile sig_atomic_t interrupts;
static volatile time_t ends_at; /* processor's seconds */

static time_t cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec;
}

static void fuzz_script_on_alarm(int sig)
{
	static const char hangs[] = "ERROR: an input hangs\n";
	(void)sig;
	interrupts++;
	if (cpu_seconds() > ends_at || interrupts > HANGS_INTERRUPTS) {
		signal(SIGALRM, SIG_IGN); /* libFuzzer has something to write yet */
		const ssize_t n = write(STDERR_FILENO, hangs, sizeof hangs - 1);
		(void)n;
		abort();
	}
	if (running)
		script_interrupt(running);
}

/* Sends Ctrl-C twice, because the script may catch the first one and go on. */
static void interrupt_after(unsigned ms)
{
	const struct itimerval t = {.it_value.tv_usec = (suseconds_t)ms * 1000,
	                            .it_interval.tv_usec = (suseconds_t)ms * 1000};
	setitimer(ITIMER_REAL, &t, NULL);
}

static void fuzz_script_check_output(void *ctx, int fd, const char *text, size_t n)
{
	(void)ctx, (void)fd;
	fence_look(text, n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	static const char *const settings[] = {
		"l1i.size=1K",      "l1d.size=1K",        "l2.size=4K", "bpred.bimodal_size=64",
		"bpred.l2_size=64", "bpred.meta_size=64", "btb.sets=8"};
	struct err err;
	config_default(&base);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		hold(config_set_assignment(&base, settings[i], &err));
	fence_make("build/tests/lua/guest");
	return 0;
}

static void fuzz_script_run_text(const char *text)
{
	struct err err = {""};
	const struct script_options o = {.safe = true,
	                                 .steps = STEPS,
	                                 .base = &base,
	                                 .base_name = "small",
	                                 .commands = &script_commands,
	                                 .write = fuzz_script_check_output};
	struct script *s = script_new(&o, "script.lua", &err);
	hold(s);
	running = s;
	interrupts = 0;
	ends_at = cpu_seconds() + HANGS_CPU_S;
	signal(SIGALRM, fuzz_script_on_alarm);
	interrupt_after(INTERRUPT_MS);
	const bool ok = script_run_text(s, text, "@script.lua", &err);
	hold(ok || *err.msg);
	if (!ok) {
		fence_look(err.msg, strlen(err.msg));
		fence_look(script_traceback(s), strlen(script_traceback(s)));
	}
	running = NULL;
	script_free(s);
	interrupt_after(0);
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s\n", ok ? "it ran to its end" : err.msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct grammar g;
	static char text[GRAMMAR_TEXT_MAX + 1024];
	grammar_begin(&g, data, n);
	snprintf(text, sizeof text,
	         "local outside = '%s'\na, b, c, d, f, t, k, v, x, e = {}, 's', 7, print, type, "
	         "{}, 'n', 1.5, nil, {}\n%s",
	         fence_outside(), grammar_write(&g, GRAMMAR_SCRIPT));
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s\n", text);
	fence_enter();
	fuzz_script_run_text(text);
	fence_leave();
	return 0;
}
