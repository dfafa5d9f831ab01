/* Messages of an untrusted editor, over a real program. A line is a message, framed here unless it
 * begins with `$`. Properties: no crash, no leak, no undefined behaviour, no hang; and read-only
 * requests change nothing. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/machine.h"
#include "ui/dap/dap.h"
#include "tests/fuzz/hold.h"

enum { MESSAGES_MAX = 30, CALLS_MAX = 60, PIPE_BYTES = 60000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A motion ends soon. */
static bool fuzz_dap_progress(void *ctx, uint64_t cycle)
{
	static unsigned calls;
	struct dap *d = ctx;
	if (++calls % CALLS_MAX == 0)
		d->paused = true;
	return dap_progress(ctx, cycle);
}

static bool fuzz_dap_is_read_only(const uint8_t *message, size_t n)
{
	static const char *const moves[] = {"ontinue", "next",     "step",     "Step",
	                                    "restart", "launch",   "set",      "write",
	                                    "reverse", "evaluate", "erminate", "configuration"};
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (memmem(message, n, moves[i], strlen(moves[i])))
			return false;
	return !memchr(message, '\\', n);
}

/* Writes the messages into a pipe, whose reading end it returns. */
static int fuzz_dap_send_messages(const uint8_t *data, size_t n, bool *looks)
{
	int ends[2];
	size_t sent = 0;
	hold(pipe(ends) == 0);
	*looks = true;
	for (unsigned i = 0; n && i < MESSAGES_MAX; i++) {
		const uint8_t *newline = memchr(data, '\n', n);
		const size_t len = newline ? (size_t)(newline - data) : n;
		const bool raw = len && *data == '$';
		char header[48];
		const int h =
			raw ? 0
			    : snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", len);
		sent += len + (size_t)h;
		if (sent > PIPE_BYTES)
			break;
		*looks &= !raw && fuzz_dap_is_read_only(data, len);
		hold(write(ends[1], header, (size_t)h) == h);
		hold(write(ends[1], data + raw, len - raw) == (ssize_t)(len - raw));
		data += len + (newline != NULL);
		n -= len + (newline != NULL);
	}
	close(ends[1]);
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *path = getenv("CYCLOPS_FUZZ_PROGRAM");
	const char *argv[] = {"dap", "--", path ? path : "build/tests/cmd/guest", NULL};
	struct dap *d = calloc(1, sizeof *d);
	struct dap_wire w;
	struct err err;
	bool looks;
	hold(d && dap_init(d));
	hold(options_parse(d->options, FOR_GDB, 3, (char **)argv, &err) && dap_open(d, &err));
	d->attached = true;
	d->m.s->reach = REACH_PEER;
	d->refused = "it is fuzzed";
	run_set_progress(d->m.s->run, fuzz_dap_progress, d);
	const uint64_t before = machine_hash(d->m.s->machine);
	const int in = fuzz_dap_send_messages(data, n, &looks), out = open("/dev/null", O_WRONLY);
	hold(out >= 0);
	dap_wire_init(&w, in, out, NULL);
	dap_serve(d, &w);
	hold(!looks || machine_hash(d->m.s->machine) == before);
	close(in);
	close(out);
	dap_wire_deinit(&w);
	dap_deinit(d);
	free(d);
	return 0;
}
