/* Packets of an untrusted debugger, over a real program. A line is a packet, framed here unless it
 * begins with `$`. Properties: no crash, no leak, no undefined behaviour, no hang; and read-only
 * packets change nothing. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/machine.h"
#include "ui/gdb/server.h"
#include "tests/fuzz/hold.h"

enum { PACKETS_MAX = 40, PROGRESS_MAX = 5, PIPE_BYTES = 60000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void fuzz_gdb_forward_output(void *ctx, int fd, const void *bytes, size_t n)
{
	server_output(ctx, fd, bytes, n);
}

static bool fuzz_gdb_progress_exceeded(void *ctx, uint64_t cycle)
{
	(void)cycle;
	return ++*(unsigned *)ctx > PROGRESS_MAX;
}

static bool fuzz_gdb_is_read_only(const uint8_t *packet, size_t n)
{
	return n && strchr("gpmxqHT?", packet[0]) && (n < 2 || memcmp(packet, "qR", 2) != 0);
}

/* Writes the packets into a pipe, whose reading end it returns. */
static int fuzz_gdb_send_packets(const uint8_t *data, size_t n, bool *looks)
{
	int ends[2];
	size_t sent = 0;
	hold(pipe(ends) == 0);
	*looks = true;
	for (unsigned i = 0; n && i < PACKETS_MAX; i++) {
		const uint8_t *newline = memchr(data, '\n', n);
		const size_t len = newline ? (size_t)(newline - data) : n;
		char end[8];
		uint8_t sum = 0;
		for (size_t k = 0; k < len; k++)
			sum = (uint8_t)(sum + data[k]);
		snprintf(end, sizeof end, "#%02x", sum);
		sent += len + 4;
		if (sent > PIPE_BYTES)
			break;
		const bool raw = len && *data == '$';
		*looks &= !raw && fuzz_gdb_is_read_only(data, len);
		hold(raw || write(ends[1], "$", 1) == 1);
		hold(write(ends[1], data, len) == (ssize_t)len);
		hold(raw || write(ends[1], end, 3) == 3);
		data += len + (newline != NULL);
		n -= len + (newline != NULL);
	}
	close(ends[1]);
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *path = getenv("CYCLOPS_FUZZ_PROGRAM");
	struct server *v = calloc(1, sizeof *v);
	struct wire *w = malloc(sizeof *w);
	struct session_options o = {.launch = {.path = path ? path : "build/tests/cmd/guest",
	                                       .stdin_fd = -1,
	                                       .output = fuzz_gdb_forward_output,
	                                       .output_ctx = v},
	                            .history = {.history = true}};
	struct console c;
	struct err err;
	unsigned calls = 0;
	bool looks;
	hold(v && w);
	v->output_to_peer = true;
	config_default(&o.cfg);
	struct session *s = session_open(&o, &err);
	hold(s && console_init(&c, s, server_say, v, &err));
	s->reach = REACH_PEER;
	server_init(v, s, &c);
	run_set_progress(s->run, fuzz_gdb_progress_exceeded, &calls);
	const uint64_t before = machine_hash(s->machine);
	const int in = fuzz_gdb_send_packets(data, n, &looks), out = open("/dev/null", O_WRONLY);
	hold(out >= 0);
	wire_init(w, in, out, NULL);
	server_serve(v, w);
	hold(!looks || machine_hash(s->machine) == before);
	close(in);
	close(out);
	server_deinit(v);
	console_deinit(&c);
	session_free(s);
	free(v);
	free(w);
	return 0;
}
