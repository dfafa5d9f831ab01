/* Untrusted configurations in Lua: an input chooses the text from a grammar
 * (grammar.h). Properties: no crash, no leak, no undefined behaviour, no endless loop; nothing
 * is opened or written, no secret comes out; a refusal is one line and leaves the configuration
 * alone; accepted values are within their ranges, and a small machine of it runs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/machine/params.h"
#include "hwviews/session/session.h"
#include "scripting/config/config_lua.h"
#include "tests/fuzz/fence.h"
#include "tests/fuzz/grammar.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { CYCLES = 600, SMALL = 1 << 14 };

static void fuzz_config_drop_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fence_make("build/tests/lua/guest");
	return 0;
}

/* True if the machine fits into the fuzzer's memory and its addresses are valid. */
static bool fuzz_config_is_small(const struct config *cfg)
{
	bool small = true;
	for (size_t i = 0; i < param_count; i++) {
		if (params[i].type == PARAM_TEXT)
			continue;
		const int64_t value = config_get(cfg, &params[i]);
		hold(params[i].min <= value && value <= params[i].max);
		small = small && (value <= SMALL || value <= params[i].def);
	}
	return small;
}

static void fuzz_config_run_session(const struct config *cfg)
{
	struct err err = {""};
	struct session_options o = {
		.launch = {.path = "guest", .stdin_fd = -1, .output = fuzz_config_drop_output},
		.cfg = *cfg};
	struct session *s = session_open(&o, &err);
	hold(s || (*err.msg && !strchr(err.msg, '\n')));
	if (s)
		machine_run(s->machine, CYCLES, UINT64_MAX);
	session_free(s);
}

static void fuzz_config_load_text(const char *text, size_t n)
{
	struct err err = {""};
	struct config cfg, before;
	char path[40];
	const int fd = memfd_create("config", MFD_CLOEXEC);
	hold(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	config_default(&cfg);
	before = cfg;
	const bool ok = config_load_file(&cfg, path, &err);
	close(fd);
	hold(ok || (*err.msg && !memcmp(&cfg, &before, sizeof cfg)));
	fence_look(err.msg, strlen(err.msg));
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s\n", ok ? "taken" : err.msg);
	if (ok && fuzz_config_is_small(&cfg) && config_check(&cfg, &err))
		fuzz_config_run_session(&cfg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct grammar g;
	grammar_begin(&g, data, n);
	grammar_write(&g, GRAMMAR_CONFIG);
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s\n", g.text);
	fence_enter();
	fuzz_config_load_text(g.text, g.n);
	fence_leave();
	return 0;
}
